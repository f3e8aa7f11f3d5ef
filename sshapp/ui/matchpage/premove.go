package matchpage

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
)

// # Premoves
//
// While the other side thinks in a match whose clock counts seconds, a player may enter a move ahead. The session keeps one such move and sends it
// when a view arrives in which it is the player's turn, if it is legal then. So it costs the time that it takes to arrive, as any move does. It is
// never stored, and nobody else sees it.

// A premove is a move that the player has entered ahead; "" is none.
type premove games.Move

// mayPremove reports whether the player may enter a move ahead: the clock runs for the other side.
func (m situation) mayPremove() bool {
	return m.inPlay() && !m.bothSeats() && m.view.Ticks() && !m.view.YourTurn(m.env.Who)
}

// setPremove makes the typed move the premove, in place of the one before.
func setPremove(s matchScreen) matchScreen {
	m, err := s.Scene.Position().Read(s.Input.Typed.Text)
	if err != nil {
		s.Input.Problem = s.env.Say.Error(err)
		return s
	}
	s.premove, s.Input = premove(m), boardpage.MoveInput{Sel: s.Scene.Release(s.Input.Sel)}
	return s
}

// playPremove sends the premove if it is the player's turn. One that is illegal now is dropped, and so is one whose match ends or goes back to an
// earlier position.
func playPremove(s matchScreen, old *lobby.View) (matchScreen, tea.Cmd) {
	if s.premove == "" || old == nil {
		return s, nil
	}
	m := games.Move(s.premove)
	switch {
	case !s.view.Over && s.view.Continues(old) && !s.yours():
		return s, nil // the other side still thinks
	case s.view.Over:
		s.premove = ""
		return s, nil
	}
	s.premove = ""
	if !s.view.Continues(old) {
		s.Input.Problem = s.env.Say.T("A move was taken back, so %s is not played.", string(m))
		return s, nil
	}
	if _, err := s.view.Position.Play(m); err != nil {
		s.Input.Problem = s.env.Say.T("%s can't be played now, so it is dropped.", string(m))
		return s, nil
	}
	return s.play(s.Input, m)
}

// dropPremove takes the premove back.
func dropPremove(s matchScreen) (matchScreen, tea.Cmd) {
	s.premove = ""
	return s, nil
}

// mayDropPremove returns nil if there is a premove to take back.
func mayDropPremove(s matchScreen) error {
	if s.premove == "" {
		return boardpage.ErrNotNow
	}
	return nil
}

// selectionOf returns what is chosen on the board: the premove where there is one and nothing is typed.
func selectionOf(s matchScreen) (sel boardview.Selection, ahead bool) {
	if s.premove != "" && s.Input.Empty() {
		if sel, ok := s.Scene.Ahead(games.Move(s.premove)); ok {
			return sel, true
		}
	}
	return s.Input.Selection(s.Scene), false
}
