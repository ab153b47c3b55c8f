package nodeconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestC1ParseJSON(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	file := func(name string) string { return string(sample(t, name, ca)) }
	member := func(members ...string) string {
		return "{" + strings.ReplaceAll(strings.Join(members, ","), "@CA@", ca) + "}"
	}
	tests := map[string]string{
		"snake_case":                            file("config-snake.json"),
		"camelCase":                             file("config-camel.json"),
		"unknown fields and unrelated broken":   file("config-newer.json"),
		"byte order mark":                       "\ufeff" + file("config-snake.json"),
		"CRLF":                                  strings.ReplaceAll(file("config-snake.json"), "\n", "\r\n"),
		"camelCase in snake_case":               member(`"api_server_config":{"apiServerName":"`+labHost+`"}`, `"kubernetesCaCert":"@CA@"`),
		"snake_case in camelCase":               member(`"apiServerConfig":{"api_server_name":"`+labHost+`"}`, `"kubernetes_ca_cert":"@CA@"`),
		"both spellings, last wins":             member(`"api_server_config":{"api_server_name":"a.example","apiServerName":"b.example"}`, `"apiServerConfig":{"api_server_name":"`+labHost+`"}`, `"kubernetes_ca_cert":"old"`, `"kubernetesCaCert":"@CA@"`),
		"both spellings the other way round":    member(`"apiServerConfig":{"apiServerName":"a.example","api_server_name":"`+labHost+`"}`, `"kubernetesCaCert":7`, `"kubernetes_ca_cert":"@CA@"`),
		"null is no value":                      member(`"api_server_config":{"api_server_name":"`+labHost+`","apiServerName":null}`, `"kubernetes_ca_cert":"@CA@"`, `"kubernetesCaCert":null`, `"apiServerConfig":null`),
		"a second object adds to the first":     member(`"api_server_config":{"api_server_name":"`+labHost+`"}`, `"apiServerConfig":{"apiServerPublicKey":"x"}`, `"kubernetes_ca_cert":"@CA@"`),
		"another member in capitals is another": member(`"api_server_config":{"api_server_name":"`+labHost+`","API_SERVER_NAME":"a.example"}`, `"kubernetes_ca_cert":"@CA@"`, `"KubernetesCaCert":"old"`),
		"escapes in names and values":           member(`"\u0061pi_server_config":{"api_server_name":"\u0061`+labHost[1:]+`"}`, `"kubernetes_ca_cert":"@CA@"`),
		"PEM text":                              member(`"api_server_config":{"api_server_name":"`+labHost+`"}`, `"kubernetes_ca_cert":"`+strings.ReplaceAll(newCA(t, "cluster-ca"), "\n", `\n`)+`"`),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ParseJSON([]byte(text))
			require.NoError(t, err)
			endpoint, err := c.Endpoint(t.Context())
			require.NoError(t, err)
			assert.Equal(t, labHost, endpoint.Host)
			require.Len(t, endpoint.CAs, 1)
			assert.Equal(t, "cluster-ca", endpoint.CAs[0].Subject.CommonName)
		})
	}
}

func TestC1ParseJSONNotAnObject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"nothing":        {"", "is empty"},
		"a mark only":    {"\ufeff \n", "is empty"},
		"shell":          {`S3CR3T="s3cr3t" run`, "is not JSON from byte 1 of 19 on"},
		"cut off":        {`{"secret":"s3cr3t`, "is not JSON from byte 17 of 17 on"},
		"bare word":      {`{"secret":s3cr3t}`, "is not JSON from byte 11 of 17 on"},
		"two objects":    {`{}{}`, "is not JSON from byte 3 of 4 on"},
		"zero bytes":     {"\x00\x00", "is not JSON from byte 1 of 2 on"},
		"null":           {`null`, "is not an object"},
		"array":          {`[{"api_server_config":{}}]`, "is not an object"},
		"string":         {`"s3cr3t"`, "is not an object"},
		"number":         {`7`, "is not an object"},
		"nested too far": {strings.Repeat("[", 1<<20), "is not JSON from byte 10001 of 1048576 on"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ParseJSON([]byte(tt.text))
			require.EqualError(t, err, tt.want)
			assert.Equal(t, Config{}, c)
		})
	}
}

