package bootpointer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/clocktest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

const (
	served  = `{"hotfixes":{"202604.01":"202604.01.1"}}`
	inImage = `{"hotfixes":{"202604.01":"202604.01.2"}}`
)

// newChecker returns a checker for a node at 202604.01.0 whose service answers with reply.
func newChecker(t testing.TB, reply transporttest.Reply, opts ...Option) (*Checker, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pointer.json")
	stager, err := pointer.NewStager(path)
	require.NoError(t, err)
	steps := []transport.Step{{Name: "grpc", Transport: transporttest.NewFake(reply)}}
	c, err := New(steps, stager, "202604.01.0", opts...)
	require.NoError(t, err)
	return c, path
}

func withFallback(text string) Option {
	return WithFallback(transporttest.NewFake(transporttest.Body(text)))
}

func TestCheckOutcomes(t *testing.T) {
	t.Parallel()
	down := transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect)
	for name, tc := range map[string]struct {
		reply   transporttest.Reply
		opts    []Option
		outcome Outcome
		source  string
		reason  transport.Reason
		file    string
	}{
		"read":        {transporttest.Body(served), nil, OutcomeLPSRead, "grpc", "", served},
		"other base":  {transporttest.Body(`{"hotfixes":{"202607.15":"202607.15.1"}}`), nil, OutcomeNoHotfixForBase, "grpc", "", `{"hotfixes":{"202607.15":"202607.15.1"}}`},
		"benign":      {transporttest.Failure(transport.Benign, transport.ReasonStatus), []Option{withFallback(inImage)}, OutcomeNoHotfixAvailable, "grpc", transport.ReasonStatus, ""},
		"empty":       {transporttest.Body(`{}`), []Option{withFallback(inImage)}, OutcomeNoHotfixAvailable, "grpc", transport.ReasonEmpty, ""},
		"malformed":   {transporttest.Body(`{`), []Option{withFallback(inImage)}, OutcomeFailed, "grpc", transport.ReasonMalformed, ""},
		"ruled out":   {transporttest.Failure(transport.Authoritative, transport.ReasonStatus), []Option{withFallback(inImage)}, OutcomeFailed, "grpc", transport.ReasonStatus, ""},
		"fallback":    {down, []Option{withFallback(inImage)}, OutcomeCustomDataFallback, "fallback", transport.ReasonConnect, inImage},
		"panic":       {transporttest.Reply{Panic: "boom"}, []Option{withFallback(inImage)}, OutcomeCustomDataFallback, "fallback", "", inImage},
		"none":        {down, nil, OutcomeFailed, "", transport.ReasonConnect, ""},
		"no words":    {transporttest.Reply{Err: errors.New("?")}, []Option{withFallback(`{}`)}, OutcomeFailed, "", "", ""},
		"none inside": {down, []Option{withFallback(`{"hotfixes":{}}`)}, OutcomeFailed, "", transport.ReasonConnect, ""},
		"bad inside":  {down, []Option{withFallback(`{`)}, OutcomeFailed, "fallback", transport.ReasonMalformed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, path := newChecker(t, tc.reply, tc.opts...)

			r := c.Check(t.Context())

			assert.Equal(t, tc.outcome, r.Outcome, "%v", r.Err)
			assert.Equal(t, tc.source, r.Source)
			assert.Equal(t, tc.reason, r.Reason)
			assert.Equal(t, tc.file != "", r.Staged)
			assert.Equal(t, tc.file != "", r.Changed)
			assert.Equal(t, tc.outcome == OutcomeFailed || tc.outcome == OutcomeNoHotfixAvailable, r.Err != nil)
			staged, err := os.ReadFile(path)
			if tc.file == "" {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, tc.file, string(staged))
		})
	}
}

func TestCheckTellsWhatTheMergeKept(t *testing.T) {
	t.Parallel()
	c, path := newChecker(t, transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect), withFallback(inImage))
	require.NoError(t, os.WriteFile(path, []byte(`{"hotfixes":{"202604.01":"202604.01.7"}}`), 0o600))

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeCustomDataFallback, r.Outcome)
	assert.Equal(t, "202604.01.7", r.ResolvedVersion)
	assert.True(t, r.WouldUpgrade)
	assert.True(t, r.Staged)
	assert.False(t, r.Changed)
}

