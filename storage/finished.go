package storage

import (
	"context"
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

// add keeps the record of a match that ends, its places in the history, and the ratings that follow from its result, which it returns. f is
// checked.
func (s *ResultStore) add(tx kv.Tx, f Finished) (rated *[2]RatingChange, err error) {
	result, toRate, err := toBeRated(tx, f)
	if err != nil {
		return nil, err
	}
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
	addHistory(tx, f)
	return rated, addTallies(tx, f)
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
func (s *ResultStore) Finished(ctx context.Context, id MatchID) (Finished, error) {
	return view(ctx, s.engine, fmt.Sprintf("finished match %s", id), func(r kv.Reader) (Finished, error) { return readFinished(r, id, true) })
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
