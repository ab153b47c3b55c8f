package lpstest

import "net"

// Swallowing is a port on loopback that answers no SYN, as a firewall that drops packets: connecting takes until the
// client gives up.
type Swallowing struct {
	addr  string
	queue []net.Conn // fill the accept queue
	stop  func() error
}

// Addr returns the address that does not answer, host and port.
func (s *Swallowing) Addr() string { return s.addr }

// Close gives the port back. Clients that still wait are refused. The error is always nil.
func (s *Swallowing) Close() error {
	_ = s.stop()
	for _, conn := range s.queue {
		_ = conn.Close()
	}
	return nil
}