func TestCheckWarnsOfEntriesLeftOut(t *testing.T) {
	t.Parallel()
	c, _ := newChecker(t, transporttest.Body(`{"hotfixes":{"202604.01":"202604.01.1","x":"y"}}`))

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeLPSRead, r.Outcome)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "grpc: ")
}

func TestCheckWarnsOfAVersionThatIsNone(t *testing.T) {
	t.Parallel()
	c, _ := newChecker(t, transporttest.Body(served))
	c.current = "v202604.01.0"

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeNoHotfixForBase, r.Outcome)
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "v202604.01.0")
}

func TestResultCause(t *testing.T) {
	t.Parallel()
	attempts := []transport.Attempt{{Step: "grpc", Class: transport.FallbackEligible, Err: errors.New("refused")}, {Step: "fallback"}}
	assert.Equal(t, "grpc: refused", Result{Attempts: attempts}.Cause())
	assert.Equal(t, "all of it", Result{Attempts: attempts, Err: errors.New("all of it")}.Cause())
	assert.Empty(t, Result{Attempts: attempts[1:]}.Cause())
}

func TestCheckCannotStage(t *testing.T) {
	t.Parallel()
	stager, err := pointer.NewStager(filepath.Join(t.TempDir(), "missing", "pointer.json"))
	require.NoError(t, err)
	c, err := New([]transport.Step{{Name: "grpc", Transport: transporttest.NewFake(transporttest.Body(served))}}, stager, "dev")
	require.NoError(t, err)

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeFailed, r.Outcome)
	assert.False(t, r.Staged)
	require.ErrorIs(t, r.Err, os.ErrNotExist)
}

func TestCheckCancelledStagesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, path := newChecker(t, transporttest.Body(served), withFallback(inImage))

	r := c.Check(ctx)

	assert.Equal(t, OutcomeFailed, r.Outcome)
	assert.Equal(t, transport.ReasonCanceled, r.Reason)
	assert.Empty(t, r.Source)
	assert.NoFileExists(t, path)
}

func TestCheckBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newChecker(t, transporttest.Reply{Hang: true}, withFallback(inImage))

		r := c.Check(t.Context())

		assert.Equal(t, OutcomeCustomDataFallback, r.Outcome)
		assert.Equal(t, DefaultTimeout, r.Attempts[0].Duration)
		assert.Equal(t, transport.ReasonDeadline, r.Reason)
	})
}

func TestCheckLeavesRoomForTheFallbackInACallersDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newChecker(t, transporttest.Reply{Hang: true}, withFallback(inImage))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()

		r := c.Check(ctx)

		assert.Equal(t, OutcomeCustomDataFallback, r.Outcome)
		assert.Equal(t, 1500*time.Millisecond, r.Attempts[0].Duration)
	})
}

func TestCheckSharesTheNetworksTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stager, err := pointer.NewStager(filepath.Join(t.TempDir(), "pointer.json"))
		require.NoError(t, err)
		hang := transporttest.NewFake(transporttest.Reply{Hang: true})
		c, err := New([]transport.Step{{Name: "a", Transport: hang}, {Name: "b", Transport: hang}}, stager, "dev")
		require.NoError(t, err)

		r := c.Check(t.Context())

		require.Len(t, r.Attempts, 2)
		assert.Equal(t, DefaultTimeout, r.Attempts[0].Duration+r.Attempts[1].Duration)
		assert.Equal(t, r.Attempts[0].Duration, r.Attempts[1].Duration)
	})
}

func TestCheckBoundsTheNetworkInAll(t *testing.T) {
	t.Parallel()
	for name, timeouts := range map[string][]time.Duration{
		"all given": {3 * time.Second, time.Second}, "less than all": {time.Second, time.Second},
		"one given": {3 * time.Second, 0}, "none given": {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				stager, err := pointer.NewStager(filepath.Join(t.TempDir(), "pointer.json"))
				require.NoError(t, err)
				var steps []transport.Step
				for i, timeout := range timeouts {
					steps = append(steps, transport.Step{Name: string(rune('a' + i)), Timeout: timeout,
						Transport: transporttest.NewFake(transporttest.Reply{Hang: true})})
				}
				c, err := New(steps, stager, "202604.01.0", withFallback(inImage))
				require.NoError(t, err)

				r := c.Check(t.Context())

				assert.Equal(t, OutcomeCustomDataFallback, r.Outcome)
				assert.LessOrEqual(t, r.Duration, DefaultTimeout)
				if timeouts[0] > 0 {
					assert.Equal(t, timeouts[0], r.Attempts[0].Duration)
				}
			})
		})
	}
}

