package lpstest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// NewSwallowing returns such a port. On systems other than Linux the error is [errors.ErrUnsupported].
func NewSwallowing() (*Swallowing, error) {
	fd, addr, err := listenWithoutBacklog()
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

// listenWithoutBacklog opens the socket by hand: net.Listen asks for the longest queue that the system allows.
func listenWithoutBacklog() (fd int, addr string, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, "", os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, "", os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		return 0, "", os.NewSyscallError("listen", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, "", os.NewSyscallError("getsockname", err)
	}
	return fd, fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port), nil
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
