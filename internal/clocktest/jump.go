package clocktest

import (
	"sync"
	"time"
	"unsafe"
)

// secondShift and monotonicBit are the layout of time.Time's first word, as its comment in package time has it: a bit
// that says that there is a monotonic reading, 33 bits of wall seconds, 30 of nanoseconds.
const (
	secondShift  = 30
	monotonicBit = 1 << 63
)

// Jumping returns a clock whose wall time is set forward by step, whole seconds, before every reading but the first.
// Its monotonic readings are those of [time.Now], as on a machine.
func Jumping(step time.Duration) func() time.Time {
	var mu sync.Mutex
	var jumped time.Duration
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := wallAhead(time.Now(), jumped)
		jumped += step
		return now
	}
}

// wallAhead returns t with its wall reading by ahead and its monotonic reading as it was. It panics if t has none.
func wallAhead(t time.Time, by time.Duration) time.Time {
	word := (*uint64)(unsafe.Pointer(&t))
	if *word&monotonicBit == 0 {
		panic("clocktest: no monotonic reading")
	}
	*word += uint64(int64(by/time.Second)) << secondShift
	return t
}
