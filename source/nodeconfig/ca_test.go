package nodeconfig

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newCA returns the PEM text of a new certificate authority.
func newCA(t testing.TB, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// wrapped breaks text into lines of 64 characters.
func wrapped(text, lineBreak string) string {
	var b strings.Builder
	for ; len(text) > 64; text = text[64:] {
		b.WriteString(text[:64] + lineBreak)
	}
	return b.String() + text + lineBreak
}

func TestC3ParseCAs(t *testing.T) {
	t.Parallel()
	first, second := newCA(t, "cluster-ca"), newCA(t, "cluster-ca")
	both := first + second
	key := "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"
	notDER := "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	notBase64 := "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n"
	withHeaders := strings.Replace(first, "-----\n", "-----\nX-Source: lab\nX-Rotation: 2\n\n", 1)
	noEnd := first[:len(first)/2] + "\n"
	// A length that is no multiple of three is padded.
	padded := first + "\n"
	for len(padded)%3 != 1 {
		padded += "\n"
	}
	require.True(t, strings.HasSuffix(encode(padded), "=="))

	tests := map[string]struct {
		bundle string
		want   string // the certificates as PEM text
	}{
		"base64":                           {encode(first), first},
		"base64 of two, same subject":      {encode(both), both},
		"base64 with line breaks":          {wrapped(encode(first), "\n"), first},
		"base64 with CRLF and indentation": {"  " + wrapped(encode(first), "\r\n\t  "), first},
		"base64 with padding":              {encode(padded), first},
		"base64 with padding missing":      {strings.TrimRight(encode(padded), "="), first},
		"base64 with half the padding":     {strings.TrimSuffix(encode(padded), "="), first},
		"base64 in the URL alphabet":       {base64.URLEncoding.EncodeToString([]byte("~~~???\n" + first)), first},
		"base64 of CRLF":                   {encode(strings.ReplaceAll(both, "\n", "\r\n")), both},
		"PEM":                              {first, first},
		"PEM with byte order mark":         {"\ufeff" + first, first},
		"PEM with CRLF":                    {strings.ReplaceAll(both, "\n", "\r\n"), both},
		"PEM with headers in a block":      {withHeaders + second, first + second},
		"PEM with text between blocks":     {"# one\n" + first + "subject=CN = lab\n\n" + second + "end\n", both},
		"PEM without a final line break":   {strings.TrimSpace(first), first},
		"the same certificate twice":       {first + first, first + first},
		"a key between":                    {first + key + second, both},
		"broken DER among good ones":       {first + notDER + second, both},
		"broken base64 among good ones":    {notBase64 + first + notBase64 + second, both},
		"a block without an end in front":  {noEnd + first, first},
		"a block without an end at last":   {first + noEnd, first},
	}
	require.NotEqual(t, base64.StdEncoding.EncodeToString([]byte("~~~???\n"+first)), base64.URLEncoding.EncodeToString([]byte("~~~???\n"+first)))
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certs, err := ParseCAs([]byte(tt.bundle))
			require.NoError(t, err)
			var got bytes.Buffer
			for _, c := range certs {
				require.NoError(t, pem.Encode(&got, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
			}
			assert.Equal(t, tt.want, got.String())
		})
	}
}

func TestC3ParseCAsNothingUsable(t *testing.T) {
	t.Parallel()
	good := newCA(t, "cluster-ca")
	block := func(body string) string {
		return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n"
	}
	tests := map[string]struct{ bundle, want string }{
		"nothing":                {"", "is empty"},
		"blanks":                 {" \r\n\t", "is empty"},
		"padding":                {"====", "is empty"},
		"neither PEM nor base64": {"not a bundle at all!", "neither PEM nor base64 of it"},
		"base64 cut off":         {encode(good)[:401], "neither PEM nor base64 of it"},
		"base64 of something":    {encode("something else"), "no certificate in it"},
		"a key only":             {"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no certificate in it"},
		"broken base64":          {block("????") + block("AAAA"), "none of 2 certificates is usable, the first: not a whole PEM block"},
		"broken DER":             {block("AAAA") + block("????"), "none of 2 certificates is usable, the first: x509: malformed certificate"},
		"no end":                 {good[:200], "none of 1 certificates is usable, the first: not a whole PEM block"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certs, err := ParseCAs([]byte(tt.bundle))
			require.EqualError(t, err, tt.want)
			assert.Empty(t, certs)
		})
	}
}

// A certificate whose parse error quotes it, as that of a name that is no URI does, is not quoted by ours.
func TestC3ParseCAsQuotesNothing(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	uri := []byte("https://s3cr3t host/%zz")
	san := append([]byte{0x30, byte(len(uri) + 2), 0x86, byte(len(uri))}, uri...)
	template := &x509.Certificate{
		SerialNumber:    big.NewInt(1),
		ExtraExtensions: []pkix.Extension{{Id: []int{2, 5, 29, 17}, Value: san}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err == nil {
		_, err = x509.ParseCertificate(der)
	}
	require.ErrorContains(t, err, "s3cr3t")
	require.NotNil(t, der)

	_, err = ParseCAs(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	require.ErrorContains(t, err, "none of 1 certificates is usable, the first: x509: cannot parse URI")
	assert.NotContains(t, err.Error(), "s3cr3t")
}
