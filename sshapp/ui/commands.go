package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// The names of the commands: what is typed after a slash at a board.
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

// A command is a line of the table that the match screen and the review share. Completion, dispatch and help follow it.
type command struct {
	name   string
	what   string // it does, in a few words
	match  action[matchScreen]
	review action[reviewScreen]
}

// An action is what a command does on one kind of screen. The zero value is a command that the screen doesn't have.
type action[S any] struct {
	when func(S) bool            // whether it can be done now
	run  func(S) (S, tea.Cmd)    // does it
	ask  func(S) string          // a question that waits for a second enter before it is done; nil or "": none
	why  func(S) (reason string) // why it can't be done now; nil or "": for no special reason
}

// commands returns the table, in the order in which commands are offered.
func commands(say text.Say) []command {
	return []command{
		{name: cmdJoin, what: say.T("take the seat"),
			match: action[matchScreen]{when: matchScreen.canJoin, run: matchScreen.join}},
		{name: cmdResign, what: say.T("resign"),
			match: action[matchScreen]{when: matchScreen.inPlay, run: matchScreen.resign, ask: matchScreen.askResign, why: matchScreen.whyNoResign}},
		{name: cmdAbort, what: say.T("call the match off"),
			match: action[matchScreen]{when: matchScreen.canAbort, run: matchScreen.abort, ask: matchScreen.askAbort, why: matchScreen.whyNoAbort}},
		{name: cmdTakeback, what: say.T("take back"),
			match:  action[matchScreen]{when: matchScreen.canTakeback, run: matchScreen.takeback, why: matchScreen.whyNoTakeback},
			review: action[reviewScreen]{when: always[reviewScreen], run: reviewScreen.takeback}},
		{name: cmdHint, what: say.T("hint"),
			match: action[matchScreen]{when: matchScreen.canHint, run: matchScreen.askHint, why: matchScreen.whyNoHint}},
		{name: cmdFlip, what: say.T("flip"),
			match:  action[matchScreen]{when: matchScreen.canFlip, run: matchScreen.flip},
			review: action[reviewScreen]{when: reviewScreen.canFlip, run: reviewScreen.flip}},
		{name: cmdRematch, what: say.T("rematch"),
			match: action[matchScreen]{when: matchScreen.canRematch, run: matchScreen.rematch, why: matchScreen.whyNoRematch}},
		{name: cmdNew, what: say.T("new opponent"),
			match: action[matchScreen]{when: matchScreen.hasPlayed, run: matchScreen.newOpponent, why: matchScreen.whyNoRematch}},
		{name: cmdReview, what: say.T("review"),
			match: action[matchScreen]{when: matchScreen.canReview, run: matchScreen.review, why: matchScreen.whyNoReview}},
		{name: cmdPlay, what: say.T("play on"),
			review: action[reviewScreen]{when: always[reviewScreen], run: reviewScreen.playOn}},
		{name: cmdHelp, what: say.T("help"),
			match:  action[matchScreen]{when: always[matchScreen], run: matchScreen.openHelp},
			review: action[reviewScreen]{when: always[reviewScreen], run: reviewScreen.openHelp}},
		{name: cmdLobby, what: say.T("lobby"),
			match:  action[matchScreen]{when: always[matchScreen], run: goHome[matchScreen]},
			review: action[reviewScreen]{when: always[reviewScreen], run: goHome[reviewScreen]}},
		{name: cmdQuit, what: say.T("leave"),
			match:  action[matchScreen]{when: always[matchScreen], run: quit[matchScreen]},
			review: action[reviewScreen]{when: always[reviewScreen], run: quit[reviewScreen]}},
	}
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

// commandWhat returns what a command does, in a few words.
func commandWhat(say text.Say, name string) string {
	for _, c := range commands(say) {
		if c.name == name {
			return c.what
		}
	}
	return ""
}

// commandNames returns the names of all commands.
func commandNames() []string {
	var names []string
	for _, c := range commands(text.Say{}) {
		names = append(names, c.name)
	}
	return names
}

// onMatch and onReview select the actions of a screen.
func onMatch(c command) action[matchScreen]   { return c.match }
func onReview(c command) action[reviewScreen] { return c.review }

// actionOf returns what a command does on a screen.
func actionOf[S any](name string, of func(command) action[S]) action[S] {
	for _, c := range commands(text.Say{}) {
		if c.name == name {
			return of(c)
		}
	}
	return action[S]{}
}

// available returns the commands that can be done on a screen now.
func available[S any](s S, of func(command) action[S]) []string {
	var names []string
	for _, c := range commands(text.Say{}) {
		if of(c).can(s) {
			names = append(names, c.name)
		}
	}
	return names
}

// commandHelp returns the commands that can be done on a screen now, as lines of the help.
func commandHelp[S any](say text.Say, s S, of func(command) action[S]) []key.Binding {
	var lines []key.Binding
	for _, c := range commands(say) {
		if of(c).can(s) {
			name := "/" + c.name
			lines = append(lines, widget.Label(name, c.what))
		}
	}
	return lines
}
