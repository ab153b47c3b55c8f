package front

// ALPN is the protocol name that the front routes gRPC to the service on.
const ALPN = "aks-live-patching"

// Hello is how a transport introduces itself to the front.
type Hello struct {
	// SNI is the name on the wire.
	SNI string
	// ALPN are the protocols offered; ALPNOptional accepts a front that selects none.
	ALPN         []string
	ALPNOptional bool
}

// GRPCHello is how gRPC does: with the front's own name, routed on [ALPN]. What gRPC itself speaks is "h2".
func GRPCHello(host string) Hello { return Hello{SNI: host, ALPN: []string{ALPN, "h2"}} }

// HTTPSHello is how HTTPS does: routed on the pinned name.
func HTTPSHello(serverName string) Hello {
	return Hello{SNI: serverName, ALPN: []string{"h2", "http/1.1"}, ALPNOptional: true}
}
