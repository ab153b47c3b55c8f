package nodeconfig

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// checkHost fails unless host is what NormalizeHost promises.
func checkHost(t *testing.T, host string) {
	t.Helper()
	if addr, err := netip.ParseAddr(host); err == nil {
		assert.Equal(t, addr.WithZone("").String(), host)
	} else {
		assert.Regexp(t, hostName, host)
		assert.LessOrEqual(t, len(host), 253)
	}
	again, err := NormalizeHost(host)
	require.NoError(t, err)
	assert.Equal(t, host, again)
}

// checkConfig fails unless each field is there or its absence has a reason.
func checkConfig(t *testing.T, c Config) {
	t.Helper()
	assert.Equal(t, c.Host == "", c.hostErr != nil)
	assert.Equal(t, len(c.CAs) == 0, c.casErr != nil)
	if c.Host != "" {
		checkHost(t, c.Host)
	}
	endpoint, err := c.Endpoint(t.Context())
	if err == nil {
		assert.NotEmpty(t, endpoint.Host)
		assert.NotEmpty(t, endpoint.CAs)
	}
}

func addSamples(f *testing.F, pattern string) {
	f.Helper()
	ca := encode(newCA(f, "cluster-ca"))
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(f, err)
	require.NotEmpty(f, names)
	for _, name := range names {
		f.Add(sample(f, filepath.Base(name), ca))
	}
}

func FuzzParseJSON(f *testing.F) {
	addSamples(f, "config-*.json")
	f.Add([]byte(`{"hotfixes":{},"hotfixes":null,"apiServerConfig":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseJSON(b)
		text := bytes.Trim(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
		assert.Equal(t, json.Valid(text) && text[0] == '{', err == nil)
		if err != nil {
			assert.Equal(t, Config{}, c)
			return
		}
		checkConfig(t, c)
		pointer, err := c.pointer()
		if err != nil || pointer == nil {
			return
		}
		again, err := ParseJSON(pointer)
		require.NoError(t, err)
		assert.Equal(t, string(c.Hotfixes), string(again.Hotfixes))
	})
}

func FuzzParseNBCCmd(f *testing.F) {
	addSamples(f, "nbc-cmd*.sh")
	f.Add([]byte("API_SERVER_NAME=$(touch x) KUBE_CA_CRT='"))
	f.Add([]byte("fi; API_SERVER_NAME=\"a\\\nb\"KUBE_CA_CRT=\\"))
	f.Add([]byte("A=<nil> API_SERVER_NAME=a.example if a[((${x:-`y`}))] <<E"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseNBCCmd(b)
		if err != nil {
			assert.Equal(t, Config{}, c)
			return
		}
		checkConfig(t, c)
	})
}

func FuzzParseCAs(f *testing.F) {
	ca, other := newCA(f, "cluster-ca"), newCA(f, "cluster-ca")
	f.Add([]byte(ca))
	f.Add([]byte(encode(ca + other)))
	f.Add([]byte("text\n" + ca[:99] + other))
	f.Fuzz(func(t *testing.T, b []byte) {
		certs, err := ParseCAs(b)
		assert.Equal(t, len(certs) == 0, err != nil)
		for _, c := range certs {
			require.NotNil(t, c)
		}
	})
}

func FuzzNormalizeHost(f *testing.F) {
	for _, s := range []string{labHost, "https://A.example.:443/x", "[2001:DB8::4]:443", "10.0.0.4", "bücher.example", "例え。テスト", "xn--bcher-kva.example", "fe80::1%eth0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host, err := NormalizeHost(s)
		if err != nil {
			assert.Empty(t, host)
			return
		}
		checkHost(t, host)
	})
}
