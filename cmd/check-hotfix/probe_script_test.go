package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// probe STATUS [args]: runs the probe, which has to exit with that status and to keep the token to itself. What it prints as
// JSON has to be as docs/probe.schema.json says.
func probeOnNode(ts *testscript.TestScript, _ bool, args []string) {
	began := time.Now()
	err := ts.Exec(binary, append([]string{"probe"}, args[1:]...)...)
	nodeOf(ts).took = time.Since(began)
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
	refuseToken(ts)
	if stdout := ts.ReadFile("stdout"); strings.HasPrefix(stdout, "{") {
		ts.Check(validate(stdout))
	}
}

// validate holds a report to its schema.
func validate(report string) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../docs/probe.schema.json")
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(report))
	if err != nil {
		return err
	}
	return schema.Validate(instance)
}
