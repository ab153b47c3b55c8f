package bootpointer

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// Result is what a check did. It marshals to one JSON object whose members are a contract.
type Result struct {
	// Outcome is never empty.
	Outcome Outcome
	// Source is the step whose answer decided the outcome, for example "grpc". It is empty when nobody answered.
	Source string
	// Reason and Code are those of the attempt that failed last, the lack of an embedded pointer aside: why there was
	// no pointer to stage, or why the fallback was used. After success at the first attempt, Reason is empty and Code
	// is the answer's. A pointer that could not be staged has no reason of its own, unless the time was up or the
	// caller gave up; Err says why.
	Reason transport.Reason
	Code   string
	// Staged says that this answer is now in the file, Changed that bytes were written. In a dry run both say what
	// would be.
	Staged, Changed bool
	// PointerPath is the file that is staged to.
	PointerPath string
	// Component is the one asked for.
	Component string
	// CurrentVersion is this node's. ResolvedVersion is what the answer has for its base, or the file if the fallback
	// left a higher one there; it is empty if neither has any.
	CurrentVersion, ResolvedVersion string
	// WouldUpgrade says that ResolvedVersion is a higher patch of the same base.
	WouldUpgrade bool
	// Start is when the check began. Duration is what it took on the monotonic clock, reporting aside, so that it
	// stays right when the clock is set meanwhile.
	Start    time.Time
	Duration time.Duration
	// Attempts has every step that was asked, in order.
	Attempts []transport.Attempt
	// Warnings are entries left out of the answer, and a report that could not be made.
	Warnings []string
	// Err is why the outcome is failed or noHotfixAvailable, and nil otherwise. [transport.ClassOf] gives its class.
	Err error
}

type resultJSON struct {
	Outcome         Outcome       `json:"outcome"`
	Source          string        `json:"source"`
	Staged          bool          `json:"staged"`
	Changed         bool          `json:"changed"`
	Pointer         string        `json:"pointer"`
	Component       string        `json:"component"`
	CurrentVersion  string        `json:"current_version"`
	ResolvedVersion string        `json:"resolved_version"`
	WouldUpgrade    bool          `json:"would_upgrade"`
	DurationMS      int64         `json:"duration_ms"`
	Attempts        []attemptJSON `json:"attempts"`
	Warnings        []string      `json:"warnings"`
	Error           string        `json:"error"`
}

type attemptJSON struct {
	Step       string           `json:"step"`
	Class      string           `json:"class"`
	Reason     transport.Reason `json:"reason"`
	Code       string           `json:"code"`
	DurationMS int64            `json:"duration_ms"`
	Error      string           `json:"error"`
}

// MarshalJSON returns the result as check-hotfix prints it: members in snake_case, durations in whole milliseconds,
// errors as text, lists never null.
func (r Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		Outcome: r.Outcome, Source: r.Source, Staged: r.Staged, Changed: r.Changed, Pointer: r.PointerPath,
		Component: r.Component, CurrentVersion: r.CurrentVersion, ResolvedVersion: r.ResolvedVersion,
		WouldUpgrade: r.WouldUpgrade, DurationMS: r.Duration.Milliseconds(),
		Attempts: []attemptJSON{}, Warnings: append([]string{}, r.Warnings...), Error: errorText(r.Err),
	}
	for _, a := range r.Attempts {
		out.Attempts = append(out.Attempts, attemptJSON{Step: a.Step, Class: a.Class.String(), Reason: a.Reason,
			Code: a.Code, DurationMS: a.Duration.Milliseconds(), Error: errorText(a.Err)})
	}
	return json.Marshal(out)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// addAttempts takes over what the chain went through.
func (r *Result) addAttempts(attempts []transport.Attempt) {
	r.Attempts = attempts
	for i, a := range attempts {
		// Neither the fallback's success nor the lack of one explains why it was asked.
		if i > 0 && (a.Class == 0 || a.Reason == transport.ReasonNoPointer) {
			continue
		}
		r.Reason, r.Code = a.Reason, a.Code
	}
}

// Cause says on one line why the outcome is no plain success: the error, or what went before the fallback. It is empty
// for an answer at the first attempt.
func (r Result) Cause() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	var failed []string
	for _, a := range r.Attempts {
		if a.Err != nil {
			failed = append(failed, a.Step+": "+a.Err.Error())
		}
	}
	return strings.Join(failed, "; ")
}

// answeredBy returns the step of the last attempt if it got an answer.
func answeredBy(attempts []transport.Attempt) string {
	if len(attempts) == 0 {
		return ""
	}
	last := attempts[len(attempts)-1]
	if last.Class == transport.FallbackEligible || last.Reason == transport.ReasonCanceled {
		return ""
	}
	return last.Step
}
