package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// process is the service in a process of its own, so that what it costs is measured apart from the nodes.
type process struct {
	opening
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

// startProcess starts this program again as the service. It ends with ctx, and with [process.close].
func startProcess(ctx context.Context, m mode, admit int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, serviceCommand, "-mode", m.name, "-admit", strconv.Itoa(admit))
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, answers: json.NewDecoder(out)}
	if err := p.answers.Decode(&p.opening); err != nil {
		p.close()
		return nil, fmt.Errorf("service: %w", err)
	}
	return p, nil
}

// start has the service's clock run from now on.
func (p *process) start() (time.Time, error) {
	if _, err := fmt.Fprintln(p.in); err != nil {
		return time.Time{}, fmt.Errorf("service: %w", err)
	}
	var answer string
	if err := p.answers.Decode(&answer); err != nil {
		return time.Time{}, fmt.Errorf("service: %w", err)
	}
	return time.Now(), nil
}

// end stops the service and returns what it saw.
func (p *process) end() (record, error) {
	var r record
	if err := p.in.Close(); err != nil {
		return r, fmt.Errorf("service: %w", err)
	}
	if err := p.answers.Decode(&r); err != nil {
		return r, fmt.Errorf("service: %w", err)
	}
	return r, nil
}

// close lets the process end, by force if its input's end does not do it in time, and waits for it.
func (p *process) close() {
	_ = p.in.Close()
	force := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer force.Stop()
	_ = p.cmd.Wait()
}
