package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/bootpointer/bootpointer"
	"github.com/bootpointer/bootpointer/pointer"
	"github.com/bootpointer/bootpointer/source/imds"
	"github.com/bootpointer/bootpointer/source/nodeconfig"
	grpctransport "github.com/bootpointer/bootpointer/transport/grpc"
)

const (
	defaultTimeout = bootpointer.DefaultTimeout
	// maxTimeout keeps a typing error from holding up a boot.
	maxTimeout = time.Minute
	// defaultEventsDir is where the guest agent collects events from.
	defaultEventsDir = "/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events/"
	envPrefix        = "CHECK_HOTFIX_"
)

// lookupEnv is os.LookupEnv.
type lookupEnv func(name string) (string, bool)

// settings is what the command line and the environment ask for.
type settings struct {
	nodeConfig     string
	nbcCmd         string
	pointer        string
	currentVersion string
	component      string
	transports     transportNames
	target         string
	serverName     string
	imdsEndpoint   string
	timeout        duration
	eventsDir      string
	dryRun         bool
	output         choice
	logLevel       level
	logFormat      choice
	// operand is the command's argument, empty where there is none.
	operand string
	report  string
}

// parseSettings reads the environment, then the command line, which wins. It returns [flag.ErrHelp] when help is
// asked for.
func parseSettings(c command, args []string, env lookupEnv) (*settings, error) {
	s := new(settings)
	flags := c.flagSet(s)
	s.transports.replace = true // the default
	if err := setFromEnv(flags, env); err != nil {
		return nil, err
	}
	s.transports.replace = true // what the environment says
	if err := flags.Parse(args); err != nil {
		return nil, withTwoDashes(err)
	}
	if err := s.setOperand(c.operand, flags.Args()); err != nil {
		return nil, err
	}
	return s, s.validate(flags)
}

// setOperand takes the arguments that are no flags, of which a command has one at most.
func (s *settings) setOperand(o *operand, args []string) error {
	if o == nil {
		if len(args) > 0 {
			return unknownArgument(args[0])
		}
		return nil
	}
	switch {
	case len(args) > 1:
		return unknownArgument(args[1])
	case len(args) == 1 && !slices.Contains(o.of(), args[0]):
		return fmt.Errorf("%s %q is not one of %s", o.name, args[0], strings.Join(o.of(), ", "))
	case len(args) == 0 && !o.optional:
		return fmt.Errorf("no %s: one of %s", o.name, strings.Join(o.of(), ", "))
	case len(args) == 1:
		s.operand = args[0]
	}
	return nil
}

func unknownArgument(arg string) error {
	if slices.Contains(commandNames(), arg) {
		return fmt.Errorf("command %q has to come first, before any flag", arg)
	}
	return fmt.Errorf("unknown command or argument %q", arg)
}

// withTwoDashes has the errors of package flag name flags as the help does.
func withTwoDashes(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	return errors.New(strings.NewReplacer("flag -", "flag --", "defined: -", "defined: --", "argument: -", "argument: --").Replace(err.Error()))
}

// bindCheck binds the flags of the check itself, and sets their defaults. The usage of a flag is its line in the help.
func (s *settings) bindCheck(f *flag.FlagSet) {
	s.bindNode(f)
	s.bindNetwork(f)
	s.bindStaged(f)
	s.bindOutput(f)
	s.logFormat = choice{value: "json", of: []string{"json", "text"}}
	s.bindComponent(f)
	s.bindEvents(f)
	f.BoolVar(&s.dryRun, "dry-run", false, "write nothing, say what would be")
	f.Var(&s.logLevel, "log-level", "`level` of the log on stderr: "+strings.Join(knownLevels, ", "))
	f.Var(&s.logFormat, "log-format", "`format` of the log on stderr: json or text")
}

// bindNode binds the flags that say where the node's config is.
func (s *settings) bindNode(f *flag.FlagSet) {
	f.StringVar(&s.nodeConfig, "node-config", nodeconfig.DefaultPath, "`file` with the node's config")
	f.StringVar(&s.nbcCmd, "nbc-cmd", nodeconfig.DefaultNBCCmdPath, "`file` to read when there is no node config")
}

// bindEvents binds the flag that says where the event goes.
func (s *settings) bindEvents(f *flag.FlagSet) {
	f.StringVar(&s.eventsDir, "events-dir", defaultEventsDir, "`folder` for the event; empty for none")
}

// bindNetwork binds the flags that say whom to ask, and for how long.
func (s *settings) bindNetwork(f *flag.FlagSet) {
	s.transports = transportNames{names: []string{"grpc"}, replace: true}
	s.timeout = duration(defaultTimeout)
	f.Var(&s.transports, "transport", "`name` of a transport; repeat to try several in order: "+strings.Join(knownTransports, ", "))
	f.StringVar(&s.target, "target", "", "`host:port` to dial instead of the node config's API server; changes no names")
	f.StringVar(&s.serverName, "server-name", grpctransport.DefaultServerName, "`name` that the service's certificate has to be for, and that https asks for")
	f.StringVar(&s.imdsEndpoint, "imds-endpoint", imds.DefaultEndpoint, "`URL` of the instance metadata service")
	f.Var(&s.timeout, "timeout", "`time` the network may take in all, at most 1m; what has not answered after 3/4 of it may be given up")
}

