package seats

import (
	"context"

	"ludoteca/lobby/match"
)

// Adjourn asks the other side of a user's seat to adjourn the match, or agrees if it has asked. It returns match.ErrNoAdjourn, match.ErrAdjournEarly and
// the errors of Seat.OfferDraw.
func Adjourn(ctx context.Context, s *Seat) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Adjourn(s.user))
}

// Continue goes on with an adjourned match. It returns match.ErrNotAdjourned, and the errors of Seat.Answer.
func Continue(ctx context.Context, s *Seat) error {
	return s.in.config.Matches.Do(ctx, s.id, match.Continue(s.user))
}
