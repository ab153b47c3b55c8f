package nodeconfig

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestC2ParseNBCCmd(t *testing.T) {
	t.Parallel()
	pem := newCA(t, "cluster-ca")
	for len(pem)%3 != 1 { // so that its base64 is padded with "=="
		pem += "\n"
	}
	ca := encode(pem)
	require.True(t, strings.HasSuffix(ca, "=="))
	old := encode(newCA(t, "old-ca"))
	file := func(name string) string { return string(sample(t, name, ca)) }

	tests := map[string]string{
		"real shape":                   file("nbc-cmd.sh"),
		"real shape, blanks missing":   file("nbc-cmd-blanks-missing.sh"),
		"real shape, quotes broken":    file("nbc-cmd-rejected.sh"),
		"300 KiB":                      string(largeNBCCmd(ca)),
		"8 MiB":                        strings.Repeat("SETTING=value ", 4<<20/14) + "API_SERVER_NAME=" + labHost + " KUBE_CA_CRT=" + ca + strings.Repeat(" SETTING=value", 4<<20/14),
		"single quotes":                `API_SERVER_NAME='@HOST@' KUBE_CA_CRT='@CA@' run`,
		"double quotes":                `API_SERVER_NAME="@HOST@" KUBE_CA_CRT="@CA@" run`,
		"no quotes":                    `API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ run`,
		"quotes joined":                `API_SERVER_NAME=""@HOST@'' KUBE_CA_CRT=''"@CA@" run`,
		"lines":                        "API_SERVER_NAME=@HOST@\nKUBE_CA_CRT=@CA@\nrun",
		"CRLF":                         "API_SERVER_NAME=@HOST@\r\nKUBE_CA_CRT=\"@CA@\"\r\nrun\r\n",
		"byte order mark":              "\ufeffAPI_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ run",
		"byte order mark and lines":    "\ufeffKUBE_CA_CRT=@CA@\nAPI_SERVER_NAME=@HOST@\nrun",
		"zero bytes around":            "\x00\x00API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@\x00",
		"escaped line breaks":          "API_SERVER_NAME=" + labHost[:10] + "\\\n" + labHost[10:] + " KUBE_CA_CRT=\"" + ca[:100] + "\\\n" + ca[100:] + "\" \\\n run",
		"line breaks in quotes":        "API_SERVER_NAME=@HOST@ KUBE_CA_CRT='" + wrapped(ca, "\n") + "' run",
		"PEM text in quotes":           "API_SERVER_NAME=@HOST@ KUBE_CA_CRT=\"" + pem + "\" run",
		"escapes":                      `API_SERVER_NAME=\a` + labHost[1:] + ` KUBE_CA_CRT="@CA@" run`,
		"after semicolons":             `set -e; API_SERVER_NAME=@HOST@; KUBE_CA_CRT=@CA@; run`,
		"export":                       `export API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@"; run`,
		"declare and local":            `f() { local API_SERVER_NAME=@HOST@; }; declare -x A B=1 KUBE_CA_CRT="@CA@"; run`,
		"readonly and typeset":         `readonly API_SERVER_NAME=@HOST@; typeset -r KUBE_CA_CRT="@CA@"`,
		"in if":                        `if [ -f "/x" ]; then API_SERVER_NAME=@HOST@ run; else KUBE_CA_CRT="@CA@" run; fi`,
		"in braces and subshell":       `{ API_SERVER_NAME=@HOST@ run; }; ( ( KUBE_CA_CRT="@CA@" run ) ) &`,
		"in a pipeline and a list":     `true && API_SERVER_NAME=@HOST@ run | KUBE_CA_CRT="@CA@" run || exit 1`,
		"in loops and case":            `for x in a; do case $x in a) API_SERVER_NAME=@HOST@;; esac; done; while :; do KUBE_CA_CRT="@CA@"; break; done`,
		"arguments of env":             `env -i API_SERVER_NAME=@HOST@ "KUBE_CA_CRT=@CA@" run`,
		"in the string of another":     `/bin/bash -c "API_SERVER_NAME='@HOST@' KUBE_CA_CRT='@CA@' run"`,
		"missing value in front":       `A=<nil> API_SERVER_NAME=@HOST@ B=<nil> KUBE_CA_CRT="@CA@" run`,
		"missing values in a row":      `A=<nil> B=<nil> API_SERVER_NAME="@HOST@" D=<nil> E=<nil> KUBE_CA_CRT='@CA@' F=<nil> run`,
		"missing value at the end":     `API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@" A=<nil>`,
		"missing value, blank missing": `A=<nil>API_SERVER_NAME=@HOST@ B=<nil>KUBE_CA_CRT="@CA@"`,
		"other names that end alike":   `OLD_KUBE_CA_CRT="@OLD@" MY_API_SERVER_NAME=old.example API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@" XKUBE_CA_CRT=@OLD@ 1API_SERVER_NAME=old.example run`,
		"other names that begin alike": `API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@" KUBE_CA_CRT_OLD="@OLD@" API_SERVER_NAME2=old.example run`,
		"twice, last wins":             `API_SERVER_NAME=old.example KUBE_CA_CRT=@OLD@ API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@" run`,
		"twice, in several commands":   `KUBE_CA_CRT=@OLD@; API_SERVER_NAME=old.example; export API_SERVER_NAME=@HOST@; KUBE_CA_CRT="@CA@" run`,
		"last after a redirection":     `API_SERVER_NAME=old.example KUBE_CA_CRT=@OLD@ A=<nil> API_SERVER_NAME=@HOST@ B=<nil> KUBE_CA_CRT=@CA@ run`,
		"last before a redirection":    `A=<nil> API_SERVER_NAME=old.example A=<nil> KUBE_CA_CRT=@OLD@ API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ run`,
		"twice, last not usable":       `API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@"; API_SERVER_NAME= KUBE_CA_CRT=""; API_SERVER_NAME="$X" KUBE_CA_CRT="$(cat /x)" run`,
		"appended":                     `API_SERVER_NAME=@HOST@ KUBE_CA_CRT="@CA@"; API_SERVER_NAME+=old.example; KUBE_CA_CRT+=@OLD@; KUBE_CA_CRT=(@OLD@); KUBE_CA_CRT[1]=@OLD@`,
		"in a comment only":            "API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ run # API_SERVER_NAME=old.example KUBE_CA_CRT=@OLD@",
		"in text only":                 `API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ run; echo "API_SERVER_NAME=old.example KUBE_CA_CRT=@OLD@"`,
		"blank missing in front":       `KEY="true"API_SERVER_NAME=@HOST@ OTHER='x'KUBE_CA_CRT="@CA@"`,
		"blank missing between":        `API_SERVER_NAME="@HOST@"KUBE_CA_CRT="@CA@"`,
		"blank missing, other order":   `KUBE_CA_CRT="@CA@"API_SERVER_NAME="@HOST@"`,
		"blank missing behind":         `API_SERVER_NAME="@HOST@"X=1 KUBE_CA_CRT="@CA@"Y=2 run`,
		"rejected: quote":              `A="it"s API_SERVER_NAME=@HOST@ "KUBE_CA_CRT="@CA@" B='`,
		"rejected: bracket":            `API_SERVER_NAME='@HOST@' KUBE_CA_CRT=@CA@) run`,
		"rejected: keyword":            `fi; API_SERVER_NAME="@HOST@"; KUBE_CA_CRT="` + wrapped(ca, "\\\n") + `"`,
		"rejected: last wins":          `fi; API_SERVER_NAME=old.example KUBE_CA_CRT=@OLD@ API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@`,
		"rejected: other names":        `fi; API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ OLD_KUBE_CA_CRT=@OLD@ OLD_API_SERVER_NAME=old.example`,
		"rejected: last not usable":    `fi; API_SERVER_NAME=@HOST@ KUBE_CA_CRT=@CA@ API_SERVER_NAME=$(host) KUBE_CA_CRT="$X"`,
		"rejected: quote never closed": `fi; API_SERVER_NAME="@HOST@" KUBE_CA_CRT="@CA@`,
		"rejected: text in front":      `fi; echo "set KUBE_CA_CRT="; KUBE_CA_CRT="@CA@" API_SERVER_NAME=@HOST@`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := strings.NewReplacer("@HOST@", labHost, "@CA@", ca, "@OLD@", old).Replace(script)
			c, err := ParseNBCCmd([]byte(script))
			require.NoError(t, err)
			endpoint, err := c.Endpoint(t.Context())
			require.NoError(t, err)
			assert.Equal(t, labHost, endpoint.Host)
			require.Len(t, endpoint.CAs, 1)
			assert.Equal(t, "cluster-ca", endpoint.CAs[0].Subject.CommonName)
		})
	}
}

