package imds_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bootpointer/bootpointer/source/imds"
)

func TestSignature(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"encoding":"pkcs7","signature":"MIIK+/w=="}`:           "MIIK+/w==",
		` {"signature" : "MIIK\u002b\/w==\n" , "new":[{"a":1}]}`: "MIIK+/w==",
		`{"signature":"a"}`: "a",
	} {
		got, err := imds.ParseSignature([]byte(body))
		require.NoError(t, err, body)
		assert.Equal(t, want, got)
	}
}

func TestI5Signature(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		``:                               "not JSON",
		`{"signature":"SECRET`:           "not JSON",
		`{"signature":"SECRET"`:          "not JSON",
		`{"signature":"SECRET"}}`:        "not JSON",
		`{"signature":"SECRET"}{}`:       "not JSON",
		"\ufeff" + `{"signature":"S"}`:   "not JSON",
		`null`:                           "no signature",
		`[]`:                             "not a JSON object",
		`"SECRET"`:                       "not a JSON object",
		`31337`:                          "not a JSON object",
		`{}`:                             "no signature",
		`{"Signature":"SECRET"}`:         "no signature",
		`{"signature":null}`:             "empty",
		`{"signature":""}`:               "empty",
		`{"signature":"\n"}`:             "empty",
		`{"signature":31337}`:            "not a JSON string",
		`{"signature":["SECRET"]}`:       "not a JSON string",
		`{"signature":"SECRET\nSECRET"}`: "byte 7 of 13",
		`{"signature":"SECRET\u0000"}`:   "byte 7 of 7",
		"{\"signature\":\"SECRET\xff\"}": "byte 7 of 9",
		`{"signature":"` + strings.Repeat("SECRET", 11<<10) + `"}`:      "at most 65536",
		strings.Repeat("[", 1<<20):                                      "not JSON",
		strings.Repeat(" ", 1<<20) + `{"signature":"SECRET"}`:           "larger than 1048576 bytes",
		`{"signature":"` + strings.Repeat("SECRET", 1<<20) + `", "a":"`: "larger than 1048576 bytes",
	} {
		got, err := imds.ParseSignature([]byte(body))
		require.ErrorContains(t, err, says, "%.40s", body)
		assert.Empty(t, got)
		assert.NotContains(t, err.Error(), "SECRET")
		assert.NotContains(t, err.Error(), "31337")
	}
}

// FuzzAnswer checks that a body gives a signature that can stand in a header, or an error without a byte of it.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"encoding":"pkcs7","signature":"MIIK+/w=="}`, `{"signature":"MIIK\n"}`, `{"signature":"a\nb"}`, `{"signature":""}`,
		`{"signature":1e999}`, `{"signature":null}`, `{}`, `[]`, `null`, `<html>`, `{"signature":"MII`, "\ufeff{}", "",
		`{"signature":"a","signature":"b"}`, `{"\u0073ignature":"\ud800"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := imds.ParseSignature(body)
		if err != nil {
			assert.Empty(t, got)
			assert.Regexp(t, `^(document (is|has) [A-Za-z0-9: ]+|signature: token [a-zA-Z0-9:, ]+|signature is not a JSON string)$`, err.Error())
			return
		}
		assert.Regexp(t, `^[!-~]+$`, got)
		var document map[string]any
		require.NoError(t, json.Unmarshal(body, &document))
		text, _ := document["signature"].(string)
		assert.Equal(t, got, strings.TrimRight(text, "\r\n"))
	})
}
