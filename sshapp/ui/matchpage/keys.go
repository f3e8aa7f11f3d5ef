package matchpage

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/widget"
)

// matchKeys are the keys at the board, by how the match stands for the player. Letters and digits are always a move while the
// player has one to make; afterwards some letters are commands.
var matchKeys = newMatchKeys()

type matchKeySets struct {
	none, question, ended, invited, free, offered, watched, narrow, helped, oneKeyboard, played widget.Actions[matchScreen]
}

// keys returns the keys that there are now.
func (s matchScreen) keys() *widget.Actions[matchScreen] {
	k := &matchKeys
	switch {
	case s.view == nil:
		return &k.none
	case s.asking != "":
		return &k.question
	case s.chat.open:
		return &chatKeys
	case s.hasPlayed():
		return &k.ended
	case s.view.Challenges(s.env.Who):
		return &k.invited
	case s.can(boardpage.CmdJoin):
		return &k.free
	case s.waiting() && s.plays():
		return &k.offered
	case !s.inPlay():
		return &k.watched
	case s.Narrow():
		return &k.narrow
	case s.helped():
		return &k.helped
	case s.bothSeats():
		return &k.oneKeyboard
	}
	return &k.played
}

func newMatchKeys() matchKeySets {
	enter := func(name, what string) widget.Action[matchScreen] {
		return widget.On(name, what, matchScreen.enter, "enter")
	}
	command := func(name, what, command string) widget.Action[matchScreen] {
		return widget.On(name, what, func(s matchScreen) (matchScreen, tea.Cmd) { return s.start(command) }, name)
	}
	letter := func(name, what, of string) widget.Action[matchScreen] {
		return command(name, what, of).When(func(s matchScreen) bool { return lettersAreKeys(s) && s.can(of) })
	}
	take := enter("enter", text.T("take the seat"))
	play := enter("enter", text.T("play")).Listed(matchScreen.yours)
	rematch := letter("r", text.T("rematch"), boardpage.CmdRematch)
	review := letter("v", text.T("review"), boardpage.CmdReview)
	another := letter("n", text.T("new opponent"), boardpage.CmdNew)
	abort := letter("a", text.T("withdraw offer"), boardpage.CmdAbort)
	decline := letter("a", text.T("decline"), boardpage.CmdAbort)
	slash := widget.Typed[matchScreen]("/", text.T("commands"))
	help := widget.On("?", text.T("help"), openHelp, "?").When(typesNoCommand)
	chat := widget.Typed[matchScreen]("tab", text.T("chat")).Listed(tabIsChat)
	back := widget.On("esc", text.T("lobby"), cancel, "esc").Doing(cancelWhat)
	flip := widget.On("ctrl+f", text.T("flip"), flip, "ctrl+f").Listed(possible(boardpage.CmdFlip))
	hint := command("ctrl+t", text.T("hint"), boardpage.CmdHint).Listed(possible(boardpage.CmdHint))
	undo := command("ctrl+z", text.T("undo"), boardpage.CmdTakeback).Listed(possible(boardpage.CmdTakeback))
	plan := command("ctrl+p", text.T("plan moves"), boardpage.CmdPlan).Listed(possible(boardpage.CmdPlan))
	callOff := command("ctrl+x", text.T("call the match off"), boardpage.CmdAbort).Listed(callsOff)

	others := []widget.Action[matchScreen]{
		flip, hint, undo, callOff, plan, enter("", ""), widget.On("", "", tab, "tab"), help,
		rematch, review, another, abort.Listed(notRunning),
	}
	set := func(footer ...widget.Action[matchScreen]) widget.Actions[matchScreen] {
		return widget.Actions[matchScreen]{Footer: footer, Others: others, Commands: matchCommands.Help}
	}
	return matchKeySets{
		question: widget.Actions[matchScreen]{Footer: []widget.Action[matchScreen]{
			widget.OnKey("enter", "", answerKey, "enter").Doing(func(s matchScreen) string { return s.askedWhat() }),
			widget.OnKey("esc", text.T("play on"), answerKey, "esc"),
		}},
		ended:       set(rematch, review, another, back),
		invited:     set(take, decline, back),
		free:        set(take, back),
		offered:     set(abort, back),
		watched:     set(review, slash, chat, back),
		narrow:      set(play, slash, help, back),
		helped:      set(play, slash, hint, undo, back, help, flip), // with the way out where it has room in every language
		oneKeyboard: set(play, slash, undo, flip, help, back),
		played:      set(enter(text.T("arrows enter"), text.T("or type a move")), plan, slash, chat, help, back, flip),
	}
}

// lettersAreKeys reports whether some letters are commands now, not moves.
func lettersAreKeys(s matchScreen) bool { return !s.inPlay() && typesNoCommand(s) && !s.chat.open }

func typesNoCommand(s matchScreen) bool { return !s.Input.IsCommand() }

func notRunning(s matchScreen) bool { return !s.running() }

// cancelWhat says in English what esc does.
func cancelWhat(s matchScreen) string {
	if s.premove != "" {
		return s.Input.CancelWhat(text.T("take the premove back"))
	}
	return s.Input.CancelWhat(text.T("lobby"))
}

// tabIsChat reports whether tab opens the chat: while a command is typed it completes that.
func tabIsChat(s matchScreen) bool { return s.Input.Empty() && hasChat(s.situation) }

func tab(s matchScreen) (matchScreen, tea.Cmd) {
	if tabIsChat(s) {
		return openChat(s)
	}
	return complete(s)
}

// chatKeys are the keys while the pane is open. All others are text.
var chatKeys = widget.Actions[matchScreen]{Footer: []widget.Action[matchScreen]{
	widget.On("enter", text.T("send"), sendChat, "enter"),
	widget.OnKey(text.T("up down"), text.T("greetings"), greet, "up", "down").When(func(s matchScreen) bool { return s.chat.empty() }),
	widget.On("tab", text.T("back to the board"), closeChat, "tab", "esc"),
}}
