package probe

import (
	"time"

	"github.com/bootpointer/bootpointer/internal/front"
)

// inTime reports whether a check has got the answer in its time for certain. The probe gives every layer what a check has
// for it; a check has one time for all of them. A call that is looked at has connected anew, which counts once. What a
// check does beside waiting for the token counts as if it came after it, so a false is no certainty: see [run.replay].
func (p *run) inTime(layers []Layer, answer *call) bool {
	var metadata, connected time.Duration
	for _, l := range layers {
		switch {
		case l.Name == LayerMetadata:
			metadata = l.Duration
		case l.Name == LayerTLS && l.Transport == answer.Transport:
			connected = l.Duration
		}
	}
	setUp := max(metadata, connected)
	if setUp > front.SetUpTime(p.share) {
		return false
	}
	end := setUp + max(answer.Duration-connected, 0)
	return end <= callEnd(p.share, setUp)
}

// callEnd is when a call has to have ended that began after setUp, in a fetch that has share: see [front.Budget].
func callEnd(share, setUp time.Duration) time.Duration {
	prepared := front.SetUpTime(share)
	return min(share, max(prepared, setUp+share-prepared))
}
