package main

import (
	"bytes"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The measures of a grid, in points.
const (
	gridColumns = 2
	gridWidth   = vg.Length(620)
	panelHeight = vg.Length(128)
	headHeight  = vg.Length(48)
	margin      = vg.Length(8)
)

// ink is a colour, filled or as a line.
type ink struct {
	color  color.Color
	filled bool
}

func grey() ink   { return ink{color.RGBA{R: 205, G: 205, B: 205, A: 255}, true} }
func blue() ink   { return ink{color.RGBA{R: 31, G: 100, B: 180, A: 255}, false} }
func orange() ink { return ink{color.RGBA{R: 222, G: 105, B: 10, A: 255}, false} }

func (i ink) line() draw.LineStyle { return draw.LineStyle{Color: i.color, Width: vg.Points(1.2)} }

// key is an entry of the legend. Its thumbnail is a line, or a bar where the ink is filled.
type key struct {
	name string
	ink  ink
}

// Thumbnail implements [plot.Thumbnailer].
func (k key) Thumbnail(c *draw.Canvas) {
	if k.ink.filled {
		c.FillPolygon(k.ink.color, []vg.Point{c.Min, {X: c.Min.X, Y: c.Max.Y}, c.Max, {X: c.Max.X, Y: c.Min.Y}})
		return
	}
	y := c.Center().Y
	c.StrokeLine2(k.ink.line(), c.Min.X, y, c.Max.X, y)
}

// grid is a page of small plots under one title and legend. What it renders depends on the data alone.
type grid struct {
	title string
	keys  []key
	plots []*plot.Plot
}

// addCounts adds a plot of events per bucket. Without background there is none.
func (g *grid) addCounts(title string, background, events, repeats []time.Duration) error {
	p := plot.New()
	p.Title.Text = title
	for _, series := range []struct {
		times []time.Duration
		ink   ink
	}{{background, grey()}, {events, blue()}, {repeats, orange()}} {
		if len(series.times) == 0 {
			continue
		}
		line, err := plotter.NewLine(steps(perBucket(series.times)))
		if err != nil {
			return err
		}
		line.StepStyle, line.LineStyle = plotter.PostStep, series.ink.line()
		if series.ink.filled {
			line.FillColor = series.ink.color
		}
		p.Add(line)
	}
	p.X.Min, p.Y.Min, p.X.Tick.Marker = 0, 0, plot.TickerFunc(seconds)
	g.plots = append(g.plots, p)
	return nil
}

// seconds returns a tick for each second of an axis, with a label where there is room for one.
func seconds(_, highest float64) []plot.Tick {
	every := int(math.Ceil((highest + 1) / 8))
	var ticks []plot.Tick
	for s := range int(highest) + 1 {
		tick := plot.Tick{Value: float64(s)}
		if s%every == 0 {
			tick.Label = strconv.Itoa(s)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// render draws the grid as SVG. The axes of all plots end where the longest does, so that they can be compared.
func (g *grid) render(xLabel, yLabel string) ([]byte, error) {
	rows := slices.Collect(slices.Chunk(g.plots, gridColumns))
	for len(rows) > 0 && len(rows[len(rows)-1]) < gridColumns {
		rows[len(rows)-1] = append(rows[len(rows)-1], nil)
	}
	var xMax, yMax float64
	for _, p := range g.plots {
		xMax, yMax = max(xMax, p.X.Max), max(yMax, p.Y.Max)
	}
	for i, p := range g.plots {
		p.X.Max, p.Y.Max = xMax, yMax
		if i%gridColumns == 0 {
			p.Y.Label.Text = yLabel
		}
		if i >= len(g.plots)-gridColumns {
			p.X.Label.Text = xLabel
		}
		applyFonts(p)
	}
	height := headHeight + panelHeight*vg.Length(len(rows)) + margin
	svg := vgsvg.New(gridWidth, height)
	page := draw.New(svg)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	g.drawHead(draw.Crop(page, margin, -margin, height-headHeight, -margin))
	tiles := draw.Tiles{Rows: len(rows), Cols: gridColumns, PadX: 3 * margin, PadY: margin, PadLeft: margin, PadRight: 2 * margin,
		PadTop: headHeight, PadBottom: margin}
	for i, canvases := range plot.Align(rows, tiles, page) {
		for j, c := range canvases {
			if rows[i][j] != nil {
				rows[i][j].Draw(c)
			}
		}
	}
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return nil, err
	}
	// A reader without Liberation Sans has a sans-serif of the same widths.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif")), nil
}

// drawHead draws the title, and the legend below it in one line.
func (g *grid) drawHead(c draw.Canvas) {
	c.FillText(lettering(11, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, g.title)
	x, y := c.Min.X, c.Max.Y-vg.Points(26)
	style := lettering(9, draw.XLeft, draw.YCenter)
	for _, k := range g.keys {
		thumbnail := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - vg.Points(4)}, Max: vg.Point{X: x + vg.Points(20), Y: y + vg.Points(4)}}}
		k.Thumbnail(&thumbnail)
		c.FillText(style, vg.Point{X: x + vg.Points(25), Y: y}, k.name)
		x += vg.Points(50) + style.Width(k.name)
	}
}

// applyFonts gives a plot the letters of the page.
func applyFonts(p *plot.Plot) {
	for style, size := range map[*text.Style]vg.Length{&p.Title.TextStyle: 9.5, &p.X.Label.TextStyle: 8.5, &p.Y.Label.TextStyle: 8.5,
		&p.X.Tick.Label: 8, &p.Y.Tick.Label: 8} {
		style.Font.Variant, style.Font.Size = "Sans", size
	}
	p.Title.Padding = vg.Points(3)
	p.BackgroundColor = nil
}

func lettering(size vg.Length, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: color.Black, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}
