package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/transport"
)

func TestClassOf(t *testing.T) {
	t.Parallel()
	benign := &transport.Error{Class: transport.Benign}
	eligible := &transport.Error{Class: transport.FallbackEligible}
	for name, tc := range map[string]struct {
		err  error
		want transport.Class
	}{
		"nil":                     {nil, 0},
		"unclassified":            {io.EOF, transport.FallbackEligible},
		"classified":              {benign, transport.Benign},
		"wrapped":                 {fmt.Errorf("step: %w", benign), transport.Benign},
		"no class":                {&transport.Error{}, transport.FallbackEligible},
		"class out of range":      {&transport.Error{Class: 9}, transport.FallbackEligible},
		"chain: the last decides": {multierror.Append(nil, eligible, benign), transport.Benign},
		"chain as a cause":        {&transport.Error{Class: transport.Benign, Err: multierror.Append(nil, eligible)}, transport.Benign},
		"joined":                  {errors.Join(io.EOF, benign), transport.Benign},
		"typed nil":               {(*transport.Error)(nil), transport.FallbackEligible},
		"empty chain":             {&multierror.Error{}, transport.FallbackEligible},
		"wrapped chain":           {fmt.Errorf("x: %w", multierror.Append(nil, eligible, eligible)), transport.FallbackEligible},
	} {
		assert.Equal(t, tc.want, transport.ClassOf(tc.err), name)
	}
}

func TestClassString(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "ok", transport.Class(0).String())
	assert.Equal(t, "fallback", transport.FallbackEligible.String())
	assert.Equal(t, "benign", transport.Benign.String())
	assert.Equal(t, "authoritative", transport.Authoritative.String())
}

func TestErrorIsOneLine(t *testing.T) {
	t.Parallel()
	err := &transport.Error{Class: transport.Benign, Reason: transport.ReasonStatus, Op: "call", Code: "NotFound",
		Err: errors.Join(errors.New("a\r\nb"), io.EOF)}
	assert.Equal(t, "call: status NotFound: a  b EOF", err.Error())
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "dns", (&transport.Error{Reason: transport.ReasonDNS}).Error())
}

func TestContextError(t *testing.T) {
	t.Parallel()
	assert.NoError(t, transport.ContextError(t.Context(), "op"))

	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("SIGTERM"))
	err := transport.ContextError(cancelled, "op")
	assert.Equal(t, transport.Authoritative, transport.ClassOf(err))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "SIGTERM")

	expired, cancelExpired := context.WithTimeout(t.Context(), 0)
	defer cancelExpired()
	err = transport.ContextError(expired, "op")
	assert.Equal(t, transport.FallbackEligible, transport.ClassOf(err))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
