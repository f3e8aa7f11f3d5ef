package lists

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// # The last match
//
// While no match is played, the television in the lobby shows the last finished match. It is read once for all viewers. One replay is in memory,
// besides the cache of finished matches.

// A Replay is a finished match with its positions. It is immutable and shared.
type Replay struct {
	*match.View                  // as a spectator sees it
	positions   []games.Position // by ply
}

// At returns the position after ply moves, from 0 to Ply().
func (r *Replay) At(ply int) games.Position { return r.positions[ply] }

// How the last match is chosen.
const (
	replayFrom    = 10              // plies that the players must have made
	replayUpTo    = 400             // plies at most: all positions stay in memory
	decentRating  = 1300            // of both players, if there is such a match
	lastMatches   = 200             // newest matches that are searched
	lastMatchKept = 5 * time.Second // before the next search; longer if one takes long
)

// A lastMatch is the replay of the last match that was read.
type lastMatch struct {
	reading chan struct{} // holds one while a goroutine reads; guards what follows

	replay *Replay   // nil: there is none
	readAt time.Time // by the machine's clock; zero: never
	took   time.Duration
}

func newLastMatch() *lastMatch { return &lastMatch{reading: make(chan struct{}, 1)} }

// LastMatch returns the newest finished public match between two players of decent rating, else the newest between any people. It returns nil if
// none of the latest matches qualifies. The result may be lastMatchKept old, or older if the store is slow. The errors are refusal.ErrBusy and
// ctx.Err().
func (t *Television) LastMatch(ctx context.Context) (*Replay, error) {
	last := t.last
	select {
	case last.reading <- struct{}{}:
		defer func() { <-last.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !last.readAt.IsZero() && time.Since(last.readAt) < standings.RestAfter(last.took, lastMatchKept) {
		return last.replay, nil
	}
	begun := time.Now()
	replay, err := t.readLastMatch(ctx, last.replay)
	if err != nil {
		return nil, err
	}
	last.replay, last.readAt = replay, time.Now()
	last.took = last.readAt.Sub(begun)
	return replay, nil
}

// readLastMatch finds the last match and computes its positions. It returns old if that is still the last match.
func (t *Television) readLastMatch(ctx context.Context, old *Replay) (*Replay, error) {
	rows, err := t.store.History(ctx, results.HistoryQuery{Limit: lastMatches})
	if err != nil {
		return nil, refusal.OfStore(err)
	}
	rows = slices.DeleteFunc(rows, func(f results.Finished) bool {
		return !f.Public || f.First.Kind == storage.Bot || f.Second.Kind == storage.Bot || match.KeyOf(f.First) == match.KeyOf(f.Second) ||
			f.Plies-f.Start < replayFrom || f.Plies > replayUpTo
	})
	if len(rows) == 0 {
		return nil, nil
	}
	ratings, err := t.ratingsNow(ctx, rows)
	if err != nil {
		return nil, err
	}
	chosen := rows[0]
	if i := slices.IndexFunc(rows, func(f results.Finished) bool { return decent(f, ratings[f.Game]) }); i >= 0 {
		chosen = rows[i]
	}
	v, err := t.matches.View(ctx, chosen.ID)
	switch {
	case errors.Is(err, refusal.ErrNoSuchMatch), errors.Is(err, refusal.ErrDamaged):
		return nil, nil
	case err != nil:
		return nil, err
	case old != nil && old.ID == v.ID && old.Seq == v.Seq:
		return old, nil
	}
	return newReplay(v)
}

// ratingsNow returns, by game, the present ratings of the players of matches that were not rated.
func (t *Television) ratingsNow(ctx context.Context, rows []results.Finished) (map[string]map[storage.PlayerID]results.Rating, error) {
	people := make(map[string][]storage.PlayerID)
	for _, f := range rows {
		if f.Ratings == nil && f.First.Kind == storage.Person && f.Second.Kind == storage.Person {
			people[f.Game] = append(people[f.Game], storage.PlayerID(f.First.ID), storage.PlayerID(f.Second.ID))
		}
	}
	all := make(map[string]map[storage.PlayerID]results.Rating)
	for game, ids := range people {
		ratings, err := t.store.RatingsIn(ctx, game, ids)
		if err != nil {
			return nil, refusal.OfStore(err)
		}
		all[game] = ratings
	}
	return all, nil
}

// decent reports whether both players of a match have a rating of at least decentRating: after the match if it was rated, else now.
func decent(f results.Finished, now map[storage.PlayerID]results.Rating) bool {
	switch {
	case f.First.Kind != storage.Person || f.Second.Kind != storage.Person:
		return false
	case f.Ratings != nil:
		return f.Ratings[games.First].After.Rating >= decentRating && f.Ratings[games.Second].After.Rating >= decentRating
	}
	return now[storage.PlayerID(f.First.ID)].Rating >= decentRating && now[storage.PlayerID(f.Second.ID)].Rating >= decentRating
}

// newReplay computes the positions of a finished match.
func newReplay(v *match.View) (*Replay, error) {
	p, err := v.Initial()
	if err != nil {
		return nil, refusal.ErrDamaged
	}
	positions := make([]games.Position, 0, 1+v.Ply())
	positions = append(positions, p)
	for _, m := range v.Moves {
		if p, err = p.Play(m); err != nil {
			return nil, refusal.ErrDamaged
		}
		positions = append(positions, p)
	}
	return &Replay{v.SeenBy(match.User{}, ""), positions}, nil
}