func TestC1ParseJSONFieldUnusable(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	const goodHost = `"api_server_config":{"api_server_name":"a.example"}`
	goodCA := `"kubernetes_ca_cert":"` + ca + `"`
	tests := map[string]struct{ text, want string }{
		"both missing":    {string(sample(t, "config-missing.json", "")), "node config: api_server_config.api_server_name is missing; kubernetes_ca_cert is missing"},
		"host missing":    {`{` + goodCA + `}`, "node config: api_server_config.api_server_name is missing"},
		"host a number":   {`{"api_server_config":{"api_server_name":7},` + goodCA + `}`, "node config: api_server_config.api_server_name is not a string"},
		"host empty":      {`{"api_server_config":{"api_server_name":""},` + goodCA + `}`, "node config: api_server_config.api_server_name: host is empty"},
		"host not one":    {`{"api_server_config":{"api_server_name":"s3cr3t s3cr3t"},` + goodCA + `}`, "node config: api_server_config.api_server_name: host has a blank or control character in it"},
		"host not UTF-8":  {"{\"api_server_config\":{\"api_server_name\":\"a\xff.example\"}," + goodCA + `}`, "node config: api_server_config.api_server_name: host is no valid name"},
		"parent a string": {`{"api_server_config":"s3cr3t",` + goodCA + `}`, "node config: api_server_config.api_server_name is missing"},
		"CA missing":      {`{` + goodHost + `}`, "node config: kubernetes_ca_cert is missing"},
		"CA an array":     {`{` + goodHost + `,"kubernetes_ca_cert":["s3cr3t"]}`, "node config: kubernetes_ca_cert is not a string"},
		"CA not one":      {`{` + goodHost + `,"kubernetes_ca_cert":"s3cr3t!"}`, "node config: kubernetes_ca_cert: neither PEM nor base64 of it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ParseJSON([]byte(tt.text))
			require.NoError(t, err)
			_, err = c.Endpoint(t.Context())
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestConfigWithoutCAsIsNoEndpoint(t *testing.T) {
	t.Parallel()
	_, err := Config{Host: "a.example"}.Endpoint(t.Context())
	require.EqualError(t, err, "node config: no certificate authority")
	_, err = Config{}.Endpoint(t.Context())
	require.EqualError(t, err, "node config: no host; no certificate authority")
}

func TestHotfixes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want, wantErr string }{
		"byte for byte": {`{"hotfixes": { "202604.01" : "202604.01.1" } }`, `{"hotfixes":{ "202604.01" : "202604.01.1" }}`, ""},
		"not looked at": {`{"hotfixes":{"a&b<c":[9007199254740993,"\u00e9"]}}`, `{"hotfixes":{"a&b<c":[9007199254740993,"\u00e9"]}}`, ""},
		"last wins":     {`{"hotfixes":{"a":1},"hotfixes":{"b":2}}`, `{"hotfixes":{"b":2}}`, ""},
		"absent":        {`{}`, "", ""},
		"null":          {`{"hotfixes":null}`, "", ""},
		"empty":         {`{"hotfixes":{}}`, "", ""},
		"blank":         {"{\"hotfixes\":{ \n\t}}", "", ""},
		"other case":    {`{"HOTFIXES":{"a":1},"hotFixes":{"a":1}}`, "", ""},
		"a string":      {`{"hotfixes":"s3cr3t"}`, "", "node config: hotfixes is not an object"},
		"an array":      {`{"hotfixes":[{"a":1}]}`, "", "node config: hotfixes is not an object"},
		"a number":      {`{"hotfixes":0}`, "", "node config: hotfixes is not an object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ParseJSON([]byte(tt.text))
			require.NoError(t, err)
			got, err := c.pointer()
			if tt.wantErr != "" {
				require.EqualError(t, err, tt.wantErr)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.want, string(got))
			assert.Equal(t, tt.want == "", got == nil)
			assert.Equal(t, tt.want == "", c.Hotfixes == nil)
		})
	}
}
