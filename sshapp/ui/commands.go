package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// The names of the commands.
const (
	cmdJoin     = "join"
	cmdResign   = "resign"
	cmdAbort    = "abort"
	cmdTakeback = "takeback"
	cmdHint     = "hint"
	cmdFlip     = "flip"
	cmdRematch  = "rematch"
	cmdNew      = "new"
	cmdReview   = "review"
	cmdPlay     = "play"
	cmdHelp     = "help"
	cmdLobby    = "lobby"
	cmdQuit     = "quit"
)

// A command is what can be typed after a slash at a board: its name, and what it does, in a few English words.
type command struct{ name, what string }

// commands are all commands, in the order in which they are offered. Each screen with a board says in a table of its own what
// they do there; completion, dispatch and help follow both.
var commands = []command{
	{cmdJoin, text.T("take the seat")},
	{cmdResign, text.T("resign")},
	{cmdAbort, text.T("call the match off")},
	{cmdTakeback, text.T("take back")},
	{cmdHint, text.T("hint")},
	{cmdFlip, text.T("flip")},
	{cmdRematch, text.T("rematch")},
	{cmdNew, text.T("new opponent")},
	{cmdReview, text.T("review")},
	{cmdPlay, text.T("play on")},
	{cmdHelp, text.T("help")},
	{cmdLobby, text.T("lobby")},
	{cmdQuit, text.T("leave")},
}

// commandWhat returns in English what a command does, in a few words.
func commandWhat(name string) string {
	for _, c := range commands {
		if c.name == name {
			return c.what
		}
	}
	return ""
}

// commandNames returns the names of all commands.
func commandNames() []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	return names
}

// A commandTable is what commands do on one kind of screen, by their names. A screen need not have all commands.
type commandTable[S any] map[string]action[S]

// An action is what a command does on one kind of screen. The zero value is a command that the screen doesn't have.
type action[S any] struct {
	when func(S) bool            // whether it can be done now
	run  func(S) (S, tea.Cmd)    // does it
	ask  func(S) string          // a question that waits for a second enter before it is done; nil or "": none
	why  func(S) (reason string) // why it can't be done now; nil or "": for no special reason
}

// available returns the commands that can be done on a screen now.
func (t commandTable[S]) available(s S) []string {
	var names []string
	for _, c := range commands {
		if t[c.name].can(s) {
			names = append(names, c.name)
		}
	}
	return names
}

// help returns the commands that can be done on a screen now, as lines of the help.
func (t commandTable[S]) help(s S) []key.Binding {
	var lines []key.Binding
	for _, c := range commands {
		if t[c.name].can(s) {
			lines = append(lines, widget.Label("/"+c.name, c.what))
		}
	}
	return lines
}

func always[S any](S) bool { return true }

func goHome[S any](s S) (S, tea.Cmd) { return s, home }

func quit[S any](s S) (S, tea.Cmd) { return s, leave }

// can reports whether the screen has the action and it can be done now.
func (a action[S]) can(s S) bool { return a.when != nil && a.when(s) }

// question returns what has to be answered by a second enter first; "" for nothing.
func (a action[S]) question(s S) string {
	if a.ask == nil {
		return ""
	}
	return a.ask(s)
}

// refusal returns the special reason why the action can't be done now; "" for none.
func (a action[S]) refusal(s S) string {
	if a.why == nil {
		return ""
	}
	return a.why(s)
}
