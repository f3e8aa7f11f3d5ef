package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"ludoteca/storage/kv"
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
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if err := checkNext(tx, id, events[0].Seq); err != nil {
				return err
			}
			if o := events[0].Opening; o != nil {
				if err := openMatch(tx, id, o.Code); err != nil {
					return err
				}
			}
			for i, e := range events {
				tx.Put(logKey(id, e.Seq), values[i])
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
	return binary.BigEndian.AppendUint64(logs.key(string(id), ""), seq)
}

// checkNext returns ErrStale if seq is not the next number in the log of a match. Logs have no gaps, so it is enough
// to look for that number and the one before. A match that has ended has no next number.
func checkNext(r kv.Reader, id MatchID, seq uint64) error {
	before := finished.key(string(id))
	if seq > 1 {
		before = logKey(id, seq-1)
	}
	found, err := has(r, before)
	if err != nil {
		return err
	}
	taken, err := has(r, logKey(id, seq))
	if err != nil {
		return err
	}
	if taken || found != (seq > 1) {
		return ErrStale
	}
	return nil
}

// openMatch registers the code of a new match.
func openMatch(tx kv.Tx, id MatchID, code string) error {
	if err := checkKeys(code); err != nil {
		return err
	}
	taken, err := has(tx, codes.key(code))
	switch {
	case err != nil:
		return err
	case taken:
		return ErrCodeTaken
	}
	tx.Put(codes.key(code), codeValue(id))
	return nil
}

// Log returns all events of a match that goes on, from number 1. The error is ErrNotFound if there is no such match
// or it has ended.
func (s *Store) Log(ctx context.Context, id MatchID) ([]Event, error) {
	var events []Event
	err := s.engine.View(ctx, func(r kv.Reader) (err error) {
		events, err = readLog(r, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("storage: log of match %s: %w", id, err)
	}
	return events, nil
}

func readLog(r kv.Reader, id MatchID) (events []Event, err error) {
	for p, err := range r.Scan(kv.Prefix(logs.key(string(id), ""))) {
		if err != nil {
			return nil, err
		}
		seq := uint64(len(events) + 1)
		if !bytes.Equal(p.Key, logKey(id, seq)) {
			return nil, fmt.Errorf("%w: event %d is missing", ErrDamaged, seq)
		}
		e, err := decodeEvent(seq, p.Value)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if events == nil {
		return nil, ErrNotFound
	}
	return events, nil
}

// Unfinished returns the ids of all matches that go on, sorted.
func (s *Store) Unfinished(ctx context.Context) ([]MatchID, error) {
	var ids []MatchID
	err := s.engine.View(ctx, func(r kv.Reader) error {
		for from := logs.all(); ; {
			p, ok, err := first(r, from)
			if err != nil || !ok {
				return err
			}
			id, _, ok := bytes.Cut(logs.rest(p.Key), []byte{0})
			if !ok {
				return fmt.Errorf("%w: a log without a match", ErrDamaged)
			}
			ids = append(ids, MatchID(id))
			from.From = logs.key(string(id) + "\x01") // the next match
		}
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
// its record as long as its code, and has no place in the history. Times in f are kept to the millisecond; f.ID and f.Ratings
// are not looked at.
func (s *Store) Finish(ctx context.Context, id MatchID, events []Event, f Finished) (*[2]RatingChange, error) {
	var rated *[2]RatingChange
	_, err := encodeEvents(id, events)
	if err == nil {
		f, err = checkFinished(id, events, f)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
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
func (s *Store) finish(tx kv.Tx, seq uint64, f Finished) (*[2]RatingChange, error) {
	if err := checkNext(tx, f.ID, seq); err != nil {
		return nil, err
	}
	code, err := tx.Get(codes.key(f.Code))
	if err != nil {
		return nil, err
	}
	if id, ends, err := readCode(code); err != nil || id != f.ID || !ends.IsZero() {
		return nil, fmt.Errorf("%w: the code of the match is another one", ErrInvalid)
	}
	counting, err := counts(tx, f)
	if err != nil {
		return nil, err
	}
	var rated *[2]RatingChange
	var number uint64
	if counting {
		if number, rated, err = s.rate(tx, f); err != nil {
			return nil, err
		}
	}
	record, err := encodeRecord(f, number)
	if err != nil {
		return nil, err
	}
	tx.Put(finished.key(string(f.ID)), record)
	addHistory(tx, f)
	endCode(tx, f.Code, f.ID, f.Ended.Add(CodeLife))
	return rated, tx.DeletePrefix(logs.key(string(f.ID), ""))
}

// Finished returns the whole record of a match that has ended, void ones included. The error is ErrNotFound if there
// is none.
func (s *Store) Finished(ctx context.Context, id MatchID) (Finished, error) {
	var f Finished
	err := s.engine.View(ctx, func(r kv.Reader) (err error) {
		f, err = readFinished(r, id, true)
		return err
	})
	if err != nil {
		return Finished{}, fmt.Errorf("storage: finished match %s: %w", id, err)
	}
	return f, nil
}

// readFinished reads a record, with its moves and times if whole, and joins it with the change of ratings.
func readFinished(r kv.Reader, id MatchID, whole bool) (Finished, error) {
	value, err := lookUp(r, finished.key(string(id)))
	if err != nil {
		return Finished{}, err
	}
	f, number, err := decodeRecord(id, value, whole)
	if err != nil {
		return Finished{}, err
	}
	if number > 0 {
		value, err := r.Get(changes.key(seqKey(number)))
		if err != nil {
			return Finished{}, err
		}
		if f.Ratings, err = decodeChanges(value); err != nil {
			return Finished{}, err
		}
	}
	return f, nil
}
