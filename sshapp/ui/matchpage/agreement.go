package matchpage

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/storage/matches"
)

// The offers between the two sides of a match at the board: a draw, and a takeback between people. An offer of the other side stands
// above the footer until it is answered. The player's own offer stands there until the other side has answered or either side has moved.

// sawOffers notes what the other side offers the player before a command is typed: an answer is for an offer that was on the screen then, and
// for no other one.
func (s matchScreen) sawOffers() matchScreen {
	if s.view != nil && len(s.input.Typed.Text) <= len("/") {
		s.seen = s.view.OffersTo(s.env.Who)
	}
	return s
}

// answerOffer answers the offer that the player saw when they began to type; kind says which one of several, "" is the only one. A rematch that
// is accepted leads to its board, and a match that is declined leaves no board to stay at.
func (s matchScreen) answerOffer(kind string, yes bool) (matchScreen, tea.Cmd) {
	o, err := lobby.OfferRef{Kind: kind}.Choose(s.seen)
	if errors.Is(err, lobby.ErrNoOffer) {
		err = lobby.ErrOfferChanged // there is one now, which came while the player typed
	}
	if err != nil {
		s.input.Problem = s.env.Say.Error(err)
		return s, nil
	}
	seat := s.seat
	return s.call(func(ctx context.Context) (tea.Cmd, error) {
		switch {
		case !yes && o.Kind == lobby.OfferChallenge:
			return screen.Home, seat.Decline(ctx, o.Ref())
		case !yes:
			return nil, seat.Decline(ctx, o.Ref())
		}
		ref, err := seat.Accept(ctx, o.Ref())
		if o.Kind == lobby.OfferRematch {
			return screen.ReplaceByMatch(ref), err
		}
		return nil, err
	})
}

// newOffer reports whether the other side offers the player something in the match that it did not in the view old.
func (s matchScreen) newOffer(old *lobby.View) bool {
	return !s.view.Over && !s.waiting() && len(match.NewOffers(old.OffersTo(s.env.Who), s.view.OffersTo(s.env.Who))) > 0
}

// offered says what the other side offers the player in the match; "" for nothing.
func (s matchScreen) offered() string {
	if s.view.Over || s.waiting() {
		return ""
	}
	open := s.view.OffersTo(s.env.Who)
	if len(open) == 0 {
		return ""
	}
	by := describe.Occupant(s.env, s.view.Seats[open[0].By])
	switch {
	case len(open) > 1:
		return s.env.Say.T("%s offers a draw and asks to take a move back: /accept draw or /accept takeback, and /decline likewise", by)
	case open[0].Kind == matches.OfferDraw:
		return s.env.Say.T("%s offers a draw: /accept, /decline", by)
	}
	return s.env.Say.T("%s asks to take a move back: /accept, /decline", by)
}

// openOffer says which offers wait for an answer that is not the player's to give; "" for none.
func (s matchScreen) openOffer() string {
	if s.view.Over {
		return ""
	}
	var words []string
	for _, o := range s.view.Between {
		switch {
		case !s.view.Holds(s.env.Who, o.By):
			words = append(words, s.env.Say.Offers(o.Kind, s.view.Seats[o.By].Name))
		case o.Kind == matches.OfferDraw:
			words = append(words, s.env.Say.T("You offer a draw, until somebody moves."))
		default:
			words = append(words, s.env.Say.T("You ask to take your move back, until somebody moves."))
		}
	}
	return strings.Join(words, " ")
}

// declined returns the message that the other side has declined the player's offer in the view old, or "" if it hasn't.
func (s matchScreen) declined(old *lobby.View) string {
	kind := s.view.OfferDeclined(old, s.env.Who)
	if kind == "" {
		return ""
	}
	side, _ := old.Side(s.env.Who)
	return s.env.Say.Declines(kind, describe.Occupant(s.env, s.view.Seats[side.Other()]))
}
