package ui

import (
	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardview"
)

// state returns what the drawing of the board depends on besides the position. Where the board doesn't fit, the last move or the
// cursor is in view.
func (s review) state() boardview.State {
	st := boardview.State{Selection: s.input.sel, Over: true, Scroll: s.scroll, Flip: s.flipped()}
	if s.trying() {
		st.Selection, st.Over = s.input.selection(s.scene), s.scene.Position().Result().Over
		st.Yours = !st.Over
	}
	return st
}

func (s review) layout(w, h int) boardLayout { return layoutBoard(s.scene, s.state(), w, h) }

func (s review) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	w, h := p.width, p.height
	t, say := s.env.theme, s.env.say
	if s.view == nil {
		p.end()
		p.line(menuColumn, t.dim, say.T("Looking for the match ..."))
		p.wrap(menuColumn, t.accent, s.input.problem, w-2*menuColumn)
		return
	}
	l := s.layout(w, h)
	beside, _ := s.panel(l)
	drawBoardAndPanel(p, t, l, s.scene, s.state(), beside)
	p.down(h - statusLines(w))
	s.drawMoveText(p, statusLines(w)-1)
	s.drawStatus(p)
}

// drawMoveText draws why a key did nothing, else what the last move did.
func (s review) drawMoveText(p *page, lines int) {
	t, say := s.env.theme, s.env.say
	switch {
	case s.input.problem != "":
		drawWords(p, t.accent, t.waiting+" ", s.input.problem, lines)
	case s.variation != nil && s.moveText != "":
		drawWords(p, t.accent, "", say.T("Not played: %s", s.moveText), lines)
	default:
		drawWords(p, t.plain, "", s.moveText, lines)
	}
}

// drawStatus draws the last line: what is typed, what the variation is, or who stands better.
func (s review) drawStatus(p *page) {
	t, say := s.env.theme, s.env.say
	switch {
	case s.trying() && s.input.isCommand():
		drawTyped(p, t, s.input, s.input.commandMeaning(say, available(s, onReview)))
	case s.trying() && !s.input.empty() && s.input.problem != "":
		drawTyped(p, t, s.input, "")
	case s.trying() && !s.input.empty():
		drawTyped(p, t, s.input, s.input.meaning(say, s.scene, true))
	case s.trying():
		p.line(margin, t.dim, s.prompt())
	case s.variation != nil:
		p.line(margin, t.dim, s.variationText())
	case s.analysis.ready() && s.at == len(s.view.Moves) && s.narrow():
		p.line(margin, t.plain, s.shortSummary())
	case s.worth(s.at) != "":
		p.line(margin, t.plain, s.worth(s.at))
	case s.analysis.progress(say) != "":
		p.line(margin, t.dim, s.analysis.progress(say))
	case s.view.Over:
		p.line(margin, t.dim, say.T("As text: ssh ADDRESS record %s", string(s.id)))
	}
}

// prompt says what can be done where moves are tried.
func (s review) prompt() string {
	say := s.env.say
	if s.scene.Position().Result().Over {
		return say.T("The game ends here.")
	}
	if words := s.input.prompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow() {
		return say.T("Try a move: arrows, enter, or type it.")
	}
	return say.T("Try moves for both sides: arrows and enter, a click, or type them.")
}

// variationText says what the moves of the variation are, and where there is room, what they are worth.
func (s review) variationText() string {
	say, v := s.env.say, s.variation
	line, worth := firstOf(v.moves, someMoves), ""
	if !s.narrow() && v.kind != ownMoves {
		worth = "; " + s.worth(v.from)
	}
	switch v.kind {
	case betterLine:
		return say.T("Better than %s: %s", string(s.view.Moves[v.from]), line) + worth
	case bestLine:
		return say.T("Best from here: %s", line) + worth
	}
	return say.T("Your own moves: %s", line)
}

