package token_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/internal/token"
)

func TestHeaderValueAccepts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A", token.MaxSize)
	for name, tt := range map[string]struct{ raw, want string }{
		"base64":              {"MIIK+/zZ09==", "MIIK+/zZ09=="},
		"one byte":            {"x", "x"},
		"edges of the range":  {"!~", "!~"},
		"I6 trailing newline": {"MII=\n", "MII="},
		"trailing CRLF":       {"MII=\r\n", "MII="},
		"several":             {"MII=\n\r\n\n", "MII="},
		"largest":             {long + "\n", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := token.HeaderValue([]byte(tt.raw))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestHeaderValueRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ raw, says string }{
		"nothing":          {"", "empty"},
		"newlines only":    {"\n\r\n", "empty"},
		"too long":         {"SECRET" + strings.Repeat("A", token.MaxSize-5), "65537 bytes"},
		"I6 newline":       {"SECRET\nSECRET", "byte 7 of 13"},
		"leading newline":  {"\nSECRET", "byte 1 of 7"},
		"lone CR":          {"SECRET\r", "byte 7 of 7"},
		"CR before CRLF":   {"SECRET\r\r\n", "byte 7 of 7"},
		"blank":            {"SECRET SECRET", "byte 7"},
		"blank at the end": {"SECRET ", "byte 7"},
		"tab":              {"SECRET\tSECRET", "byte 7"},
		"NUL":              {"SECRET\x00", "byte 7"},
		"DEL":              {"SECRET\x7f", "byte 7"},
		"UTF-8":            {"SECRETé", "byte 7"},
		"byte order mark":  {"\ufeffSECRET", "byte 1"},
		"not UTF-8":        {"SECRET\xff", "byte 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := token.HeaderValue([]byte(tt.raw))
			require.ErrorContains(t, err, tt.says)
			assert.Empty(t, got)
			assert.NotContains(t, err.Error(), "SECRET")
		})
	}
}
