package boardpage

import (
	"errors"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// The names of the commands.
const (
	CmdJoin      = "join"
	CmdResign    = "resign"
	CmdAbort     = "abort"
	CmdTakeback  = "takeback"
	CmdDraw      = "draw"
	CmdAdjourn   = "adjourn"
	CmdContinue  = "resume"
	CmdAccept    = "accept"
	CmdDecline   = "decline"
	CmdClaim     = "claim"
	CmdClaimDraw = "claimdraw"
	CmdHint      = "hint"
	CmdFlip      = "flip"
	CmdChat      = "chat"
	CmdRematch   = "rematch"
	CmdNew       = "new"
	CmdReview    = "review"
	CmdPlay      = "play"
	CmdPlan      = "plan"
	CmdPremove   = "premove off"
	CmdPlanDrop  = "plan clear"
	CmdKeep      = "keep"
	CmdReport    = "report"
	CmdHelp      = "help"
	CmdWho       = "who"
	CmdLobby     = "lobby"
	CmdQuit      = "quit"

	CmdAcceptDraw      = "accept draw" // of several offers, as the next ones
	CmdAcceptTakeback  = "accept takeback"
	CmdDeclineDraw     = "decline draw"
	CmdDeclineTakeback = "decline takeback"
	CmdAcceptAdjourn   = "accept adjourn"
	CmdDeclineAdjourn  = "decline adjourn"
)

// A command is what can be typed after a slash at a board: its name, and what it does, in a few English words.
type command struct{ name, what string }

// commands are all commands, in the order in which they are offered. Each screen with a board says in a table of its own what
// they do there; completion, dispatch and help follow both.
var commands = []command{
	{CmdJoin, text.T("take the seat")},
	{CmdResign, text.T("resign")},
	{CmdAbort, text.T("call the match off")},
	{CmdTakeback, text.T("take back")},
	{CmdDraw, text.T("offer a draw")},
	{CmdAdjourn, text.T("adjourn the match")},
	{CmdContinue, text.T("resume the match")},
	{CmdAccept, text.T("accept the offer")},
	{CmdAcceptDraw, text.T("accept the draw")},
	{CmdAcceptTakeback, text.T("let them take back")},
	{CmdAcceptAdjourn, text.T("agree to adjourn")},
	{CmdDecline, text.T("decline the offer")},
	{CmdDeclineDraw, text.T("decline the draw")},
	{CmdDeclineTakeback, text.T("let the move stand")},
	{CmdDeclineAdjourn, text.T("don't adjourn")},
	{CmdClaim, text.T("claim the win")},
	{CmdClaimDraw, text.T("claim a draw")},
	{CmdHint, text.T("hint")},
	{CmdFlip, text.T("flip")},
	{CmdChat, text.T("chat")},
	{CmdRematch, text.T("rematch")},
	{CmdNew, text.T("new opponent")},
	{CmdReview, text.T("review")},
	{CmdPlay, text.T("play on")},
	{CmdPremove, text.T("take the premove back")},
	{CmdPlan, text.T("plan moves")},
	{CmdPlanDrop, text.T("drop your plan")},
	{CmdKeep, text.T("keep your matches")},
	{CmdReport, text.T("report")},
	{CmdHelp, text.T("help")},
	{CmdWho, text.T("players here")},
	{CmdLobby, text.T("lobby")},
	{CmdQuit, text.T("leave")},
}

// CommandWhat describes a command in a few English words.
func CommandWhat(name string) string {
	for _, c := range commands {
		if c.name == name {
			return c.what
		}
	}
	return ""
}

// CommandNames returns the names of all commands.
func CommandNames() []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	return names
}

// A CommandTable maps the names of commands to their actions on one kind of screen. A screen need not have all commands.
type CommandTable[S any] map[string]Action[S]

// An Action is the effect of a command on one kind of screen. The zero value is a command that the screen doesn't have.
type Action[S any] struct {
	May func(S) error        // nil if it can be done now, else why not
	Run func(S) (S, tea.Cmd) // does it
	Ask func(S) string       // a question that waits for a second enter before it is done; nil or "": none
}

// A Reason is why a screen can't do something that no rule of the match forbids: an English sentence marked by text.T.
type Reason string

func (r Reason) Error() string { return string(r) }

// The reasons of several screens.
var (
	ErrNotNow      = Reason(text.T("That can't be done now."))
	ErrNoOtherSide = Reason(text.T("This board has no other side."))
)

// Why says in words why something can't be done. err is what Action.May returns, or an error of the lobby.
func Why(say wording.Words, err error) string {
	if r := Reason(""); errors.As(err, &r) {
		return say.T(string(r))
	}
	return say.Error(err)
}

// Available returns the commands that can be given on a screen now.
func (t CommandTable[S]) Available(s S) []string {
	var names []string
	for _, c := range commands {
		if t[c.name].Can(s) {
			names = append(names, c.name)
		}
	}
	return names
}

// Help returns the commands that can be given on a screen now, as lines of the help.
func (t CommandTable[S]) Help(s S) []key.Binding {
	var lines []key.Binding
	for _, c := range commands {
		if t[c.name].Can(s) {
			lines = append(lines, widget.Label("/"+c.name, c.what))
		}
	}
	return lines
}

// Always is the condition of a command that can be given at any time.
func Always[S any](S) error { return nil }

// ShowPlayers is the action of the command that shows who is here.
func ShowPlayers[S any](s S) (S, tea.Cmd) { return s, screen.ShowPlayers }

// GoHome is the action of the command that leads back to the lobby.
func GoHome[S any](s S) (S, tea.Cmd) { return s, screen.Home }

// Quit is the action of the command that ends the session.
func Quit[S any](s S) (S, tea.Cmd) { return s, screen.Leave }

// Can reports whether the screen has the action and allows it now.
func (a Action[S]) Can(s S) bool { return a.Refusal(s) == nil }

// Question returns the question that a second enter must confirm before the action, or "" if there is none.
func (a Action[S]) Question(s S) string {
	if a.Ask == nil {
		return ""
	}
	return a.Ask(s)
}

// Refusal returns why the action isn't possible now, nil if it is.
func (a Action[S]) Refusal(s S) error {
	if a.May == nil {
		return ErrNotNow
	}
	return a.May(s)
}
