package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer/lpstest"
	"github.com/bootpointer/bootpointer/source/imds/imdstest"
)

// maxDocument bounds the file of a body, in bytes. It is more than check-hotfix reads, so that too much can be served.
const maxDocument = 8 << 20

// bare is a fault of the service without arguments.
func bare(o opener) func(*scene, string) error {
	return func(sc *scene, argument string) error {
		sc.service = o
		return takesNone(argument)
	}
}

func takesNone(argument string) error {
	if argument != "" {
		return fmt.Errorf("nothing follows it, but there is %.40q", argument)
	}
	return nil
}

func setStatus(sc *scene, argument string) error {
	name, message := cutWord(argument)
	code, ok := parseCode(name)
	if !ok {
		return fmt.Errorf("%.40q is no status that is a fault; one of: %s", name, strings.Join(codeNames(), ", "))
	}
	message = unquote(message)
	sc.service = answering(reply{
		lpstest.Reply{Code: code, Message: message},
		lpstest.HTTPSReply{Status: httpStatus[code], Body: message},
	})
	return nil
}

func setBody(sc *scene, argument string) error {
	path := unquote(argument)
	if path == "" {
		return errors.New("the path of a file follows it")
	}
	b, err := readFile(path, maxDocument)
	if err != nil {
		return err
	}
	sc.serve(string(b))
	return nil
}

func setBodyText(sc *scene, argument string) error {
	if argument == "" {
		return errors.New(`a text follows it, such as {"hotfixes":{"202604.01":"202604.01.9"}}`)
	}
	sc.serve(unquote(argument))
	return nil
}

// serve has the service answer with document, now and after the faults that answer with what it has.
func (sc *scene) serve(document string) {
	sc.document = document
	sc.service = serving(document)
}

func setDelay(sc *scene, argument string) error {
	delay, err := time.ParseDuration(argument)
	if err != nil || delay <= 0 {
		return errors.New("a time follows it, such as 2s or 500ms")
	}
	sc.service = answering(reply{
		lpstest.Reply{Config: sc.document, Delay: delay},
		lpstest.HTTPSReply{Body: sc.document, Delay: delay},
	})
	return nil
}

// setPage answers without a grpc-status. Over HTTPS the status is the service's own as far as a node can tell.
func setPage(sc *scene, argument string) error {
	status, err := httpStatusOf(argument)
	if err != nil {
		return err
	}
	text := strconv.Itoa(status)
	page := "<html><body>" + strings.TrimSpace(text+" "+http.StatusText(status)) + "</body></html>"
	sc.service = framing(lpstest.HTTPStatus(status, "text/html", page), text+", a web page")
	return nil
}

func httpStatusOf(argument string) (int, error) {
	status, err := strconv.Atoi(argument)
	if err != nil || status < 200 || status > 599 {
		return 0, errors.New("an HTTP status follows it, 200 to 599, such as 502")
	}
	return status, nil
}

// answered is a fault of the metadata service without arguments.
func answered(r imdstest.Reply, says string) func(*scene, string) error {
	return func(sc *scene, argument string) error {
		sc.metadata = identity{r, says}
		return takesNone(argument)
	}
}

func setMetadataStatus(sc *scene, argument string) error {
	status, err := httpStatusOf(argument)
	if err != nil {
		return err
	}
	sc.metadata = identity{imdstest.Status(status), strconv.Itoa(status)}
	return nil
}

func configured(f nodeFault) func(*scene, string) error {
	return func(sc *scene, argument string) error {
		sc.config = f
		return takesNone(argument)
	}
}

// healthyBut is a service with its document that does TLS in another way.
func healthyBut(tls tlsOption) func(*scene, string) error {
	return func(sc *scene, argument string) error {
		sc.service = serving(sc.document, tls)
		return takesNone(argument)
	}
}

func fixed(opt lpstest.Option) tlsOption {
	return func(*lpstest.CA) (lpstest.Option, error) { return opt, nil }
}

// badCertificate is one by the right CA.
func badCertificate(opts ...lpstest.CertOption) func(*scene, string) error {
	return healthyBut(func(ca *lpstest.CA) (lpstest.Option, error) {
		cert, err := ca.Issue(opts...)
		return lpstest.WithCertificate(cert), err
	})
}

func otherCA(*lpstest.CA) (lpstest.Option, error) {
	ca, err := lpstest.NewCA(lpstest.WithSubject("another CA"))
	return lpstest.WithCA(ca), err
}

func daysFromNow(days int) time.Time { return time.Now().AddDate(0, 0, days) }
