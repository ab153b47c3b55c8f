package main

import (
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// drawWindows shows who turned to the service when, against the nodes that arrived.
func (rs *results) drawWindows() ([]byte, error) {
	g := grid{title: "A boot window: what reaches the service, by the way it behaves",
		keys: []key{{"nodes that boot", grey()}, {"calls (refusing: dials)", blue()}, {"nodes that come again", orange()}}}
	for _, t := range rs.windows {
		var arrivals []time.Duration
		for _, r := range t.nodes {
			arrivals = append(arrivals, r.arrival)
		}
		repeats, _ := t.repeats()
		if err := g.addCounts(t.mode.name, arrivals, t.contacts(), repeats); err != nil {
			return nil, err
		}
	}
	return g.render("time since the window opened, s", "in 100 ms")
}

// drawHerds shows the same for nodes that all boot at 0.
func (rs *results) drawHerds() ([]byte, error) {
	g := grid{title: "A herd: what reaches the service when all nodes boot at 0, by the way it behaves",
		keys: []key{{"calls (refusing: dials)", blue()}, {"nodes that come again", orange()}}}
	for _, t := range rs.herds {
		repeats, _ := t.repeats()
		if err := g.addCounts(t.mode.name, nil, t.contacts(), repeats); err != nil {
			return nil, err
		}
	}
	return g.render("time since the nodes boot, s", "in 100 ms")
}

// drawOutcomes shows how long nodes took.
func (rs *results) drawOutcomes() ([]byte, error) {
	g := grid{title: "Time from a node's boot to its outcome, by the way the service behaves",
		keys: []key{{"boot window", blue()}, {"herd", orange()}}}
	for i, t := range rs.windows {
		p := plot.New()
		p.Title.Text = t.mode.name
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(decades())
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.001, 10, 0, 100
		for _, c := range []struct {
			trial trial
			ink   ink
		}{{t, blue()}, {rs.herds[i], orange()}} {
			line, err := plotter.NewLine(distribution(c.trial.figures().took))
			if err != nil {
				return nil, err
			}
			line.LineStyle = c.ink.line()
			p.Add(line)
		}
		g.plots = append(g.plots, p)
	}
	return g.render("time to outcome", "% of the nodes")
}

// decades are the ticks of a logarithmic axis in seconds, from 1 ms to 10 s.
func decades() []plot.Tick {
	return []plot.Tick{{Value: 0.001, Label: "1 ms"}, {Value: 0.01, Label: "10 ms"}, {Value: 0.1, Label: "100 ms"},
		{Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}}
}

// distribution returns which percentage of times is at most how many seconds, at 200 points. Times under the axis are drawn at
// its end.
func distribution(times []time.Duration) plotter.XYs {
	const points = 200
	curve := make(plotter.XYs, points+1)
	for i := range curve {
		percent := 100 * float64(i) / points
		curve[i] = plotter.XY{X: max(percentile(times, percent), time.Millisecond).Seconds(), Y: percent}
	}
	return curve
}

// steps returns counts as a curve in seconds that ends at 0.
func steps(counts []int) plotter.XYs {
	points := make(plotter.XYs, 0, len(counts)+1)
	for i, n := range append(slices.Clone(counts), 0) {
		points = append(points, plotter.XY{X: (time.Duration(i) * bucket).Seconds(), Y: float64(n)})
	}
	return points
}
