package imds

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// DefaultEndpoint is where every node finds its metadata service.
const DefaultEndpoint = "http://169.254.169.254"

const (
	// documentPath and apiVersion are what IMDS serves the attested document under.
	documentPath = "/metadata/attested/document"
	apiVersion   = "2025-04-07"

	// defaultBudget ends a call whose context has no deadline.
	defaultBudget = 10 * time.Second
	// dialTimeout ends one connect. A lost SYN is sent again after 1 s, so a new try is as good, and it takes
	// the routes and the source address of its own time.
	dialTimeout = time.Second
	// maxHeader bounds the header of an answer; that of a real one has less than 1 KiB.
	maxHeader = 64 << 10

	// The first retry comes after about firstPause, and the pauses double up to maxPause: 4 or 5 tries in
	// the first second, where IMDS allows 5.
	firstPause = 100 * time.Millisecond
	maxPause   = time.Second
)

// Source asks one metadata service for tokens. It is safe for concurrent use, keeps no token and no connection
// between calls, and needs no closing.
type Source struct {
	url       string
	logger    *slog.Logger
	transport *http.Transport
}

// Option changes a source that is being built.
type Option func(*options)

type options struct {
	endpoint string
	logger   *slog.Logger
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// WithEndpoint sets the URL of the metadata service, which is plain HTTP. The default is [DefaultEndpoint].
func WithEndpoint(endpoint string) Option {
	return func(o *options) { o.endpoint = endpoint }
}

// WithLogger has each failed try logged, at level debug. By default nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return func(o *options) { o.logger = logger }
}

// New returns a source. It refuses an endpoint that is no plain http URL with a host.
func New(opts ...Option) (*Source, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: -1}
	o := options{endpoint: DefaultEndpoint, logger: slog.New(slog.DiscardHandler), dial: dialer.DialContext}
	for _, opt := range opts {
		opt(&o)
	}
	if o.logger == nil {
		return nil, errors.New("imds: logger is nil")
	}
	address, err := documentURL(o.endpoint)
	if err != nil {
		return nil, fmt.Errorf("imds: endpoint: %w", err)
	}
	return &Source{url: address, logger: o.logger, transport: &http.Transport{
		Proxy:                  nil, // link-local, whatever the environment says
		DialContext:            o.dial,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}}, nil
}

// URL returns the address of the attested document, for what is said to people.
func (s *Source) URL() string { return s.url }

func documentURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return "", err
	case u.Scheme != "http":
		return "", errors.New("not an http URL")
	case u.Hostname() == "":
		return "", errors.New("no host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("only scheme, host, port and path are allowed")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("no such port: %s", port)
		}
	}
	u = u.JoinPath(documentPath)
	u.RawQuery = url.Values{"api-version": {apiVersion}}.Encode()
	return u.String(), nil
}

// Token asks the service for the attested document and returns its signature, which can stand in a header.
//
// The deadline of ctx is the budget, and 10 s if there is none; a slow answer is waited for until then. A connection
// that fails, and the statuses 404, 410, 429 and 5xx, are tried again after a pause of about 100 ms at first and 1 s
// at most, or of Retry-After if that is longer. A pause that would outlast the budget is not begun: Token fails at
// once, and the boot has the rest of the time. Every other answer is final. Whether the signature is genuine is for
// the receiver to say; a short one, as in tests, is as good as a real one of 2 to 12 KiB.
func (s *Source) Token(ctx context.Context) (string, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultBudget)
		defer cancel()
	}
	deadline, _ := ctx.Deadline()
	var previous error
	for try := 1; ; try++ {
		value, failed := s.ask(ctx)
		if failed == nil {
			return value, nil
		}
		if ctx.Err() != nil {
			return "", endOfBudget(ctx, try, failed.err, previous)
		}
		if !failed.again {
			return "", fmt.Errorf("imds: try %d: %w", try, failed.err)
		}
		pause := max(backoff(try), failed.retryAfter)
		if time.Until(deadline) <= pause {
			return "", fmt.Errorf("imds: try %d: %w; no time for another one in %v", try, failed.err, pause.Round(time.Millisecond))
		}
		s.logger.DebugContext(ctx, "no attested document yet", "try", try, "error", failed.err, "pause", pause)
		if !sleep(ctx, pause) {
			return "", endOfBudget(ctx, try, failed.err, nil)
		}
		previous = failed.err
	}
}

// backoff returns the pause after a failed try: doubled each time, and jittered down to half, because the nodes of
// one scale set boot together.
func backoff(try int) time.Duration {
	pause := maxPause
	if doubled := firstPause << min(try-1, 8); doubled < pause {
		pause = doubled
	}
	return pause/2 + rand.N(pause/2)
}

// sleep returns false when ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// endOfBudget is the error once ctx is done. The end may have cut the last try short; then the one before it says
// more about what is wrong.
func endOfBudget(ctx context.Context, try int, last, previous error) error {
	err := fmt.Errorf("imds: try %d: %w", try, last)
	if !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", err, ctx.Err())
	}
	if previous != nil {
		err = fmt.Errorf("%w (before: %w)", err, previous)
	}
	return err
}
