package httpanswer_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/internal/httpanswer"
)

const secret = "MIIKzAYJKoZIhvcNAQcCoIIKvTCCCrkCAQExDzANBgkqhkiG9w0BAQsFADCC"

func TestFirstWords(t *testing.T) {
	t.Parallel()
	words := func(body io.Reader) string {
		return httpanswer.FirstWords(&http.Response{Body: io.NopCloser(body)}, func() {}, secret)
	}
	assert.Equal(t, "<p> no [redacted] </p>", words(strings.NewReader("<p>\n\n no "+secret+"\n</p>")))
	assert.Equal(t, strings.Repeat("A", 120)+"…", words(strings.NewReader(strings.Repeat("A", 1<<20))))
	assert.Empty(t, words(strings.NewReader("")))

	unknown := &http.Response{Body: io.NopCloser(strings.NewReader("no " + secret))}
	assert.Equal(t, "no [redacted]", httpanswer.FirstWords(unknown, func() {}, ""))
}

// A body that does not come is not waited for, and what has come of it is quoted.
func TestFirstWordsThatDoNotCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r, w := io.Pipe()
		go func() {
			_, _ = w.Write([]byte("one moment"))
			time.Sleep(time.Hour)
		}()

		got := httpanswer.FirstWords(&http.Response{Body: r}, func() { r.Close() }, secret)

		assert.Equal(t, "one moment", got)
		assert.Equal(t, 200*time.Millisecond, time.Since(began))
		time.Sleep(time.Hour)
	})
}
