package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	method    = "/akslivepatching.v1.LivePatchingService/GetComponentConfig"
	component = "aksNodeController"

	stream      = 1
	prefixLen   = 5 // of a gRPC message: a flag byte and the length
	configField = 2 // of the response
)

// call is one gRPC call on a connection of its own. Nothing acknowledges the peer's SETTINGS and PINGs: the connection is
// over before anyone misses that.
type call struct {
	out    *bufio.Writer
	framer *http2.Framer
}

// newCall prepares the connection's preface, to be sent along with what comes first.
func newCall(conn io.ReadWriter) *call {
	c := &call{out: bufio.NewWriterSize(conn, 16<<10)}
	c.framer = http2.NewFramer(c.out, bufio.NewReader(conn))
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = 64 << 10
	_, _ = c.out.WriteString(http2.ClientPreface) // a bufio.Writer keeps its error until the flush
	_ = c.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: 2 * maxAnswer})
	_ = c.framer.WriteWindowUpdate(0, 2*maxAnswer)
	return c
}

// awaitSettings sends the preface and returns when the peer's has come.
func (c *call) awaitSettings() error {
	if err := c.out.Flush(); err != nil {
		return err
	}
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return err
		}
		if settings, ok := frame.(*http2.SettingsFrame); ok && !settings.IsAck() {
			return nil
		}
	}
}

// component makes the call and returns the document.
func (c *call) component(authority, secret string) ([]byte, error) {
	if err := c.send(authority, secret); err != nil {
		return nil, err
	}
	message, err := c.receive()
	if err != nil {
		return nil, err
	}
	return configOf(message)
}

func (c *call) send(authority, secret string) error {
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "https"},
		{Name: ":path", Value: method}, {Name: ":authority", Value: authority},
		{Name: "content-type", Value: "application/grpc"}, {Name: "te", Value: "trailers"},
		{Name: "authorization", Value: secret, Sensitive: true},
	} {
		_ = fields.WriteField(f) // a bytes.Buffer takes everything
	}
	if block.Len() > 16<<10 {
		return errors.New("the token does not fit into one frame")
	}
	_ = c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	_ = c.framer.WriteData(stream, true, request())
	return c.out.Flush()
}

// request is the message that names the component, with its prefix.
func request() []byte {
	message := protowire.AppendTag(nil, 1, protowire.BytesType)
	message = protowire.AppendString(message, component)
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

// receive returns the message of an answer whose status is OK.
func (c *call) receive() ([]byte, error) {
	var data []byte
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return nil, err
		}
		switch f := frame.(type) {
		case *http2.DataFrame:
			if data = append(data, f.Data()...); len(data) > maxAnswer || f.StreamEnded() {
				return nil, errors.New("the answer is too large, or ends without a status")
			}
		case *http2.MetaHeadersFrame:
			if f.StreamEnded() {
				return unprefixed(f, data)
			}
		case *http2.RSTStreamFrame:
			return nil, fmt.Errorf("stream reset: %s", f.ErrCode)
		case *http2.GoAwayFrame:
			return nil, fmt.Errorf("connection closed: %s", f.ErrCode)
		}
	}
}

// unprefixed returns the message in data if the trailers say that it is good.
func unprefixed(trailers *http2.MetaHeadersFrame, data []byte) ([]byte, error) {
	status := ""
	for _, f := range trailers.Fields {
		if f.Name == "grpc-status" {
			status = f.Value
		}
	}
	if status != "0" {
		return nil, fmt.Errorf("grpc-status %.10q", status)
	}
	if len(data) < prefixLen || data[0] != 0 || int(binary.BigEndian.Uint32(data[1:])) != len(data)-prefixLen {
		return nil, errors.New("the answer is not one message")
	}
	return data[prefixLen:], nil
}

// configOf returns the config in a response.
func configOf(message []byte) ([]byte, error) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		message = message[n:]
		if number == configField && kind == protowire.BytesType {
			config, n := protowire.ConsumeBytes(message)
			return config, protowire.ParseError(n)
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return nil, protowire.ParseError(n)
		}
		message = message[n:]
	}
	return nil, errors.New("the answer has no config")
}
