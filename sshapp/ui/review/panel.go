package review

import (
	"ludoteca/games"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
)

// A panel is what stands beside or below the board.
type panel struct {
	path
	env      *screen.Env
	scene    *boardview.Scene
	analysis analysisPane
	notes    notePane
	openings openingPane
	together togetherPane
	plan     boardpage.Plan
	names    [2]string
	layout   boardpage.Layout
	practice *learning.PracticePoint
}

// panel returns the panel of the screen in a layout.
func (s reviewScreen) panel(l boardpage.Layout) panel {
	return panel{
		path: s.path, env: s.env, scene: s.Scene, analysis: s.analysis, notes: s.notes, openings: s.openings, together: s.together, plan: s.plan, names: s.names(), layout: l,
		practice: s.practice,
	}
}

// fill fills the panel beside or below the board: the players as they stood then, the graph, the end, the moves. graph is the
// line in which the graph begins, -1 without one.
func (p panel) fill(on *boardpage.Panel) (graph int) {
	e, l := p.env, p.layout
	turn := -1
	if !p.scene.Position().Result().Over && (!p.atEnd()) {
		turn = int(p.scene.Position().Turn())
	}
	names, ratings, clocks := p.names, describe.Strengths(e, p.view), boardpage.ClocksAt(e, p.view, p.at)
	var players [2]boardpage.PlayerLine
	for side := range players {
		players[side] = boardpage.PlayerLine{Name: names[side], Rating: ratings[side], Clock: clocks[side]}
	}
	on.AddPlayers(e.Theme, e.Say, p.scene, players, turn, l.Beside)
	graph = -1
	if lines := p.analysis.lines(l); lines > 0 {
		if lines > 1 {
			on.Gap()
		}
		graph = on.Lines()
		tokens := [2]string{p.scene.Token(games.First, e.Theme.ASCII), p.scene.Token(games.Second, e.Theme.ASCII)}
		for _, line := range p.analysis.graph(p.inMatch(), l).Draw(e.Theme, tokens) {
			on.Line(line...)
		}
	}
	switch {
	case p.atEnd() && p.view.Over:
		if l.Beside {
			on.Gap()
		}
		on.Wrap(e.Theme.Accent, 0, describe.Ending(e, p.view, p.names))
		on.AddHelp(e.Theme, e.Say, p.view)
		if p.practice != nil {
			on.Wrap(e.Theme.Plain, 0, describe.PracticeChange(e, *p.practice))
		}
		if p.analysis.Ready() && l.Beside {
			on.Wrap(e.Theme.Plain, 0, p.analysis.Summary(e.Say, p.names, games.First))
			on.Wrap(e.Theme.Plain, 0, p.analysis.Summary(e.Say, p.names, games.Second))
		}
	case l.Beside:
		on.Gap()
		for _, n := range p.scene.Notes(e.Say.Say, p.names) {
			on.Wrap(e.Theme.Dim, 0, n.Words)
		}
	}
	if p.variation == nil && l.Beside {
		p.openings.add(e, p.at, p.scene.Position().Turn(), on)
	}
	if p.variation == nil && l.Beside {
		p.notes.add(e, p.at, on)
	}
	if l.Beside {
		p.together.add(e, on)
		p.plan.Add(e, on, true)
	}
	on.AddMoves(e.Theme, p.moveList(), l.Beside)
	return graph
}

// moveList returns the list of moves: the moves of the match with their marks, and the moves of a variation in brackets.
func (p panel) moveList() boardpage.MoveList {
	sign := func(ply int) boardpage.Run {
		return boardpage.Run{Style: boardpage.SideStyle(p.env.Theme, p.timeline.Turns[ply]), Text: p.analysis.Sign(ply + 1)}
	}
	v := p.variation
	if v == nil {
		return boardpage.MoveList{Plies: len(p.view.Moves), At: p.at, Sign: sign,
			Write: func(ply int) string { return string(p.view.Moves[ply]) }}
	}
	write := func(ply int) string {
		if ply < v.From {
			return string(p.view.Moves[ply])
		}
		return "(" + string(v.Moves[ply-v.From]) + ")"
	}
	return boardpage.MoveList{Plies: v.From + len(v.Moves), At: v.From + v.At, Write: write, Sign: func(ply int) boardpage.Run {
		if ply < v.From {
			return sign(ply)
		}
		return boardpage.Run{}
	}}
}
