package ui

import (
	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
)

// state is what the drawing of the board depends on. Where it doesn't fit, the last move or the hand is in view.
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
		for _, line := range text.Wrap(s.input.problem, w-2*menuColumn) {
			p.line(menuColumn, t.accent, line)
		}
		return
	}
	st := s.state()
	sp := layoutBoard(s.scene, st, w, h)
	beside, _ := s.panel(sp)
	drawBoardAndPanel(p, t, sp, s.scene, st, beside)
	p.down(h - statusLines(w))
	s.drawMoveText(p, statusLines(w)-1)
	s.drawStatus(p)
}

// drawTold draws what just happened: why a key did nothing, else what the last move did.
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

// drawLast draws the last line: what is typed, what the branch is, or who stands better.
func (s review) drawStatus(p *page) {
	t, say := s.env.theme, s.env.say
	switch {
	case s.trying() && s.input.typed.text != "":
		p.to(margin).put(t.accent, t.pick).to(margin+2).put(t.bold, s.input.typed.text)
		switch {
		case s.input.isCommand():
			p.to(p.at+3).put(t.dim, s.input.commandMeaning(say, available(s, onReview)))
		case s.input.problem == "":
			p.to(p.at+3).put(t.dim, s.input.meaning(say, s.scene, true))
		}
		p.end()
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

// lineName says what the moves of a branch are, and where there is room, what they are worth.
func (s review) variationText() string {
	say, b := s.env.say, s.variation
	line, worth := firstOf(b.moves, someMoves), ""
	if !s.narrow() && b.kind != ownMoves {
		worth = "; " + s.worth(b.from)
	}
	switch b.kind {
	case betterLine:
		return say.T("Better than %s: %s", string(s.view.Moves[b.from]), line) + worth
	case bestLine:
		return say.T("Best from here: %s", line) + worth
	}
	return say.T("Your own moves: %s", line)
}

// panel is what stands beside the board: the players as they stood then, the graph, the end, the moves. graph is the line
// of it where that begins, -1 without one.
func (s review) panel(sp boardLayout) (p panel, graph int) {
	p = newPanel(sp.width, sp.height)
	e := s.env
	turn := -1
	if !s.scene.Position().Result().Over && (s.variation != nil || s.at < len(s.view.Moves)) {
		turn = int(s.scene.Position().Turn())
	}
	drawPlayers(&p, e, s.scene, s.names(), strengths(e, s.view), turn, sp.beside)
	graph = -1
	if lines := s.graphLines(sp); lines > 0 {
		if lines > 1 {
			p.gap()
		}
		graph = len(p.lines)
		tokens := [2]string{s.scene.Token(games.First, e.theme.ascii), s.scene.Token(games.Second, e.theme.ascii)}
		for _, line := range s.graph(sp).lines(e.theme, tokens, lines) {
			p.line(line...)
		}
	}
	switch {
	case s.variation == nil && s.at == len(s.view.Moves) && s.view.Over:
		if sp.beside {
			p.gap()
		}
		p.wrap(e.theme.accent, 0, ending(e, s.view, s.names()))
		drawAid(&p, e, s.view)
		if s.analysis.ready() && sp.beside {
			p.wrap(e.theme.plain, 0, s.summary(games.First))
			p.wrap(e.theme.plain, 0, s.summary(games.Second))
		}
	case sp.beside:
		p.gap()
		for _, n := range s.scene.Notes(e.say, s.names()) {
			p.wrap(e.theme.dim, 0, n.Words)
		}
	}
	drawMoves(&p, e.theme, s.moveList(), sp.beside)
	return p, graph
}

// sheet is the list of moves: those of the match with their marks, those of a branch in brackets.
func (s review) moveList() moveList {
	sign := func(ply int) styledRun {
		return styledRun{sideStyle(s.env.theme, s.timeline.turns[ply]), signOf(s.analysis.mark(ply + 1))}
	}
	b := s.variation
	if b == nil {
		return moveList{len(s.view.Moves), s.at, func(ply int) string { return string(s.view.Moves[ply]) }, sign}
	}
	write := func(ply int) string {
		if ply < b.from {
			return string(s.view.Moves[ply])
		}
		return "(" + string(b.moves[ply-b.from]) + ")"
	}
	return moveList{b.from + len(b.moves), b.from + b.at, write, func(ply int) styledRun {
		if ply < b.from {
			return sign(ply)
		}
		return styledRun{}
	}}
}

// How high the graph is: in a panel with so many lines it has so many.
var graphHeights = []struct{ from, lines int }{{30, 7}, {18, 4}, {9, 3}, {0, 1}}

// graphLines is how many lines the graph takes, 0 without one.
func (s review) graphLines(sp boardLayout) int {
	if !s.analysis.ready() || s.graphHidden || sp.width <= graphAxis {
		return 0
	}
	for _, g := range graphHeights {
		if sp.height >= g.from {
			return g.lines
		}
	}
	return 0
}

// graph is the graph as it is now.
func (s review) graph(sp boardLayout) graph {
	width := sp.width
	if s.graphLines(sp) > 1 {
		width -= graphAxis
	}
	at := s.at
	if s.variation != nil {
		at = s.variation.from
	}
	return graphOf(s.analysis, s.timeline.turns, at, width)
}

// graphAt is the number of moves that a cell of the body stands for on the graph.
func (s review) graphAt(sp boardLayout, x, y int) (ply int, ok bool) {
	lines := s.graphLines(sp)
	_, top := s.panel(sp)
	if top < 0 || y < sp.line+top || y >= sp.line+top+lines {
		return 0, false
	}
	if lines > 1 {
		x -= graphAxis
	}
	bars := s.graph(sp).bars
	if x -= sp.column; x < 0 || x >= len(bars) {
		return 0, false
	}
	return bars[x].ply, true
}

// Cursor stands where a move is tried.
func (s review) Cursor() (x, y int, shown bool) {
	if !s.trying() {
		return 0, 0, false
	}
	if s.input.typed.text != "" {
		return margin + 2 + s.input.typed.column(), s.size.Height - 1, true
	}
	sp := s.layout(s.size.Width, s.size.Height)
	x, y = s.scene.CursorCell(sp.board, s.state())
	return sp.x + x, sp.y + y, !s.scene.Position().Result().Over
}
