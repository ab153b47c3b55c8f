package httpanswer

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/bootpointer/bootpointer/internal/token"
)

// An answer with an error status is quoted with at most maxQuote bytes, out of its first quotedPart ones, as far as they
// come within patience: words for people are not worth the budget.
const (
	maxQuote   = 120
	quotedPart = 4 << 10
	patience   = 200 * time.Millisecond
)

// FirstWords returns the first words of a body as [token.Quote] makes them fit for an error, without the token in secret.
// Where secret is empty they come from whoever is asked for the token, and have nothing in them that could be one. cancel has to end the request, and with it a body that does not come.
func FirstWords(resp *http.Response, cancel context.CancelFunc, secret string) string {
	impatient := time.AfterFunc(patience, cancel)
	defer impatient.Stop()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, quotedPart))
	if secret == "" {
		return token.Quote(token.RedactUnknown(string(body)), "", maxQuote)
	}
	return token.Quote(string(body), secret, maxQuote)
}
