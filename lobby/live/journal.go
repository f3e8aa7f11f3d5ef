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

// A journal reads and writes the log of a match, and its record once it has ended.
type journal struct {
	config *Config
	id     storage.MatchID
	terms  cluster.Terms         // of the opening
	entry  *operators.AuditEntry // of the present request; nil: none
}

// append writes the events that lead from the state before to next. If they end the match, it writes the record too and returns the rating changes
// of a rated match. It returns the errors of Store.
func (j *journal) append(ctx context.Context, before, next *match.State, added []matches.Event) (*[2]results.RatingChange, error) {
	switch s := next.Summary(); {
	case next.Over():
		end := *next // so that a state which is not the last one needs no place on the heap
		return j.finish(ctx, before.Seq, end.View(), added)
	case before.Seq == 0:
		return nil, j.config.Nodes.OpenMatch(ctx, j.id, added, s.Stored(), j.terms)
	default:
		return nil, j.config.Store.Append(ctx, j.id, added, s.Stored())
	}
}

// finish writes the end of the match with its record. It reads the times of the moves from the log, which must end with event seq.
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
	if j.config.Practice != nil {
		record.Practice = j.config.Practice(record)
	}
	return j.config.Store.Finish(ctx, j.id, added, record, operators.Kept(j.entry))
}

// read returns the state of the match from its log, or from its record if it has ended. written reports whether the store has the events of an
// uncertain commit.
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

// readEnd returns the state of an ended match from its record.
func (j *journal) readEnd(ctx context.Context) (match.State, *[2]results.RatingChange, error) {
	record, err := j.config.Store.Finished(ctx, j.id)
	if err != nil {
		return match.State{}, nil, err
	}
	s, err := match.Replay(record, j.config.Catalogue.Game)
	return s, record.Ratings, err
}

// An uncertainCommit is a failed write whose events may be on disk or not. Until the log has been read again, the match does
// nothing and its view stays the same.
type uncertainCommit struct {
	is      bool
	retryAt time.Time // when to read the log again
	tries   int
	next    match.State // the state if the events are on disk
	added   []matches.Event
}