// bindStaged binds the flags that say what is staged, and for which program.
func (s *settings) bindStaged(f *flag.FlagSet) {
	f.StringVar(&s.pointer, "pointer", pointer.DefaultPath, "`file` that the pointer is staged in")
	f.StringVar(&s.currentVersion, "current-version", version, "`version` of this node's program")
}

// bindComponent binds the flag that says what is asked for.
func (s *settings) bindComponent(f *flag.FlagSet) {
	f.StringVar(&s.component, "component", bootpointer.DefaultComponent, "`name` of the component to ask for")
}

// bindOutput binds the flag for the format of the result.
func (s *settings) bindOutput(f *flag.FlagSet) {
	s.output = choice{value: "text", of: []string{"text", "json"}}
	f.Var(&s.output, "output", "`format` of the result: text or json")
}

// envName returns the environment variable of a flag, or "" if it has none.
func envName(flagName string) string {
	switch flagName {
	case "dry-run", "output", "report": // these are for one run; a forgotten variable would change every boot
		return ""
	}
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// setFromEnv sets flags from their variables. An empty variable counts as unset, but for --events-dir, where empty
// means none.
func setFromEnv(flags *flag.FlagSet, env lookupEnv) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		name := envName(f.Name)
		value, ok := env(name)
		if name == "" || !ok || value == "" && f.Name != "events-dir" || err != nil {
			return
		}
		if setErr := f.Value.Set(value); setErr != nil {
			err = fmt.Errorf("environment variable %s: %w", name, setErr)
		}
	})
	return err
}

// validate checks what the flags' own types cannot. A command has only some of the flags.
func (s *settings) validate(flags *flag.FlagSet) error {
	for _, name := range []string{"node-config", "nbc-cmd", "pointer", "component", "server-name"} {
		if f := flags.Lookup(name); f != nil && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	if t := time.Duration(s.timeout); flags.Lookup("timeout") != nil && (t <= 0 || t > maxTimeout) {
		return fmt.Errorf("--timeout %s is not between 0 and %s", t, maxTimeout)
	}
	if s.target != "" {
		if host, port, err := net.SplitHostPort(s.target); err != nil || host == "" || port == "" {
			return fmt.Errorf("--target %q is not host:port", s.target)
		}
	}
	return nil
}

// duration is a flag with a time span.
type duration time.Duration

// String returns it as Go writes it, for example "4s".
func (d *duration) String() string { return time.Duration(*d).String() }

// Set takes a time span with its unit.
func (d *duration) Set(value string) error {
	parsed, err := time.ParseDuration(value)
	if err != nil {
		return errors.New("not a time such as 4s or 500ms")
	}
	*d = duration(parsed)
	return nil
}

// choice is a flag with a fixed set of values.
type choice struct {
	value string
	of    []string
}

// String returns the value.
func (c *choice) String() string { return c.value }

// Set takes one of the values.
func (c *choice) Set(value string) error {
	if !slices.Contains(c.of, value) {
		return fmt.Errorf("%q is not one of %s", value, strings.Join(c.of, ", "))
	}
	c.value = value
	return nil
}

// knownLevels are the values of --log-level that the help names. It takes any that package slog knows.
var knownLevels = []string{"debug", "info", "warn", "error"}

// level is a flag with the level of a log.
type level slog.Level

// Level makes it a [slog.Leveler].
func (l *level) Level() slog.Level { return slog.Level(*l) }

// String returns it in small letters.
func (l *level) String() string { return strings.ToLower(l.Level().String()) }

// Set takes a name of a level, in any case.
func (l *level) Set(value string) error { return (*slog.Level)(l).UnmarshalText([]byte(value)) }

// knownTransports are the values of --transport.
var knownTransports = []string{"grpc", "https"}

// transportNames is the flag --transport: repeatable, or a comma-separated list, in order.
type transportNames struct {
	names   []string
	replace bool // the next value replaces the default, or what the environment said
}

// String returns the names as one list.
func (t *transportNames) String() string { return strings.Join(t.names, ",") }

// Set adds names.
func (t *transportNames) Set(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(knownTransports, name) {
			return fmt.Errorf("%q is not one of %s", name, strings.Join(knownTransports, ", "))
		}
		if t.replace {
			t.names, t.replace = nil, false
		}
		if slices.Contains(t.names, name) {
			return fmt.Errorf("%q is given twice", name)
		}
		t.names = append(t.names, name)
	}
	return nil
}
