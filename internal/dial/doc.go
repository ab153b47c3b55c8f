// Package dial opens the connections of the network transports: TCP, then TLS that is verified in full against the
// cluster's CA and a pinned name, with ALPN checked by ourselves.
//
// # Errors
//
// [TLS] returns nothing but *transport.Error, each with the reason of the layer that failed: dns, connect, tls,
// cert-name, cert-untrusted, cert-expired, cert-not-yet-valid, alpn, deadline or canceled.
package dial
