// Package token treats the proof of a node's identity alike wherever it passes through: [HeaderValue] makes it fit
// for a header when it comes in, [Redact] keeps it out of what goes to logs and errors.
package token
