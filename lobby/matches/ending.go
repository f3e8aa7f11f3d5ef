package matches

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// EndClosed ends the unfinished matches of all closed accounts. What can't be written now is when the club next opens.
func (s *Service) EndClosed(ctx context.Context) {
	for _, id := range s.config.Restrictions.AllClosed() {
		s.EndOf(ctx, id, match.Forfeit)
	}
}

// EndDeleted ends the unfinished matches of all who deleted their accounts while their names are kept, as EndClosed does.
func (s *Service) EndDeleted(ctx context.Context) {
	for _, id := range s.config.Restrictions.AllDeleted() {
		s.EndOf(ctx, id, match.Abandon)
	}
}

// EndOf ends the unfinished matches of a player who is gone.
func (s *Service) EndOf(ctx context.Context, id storage.PlayerID, end func(match.User) match.Act) {
	u := match.User{Kind: storage.Person, ID: string(id)}
	for _, v := range s.registry.Of(u.Key()) {
		if err := s.Do(ctx, v.ID, end(u), func() {}); err != nil && !errors.Is(err, match.ErrOver) && ctx.Err() == nil {
			s.config.Log.Error("a match of an account that is gone goes on", "match", v.ID, "err", err)
		}
	}
}
