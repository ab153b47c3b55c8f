package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/telemetry/guestagent"
)

// eventLog is the agent's own event writer: a file with one object per line. What an event says is bootpointer's,
// so that the same queries find it; where and how it is written is the agent's.
type eventLog string

var _ bootpointer.Reporter = eventLog("")

// event is one line.
type event struct {
	Task, Level, Message string
}

// Report implements [bootpointer.Reporter].
func (l eventLog) Report(_ context.Context, r bootpointer.Result) error {
	e := guestagent.EventOf(r)
	line, err := json.Marshal(event{Task: e.TaskName, Level: e.Level, Message: e.Message})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(string(l), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
