package matches

import (
	"context"
	"errors"
	"log/slog"

	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
)

// An Ending ends the unfinished matches of closed and deleted accounts. If a write fails, the match is ended when the club next opens.
type Ending struct {
	matches      *Service
	registry     *registry.Registry
	restrictions *restrictions.Service
	log          *slog.Logger
}

// Run ends the matches left over by an earlier run of the program: of all closed accounts, and of deleted ones whose names are still reserved.
func (e *Ending) Run(ctx context.Context) {
	e.EndClosed(ctx)
	for _, id := range e.restrictions.AllDeleted() {
		e.EndOf(ctx, id, match.Abandon)
	}
}

// EndClosed ends the unfinished matches of all closed accounts.
func (e *Ending) EndClosed(ctx context.Context) {
	for _, id := range e.restrictions.AllClosed() {
		e.EndOf(ctx, id, match.Forfeit)
	}
}

// EndOf ends the unfinished matches of a player with the act that end returns.
func (e *Ending) EndOf(ctx context.Context, id storage.PlayerID, end func(match.User) match.Act) {
	u := match.User{Kind: storage.Person, ID: string(id)}
	for _, v := range e.registry.Of(u.Key()) {
		if err := e.matches.Do(ctx, v.ID, end(u)); err != nil && !errors.Is(err, match.ErrOver) && ctx.Err() == nil {
			e.log.Error("a match of an account that is gone goes on", "match", v.ID, "err", err)
		}
	}
}
