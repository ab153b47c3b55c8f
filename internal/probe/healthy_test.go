package probe_test

import (
	"context"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/internal/faulttest"
	"github.com/bootpointer/bootpointer/internal/probe"
	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/transport"
)

// serving is a node in front of a service over gRPC that answers with reply.
func serving(t *testing.T, reply lpstest.Reply) faulttest.Node {
	t.Helper()
	lps := lpstest.Start(t)
	lps.Respond(reply)
	return faulttest.Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
		Tokens: transport.StaticToken(faulttest.Token), Calls: func() int { return len(lps.Calls()) }}
}

func TestHealthy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply   lpstest.Reply
		version string
		says    string
		status  probe.Status // of the call
	}{
		"a hotfix":        {lpstest.Reply{Config: faulttest.Document}, "202604.01.0", "the service has hotfix 202604.01.1 for this node, which runs 202604.01.0", probe.OK},
		"no upgrade":      {lpstest.Reply{Config: faulttest.Document}, "202604.01.10", "202604.01.1 for this node, which is no upgrade for 202604.01.10", probe.OK},
		"no version":      {lpstest.Reply{Config: faulttest.Document}, "dev", "its version dev is not YYYYMM.DD.PATCH", probe.OK},
		"another base":    {lpstest.Reply{Config: faulttest.Document}, "202605.01.0", "none for the base of this node's version 202605.01.0", probe.OK},
		"NotFound":        {lpstest.Reply{Code: codes.NotFound}, "202604.01.0", wellNothing, probe.OK},
		"empty":           {lpstest.Reply{}, "202604.01.0", wellNothing, probe.OK},
		"no hotfixes":     {lpstest.Reply{Config: "{}"}, "202604.01.0", wellNothing, probe.OK},
		"Unauthenticated": {lpstest.Reply{Code: codes.Unauthenticated, Message: "who?"}, "202604.01.0", notAccepted + " (Unauthenticated)", probe.Warning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := serving(t, tt.reply)
			c := newConfig(t, n, "grpc")
			c.CurrentVersion = tt.version

			r := probe.Run(t.Context(), c)

			assert.True(t, r.Healthy)
			assert.Contains(t, r.Diagnosis.Sentence, tt.says)
			assert.Empty(t, r.Diagnosis.Layer)
			assert.Equal(t, tt.status, layer(t, r, "call grpc").Status)
			assert.Equal(t, "service", detail(layer(t, r, "call grpc"), "verdict_by"))
			assert.Equal(t, 1, n.Calls())
			assert.NoFileExists(t, c.Pointer)
		})
	}
}

