package nodeconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestC4NormalizeHost(t *testing.T) {
	t.Parallel()
	label63 := strings.Repeat("a", 63)
	name253 := strings.Repeat(label63+".", 3) + strings.Repeat("a", 61)
	tests := map[string]string{
		"aks-lab.hcp.westeurope.azmk8s.io":              "aks-lab.hcp.westeurope.azmk8s.io",
		"AKS-Lab.HCP.WestEurope.azmk8s.io":              "aks-lab.hcp.westeurope.azmk8s.io",
		"aks-lab.example.":                              "aks-lab.example",
		"aks-lab.example:443":                           "aks-lab.example",
		"aks-lab.example.:6443":                         "aks-lab.example",
		"https://aks-lab.example":                       "aks-lab.example",
		"HTTPS://AKS-lab.example.:443/api/v1?watch=1#x": "aks-lab.example",
		"https://aks-lab.example/":                      "aks-lab.example",
		"https://aks-lab.example?x":                     "aks-lab.example",
		"https://aks-lab.example/a@b":                   "aks-lab.example",
		"localhost":                                     "localhost",
		"1.example":                                     "1.example",
		"ab--cd.r3---sn.example":                        "ab--cd.r3---sn.example",
		"bücher.example":                                "xn--bcher-kva.example",
		"BÜCHER.example:443":                            "xn--bcher-kva.example",
		"xn--bcher-kva.example":                         "xn--bcher-kva.example",
		"XN--Bcher-KVA.example":                         "xn--bcher-kva.example",
		"例え。テスト":                                        "xn--r8jz45g.xn--zckzah",
		"例え.テスト。":                                       "xn--r8jz45g.xn--zckzah",
		"ａｋｓ.example":                                   "aks.example",
		name253:                                         name253,
		name253 + ".":                                   name253,
		"10.0.0.4":                                      "10.0.0.4",
		"10.0.0.4:443":                                  "10.0.0.4",
		"10.0.0.4.":                                     "10.0.0.4",
		"https://10.0.0.4:443/":                         "10.0.0.4",
		"2001:DB8::4":                                   "2001:db8::4",
		"2001:0db8:0:0::0004":                           "2001:db8::4",
		"[2001:db8::4]":                                 "2001:db8::4",
		"[2001:db8::4]:443":                             "2001:db8::4",
		"https://[2001:DB8::4]:443/x":                   "2001:db8::4",
		"https://[::1]":                                 "::1",
		"::":                                            "::",
		"::ffff:10.0.0.4":                               "::ffff:10.0.0.4",
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got, err := NormalizeHost(in)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			again, err := NormalizeHost(got)
			require.NoError(t, err)
			assert.Equal(t, got, again)
		})
	}
}

func TestC4NormalizeHostRefused(t *testing.T) {
	t.Parallel()
	const (
		blank    = "host has a blank or control character in it"
		noName   = "host is no valid name"
		empty    = "host has an empty label"
		hyphen   = "host has a label with a hyphen at its end"
		number   = "host ends in a number and is no IPv4 address"
		noIPv6   = "host has colons in it and is no IPv6 address"
		brackets = "host has brackets and no IPv6 address in them"
		port     = "port is not a number from 1 to 65535"
		zone     = "host is an IPv6 address with a zone, which means nothing outside one machine"
		user     = "host has user information in it"
		scheme   = "host is a URL with another scheme than https"
		long     = "host is too long"
	)
	label63 := strings.Repeat("a", 63)
	tests := map[string]string{
		"":                            "host is empty",
		" ":                           blank,
		"a b.example":                 blank,
		" a.example":                  blank,
		"a.example\n":                 blank,
		"a.example\r":                 blank,
		"a\x00.example":               blank,
		"a\u00a0.example":             blank,
		"a\u2028.example":             blank,
		"a\x7f.example":               blank,
		".":                           empty,
		"..":                          empty,
		".a.example":                  empty,
		"a..example":                  empty,
		"a.example..":                 empty,
		"https://":                    empty,
		"https:///path":               empty,
		":443":                        empty,
		"-a.example":                  hyphen,
		"a-.example":                  hyphen,
		"a_b.example":                 noName,
		"a/b":                         noName,
		"a.example/":                  noName,
		"a%41.example":                noName,
		"a*.example":                  noName,
		"*.example":                   noName,
		"a,b":                         noName,
		`a\b`:                         noName,
		"a\xff.example":               "host is not UTF-8",
		"xn--.example":                empty,
		"xn--zzzzzzzzzz99999.example": noName,
		"a\u200d.example":             noName,
		"אaב.example":                 noName,
		"256.0.0.1":                   number,
		"10.0.0":                      number,
		"10":                          number,
		"10.0.0.4.5":                  number,
		"010.0.0.4":                   number,
		"a.1":                         number,
		"::1::":                       noIPv6,
		"a:b:c":                       noIPv6,
		"2001:db8::4:443:x":           noIPv6,
		"https://::1]:443":            noIPv6,
		"[::1":                        brackets,
		"[]":                          brackets,
		"[10.0.0.4]":                  brackets,
		"[a.example]":                 brackets,
		"[::1]x":                      "host goes on after its brackets",
		"[::1]443":                    "host goes on after its brackets",
		"[[::1]]":                     "host goes on after its brackets",
		"a.example:":                  port,
		"a.example:0":                 port,
		"a.example:65536":             port,
		"a.example:https":             port,
		"a.example:-1":                port,
		"[::1]:":                      port,
		"[::1]:x":                     port,
		"fe80::1%eth0":                zone,
		"[fe80::1%25eth0]:443":        zone,
		"me@a.example":                user,
		"https://me:s3cr3t@a.example": user,
		"http://a.example":            scheme,
		"://a.example":                scheme,
		"ftp://a.example":             scheme,
		label63 + "a.example":         "host has a label of more than 63 characters",
		strings.Repeat(label63+".", 3) + strings.Repeat("a", 62): long,
		strings.Repeat("a", 5000):                                long,
		"https://a.example/" + strings.Repeat("a", 5000):         long,
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			got, err := NormalizeHost(in)
			require.EqualError(t, err, want)
			assert.Empty(t, got)
		})
	}
}
