package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

const (
	// pollEvery is how long a request may wait for its line.
	pollEvery = 50 * time.Millisecond
	// maxKept is how many lines "calls" has.
	maxKept = 1000
)

// console is the conversation with whoever runs the sandbox: requests are told as they come, and commands obeyed.
type console struct {
	box            *sandbox
	stdout, stderr io.Writer
	kept           []string // the last lines about requests, for "calls"
}

// serve returns after quit, or when ctx is done. Lines may end before that.
func (c *console) serve(ctx context.Context, lines <-chan string) {
	fmt.Fprintf(c.stdout, "%s\nType a fault, such as: status unavailable; or help, reset, quit.\n", c.box.banner())
	c.state()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			c.tell()
			return
		case <-poll.C:
			c.tell()
		case line, ok := <-lines:
			if !ok {
				lines = nil
				continue
			}
			c.tell()
			if quit := c.obey(line); quit {
				return
			}
		}
	}
}

// tell prints what reached the services, and keeps it.
func (c *console) tell() {
	news := c.box.news()
	for _, line := range news {
		fmt.Fprintln(c.stdout, line)
	}
	c.kept = append(c.kept, news...)
	if over := len(c.kept) - maxKept; over > 0 {
		c.kept = slices.Delete(c.kept, 0, over)
	}
}

// obey does what a line says. It returns true for quit.
func (c *console) obey(line string) (quit bool) {
	word, rest := cutWord(line)
	commands := map[string]func(){
		"":      func() {},
		"reset": func() { c.play(healthy(c.box.served), allParts...) },
		"state": func() { fmt.Fprintln(c.stdout, c.box.banner()); c.state() },
		"calls": c.calls,
		"help":  func() { fmt.Fprint(c.stdout, commandHelp()) },
		"quit":  func() { quit = true },
	}
	command, ok := commands[word]
	switch {
	case !ok:
		c.fault(line)
	case rest != "":
		c.complain(fmt.Errorf("%s: %w", word, takesNone(rest)))
	default:
		command()
	}
	return quit
}

// fault breaks what a line says.
func (c *console) fault(line string) {
	next := c.box.scene
	changed, err := next.apply(line)
	if err != nil {
		c.complain(err)
		return
	}
	c.play(next, changed)
}

// play changes the scene and says what it is now.
func (c *console) play(sc scene, changed ...part) {
	err := c.box.play(sc, changed...)
	c.tell() // what had still come before
	if err != nil {
		c.complain(fmt.Errorf("%w; reset tries again", err))
		return
	}
	c.state()
}

// state says what is broken, after everything that may have changed it.
func (c *console) state() { fmt.Fprintf(c.stdout, "now: %s\n", &c.box.scene) }

func (c *console) complain(err error) {
	fmt.Fprintf(c.stderr, "lps-sandbox: %v; type help for all commands\n", err)
}

func (c *console) calls() {
	if len(c.kept) == 0 {
		fmt.Fprintln(c.stdout, "nothing has come yet")
	}
	for _, line := range c.kept {
		fmt.Fprintln(c.stdout, line)
	}
}

// commandHelp is the help about what can be typed.
func commandHelp() string {
	return `Commands, typed while it runs; in brackets is the reason that check-hotfix reports over gRPC.
A fault of the service takes the place of the one before. Faults of the metadata service and of the config go beside it.

  reset   all is well again
  state   where everything is, and what is broken
  calls   what has come so far
  help    this list
  quit    the end
` + faultHelp()
}
