package lists

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

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
	*match.View                  // as a user sees it who didn't play
	positions   []games.Position // before the first move, and after each
}

// At returns the position after a number of moves, from 0 to all.
func (r *Replay) At(ply int) games.Position { return r.positions[ply] }

// What a match must be to be shown as the last one.
const (
	replayFrom    = 10              // moves made in it
	replayUpTo    = 400             // moves, for it stays in memory with all positions
	decentRating  = 1300            // of both players, if there is such a match
	lastMatches   = 200             // that are looked through, the newest ones
	lastMatchKept = 5 * time.Second // longer if it took long to read
)

// A lastMatch caches the last match. Concurrent callers share one reading.
type lastMatch struct {
	reading singleflight.Group

	mu     sync.Mutex // guards what follows
	replay *Replay    // nil: there is none
	readAt time.Time  // by the machine's clock; zero: it was never read
	took   time.Duration
}

// get returns the last match, and reports whether it may still be shown: for lastMatchKept, and longer if it took long to read.
func (l *lastMatch) get() (replay *Replay, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.replay, !l.readAt.IsZero() && time.Since(l.readAt) < standings.RestAfter(l.took, lastMatchKept)
}

// put keeps the last match, whose reading has begun at a time.
func (l *lastMatch) put(replay *Replay, begun time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replay, l.readAt = replay, time.Now()
	l.took = l.readAt.Sub(begun)
}

// LastMatch returns the newest finished public match between people of decent rating, else the newest between any people; nil if there is no
// recent one. The result may be lastMatchKept old, or older if the store is slow. Concurrent callers share one reading, which goes on when
// one of them leaves. The errors are refusal.ErrBusy, refusal.ErrClosed and ctx.Err().
func (t *Television) LastMatch(ctx context.Context) (*Replay, error) {
	read := t.last.reading.DoChan("", func() (any, error) {
		old, fresh := t.last.get()
		if fresh {
			return old, nil
		}
		begun, replay := time.Now(), old
		err := t.config.Tasks.Do(func(ctx context.Context) (err error) {
			replay, err = t.readLastMatch(ctx, old)
			return err
		})
		if err != nil {
			return nil, err
		}
		t.last.put(replay, begun)
		return replay, nil
	})
	select {
	case r := <-read:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*Replay), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
		if f.Ratings == nil && f.First.Kind.HasAccount() && f.Second.Kind.HasAccount() {
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
	case !f.First.Kind.HasAccount() || !f.Second.Kind.HasAccount():
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
