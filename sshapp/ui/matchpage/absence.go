package matchpage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/describe"
)

// The messages to a player whose opponent has gone. The player can wait, or claim the match once the opponent has been gone for long
// enough. Nothing happens by itself.

// absent returns the message that the opponent has gone, with the time that they have to come back or how to claim the match. It returns ""
// if there is nothing to say.
func (s matchScreen) absent() string {
	at, now := s.claimAt(), s.env.Now()
	side, plays := s.view.Side(s.env.Who)
	if at.IsZero() || !plays {
		return ""
	}
	say, other := s.env.Say, side.Other()
	name, silent := describe.Occupant(s.env, s.view.Seats[other]), s.view.Clock.Setting.Kind == lobby.NoClock
	switch left := at.Sub(now); {
	case left > 0 && silent:
		return "" // three days are long
	case left > 0:
		return say.ComeBack(name, s.view.Presence[other], left)
	}
	return say.MayClaim(name, silent) + " " + say.T("/claim takes the win, /claimdraw a draw.")
}

// claimAt returns from when on the player may claim the match; zero for never, as things are.
func (s matchScreen) claimAt() time.Time {
	if s.seat == nil || !s.inPlay() {
		return time.Time{}
	}
	return s.seat.ClaimAt(s.view)
}

func (s matchScreen) canClaim() bool {
	at := s.claimAt()
	return !at.IsZero() && !s.env.Now().Before(at)
}

func (s matchScreen) askClaim() string {
	return s.env.Say.T("Claim the win? Enter once more, esc to play on.")
}

func (s matchScreen) askClaimDraw() string {
	return s.env.Say.T("Claim a draw? Enter once more, esc to play on.")
}

func (s matchScreen) claim() (matchScreen, tea.Cmd)     { return s.claimAs(false) }
func (s matchScreen) claimDraw() (matchScreen, tea.Cmd) { return s.claimAs(true) }

func (s matchScreen) claimAs(draw bool) (matchScreen, tea.Cmd) {
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return nil, seat.Claim(ctx, draw) })
}

func (s matchScreen) whyNoClaim() string {
	if !s.inPlay() {
		return ""
	}
	at := s.claimAt()
	if at.IsZero() {
		return s.env.Say.Error(lobby.ErrNoClaim)
	}
	return s.env.Say.Error(&lobby.ClaimEarlyError{Wait: at.Sub(s.env.Now())})
}
