package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// CodeLife is how long a code names its match after the end.
const CodeLife = 30 * 24 * time.Hour

// TemporaryLife is how long a temporary record and its code are there after the end of the match: long enough for those at the board
// to look at it again.
const TemporaryLife = time.Hour

// codeEnds is when the code of a finished match ends.
func (f Finished) codeEnds() time.Time {
	if f.Temporary {
		return f.Ended.Add(TemporaryLife)
	}
	return f.Ended.Add(CodeLife)
}

// forgotten says whether the record of a finished match has had its time.
func (f Finished) forgotten(now time.Time) bool {
	return (f.Temporary || f.Result == "") && !now.Before(f.codeEnds())
}

// Append adds events to the log of a match and returns when they are on disk, all or none, with the summary of the match after
// them. They have consecutive numbers; the first number must be the next one of the log, else the error is ErrStale. The
// first event of a match, Opened, registers its code (ErrCodeTaken) and its id (ErrStale if that is taken). Ended comes with
// Finish instead. The ID, Seq and At of the summary are not looked at: they follow from the rest.
//
// When ctx ends before the events are on their way to the disk, they are withdrawn and the error is that of ctx;
// from then on Append waits for the outcome. After ErrCommit nothing is known: read the log again.
func (s *Store) Append(ctx context.Context, id MatchID, events []Event, m Summary) error {
	return s.append(ctx, id, events, m, func(kv.Tx) error { return nil })
}

// append is Append, but opens a match only if may, which it calls in the transaction, returns nil.
func (s *Store) append(ctx context.Context, id MatchID, events []Event, m Summary, may func(kv.Tx) error) error {
	err := checkEvents(id, events)
	if err == nil && events[len(events)-1].Kind == Ended {
		err = fmt.Errorf("%w: a match ends with Finish", ErrInvalid)
	}
	var summary []byte
	if err == nil {
		last := events[len(events)-1]
		m.ID, m.Seq, m.At = id, last.Seq, last.At
		summary, err = encodeSummary(m)
	}
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			tail, err := checkNext(tx, id, events[0].Seq)
			if err != nil {
				return err
			}
			if o := events[0].Opening; o != nil {
				if err := openMatch(tx, id, o.Code); err != nil {
					return err
				}
				if err := may(tx); err != nil {
					return err
				}
			}
			tx.Put(summaries.key(id), summary)
			return addEvents(tx, id, tail, events)
		})
	}
	if err != nil {
		return fmt.Errorf("storage: append to match %s: %w", id, err)
	}
	return nil
}

// checkEvents refuses events that don't belong together, or that would not come back as they are.
func checkEvents(id MatchID, events []Event) error {
	if err := checkKeys(string(id)); err != nil {
		return err
	}
	if len(events) == 0 {
		return fmt.Errorf("%w: no events", ErrInvalid)
	}
	for i, e := range events {
		if want := events[0].Seq + uint64(i); e.Seq != want {
			return fmt.Errorf("%w: event %d where %d should be", ErrInvalid, e.Seq, want)
		}
		if e.Kind == Ended && i < len(events)-1 {
			return fmt.Errorf("%w: event %d comes after the end", ErrInvalid, e.Seq+1)
		}
		if err := checkEvent(e); err != nil {
			return err
		}
	}
	return nil
}

// checkNext returns the end of the log of a match, or ErrStale if seq is not the next number in it. A match that has ended has
// no next number.
func checkNext(r kv.Reader, id MatchID, seq uint64) (logTail, error) {
	tail, err := readTail(r, id)
	if err != nil {
		return logTail{}, err
	}
	if tail.next() != seq {
		return logTail{}, ErrStale
	}
	if seq == 1 {
		if ended, err := finished.Has(r, id); err != nil || ended {
			return logTail{}, cmp.Or(err, ErrStale)
		}
	}
	return tail, nil
}

// openMatch registers the code of a new match.
func openMatch(tx kv.Tx, id MatchID, code string) error {
	if err := checkKeys(code); err != nil {
		return err
	}
	taken, err := codes.Has(tx, code)
	switch {
	case err != nil:
		return err
	case taken:
		return ErrCodeTaken
	}
	return codes.Put(tx, code, codeOf{match: id})
}

