package main

import (
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
)

// httpStatus is the status that a gateway makes of each code.
var httpStatus = map[codes.Code]int{
	codes.Canceled:           499,
	codes.Unknown:            http.StatusInternalServerError,
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
	codes.NotFound:           http.StatusNotFound,
	codes.AlreadyExists:      http.StatusConflict,
	codes.PermissionDenied:   http.StatusForbidden,
	codes.ResourceExhausted:  http.StatusTooManyRequests,
	codes.FailedPrecondition: http.StatusBadRequest,
	codes.Aborted:            http.StatusConflict,
	codes.OutOfRange:         http.StatusBadRequest,
	codes.Unimplemented:      http.StatusNotImplemented,
	codes.Internal:           http.StatusInternalServerError,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.DataLoss:           http.StatusInternalServerError,
	codes.Unauthenticated:    http.StatusUnauthorized,
}

// parseCode takes a code in any spelling: not-found, NOT_FOUND, NotFound.
func parseCode(name string) (codes.Code, bool) {
	letters := strings.NewReplacer("-", "", "_", "")
	for code := range httpStatus {
		if strings.EqualFold(letters.Replace(name), code.String()) {
			return code, true
		}
	}
	return codes.OK, false
}

// codeNames returns the codes as they are typed, in their order.
func codeNames() []string {
	var names []string
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if _, ok := httpStatus[code]; !ok {
			continue
		}
		var name strings.Builder
		for i, r := range code.String() {
			if i > 0 && 'A' <= r && r <= 'Z' {
				name.WriteByte('-')
			}
			name.WriteRune(r)
		}
		names = append(names, strings.ToLower(name.String()))
	}
	return names
}
