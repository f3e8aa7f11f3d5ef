// Package matches stores the matches that go on, each as a log of events with a summary and a code, and ends them.
package matches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/results"
)

// A Store keeps the logs of the matches that are played, and ends them.
type Store struct {
	engine  kv.Store
	results *results.Store
	ended   func(tx kv.Tx, id storage.MatchID, at time.Time) error // called in the transaction that ends a match

	codeTaken func(r kv.Reader, code string) (bool, error) // whether something other than a match has a code
}

// New returns the matches that an engine keeps. ended is called in the transaction that ends one. codeTaken reports whether something other than a
// match has a code, which then is none for a new match.
func New(engine kv.Store, results *results.Store, ended func(tx kv.Tx, id storage.MatchID, at time.Time) error, codeTaken func(r kv.Reader, code string) (bool, error)) *Store {
	return &Store{engine, results, ended, codeTaken}
}

// Append adds events to the log of a match and returns when they are on disk, all or none, with the summary of the match after
// them. They have consecutive numbers; the first number must be the next one of the log, else the error is ErrStale. The
// first event of a match, Opened, registers its code (ErrCodeTaken) and its id (ErrStale if that is taken). Ended comes with
// Finish instead. The ID, Seq, At and Planned of the summary are not looked at: they follow from the rest.
//
// When ctx ends before the events are on their way to the disk, they are withdrawn and Append returns the error of ctx. Once they are
// on their way, Append waits for the outcome. After ErrCommit nothing is known: read the log again.
func (s *Store) Append(ctx context.Context, id storage.MatchID, events []Event, m Summary) error {
	return s.AppendIf(ctx, id, events, m, func(kv.Tx) error { return nil })
}

// AppendIf is Append, but opens a match only if may, which it calls in the transaction, returns nil.
func (s *Store) AppendIf(ctx context.Context, id storage.MatchID, events []Event, m Summary, may func(kv.Tx) error) error {
	err := checkEvents(id, events)
	if err == nil && events[len(events)-1].Kind == Ended {
		err = fmt.Errorf("%w: a match ends with Finish", storage.ErrInvalid)
	}
	if err == nil {
		last := events[len(events)-1]
		m.ID, m.Seq, m.At = id, last.Seq, last.At
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			tail, err := checkNext(tx, id, events[0].Seq)
			if err != nil {
				return err
			}
			if o := events[0].Opening; o != nil {
				if err := s.openMatch(tx, id, o.Code); err != nil {
					return err
				}
				if err := may(tx); err != nil {
					return err
				}
			}
			if m.Planned, err = planned(tx, m); err != nil {
				return err
			}
			if err := Summaries.Put(tx, id, m); err != nil {
				return err
			}
			return addEvents(tx, id, tail, events)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: append to match %s: %w", id, err)
	}
	return nil
}

// checkEvents refuses events that don't belong together, or that would not come back as they are.
func checkEvents(id storage.MatchID, events []Event) error {
	if err := storage.CheckKeys(string(id)); err != nil {
		return err
	}
	if len(events) == 0 {
		return fmt.Errorf("%w: no events", storage.ErrInvalid)
	}
	for i, e := range events {
		if want := events[0].Seq + uint64(i); e.Seq != want {
			return fmt.Errorf("%w: event %d where %d should be", storage.ErrInvalid, e.Seq, want)
		}
		if e.Kind == Ended && i < len(events)-1 {
			return fmt.Errorf("%w: event %d comes after the end", storage.ErrInvalid, e.Seq+1)
		}
		if err := checkEvent(e); err != nil {
			return err
		}
	}
	return nil
}

// checkNext returns the end of the log of a match, or ErrStale if seq is not the next number in it. A match that has ended has
// no next number.
func checkNext(r kv.Reader, id storage.MatchID, seq uint64) (logTail, error) {
	tail, err := readTail(r, id)
	if err != nil {
		return logTail{}, err
	}
	if tail.next() != seq {
		return logTail{}, storage.ErrStale
	}
	if seq == 1 {
		if ended, err := results.Records.Has(r, id); err != nil || ended {
			return logTail{}, cmp.Or(err, storage.ErrStale)
		}
	}
	return tail, nil
}

