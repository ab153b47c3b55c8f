package grpc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/lpspb"
	"github.com/bootpointer/bootpointer/transport"
)

// FuzzReply feeds the bytes of a reply: whatever they are, a document or a classified error comes out.
func FuzzReply(f *testing.F) {
	for _, msg := range []*lpspb.GetComponentConfigResponse{
		{}, {ComponentName: component, Config: document}, {ComponentName: "localDNS", Config: document}, {Config: "\n"},
	} {
		b, err := proto.Marshal(msg)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add([]byte("\x12\x02\xff\xfe"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		doc, err := (&session{op: "call"}).document(reply, request)
		if err == nil {
			assert.Equal(t, component, doc.Component)
			assert.NotEmpty(t, doc.Body)
			assert.LessOrEqual(t, len(doc.Body), transport.MaxDocumentSize)
			return
		}
		assert.Zero(t, doc)
		assert.Contains(t, []transport.Class{transport.Benign, transport.Authoritative}, transport.ClassOf(err))
	})
}

// FuzzStatus feeds what a server says with a status: the class is the table's, and the text is safe to show.
func FuzzStatus(f *testing.F) {
	f.Add(uint32(codes.NotFound), "nothing", true)
	f.Add(uint32(codes.Unavailable), "", true)
	f.Add(uint32(99), "bad token "+testToken+"\n\x00\xff", true)
	f.Add(uint32(codes.Unknown), "unexpected HTTP status code received from server: 502 (Bad Gateway); x", false)
	f.Add(uint32(codes.ResourceExhausted), "grpc: received message larger than max (5 vs. 4)", false)
	f.Fuzz(func(t *testing.T, code uint32, message string, sent bool) {
		if codes.Code(code) == codes.OK {
			t.Skip()
		}
		var v verdict
		v.trailers.Store(sent)
		e := classify(t.Context(), "call", status.Error(codes.Code(code), message), &v, testToken)
		switch {
		case e.Reason == transport.ReasonMalformed:
			assert.Equal(t, codes.ResourceExhausted, codes.Code(code))
		case sent:
			assert.Equal(t, classOfVerdict(codes.Code(code)), e.Class)
		default:
			assert.Equal(t, transport.FallbackEligible, e.Class)
		}
		assert.NotContains(t, e.Error(), testToken)
		assert.NotContains(t, e.Error(), "\n")
		assert.Less(t, len(e.Error()), 2*maxStatusText)
	})
}
