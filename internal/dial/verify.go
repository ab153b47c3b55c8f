package dial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// Verification is what a peer has to prove in the handshake.
type Verification struct {
	// CAs are the only roots trusted.
	CAs []*x509.Certificate
	// Name is the DNS name that the certificate has to be for, whatever the SNI was.
	Name string
	// ALPN are the protocols offered, most wanted first. The peer has to select one of them.
	ALPN []string
	// ALPNOptional accepts a peer that selects none, too.
	ALPNOptional bool
}

// check judges every connection, resumed ones too. The chain comes before the name, so that a
// certificate of somebody else's CA is called untrusted rather than misnamed.
func (v Verification) check(cs tls.ConnectionState) error {
	if len(cs.PeerCertificates) == 0 {
		return certError(transport.ReasonCertUntrusted, errors.New("the peer sent no certificate"))
	}
	leaf := cs.PeerCertificates[0]
	opts := x509.VerifyOptions{
		Roots:         x509.NewCertPool(),
		Intermediates: x509.NewCertPool(),
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		CurrentTime:   time.Now(),
	}
	for _, ca := range v.CAs {
		opts.Roots.AddCert(ca)
	}
	for _, cert := range cs.PeerCertificates[1:] {
		opts.Intermediates.AddCert(cert)
	}
	if _, err := leaf.Verify(opts); err != nil {
		return certError(chainReason(err, opts.CurrentTime), describeChain(leaf, err))
	}
	if err := leaf.VerifyHostname(v.Name); err != nil {
		return certError(transport.ReasonCertName,
			fmt.Errorf("certificate is for %s, expected %q", names(leaf), v.Name))
	}
	if !slices.Contains(v.ALPN, cs.NegotiatedProtocol) && (cs.NegotiatedProtocol != "" || !v.ALPNOptional) {
		return certError(transport.ReasonALPN,
			fmt.Errorf("peer selected protocol %q, offered were %q", cs.NegotiatedProtocol, v.ALPN))
	}
	return nil
}

func chainReason(err error, now time.Time) transport.Reason {
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	if !ok || invalid.Reason != x509.Expired {
		return transport.ReasonCertUntrusted
	}
	if invalid.Cert != nil && now.Before(invalid.Cert.NotBefore) {
		return transport.ReasonCertNotYetValid
	}
	return transport.ReasonCertExpired
}

func describeChain(leaf *x509.Certificate, err error) error {
	return fmt.Errorf("certificate for %s, issued by %.80q: %w", names(leaf), leaf.Issuer.String(), err)
}

// names lists what a certificate is for, cut to what a log line can take.
func names(cert *x509.Certificate) string {
	all := slices.Clone(cert.DNSNames)
	for _, ip := range cert.IPAddresses {
		all = append(all, ip.String())
	}
	if len(all) == 0 {
		return fmt.Sprintf("no name (common name %.80q does not count)", cert.Subject.CommonName)
	}
	const most = 5
	more := ""
	if len(all) > most {
		more = fmt.Sprintf(" and %d more", len(all)-most)
		all = all[:most]
	}
	for i, name := range all {
		all[i] = fmt.Sprintf("%.80q", name)
	}
	return strings.Join(all, ", ") + more
}

func certError(reason transport.Reason, err error) error {
	return &transport.Error{Class: transport.FallbackEligible, Reason: reason, Err: err}
}
