package probe

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/bootpointer/bootpointer/internal/front"
	"github.com/bootpointer/bootpointer/transport"
)

// uncertain reports whether only a whole check can tell what a check would come to: the time of all layers together is
// short, or what one transport leaves of its time could help another.
func (p *run) uncertain(layers []Layer, calls []call, answer *call) bool {
	if answer == nil {
		called := false
		for _, c := range calls {
			called = called || c.Status != Skipped
		}
		return called && len(calls) > 1
	}
	return answer.Status != Failed && !p.inTime(layers, answer)
}

// replay has a whole check done in a dry run, over all transports and in the time of a check. Its tokens come as late as
// they did to the probe, which already has them. The answer is nil if it got none.
func (p *run) replay(ctx context.Context, metadata time.Duration) *call {
	tokens := lateToken{p.secret, metadata}
	var steps []transport.Step
	bodies := make(map[string]*[]byte) // one for each: a transport that is left behind may still write to it
	for _, t := range p.Transports {
		tr, err := t.New(p.endpoint, tokens)
		if err != nil {
			return nil
		}
		if closer, ok := tr.(io.Closer); ok {
			defer closer.Close()
		}
		bodies[t.Name] = new([]byte)
		steps = append(steps, transport.Step{Name: t.Name, Transport: recorder{tr, bodies[t.Name]}})
	}
	result, err := p.check(ctx, p.Timeout, steps...)
	if err != nil || len(result.Attempts) == 0 {
		return nil
	}
	last := result.Attempts[len(result.Attempts)-1]
	if last.Class == transport.FallbackEligible {
		return nil
	}
	c := &call{Layer: p.begin(LayerCall, last.Step), result: result}
	if c.judge(last); last.Err == nil {
		c.body = *bodies[last.Step]
	}
	return c
}

// tooLate says which transports that answered by themselves were given up in the check that came to answer.
func tooLate(calls []call, answer *call) (also []string) {
	for _, a := range answer.result.Attempts {
		for _, c := range calls {
			if a.Err != nil && c.Transport == a.Step && c.Transport != answer.Transport && c.Status != Failed {
				also = append(also, fmt.Sprintf("A check has no time to wait for the answer over %s, and gets it over %s.", a.Step, answer.Transport))
			}
		}
	}
	return also
}

// lateToken is a source whose answer takes time.
type lateToken struct {
	token string
	time  time.Duration
}

// Token waits and returns the token.
func (l lateToken) Token(ctx context.Context) (string, error) {
	late := time.NewTimer(l.time)
	defer late.Stop()
	select {
	case <-late.C:
		return l.token, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// metadataTime is what a check has for the token at most: the last of n transports has what the ones before it left over,
// where they did not get one.
func metadataTime(share time.Duration, n int) time.Duration {
	var begin, limit time.Duration
	for i := range n {
		limit = front.SetUpTime(time.Duration(i+1)*share - begin)
		begin += limit
	}
	return limit
}