// panel returns what stands beside the board: the players as they stood then, the graph, the end, the moves. graph is the line
// in which the graph begins, -1 without one.
func (s review) panel(l boardLayout) (p panel, graph int) {
	p = newPanel(l.width, l.height)
	e := s.env
	turn := -1
	if !s.scene.Position().Result().Over && (s.variation != nil || s.at < len(s.view.Moves)) {
		turn = int(s.scene.Position().Turn())
	}
	p.addPlayers(e, s.scene, s.names(), strengths(e, s.view), turn, l.beside)
	graph = -1
	if lines := s.graphLines(l); lines > 0 {
		if lines > 1 {
			p.gap()
		}
		graph = len(p.lines)
		tokens := [2]string{s.scene.Token(games.First, e.theme.ascii), s.scene.Token(games.Second, e.theme.ascii)}
		for _, line := range s.graph(l).lines(e.theme, tokens, lines) {
			p.line(line...)
		}
	}
	switch {
	case s.variation == nil && s.at == len(s.view.Moves) && s.view.Over:
		if l.beside {
			p.gap()
		}
		p.wrap(e.theme.accent, 0, ending(e, s.view, s.names()))
		p.addHelp(e, s.view)
		if s.analysis.ready() && l.beside {
			p.wrap(e.theme.plain, 0, s.summary(games.First))
			p.wrap(e.theme.plain, 0, s.summary(games.Second))
		}
	case l.beside:
		p.gap()
		for _, n := range s.scene.Notes(e.say, s.names()) {
			p.wrap(e.theme.dim, 0, n.Words)
		}
	}
	p.addMoves(e.theme, s.moveList(), l.beside)
	return p, graph
}

// moveList returns the list of moves: those of the match with their marks, those of a variation in brackets.
func (s review) moveList() moveList {
	sign := func(ply int) styledRun {
		return styledRun{sideStyle(s.env.theme, s.timeline.turns[ply]), signOf(s.analysis.mark(ply + 1))}
	}
	v := s.variation
	if v == nil {
		return moveList{len(s.view.Moves), s.at, func(ply int) string { return string(s.view.Moves[ply]) }, sign}
	}
	write := func(ply int) string {
		if ply < v.from {
			return string(s.view.Moves[ply])
		}
		return "(" + string(v.moves[ply-v.from]) + ")"
	}
	return moveList{v.from + len(v.moves), v.from + v.at, write, func(ply int) styledRun {
		if ply < v.from {
			return sign(ply)
		}
		return styledRun{}
	}}
}

// graphHeights says how many lines the graph has in panels from so many lines on.
var graphHeights = []struct{ from, lines int }{{30, 7}, {18, 4}, {9, 3}, {0, 1}}

// graphLines returns how many lines the graph takes, 0 without one.
func (s review) graphLines(l boardLayout) int {
	if !s.analysis.ready() || s.graphHidden || l.width <= graphAxis {
		return 0
	}
	for _, g := range graphHeights {
		if l.height >= g.from {
			return g.lines
		}
	}
	return 0
}

// graph returns the graph as it is now.
func (s review) graph(l boardLayout) graph {
	width := l.width
	if s.graphLines(l) > 1 {
		width -= graphAxis
	}
	at := s.at
	if s.variation != nil {
		at = s.variation.from
	}
	return graphOf(s.analysis, s.timeline.turns, at, width)
}

// graphAt returns the number of moves that a cell of the page stands for on the graph.
func (s review) graphAt(l boardLayout, x, y int) (ply int, ok bool) {
	lines := s.graphLines(l)
	_, top := s.panel(l)
	if top < 0 || y < l.line+top || y >= l.line+top+lines {
		return 0, false
	}
	if lines > 1 {
		x -= graphAxis
	}
	bars := s.graph(l).bars
	if x -= l.column; x < 0 || x >= len(bars) {
		return 0, false
	}
	return bars[x].ply, true
}

// Cursor stands where a move is tried.
func (s review) Cursor() (x, y int, shown bool) {
	if !s.trying() || s.input.empty() && s.scene.Position().Result().Over {
		return 0, 0, false
	}
	x, y = inputCursor(s.input, s.scene, s.layout(s.size.Width, s.size.Height), s.state(), s.size.Height)
	return x, y, true
}
