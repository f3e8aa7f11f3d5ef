package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
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
	cmdFlip
	cmdRematch
	cmdNewOpponent
	cmdReview
	cmdHelp
	cmdToLobby
	cmdQuit
)

// commandNames are what the commands are called, in the order in which they are offered.
var commandNames = []struct {
	command command
	name    string
}{
	{cmdJoin, "join"}, {cmdResign, "resign"}, {cmdAbort, "abort"}, {cmdFlip, "flip"}, {cmdRematch, "rematch"}, {cmdNewOpponent, "new"},
	{cmdReview, "review"}, {cmdHelp, "help"}, {cmdToLobby, "lobby"}, {cmdQuit, "quit"},
}

// enterTyped carries out the line.
func (s table) enterTyped() (table, tea.Cmd) {
	say := s.env.say
	if name, ok := strings.CutPrefix(s.typed.text, "/"); ok {
		return s.enterCommand(strings.TrimSpace(name))
	}
	if !s.yours() {
		s.problem = say.T("It is not your turn yet. What you type stays.")
		return s, nil
	}
	m, err := s.reads(s.view.Position)
	if err != nil {
		s.problem = say.Error(err)
		return s, nil
	}
	s.hand = s.scene.Release(s.meant(s.scene))
	return s.send(m)
}

// available are the commands that can do something now.
func (s table) available() []command {
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
			ok = s.plays() && (s.waiting() || s.running() && s.view.Ply() < 2) || s.invited() || s.exhibition()
		case cmdFlip:
			ok = turns
		case cmdRematch:
			ok = s.view.Over && s.plays() && !s.untaken()
		case cmdNewOpponent:
			ok = s.view.Over && s.plays()
		case cmdReview:
			ok = s.view.Ply() > 0
		}
		if ok {
			all = append(all, c.command)
		}
	}
	return all
}

// can says whether a command can do something now.
func (s table) can(c command) bool { return slices.Contains(s.available(), c) }

// exhibition says that two computer players play: whoever has set them to it may call it off.
func (s table) exhibition() bool {
	return s.running() && s.view.Seats[0].Kind == storage.Bot && s.view.Seats[1].Kind == storage.Bot
}

// untaken says that somebody never came to the second seat.
func (s table) untaken() bool {
	return s.view.Seats[0].Kind == storage.Free || s.view.Seats[1].Kind == storage.Free
}

// invited says that the free seat is kept for the player.
func (s table) invited() bool { return s.waiting() && s.view.Reserved == s.env.who.Occupant() }

// matching are the names of commands that can do something now and start with what is typed.
func (s table) matching() []string {
	start := strings.ToLower(strings.TrimPrefix(s.typed.text, "/"))
	var names []string
	for _, a := range s.available() {
		for _, c := range commandNames {
			if c.command == a && strings.HasPrefix(c.name, start) {
				names = append(names, c.name)
			}
		}
	}
	return names
}

// complete is tab: it completes a command as far as it is clear which one is meant.
func (s table) complete() table {
	names := s.matching()
	if !strings.HasPrefix(s.typed.text, "/") || len(names) == 0 {
		return s
	}
	common := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, common) {
			common = common[:len(common)-1]
		}
	}
	s.grip = s.retyped(entry{}.insert("/"+common, typedCells))
	return s
}

func (s table) enterCommand(name string) (table, tea.Cmd) {
	say := s.env.say
	names := s.matching()
	for _, c := range commandNames {
		known := strings.EqualFold(c.name, name)
		if known || len(names) == 1 && names[0] == c.name {
			s.typed = entry{}
			return s.order(c.command)
		}
	}
	if len(names) == 0 {
		s.problem = say.T("There is no command /%s here. Tab after / shows them.", text.Cut(name, 12))
	} else {
		s.problem = say.T("Which one: %s?", "/"+strings.Join(names, " /"))
	}
	return s, nil
}
