package tournaments

import (
	"context"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Stage says how far a tournament has come.
type Stage string

// The stages of a tournament.
const (
	Open    Stage = "open" // for entrants; it has yet to begin
	Running Stage = "running"
	Over    Stage = "over"
	Off     Stage = "off" // called off
)

// Closed reports whether nothing happens in a tournament any more.
func (s Stage) Closed() bool { return s == Over || s == Off }

// A Summary is what lists show of a tournament. It is written with every append. Its JSON form is the stored one.
type Summary struct {
	ID       storage.TournamentID `json:"-"`
	Seq      uint64               `json:"seq"` // number of the last entry
	At       time.Time            `json:"at"`  // of the last entry
	Settings Settings             `json:"settings"`
	Stage    Stage                `json:"stage"`
	Players  int                  `json:"players"` // that take part
	Round    int                  `json:"round,omitempty"`
	Rounds   int                  `json:"rounds,omitempty"` // in all, where that is known
	Reason   string               `json:"reason,omitempty"` // for which it was called off
	Winner   string               `json:"winner,omitempty"` // name of the first in the standing; "" before the end
}

// Summaries are the tournaments that are open or running.
var Summaries = storage.Table[storage.TournamentID, Summary]{
	Name: "tournaments", Keys: storage.Text[storage.TournamentID](nil),
	Values: storage.JSONAs(1, func(m Summary) Summary { return m }, func(id storage.TournamentID, m Summary) (Summary, error) {
		m.ID = id
		return m, checkStored(m)
	}),
}

// A PastKey names a tournament that is over or was called off, by when that was.
type PastKey struct {
	At time.Time
	ID storage.TournamentID
}

// Past are the tournaments that are over or were called off, in the order of their ends.
var Past = storage.Table[PastKey, Summary]{
	Name: "past_tournaments",
	Keys: storage.Join(storage.Time(), storage.Text[storage.TournamentID](nil),
		func(k PastKey) (time.Time, storage.TournamentID) { return k.At, k.ID },
		func(at time.Time, id storage.TournamentID) PastKey { return PastKey{at, id} }),
	Values: storage.JSONAs(1, func(m Summary) Summary { return m }, func(k PastKey, m Summary) (Summary, error) {
		m.ID = k.ID
		return m, checkStored(m)
	}),
}

// checkStored is checkSummary for a summary that was read.
func checkStored(m Summary) error {
	if err := checkSummary(m); err != nil {
		return storage.Damaged("the summary of a tournament makes no sense")
	}
	return nil
}

// checkSummary refuses a summary that makes no sense.
func checkSummary(m Summary) error {
	switch m.Stage {
	case Open, Running, Over, Off:
	default:
		return fmt.Errorf("%w: a tournament that is %q", storage.ErrInvalid, m.Stage)
	}
	if m.Seq == 0 || m.Players < 0 || m.Round < 0 || m.Rounds < 0 {
		return fmt.Errorf("%w: the summary of a tournament makes no sense", storage.ErrInvalid)
	}
	if err := CheckSettings(m.Settings); err != nil {
		return err
	}
	return storage.CheckText(m.Reason, m.Winner)
}

// Tournaments returns the tournaments that are open or running, by id.
func (s *Store) Tournaments(ctx context.Context) ([]Summary, error) {
	return storage.View(ctx, s.engine, "tournaments", func(r kv.Reader) ([]Summary, error) { return Summaries.All().Values(r) })
}

// PastTournaments returns at most some of the tournaments that are over or were called off before a time, the newest first. With the zero time it
// begins with the newest of all.
func (s *Store) PastTournaments(ctx context.Context, before time.Time, most int) ([]Summary, error) {
	return storage.View(ctx, s.engine, "past tournaments", func(r kv.Reader) (all []Summary, err error) {
		g := Past.All()
		if !before.IsZero() {
			g = g.Before(PastKey{At: before})
		}
		for e, err := range g.Reversed().Expecting(most + 1).Scan(r) {
			if err != nil {
				return nil, err
			}
			if len(all) == most {
				break
			}
			all = append(all, e.Value)
		}
		return all, nil
	})
}

// FollowTournaments follows the tournaments that are open or running until ctx ends; see storage.Follower.
func (s *Store) FollowTournaments(ctx context.Context, f storage.Follower[storage.TournamentID, Summary]) error {
	return Summaries.Follow(ctx, s.engine, f)
}
