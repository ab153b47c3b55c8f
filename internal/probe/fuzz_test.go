package probe

import (
	"encoding/base64"
	"testing"
)

// FuzzDocumentTimes reads the times in any signature: it never panics, and times that it found are times.
func FuzzDocumentTimes(f *testing.F) {
	f.Add([]byte{0x30, 0x80})
	f.Add([]byte("\x30\x0f\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x02\x30\x00"))
	f.Fuzz(func(t *testing.T, der []byte) {
		created, expires, ok := documentTimes(base64.StdEncoding.EncodeToString(der))
		if ok && (created.IsZero() || expires.IsZero()) {
			t.Error("times that are none")
		}
	})
}
