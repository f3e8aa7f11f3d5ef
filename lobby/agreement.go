package lobby

import (
	"context"

	"ludoteca/lobby/match"
)

// What two sides can agree on: a draw, a takeback, a rematch, and to play at all. See lobby/match/offers.go for the offers within a match;
// a rematch and a challenge are matches with a seat that is reserved for one user.

// OfferDraw offers the other side a draw, or agrees to the one that it offers, which ends the match. A computer player answers when it
// has looked at the position. A user who holds both seats agrees at once.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrTooEarly (not both sides have moved), ErrManyOffers, an *OfferWaitError,
// ErrTimeUp, ErrBusy, ErrClosed.
func (s *Seat) OfferDraw(ctx context.Context) error {
	return s.lobby.do(ctx, s.id, match.OfferDraw(s.user), func() {})
}

// Takeback undoes the user's last move, and what has been played since: the computer player's reply, or nothing while it
// still thinks, which then stops. It returns when that is on disk, and may be asked again, back to the first move. Between two users it
// asks the other side to agree: View.Offers says so until there is an answer.
// The errors are ErrOver, ErrNotSeated, ErrNotStarted, ErrRatedTakeback, ErrNothingBack, ErrTakebacks, ErrOfferOpen (the other side
// asks for a takeback too), ErrManyOffers, an *OfferWaitError, ErrBusy, ErrClosed.
func (s *Seat) Takeback(ctx context.Context) error {
	return s.lobby.do(ctx, s.id, match.Takeback(s.user, s.lobby.index.limitsNow().Takebacks), func() {})
}

// Answer accepts or declines what the other side offers in the match: storage.OfferDraw or storage.OfferTakeback. The errors are
// ErrOver, ErrNotSeated, ErrNotStarted, ErrNoOffer (it is not open any more), ErrTakebacks, ErrTimeUp, ErrBusy, ErrClosed.
func (s *Seat) Answer(ctx context.Context, kind string, yes bool) error {
	return s.lobby.do(ctx, s.id, match.Answer(s.user, kind, yes, s.lobby.index.limitsNow().Takebacks), func() {})
}

// Accept accepts what the other side offers the user: a draw or a takeback while the match is played, a rematch when it is over, and
// before it has started the match itself, if it is reserved for the user. ref is the match that goes on, with its code.
// The errors are those of Answer, Rematch and Join; ErrNoOffer if there is nothing to accept.
func (s *Seat) Accept(ctx context.Context) (ref Ref, err error) {
	v, err := s.Now(ctx)
	if err != nil {
		return Ref{}, err
	}
	offer, offered := v.OfferTo(s.user)
	switch {
	case offered:
		return v.Ref, s.Answer(ctx, offer.Kind, true)
	case v.Challenges(s.user):
		return v.Ref, s.Join(ctx)
	case v.OffersRematch(s.user):
		return s.Rematch(ctx)
	}
	return v.Ref, ErrNoOffer
}

// Decline declines what Accept would accept. The errors are those of Answer and Abort; ErrNoOffer if there is nothing to decline.
func (s *Seat) Decline(ctx context.Context) error {
	v, err := s.Now(ctx)
	if err != nil {
		return err
	}
	offer, offered := v.OfferTo(s.user)
	switch {
	case offered:
		return s.Answer(ctx, offer.Kind, false)
	case v.Challenges(s.user):
		return s.Abort(ctx)
	case v.OffersRematch(s.user):
		return s.lobby.do(ctx, v.Rematch.ID, match.Abort(s.user), func() {})
	}
	return ErrNoOffer
}
