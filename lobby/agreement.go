package lobby

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
)

// What two sides can agree on: a draw, a takeback, a rematch, and to play at all. See lobby/match/offers.go for the offers within a match;
// a rematch and a challenge are matches with a seat that is reserved for one user.

// OfferDraw offers the other side a draw, or agrees to the one that it offers, which ends the match. A computer player answers when it
// has looked at the position. A user who holds both seats agrees at once.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrTooEarly (not both sides have moved), ErrManyOffers, an *OfferWaitError,
// ErrTimeUp, ErrBusy, ErrClosed.
func (s *Seat) OfferDraw(ctx context.Context) error {
	return s.lobby.Matches.Do(ctx, s.id, match.OfferDraw(s.user), func() {})
}

// Takeback undoes the user's last move, and what has been played since: the computer player's reply, or nothing while it
// still thinks, which then stops. It returns when that is on disk, and may be asked again, back to the first move. Between two users it
// asks the other side to agree: View.Offers says so until there is an answer.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrRatedTakeback, ErrNothingBack, ErrTakebacks, ErrOfferOpen (the other side
// asks for a takeback too), ErrManyOffers, an *OfferWaitError, ErrBusy, ErrClosed.
func (s *Seat) Takeback(ctx context.Context) error {
	return s.lobby.Matches.Do(ctx, s.id, match.Takeback(s.user, s.lobby.inForce.Now().Takebacks), func() {})
}

// Answer accepts or declines what the other side offers in the match: matches.OfferDraw or matches.OfferTakeback. If number is not 0, it
// answers the offer with that number and no other one. The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrNoOffer (none of the kind is open),
// ErrOfferChanged (the one with the number isn't open any more), ErrTakebacks, ErrTimeUp, ErrBusy, ErrClosed.
func (s *Seat) Answer(ctx context.Context, kind string, number uint64, yes bool) error {
	return s.lobby.Matches.Do(ctx, s.id, match.Answer(s.user, kind, number, yes, s.lobby.inForce.Now().Takebacks), func() {})
}

// Accept accepts what the other side offers the user: a draw or a takeback while the match is played, a rematch when it is over, and
// before it has started the match itself, if it is reserved for the user. which says which offer is meant; that one is accepted and no other
// one, whatever is offered meanwhile. ref is the match that goes on, with its code.
// The errors are those of Answer, Rematch and Join; ErrNoOffer if there is nothing to accept, ErrWhichOffer if several offers may be meant.
func (s *Seat) Accept(ctx context.Context, which OfferRef) (ref Ref, err error) {
	v, o, err := s.chosen(ctx, which)
	switch {
	case err != nil:
		return Ref{}, err
	case o.Kind == match.OfferChallenge:
		return v.Ref, s.Join(ctx)
	case o.Kind == match.OfferRematch:
		ref, err = s.lobby.joinRematch(ctx, s.user, v.Rematch)
		return ref, goneOffer(err)
	}
	return v.Ref, s.Answer(ctx, o.Kind, o.Number, true)
}

// Decline declines what Accept would accept. The errors are those of Answer and Abort, ErrNoOffer if there is nothing to decline, and
// ErrWhichOffer.
func (s *Seat) Decline(ctx context.Context, which OfferRef) error {
	v, o, err := s.chosen(ctx, which)
	switch {
	case err != nil:
		return err
	case o.Kind == match.OfferChallenge:
		return s.Abort(ctx)
	case o.Kind == match.OfferRematch:
		return goneOffer(s.lobby.Matches.Do(ctx, v.Rematch.ID, match.Abort(s.user), func() {}))
	}
	return s.Answer(ctx, o.Kind, o.Number, false)
}

// chosen returns the open offer to the user that which means, and the view that it is in.
func (s *Seat) chosen(ctx context.Context, which OfferRef) (v *View, o OpenOffer, err error) {
	if v, err = s.Now(ctx); err == nil {
		o, err = which.Choose(v.OffersTo(s.user))
	}
	return v, o, err
}

// goneOffer returns the error of an answer to a rematch: ErrOfferChanged if that is over.
func goneOffer(err error) error {
	if errors.Is(err, ErrOver) {
		return ErrOfferChanged
	}
	return err
}
