package nodeconfig

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

const beginMark = "-----BEGIN "

// ParseCAs returns the certificates of a bundle, in its order. The bundle is PEM, or base64 of PEM in the standard
// or URL alphabet, with or without line breaks and padding. Blocks of other types, text around blocks and
// certificates that cannot be parsed are skipped; it is an error when none is left.
func ParseCAs(b []byte) ([]*x509.Certificate, error) {
	text, err := bundleText(b)
	if err != nil {
		return nil, err
	}
	var (
		certs    []*x509.Certificate
		found    int
		firstErr error
	)
	// The blocks are taken apart here, so that one without an end does not take the next one with it.
	for _, block := range bytes.Split(text, []byte(beginMark))[1:] {
		if !bytes.HasPrefix(block, []byte("CERTIFICATE-----")) {
			continue
		}
		found++
		cert, err := parseCertificate(append([]byte(beginMark), block...))
		if err != nil {
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		certs = append(certs, cert)
	}
	switch {
	case found == 0:
		return nil, errors.New("no certificate in it")
	case len(certs) == 0:
		return nil, fmt.Errorf("none of %d certificates is usable, the first: %w", found, firstErr)
	}
	return certs, nil
}

// bundleText returns the PEM text of a bundle.
func bundleText(b []byte) ([]byte, error) {
	if bytes.Contains(b, []byte(beginMark)) {
		return b, nil
	}
	encoded := bytes.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, b)
	encoded = bytes.TrimRight(encoded, "=")
	if len(encoded) == 0 {
		return nil, errors.New("is empty")
	}
	text, err := base64.RawStdEncoding.AppendDecode(nil, encoded)
	if err != nil {
		return nil, errors.New("neither PEM nor base64 of it")
	}
	return text, nil
}

func parseCertificate(block []byte) (*x509.Certificate, error) {
	p, _ := pem.Decode(block)
	if p == nil {
		return nil, errors.New("not a whole PEM block")
	}
	cert, err := x509.ParseCertificate(p.Bytes)
	if err != nil {
		// Some of these errors quote the certificate.
		reason, _, _ := strings.Cut(err.Error(), `"`)
		return nil, errors.New(strings.TrimSpace(reason))
	}
	return cert, nil
}