// What each layer of a healthy probe tells.
func TestDetails(t *testing.T) {
	t.Parallel()
	r := probe.Run(t.Context(), newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc"))

	config := layer(t, r, "config")
	assert.Equal(t, []string{"api_server_config.api_server_name", "kubernetes_ca_cert"}, detail(config, "fields"))
	assert.Equal(t, faulttest.FrontHost, detail(config, "api_server"))
	assert.Contains(t, layer(t, r, "ca").Result, "CN=lpstest CA, valid ")
	assert.Equal(t, len(faulttest.Token), detail(layer(t, r, "metadata"), "signature_bytes"))
	assert.Equal(t, []string{"127.0.0.1"}, detail(layer(t, r, "dns"), "addresses"))
	assert.Regexp(t, `^127\.0\.0\.1:\d+: connected in [0-9.]+ m?s$`, layer(t, r, "tcp").Result)
	secure := layer(t, r, "tls grpc")
	assert.Equal(t, "TLS 1.3", detail(secure, "version"))
	assert.Equal(t, []string{lpstest.ServerName}, detail(secure, "names"))
	assert.Equal(t, faulttest.FrontHost, detail(secure, "sni"))
	assert.Equal(t, lpstest.ServerName, detail(secure, "expected_name"))
	assert.Equal(t, "CN=lpstest CA", detail(secure, "issuer"))
	alpn := layer(t, r, "alpn grpc")
	assert.Equal(t, lpstest.ALPN, detail(alpn, "selected"))
	assert.Equal(t, []string{lpstest.ALPN, "h2"}, detail(alpn, "offered"))
	assert.Equal(t, "OK", layer(t, r, "call grpc").Code)
	staged := layer(t, r, "pointer grpc")
	assert.Equal(t, 1, detail(staged, "entries"))
	assert.Equal(t, "202604.01.1", detail(staged, "this_node"))
	assert.Equal(t, true, detail(staged, "would_upgrade"))
	assert.Equal(t, false, detail(layer(t, r, "file"), "exists"))
}

// Where one transport gets no answer and the other does, all is well, and what is wrong is told still.
func TestTwoTransports(t *testing.T) {
	t.Parallel()
	n := faulttest.HealthyHTTPS(t) // which knows no ALPN of gRPC's but h2, and no gRPC
	r := probe.Run(t.Context(), newConfig(t, n, "grpc", "https"))

	assert.True(t, r.Healthy, "%+v", r)
	assert.Contains(t, r.Diagnosis.Sentence, "the service has hotfix 202604.01.1")
	require.Len(t, r.Diagnosis.Also, 1)
	assert.Contains(t, r.Diagnosis.Also[0], aProxyAnswers)
	assert.Equal(t, probe.Failed, layer(t, r, "call grpc").Status)
	assert.Equal(t, probe.OK, layer(t, r, "call https").Status)
	assert.Equal(t, "202604.01.1", detail(layer(t, r, "pointer https"), "this_node"))
}

// Two addresses, one of which refuses.
func TestEachAddressOnItsOwn(t *testing.T) {
	t.Parallel()
	c := newConfig(t, faulttest.Trusting(t, lpstest.StartRefusing(t).Addr()), "grpc")
	r := probe.Run(t.Context(), c)
	assert.Contains(t, layer(t, r, "tcp").Result, "connection refused in ")
	assert.Equal(t, "skipped", string(layer(t, r, "tls grpc").Status))
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	lps := lpstest.Start(t)
	lps.Respond(lpstest.Reply{Hang: true})
	c := newConfig(t, faulttest.Node{Addr: lps.Addr(), CAs: []*x509.Certificate{lps.CA().Certificate()},
		Tokens: transport.StaticToken(faulttest.Token)}, "grpc")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(lps.Calls()) == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()

	r := probe.Run(ctx, c)

	assert.False(t, r.Healthy)
	assert.Contains(t, r.Diagnosis.Sentence, "interrupted")
	assert.Empty(t, r.Diagnosis.Also)
	assert.Equal(t, probe.OK, layer(t, r, "tls grpc").Status, "what it had found")
	for _, l := range r.Layers {
		assert.NotEqual(t, probe.Failed, l.Status, l.Name)
	}
	assert.Less(t, r.Duration, patient)
}

// A service that echoes the token, in a status and in what it has for other bases.
func TestTokenIsNotShown(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]lpstest.Reply{
		"status":   {Code: codes.Internal, Message: "no: ", EchoToken: true},
		"document": {Config: `{"hotfixes":{"202604.01":"202604.01.1","` + faulttest.Token + `":"x"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := probe.Run(t.Context(), newConfig(t, serving(t, reply), "grpc"))
			assert.NotContains(t, fmt.Sprintf("%+v", r), faulttest.Token[:20])
			assert.False(t, r.Healthy)
		})
	}
}

// attested is a signature around an attested document with these times.
func attested(t *testing.T, created, expires time.Time) string {
	t.Helper()
	const layout = "01/02/06 15:04:05 -0000"
	document := fmt.Sprintf(`{"vmId":"not to be shown","timeStamp":{"createdOn":%q,"expiresOn":%q}}`,
		created.UTC().Format(layout), expires.UTC().Format(layout))
	type inner struct {
		Type    asn1.ObjectIdentifier
		Content []byte `asn1:"explicit,tag:0"`
	}
	type signed struct {
		Version    int
		Algorithms []int `asn1:"set"`
		Inner      inner
		Signers    []int `asn1:"set"`
	}
	der, err := asn1.Marshal(struct {
		Type    asn1.ObjectIdentifier
		Content signed `asn1:"explicit,tag:0"`
	}{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}, signed{Version: 1,
		Inner: inner{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}, []byte(document)}}})
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(der)
}

// The token lies in a file that is looked at, of all places.
func TestTokenOfAFileIsNotShown(t *testing.T) {
	t.Parallel()
	c := newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc")
	write(t, c.Pointer, `{"`+faulttest.Token+`":1,"hotfixes":{"202604.01":"202604.01.1","`+faulttest.Token+`":"x"}}`)

	l := layer(t, probe.Run(t.Context(), c), "file")

	assert.Contains(t, l.Result, "[redacted]")
	assert.NotContains(t, fmt.Sprintf("%+v", l), faulttest.Token[:20])
}

func TestAttestedDocument(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	for name, tt := range map[string]struct {
		token  string
		status probe.Status
		until  any
	}{
		"valid":        {attested(t, now.Add(-time.Hour), now.Add(5*time.Hour)), probe.OK, now.Add(5 * time.Hour).Format(time.RFC3339)},
		"expired":      {attested(t, now.Add(-9*time.Hour), now.Add(-3*time.Hour)), probe.Warning, now.Add(-3 * time.Hour).Format(time.RFC3339)},
		"clock behind": {attested(t, now.Add(time.Hour), now.Add(7*time.Hour)), probe.Warning, now.Add(7 * time.Hour).Format(time.RFC3339)},
		"cut":          {attested(t, now, now)[:40], probe.OK, nil},
		"no document":  {faulttest.Token, probe.OK, nil},
		"no base64":    {"!!!!", probe.OK, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := serving(t, lpstest.Reply{Config: faulttest.Document})
			n.Tokens = transport.StaticToken(tt.token)

			r := probe.Run(t.Context(), newConfig(t, n, "grpc"))

			assert.True(t, r.Healthy)
			l := layer(t, r, "metadata")
			assert.Equal(t, tt.status, l.Status)
			assert.Equal(t, len(tt.token), detail(l, "signature_bytes"))
			assert.Equal(t, tt.until, detail(l, "document_expires"))
			assert.NotContains(t, fmt.Sprintf("%+v", r), "not to be shown")
		})
	}
}

func TestNodeConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set         func(t *testing.T, c *probe.Config)
		layer, says string
	}{
		"no file": {func(t *testing.T, c *probe.Config) { require.NoError(t, os.Remove(c.NodeConfig)) },
			"config", "This node has no config"},
		"no JSON": {func(t *testing.T, c *probe.Config) { write(t, c.NodeConfig, "secret") },
			"config", "is there and cannot be read"},
		"a folder": {func(t *testing.T, c *probe.Config) {
			require.NoError(t, os.Remove(c.NodeConfig))
			require.NoError(t, os.Mkdir(c.NodeConfig, 0o700))
		}, "config", "is there and cannot be read"},
		"no host": {func(t *testing.T, c *probe.Config) { write(t, c.NodeConfig, `{"kubernetes_ca_cert":"secret"}`) },
			"config", "names no usable API server"},
		"no CA": {func(t *testing.T, c *probe.Config) {
			write(t, c.NodeConfig, `{"api_server_config":{"api_server_name":"a.example"},"kubernetes_ca_cert":"secret"}`)
		}, "ca", "has no usable CA"},
		"expired CA": {func(t *testing.T, c *probe.Config) { trustOld(t, c, -48*time.Hour, -24*time.Hour) },
			"ca", "The cluster's CA in the node config has expired"},
		"CA of tomorrow": {func(t *testing.T, c *probe.Config) { trustOld(t, c, 24*time.Hour, 48*time.Hour) },
			"ca", "The cluster's CA in the node config is not valid yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc")
			tt.set(t, &c)

			r := probe.Run(t.Context(), c)

			assert.False(t, r.Healthy)
			assert.Equal(t, tt.layer, r.Diagnosis.Layer, "%+v", r)
			assert.Contains(t, r.Diagnosis.Sentence, tt.says)
			assert.NotContains(t, fmt.Sprintf("%+v", r), "secret")
			assert.Equal(t, probe.OK, layer(t, r, "metadata").Status, "later layers run where they can")
			assert.Equal(t, probe.OK, layer(t, r, "tcp").Status, "the target is known without the node config")
			assert.Equal(t, probe.Skipped, layer(t, r, "call grpc").Status)
		})
	}
}

func TestNBCCmd(t *testing.T) {
	t.Parallel()
	n := serving(t, lpstest.Reply{Config: faulttest.Document})
	c := newConfig(t, n, "grpc")
	require.NoError(t, os.Remove(c.NodeConfig))
	ca := base64.StdEncoding.EncodeToString(pemOf(n.CAs[0]))
	write(t, c.NBCCmd, "API_SERVER_NAME="+faulttest.FrontHost+" KUBE_CA_CRT=\""+ca+"\" /bin/true")

	r := probe.Run(t.Context(), c)

	assert.True(t, r.Healthy, "%+v", r)
	assert.Equal(t, []string{"API_SERVER_NAME", "KUBE_CA_CRT"}, detail(layer(t, r, "config"), "fields"))
	assert.Equal(t, c.NBCCmd, detail(layer(t, r, "config"), "file"))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestPointerFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set    func(t *testing.T, c *probe.Config)
		status probe.Status
		reason string
		says   string // of the diagnosis where it failed, of the layer where not
	}{
		"none yet": {func(*testing.T, *probe.Config) {}, probe.OK, "", "can be created"},
		"staged": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer, `{"version":"202604.01.9","x":1,"hotfixes":{"202604.01":"202604.01.1"}}`)
		},
			probe.OK, "", "1 entry is staged, for this node 202604.01.1"},
		"empty": {func(t *testing.T, c *probe.Config) { write(t, c.Pointer, "") }, probe.OK, "", "0 entries"},
		"does not parse": {func(t *testing.T, c *probe.Config) { write(t, c.Pointer, "{") },
			probe.Warning, "", "would keep it as .corrupt"},
		"hotfixes twice": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer, `{"version":"1","hotfixes":{},"hotfixes":{}}`)
		}, probe.Warning, "", "would replace them and keep the rest"},
		"no room for the copy": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer, "{")
			require.NoError(t, os.Mkdir(c.Pointer+".corrupt", 0o755))
		}, probe.Failed, "irregular", "no file"},
		"two symlinks to nothing": {func(t *testing.T, c *probe.Config) {
			require.NoError(t, os.Symlink("link", c.Pointer))
			require.NoError(t, os.Symlink("nowhere", filepath.Join(filepath.Dir(c.Pointer), "link")))
		}, probe.OK, "", "can be created"},
		"one put aside": {func(t *testing.T, c *probe.Config) { write(t, c.Pointer+".corrupt", "{") },
			probe.Warning, "", "pointer.json.corrupt"},
		"an entry left out": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer, `{"hotfixes":{"202604.01":"202604.01.1","x":"y"}}`)
		}, probe.Warning, "", "left out"},
		"symlink": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer+".real", `{}`)
			require.NoError(t, os.Symlink(c.Pointer+".real", c.Pointer))
		}, probe.OK, "", "none for the base"},
		"symlink to nothing": {func(t *testing.T, c *probe.Config) { require.NoError(t, os.Symlink("nowhere", c.Pointer)) },
			probe.OK, "", "can be created"},
		"symlink to no folder": {func(t *testing.T, c *probe.Config) { require.NoError(t, os.Symlink("no/where", c.Pointer)) },
			probe.Failed, "no-folder", "there is no folder"},
		"symlink to itself": {func(t *testing.T, c *probe.Config) { require.NoError(t, os.Symlink("pointer.json", c.Pointer)) },
			probe.Failed, "unreadable", "cannot be read"},
		"a folder": {func(t *testing.T, c *probe.Config) { require.NoError(t, os.Mkdir(c.Pointer, 0o700)) },
			probe.Failed, "irregular", "is no regular file"},
		"no room for an entry": {func(t *testing.T, c *probe.Config) {
			write(t, c.Pointer, "{"+strings.Repeat(" ", pointer.MaxFileSize-10)+"}")
		}, probe.Failed, "not-staged", "larger than 4194304 bytes"},
		"no folder": {func(t *testing.T, c *probe.Config) { c.Pointer = filepath.Join(c.Pointer, "no", "pointer.json") },
			probe.Failed, "no-folder", "there is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc")
			tt.set(t, &c)
			before := snapshot(t, filepath.Dir(c.NodeConfig))

			r := probe.Run(t.Context(), c)

			l := layer(t, r, "file")
			assert.Equal(t, tt.status, l.Status, "%+v", l)
			assert.Equal(t, tt.reason, l.Reason)
			assert.Equal(t, tt.status != probe.Failed, r.Healthy)
			if tt.status == probe.Failed {
				assert.Contains(t, r.Diagnosis.Sentence, tt.says)
			} else {
				assert.Contains(t, l.Result, tt.says)
			}
			assert.Equal(t, before, snapshot(t, filepath.Dir(c.NodeConfig)), "nothing is written")
		})
	}
}

// snapshot is what lies in a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			info, _ := d.Info()
			files[path] = info.Mode().String() + info.ModTime().String()
		}
		return err
	}))
	return files
}

func TestMembersAreNamesOnly(t *testing.T) {
	t.Parallel()
	c := newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc")
	write(t, c.Pointer, `{"scripts_version":"secret","hotfixes":{},"\u001b[31m":1}`)

	l := layer(t, probe.Run(t.Context(), c), "file")

	assert.Equal(t, []string{"[31m", "hotfixes", "scripts_version"}, detail(l, "members"))
	assert.NotContains(t, fmt.Sprintf("%+v", l), "secret")
}

// A token and a call that are in time by themselves, and together take longer than a check has. The check agrees.
func TestTooLateTogether(t *testing.T) {
	t.Parallel()
	n := serving(t, lpstest.Reply{Config: faulttest.Document, Delay: 2200 * time.Millisecond})
	n.Tokens = slowTokens(2 * time.Second)
	c := newConfig(t, n, "grpc")
	c.Timeout = bootpointer.DefaultTimeout

	r := probe.Run(t.Context(), c)

	for _, l := range r.Layers {
		assert.NotEqual(t, probe.Failed, l.Status, "%s: %s", l.Title(), l.Result)
	}
	assert.False(t, r.Healthy)
	assert.Equal(t, "call", r.Diagnosis.Layer)
	assert.Equal(t, "deadline", r.Diagnosis.Reason)
	assert.Contains(t, r.Diagnosis.Sentence, "4s for all of them together")
	tr, err := c.Transports[0].New(transport.Endpoint{Host: faulttest.FrontHost, CAs: n.CAs}, n.Tokens)
	require.NoError(t, err)
	defer tr.(io.Closer).Close()
	assert.Equal(t, transport.ReasonDeadline, faulttest.Check(t, tr).Attempts[0].Reason)
}

// The first transport answers by itself, and with the time for the token not soon enough; the second does. The check agrees.
func TestTooLateForTheFirst(t *testing.T) {
	t.Parallel()
	slow := serving(t, lpstest.Reply{Code: codes.NotFound, Delay: 3500 * time.Millisecond})
	slow.Tokens = slowTokens(3 * time.Second)
	quick := serving(t, lpstest.Reply{Config: faulttest.Document})
	c := newConfig(t, slow, "grpc")
	c.Timeout = 12 * time.Second
	second := newTransport(faulttest.Node{Addr: quick.Addr}, "grpc")
	second.Name = "second"
	c.Transports = append(c.Transports, second)
	slow.CAs = append(slow.CAs, quick.CAs...)
	writeNodeConfig(t, c.NodeConfig, slow)

	r := probe.Run(t.Context(), c)

	assert.Equal(t, probe.OK, layer(t, r, "call grpc").Status)
	assert.True(t, r.Healthy)
	assert.Contains(t, r.Diagnosis.Sentence, "the service has hotfix 202604.01.1")
	assert.Equal(t, []string{"A check has no time to wait for the answer over grpc, and gets it over second."}, r.Diagnosis.Also)
	assert.Equal(t, "202604.01.1", detail(layer(t, r, "pointer second"), "this_node"))
	var steps []transport.Step
	for _, tr := range c.Transports {
		made, err := tr.New(transport.Endpoint{Host: faulttest.FrontHost, CAs: slow.CAs}, slow.Tokens)
		require.NoError(t, err)
		defer made.(io.Closer).Close()
		steps = append(steps, transport.Step{Name: tr.Name, Transport: made})
	}
	stager, err := pointer.NewStager(c.Pointer)
	require.NoError(t, err)
	checker, err := bootpointer.New(steps, stager, c.CurrentVersion, bootpointer.WithTimeout(c.Timeout))
	require.NoError(t, err)
	assert.Equal(t, "second", checker.Check(t.Context()).Source)
}

// slowTokens is a metadata service that takes its time.
type slowTokens time.Duration

func (s slowTokens) Token(ctx context.Context) (string, error) {
	select {
	case <-time.After(time.Duration(s)):
		return faulttest.Token, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Where events go is looked at, and one that would be lost is said, and is nothing to be unhealthy about.
func TestEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink("nowhere", dangling))
	for name, tt := range map[string]struct {
		folder string
		status probe.Status
		says   string
	}{
		"none":              {"", probe.Skipped, "no event"},
		"there":             {dir, probe.OK, "it is there"},
		"made when needed":  {filepath.Join(dir, "a", "b"), probe.OK, "made when it is needed"},
		"a file":            {file, probe.Warning, "is no folder"},
		"below a file":      {filepath.Join(file, "a"), probe.Warning, "events would be lost"},
		"a link to nothing": {dangling, probe.Warning, "events would be lost"},
		"below such a link": {filepath.Join(dangling, "a"), probe.Warning, "events would be lost"},
		"not writable":      {"/proc/self/events", probe.Warning, "/proc/self"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConfig(t, serving(t, lpstest.Reply{Config: faulttest.Document}), "grpc")
			c.Events = tt.folder

			r := probe.Run(t.Context(), c)

			assert.True(t, r.Healthy)
			events := layer(t, r, "events")
			assert.Equal(t, tt.status, events.Status)
			assert.Contains(t, events.Result, tt.says)
			if tt.status == probe.Warning {
				assert.Equal(t, []string{"events: " + events.Result}, r.Diagnosis.Also)
			} else {
				assert.Empty(t, r.Diagnosis.Also)
			}
			assert.NoDirExists(t, filepath.Join(dir, "a"))
		})
	}
}
