package ui

import (
	tea "charm.land/bubbletea/v2"
	"slices"

	"ludoteca/storage"
)

// typedCells is how long a typed line gets.
const typedCells = 30

// A command is what can be typed after a slash.
type command uint8

// The commands.
const (
	cmdNone command = iota
	cmdJoin
	cmdResign
	cmdAbort
	cmdTakeBack
	cmdHint
	cmdFlip
	cmdRematch
	cmdNewOpponent
	cmdReview
	cmdPlay
	cmdHelp
	cmdToLobby
	cmdQuit
)

// commandNames are what the commands are called, in the order in which they are offered.
var commandNames = []struct {
	command command
	name    string
}{
	{cmdJoin, "join"}, {cmdResign, "resign"}, {cmdAbort, "abort"},
	{cmdTakeBack, "takeback"}, {cmdHint, "hint"}, {cmdFlip, "flip"}, {cmdRematch, "rematch"}, {cmdNewOpponent, "new"},
	{cmdReview, "review"}, {cmdPlay, "play"}, {cmdHelp, "help"}, {cmdToLobby, "lobby"}, {cmdQuit, "quit"},
}

// enterTyped carries out the line.
func (s matchScreen) enterTyped() (matchScreen, tea.Cmd) {
	say := s.env.say
	if s.isCommand() {
		return s.enterCommand()
	}
	if !s.yours() {
		s.problem = say.T("It is not your turn yet. What you type stays.")
		return s, nil
	}
	m, err := s.typedMove(s.view.Position)
	if err != nil {
		s.problem = say.Error(err)
		return s, nil
	}
	s.sel = s.scene.Release(s.selection(s.scene))
	return s.send(m)
}

// available are the commands that can do something now.
func (s matchScreen) available() []command {
	var all []command
	turns, _ := s.scene.Turns()
	for _, c := range commandNames {
		ok := true
		switch c.command {
		case cmdJoin:
			ok = s.waiting() && !s.plays() && (s.view.Reserved.Kind == storage.Free || s.invited())
		case cmdResign:
			ok = s.running() && s.plays()
		case cmdAbort:
			ok = s.plays() && (s.waiting() || s.running() && s.view.Ply()-s.view.Start < 2) || s.invited() || s.exhibition()
		case cmdTakeBack:
			ok = s.mayBeHelped() && s.hasMoved()
		case cmdHint:
			ok = s.mayBeHelped() && s.yours()
		case cmdFlip:
			ok = turns
		case cmdRematch:
			ok = s.view.Over && s.plays() && !s.neverStarted()
		case cmdNewOpponent:
			ok = s.view.Over && s.plays()
		case cmdReview:
			ok = s.view.Ply() > 0
		case cmdPlay:
			ok = false // where moves are tried
		}
		if ok {
			all = append(all, c.command)
		}
	}
	return all
}

// can says whether a command can do something now.
func (s matchScreen) can(c command) bool { return slices.Contains(s.available(), c) }

// helpable says that this is a match in which a player may be helped: a casual one against a computer player.
func (s matchScreen) mayBeHelped() bool {
	if !s.running() || !s.plays() || s.view.Rated {
		return false
	}
	side, _ := s.view.Side(s.env.who)
	return s.view.Seats[side.Other()].Kind == storage.Bot
}

// hasMoved says that the player has made a move since the match began.
func (s matchScreen) hasMoved() bool {
	made := s.view.Ply() - s.view.Start
	return made > 1 || made == 1 && !s.view.YourTurn(s.env.who)
}

// exhibition says that two computer players play: whoever has set them to it may call it off.
func (s matchScreen) exhibition() bool {
	return s.running() && s.view.Seats[0].Kind == storage.Bot && s.view.Seats[1].Kind == storage.Bot
}

// untaken says that somebody never came to the second seat.
func (s matchScreen) neverStarted() bool {
	return s.view.Seats[0].Kind == storage.Free || s.view.Seats[1].Kind == storage.Free
}

// invited says that the free seat is kept for the player.
func (s matchScreen) invited() bool { return s.waiting() && s.view.Reserved == s.env.who.Occupant() }

func (s matchScreen) enterCommand() (matchScreen, tea.Cmd) {
	var c command
	if s.moveInput, c = s.command(s.env.say, s.available()); c == cmdNone {
		return s, nil
	}
	return s.startCommand(c)
}
