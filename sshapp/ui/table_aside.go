package ui

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
)

// An aside is what the page of a table says besides the board and the line that is typed. Most keys move the hand, which
// changes nothing of it, so it is kept from one drawing to the next.
type aside struct {
	of      asideKey
	title   string
	status  string
	calling string
	alert   string
	hints   []hint

	beside styledLines // of the panel that was made for
	panel  panelKey

	board boardview.Easel // this is kept whatever changes
}

// An asideKey is all that an aside depends on.
type asideKey struct {
	table matchScreen // its hand apart
	theme *theme
	say   text.Say
	who   lobby.Who
}

// A panelKey is what a panel depends on besides.
type panelKey struct {
	width, height int
	beside        bool
}

// aside is made anew when anything it depends on has changed. The table must have its first view.
func (s matchScreen) aside() *aside {
	of := asideKey{s.atRest(), s.env.theme, s.env.say, s.env.who}
	kept := s.kept
	if kept == nil {
		kept = new(aside)
	}
	if kept.of != of {
		*kept = aside{
			of: of, title: titleOf(s.env, s.view, s.narrow()), status: s.status(), calling: s.calling(),
			alert: s.alert(), hints: s.hints(), board: kept.board,
		}
	}
	return kept
}

// atRest is the table without its hand: what is held, what is typed, and what of the board is in view.
func (s matchScreen) atRest() matchScreen {
	s.kept, s.sel, s.typed, s.scroll = nil, boardview.Selection{}, entry{}, boardview.Scroll{}
	return s
}

// strip is the panel for a spread, written out.
func (s matchScreen) panelLines(sp boardLayout) styledLines {
	kept, of := s.aside(), panelKey{sp.width, sp.height, sp.beside}
	if kept.panel != of || kept.beside == nil {
		kept.panel, kept.beside = of, s.panel(sp).all
	}
	return kept.beside
}

// painted is the board for a spread.
func (s matchScreen) painted(sp boardLayout, st boardview.State) *boardview.Easel {
	board := &s.aside().board
	board.Paint(s.scene, s.env.theme.look, sp.board, st)
	return board
}
