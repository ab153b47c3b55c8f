package token_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/bootpointer/bootpointer/internal/token"
)

// sample is a piece of base64 with every character that some encoding escapes.
const sample = "MIIK5AYJKoZIhvcN+AQcCoIIK1TCC/CtECAQExDzANBgkqhkiG==9w0BAQsFADCCAm0GCSqGSIb3DQEHAaCCAl4EggJaeyJub25jZSI6Ij"

func TestRedact(t *testing.T) {
	t.Parallel()
	inJSON, _ := json.Marshal(sample)
	percent := url.QueryEscape(sample)
	for name, tt := range map[string]struct{ text, want string }{
		"nothing to hide":      {"node is not allowed", "node is not allowed"},
		"empty text":           {"", ""},
		"whole":                {"bad token " + sample + "!", "bad token [redacted]!"},
		"alone":                {sample, "[redacted]"},
		"twice":                {sample + " " + sample, "[redacted] [redacted]"},
		"back to back":         {sample + sample, "[redacted]"},
		"cut at the end":       {"bad " + sample[:40], "bad [redacted]"},
		"cut at the beginning": {sample[60:] + " is bad", "[redacted] is bad"},
		"from the middle":      {"…" + sample[30:46] + "…", "…[redacted]…"},
		"shorter than a run":   {"bad " + sample[:15] + "…", "bad " + sample[:15] + "…"},
		"elided":               {sample[:20] + "..." + sample[80:], "[redacted]...[redacted]"},
		"wrapped":              {sample[:64] + "\n" + sample[64:], "[redacted]\n[redacted]"},
		"with %q":              {fmt.Sprintf("token %q", sample), `token "[redacted]"`},
		"quoted twice":         {fmt.Sprintf("%q", fmt.Sprintf("%q", sample)), `"\"[redacted]\""`},
		"percent-encoded":      {"?token=" + percent, "?token=[redacted]"},
		"percent, lower case":  {strings.ReplaceAll(percent, "%2B", "%2b"), "[redacted]"},
		"percent, twice":       {url.QueryEscape(percent), "[redacted]"},
		"percent, thrice":      {url.QueryEscape(url.QueryEscape(percent)), "[redacted]"},
		"percent, amid others": {"a%2520b " + url.QueryEscape(percent) + " c%2520d", "a%2520b [redacted] c%2520d"},
		"percent, cut":         {percent[:60], "[redacted]"},
		"every byte percent":   {percentAll(sample), "[redacted]"},
		"JSON":                 {string(inJSON), `"[redacted]"`},
		"JSON, slash":          {strings.ReplaceAll(sample, "/", `\/`), "[redacted]"},
		"JSON, unicode":        {strings.NewReplacer("+", `\u002b`, "=", `\u003D`).Replace(sample), "[redacted]"},
		"backslash x":          {strings.ReplaceAll(sample, "+", `\x2b`), "[redacted]"},
		"HTML":                 {html.EscapeString(strings.ReplaceAll(sample, "+", "<")), html.EscapeString("[redacted]<[redacted]")},
		"HTML, decimal":        {strings.ReplaceAll(sample, "+", "&#43;"), "[redacted]"},
		"HTML, hexadecimal":    {strings.ReplaceAll(sample, "/", "&#x2F;"), "[redacted]"},
		"HTML, named":          {strings.NewReplacer("+", "&plus;", "/", "&sol;", "=", "&equals;").Replace(sample), "[redacted]"},
		"escapes elsewhere":    {`100% &amp; \n %zz %` + sample, `100% &amp; \n %zz %[redacted]`},
		"escape cut off":       {sample + `%2`, `[redacted]%2`},
		"backslash at the end": {sample + `\`, `[redacted]\`},
		"not UTF-8":            {"\xff\xfe" + sample + "\xff", "\xff\xfe[redacted]\xff"},
		"beside wide letters":  {"日本" + sample + "語", "日本[redacted]語"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, token.Redact(tt.text, sample))
		})
	}
}

func TestRedactUnknown(t *testing.T) {
	t.Parallel()
	const signature = "MIIL4vApYDqri+UbUtYGd9/x7Kq=="
	for text, want := range map[string]string{
		"":                                       "",
		"Required metadata header not specified": "Required metadata header not specified",
		`{"error":"cannot serve ` + signature + `"}`:       `{"error":"cannot serve [redacted]"}`,
		strings.ReplaceAll(signature, "/", `\/`):           "[redacted]",
		url.QueryEscape(signature) + " " + signature[:16]:  "[redacted] [redacted]",
		"only " + signature[:15] + " of it":                "only " + signature[:15] + " of it",
		"at http://169.254.169.254/metadata/instance gone": "at http://169.254.169.[redacted] gone",
	} {
		assert.Equal(t, want, token.RedactUnknown(text), text)
	}
}

func TestEchoed(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat(sample, 3)
	for _, padding := range []string{"", strings.Repeat("padding ", 400)} {
		for name, tc := range map[string]struct {
			text string
			want bool
		}{
			"whole":    {"x" + secret + "y", true},
			"a part":   {`{"` + secret[5:21] + `":1}`, true},
			"escaped":  {percentAll(secret), true},
			"too few":  {secret[5:20], false},
			"pointer":  {`{"hotfixes":{"202604.01":"202604.01.1"}}`, false},
			"no bytes": {"", false},
		} {
			assert.Equal(t, tc.want, token.Echoed(padding+tc.text, secret), name)
		}
	}
	assert.False(t, token.Echoed("token", "token"), "too short to be one")
}

func TestRedactShortToken(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "no [redacted] here", token.Redact("no s3cret here", "s3cret"))
	assert.Equal(t, "no s3cre here", token.Redact("no s3cre here", "s3cret"), "a part of a short token is no run")
	assert.Equal(t, "as it is", token.Redact("as it is", ""))
}

func TestRedactTokenThatLooksEscaped(t *testing.T) {
	t.Parallel()
	escaped := url.QueryEscape(sample)
	assert.Equal(t, "got [redacted]", token.Redact("got "+escaped, escaped))
}

func TestRedactIsQuick(t *testing.T) {
	t.Parallel()
	raw := make([]byte, 9<<10)
	_, _ = rand.Read(raw)
	tok := base64.StdEncoding.EncodeToString(raw)
	for name, text := range map[string]string{
		"echoes":   strings.Repeat(url.QueryEscape(tok)+"\n", 20),
		"near":     strings.Repeat(tok[:15]+"\n", 16<<10),
		"escapes":  strings.Repeat("%25", 64<<10),
		"entities": strings.Repeat("&", 256<<10),
	} {
		began := time.Now()
		got := token.Redact(text, tok)
		assert.Less(t, time.Since(began), 5*time.Second, name)
		assert.NotContains(t, got, tok[:16], name)
	}
}

func percentAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

// FuzzRedact checks that no run of the token is left, whatever surrounds it, and that text without it is untouched.
func FuzzRedact(f *testing.F) {
	f.Add("bad token ", sample, " sent", 0, len(sample))
	f.Add("%", sample, "%2", 10, 40)
	f.Add(`\`, sample, `"`, 0, 15)
	f.Add("&#x2", "aaaaaaaaaaaaaaaaaaaa", "&", 3, 20)
	f.Add("", "\xff\x00", "\xff", 0, 1)
	f.Fuzz(func(t *testing.T, before, tok, after string, from, to int) {
		from = min(max(from, 0), len(tok))
		to = min(max(to, from), len(tok))
		text := before + tok[from:to] + after
		got := token.Redact(text, tok)
		size := min(16, len(tok))
		if size == 0 {
			assert.Equal(t, text, got)
			return
		}
		for _, rest := range strings.Split(got, "[redacted]") {
			for i := 0; i+size <= len(tok); i++ {
				assert.NotContains(t, rest, tok[i:i+size])
			}
		}
		if got == text {
			assert.Less(t, to-from, size)
		}
	})
}
