package transport_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

var request = transport.Request{Component: "aksNodeController"}

func step(name string, timeout time.Duration, replies ...transporttest.Reply) transport.Step {
	return transport.Step{Name: name, Timeout: timeout, Transport: transporttest.NewFake(replies...)}
}

func resolver(t testing.TB, steps ...transport.Step) *transport.Resolver {
	t.Helper()
	r, err := transport.NewResolver(steps...)
	require.NoError(t, err)
	return r
}

func asked(s transport.Step) int { return len(s.Transport.(*transporttest.Fake).Requests()) }

func TestResolveFollowsTheClass(t *testing.T) {
	t.Parallel()
	ok := transporttest.Body("pointer")
	eligible := transporttest.Failure(transport.FallbackEligible, transport.ReasonConnect)
	benign := transporttest.Failure(transport.Benign, transport.ReasonStatus)
	authoritative := transporttest.Failure(transport.Authoritative, transport.ReasonMalformed)
	unclassified := transporttest.Reply{Err: io.ErrUnexpectedEOF}
	for name, tc := range map[string]struct {
		replies  []transporttest.Reply
		class    transport.Class
		attempts int
		from     string
	}{
		"first answers":           {[]transporttest.Reply{ok, ok}, 0, 1, "a"},
		"second answers":          {[]transporttest.Reply{eligible, ok}, 0, 2, "b"},
		"unclassified falls back": {[]transporttest.Reply{unclassified, ok}, 0, 2, "b"},
		"typed nil falls back":    {[]transporttest.Reply{{Err: (*transport.Error)(nil)}, ok}, 0, 2, "b"},
		"panic falls back":        {[]transporttest.Reply{{Panic: "boom"}, ok}, 0, 2, "b"},
		"benign ends":             {[]transporttest.Reply{benign, ok}, transport.Benign, 1, ""},
		"authoritative ends":      {[]transporttest.Reply{authoritative, ok}, transport.Authoritative, 1, ""},
		"benign after a fallback": {[]transporttest.Reply{eligible, benign}, transport.Benign, 2, ""},
		"all fail":                {[]transporttest.Reply{eligible, eligible}, transport.FallbackEligible, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver(t, step("a", time.Second, tc.replies[0]), step("b", 0, tc.replies[1]))

			res, err := r.Resolve(t.Context(), request)

			assert.Equal(t, tc.class, transport.ClassOf(err))
			assert.Len(t, res.Attempts, tc.attempts)
			assert.Equal(t, tc.from, res.Step)
			assert.Equal(t, tc.class, res.Attempts[len(res.Attempts)-1].Class)
		})
	}
}

func TestResolveErrorHasEveryAttemptOnOneLine(t *testing.T) {
	t.Parallel()
	first, second := errors.New("first\nline two"), &transport.Error{Class: transport.FallbackEligible,
		Reason: transport.ReasonNoPointer, Err: io.EOF}
	r := resolver(t, step("grpc", time.Second, transporttest.Reply{Err: first}),
		step("fallback", 0, transporttest.Reply{Err: second}))

	_, err := r.Resolve(t.Context(), request)

	chain, ok := err.(*multierror.Error)
	require.True(t, ok, "%T", err)
	assert.Len(t, chain.Errors, 2)
	require.ErrorIs(t, err, first)
	require.ErrorIs(t, err, io.EOF)
	e, ok := errors.AsType[*transport.Error](err)
	require.True(t, ok)
	assert.Same(t, second, e)
	assert.Equal(t, "grpc: first line two; fallback: no-pointer: EOF", err.Error())
}

func TestResolveCancelledStartsNothing(t *testing.T) {
	t.Parallel()
	s := step("grpc", time.Second, transporttest.Body("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	res, err := resolver(t, s).Resolve(ctx, request)

	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, transport.ReasonCanceled, res.Attempts[0].Reason)
	assert.Zero(t, asked(s))
}

func TestResolveCancelledMeanwhileDoesNotFallBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := step("grpc", time.Minute, transporttest.Reply{Hang: true})
		fallback := step("fallback", 0, transporttest.Body("x"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)

		_, err := resolver(t, hang, fallback).Resolve(ctx, request)

		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, transport.Authoritative, transport.ClassOf(err))
		assert.Zero(t, asked(fallback))
	})
}

