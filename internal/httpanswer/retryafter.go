package httpanswer

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// farOff stands for a Retry-After beyond every budget.
const farOff = 24 * time.Hour

// RetryAfter returns the wait that the header asks for, 24 h at most, and 0 if it asks for none. A date is taken relative
// to the date of the answer: the clock of a booting node may be hours off.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(farOff/time.Second))) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), farOff)
}
