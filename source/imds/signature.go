package imds

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bootpointer/bootpointer/internal/token"
)

// signature returns the signature in the body of a 200. Its errors are made of numbers and fixed words: those of the
// JSON package quote the body.
func signature(body []byte) (string, error) {
	if len(body) > maxBody {
		return "", fmt.Errorf("document is larger than %d bytes", maxBody)
	}
	var document map[string]json.RawMessage
	if err := json.Unmarshal(body, &document); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return "", fmt.Errorf("document is not JSON: wrong at byte %d of %d", syntax.Offset, len(body))
		}
		return "", errors.New("document is not a JSON object")
	}
	raw, ok := document["signature"]
	if !ok {
		return "", errors.New("document has no signature")
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", errors.New("signature is not a JSON string")
	}
	value, err := token.HeaderValue([]byte(text))
	if err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	return value, nil
}
