package imds_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/imds"
)

// network is a metadata service on synthetic time, at the far end of a pipe. It records when it was tried.
type network struct {
	began  time.Time
	tries  []time.Duration
	delay  time.Duration // before each answer
	answer func(try int) (raw string, err error)
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.tries = append(n.tries, time.Since(n.began))
	raw, err := n.answer(len(n.tries))
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	client, server := net.Pipe()
	go func() {
		defer func() { _ = server.Close() }()
		if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
			time.Sleep(n.delay)
			_, _ = server.Write([]byte(raw))
		}
	}()
	return client, nil
}

func (n *network) token(ctx context.Context, t *testing.T) (string, error) {
	t.Helper()
	source, err := imds.New(imds.WithDial(n.dial))
	require.NoError(t, err)
	n.began = time.Now()
	return source.Token(ctx)
}

const healthy = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"signature\":\"MIIK\"}"

var unreachable = os.NewSyscallError("connect", syscall.ENETUNREACH)

func status(code int, header string) string {
	return fmt.Sprintf("HTTP/1.1 %d x\r\n%sContent-Length: 0\r\n\r\n", code, header)
}

func TestI3RouteAppears(t *testing.T) {
	t.Parallel()
	for range 50 { // the jitter differs
		synctest.Test(t, func(t *testing.T) {
			var n network
			n.answer = func(int) (string, error) {
				if time.Since(n.began) < 500*time.Millisecond {
					return "", unreachable
				}
				return healthy, nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), budget)
			defer cancel()
			got, err := n.token(ctx, t)
			require.NoError(t, err)
			assert.Equal(t, "MIIK", got)
			assert.Less(t, time.Since(n.began), 1300*time.Millisecond)
			assert.LessOrEqual(t, n.tries[1], 100*time.Millisecond)
		})
	}
}

func TestI1I3Pace(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(int) (string, error){
		"I1 410 for ever": func(int) (string, error) { return status(http.StatusGone, ""), nil },
		"I1 500 for ever": func(int) (string, error) { return status(http.StatusInternalServerError, ""), nil },
		"I3 no route":     func(int) (string, error) { return "", unreachable },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := network{answer: answer}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := n.token(ctx, t)
				require.Error(t, err)
				assert.LessOrEqual(t, time.Since(n.began), time.Minute)
				require.Greater(t, len(n.tries), 60)
				pause := 100 * time.Millisecond
				for i := 1; i < len(n.tries); i++ {
					waited := n.tries[i] - n.tries[i-1]
					assert.GreaterOrEqual(t, waited, pause/2, "try %d", i+1)
					assert.LessOrEqual(t, waited, pause, "try %d", i+1)
					pause = min(2*pause, time.Second)
				}
			})
		})
	}
}

func TestPacesDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 20 {
			n := network{answer: func(try int) (string, error) {
				if try == 1 {
					return "", unreachable
				}
				return healthy, nil
			}}
			_, err := n.token(t.Context(), t)
			require.NoError(t, err)
			seen[n.tries[1]] = true
		}
		assert.Greater(t, len(seen), 10)
	})
}

func TestI1RetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"Retry-After: 2\r\n":                             2 * time.Second,
		"Retry-After: Sat, 01 Jan 2000 00:00:02 GMT\r\n": 2 * time.Second, // a bubble begins at midnight
		"Retry-After: Fri, 31 Dec 1999 19:00:02 GMT\r\nDate: Fri, 31 Dec 1999 19:00:00 GMT\r\n": 2 * time.Second,
		"Retry-After: 3\r\n":                             0, // as long as the budget
		"Retry-After: 3600\r\n":                          0,
		"Retry-After: Sat, 01 Jan 2000 01:00:00 GMT\r\n": 0,
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := network{answer: func(try int) (string, error) {
					if try == 1 {
						return status(http.StatusTooManyRequests, header), nil
					}
					return healthy, nil
				}}
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				defer cancel()
				_, err := n.token(ctx, t)
				assert.Equal(t, want, time.Since(n.began))
				if want == 0 {
					assert.ErrorContains(t, err, "HTTP 429 Too Many Requests; no time for another one")
					assert.Len(t, n.tries, 1)
				} else {
					assert.NoError(t, err)
				}
			})
		})
	}
}

func TestI2Slow(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]error{
		2500 * time.Millisecond: nil,
		2999 * time.Millisecond: nil,
		3001 * time.Millisecond: context.DeadlineExceeded,
		30 * time.Second:        context.DeadlineExceeded,
	} {
		t.Run("I2 "+delay.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := network{delay: delay, answer: func(int) (string, error) { return healthy, nil }}
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				defer cancel()
				_, err := n.token(ctx, t)
				require.ErrorIs(t, err, want)
				assert.Equal(t, min(delay, budget), time.Since(n.began))
				assert.Len(t, n.tries, 1)
				time.Sleep(delay) // a late answer runs out
			})
		})
	}
}

func TestBudgetWithoutDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := network{answer: func(int) (string, error) { return "", unreachable }}
		_, err := n.token(context.Background(), t)
		require.ErrorIs(t, err, syscall.ENETUNREACH)
		assert.InDelta(t, 10, time.Since(n.began).Seconds(), 1)
	})
}

func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := network{answer: func(int) (string, error) { return status(http.StatusServiceUnavailable, "Retry-After: 5\r\n"), nil }}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := n.token(ctx, t)
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "HTTP 503")
		assert.Equal(t, time.Second, time.Since(n.began))
	})
}
