package matchpage

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/widget"
)

// A hintLine is a hint for the position on the board. It may take a while, and the player need not wait for it.
type hintLine struct {
	asking bool   // a hint is being worked out
	words  string // of the hint, or that the other side declines an offer; "" for nothing
}

// hintMsg is the answer to a request for a hint.
type hintMsg struct {
	hint lobby.Hint
	err  error
}

// ask asks for a hint, unless one is on its way.
func (h hintLine) ask(m situation) (hintLine, tea.Cmd) {
	if h.asking {
		return h, nil
	}
	h.asking = true
	ctx, seat := m.env.Ctx, m.seat
	return h, func() tea.Msg {
		hint, err := seat.Hint(ctx)
		return hintMsg{hint, err}
	}
}

// hintDone shows a hint, unless the board has changed meanwhile: it selects the move and says the rest in words.
func (s matchScreen) hintDone(msg hintMsg) matchScreen {
	s.hint.asking = false
	switch h := msg.hint; {
	case errors.Is(msg.err, lobby.ErrLate): // the match has moved on, and the player with it
	case msg.err != nil:
		s.Input.Problem = s.env.Say.Error(msg.err)
	case h.Ply == s.view.Ply() && s.yours():
		_, s.Input.Sel = s.Scene.Typed(string(h.Move), s.Input.Sel)
		s.Input.Typed, s.hint.words = widget.Entry{}, s.env.Say.Hint(h)
	}
	return s
}
