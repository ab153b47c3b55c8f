package imdstest

import (
	"net/http"
	"time"
)

// Reply is what the server does with one request. The zero Reply is the attested document, as the real service
// sends it.
type Reply struct {
	// Delay passes before anything else happens.
	Delay time.Duration
	// Hang says nothing at all until the client or the server closes the connection.
	Hang bool
	// Drop resets the connection instead of answering.
	Drop bool

	// Status is the HTTP status; 0 is 200.
	Status int
	// Header is added to the header of the answer.
	Header http.Header
	// Body is the body. If it is nil, a 200 has the attested document, and any other status an empty body.
	Body []byte
	// Fill is how many bytes "A" follow Body. They are made while they are sent and take no memory.
	Fill int64
	// Cut closes the connection when only the first half of the body is sent.
	Cut bool
}

// Status returns a reply with an HTTP status and a short JSON body.
func Status(code int) Reply {
	return Reply{Status: code, Header: jsonHeader(), Body: []byte(`{"error":"` + http.StatusText(code) + `"}`)}
}

// RetryAfter returns the reply of [Status] with a Retry-After header: seconds, or an HTTP date.
func RetryAfter(code int, value string) Reply {
	r := Status(code)
	r.Header.Set("Retry-After", value)
	return r
}

// JSON returns a 200 with body.
func JSON(body string) Reply {
	return Reply{Header: jsonHeader(), Body: []byte(body)}
}

// Truncated returns a 200 whose body, complete by HTTP, is JSON that ends inside the signature.
func Truncated() Reply {
	return JSON(`{"encoding":"pkcs7","signature":"MIIKWgYJKoZIhvcNAQcCoIIKSzCC`)
}

// HTML returns a 200 with a web page, as a captive portal sends it.
func HTML() Reply {
	return Reply{
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   []byte("<!DOCTYPE html>\n<html><body>Please log in.</body></html>\n"),
	}
}

// Redirect returns a 302 to url.
func Redirect(url string) Reply {
	return Reply{Status: http.StatusFound, Header: http.Header{"Location": {url}}}
}

// Oversized returns a 200 with n bytes of a signature that does not end.
func Oversized(n int64) Reply {
	r := JSON(`{"encoding":"pkcs7","signature":"`)
	r.Fill = n
	return r
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json; charset=utf-8"}}
}
