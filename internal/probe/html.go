package probe

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// HTML writes the report as one page that needs nothing else: no script, no other file, no network. It is a tree of nodes
// until it is written, so that text cannot become markup, and its policy has a browser run and load nothing.
func (r Report) HTML(w io.Writer) error {
	hash := sha256.Sum256([]byte(css))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	page := &html.Node{Type: html.DocumentNode}
	page.AppendChild(&html.Node{Type: html.DoctypeNode, Data: "html"})
	page.AppendChild(element("html", attrs{"lang", "en"},
		element("head", nil,
			element("meta", attrs{"charset", "utf-8"}),
			element("meta", attrs{"http-equiv", "Content-Security-Policy", "content", policy}),
			element("meta", attrs{"name", "viewport", "content", "width=device-width, initial-scale=1"}),
			element("title", nil, text("check-hotfix probe: "+verdict(r.Healthy))),
			element("style", nil, text(css))),
		element("body", nil, r.diagnosisNode(), r.factsNode(), r.waterfallNode(), r.layersNode())))
	return html.Render(w, page)
}

// attrs are names and values in turn.
type attrs []string

func element(name string, a attrs, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: name}
	for i := 0; i+1 < len(a); i += 2 {
		n.Attr = append(n.Attr, html.Attribute{Key: a[i], Val: a[i+1]})
	}
	for _, c := range children {
		n.AppendChild(c)
	}
	return n
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func verdict(healthy bool) string {
	if healthy {
		return "healthy"
	}
	return "not healthy"
}

func (r Report) diagnosisNode() *html.Node {
	status := Failed
	if r.Healthy {
		status = OK
	}
	n := element("header", attrs{"class", "diagnosis " + string(status)},
		element("p", attrs{"class", "verdict"}, text("check-hotfix probe: "+verdict(r.Healthy))),
		element("h1", nil, text(r.Diagnosis.Sentence)),
		element("p", attrs{"class", "next"}, element("strong", nil, text("Next: ")), text(r.Diagnosis.Next)))
	if r.Diagnosis.Command != "" {
		n.AppendChild(element("pre", nil, text(r.Diagnosis.Command)))
	}
	for _, also := range r.Diagnosis.Also {
		n.AppendChild(element("p", attrs{"class", "next"}, element("strong", nil, text("Also: ")), text(also)))
	}
	return n
}

func (r Report) factsNode() *html.Node {
	return element("p", attrs{"class", "facts"}, text(fmt.Sprintf("%s · component %s · this node runs %s · took %s",
		r.Started.UTC().Format("2006-01-02 15:04:05 UTC"), r.Component, r.CurrentVersion, Rounded(r.Duration))))
}

// waterfallNode shows when each layer began and how long it took.
func (r Report) waterfallNode() *html.Node {
	body := element("tbody", nil)
	for _, l := range r.Layers {
		body.AppendChild(element("tr", attrs{"class", string(l.Status)},
			element("th", attrs{"scope", "row"}, text(l.Title())),
			element("td", attrs{"class", "status"}, text(string(l.Status))),
			element("td", attrs{"class", "time"}, text(l.took())),
			element("td", attrs{"class", "bar"}, r.bar(l))))
	}
	return element("section", nil,
		element("h2", nil, text("Where the time went")),
		element("table", attrs{"class", "waterfall"}, body),
		element("p", attrs{"class", "note"}, text("Metadata runs beside dns, tcp and tls; the other layers follow one another.")))
}

// bar is the layer's time as a part of the whole.
func (r Report) bar(l Layer) *html.Node {
	svg := element("svg", attrs{"viewBox", "0 0 1000 10", "preserveAspectRatio", "none", "aria-hidden", "true"})
	if l.Status == Skipped {
		return svg
	}
	from, width := l.Share(r.Duration, 1000)
	svg.AppendChild(element("rect", attrs{"x", strconv.Itoa(from), "width", strconv.Itoa(width), "height", "10"}))
	return svg
}

func (r Report) layersNode() *html.Node {
	n := element("section", nil, element("h2", nil, text("Layer by layer")))
	for _, l := range r.Layers {
		list := element("dl", nil)
		add := func(name, value string) {
			if value != "" {
				list.AppendChild(element("dt", nil, text(name)))
				list.AppendChild(element("dd", nil, text(value)))
			}
		}
		add("tried", l.Tried)
		add("came back", l.Result)
		add("class", l.Class)
		add("reason", l.Reason)
		add("code", l.Code)
		for _, d := range l.Details {
			if d.Text() != l.Result {
				add(d.Title(), d.Text())
			}
		}
		n.AppendChild(element("article", attrs{"class", string(l.Status)},
			element("h3", nil, text(l.Title()), element("span", attrs{"class", "status"}, text(string(l.Status)))), list))
	}
	return n
}

// Title is how the layer is called for people, with its transport where there may be several.
func (l Layer) Title() string {
	if l.Transport == "" {
		return l.Name
	}
	return l.Name + " " + l.Transport
}

func (l Layer) took() string {
	if l.Status == Skipped {
		return "–"
	}
	return Rounded(l.Duration)
}

// Share returns where a bar of size cells begins and how long it is, for a layer of a whole that took so long. It is
// never empty and never sticks out.
func (l Layer) Share(whole time.Duration, size int) (from, width int) {
	if whole <= 0 {
		return 0, size
	}
	from = min(int(int64(l.Start)*int64(size)/int64(whole)), size-1)
	end := int((int64(l.Start+l.Duration)*int64(size) + int64(whole) - 1) / int64(whole))
	return from, max(min(end, size)-from, 1)
}

// Rounded is a time span with three digits or so, in ASCII.
func Rounded(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", ms/1000)
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2f ms", ms)
}

// Title is the detail's name in words.
func (d Detail) Title() string { return strings.ReplaceAll(d.Name, "_", " ") }

// Text is the detail's value in words, a list with semicolons.
func (d Detail) Text() string {
	if list, ok := d.Value.([]string); ok {
		return strings.Join(list, "; ")
	}
	return fmt.Sprint(d.Value)
}
