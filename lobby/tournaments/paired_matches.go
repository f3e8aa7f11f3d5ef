package tournaments

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/tournaments"
)

// openAtOnce is how many matches of a tournament are opened at the same time.
const openAtOnce = 16

// maxCodes is how many codes are tried for a match.
const maxCodes = 10

// lookAtBoards opens the matches of pairings that aren't there yet, and enters the results of those that are over. written reports whether
// it has entered any.
func (t *tournament) lookAtBoards(ctx context.Context) (written bool, err error) {
	t.boardsAt = time.Now()
	var mu sync.Mutex
	var over []tournaments.Entry
	var opening errgroup.Group // one that fails doesn't keep the others from being opened
	opening.SetLimit(openAtOnce)
	for _, p := range t.state.Playing() {
		found := t.config.Registry.Find(p.Match)
		if found.Summary != nil {
			continue
		}
		opening.Go(func() error {
			e, ended, err := t.board(ctx, p, found.Quarantined)
			if ended {
				mu.Lock()
				defer mu.Unlock()
				over = append(over, e)
			}
			return err
		})
	}
	err = opening.Wait()
	if len(over) == 0 {
		return false, err
	}
	switch wrong := t.write(ctx, over); {
	case errors.Is(wrong, storage.ErrStale):
		if err := t.catchUp(ctx); err != nil {
			return false, err
		}
	case wrong != nil:
		return false, wrong
	}
	return true, err
}

// board returns the result of a match that the registry doesn't have, or opens it if it was never opened. damaged says that its log can't be read.
func (t *tournament) board(ctx context.Context, p *state.Pairing, damaged bool) (result tournaments.Entry, ended bool, err error) {
	f, err := t.config.Store.Finished(ctx, p.Match)
	switch {
	case err == nil:
		return t.resultOf(p, f), true, nil
	case errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound) && damaged:
		return tournaments.Entry{Kind: tournaments.Result, Match: p.Match, Reason: tournaments.Missing}, true, nil
	case !errors.Is(err, storage.ErrNotFound):
		return result, false, err
	}
	return result, false, t.openMatch(ctx, p)
}

// resultOf returns the entry for the end of a match.
func (t *tournament) resultOf(p *state.Pairing, f results.Finished) tournaments.Entry {
	if f.Tournament.ID != t.id {
		return tournaments.Entry{Kind: tournaments.Result, Match: p.Match, Reason: tournaments.Missing} // the id has become that of another match
	}
	return t.state.Outcome(p, f)
}

// openMatch opens the match of a pairing. A match that is there already stays as it is: another node may have opened it.
func (t *tournament) openMatch(ctx context.Context, p *state.Pairing) error {
	of := t.state.Settings
	game := p.GameIn(of)
	o := matches.Opening{
		Game: game.ID, Options: game.Options, Public: !of.Private, Clock: p.ClockIn(of),
		First: t.config.Restrictions.Named(t.state.Entrant(p.First).Who), Second: t.config.Restrictions.Named(t.state.Entrant(p.Second).Who),
		Tournament: storage.TournamentBoard{ID: t.id, Code: of.Code, Name: of.Name, Round: p.Round, Board: p.Board},
	}
	if plan := of.Plan(); plan == tournaments.Arena || plan == tournaments.Simul {
		o.Tournament.Round = 0
	}
	var err error
	if o.Rated, err = t.rated(ctx, of, o.First, o.Second); err != nil {
		return err
	}
	for range maxCodes {
		o.Code = codes.New()
		err = t.config.Matches.Open(ctx, p.Match, true, match.Open(o, storage.Nobody), cluster.Terms{}, func() {})
		if !errors.Is(err, storage.ErrCodeTaken) {
			break
		}
	}
	if errors.Is(err, storage.ErrStale) {
		return nil
	}
	return err
}

// rated reports whether a match of a tournament counts for ratings: not between computer accounts of one owner, or one and its owner.
func (t *tournament) rated(ctx context.Context, of *tournaments.Settings, first, second storage.Occupant) (bool, error) {
	if !of.Rated || !first.Kind.HasAccount() || !second.Kind.HasAccount() {
		return false, nil
	}
	if first.Kind != storage.Engine && second.Kind != storage.Engine {
		return true, nil
	}
	a, err := t.config.Store.Player(ctx, storage.PlayerID(first.ID))
	if err != nil {
		return false, err
	}
	b, err := t.config.Store.Player(ctx, storage.PlayerID(second.ID))
	if err != nil {
		return false, err
	}
	return a.Owner != b.ID && b.Owner != a.ID && (a.Owner == "" || a.Owner != b.Owner), nil
}
