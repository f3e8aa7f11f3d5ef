// Package picture draws screens as SVG pictures, for pages that show what the club looks like.
//
// Lines of boards, blocks and stones are drawn as shapes, and text by the browser's fixed-width font, stretched or squeezed into its columns:
// everything is in place whatever font there is.
package picture

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludoteca/sshapp/terminal/canvas"
)

// The measures of a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5
	fontSize   = 14
	margin     = 12
)

// Colours are what a terminal shows where a cell has no colour of its own.
type Colours struct{ Text, Ground, Frame string }

// The colours of the pictures for a dark and for a light page.
var (
	Dark  = Colours{Text: "#e6edf3", Ground: "#0d1117", Frame: "#30363d"}
	Light = Colours{Text: "#1f2328", Ground: "#ffffff", Frame: "#d1d9e0"}
)

// A Frame is what a screen shows for some time.
type Frame struct {
	Canvas *canvas.Canvas
	Lasts  time.Duration
}

// Write draws frames of one size as an SVG picture that moves, or as one that doesn't if there is only one frame. title says what is to be
// seen. A viewer that shows no movement shows the last frame.
func Write(w io.Writer, title string, colours Colours, frames ...Frame) error {
	columns, rows := frames[0].Canvas.Bounds().Dx(), frames[0].Canvas.Bounds().Dy()
	width, height := number(float64(columns)*cellWidth+2*margin), number(float64(rows)*cellHeight+2*margin)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="%d" fill="%s">
`, width, height, width, height, fontSize, colours.Text)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&out, `<rect x="0.5" y="0.5" width="%s" height="%s" rx="6" fill="%s" stroke="%s"/>`+"\n",
		number(float64(columns)*cellWidth+2*margin-1), number(float64(rows)*cellHeight+2*margin-1), colours.Ground, colours.Frame)
	var total time.Duration
	for _, f := range frames {
		total += f.Lasts
	}
	for _, g := range groups(frames, colours) {
		shapes := strings.Join(g.shapes, "")
		if len(g.in) < len(frames) {
			last := slices.Contains(g.in, len(frames)-1)
			shapes = fmt.Sprintf(`<g display="%s">%s%s</g>`, display(last), animation(g.in, frames, total), shapes)
		}
		out.WriteString(shapes + "\n")
	}
	out.WriteString("</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// A group is the shapes that are to be seen in the same frames.
type group struct {
	in     []int
	shapes []string
}

// groups returns the shapes of all frames, each once.
func groups(frames []Frame, colours Colours) []*group {
	var order []string // of shapes, as they first come
	in := map[string][]int{}
	for i, f := range frames {
		for y := range f.Canvas.Bounds().Dy() {
			for _, shape := range row(f.Canvas, y, colours) {
				switch {
				case in[shape] == nil:
					order = append(order, shape)
				case in[shape][len(in[shape])-1] == i:
					continue
				}
				in[shape] = append(in[shape], i)
			}
		}
	}
	var all []*group
	byFrames := map[string]*group{}
	for _, shape := range order {
		key := fmt.Sprint(in[shape])
		if byFrames[key] == nil {
			byFrames[key] = &group{in: in[shape]}
			all = append(all, byFrames[key])
		}
		byFrames[key].shapes = append(byFrames[key].shapes, shape)
	}
	return all
}

func display(shown bool) string {
	if shown {
		return "inline"
	}
	return "none"
}

// animation shows something in some frames, again and again.
func animation(in []int, frames []Frame, total time.Duration) string {
	var values, times []string
	at, before := time.Duration(0), ""
	for i, f := range frames {
		if now := display(slices.Contains(in, i)); now != before {
			values, times = append(values, now), append(times, strconv.FormatFloat(at.Seconds()/total.Seconds(), 'f', 4, 64))
			before = now
		}
		at += f.Lasts
	}
	return fmt.Sprintf(`<animate attributeName="display" calcMode="discrete" repeatCount="indefinite" dur="%ss" values="%s" keyTimes="%s"/>`,
		number(total.Seconds()), strings.Join(values, ";"), strings.Join(times, ";"))
}

// row returns the shapes of a row. Its lines in one colour are one shape.
func row(c *canvas.Canvas, y int, colours Colours) (shapes []string) {
	paths := map[string]string{}
	var strokes []string
	for x := 0; x < c.Bounds().Dx(); {
		cell := c.At(x, y)
		n := 1
		switch {
		case isText(c, x, y):
			n = textLength(c, x, y)
			shapes = append(shapes, drawText(c, x, y, n, colours))
		case cell.Columns() == 2:
			n = 2
			shapes = append(shapes, drawText(c, x, y, n, colours))
		case lines[cell.Rune()] != 0:
			stroke := colour(cell.Style(), colours)
			if paths[stroke] == "" {
				strokes = append(strokes, stroke)
			}
			paths[stroke] += drawLines(cell.Rune(), x, y)
		case isShape(cell.Rune()):
			shapes = append(shapes, drawShape(cell, x, y, colours))
		}
		x += n
	}
	for _, stroke := range strokes {
		shapes = append(shapes, fmt.Sprintf(`<path d="%s" stroke="%s"/>`, paths[stroke], stroke))
	}
	return shapes
}

// isText reports whether a cell holds a character that is drawn by the font.
func isText(c *canvas.Canvas, x, y int) bool {
	cell := c.At(x, y)
	return cell.Columns() == 1 && cell.Rune() > ' ' && !isShape(cell.Rune())
}

// textLength returns how many columns of text in one style begin at a cell. Single spaces belong to it.
func textLength(c *canvas.Canvas, x, y int) int {
	n, style := 1, c.At(x, y).Style()
	for c.At(x+n, y).Style() == style && (isText(c, x+n, y) || c.At(x+n, y).Rune() == ' ' && isText(c, x+n+1, y) && c.At(x+n+1, y).Style() == style) {
		n++
	}
	return n
}

// drawText returns text of n columns.
func drawText(c *canvas.Canvas, x, y, n int, colours Colours) string {
	var words strings.Builder
	for i := range n {
		words.WriteString(c.CellAt(x+i, y).Content)
	}
	style := c.At(x, y).Style()
	return fmt.Sprintf(`<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s>%s</text>`,
		number(left(x)), number(top(y)+baseline), number(float64(n)*cellWidth), attributes(style, colours), html.EscapeString(words.String()))
}

// attributes returns what makes text look like a style.
func attributes(s canvas.Style, colours Colours) string {
	var out strings.Builder
	if s.Fg != 0 {
		fmt.Fprintf(&out, ` fill="%s"`, colour(s, colours))
	}
	for _, a := range [...]struct {
		attr  canvas.Attrs
		words string
	}{{canvas.Bold, ` font-weight="bold"`}, {canvas.Faint, ` opacity="0.6"`}, {canvas.Underline, ` text-decoration="underline"`}, {canvas.Strike, ` text-decoration="line-through"`}} {
		if s.Attrs&a.attr != 0 {
			out.WriteString(a.words)
		}
	}
	return out.String()
}

// colour returns the colour of a cell's text.
func colour(s canvas.Style, colours Colours) string {
	if s.Fg == 0 {
		return colours.Text
	}
	r, g, b, _ := s.Fg.Color().RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func left(x int) float64 { return margin + float64(x)*cellWidth }
func top(y int) float64  { return margin + float64(y)*cellHeight }

// number returns a measure with at most two decimals.
func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}
