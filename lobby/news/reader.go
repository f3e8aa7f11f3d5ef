package news

import (
	"context"

	"ludoteca/lobby/lists"
	"ludoteca/lobby/match"
)

// Lists has the lists of users; see lists.Service.
type Lists interface {
	// NextYours returns the part of the lists that concerns a user as soon as its number is above after, and the number.
	NextYours(ctx context.Context, u match.User, after uint64) (lists.Yours, uint64, error)
}

// A Reader reads what happens to one user outside of the match that they look at. One goroutine at a time may use it.
type Reader struct {
	lists  Lists
	user   match.User
	number uint64
	fold   Fold
}

// NewReader returns a reader that has read nothing.
func NewReader(l Lists, u match.User) *Reader { return &Reader{lists: l, user: u} }

// User returns the user whose news these are.
func (r *Reader) User() match.User { return r.user }

// Next returns the user's lists as soon as they are newer than the last ones, and what is new in them: nothing the first time, when Standing
// tells what there is. After an error, which is one of NextYours, a further call goes on where the last lists were: it loses no item and
// repeats none.
func (r *Reader) Next(ctx context.Context) (yours lists.Yours, items []Item, err error) {
	yours, number, err := r.lists.NextYours(ctx, r.user, r.number)
	if err != nil {
		return lists.Yours{}, nil, err
	}
	r.number = number
	return yours, r.fold.Take(yours), nil
}
