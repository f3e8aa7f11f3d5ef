package lobby

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// forfeitAll ends the unfinished matches of all closed accounts. What can't be written now is when the club next opens.
func (l *Lobby) forfeitAll(ctx context.Context) {
	for _, id := range l.Restrictions.AllClosed() {
		l.endMatches(ctx, id, match.Forfeit)
	}
}

// abandonAll ends the unfinished matches of all who deleted their accounts while their names are kept, as forfeitAll does.
func (l *Lobby) abandonAll(ctx context.Context) {
	for _, id := range l.Restrictions.AllDeleted() {
		l.endMatches(ctx, id, match.Abandon)
	}
}

// endMatches ends the unfinished matches of a player who is gone.
func (l *Lobby) endMatches(ctx context.Context, id storage.PlayerID, end func(User) match.Act) {
	u := User{Kind: storage.Person, ID: string(id)}
	for _, v := range l.registry.Of(u.Key()) {
		if err := l.do(ctx, v.ID, end(u), func() {}); err != nil && !errors.Is(err, ErrOver) && ctx.Err() == nil {
			l.log.Error("a match of an account that is gone goes on", "match", v.ID, "err", err)
		}
	}
}
