// Command insert replaces a section of a document by its standard input.
//
//	insert SECTION FILE <text
//
// The section is what stands between the lines <!-- SECTION:begin --> and <!-- SECTION:end -->.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: insert SECTION FILE <text")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "insert:", err)
		os.Exit(1)
	}
}

func run(section, path string, in io.Reader) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := replaced(string(document), section, string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(changed), 0o644)
}

// replaced returns document with text in the section.
func replaced(document, section, text string) (string, error) {
	begin, end := "<!-- "+section+":begin -->\n", "<!-- "+section+":end -->"
	before, rest, ok := strings.Cut(document, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("no section %q", section)
	}
	return before + begin + strings.TrimSpace(text) + "\n" + end + after, nil
}
