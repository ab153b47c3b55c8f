package lpstest

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// NewSwallowing returns such a port. Of the options it takes [WithAddress], with an IPv4 address. On systems other than
// Linux the error is [errors.ErrUnsupported].
func NewSwallowing(opts ...Option) (*Swallowing, error) {
	address, err := swallowingAddress(opts)
	if err != nil {
		return nil, err
	}
	fd, addr, err := listenWithoutBacklog(address)
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	s := &Swallowing{addr: addr, stop: sync.OnceValue(func() error { return unix.Close(fd) })}
	if err := s.fill(fd); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	return s, nil
}

func swallowingAddress(opts []Option) (*unix.SockaddrInet4, error) {
	o, err := newOptions(opts, 0)
	if err != nil {
		return nil, err
	}
	if o.listener != nil {
		return nil, errors.New("lpstest: WithListener means nothing to this peer")
	}
	if o.address == "" {
		return &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}, nil
	}
	addr, err := net.ResolveTCPAddr("tcp4", o.address)
	if err != nil {
		return nil, fmt.Errorf("lpstest: %w", err)
	}
	ip := addr.AddrPort().Addr().Unmap()
	if !ip.Is4() { // no host at all
		ip = netip.IPv4Unspecified()
	}
	return &unix.SockaddrInet4{Addr: ip.As4(), Port: addr.Port}, nil
}

// listenWithoutBacklog opens the socket by hand: net.Listen asks for the longest queue that the system allows.
func listenWithoutBacklog(address *unix.SockaddrInet4) (fd int, addr string, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, "", os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	// As net.Listen does: connections of a listener that was here before may still be remembered.
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return 0, "", os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Bind(fd, address); err != nil {
		return 0, "", os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		return 0, "", os.NewSyscallError("listen", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, "", os.NewSyscallError("getsockname", err)
	}
	bound := name.(*unix.SockaddrInet4)
	return fd, netip.AddrPortFrom(netip.AddrFrom4(bound.Addr), uint16(bound.Port)).String(), nil
}

// fill connects until the accept queue is longer than allowed, which is when Linux drops every further SYN.
func (s *Swallowing) fill(fd int) error {
	for range 16 {
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return os.NewSyscallError("getsockopt", err)
		}
		if length, allowed := info.Unacked, info.Sacked; length > allowed { // so tcp(7) reports a listener's queue
			return nil
		}
		conn, err := net.DialTimeout("tcp", s.addr, time.Second)
		if err != nil {
			return err
		}
		s.queue = append(s.queue, conn)
	}
	return errors.New("the accept queue does not fill up")
}
