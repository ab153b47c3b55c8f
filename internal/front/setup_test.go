package front

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bootpointer/bootpointer/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type tokens func(context.Context) (string, error)

func (f tokens) Token(ctx context.Context) (string, error) { return f(ctx) }

func after(d time.Duration, token string, err error) tokens {
	return func(ctx context.Context) (string, error) {
		if !sleep(ctx, d) {
			return "", ctx.Err()
		}
		return token, err
	}
}

// link is a connection that remembers whether it was closed.
type link struct{ closed bool }

func (l *link) Close() error { l.closed = true; return nil }

func unreachable() error {
	return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
		Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
}

func refused() error {
	return &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonConnect,
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

func setUp(t *testing.T, src transport.TokenSource, connect func(context.Context, transport.Endpoint) (*link, error)) (*link, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	return SetUp(ctx, Sources{Endpoints: transport.Endpoint{Host: "front.example"}, Tokens: src}, new(Retry), connect)
}

func TestSetUpIsSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, secret, err := setUp(t, after(2*time.Second, "token", nil), func(ctx context.Context, _ transport.Endpoint) (*link, error) {
			sleep(ctx, 2*time.Second)
			return new(link), nil
		})
		require.NoError(t, err)
		assert.Equal(t, "token", secret)
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}

func TestSetUpEndsWithTheFirstFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, _, err := setUp(t, after(time.Second, "", io.EOF), func(ctx context.Context, _ transport.Endpoint) (*link, error) {
			<-ctx.Done()
			return nil, transport.ContextError(ctx, "dial")
		})
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, time.Second, time.Since(began))
		e, ok := errors.AsType[*transport.Error](err)
		require.True(t, ok)
		assert.Equal(t, transport.ReasonIdentity, e.Reason)

		began = time.Now()
		_, _, err = setUp(t, after(time.Hour, "", nil), func(context.Context, transport.Endpoint) (*link, error) {
			return nil, &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonCertName}
		})
		assert.ErrorContains(t, err, "cert-name")
		assert.Zero(t, time.Since(began))
	})
}

func TestSetUpClosesAConnectionWithoutToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l link
		_, _, err := setUp(t, after(time.Second, "", io.EOF), func(context.Context, transport.Endpoint) (*link, error) { return &l, nil })
		require.ErrorIs(t, err, io.EOF)
		assert.True(t, l.closed)
	})
}

func TestSetUpLeavesADeafTokenSourceBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, release := time.Now(), make(chan struct{})
		defer close(release)
		deaf := tokens(func(context.Context) (string, error) { <-release; return "", nil })
		_, _, err := setUp(t, deaf, func(context.Context, transport.Endpoint) (*link, error) { return new(link), nil })
		e, ok := errors.AsType[*transport.Error](err)
		require.True(t, ok)
		assert.Equal(t, transport.ReasonIdentity, e.Reason)
		assert.Equal(t, 3*time.Second+sourceGrace, time.Since(began))
	})
}

type endpoints func() (transport.Endpoint, error)

func (f endpoints) Endpoint(context.Context) (transport.Endpoint, error) { return f() }

func TestSetUpSurvivesPanics(t *testing.T) {
	t.Parallel()
	fine := endpoints(func() (transport.Endpoint, error) { return transport.Endpoint{Host: "front.example"}, nil })
	for reason, s := range map[transport.Reason]Sources{
		transport.ReasonIdentity: {fine, tokens(func(context.Context) (string, error) { panic("boom") })},
		transport.ReasonConfig:   {endpoints(func() (transport.Endpoint, error) { panic("boom") }), after(0, "token", nil)},
		transport.ReasonConnect:  {fine, after(0, "token", nil)},
	} {
		_, _, err := SetUp(t.Context(), s, new(Retry), func(ctx context.Context, _ transport.Endpoint) (*link, error) {
			if reason == transport.ReasonConnect {
				panic("boom")
			}
			<-ctx.Done()
			return nil, transport.ContextError(ctx, "dial")
		})
		e, ok := errors.AsType[*transport.Error](err)
		require.True(t, ok, "%s", reason)
		assert.Equal(t, reason, e.Reason)
		assert.ErrorContains(t, err, "boom")
	}
}

func TestSetUpDialsTwiceAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		_, _, err := setUp(t, after(0, "token", nil), func(context.Context, transport.Endpoint) (*link, error) {
			dials++
			return nil, refused()
		})
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		assert.Equal(t, 2, dials)
	})
}

// A rack that meets a front that is down, or boots before its route is there, does not come again as one.
func TestG1SetUpPausesAreSpreadOut(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]func() error{"refused": refused, "no route": unreachable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				lowest, highest := time.Hour, time.Duration(0)
				for range 300 {
					var dialled []time.Time
					_, _, err := setUp(t, after(0, "token", nil), func(context.Context, transport.Endpoint) (*link, error) {
						if dialled = append(dialled, time.Now()); len(dialled) < 2 {
							return nil, failure()
						}
						return new(link), nil
					})
					require.NoError(t, err)
					pause := dialled[1].Sub(dialled[0])
					lowest, highest = min(lowest, pause), max(highest, pause)
				}
				assert.GreaterOrEqual(t, lowest, MinPause)
				assert.Less(t, highest, MaxPause)
				assert.Greater(t, highest-lowest, (MaxPause-MinPause)*9/10)
			})
		})
	}
}

// I3, for the connection: a route that appears after a while is used, and one that never does costs the set-up's time.
func TestI3SetUpWaitsForARoute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		up := func() bool { return time.Since(began) >= 1500*time.Millisecond }
		_, _, err := setUp(t, after(0, "token", nil), func(context.Context, transport.Endpoint) (*link, error) {
			if up() {
				return new(link), nil
			}
			return nil, unreachable()
		})
		require.NoError(t, err)
		assert.Less(t, time.Since(began), 2*time.Second)

		began = time.Now().Add(time.Hour)
		start, dials := time.Now(), 0
		_, _, err = setUp(t, after(0, "token", nil), func(context.Context, transport.Endpoint) (*link, error) {
			dials++
			return nil, unreachable()
		})
		require.ErrorIs(t, err, syscall.ENETUNREACH)
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.LessOrEqual(t, dials, 31, "idle in between")
	})
}
