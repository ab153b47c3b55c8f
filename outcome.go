package bootpointer

// Outcome is what a check came to, in one stable word.
type Outcome string

const (
	// OutcomeLPSRead: a network transport answered, and an entry matches this node's base. Staged.
	OutcomeLPSRead Outcome = "lpsRead"
	// OutcomeNoHotfixForBase: a network transport answered, without an entry for this node's base. Staged.
	OutcomeNoHotfixForBase Outcome = "noHotfixForBase"
	// OutcomeNoHotfixAvailable: nothing is published for this node. Not staged.
	OutcomeNoHotfixAvailable Outcome = "noHotfixAvailable"
	// OutcomeCustomDataFallback: nobody answered, and the embedded pointer was used. Staged.
	OutcomeCustomDataFallback Outcome = "customDataFallback"
	// OutcomeFailed: anything else. Not staged.
	OutcomeFailed Outcome = "failed"
)
