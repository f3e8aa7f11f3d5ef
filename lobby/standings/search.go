package standings

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// A SearchQuery looks for finished matches, newest first. All that it says must hold of a match.
type SearchQuery struct {
	HistoryQuery
	With    string          // the name of the other player, or of one of the two if Name is ""; "" for any player
	Outcome results.Outcome // results.Won and results.Lost need a name, and are from that player's point of view
	Since   time.Time       // only matches that ended then or later; the zero value is every time
	Opening []games.Move    // how the match began, from the start position of its game
}

// A NobodyError names a player that a query asks for and the club doesn't have. It wraps refusal.ErrNoSuchPlayer.
type NobodyError struct{ Name string }

func (e *NobodyError) Error() string { return "there is no player " + e.Name }

// Unwrap returns refusal.ErrNoSuchPlayer.
func (e *NobodyError) Unwrap() error { return refusal.ErrNoSuchPlayer }

// Search takes a step of a search: it returns what it has found among the next matches, without their moves, and where to go on. A step costs
// about two milliseconds, and may find nothing. The errors are *NobodyError, refusal.ErrNoSuchGame and refusal.ErrBusy.
func (r *Results) Search(ctx context.Context, q SearchQuery) (results.SearchPage, error) {
	ask := results.SearchQuery{
		Before: q.Before, Limit: max(1, min(q.Limit, r.config.Most)), Outcome: q.Outcome, Since: q.Since, Opening: q.Opening,
	}
	for _, named := range []struct {
		name string
		id   *storage.PlayerID
	}{{q.Name, &ask.Player}, {q.With, &ask.With}} {
		if named.name == "" {
			continue
		}
		p, err := r.config.Player(ctx, named.name)
		if errors.Is(err, refusal.ErrNoSuchPlayer) {
			err = &NobodyError{named.name}
		}
		if err != nil {
			return results.SearchPage{}, err
		}
		*named.id = p.ID
	}
	if ask.Player == "" { // the list of one player is shorter than that of all
		ask.Player, ask.With = ask.With, ""
	}
	if q.Game != "" {
		g, err := findGame(r.config.Games, q.Game)
		if err != nil {
			return results.SearchPage{}, err
		}
		ask.Game = g.About().ID
	}
	page, err := r.config.Store.Search(ctx, ask)
	return page, refusal.OfStore(err)
}
