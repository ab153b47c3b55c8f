package guestagent

import (
	"bytes"
	"encoding/json"
	"time"
)

const (
	// version is what the guest agent's schema of extension events has in "Version".
	version = "1.23"
	// timeLayout has milliseconds and no zone; the guest agent reads it as UTC.
	timeLayout = "2006-01-02 15:04:05.000"
)

// The levels of events.
const (
	Informational = "Informational"
	Error         = "Error"
)

// Event is something that took some time.
type Event struct {
	// TaskName is what was done, for example "AKS.AKSNodeController.CheckHotfix".
	TaskName string
	// Level is [Informational] or [Error].
	Level string
	// Message may be any text; it is written in one line of at most [MaxMessage] bytes.
	Message string
	// Start and End are when it began and ended; they are written in UTC, to the millisecond.
	Start, End time.Time
}

// file is an event as the guest agent reads it: all members are strings, and the end of the event stands where the
// agent has the id of an operation.
type file struct {
	Timestamp   string
	OperationID string `json:"OperationId"`
	Version     string
	TaskName    string
	EventLevel  string
	Message     string
	EventPid    string
	EventTid    string
}

// encode returns the event as the content of its file.
func (e Event) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(file{
		Timestamp:   e.Start.UTC().Format(timeLayout),
		OperationID: e.End.UTC().Format(timeLayout),
		Version:     version,
		TaskName:    e.TaskName,
		EventLevel:  e.Level,
		Message:     clean(e.Message),
		EventPid:    "0",
		EventTid:    "0",
	})
	return b.Bytes(), err
}
