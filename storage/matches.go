package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// CodeLife is how long a code names its match after the end.
const CodeLife = 30 * 24 * time.Hour

// Append adds events to the log of a match and returns when they are on disk, all or none. They have consecutive
// numbers; the first number must be the next one of the log, else the error is ErrStale. The first event of a match,
// Opened, registers its code (ErrCodeTaken) and its id (ErrStale if that is taken). Ended comes with Finish instead.
//
// When ctx ends before the events are on their way to the disk, they are withdrawn and the error is that of ctx;
// from then on Append waits for the outcome. After ErrCommit nothing is known: read the log again.
func (s *Store) Append(ctx context.Context, id MatchID, events []Event) error {
	values, err := encodeEvents(id, events)
	if err == nil && events[len(events)-1].Kind == Ended {
		err = fmt.Errorf("%w: a match ends with Finish", ErrInvalid)
	}
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) error {
			if err := checkNext(tx, id, events[0].Seq); err != nil {
				return err
			}
			if o := events[0].Opening; o != nil {
				if err := openMatch(tx, id, o.Code); err != nil {
					return err
				}
			}
			b := bucket(tx, logs)
			for i, e := range events {
				if err := b.Put(logKey(id, e.Seq), values[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("storage: append to match %s: %w", id, err)
	}
	return nil
}

// encodeEvents returns the stored form of events that belong together.
func encodeEvents(id MatchID, events []Event) ([][]byte, error) {
	if err := checkKeys(string(id)); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%w: no events", ErrInvalid)
	}
	values := make([][]byte, len(events))
	for i, e := range events {
		if want := events[0].Seq + uint64(i); e.Seq != want {
			return nil, fmt.Errorf("%w: event %d where %d should be", ErrInvalid, e.Seq, want)
		}
		if e.Kind == Ended && i < len(events)-1 {
			return nil, fmt.Errorf("%w: event %d comes after the end", ErrInvalid, e.Seq+1)
		}
		v, err := encodeEvent(e)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// logKey is the key of event seq in the log of a match.
func logKey(id MatchID, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(joined(string(id), ""), seq)
}

// checkNext returns ErrStale if seq is not the next number in the log of a match. Logs have no gaps, so it is enough
// to look for that number and the one before. (A cursor would not do: in a transaction that has removed another log,
// bbolt's Prev stops at the first page that this has emptied.)
func checkNext(tx *bbolt.Tx, id MatchID, seq uint64) error {
	b := bucket(tx, logs)
	before := bucket(tx, finished).Get([]byte(id)) == nil // a match that has ended has no next number
	if seq > 1 {
		before = b.Get(logKey(id, seq-1)) != nil
	}
	if !before || b.Get(logKey(id, seq)) != nil {
		return ErrStale
	}
	return nil
}

// openMatch registers the code of a new match.
func openMatch(tx *bbolt.Tx, id MatchID, code string) error {
	if err := checkKeys(code); err != nil {
		return err
	}
	b := bucket(tx, codes)
	if b.Get([]byte(code)) != nil {
		return ErrCodeTaken
	}
	return b.Put([]byte(code), joined(string(id), ""))
}

// Log returns all events of a match that goes on, from number 1. The error is ErrNotFound if there is no such match
// or it has ended.
func (s *Store) Log(ctx context.Context, id MatchID) ([]Event, error) {
	var events []Event
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		events = nil
		prefix := joined(string(id), "")
		c := bucket(tx, logs).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			seq := uint64(len(events) + 1)
			if !bytes.Equal(k, logKey(id, seq)) {
				return fmt.Errorf("%w: event %d is missing", ErrDamaged, seq)
			}
			e, err := decodeEvent(seq, v)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		if events == nil {
			return ErrNotFound
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: log of match %s: %w", id, err)
	}
	return events, nil
}

// Unfinished returns the ids of all matches that go on, sorted.
func (s *Store) Unfinished(ctx context.Context) ([]MatchID, error) {
	var ids []MatchID
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		ids = nil
		c := bucket(tx, logs).Cursor()
		for k, _ := c.First(); k != nil; {
			id, _, ok := bytes.Cut(k, []byte{0})
			if !ok {
				return fmt.Errorf("%w: a log without a match", ErrDamaged)
			}
			ids = append(ids, MatchID(id))
			k, _ = c.Seek(append(bytes.Clone(id), 1)) // over its events to the next match
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: unfinished matches: %w", err)
	}
	return ids, nil
}

// Finish ends a match: its last events, of which the last is Ended, its record f with moves and times, its places in
// the history, the new ratings, the removal of its log and the end of its code (CodeLife after f.Ended) are one
// transaction. The numbers of the events, ctx and ErrCommit are as for Append.
//
// A match counts for ratings if f.Rated, it has a result, and two different players of this store sat at it; Finish
// then returns the ratings before and after, first and second, where a newcomer's Before is the zero Rating. A void match (Result "") keeps
// its record and its code but has no place in the history. Times in f are kept to the millisecond; f.ID and f.Ratings
// are not looked at.
func (s *Store) Finish(ctx context.Context, id MatchID, events []Event, f Finished) (*[2]RatingChange, error) {
	var rated *[2]RatingChange
	_, err := encodeEvents(id, events)
	if err == nil {
		f, err = checkFinished(id, events, f)
	}
	if err == nil {
		err = s.update(ctx, func(tx *bbolt.Tx) error {
			rated, err = s.finish(tx, events[0].Seq, f)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("storage: finish match %s: %w", id, err)
	}
	return rated, nil
}

// checkFinished refuses what can't be the end of a match and returns f in its stored form.
func checkFinished(id MatchID, events []Event, f Finished) (Finished, error) {
	switch last := events[len(events)-1]; {
	case last.Kind != Ended:
		return f, fmt.Errorf("%w: the last event is %s", ErrInvalid, last.Kind)
	case events[0].Kind == Opened:
		return f, fmt.Errorf("%w: the match was never opened", ErrInvalid)
	case f.Result != last.Result:
		return f, fmt.Errorf("%w: the match ended with %q, its record with %q", ErrInvalid, last.Result, f.Result)
	}
	f.ID, f.Ratings = id, nil
	f.Started, f.Ended = stored(f.Started), stored(f.Ended)
	return f, checkRecord(f)
}

// finish does in one transaction all that Finish does. f is checked.
func (s *Store) finish(tx *bbolt.Tx, seq uint64, f Finished) (*[2]RatingChange, error) {
	if err := checkNext(tx, f.ID, seq); err != nil {
		return nil, err
	}
	if id, ends, err := readCode(bucket(tx, codes).Get([]byte(f.Code))); err != nil || id != f.ID || !ends.IsZero() {
		return nil, fmt.Errorf("%w: the code of the match is another one", ErrInvalid)
	}
	var rated *[2]RatingChange
	var number uint64
	var err error
	if counts(tx, f) {
		if number, rated, err = s.rate(tx, f); err != nil {
			return nil, err
		}
	}
	record, err := encodeRecord(f, number)
	if err != nil {
		return nil, err
	}
	if err := bucket(tx, finished).Put([]byte(f.ID), record); err != nil {
		return nil, err
	}
	if err := addHistory(tx, f); err != nil {
		return nil, err
	}
	if err := endCode(tx, f.Code, f.ID, f.Ended.Add(CodeLife)); err != nil {
		return nil, err
	}
	return rated, removeLog(tx, f.ID)
}

// removeLog deletes the log of a match.
func removeLog(tx *bbolt.Tx, id MatchID) error {
	b := bucket(tx, logs)
	prefix := joined(string(id), "")
	var doomed [][]byte // a cursor is not to be trusted across a deletion
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		doomed = append(doomed, bytes.Clone(k))
	}
	for _, k := range doomed {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// Finished returns the whole record of a match that has ended, void ones included. The error is ErrNotFound if there
// is none.
func (s *Store) Finished(ctx context.Context, id MatchID) (Finished, error) {
	var f Finished
	err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
		f, err = readFinished(tx, id, true)
		return err
	})
	if err != nil {
		return Finished{}, fmt.Errorf("storage: finished match %s: %w", id, err)
	}
	return f, nil
}

// readFinished reads a record, with its moves and times if whole, and joins it with the change of ratings.
func readFinished(tx *bbolt.Tx, id MatchID, whole bool) (Finished, error) {
	value := bucket(tx, finished).Get([]byte(id))
	if value == nil {
		return Finished{}, ErrNotFound
	}
	f, number, err := decodeRecord(id, value, whole)
	if err != nil {
		return Finished{}, err
	}
	if number > 0 {
		if f.Ratings, err = decodeChanges(bucket(tx, changes).Get(seqKey(number))); err != nil {
			return Finished{}, err
		}
	}
	return f, nil
}
