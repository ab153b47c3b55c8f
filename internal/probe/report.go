package probe

import (
	"encoding/json"
	"math"
	"time"

	"github.com/bootpointer/bootpointer/transport"
)

// The layers, in the order of a report.
const (
	LayerConfig   = "config"
	LayerCA       = "ca"
	LayerMetadata = "metadata"
	LayerDNS      = "dns"
	LayerTCP      = "tcp"
	LayerTLS      = "tls"
	LayerALPN     = "alpn"
	LayerCall     = "call"
	LayerPointer  = "pointer"
	LayerFile     = "file"
	LayerEvents   = "events"
)

// Status says what became of a layer.
type Status string

// The statuses.
const (
	// OK: as it should be.
	OK Status = "ok"
	// Warning: it works, and something about it is odd.
	Warning Status = "warning"
	// Failed: a check fails here, or would if it came this far.
	Failed Status = "failed"
	// Skipped: not tried, for want of something from an earlier layer or because the probe was interrupted.
	Skipped Status = "skipped"
)

// Report is what a probe found. Its texts are printable, on one line each, bounded, and without the token. It marshals to
// one JSON object, whose schema is docs/probe.schema.json.
type Report struct {
	// Healthy says that a check would get an answer, be it that nothing is published, and could stage it.
	Healthy   bool
	Diagnosis Diagnosis
	// CurrentVersion and Component are what the check would ask with.
	CurrentVersion, Component string
	Started                   time.Time
	Duration                  time.Duration
	Layers                    []Layer
}

// Diagnosis is what to make of a report.
type Diagnosis struct {
	// Layer and Transport say where the fault is; both are empty when there is none.
	Layer     string `json:"layer"`
	Transport string `json:"transport"`
	// Reason is the layer's.
	Reason string `json:"reason"`
	// Sentence says what is wrong, Next what to do about it.
	Sentence string `json:"sentence"`
	Next     string `json:"next"`
	// Command is one for a shell that does what Next says, where there is one.
	Command string `json:"command,omitempty"`
	// Also has a sentence for each further fault.
	Also []string `json:"also"`
}

// Layer is what became of one layer.
type Layer struct {
	Name string
	// Transport is set in the layers that each transport has to itself.
	Transport string
	Status    Status
	// Start is when it began after the probe did. Some layers run side by side.
	Start, Duration time.Duration
	// Tried and Result are for people: what was tried, and what came back.
	Tried, Result string
	// Class, Reason and Code are as in a transport.Error; the layer "file" has reasons of its own.
	Class, Reason, Code string
	Details             []Detail

	// hint tells apart what has one reason and different causes.
	hint string
}

// Detail is one fact about a layer. Value is a string, an int, a bool or a []string.
type Detail struct {
	Name  string
	Value any
}

func (l *Layer) detail(name string, value any) { l.Details = append(l.Details, Detail{name, value}) }

// ok ends a layer well.
func (l *Layer) ok(result string) { l.Status, l.Result = OK, result }

// warn ends a layer that works in spite of something.
func (l *Layer) warn(result string) { l.Status, l.Result = Warning, result }

// skip ends a layer that was not tried.
func (l *Layer) skip(result string) { l.Status, l.Result = Skipped, result }

// fail ends a layer in which a check fails. Where there is no verdict, nobody was asked, and that is fallback-eligible.
func (l *Layer) fail(reason, hint, result string) {
	l.Status, l.Reason, l.hint, l.Result = Failed, reason, hint, result
	if l.Class == "" && l.Name != LayerFile {
		l.Class = transport.FallbackEligible.String()
	}
}

type reportJSON struct {
	Healthy        bool        `json:"healthy"`
	Diagnosis      Diagnosis   `json:"diagnosis"`
	CurrentVersion string      `json:"current_version"`
	Component      string      `json:"component"`
	Started        string      `json:"started"`
	DurationMS     float64     `json:"duration_ms"`
	Layers         []layerJSON `json:"layers"`
}

type layerJSON struct {
	Name       string         `json:"name"`
	Transport  string         `json:"transport"`
	Status     Status         `json:"status"`
	StartMS    float64        `json:"start_ms"`
	DurationMS float64        `json:"duration_ms"`
	Tried      string         `json:"tried"`
	Result     string         `json:"result"`
	Class      string         `json:"class"`
	Reason     string         `json:"reason"`
	Code       string         `json:"code"`
	Details    map[string]any `json:"details"`
}

// MarshalJSON returns the report as one object: times in milliseconds, to the microsecond, lists and details never null.
func (r Report) MarshalJSON() ([]byte, error) {
	out := reportJSON{Healthy: r.Healthy, Diagnosis: r.Diagnosis, CurrentVersion: r.CurrentVersion, Component: r.Component,
		Started: r.Started.UTC().Format(time.RFC3339), DurationMS: milliseconds(r.Duration), Layers: []layerJSON{}}
	out.Diagnosis.Also = append([]string{}, r.Diagnosis.Also...)
	for _, l := range r.Layers {
		details := make(map[string]any, len(l.Details))
		for _, d := range l.Details {
			details[d.Name] = d.Value
		}
		out.Layers = append(out.Layers, layerJSON{Name: l.Name, Transport: l.Transport, Status: l.Status,
			StartMS: milliseconds(l.Start), DurationMS: milliseconds(l.Duration), Tried: l.Tried, Result: l.Result,
			Class: l.Class, Reason: l.Reason, Code: l.Code, Details: details})
	}
	return json.Marshal(out)
}

func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