func TestC2ExpansionIsNoValue(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	mark := filepath.Join(t.TempDir(), "x")
	values := map[string]string{
		"command":                   `$(touch @MARK@)`,
		"command in quotes":         `"$(touch @MARK@)"`,
		"command behind a name":     `host.example$(touch @MARK@)`,
		"command in backquotes":     "`touch @MARK@`",
		"backquotes in quotes":      "\"a`touch @MARK@`\"",
		"process":                   `<(touch @MARK@)`,
		"variable":                  `$HOST`,
		"variable in quotes":        `"${HOST:-host.example}"`,
		"number":                    `$((1+1))`,
		"escapes of ANSI C":         `$'host.example'`,
		"translation":               `$"host.example"`,
		"pattern":                   `@(host.example)`,
		"behind a missing value":    `<nil> API_SERVER_NAME=$(touch @MARK@)`,
		"command in a broken place": `$(touch @MARK@; fi`,
	}
	for name, value := range values {
		for place, script := range map[string]string{
			"":           `API_SERVER_NAME=@VALUE@ KUBE_CA_CRT="@CA@" run`,
			" rejected":  `API_SERVER_NAME=@VALUE@ KUBE_CA_CRT="@CA@" run "`,
			" in export": `export KUBE_CA_CRT="@CA@" API_SERVER_NAME=@VALUE@`,
		} {
			t.Run(name+place, func(t *testing.T) {
				t.Parallel()
				script := strings.NewReplacer("@VALUE@", value, "@CA@", ca).Replace(script)
				c, err := ParseNBCCmd([]byte(strings.ReplaceAll(script, "@MARK@", mark)))
				require.NoError(t, err)
				assert.Empty(t, c.Host)
				assert.Len(t, c.CAs, 1)
				_, err = c.Endpoint(t.Context())
				require.ErrorContains(t, err, "node config: API_SERVER_NAME: ")
				assert.NotContains(t, err.Error(), "host.example")
				assert.NoFileExists(t, mark)
			})
		}
	}
}

