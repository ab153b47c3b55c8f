package lpstest

import (
	"errors"
	"fmt"
)

// unauthorized is what an API server answers to a request without credentials that it knows.
const unauthorized = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
	`"message":"Unauthorized","reason":"Unauthorized","code":401}`

// NewImpostor returns an API server that answers where the service was expected, as when the proxy in front does not
// know the service's ALPN. Its certificate is by the cluster's CA but for fqdn only, it selects "h2", and it would
// answer every request 401. [RawHTTP2.Requests] has whatever got past the handshake: none should.
func NewImpostor(fqdn string, opts ...Option) (*RawHTTP2, error) {
	o, err := newOptions(opts, aboutTLS|aboutSettings)
	if err != nil {
		return nil, err
	}
	if o.certificate != nil {
		return nil, errors.New("lpstest: an impostor issues its own certificate")
	}
	if o.ca == nil {
		if o.ca, err = NewCA(); err != nil {
			return nil, fmt.Errorf("lpstest: %w", err)
		}
	}
	cert, err := o.ca.Issue(WithDNSNames(fqdn))
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	all := append([]Option{WithALPN("h2")}, opts...)
	all = append(all, WithCA(o.ca), WithCertificate(cert))
	s, err := NewRawHTTP2(all...)
	if err != nil {
		return nil, err
	}
	s.Respond(HTTPStatus(401, "application/json", unauthorized))
	return s, nil
}