// deaf is a transport that ignores its context until released.
type deaf chan struct{}

func (d deaf) Fetch(context.Context, transport.Request) (transport.Document, error) {
	<-d
	return transport.Document{}, errors.New("released")
}

// hostileError panics when it is looked at, which is after its transport has returned it.
type hostileError struct{}

func (hostileError) Error() string { return "hostile" }
func (hostileError) Unwrap() error { panic("boom") }

func TestCheckSurvivesAnErrorThatPanics(t *testing.T) {
	t.Parallel()
	c, path := newChecker(t, transporttest.Reply{Err: hostileError{}})

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeFailed, r.Outcome)
	assert.ErrorContains(t, r.Err, "panic: boom")
	assert.NoFileExists(t, path)
}

func TestCheckReturnsThoughEverythingHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(deaf)
		defer close(release)
		c, _ := newChecker(t, transporttest.Body(served), WithFallback(release), WithReporter(reporterFunc(
			func(context.Context, Result) error { <-release; return nil })))
		c.steps[0].Transport = release
		began := time.Now()

		r := c.Check(t.Context())

		assert.Equal(t, OutcomeFailed, r.Outcome)
		assert.Equal(t, transport.ReasonDeadline, r.Reason)
		assert.LessOrEqual(t, time.Since(began), DefaultTimeout+1750*time.Millisecond)
		assert.Contains(t, r.Warnings[0], "report: ")
	})
}

type reporterFunc func(context.Context, Result) error

func (f reporterFunc) Report(ctx context.Context, r Result) error { return f(ctx, r) }

func TestCheckReports(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]reporterFunc{
		"error": func(context.Context, Result) error { return errors.New("disk full") },
		"panic": func(context.Context, Result) error { panic("disk full") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Result
			c, _ := newChecker(t, transporttest.Body(served), WithReporter(reporterFunc(func(ctx context.Context, r Result) error {
				got = r
				return report(ctx, r)
			})))

			r := c.Check(t.Context())

			assert.Equal(t, OutcomeLPSRead, r.Outcome, "a report that fails changes nothing")
			assert.Equal(t, OutcomeLPSRead, got.Outcome)
			assert.False(t, got.Start.IsZero())
			require.Len(t, r.Warnings, 1)
			assert.Contains(t, r.Warnings[0], "disk full")
		})
	}
}

// slowHandler is a log handler of a host's that is slow, or panics.
type slowHandler struct {
	slog.Handler
	handle func()
}

func (h slowHandler) Handle(context.Context, slog.Record) error { h.handle(); return nil }

func TestCheckSurvivesItsLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		for _, handle := range []func(){func() { panic("boom") }, func() { <-release }} {
			began := time.Now()
			c, _ := newChecker(t, transporttest.Body(served),
				WithLogger(slog.New(slowHandler{slog.NewTextHandler(io.Discard, nil), handle})))

			r := c.Check(t.Context())

			assert.Equal(t, OutcomeLPSRead, r.Outcome)
			assert.Len(t, r.Warnings, 1)
			assert.LessOrEqual(t, time.Since(began), DefaultTimeout+1750*time.Millisecond)
		}
	})
}

// R3: a signal while the pointer is being staged.
func TestCheckCancelledWhileStaging(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c, path := newChecker(t, transporttest.Reply{})
	c.steps[0].Transport = fetchFunc(func(context.Context, transport.Request) (transport.Document, error) {
		cancel()
		return transport.Document{Component: DefaultComponent, Body: []byte(served), Code: "OK"}, nil
	})

	r := c.Check(ctx)

	assert.Equal(t, OutcomeFailed, r.Outcome)
	assert.Equal(t, transport.ReasonCanceled, r.Reason)
	assert.Empty(t, r.Code)
	assert.NoFileExists(t, path)
}

type fetchFunc func(context.Context, transport.Request) (transport.Document, error)

func (f fetchFunc) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	return f(ctx, req)
}

func TestCheckReportsThoughCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reported := false
	c, _ := newChecker(t, transporttest.Body(served), WithReporter(reporterFunc(func(ctx context.Context, _ Result) error {
		reported = true
		return ctx.Err()
	})))

	assert.Empty(t, c.Check(ctx).Warnings)
	assert.True(t, reported)
}

func TestResultJSON(t *testing.T) {
	t.Parallel()
	r := Result{Outcome: OutcomeLPSRead, Source: "grpc", Staged: true, Changed: true, PointerPath: "/p.json",
		Component: "aksNodeController", CurrentVersion: "202604.01.0", ResolvedVersion: "202604.01.1", WouldUpgrade: true,
		Duration: 23*time.Millisecond + 900*time.Microsecond,
		Attempts: []transport.Attempt{{Step: "grpc", Code: "OK", Duration: 22 * time.Millisecond}}}

	b, err := json.Marshal(r)

	require.NoError(t, err)
	assert.Equal(t, `{"outcome":"lpsRead","source":"grpc","staged":true,"changed":true,"pointer":"/p.json",`+
		`"component":"aksNodeController","current_version":"202604.01.0","resolved_version":"202604.01.1",`+
		`"would_upgrade":true,"duration_ms":23,"attempts":[{"step":"grpc","class":"ok","reason":"","code":"OK",`+
		`"duration_ms":22,"error":""}],"warnings":[],"error":""}`, string(b))

	b, err = json.Marshal(Result{})
	require.NoError(t, err)
	assert.Contains(t, string(b), `"attempts":[],"warnings":[]`)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	stager, err := pointer.NewStager("pointer.json")
	require.NoError(t, err)
	fake := transporttest.NewFake()
	steps := []transport.Step{{Name: "grpc", Transport: fake}}
	for name, build := range map[string]func() (*Checker, error){
		"no steps":     func() (*Checker, error) { return New(nil, stager, "") },
		"no stager":    func() (*Checker, error) { return New(steps, nil, "") },
		"unnamed step": func() (*Checker, error) { return New([]transport.Step{{Transport: fake}}, stager, "") },
		"step of our name": func() (*Checker, error) {
			return New([]transport.Step{{Name: "fallback", Transport: fake}}, stager, "", WithFallback(fake))
		},
		"too much time": func() (*Checker, error) {
			return New([]transport.Step{{Name: "a", Transport: fake, Timeout: 5 * time.Second}}, stager, "")
		},
		"negative time": func() (*Checker, error) {
			return New([]transport.Step{{Name: "a", Transport: fake, Timeout: -1}}, stager, "")
		},
		"no time left": func() (*Checker, error) {
			return New([]transport.Step{{Name: "a", Transport: fake, Timeout: 4 * time.Second}, {Name: "b", Transport: fake}}, stager, "")
		},
		"name of the fallback": func() (*Checker, error) {
			return New([]transport.Step{{Name: "fallback", Transport: fake}}, stager, "")
		},
		"nil fallback": func() (*Checker, error) { return New(steps, stager, "", WithFallback(nil)) },
		"no component": func() (*Checker, error) { return New(steps, stager, "", WithComponent("")) },
		"no time":      func() (*Checker, error) { return New(steps, stager, "", WithTimeout(0)) },
		"nil reporter": func() (*Checker, error) { return New(steps, stager, "", WithReporter(nil)) },
		"nil logger":   func() (*Checker, error) { return New(steps, stager, "", WithLogger(nil)) },
	} {
		_, err := build()
		assert.Error(t, err, name)
	}
}

// The wall clock is set three hours ahead between any two readings: the duration is what the check took, and the
// reporter has its time, no less and no more.
func TestT10ClockJumps(t *testing.T) {
	t.Parallel()
	var left time.Duration
	reporter := reporterFunc(func(ctx context.Context, _ Result) error {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return nil
	})
	c, _ := newChecker(t, transporttest.Body(served), WithReporter(reporter), WithTimeout(time.Minute))
	c.now = clocktest.Jumping(3 * time.Hour)

	r := c.Check(t.Context())

	assert.Equal(t, OutcomeLPSRead, r.Outcome)
	assert.Less(t, r.Duration.Abs(), time.Hour)
	assert.Greater(t, left, reportTime)
	assert.Less(t, left, time.Hour)
}
