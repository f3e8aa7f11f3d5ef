package prompt

import (
	"context"

	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// A Practice knows what matches have made of practice ratings; see learning.Practice.
type Practice interface {
	Change(ctx context.Context, u lobby.User, game string, id storage.MatchID) (learning.PracticePoint, bool, error)
}

// PracticeChange says what a finished match against a computer player has made of the practice rating of a user; "" if it did not count for the
// user, or that isn't known.
func PracticeChange(ctx context.Context, from Practice, say wording.Words, v *lobby.View, who lobby.User) string {
	side, sits := v.Side(who)
	if !v.Over || !sits || !who.Kind.HasAccount() || v.Seats[side.Other()].Kind != storage.Bot {
		return ""
	}
	p, ok, err := from.Change(ctx, who, v.Game.About().ID, v.ID)
	if err != nil || !ok {
		return ""
	}
	return text.Sentence(say.PracticeChange(p, ""))
}

// tellPractice is PracticeChange for a match that has just ended.
func tellPractice(ctx context.Context, from Practice, say wording.Words, seat *seats.Seat, tell func(string)) {
	v, err := seat.Now(ctx)
	if err != nil {
		return // the user is gone, or the club closes
	}
	if words := PracticeChange(ctx, from, say, v, seat.User()); words != "" {
		tell(words)
	}
}
