package lpstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// ServerName is the pinned name: the one the service's certificate is issued for. It is not the SNI.
const ServerName = "aks-security-patch.data.mcr.microsoft.com"

// CA is a certificate authority with an ECDSA P-256 key, valid from a day ago for ten years.
type CA struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// CAOption changes what [NewCA] returns.
type CAOption func(*x509.Certificate)

// WithSubject sets the CA's common name. The default is the same for all, "lpstest CA": two CAs made without this
// option are the two of a rotation, same subject and different keys.
func WithSubject(commonName string) CAOption {
	return func(c *x509.Certificate) { c.Subject.CommonName = commonName }
}

// NewCA returns a self-signed CA with a fresh key.
func NewCA(opts ...CAOption) (*CA, error) {
	template := caTemplate("lpstest CA")
	for _, opt := range opts {
		opt(template)
	}
	return newCA(template, nil)
}

func caTemplate(commonName string) *x509.Certificate {
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             time.Now().Add(-24 * time.Hour),
		NotAfter:              time.Now().AddDate(10, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

// newCA has template signed by parent, or by its own key if parent is nil.
func newCA(template *x509.Certificate, parent *CA) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("CA key: %w", err)
	}
	if parent == nil {
		parent = &CA{cert: template, key: key}
	}
	cert, err := parent.sign(template, key)
	if err != nil {
		return nil, fmt.Errorf("CA certificate: %w", err)
	}
	return &CA{cert: cert, key: key}, nil
}

func (ca *CA) sign(template *x509.Certificate, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// Certificate returns the CA's certificate. It is shared: do not change it.
func (ca *CA) Certificate() *x509.Certificate { return ca.cert }

// PEM returns the CA's certificate as one PEM block.
func (ca *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw})
}

// Pool returns a new pool with this CA in it and nothing else.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return pool
}

// CertOption changes what [CA.Issue] returns.
type CertOption func(*certOptions)

type certOptions struct {
	dnsNames     []string
	ips          []net.IP
	commonName   string
	notBefore    time.Time
	notAfter     time.Time
	ekus         []x509.ExtKeyUsage
	intermediate intermediate
}

type intermediate uint8

const (
	noIntermediate intermediate = iota
	intermediateSent
	intermediateWithheld
)

// WithDNSNames sets the names in the certificate. The default is [ServerName], unless there are IP addresses.
func WithDNSNames(names ...string) CertOption {
	return func(o *certOptions) { o.dnsNames = names }
}

// WithIPs sets the IP addresses in the certificate. The default is none.
func WithIPs(ips ...net.IP) CertOption {
	return func(o *certOptions) { o.ips = ips }
}

// WithCommonNameOnly puts name in the subject and no name anywhere else, as certificates were made long ago. It
// excludes [WithDNSNames] and [WithIPs].
func WithCommonNameOnly(name string) CertOption {
	return func(o *certOptions) { o.commonName = name }
}

// WithValidity sets when the certificate is valid. The default is from an hour ago for a day.
func WithValidity(notBefore, notAfter time.Time) CertOption {
	return func(o *certOptions) { o.notBefore, o.notAfter = notBefore, notAfter }
}

// WithEKUs sets the extended key usages. The default is serverAuth; none at all leaves the extension out, which
// permits everything.
func WithEKUs(ekus ...x509.ExtKeyUsage) CertOption {
	return func(o *certOptions) { o.ekus = ekus }
}

// WithIntermediate issues through a fresh intermediate CA, which is sent along.
func WithIntermediate() CertOption {
	return func(o *certOptions) { o.intermediate = intermediateSent }
}

// WithIntermediateWithheld issues through a fresh intermediate CA that is not sent: the chain has a gap.
func WithIntermediateWithheld() CertOption {
	return func(o *certOptions) { o.intermediate = intermediateWithheld }
}

// Issue returns a serving certificate with its key and chain, the root not included.
func (ca *CA) Issue(opts ...CertOption) (tls.Certificate, error) {
	o := certOptions{
		notBefore: time.Now().Add(-time.Hour),
		notAfter:  time.Now().Add(24 * time.Hour),
		ekus:      []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, opt := range opts {
		opt(&o)
	}
	if o.commonName != "" && len(o.dnsNames)+len(o.ips) > 0 {
		return tls.Certificate{}, errors.New("certificate: a common name only, and other names too")
	}
	if o.commonName == "" && len(o.dnsNames)+len(o.ips) == 0 {
		o.dnsNames = []string{ServerName}
	}
	issuer := ca
	if o.intermediate != noIntermediate {
		var err error
		if issuer, err = newCA(caTemplate("lpstest intermediate CA"), ca); err != nil {
			return tls.Certificate{}, err
		}
	}
	cert, err := issuer.issue(o)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate: %w", err)
	}
	if o.intermediate == intermediateSent {
		cert.Certificate = append(cert.Certificate, issuer.cert.Raw)
	}
	return cert, nil
}

func (ca *CA) issue(o certOptions) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := ca.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: o.commonName, Organization: []string{"lpstest"}},
		DNSNames:    o.dnsNames,
		IPAddresses: o.ips,
		NotBefore:   o.notBefore,
		NotAfter:    o.notAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: o.ekus,
	}, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}, nil
}
