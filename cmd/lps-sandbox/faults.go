package main

import (
	"fmt"
	"strings"

	"golang.org/x/net/http2"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
	"github.com/bootpointer/bootpointer/transport"
)

// fault is something that can be typed to change how a part behaves.
type fault struct {
	name  string // one word, or two
	args  string // what follows it, for the help
	about string
	// reason is what check-hotfix reports over gRPC, or "" where that depends.
	reason transport.Reason
	part   part
	// set changes the part in the scene. Its errors say how to type it.
	set func(sc *scene, argument string) error
}

// faultGroup has the faults of one heading of the help.
type faultGroup struct {
	heading string
	faults  []fault
}

// faults are all there are, from the answer down to the node's config.
func faults() []faultGroup {
	return []faultGroup{
		{"What the service answers", []fault{
			{"status", "CODE [MESSAGE]", "a status of the service's own, such as unavailable, not-found or resource-exhausted", transport.ReasonStatus, theService, setStatus},
			{"body", "FILE", "the file's text as the document, until reset", "", theService, setBody},
			{"body-text", "TEXT", "the text as the document, until reset", "", theService, setBodyText},
			{"empty", "", "an empty document", transport.ReasonEmpty, theService, bare(serving("{}"))},
			{"malformed", "", "a document that is no JSON", transport.ReasonMalformed, theService, bare(serving(`{"hotfixes":`))},
		}},
		{"What becomes of the call", []fault{
			{"delay", "TIME", "the answer comes late", "", theService, setDelay},
			{"hang", "", "the answer never comes", transport.ReasonDeadline, theService,
				bare(answering(reply{lpstest.Reply{Hang: true}, lpstest.HTTPSReply{Hang: true}}))},
			{"drop", "", "the connection is reset instead of an answer", transport.ReasonConnect, theService,
				bare(answering(reply{lpstest.Reply{Reset: true}, lpstest.HTTPSReply{Reset: true}}))},
			{"page", "STATUS", "a proxy answers, with a web page", transport.ReasonHTTPStatus, theService, setPage},
			{"goaway", "", "the front shuts down: GOAWAY, and the connection is closed", transport.ReasonConnect, theService,
				bare(framing(lpstest.InOrder(lpstest.GoAway(false, http2.ErrCodeNo), lpstest.CloseConnection()), "GOAWAY"))},
		}},
		{"TLS", []fault{
			{"cert expired", "", "the certificate expired two days ago", transport.ReasonCertExpired, theService, badCertificate(lpstest.WithValidity(daysFromNow(-9), daysFromNow(-2)))},
			{"cert not-yet-valid", "", "the certificate is valid in two days", transport.ReasonCertNotYetValid, theService, badCertificate(lpstest.WithValidity(daysFromNow(2), daysFromNow(9)))},
			{"cert wrong-name", "", "the API server answers, with a certificate of its own", transport.ReasonCertName, theService, badCertificate(lpstest.WithDNSNames(frontHost))},
			{"cert untrusted", "", "the certificate is by another CA", transport.ReasonCertUntrusted, theService, healthyBut(otherCA)},
			{"alpn off", "", "no protocol is selected (over HTTPS no fault: it goes on in HTTP/1.1)", transport.ReasonALPN, theService, healthyBut(fixed(lpstest.WithALPN()))},
			{"tls old", "", "nothing newer than TLS 1.1", transport.ReasonTLS, theService, healthyBut(fixed(lpstest.WithTLSVersions(0x0301, 0x0302)))},
		}},
		{"The connection", []fault{
			{"down", "", "nobody listens: connections are refused", transport.ReasonConnect, theService, bare(nobody)},
			{"blackhole", "", "packets are dropped, as by a firewall (Linux only)", transport.ReasonConnect, theService, bare(dropping)},
			{"hang-up", "", "connections are accepted and closed", transport.ReasonConnect, theService, bare(accepting(lpstest.NewHangup, "closed at once"))},
			{"silent", "", "connections are accepted, and nothing is said", transport.ReasonDeadline, theService, bare(accepting(lpstest.NewSilent, "accepted, nothing said"))},
		}},
		{"The node's identity", []fault{
			{"metadata status", "STATUS", "an HTTP status of the metadata service, such as 500 or 400", transport.ReasonIdentity, theMetadata, setMetadataStatus},
			{"metadata hang", "", "the metadata service never answers", transport.ReasonIdentity, theMetadata, answered(imdstest.Reply{Hang: true}, "no answer")},
			{"metadata drop", "", "the connection is reset instead of an answer", transport.ReasonIdentity, theMetadata, answered(imdstest.Reply{Drop: true}, "connection reset")},
			{"metadata empty", "", "an attested document without a signature", transport.ReasonIdentity, theMetadata, answered(imdstest.JSON(`{"signature":""}`), "200, no signature")},
			{"metadata page", "", "a web page instead of the document", transport.ReasonIdentity, theMetadata, answered(imdstest.HTML(), "200, a web page")},
		}},
		{"The node's config", []fault{
			{"config no-ca", "", "no CA", transport.ReasonConfig, theConfig, configured(nodeFault{noCA: true})},
			{"config no-pointer", "", "no pointer of the node's own to fall back to", "", theConfig, configured(nodeFault{noPointer: true})},
		}},
	}
}

// faultHelp lists the faults under their headings, with the reason that each is reported with.
func faultHelp() string {
	all := faults()
	width := 0
	for _, group := range all {
		for _, f := range group.faults {
			width = max(width, len(f.usage()))
		}
	}
	var b strings.Builder
	for _, group := range all {
		fmt.Fprintf(&b, "\n%s:\n", group.heading)
		for _, f := range group.faults {
			fmt.Fprintf(&b, "  %-*s  %s", width, f.usage(), f.about)
			if f.reason != "" {
				fmt.Fprintf(&b, " [%s]", f.reason)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
