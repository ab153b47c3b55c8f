package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeDocs puts the sections into fleet.md of dir and draws the plots in its folder fleet.
func (rs *results) writeDocs(dir string) error {
	path := filepath.Join(dir, "fleet.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page := string(text)
	for _, part := range rs.sections() {
		if page, err = replaceSection(page, part); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	plots := filepath.Join(dir, "fleet")
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		draw func() ([]byte, error)
	}{{"window.svg", rs.drawWindows}, {"herd.svg", rs.drawHerds}, {"outcome.svg", rs.drawOutcomes}} {
		svg, err := p.draw()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(plots, p.name), svg, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// replaceSection replaces what stands between the markers of part.
func replaceSection(page string, part section) (string, error) {
	begin, end := "<!-- fleet: "+part.name+" -->\n", "<!-- /fleet: "+part.name+" -->"
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return "", fmt.Errorf("no marker %q", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no marker %q", end)
	}
	return before + begin + part.text + end + after, nil
}