func TestResolveUnclassifiedCancellationDoesNotFallBack(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	first := transport.Step{Name: "a", Transport: transportFunc(func(context.Context, transport.Request) (transport.Document, error) {
		cancel()
		return transport.Document{}, ctx.Err()
	})}
	fallback := step("fallback", 0, transporttest.Body("x"))

	res, err := resolver(t, first, fallback).Resolve(ctx, request)

	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, transport.ReasonCanceled, res.Attempts[0].Reason)
	assert.Zero(t, asked(fallback))
}

func TestResolveStepTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := resolver(t,
			step("quick", 3*time.Second, transporttest.Reply{Delay: time.Second, Err: io.EOF}),
			step("hangs", 2*time.Second, transporttest.Reply{Hang: true}),
			step("fallback", 0, transporttest.Reply{Delay: 10 * time.Second, Err: io.EOF}),
			step("last", time.Second, transporttest.Reply{Hang: true}))

		res, _ := r.Resolve(t.Context(), request)

		require.Len(t, res.Attempts, 4)
		assert.Equal(t, time.Second, res.Attempts[0].Duration)
		assert.Equal(t, 4*time.Second, res.Attempts[1].Duration, "its own 2 s and what the first left over")
		assert.Equal(t, transport.ReasonDeadline, res.Attempts[1].Reason)
		assert.Equal(t, 10*time.Second, res.Attempts[2].Duration, "no limit")
		assert.Equal(t, time.Second, res.Attempts[3].Duration, "what a step without a limit takes is not counted")
	})
}

func TestResolveAbandonsATransportThatIgnoresItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		deaf := transport.Step{Name: "deaf", Timeout: time.Second, Transport: transportFunc(
			func(context.Context, transport.Request) (transport.Document, error) {
				<-release
				return transport.Document{}, nil
			})}
		r := resolver(t, deaf, step("fallback", 0, transporttest.Body("x")))

		res, err := r.Resolve(t.Context(), request)

		require.NoError(t, err)
		assert.Equal(t, "fallback", res.Step)
		assert.Equal(t, 1100*time.Millisecond, res.Attempts[0].Duration)
		assert.Equal(t, transport.ReasonDeadline, res.Attempts[0].Reason)
	})
}

func TestResolveEnforcesTheContract(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]transport.Document{
		"too large":       {Body: make([]byte, transport.MaxDocumentSize+1)},
		"other component": {Component: "localDNS", Body: []byte("x")},
	} {
		r := resolver(t, step("a", 0, transporttest.Reply{Document: doc}), step("b", 0, transporttest.Body("x")))

		res, err := r.Resolve(t.Context(), request)

		assert.Equal(t, transport.Authoritative, transport.ClassOf(err), name)
		assert.Equal(t, transport.ReasonMalformed, res.Attempts[0].Reason, name)
		assert.Zero(t, res.Document, name)
	}
}

func TestResolveAccept(t *testing.T) {
	t.Parallel()
	refusal := &transport.Error{Class: transport.FallbackEligible, Reason: transport.ReasonMalformed}
	r := resolver(t,
		step("a", 0, transporttest.Reply{Document: transport.Document{Body: []byte("bad"), Code: "OK"}}),
		step("b", 0, transporttest.Body("good")))
	var steps []string

	res, err := r.Resolve(t.Context(), request, transport.WithAccept(func(step string, doc transport.Document) error {
		steps = append(steps, step)
		if string(doc.Body) == "bad" {
			return refusal
		}
		return nil
	}))

	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, steps)
	assert.Equal(t, "good", string(res.Document.Body))
	assert.Equal(t, "OK", res.Attempts[0].Code, "the code is the answer's")
	assert.Equal(t, transport.ReasonMalformed, res.Attempts[0].Reason)
}

func TestNewResolverRefuses(t *testing.T) {
	t.Parallel()
	fake := transporttest.NewFake()
	for name, steps := range map[string][]transport.Step{
		"no steps":         nil,
		"no name":          {{Transport: fake}},
		"no transport":     {{Name: "a"}},
		"negative timeout": {{Name: "a", Transport: fake, Timeout: -1}},
		"same name":        {{Name: "a", Transport: fake}, {Name: "a", Transport: fake}},
	} {
		_, err := transport.NewResolver(steps...)
		assert.Error(t, err, name)
		assert.False(t, strings.Contains(err.Error(), "\n"), name)
	}
}

type transportFunc func(context.Context, transport.Request) (transport.Document, error)

func (f transportFunc) Fetch(ctx context.Context, req transport.Request) (transport.Document, error) {
	return f(ctx, req)
}
