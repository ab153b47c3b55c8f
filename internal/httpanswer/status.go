package httpanswer

import (
	"fmt"
	"net/http"
	"strings"
)

// StatusError is an answer whose status is no success.
type StatusError struct {
	// Code is the HTTP status.
	Code int
	// Words are the first of the body, as [FirstWords] returns them, or empty.
	Words string
}

// Error returns the status with its name, and the words.
func (e *StatusError) Error() string {
	status := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Code, http.StatusText(e.Code)))
	if e.Words == "" {
		return status
	}
	return status + ": " + e.Words
}