// Finish ends a match: its last events, of which the last is Ended, its record f with moves and times, its places in
// the history, the new ratings, the removal of its log and summary, the end of its chat (see EvidenceLines) and that of its code (CodeLife or
// TemporaryLife after f.Ended) are one transaction. The numbers of the events, ctx and ErrCommit are as for Append.
//
// A match is rated if f.Rated, it has a result, and two different players of this store sat at it; Finish
// then returns how much it counted for each of them, and the ratings before and after, first and second, where a newcomer's Before is the zero Rating. A void match (Result "")
// is temporary, whatever f says, and a temporary one has no place in the history and is gone with its code. Times in f are kept to the millisecond; f.ID and f.Ratings
// are not looked at.
func (s *Store) Finish(ctx context.Context, id MatchID, events []Event, f Finished) (*[2]RatingChange, error) {
	return updated(ctx, s, fmt.Sprintf("finish match %s", id), func(tx kv.Tx) (*[2]RatingChange, error) {
		if err := checkEvents(id, events); err != nil {
			return nil, err
		}
		f, err := checkFinished(id, events, f)
		if err != nil {
			return nil, err
		}
		return s.finish(tx, events[0].Seq, f)
	})
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
	f.Temporary = f.Temporary || f.Result == ""
	return f, checkRecord(f)
}

// finish does in one transaction all that Finish does. f is checked.
func (s *Store) finish(tx kv.Tx, seq uint64, f Finished) (*[2]RatingChange, error) {
	if _, err := checkNext(tx, f.ID, seq); err != nil {
		return nil, err
	}
	named, _, err := codes.Find(tx, f.Code)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	if named != (codeOf{match: f.ID}) {
		return nil, fmt.Errorf("%w: the code of the match is another one", ErrInvalid)
	}
	result, toRate, err := toBeRated(tx, f)
	if err != nil {
		return nil, err
	}
	var rated *[2]RatingChange
	var number uint64
	if toRate {
		if number, rated, err = s.rate(tx, result); err != nil {
			return nil, err
		}
	}
	for _, o := range []*Occupant{&f.First, &f.Second} {
		if err := nameInRecord(tx, o); err != nil {
			return nil, err
		}
	}
	if err := finished.Put(tx, f.ID, record{f, number}); err != nil {
		return nil, err
	}
	if f.Act != nil {
		if err := keepAudit(tx, *f.Act); err != nil {
			return nil, err
		}
	}
	addHistory(tx, f)
	if err := addTallies(tx, f); err != nil {
		return nil, err
	}
	if err := endCode(tx, f.Code, f.ID, f.codeEnds()); err != nil {
		return nil, err
	}
	summaries.Delete(tx, f.ID)
	if err := keepEvidence(tx, f.ID, f.Ended); err != nil {
		return nil, err
	}
	return rated, logs.DeleteUnder(tx, string(f.ID))
}

// nameInRecord takes the name of a player who is deleted from a seat. ForgetName has done so in older records.
func nameInRecord(r kv.Reader, o *Occupant) error {
	if o.Kind != Person {
		return nil
	}
	p, known, err := players.Find(r, PlayerID(o.ID))
	if err == nil && known && !p.Deleted.IsZero() {
		o.Name = FormerPlayer
	}
	return err
}

// Finished returns the whole record of a match that has ended, a temporary one until Sweep removes it. The error is ErrNotFound if
// there is none.
func (s *Store) Finished(ctx context.Context, id MatchID) (Finished, error) {
	return view(ctx, s, fmt.Sprintf("finished match %s", id), func(r kv.Reader) (Finished, error) { return readFinished(r, id, true) })
}

// readAllFinished reads records without their moves and times, and joins them with the changes of ratings.
func readAllFinished(r kv.Reader, ids []MatchID) ([]Finished, error) {
	heads, err := recordHeads.GetAll(r, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]Finished, len(ids))
	var numbers []uint64 // of changes of ratings
	var places []int     // of their matches in rows
	for i, h := range heads {
		if rows[i] = h.Finished; h.number > 0 {
			numbers, places = append(numbers, h.number), append(places, i)
		}
	}
	rated, err := changes.GetAll(r, numbers)
	if err != nil {
		return nil, err
	}
	for n, i := range places {
		rows[i].Ratings = rated[n]
	}
	return rows, nil
}

// readFinished reads a record, with its moves and times if whole, and joins it with the change of ratings.
func readFinished(r kv.Reader, id MatchID, whole bool) (Finished, error) {
	table := recordHeads
	if whole {
		table = finished
	}
	f, err := table.Get(r, id)
	if err == nil && f.number > 0 {
		f.Ratings, err = changes.Get(r, f.number)
	}
	if err != nil {
		return Finished{}, err
	}
	return f.Finished, nil
}
