package lpstest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/bootpointer/bootpointer/internal/lpspb"
)

// Action is what a [RawHTTP2] does with one request stream.
type Action struct {
	// do writes frames for the stream. An error ends the connection.
	do func(framer *http2.Framer, stream uint32) error
}

// InOrder does one action after the other on the same stream.
func InOrder(actions ...Action) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		for _, a := range actions {
			if err := a.do(framer, stream); err != nil {
				return err
			}
		}
		return nil
	}}
}

// HTTPStatus answers as a web server or a proxy does: the status, the content type and the body, and no grpc-status.
// The body goes into one frame, and is cut at 16 KiB.
func HTTPStatus(status int, contentType, body string) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		err := writeHeaders(framer, stream, false,
			":status", strconv.Itoa(status), "content-type", contentType)
		if err != nil {
			return err
		}
		return framer.WriteData(stream, true, []byte(body[:min(len(body), maxFrame)]))
	}}
}

// GRPCStatus answers with a verdict in one HEADERS frame ("trailers-only"). The message is sent as it is.
func GRPCStatus(code codes.Code, message string) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		return writeHeaders(framer, stream, true,
			":status", "200", "content-type", "application/grpc",
			"grpc-status", strconv.Itoa(int(code)), "grpc-message", message)
	}}
}

// Config answers with the config of component: headers, a message of at most 16 KiB, trailers.
func Config(component, config string) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		message, err := proto.Marshal(&lpspb.GetComponentConfigResponse{ComponentName: component, Config: config})
		if err != nil {
			return err
		}
		if err := writeHeaders(framer, stream, false, ":status", "200", "content-type", "application/grpc"); err != nil {
			return err
		}
		prefix := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
		if err := framer.WriteData(stream, false, append(prefix, message...)); err != nil {
			return err
		}
		return writeHeaders(framer, stream, true, "grpc-status", "0")
	}}
}

// ResetStream answers with RST_STREAM.
func ResetStream(code http2.ErrCode) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		return framer.WriteRSTStream(stream, code)
	}}
}

// GoAway sends GOAWAY. With processed, its last-stream-id is the request's own stream: the client has to take it as
// seen. Without, it is 0: nothing was seen and all may be tried elsewhere. The connection stays open.
func GoAway(processed bool, code http2.ErrCode) Action {
	return Action{func(framer *http2.Framer, stream uint32) error {
		if !processed {
			stream = 0
		}
		return framer.WriteGoAway(stream, code, nil)
	}}
}

// Silence leaves the stream without an answer.
func Silence() Action {
	return Action{func(*http2.Framer, uint32) error { return nil }}
}

// CloseConnection closes the connection.
func CloseConnection() Action {
	return Action{func(*http2.Framer, uint32) error { return errors.New("close") }}
}

// writeHeaders writes name and value pairs in one HEADERS frame. Each block has an encoder of its own, which never
// refers to an earlier block.
func writeHeaders(framer *http2.Framer, stream uint32, end bool, fields ...string) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		if err := encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}); err != nil {
			return err
		}
	}
	return framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block.Bytes(), EndStream: end, EndHeaders: true,
	})
}