// openMatch registers the code of a new match, which no other match has, and nothing else (see New).
func (s *Store) openMatch(tx kv.Tx, id storage.MatchID, code string) error {
	if err := storage.CheckKeys(code); err != nil {
		return err
	}
	taken, err := Codes.Has(tx, code)
	if err == nil && !taken {
		taken, err = s.codeTaken(tx, code)
	}
	switch {
	case err != nil:
		return err
	case taken:
		return storage.ErrCodeTaken
	}
	return Codes.Put(tx, code, CodeOf{Match: id})
}

// Finish ends a match: its last events, of which the last is Ended, its record f with moves and times, its places in
// the history, the new ratings, the removal of its log, summary and plans, the end of its chat (see EvidenceLines) and the end of its code
// (CodeLife or TemporaryLife after f.Ended) are one transaction. The numbers of the events, ctx and ErrCommit are as for Append.
//
// A match is rated if f.Rated, it has a result, and two different players of this store played it. Finish then returns how much it
// counted for each of them, and the ratings before and after, first and second; a newcomer's Before is the zero Rating. A void match
// (Result "") is temporary, whatever f says. A temporary match has no place in the history and is gone with its code. Times in f are
// kept to the millisecond; f.ID and f.Ratings are not looked at. also makes further changes in the transaction; nil is none.
func (s *Store) Finish(ctx context.Context, id storage.MatchID, events []Event, f results.Finished, also func(kv.Tx) error) (*[2]results.RatingChange, error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("finish match %s", id), func(tx kv.Tx) (*[2]results.RatingChange, error) {
		if err := checkEvents(id, events); err != nil {
			return nil, err
		}
		f, err := checkFinished(id, events, f)
		if err != nil {
			return nil, err
		}
		rated, err := s.finish(tx, events[0].Seq, f)
		if err == nil && also != nil {
			err = also(tx)
		}
		return rated, err
	})
}

// checkFinished refuses what can't be the end of a match and returns f in its stored form.
func checkFinished(id storage.MatchID, events []Event, f results.Finished) (results.Finished, error) {
	switch last := events[len(events)-1]; {
	case last.Kind != Ended:
		return f, fmt.Errorf("%w: the last event is %s", storage.ErrInvalid, last.Kind)
	case events[0].Kind == Opened:
		return f, fmt.Errorf("%w: the match was never opened", storage.ErrInvalid)
	case f.Result != last.Result:
		return f, fmt.Errorf("%w: the match ended with %q, its record with %q", storage.ErrInvalid, last.Result, f.Result)
	}
	f.ID, f.Ratings = id, nil
	f.Started, f.Ended = storage.Stored(f.Started), storage.Stored(f.Ended)
	f.Temporary = f.Temporary || f.Result == ""
	return f, results.CheckRecord(f)
}

// finish does in one transaction all that Finish does. f is checked.
func (s *Store) finish(tx kv.Tx, seq uint64, f results.Finished) (*[2]results.RatingChange, error) {
	if _, err := checkNext(tx, f.ID, seq); err != nil {
		return nil, err
	}
	named, _, err := Codes.Find(tx, f.Code)
	if err != nil && !errors.Is(err, storage.ErrDamaged) {
		return nil, err
	}
	if named != (CodeOf{Match: f.ID}) {
		return nil, fmt.Errorf("%w: the code of the match is another one", storage.ErrInvalid)
	}
	rated, err := s.results.Add(tx, f)
	if err != nil {
		return nil, err
	}
	if err := EndCode(tx, f.Code, f.ID, f.CodeEnds()); err != nil {
		return nil, err
	}
	Summaries.Delete(tx, f.ID)
	if err := Plans.DeleteUnder(tx, string(f.ID)); err != nil {
		return nil, err
	}
	if err := s.ended(tx, f.ID, f.Ended); err != nil {
		return nil, err
	}
	return rated, Logs.DeleteUnder(tx, string(f.ID))
}
