// Package https fetches a document from the live-patching service over HTTPS, through the API server's front. Import it as
// httpstransport and start with [New].
//
// The service has one address for one document, https://<pinned name>/v1/anc-hotfix. The pinned name is SNI, Host and the
// name in the certificate, and the front routes on it; what is dialled is always port 443 of the API server's front, and
// no name of the service is ever resolved. The connection is verified against the cluster's CA before the token is sent;
// there is no way to turn that off, no proxy is ever used and no redirect followed.
//
// HTTP/2 and HTTP/1.1 are offered, and a front that selects neither is taken to speak HTTP/1.1.
//
// The token is in no error or log of this package. net/http, however, prints every header of HTTP/2 to the standard logger
// of a process that runs with GODEBUG=http2debug.
//
// # Errors
//
// Every error of [Transport.Fetch] is a *transport.Error. A 401, 403 or 404 is benign, another 4xx authoritative; every
// other status, and everything that went wrong before a status, is fallback-eligible. The table is in classify.go.
package https
