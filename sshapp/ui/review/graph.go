package review

import (
	"strings"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/widget"
)

// A Graph shows the value for the first side after each move: the higher, the better for it. The line below
// has the current position and the mistakes. With room for only one line, the graph has them in that line.
//
//	●     ▂▅▆▅      ▃▅▆████
//	 ▂▃▄▄▅████▇▅▃▄▆▇███████
//	○███████████████████████
//	        ↑    ?  .    ×
type Graph struct {
	bars  []bar
	at    int // the bar that is looked at
	lines int // its height
}

// A bar is one cell in width: one position, a part of one in short matches, or several in long ones.
type bar struct {
	chance float64 // of the first side; the mean of several positions
	ply    int     // where a click goes: to the worst move among them, else to its first position
	mark   analysis.Mark
	side   games.Side // that made the marked move
}

// The most cells that one position of a short match takes, and the cells before the graph.
const (
	graphMaxCells = 3
	graphAxis     = 2
)

// graphHeights maps the least height of a panel to the height of the graph in it.
var graphHeights = [...]struct{ from, lines int }{{30, 7}, {18, 4}, {9, 3}, {0, 1}}

// GraphLines returns the number of lines of the graph in a panel of the given size, or 0 if there is no room for it.
func GraphLines(width, height int) int {
	if width <= graphAxis {
		return 0
	}
	for _, g := range graphHeights {
		if height >= g.from {
			return g.lines
		}
	}
	return 0
}

// NewGraph returns the graph of a finished analysis, width cells wide and lines lines high. at is the number of moves before the
// current position.
func NewGraph(l Analysis, at, width, lines int) Graph {
	if lines > 1 {
		width -= graphAxis
	}
	n := len(l.points)
	if n <= width {
		width = n * min(width/n, graphMaxCells)
	}
	g := Graph{bars: make([]bar, width), lines: lines}
	seen := 0 // positions with marks that have been placed already
	for i := range g.bars {
		from, to := i*n/width, max((i+1)*n/width, i*n/width+1)
		c := bar{ply: from}
		for ply := from; ply < to; ply++ {
			c.chance += l.points[ply].Chance / float64(to-from)
			if mark := l.Mark(ply); ply >= seen && mark > c.mark {
				c.ply, c.mark, c.side = ply, mark, l.timeline.Turns[ply-1]
			}
		}
		if at >= max(from, seen) && at < to {
			g.at = i
		}
		seen = to
		g.bars[i] = c
	}
	return g
}

// The parts of a cell that can be filled.
const (
	eighths     = " ▁▂▃▄▅▆▇█"
	asciiThirds = " .:#"
	asciiLine   = "_.-=#"
)

// PlyAt returns the number of moves that a column of the graph stands for; ok is false beside its bars.
func (g Graph) PlyAt(column int) (ply int, ok bool) {
	if g.lines > 1 {
		column -= graphAxis
	}
	if column < 0 || column >= len(g.bars) {
		return 0, false
	}
	return g.bars[column].ply, true
}

// Draw returns the lines of the graph. tokens stand at its edges: the side that wins at the top, and the side that wins at the bottom.
func (g Graph) Draw(t *widget.Theme, tokens [2]string) [][]boardpage.Run {
	if g.lines == 1 {
		return [][]boardpage.Run{g.single(t)}
	}
	glyphs := []rune(eighths)
	if t.ASCII {
		glyphs = []rune(asciiThirds)
	}
	rows := g.lines - 1
	full := len(glyphs) - 1
	all := make([][]boardpage.Run, 0, g.lines)
	for row := rows - 1; row >= 0; row-- {
		line := []boardpage.Run{{Style: t.Plain, Text: strings.Repeat(" ", graphAxis)}}
		switch row {
		case rows - 1:
			line[0] = boardpage.Run{Style: t.First, Text: firstCell(tokens[games.First])}
		case 0:
			line[0] = boardpage.Run{Style: t.Second, Text: firstCell(tokens[games.Second])}
		}
		all = append(all, g.runs(line, t, func(i int, c bar) (canvas.Style, rune) {
			level := filled(c.chance, rows*full) - row*full
			y := t.First
			if i == g.at {
				y = t.Accent
			}
			return y, glyphs[max(min(level, full), 0)]
		}))
	}
	below := []boardpage.Run{{Style: t.Plain, Text: strings.Repeat(" ", graphAxis)}}
	return append(all, g.runs(below, t, func(i int, c bar) (canvas.Style, rune) {
		if i == g.at {
			return t.Accent, []rune(t.Up)[0]
		}
		return boardpage.SideStyle(t, c.side), markGlyphs[c.mark]
	}))
}

// markGlyphs are the marks in one cell each.
var markGlyphs = [...]rune{analysis.Fine: ' ', analysis.Inaccuracy: '.', analysis.Mistake: '?', analysis.Blunder: '×'}

// single returns the graph as one line.
func (g Graph) single(t *widget.Theme) []boardpage.Run {
	glyphs, here := []rune(eighths)[1:], '│'
	if t.ASCII {
		glyphs, here = []rune(asciiLine), '|'
	}
	return g.runs(nil, t, func(i int, c bar) (canvas.Style, rune) {
		switch {
		case i == g.at:
			return t.Accent, here
		case c.mark >= analysis.Mistake:
			return boardpage.SideStyle(t, c.side), markGlyphs[c.mark]
		}
		return t.First, glyphs[filled(c.chance, len(glyphs)-1)]
	})
}

// runs adds a cell for each column to a line. Neighbouring cells of one style become one run.
func (g Graph) runs(line []boardpage.Run, t *widget.Theme, cell func(i int, c bar) (canvas.Style, rune)) []boardpage.Run {
	var run strings.Builder
	last := t.Plain
	for i, c := range g.bars {
		y, r := cell(i, c)
		if y != last && run.Len() > 0 {
			line = append(line, boardpage.Run{Style: last, Text: run.String()})
			run.Reset()
		}
		last = y
		run.WriteRune(r)
	}
	return append(line, boardpage.Run{Style: last, Text: run.String()})
}

// filled returns how many of some parts a chance fills.
func filled(chance float64, parts int) int { return int(max(min(chance, 1), 0)*float64(parts) + 0.5) }

// firstCell returns the first character of a token, in as many cells as stand before a graph.
func firstCell(token string) string {
	for _, r := range token {
		return string(r) + " "
	}
	return strings.Repeat(" ", graphAxis)
}