func TestC2ParseNBCCmdUnusable(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	tests := map[string]struct{ script, want string }{
		"host missing":   {`KUBE_CA_CRT="@CA@" SECRET=s3cr3t run`, "node config: API_SERVER_NAME is missing"},
		"host empty":     {`API_SERVER_NAME= KUBE_CA_CRT="@CA@" SECRET=s3cr3t run`, "node config: API_SERVER_NAME: host is empty"},
		"host <nil>":     {`API_SERVER_NAME=<nil> KUBE_CA_CRT="@CA@" run`, "node config: API_SERVER_NAME: host is empty"},
		"host expansion": {`API_SERVER_NAME="$H" KUBE_CA_CRT="@CA@" run`, "node config: API_SERVER_NAME: is not literal text, and nothing is run to find out"},
		"host no name":   {`API_SERVER_NAME="s3cr3t!" KUBE_CA_CRT="@CA@" run`, "node config: API_SERVER_NAME: host is no valid name"},
		"CA missing":     {`API_SERVER_NAME=a.example run`, "node config: KUBE_CA_CRT is missing"},
		"CA no bundle":   {`API_SERVER_NAME=a.example KUBE_CA_CRT="s3cr3t!" run`, "node config: KUBE_CA_CRT: neither PEM nor base64 of it"},
		"the last one's": {`API_SERVER_NAME=a.example KUBE_CA_CRT="s3cr3t!" KUBE_CA_CRT= run`, "node config: KUBE_CA_CRT: is empty"},
		"both":           {`API_SERVER_NAME= KUBE_CA_CRT="s3cr3t!" run`, "node config: API_SERVER_NAME: host is empty; KUBE_CA_CRT: neither PEM nor base64 of it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := ParseNBCCmd([]byte(strings.ReplaceAll(tt.script, "@CA@", ca)))
			require.NoError(t, err)
			_, err = c.Endpoint(t.Context())
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestC2ParseNBCCmdNeitherVariable(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"", "\x00", "run", `{"api_server_config":{"api_server_name":"a.example"}}`, "API_SERVER_NAME KUBE_CA_CRT", "OLD_KUBE_CA_CRT=x"} {
		c, err := ParseNBCCmd([]byte(script))
		require.EqualError(t, err, "has no assignment to API_SERVER_NAME or KUBE_CA_CRT", "%q", script)
		assert.Equal(t, Config{}, c)
	}
}

// Each of these would take gigabytes of stack, and with it the process, if the parser were let.
func TestC2ParseNBCCmdNestedWithoutEnd(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	assignments := "API_SERVER_NAME=" + labHost + " KUBE_CA_CRT=" + ca + "\n"
	for _, open := range []string{"(", "((", "$(", "$((", "\"$(", "${a:-", "`", "{ ", "if ", "while ", "f(){ ", "a|", "a&&", "a[", "case x in x) ", "<(", "a <<E;"} {
		t.Run(open, func(t *testing.T) {
			t.Parallel()
			nested := strings.Repeat(open, (maxParsed-len(assignments)-1)/len(open))
			c, err := ParseNBCCmd([]byte(nested + "\n" + assignments))
			require.NoError(t, err)
			assert.Equal(t, labHost, c.Host)
			assert.Len(t, c.CAs, 1)
		})
	}
}

// The shell parser and the scan read a value alike where both can.
func TestC2Quoting(t *testing.T) {
	t.Parallel()
	tests := map[string]value{
		``:                      {"", true},
		`a`:                     {"a", true},
		`\a\$\"\\`:              {`a$"\`, true},
		"a\\\nb":                {"ab", true},
		`'a b'`:                 {"a b", true},
		`'a\$b'`:                {`a\$b`, true},
		`'$(a)'`:                {"$(a)", true},
		`"a b"`:                 {"a b", true},
		`"a'b"`:                 {"a'b", true},
		`"a\"b"`:                {`a"b`, true},
		"\"\\a\\$\\\"\\\\\\`\"": {"\\a$\"\\`", true},
		"\"a\\\nb\nc\"":         {"ab\nc", true},
		`"a$b"`:                 {"a", false},
		"\"a`b`\"":              {"a", false},
		`a$b`:                   {"a", false},
		`$(a)`:                  {"", false},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			script := "API_SERVER_NAME=" + text + " run"
			for how, got := range map[string][]value{
				"parsed":  parseAssignments(script)[hostVariable],
				"scanned": scanAssignments(script, hostVariable),
			} {
				require.Len(t, got, 1, how)
				assert.Equal(t, want.literal, got[0].literal, how)
				if want.literal {
					assert.Equal(t, want.text, got[0].text, how)
				}
			}
		})
	}
}

func TestScriptTooLargeIsNotParsed(t *testing.T) {
	t.Parallel()
	const assignment = "API_SERVER_NAME=a.example"
	largest := strings.Repeat(" ", maxParsed-len(assignment)) + assignment
	assert.Len(t, parseAssignments(largest)[hostVariable], 1)
	assert.Empty(t, parseAssignments(" "+largest))
}
