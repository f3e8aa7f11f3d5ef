package matchpage

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/ui/boardpage"
)

// orders are what the player has told the page to do: the question before it, the request on its way, and why it could not be done.
type orders struct {
	asking  string  // the command whose question waits for a second enter; "" for none
	busy    bool    // a command is on its way
	refused refusal // of the last command that could not be done
}

// A refusal is why a command could not be done when it was last asked for.
type refusal struct{ command, words string }

// commandMsg is the answer to a command; then is what comes after it, nil for nothing.
type commandMsg struct {
	then tea.Cmd
	err  error
}

// question returns the words of the open question; "" if there is none.
func (o orders) question(s matchScreen) string {
	if o.asking == "" {
		return ""
	}
	return matchCommands[o.asking].Question(s)
}

// askedWhat says in English what the second enter does.
func (o orders) askedWhat() string { return boardpage.CommandWhat(o.asking) }

// Asking reports whether a question waits for a second enter.
func (o orders) Asking() bool { return o.asking != "" }

// start does a command, asks first if it can't be undone, or says why it can't be done.
func (s matchScreen) start(c string) (matchScreen, tea.Cmd) {
	a := matchCommands[c]
	s.Input.Problem = ""
	if err := a.Refusal(s); err != nil {
		s.Input.Problem = boardpage.Why(s.env.Say, err)
		s.refused = refusal{c, s.Input.Problem}
		return s, nil
	}
	if a.Question(s) != "" {
		s.asking = c
		return s, nil
	}
	return a.Run(s)
}

// answer handles what the player does while a question is open: a second enter carries the command out, anything else cancels it. A slash
// begins the next command then; all else does nothing.
func (s matchScreen) answer(msg tea.Msg) (matchScreen, tea.Cmd) {
	a := matchCommands[s.asking]
	s.asking = ""
	k, ok := msg.(tea.KeyPressMsg)
	switch {
	case ok && k.String() == "enter":
		return a.Run(s)
	case ok && k.Text == "/": // else the rest of the command would be read as a move
		s.offers = s.offers.saw(s.situation, s.Input)
		s.Input = s.Input.Insert(k)
	}
	return s, nil
}

// answerKey is answer for a key.
func answerKey(s matchScreen, msg tea.KeyPressMsg) (matchScreen, tea.Cmd) { return s.answer(msg) }

// refusedStill returns the screen with the refusal that it shows as it is now: one may say how long something still takes. It is gone when
// the command can be done.
func (s matchScreen) refusedStill() matchScreen {
	if s.refused.words == "" || s.Input.Problem != s.refused.words {
		return s
	}
	s.refused.words = ""
	if err := matchCommands[s.refused.command].Refusal(s); err != nil {
		s.refused.words = boardpage.Why(s.env.Say, err)
	}
	s.Input.Problem = s.refused.words
	return s
}

// call asks the lobby for something, one request at a time. It may go on to another screen then.
func (s matchScreen) call(request func(ctx context.Context) (then tea.Cmd, err error)) (matchScreen, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	ctx := s.env.Ctx
	return s, func() tea.Msg {
		then, err := request(ctx)
		return commandMsg{then, err}
	}
}
