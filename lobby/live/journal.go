package live

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/operators"
	"ludoteca/storage/results"
)

// A journal reads and writes what the store has of a match: its log, or its record once it has ended.
type journal struct {
	config *Config
	id     storage.MatchID
	terms  cluster.Terms         // on which the match is opened
	entry  *operators.AuditEntry // of the request that is carried out; nil: none
}

// append writes events that lead from the state before to next, with the end that they bring, and returns the changes of ratings after a rated
// match. The errors are those of Store.
func (j *journal) append(ctx context.Context, before, next *match.State, added []matches.Event) (*[2]results.RatingChange, error) {
	switch s := next.Summary(); {
	case next.Over():
		return j.finish(ctx, before.Seq, next.View(), added)
	case before.Seq == 0:
		return nil, j.config.Nodes.OpenMatch(ctx, j.id, added, s.Stored(), j.terms)
	default:
		return nil, j.config.Store.Append(ctx, j.id, added, s.Stored())
	}
}

// finish writes the end of the match with its record. The times of its moves are in the log alone; the state has its events up to seq.
func (j *journal) finish(ctx context.Context, seq uint64, v *match.View, added []matches.Event) (*[2]results.RatingChange, error) {
	var t match.Timing
	err := ReadLog(ctx, j.config.Store, j.id, func(events []matches.Event) error {
		for _, e := range events {
			if e.Seq > seq {
				return storage.ErrStale
			}
			t.Add(e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range added {
		t.Add(e)
	}
	record := match.Record(v, t.Times(v))
	return j.config.Store.Finish(ctx, j.id, added, record, operators.Kept(j.entry))
}

// read returns the match as it is in the store, its log or its record if it has ended, and whether an uncertain commit is in it.
func (j *journal) read(ctx context.Context, want *uncertainCommit) (s match.State, written bool, ratings *[2]results.RatingChange, err error) {
	f := match.NewFolder(j.id, j.config.Catalogue.Game)
	var found []matches.Event // with the numbers of the uncertain ones
	err = ReadLog(ctx, j.config.Store, j.id, func(events []matches.Event) error {
		for _, e := range events {
			if e.Seq >= want.added[0].Seq && len(found) < len(want.added) {
				found = append(found, e)
			}
		}
		return f.Add(events)
	})
	if err == nil {
		s, err = f.State()
		return s, match.SameEvents(found, want.added), nil, err
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return match.State{}, false, nil, err
	}
	s, ratings, err = j.readEnd(ctx)
	if next := want.next; err == nil && next.Over() && next.Result == s.Result && next.Reason == s.Reason && next.Ended.Equal(s.Ended) &&
		slices.Equal(next.Moves, s.Moves) {
		return next, true, ratings, nil
	}
	return s, false, ratings, err
}

// readEnd returns the match as it ended.
func (j *journal) readEnd(ctx context.Context) (match.State, *[2]results.RatingChange, error) {
	record, err := j.config.Store.Finished(ctx, j.id)
	if err != nil {
		return match.State{}, nil, err
	}
	s, err := match.Replay(record, j.config.Catalogue.Game)
	return s, record.Ratings, err
}

// An uncertainCommit is a write that failed half-way: nobody knows what is on disk. Until the log has been read again the
// match does nothing and shows what it showed before.
type uncertainCommit struct {
	is      bool
	retryAt time.Time // when to read again
	tries   int
	next    match.State // what the match is if the write took place
	added   []matches.Event
}
