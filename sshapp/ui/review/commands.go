package review

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// reviewCommands are the commands where moves are tried.
var reviewCommands = boardpage.CommandTable[reviewScreen]{
	boardpage.CmdTakeback: {May: boardpage.Always[reviewScreen], Run: takeback},
	boardpage.CmdPlan:     {May: mayPlanLine, Run: planLine},
	boardpage.CmdPlanDrop: {May: mayDropPlan, Run: dropPlan},
	boardpage.CmdFlip:     {May: mayFlip, Run: flip},
	boardpage.CmdPlay:     {May: boardpage.Always[reviewScreen], Run: playOn},
	boardpage.CmdChat:     {May: mayWrite, Run: openLine},
	boardpage.CmdHelp:     {May: boardpage.Always[reviewScreen], Run: openHelp},
	boardpage.CmdWho:      {May: boardpage.Always[reviewScreen], Run: boardpage.ShowPlayers[reviewScreen]},
	boardpage.CmdLobby:    {May: boardpage.Always[reviewScreen], Run: boardpage.GoHome[reviewScreen]},
	boardpage.CmdQuit:     {May: boardpage.Always[reviewScreen], Run: boardpage.Quit[reviewScreen]},
}

func stepKey(s reviewScreen, msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	return s.on(s.step(reviewSteps[msg.String()])), nil
}

func endKey(s reviewScreen, msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	if msg.String() == "home" {
		return s.on(s.step(-s.shown())), nil
	}
	return s.on(s.step(s.length() - s.shown())), nil
}

func backToMatch(s reviewScreen) (reviewScreen, tea.Cmd) { return s.on(s.goTo(s.at)), nil }

func openHelp(s reviewScreen) (reviewScreen, tea.Cmd) { return s, screen.ShowHelp }

func toggleGraph(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.analysis.hidden = !s.analysis.hidden
	return s, nil
}

func mayFlip(s reviewScreen) error { return s.MayFlip() }

// flip turns the board round.
func flip(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.Board = s.Board.Flip(s.env.Say)
	return s, nil
}

// needAnalysis reports whether the analysis is there. If it isn't, the problem says why; one that failed is asked for anew.
func needAnalysis(s reviewScreen) (next reviewScreen, wait tea.Cmd, ok bool) {
	if s.analysis.Failed != "" {
		s.analysis.Analysis = Analysis{}
		return s, s.wait(), false
	}
	s.Input.Problem = s.analysis.missing(s.env, s.view)
	return s, nil, s.Input.Problem == ""
}

// seekKey goes to the next mistake, or to the one before.
func seekKey(s reviewScreen, msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	s, wait, ok := needAnalysis(s)
	if !ok {
		return s, wait
	}
	direction := 1
	if msg.String() == "p" {
		direction = -1
	}
	if ply, ok := s.analysis.Seek(s.at, direction); ok {
		return s.on(s.goTo(ply)), nil
	}
	_, others := s.analysis.Seek(s.at, -direction)
	switch say := s.env.Say; {
	case !others && s.analysis.Mark(s.at) == analysis.Fine:
		s.Input.Problem = say.T("No mistakes were found in this match.")
	case direction > 0:
		s.Input.Problem = say.T("No mistakes after this move; p goes back.")
	default:
		s.Input.Problem = say.T("No mistakes before this move; n goes on.")
	}
	return s, nil
}

// showLine shows the better line if the move on the board was a mistake, else the expected line from here.
func showLine(s reviewScreen) (reviewScreen, tea.Cmd) {
	s, wait, ok := needAnalysis(s)
	if !ok {
		return s, wait
	}
	from, kind := s.at, BestLine
	if s.analysis.Mark(s.at) != analysis.Fine {
		from, kind = s.at-1, BetterLine
	}
	line := NewVariation(s.timeline, from, s.analysis.Line(from), kind)
	if line == nil {
		s.Input.Problem = s.env.Say.T("There is no line to show here.")
		return s, nil
	}
	s.variation = line
	return s.show(), nil
}

// list opens the page with all mistakes in words.
func list(s reviewScreen) (reviewScreen, tea.Cmd) {
	s, wait, ok := needAnalysis(s)
	if !ok {
		return s, wait
	}
	return s, screen.Push(screen.NewReader(s.env, s.Title(), widget.Paragraphs(s.analysis.MistakeList(s.env.Say, s.names())...)))
}

// playOn goes to the form of a match from the board on: a casual one, of its own, with any opponent.
func playOn(s reviewScreen) (reviewScreen, tea.Cmd) {
	say, v := s.env.Say, s.view
	side, plays := v.Side(s.env.Who)
	if !plays || v.Holds(s.env.Who, side.Other()) {
		side = s.Scene.Position().Turn()
	}
	switch {
	case !v.Over:
		s.Input.Problem = say.T("You can play on from here when the match is over.")
	case s.Scene.Position().Result().Over:
		s.Input.Problem = say.T("The game is over here. Go back some moves first.")
	default:
		choice := [...]seats.Choice{games.First: seats.PlayFirst, games.Second: seats.PlaySecond}[side]
		if form, ok := newmatch.NewFrom(s.env, v.Game, v.Options, v.From, s.moves(), choice); ok {
			return s, screen.Push(form)
		}
		s.Input.Problem = say.Error(lobby.ErrNoSuchGame)
	}
	return s, nil
}

// tryMoves lets the player try moves for both sides, from the board on.
func tryMoves(s reviewScreen) (reviewScreen, tea.Cmd) {
	if !s.view.Over && !plans(s) {
		s.Input.Problem = s.env.Say.T("You can try moves here when the match is over.")
		return s, nil
	}
	if s.Scene.Position().Result().Over {
		s.Input.Problem = s.env.Say.T("The game is over here. Go back some moves first.")
		return s, nil
	}
	s.Input = boardpage.MoveInput{}
	return s.on(s.try()), nil
}

// takeback takes the last tried move back.
func takeback(s reviewScreen) (reviewScreen, tea.Cmd) {
	next, ok := s.variation.Back()
	if !ok {
		s.Input.Problem = s.env.Say.T("Nothing to take back: the moves before were played in the match.")
		return s, nil
	}
	s.variation, s.Input = next, boardpage.MoveInput{}
	return s.show(), nil
}

// complete completes a typed command.
func complete(s reviewScreen) (reviewScreen, tea.Cmd) {
	s.Input = s.Input.Complete(reviewCommands.Available(s))
	return s, nil
}

// cancel clears the typed text or the selection, or ends the trying. What was tried stays to be looked at.
func cancel(s reviewScreen) (reviewScreen, tea.Cmd) {
	if s.Input.Cancels() {
		s.Input = s.Input.Cancel(s.Scene)
		return s, nil
	}
	return s.on(s.done()), nil
}
