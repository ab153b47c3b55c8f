// Package httpanswer reads what an HTTP service says besides its document: [RetryAfter] and, for people, [FirstWords]
// and [StatusError].
package httpanswer
