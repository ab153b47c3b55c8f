package lpstest

import (
	"context"
	"net"
	"sync"
	"time"
)

// A relay holds at most relayQueue chunks of at most relayChunk bytes per direction and connection. With 32 MiB, 50 ms
// of delay leave room for more than 600 MB/s.
const (
	relayChunk = 32 << 10
	relayQueue = 1 << 10
)

// Relay carries TCP connections to a target over some distance: what goes in comes out later, as much of it as before.
// The client's own TCP handshake ends at the relay. The round trip that it would take is added to what the client sends
// first, so that a client gets every answer when it would get it over that distance.
type Relay struct {
	tcpPeer
	target string
	delay  time.Duration
	done   context.Context // over when the relay is closed
	end    context.CancelFunc

	mu    sync.Mutex
	whole chan struct{} // closed while the line is whole
}

// NewRelay returns a relay to target, host and port, that delays every byte by delay in each direction: twice the delay
// is a round trip. Of the options it takes [WithAddress] and [WithListener].
func NewRelay(target string, delay time.Duration, opts ...Option) (*Relay, error) {
	o, err := newOptions(opts, 0)
	if err != nil {
		return nil, err
	}
	port, err := o.listen()
	if err != nil {
		return nil, err
	}
	done, end := context.WithCancel(context.Background())
	r := &Relay{tcpPeer: tcpPeer{port}, target: target, delay: delay, done: done, end: end, whole: make(chan struct{})}
	close(r.whole)
	port.serve(r.carry)
	return r, nil
}

// Cut pulls the cable: nothing comes out any more, and both ends see no more of it than silence. Connections are still
// accepted.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.whole:
		r.whole = make(chan struct{})
	default:
	}
}

// Restore mends the line. What was sent since the cut comes out now, as TCP would send it again.
func (r *Relay) Restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.whole:
	default:
		close(r.whole)
	}
}

// Close ends the relay and its connections. The error is always nil.
func (r *Relay) Close() error {
	r.end()
	r.port.shut()
	return nil
}

// carry relays one connection until both directions have ended.
func (r *Relay) carry(near net.Conn) {
	if r.wait(time.Now().Add(2*r.delay)) != nil { // the TCP handshake
		return
	}
	dialer := net.Dialer{}
	conn, err := dialer.DialContext(r.done, "tcp", r.target)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(r.done, func() { _ = conn.Close() })()
	here, there := near.(halfCloser), conn.(halfCloser)
	var directions sync.WaitGroup
	directions.Go(func() { r.direction(there, here) })
	directions.Go(func() { r.direction(here, there) })
	directions.Wait()
}

// halfCloser is a connection whose sending half can be ended alone.
type halfCloser interface {
	net.Conn
	CloseWrite() error
}

type chunk struct {
	due  time.Time
	data []byte
}

// direction carries from src to dst until src ends, and then ends dst's half. When dst fails, src is closed.
func (r *Relay) direction(dst, src halfCloser) {
	queue := make(chan chunk, relayQueue)
	var writer sync.WaitGroup
	writer.Go(func() {
		if err := r.deliver(dst, queue); err != nil {
			_ = src.Close()
			for range queue { // unblock the reader
			}
		}
	})
	buf := make([]byte, relayChunk)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			queue <- chunk{time.Now().Add(r.delay), append([]byte(nil), buf[:n]...)}
		}
		if err != nil {
			break
		}
	}
	queue <- chunk{due: time.Now().Add(r.delay)} // the end takes its time too
	close(queue)
	writer.Wait()
}

// deliver writes each chunk when it is due and the line is whole. A chunk without data is the end.
func (r *Relay) deliver(dst halfCloser, queue <-chan chunk) error {
	for c := range queue {
		if err := r.wait(c.due); err != nil {
			return err
		}
		if c.data == nil {
			return dst.CloseWrite()
		}
		if _, err := dst.Write(c.data); err != nil {
			return err
		}
	}
	return nil
}

func (r *Relay) wait(due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.done.Done():
		return r.done.Err()
	}
	r.mu.Lock()
	whole := r.whole
	r.mu.Unlock()
	select {
	case <-whole:
		return nil
	case <-r.done.Done():
		return r.done.Err()
	}
}
