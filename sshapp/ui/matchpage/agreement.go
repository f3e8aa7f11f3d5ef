package matchpage

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage"
)

// What the two sides of a match offer each other at the board: a draw, and a takeback between people. An offer of the other side stands
// above the footer until it is answered; one's own stands there too, until the other side has answered or somebody moves.

// ownOffer returns the kind of the player's own open offer in a view; "" for none.
func (s matchScreen) ownOffer(v *lobby.View) string {
	if o, ok := v.OpenOffer(s.env.Who); ok && v.Holds(s.env.Who, o.By) {
		return o.Kind
	}
	return ""
}

func (s matchScreen) canDraw() bool {
	return s.inPlay() && s.view.Made() >= 2 && s.ownOffer(s.view) != storage.OfferDraw
}

// askDraw asks where nobody else has to agree.
func (s matchScreen) askDraw() string {
	if s.bothSeats() {
		return s.env.Say.T("End this match as a draw? Enter once more, esc to play on.")
	}
	return ""
}

func (s matchScreen) draw() (matchScreen, tea.Cmd) {
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return nil, seat.OfferDraw(ctx) })
}

func (s matchScreen) whyNoDraw() string {
	switch {
	case !s.running():
		return ""
	case s.view.Made() < 2:
		return s.env.Say.Error(lobby.ErrTooEarly)
	}
	return s.env.Say.T("The other side has not answered yet.")
}

// canTakeback reports whether the player can take a move back, or ask the other side to agree to that.
func (s matchScreen) canTakeback() bool {
	return s.inPlay() && !s.view.Rated && s.hasMoved() && s.ownOffer(s.view) != storage.OfferTakeback
}

func (s matchScreen) takeback() (matchScreen, tea.Cmd) {
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return nil, seat.Takeback(ctx) })
}

func (s matchScreen) whyNoTakeback() string {
	say := s.env.Say
	switch {
	case s.view.Over:
		return say.Error(lobby.ErrOver)
	case s.view.Rated:
		return say.Error(lobby.ErrRatedTakeback)
	case !s.hasMoved():
		return say.Error(lobby.ErrNothingBack)
	}
	return say.T("The other side has not answered yet.")
}

// canAnswer reports whether the other side offers the player something: a draw, a takeback, a rematch, or the match itself.
func (s matchScreen) canAnswer() bool {
	_, offered := s.view.OfferTo(s.env.Who)
	return offered || s.view.OffersRematch(s.env.Who) || s.invited()
}

func (s matchScreen) accept() (matchScreen, tea.Cmd) {
	switch {
	case s.invited():
		return s.join()
	case s.view.Over:
		return s.rematch()
	}
	return s.answerOffer(true)
}

// decline declines what the other side offers. A match that is declined leaves no board to stay at.
func (s matchScreen) decline() (matchScreen, tea.Cmd) {
	var then tea.Cmd
	switch {
	case s.invited():
		then = screen.Home
	case !s.view.Over:
		return s.answerOffer(false)
	}
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return then, seat.Decline(ctx) })
}

// answerOffer answers the offer that the player sees.
func (s matchScreen) answerOffer(yes bool) (matchScreen, tea.Cmd) {
	seat := s.seat
	o, _ := s.view.OfferTo(s.env.Who)
	return s.call(func(ctx context.Context) (tea.Cmd, error) { return nil, seat.Answer(ctx, o.Kind, yes) })
}

func (s matchScreen) whyNoAnswer() string { return s.env.Say.Error(lobby.ErrNoOffer) }

// newOffer reports whether the other side offers the player something that it did not in the view old.
func (s matchScreen) newOffer(old *lobby.View) bool {
	now, offered := s.view.OfferTo(s.env.Who)
	before, was := old.OfferTo(s.env.Who)
	return offered && (!was || before != now)
}

// offered says what the other side offers the player in the match; "" for nothing.
func (s matchScreen) offered() string {
	o, ok := s.view.OfferTo(s.env.Who)
	if !ok {
		return ""
	}
	by := describe.Occupant(s.env, s.view.Seats[o.By])
	if o.Kind == storage.OfferDraw {
		return s.env.Say.T("%s offers a draw: /accept, /decline", by)
	}
	return s.env.Say.T("%s asks to take a move back: /accept, /decline", by)
}

// openOffer says which offer waits for an answer that is not the player's to give; "" for none.
func (s matchScreen) openOffer() string {
	o, ok := s.view.OpenOffer(s.env.Who)
	switch {
	case !ok || s.view.Over:
		return ""
	case !s.view.Holds(s.env.Who, o.By):
		return s.env.Say.Offers(o.Kind, s.view.Seats[o.By].Name)
	case o.Kind == storage.OfferDraw:
		return s.env.Say.T("You offer a draw, until somebody moves.")
	}
	return s.env.Say.T("You ask to take your move back, until somebody moves.")
}

// declined says that the other side has declined what the player offered in the view old; "" if it has not.
func (s matchScreen) declined(old *lobby.View) string {
	kind := s.view.OfferDeclined(old, s.env.Who)
	if kind == "" {
		return ""
	}
	side, _ := old.Side(s.env.Who)
	return s.env.Say.Declines(kind, describe.Occupant(s.env, s.view.Seats[side.Other()]))
}
