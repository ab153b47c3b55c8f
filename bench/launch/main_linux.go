package main

import (
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	usageFD      = 3
	notFound     = 127 // as shells exit when there is no such program
	signalStatus = 128
)

func main() {
	syscall.CloseOnExec(usageFD)
	if len(os.Args) < 2 {
		fail("no program named")
	}
	args := os.Args[1:]
	began := time.Now()
	pid, err := syscall.ForkExec(args[0], args, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		fail(args[0] + ": " + err.Error())
	}
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err = syscall.Wait4(pid, &status, 0, &usage)
		if err != syscall.EINTR {
			break
		}
	}
	wall := time.Since(began)
	if err != nil {
		fail(err.Error())
	}
	report(wall, usage, status)
}

// report writes one line. fmt would do it at the price of a megabyte.
func report(wall time.Duration, usage syscall.Rusage, status syscall.WaitStatus) {
	exit := status.ExitStatus()
	if status.Signaled() {
		exit = signalStatus + int(status.Signal())
	}
	var line []byte
	for _, n := range []int64{
		wall.Nanoseconds(), usage.Utime.Nano() / 1e3, usage.Stime.Nano() / 1e3, usage.Maxrss, int64(exit),
	} {
		line = append(strconv.AppendInt(line, n, 10), ' ')
	}
	line[len(line)-1] = '\n'
	if _, err := syscall.Write(usageFD, line); err != nil {
		fail("file descriptor 3: " + err.Error())
	}
}

func fail(message string) {
	_, _ = os.Stderr.WriteString("launch: " + message + "\n")
	os.Exit(notFound)
}
