package main

import (
	"io"
	"net"
	"time"

	"github.com/bootpointer/bootpointer/lpstest"
)

// distantEcho returns the address of somebody who sends back what he gets, a round trip away.
func (p *peers) distantEcho(rtt time.Duration) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	p.add(ln)
	go serveEcho(ln)
	relay, err := lpstest.NewRelay(ln.Addr().String(), rtt/2)
	if err != nil {
		return "", err
	}
	p.add(relay)
	return relay.Addr(), nil
}

// serveEcho serves until ln is closed.
func serveEcho(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			_, _ = io.Copy(conn, conn)
		}()
	}
}

// roundTrip measures the way of a byte to an echo and back.
func roundTrip(echo string) (time.Duration, error) {
	conn, err := net.Dial("tcp", echo)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := send(conn); err != nil { // this one has the TCP handshake in it
		return 0, err
	}
	return send(conn)
}

// send sends a byte and returns after what time it was back.
func send(conn net.Conn) (time.Duration, error) {
	began := time.Now()
	if _, err := conn.Write([]byte{0}); err != nil {
		return 0, err
	}
	_, err := io.ReadFull(conn, make([]byte, 1))
	return time.Since(began), err
}
