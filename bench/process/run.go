package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// usage is what one run took.
type usage struct {
	wall, cpu time.Duration
	peak      int // resident memory in KiB
}

// launch runs a program through the launcher, which accounts for it.
func launch(ctx context.Context, launcher, program string, args ...string) (usage, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return usage{}, err
	}
	defer r.Close()
	cmd := exec.CommandContext(ctx, launcher, append([]string{program}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // no variable of whoever measures changes what is measured
	cmd.ExtraFiles = []*os.File{w}                  // file descriptor 3
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err = cmd.Run()
	w.Close()
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", program, err, output.Bytes())
	}
	var wall, user, system int64
	var u usage
	var status int
	if _, err := fmt.Fscanln(r, &wall, &user, &system, &u.peak, &status); err != nil {
		return usage{}, fmt.Errorf("%s: no usage from the launcher: %w", program, err)
	}
	if status != 0 {
		return usage{}, fmt.Errorf("%s: exit status %d\n%s", program, status, output.Bytes())
	}
	u.wall, u.cpu = time.Duration(wall), time.Duration(user+system)*time.Microsecond
	return u, nil
}
