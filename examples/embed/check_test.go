package main

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/test/bufconn"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/transport"
	"github.com/bootpointer/bootpointer/transport/transporttest"
)

// service is one answer, as the service gives it and as a fake transport does.
type service struct {
	reply lpstest.Reply
	fake  transporttest.Reply
}

func document(text string) service {
	return service{
		reply: lpstest.Reply{Config: text},
		fake:  transporttest.Reply{Document: transport.Document{Body: []byte(text), Code: "OK"}},
	}
}

func status(code codes.Code, class transport.Class) service {
	return service{
		reply: lpstest.Reply{Code: code, Message: "scripted"},
		fake: transporttest.Reply{Err: &transport.Error{Class: class, Reason: transport.ReasonStatus,
			Code: code.String(), Err: errors.New("scripted")}},
	}
}

// embedded are the hotfixes in the config of most nodes here.
const embedded = `{"202604.01":"202604.01.2"}`

// row is what becomes of an answer.
type row struct {
	service
	embedded string
	outcome  string
	staged   string
	download string // what download-hotfix says afterwards
}

func rows() map[string]row {
	return map[string]row{
		"a hotfix for this node": {
			document(`{"hotfixes":{"202604.01":"202604.01.1"}}`), embedded, "lpsRead",
			`{"scripts_version":"202604.01.7","hotfixes":{"202604.01":"202604.01.1"}}`,
			"would install 202604.01.1 over 202604.01.0",
		},
		"a hotfix for others": {
			document(`{"hotfixes":{"202607.15":"202607.15.3"}}`), embedded, "noHotfixForBase",
			`{"scripts_version":"202604.01.7","hotfixes":{"202607.15":"202607.15.3"}}`, "202604.01.0 stays",
		},
		"nothing published": {
			status(codes.NotFound, transport.Benign), embedded, "noHotfixAvailable", asCloudInitLeftIt, "202604.01.0 stays",
		},
		"an empty answer": {
			document(`{}`), embedded, "noHotfixAvailable", asCloudInitLeftIt, "202604.01.0 stays",
		},
		"no answer": {
			status(codes.Unavailable, transport.FallbackEligible), embedded, "customDataFallback",
			`{"scripts_version":"202604.01.7","hotfixes":{"202604.01":"202604.01.2"}}`,
			"would install 202604.01.2 over 202604.01.0",
		},
		"no answer and no fallback": {
			status(codes.Unavailable, transport.FallbackEligible), "", "failed", asCloudInitLeftIt, "202604.01.0 stays",
		},
		"a refusal": {
			status(codes.InvalidArgument, transport.Authoritative), embedded, "failed", asCloudInitLeftIt, "202604.01.0 stays",
		},
		"an answer that cannot be used": {
			document(`[]`), embedded, "failed", asCloudInitLeftIt, "202604.01.0 stays",
		},
	}
}

// TestEmbeddedIsStandalone holds the agent to the binary, for every row of README's table: over real TLS and gRPC,
// and with a fake transport.
func TestEmbeddedIsStandalone(t *testing.T) {
	t.Parallel()
	for name, row := range rows() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lps := serve(t, row.reply)
			want := newNode(t, lps.CA(), row.embedded).checkStandalone(t, lps.Addr())
			assert.Equal(t, row.outcome, want.Outcome)
			assert.Equal(t, row.staged, want.Staged)
			assert.Contains(t, want.Event.Message, "outcome="+row.outcome+" source=")

			listener := bufconn.Listen(64 << 10)
			inMemory := serve(t, row.reply, lpstest.WithListener(listener))
			n := newNode(t, inMemory.CA(), row.embedded)
			assert.Equal(t, want, n.checkEmbedded(t, throughMemory(listener)))
			assert.Equal(t, n.metadata.Signature(), inMemory.Calls()[0].Token())

			n = newNode(t, lps.CA(), row.embedded)
			assert.Equal(t, want, n.checkEmbedded(t, scripted(row.fake)))
			assert.Empty(t, n.metadata.Requests(), "a fake needs no token")

			out, _ := n.agent(t, nil, "download-hotfix")
			assert.Equal(t, row.download, out)
		})
	}
}

func TestEveryOutcomeOfTheTableHasARow(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	var want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` \\|").FindAllSubmatch(readme, -1) {
		want = append(want, string(m[1]))
	}
	require.Len(t, want, 5)
	got := map[string]bool{}
	for _, row := range rows() {
		got[row.outcome] = true
	}
	for _, outcome := range want {
		assert.True(t, got[outcome], outcome)
	}
}
