package pointer

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// roleVariable makes the test binary another process of a test: it names a role and has the pointer file after a blank.
const roleVariable = "BOOTPOINTER_TEST_ROLE"

func TestMain(m *testing.M) {
	role, path, ok := strings.Cut(os.Getenv(roleVariable), " ")
	if !ok {
		goleak.VerifyTestMain(m)
	}
	play, ok := map[string]func(string) error{"stage": playStager, "merge": playMerger, "write": playWriter}[role]
	if !ok {
		fmt.Fprintln(os.Stderr, "no role", role)
		os.Exit(2)
	}
	if err := play(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// actor returns a command that plays a role at the pointer file.
func actor(role, path string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role+" "+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// playStager stages two pointers in turn until it is killed, by itself before the operation that its argument
// counts to.
func playStager(path string) error {
	suicide, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	s, err := NewStager(path)
	if err != nil {
		return err
	}
	s.disk.before = func(string, string) error {
		if suicide--; suicide == 0 {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}
	fmt.Println("ready")
	for patch := 0; ; patch ^= 1 {
		if _, err := s.Stage(context.Background(), patchPointer(patch)); err != nil {
			return err
		}
	}
}

// playMerger merges one entry.
func playMerger(path string) error {
	s, err := NewStager(path)
	if err != nil {
		return err
	}
	_, err = s.Merge(context.Background(), Pointer{Hotfixes: map[string]string{os.Args[1]: os.Args[1] + ".1"}})
	return err
}

// playWriter truncates and rewrites the pointer file as cloud-init does, at each line it reads: how many microseconds
// to wait first and between the chunks of a write, and what to write.
func playWriter(path string) error {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var before, between int
		var text string
		if _, err := fmt.Sscan(in.Text(), &before, &between, &text); err != nil {
			return err
		}
		time.Sleep(time.Duration(before) * time.Microsecond)
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		for _, chunk := range []string{text[:len(text)/3], text[len(text)/3:]} {
			time.Sleep(time.Duration(between) * time.Microsecond)
			if _, err := f.WriteString(chunk); err != nil {
				return err
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
		fmt.Println("written")
	}
	return in.Err()
}

// rounds returns how often a torture test tries: few, unless BOOTPOINTER_TORTURE says how many.
func rounds(t *testing.T, few int) int {
	t.Helper()
	many := os.Getenv("BOOTPOINTER_TORTURE")
	if many == "" {
		return few
	}
	n, err := strconv.Atoi(many)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
