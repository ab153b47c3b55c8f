package lpstest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// maxUDP is the largest answer over UDP in bytes (RFC 1035, 4.2.1); a larger one is asked for again over TCP.
const maxUDP = 512

// DNSAnswer is what a [DNS] answers to every name.
type DNSAnswer struct {
	// Addrs are the addresses of the name, for queries of their type.
	Addrs []netip.Addr
	// RCode other than [dnsmessage.RCodeSuccess] is the whole answer, for example [dnsmessage.RCodeNameError], which
	// is NXDOMAIN, or [dnsmessage.RCodeServerFailure].
	RCode dnsmessage.RCode
	// Silent leaves queries unanswered.
	Silent bool
}

// Query is one question that reached a [DNS].
type Query struct {
	// Name is the name asked for, without the final dot, and Type the record type.
	Name string
	Type dnsmessage.Type
	// Network is "udp" or "tcp".
	Network string
	// Time is when the question came.
	Time time.Time
}

// DNS is a name server on loopback, over UDP and TCP at the same port.
type DNS struct {
	packets net.PacketConn
	port    *port
	loop    sync.WaitGroup

	mu      sync.Mutex
	answer  DNSAnswer
	queries []Query
}

// NewDNS returns a name server that is up.
func NewDNS(answer DNSAnswer) (*DNS, error) {
	packets, ln, err := listenTwice()
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	d := &DNS{packets: packets, port: newPort(ln), answer: answer}
	d.loop.Go(d.serveUDP)
	d.port.serve(d.serveTCP)
	return d, nil
}

// listenTwice finds a port that is free for UDP and for TCP.
func listenTwice() (net.PacketConn, net.Listener, error) {
	var failed error
	for range 16 {
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		ln, err := net.Listen("tcp", packets.LocalAddr().String())
		if err == nil {
			return packets, ln, nil
		}
		_ = packets.Close()
		failed = err
	}
	return nil, nil, failed
}

// Addr returns the address to ask, host and port.
func (d *DNS) Addr() string { return d.packets.LocalAddr().String() }

// Resolver returns a resolver that asks this server, whatever the system's configuration names. The system's search
// list still holds: end names with a dot to be asked for them alone.
func (d *DNS) Resolver() *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, network, d.Addr())
			if err == nil {
				// Go's resolver reads on for seconds after the caller has gone.
				context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		},
	}
}

// Answer replaces the answer.
func (d *DNS) Answer(answer DNSAnswer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = answer
}

// Queries returns the questions so far, in the order in which they came.
func (d *DNS) Queries() []Query {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.queries)
}

// Close stops the server. The error is always nil.
func (d *DNS) Close() error {
	_ = d.packets.Close()
	d.loop.Wait()
	d.port.shut()
	return nil
}

func (d *DNS) serveUDP() {
	query := make([]byte, maxUDP)
	for {
		n, from, err := d.packets.ReadFrom(query)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if reply := d.reply(query[:n], "udp"); reply != nil {
			_, _ = d.packets.WriteTo(reply, from)
		}
	}
}

// serveTCP reads queries with two bytes of length before each, and answers likewise.
func (d *DNS) serveTCP(conn net.Conn) {
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := d.reply(query, "tcp")
		if reply == nil {
			continue
		}
		framed := binary.BigEndian.AppendUint16(nil, uint16(len(reply)))
		if _, err := conn.Write(append(framed, reply...)); err != nil {
			return
		}
	}
}

// reply records the question and returns the packed answer to it, or nil if there is none.
func (d *DNS) reply(packet []byte, network string) []byte {
	var parser dnsmessage.Parser
	header, err := parser.Start(packet)
	if err != nil || header.Response {
		return nil
	}
	question, err := parser.Question()
	if err != nil {
		return nil
	}
	answer := d.next(question, network)
	if answer.Silent {
		return nil
	}
	message := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: header.ID, Response: true, Authoritative: true, RecursionAvailable: true,
			RecursionDesired: header.RecursionDesired, RCode: answer.RCode,
		},
		Questions: []dnsmessage.Question{question},
	}
	if answer.RCode == dnsmessage.RCodeSuccess {
		message.Answers = records(question, answer.Addrs)
	}
	packed, err := message.Pack()
	if err == nil && network == "udp" && len(packed) > maxUDP {
		message.Truncated, message.Answers = true, nil
		packed, err = message.Pack()
	}
	if err != nil || len(packed) > 1<<16-1 {
		return nil
	}
	return packed
}

func (d *DNS) next(question dnsmessage.Question, network string) DNSAnswer {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queries = append(d.queries, Query{
		Name:    strings.TrimSuffix(question.Name.String(), "."),
		Type:    question.Type,
		Network: network,
		Time:    time.Now(),
	})
	return d.answer
}

// records returns those of addrs that the question asks for.
func records(question dnsmessage.Question, addrs []netip.Addr) []dnsmessage.Resource {
	var found []dnsmessage.Resource
	for _, addr := range addrs {
		var body dnsmessage.ResourceBody
		switch {
		case question.Type == dnsmessage.TypeA && addr.Is4():
			body = &dnsmessage.AResource{A: addr.As4()}
		case question.Type == dnsmessage.TypeAAAA && addr.Is6():
			body = &dnsmessage.AAAAResource{AAAA: addr.As16()}
		default:
			continue
		}
		found = append(found, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
			Body:   body,
		})
	}
	return found
}
