package transport

// Reason names the fault behind an error in one stable word, for telemetry and for people who search for it.
type Reason string

// The reasons, each with the fault it stands for.
const (
	// ReasonConfig: the node's config gave no endpoint or no usable CA.
	ReasonConfig Reason = "config"
	// ReasonIdentity: there was no token to present.
	ReasonIdentity Reason = "identity"
	// ReasonDNS: the front's name did not resolve.
	ReasonDNS Reason = "dns"
	// ReasonConnect: no TCP connection, or connection or stream were lost before an answer.
	ReasonConnect Reason = "connect"
	// ReasonTLS: the handshake failed for another reason than the certificate or ALPN.
	ReasonTLS Reason = "tls"
	// ReasonCertName: the certificate is not for the expected name.
	ReasonCertName Reason = "cert-name"
	// ReasonCertUntrusted: the certificate has no chain to the cluster's CA that allows it to serve.
	ReasonCertUntrusted Reason = "cert-untrusted"
	// ReasonCertExpired: the certificate's validity is over.
	ReasonCertExpired Reason = "cert-expired"
	// ReasonCertNotYetValid: the certificate's validity has not begun, or the node's clock is behind.
	ReasonCertNotYetValid Reason = "cert-not-yet-valid"
	// ReasonALPN: the peer selected no protocol that was offered.
	ReasonALPN Reason = "alpn"
	// ReasonHTTPStatus: an HTTP answer came where the service's own answer was due.
	ReasonHTTPStatus Reason = "http-status"
	// ReasonDeadline: the peer was reached and stayed silent until the time was up.
	ReasonDeadline Reason = "deadline"
	// ReasonCanceled: the caller gave up.
	ReasonCanceled Reason = "canceled"
	// ReasonStatus: the service answered with a status other than OK.
	ReasonStatus Reason = "status"
	// ReasonMalformed: the service answered with a body that cannot be used.
	ReasonMalformed Reason = "malformed"
	// ReasonEmpty: the service answered that its document is empty.
	ReasonEmpty Reason = "empty"
	// ReasonNoPointer: no pointer is embedded in this node.
	ReasonNoPointer Reason = "no-pointer"
)
