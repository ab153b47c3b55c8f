package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/bootpointer/bootpointer/pointer"
)

// anyPort is the default of the addresses: a free port of the loopback.
const anyPort = "127.0.0.1:0"

// settings is what the command line asks for.
type settings struct {
	dir            string // the node folder, or "" for a temporary one
	currentVersion string
	grpcAddress    string
	httpsAddress   string
	identAddress   string

	// served and embedded are the versions that the service and the node's config have: the ones after the current one.
	served, embedded string
	scene            scene
}

// parseSettings reads the command line. It returns [flag.ErrHelp] when help is asked for.
func parseSettings(args []string) (*settings, error) {
	s := new(settings)
	var faults []string
	flags := s.flagSet(&faults)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unknown argument %q; a fault of several words is quoted: --fault 'cert expired'", flags.Arg(0))
	}
	for name, address := range map[string]string{
		"listen": s.grpcAddress, "listen-https": s.httpsAddress, "listen-metadata": s.identAddress,
	} {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("--%s %q is not host:port", name, address)
		}
	}
	if err := s.chooseVersions(); err != nil {
		return nil, err
	}
	s.scene = healthy(s.served)
	for _, line := range faults {
		if _, err := s.scene.apply(line); err != nil {
			return nil, fmt.Errorf("--fault: %w", err)
		}
	}
	return s, nil
}

// flagSet binds the flags to s and sets their defaults. The usage of a flag is its line in the help.
func (s *settings) flagSet(faults *[]string) *flag.FlagSet {
	f := flag.NewFlagSet("lps-sandbox", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("fault", "`fault` to begin with, as it is typed later; repeat for more than one", func(line string) error {
		*faults = append(*faults, line)
		return nil
	})
	f.StringVar(&s.dir, "dir", "", "`folder` for the node's files, which is kept (default a temporary one, removed at the end)")
	f.StringVar(&s.currentVersion, "current-version", "202604.01.0", "`version` that the node runs; the service has a hotfix for it")
	f.StringVar(&s.grpcAddress, "listen", anyPort, "`host:port` of the service over gRPC")
	f.StringVar(&s.httpsAddress, "listen-https", anyPort, "`host:port` of the service over HTTPS")
	f.StringVar(&s.identAddress, "listen-metadata", anyPort, "`host:port` of the metadata service")
	return f
}

// chooseVersions has the node's own pointer one patch ahead of the node, and the service's two.
func (s *settings) chooseVersions() error {
	base, ok := pointer.Base(s.currentVersion)
	if !ok {
		return fmt.Errorf("--current-version %q is not a version YYYYMM.DD.PATCH, such as 202604.01.0", s.currentVersion)
	}
	patch, err := strconv.ParseUint(strings.TrimPrefix(s.currentVersion, base+"."), 10, 64)
	if err != nil {
		return err
	}
	s.embedded = fmt.Sprintf("%s.%d", base, patch+1)
	s.served = fmt.Sprintf("%s.%d", base, patch+2)
	if !pointer.ShouldUpgrade(s.embedded, s.served) {
		return fmt.Errorf("--current-version %q has no patches after it", s.currentVersion)
	}
	return nil
}

// hotfix is the pointer to one version.
func hotfix(version string) string {
	base, _ := pointer.Base(version)
	return fmt.Sprintf(`{"hotfixes":{%q:%q}}`, base, version)
}

func printHelp(w io.Writer) {
	var b strings.Builder
	b.WriteString(`lps-sandbox serves check-hotfix a live-patching service, a metadata service and the files of a node, and breaks them.

Usage:
  lps-sandbox [flags]     serve until interrupted; commands on stdin say what is broken

Examples:
  lps-sandbox                                          all is well, to begin with
  lps-sandbox --fault 'cert expired'                   begin with a fault
  lps-sandbox --dir node --listen 127.0.0.1:8443       keep the folder, and the same port every time

Flags:
`)
	new(settings).flagSet(new([]string)).VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %s\n        %s", strings.TrimSpace("--"+f.Name+" "+name), usage)
		if f.DefValue != "" {
			fmt.Fprintf(&b, " (default %s)", f.DefValue)
		}
		b.WriteByte('\n')
	})
	b.WriteByte('\n')
	b.WriteString(commandHelp())
	b.WriteString(`
On a terminal its end (ctrl-D) is quit; any other stdin may end without ending the sandbox.
The exit status is 0 after quit or a signal, 2 for a usage error, 1 when the sandbox cannot be set up.
`)
	io.WriteString(w, b.String())
}
