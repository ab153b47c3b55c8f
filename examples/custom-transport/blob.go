package blob

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/bootpointer/bootpointer/transport"
)

// Transport reads the documents of components from the blobs COMPONENT.json of one container. It is safe for
// concurrent use and keeps no connection, so it needs no closing.
type Transport struct {
	container *url.URL // its query is the signature, a secret
	http      *http.Transport
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport for the container behind sas, an https URL whose query is the signature. Certificates are
// verified against roots; nil are the system's.
func New(sas string, roots *x509.CertPool) (*Transport, error) {
	u, err := url.Parse(sas)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery == "" {
		// The error of url.Parse quotes the URL.
		return nil, errors.New("blob transport: needs the https URL of a container, with its signature")
	}
	return &Transport{container: u, http: &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: roots},
		DisableKeepAlives:      true, // no goroutine stays
		MaxResponseHeaderBytes: 64 << 10,
	}}, nil
}

// Fetch implements [transport.Transport].
func (t *Transport) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	if req.Component == "" {
		return transport.Document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonConfig,
			Err: errors.New("request names no component")}
	}
	if err := transport.ContextError(ctx, "fetch"); err != nil {
		return transport.Document{}, err
	}
	blob := t.container.JoinPath(url.PathEscape(req.Component) + ".json")
	op := "GET " + blob.Host + blob.EscapedPath() // without the query
	r := (&http.Request{Method: http.MethodGet, URL: blob, Header: http.Header{}}).WithContext(ctx)
	resp, err := t.http.RoundTrip(r) // unlike a client, it follows no redirect
	if err != nil {
		return transport.Document{}, broken(ctx, op, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return transport.Document{}, refused(op, resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, transport.MaxDocumentSize+1))
	if err != nil {
		return transport.Document{}, broken(ctx, op, err)
	}
	if len(body) > transport.MaxDocumentSize {
		return transport.Document{}, &transport.Error{Class: transport.Authoritative, Reason: transport.ReasonMalformed,
			Op: op, Code: "200", Err: fmt.Errorf("blob has more than %d bytes", transport.MaxDocumentSize)}
	}
	return transport.Document{Component: req.Component, Body: body, Code: "200"}, nil
}

// refused classifies a status. Only the storage service itself can say that there is no such blob: the 404 of
// something in between is no answer.
func refused(op string, resp *http.Response) error {
	e := &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonHTTPStatus, Op: op,
		Code: strconv.Itoa(resp.StatusCode), Err: errors.New(http.StatusText(resp.StatusCode))}
	if e.Code == "404" && resp.Header.Get("X-Ms-Error-Code") == "BlobNotFound" {
		e.Class, e.Reason = transport.Benign, transport.ReasonStatus
	}
	return e
}

// broken classifies an exchange that broke off. Only errors known not to quote what the peer sent are passed on: it
// may have sent the signature back.
func broken(ctx context.Context, op string, err error) error {
	if ended := transport.ContextError(ctx, op); ended != nil {
		return ended
	}
	e := &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect, Op: op,
		Err: errors.New("no complete answer in HTTP")}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		e.Err = network
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Reason, e.Err = transport.ReasonTLS, cert
	}
	return e
}
