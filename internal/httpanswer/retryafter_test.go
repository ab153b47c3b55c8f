package httpanswer_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/internal/httpanswer"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, tt := range map[string]struct {
		value, date string
		want        time.Duration
	}{
		"none":                  {"", "", 0},
		"seconds":               {"2", "", 2 * time.Second},
		"now":                   {"0", "", 0},
		"negative":              {"-1", "", 0},
		"no number":             {"soon", "", 0},
		"fraction":              {"1.5", "", 0},
		"a week":                {"604800", "", day},
		"beyond 64 bits":        {"99999999999999999999", "", day},
		"date":                  {"Sat, 01 Jan 2000 00:00:02 GMT", "", 2 * time.Second}, // a bubble begins at midnight
		"date that is over":     {"Fri, 31 Dec 1999 00:00:00 GMT", "", 0},
		"date far away":         {"Fri, 31 Dec 2999 23:59:59 GMT", "", day},
		"date, two clocks":      {"Fri, 31 Dec 1999 19:00:02 GMT", "Fri, 31 Dec 1999 19:00:00 GMT", 2 * time.Second},
		"date, no clock at all": {"Sat, 01 Jan 2000 00:00:02 GMT", "today", 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := http.Header{"Retry-After": {tt.value}, "Date": {tt.date}}
				assert.Equal(t, tt.want, httpanswer.RetryAfter(h))
			})
		})
	}
}
