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

// FuzzReply feeds the bytes of a reply: whatever they are, a document or a classified error comes out, and what is read
// is what generated code reads.
func FuzzReply(f *testing.F) {
	for _, msg := range []*lpspb.GetComponentConfigResponse{
		{}, {ComponentName: component, Config: document}, {ComponentName: "localDNS", Config: document}, {Config: "\n"},
	} {
		b, err := proto.Marshal(msg)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add([]byte("\x12\x02\xff\xfe"))            // not UTF-8
	f.Add([]byte("\x12\x01a\x1a\x01b\x12\x01c")) // a field of others, and one that comes twice
	f.Add([]byte("\x10\x01\x0b\x0c\x12\x01a"))   // another type for a known field, and a group
	f.Fuzz(func(t *testing.T, reply []byte) {
		var generated lpspb.GetComponentConfigResponse
		name, config, err := parseReply(reply)
		if wrong := proto.Unmarshal(reply, &generated); wrong != nil {
			assert.Error(t, err, "the generated code says %v", wrong)
		} else if assert.NoError(t, err) {
			assert.Equal(t, generated.GetComponentName(), name)
			assert.Equal(t, generated.GetConfig(), config)
		}

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
