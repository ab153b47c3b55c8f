package promises

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
	"github.com/bootpointer/bootpointer/transport"
)

// searchTexts returns what the rows of a table in docs/operations.md have people search for.
func searchTexts(t *testing.T, heading string) []string {
	t.Helper()
	var texts []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+[=:][^`]*)` \\|").FindAllStringSubmatch(section(t, "docs/operations.md", heading), -1) {
		texts = append(texts, m[1])
	}
	return texts
}

// Every outcome and every reason has a row, and its search text finds the event.
func TestOperationsHasARowForEveryOutcomeAndReason(t *testing.T) {
	t.Parallel()
	var outcomes, reasons []string
	for _, outcome := range constants(t, ".Outcome") {
		text := "outcome=" + outcome + " "
		outcomes = append(outcomes, text)
		assert.Contains(t, guestagent.EventOf(bootpointer.Result{Outcome: bootpointer.Outcome(outcome)}).Message, text)
	}
	for _, value := range constants(t, "/transport.Reason") {
		reason := transport.Reason(value)
		text := "reason=" + value + " "
		r := bootpointer.Result{Reason: reason}
		if reason == transport.ReasonNoPointer { // it stands beside the reason why the fallback was asked
			text = value + ": "
			r.Err = &transport.Error{Reason: reason, Err: errors.New("none is embedded")}
		}
		reasons = append(reasons, text)
		assert.Contains(t, guestagent.EventOf(r).Message, text)
	}
	assert.ElementsMatch(t, outcomes, searchTexts(t, "## Outcomes"))
	assert.ElementsMatch(t, reasons, searchTexts(t, "## Reasons"))
}
