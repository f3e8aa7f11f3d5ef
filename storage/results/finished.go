package results

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/kv"
)

// A RecordStore keeps the records of finished matches, and the history, which lists them by time. A Store is one.
type RecordStore struct{ engine kv.Store }

// CodeLife is how long a code names its match after the end.
const CodeLife = 30 * 24 * time.Hour

// TemporaryLife is how long a temporary record and its code are there after the end of the match: long enough for the players and
// spectators to look at it again. The record of a match of a tournament, which reads the result from it, is there for CodeLife.
const TemporaryLife = time.Hour

// CodeEnds is when the code of a finished match ends.
func (f Finished) CodeEnds() time.Time {
	if f.Temporary && f.Tournament == (storage.TournamentBoard{}) {
		return f.Ended.Add(TemporaryLife)
	}
	return f.Ended.Add(CodeLife)
}

// Forgotten reports whether the record of a finished match has expired.
func (f Finished) Forgotten(now time.Time) bool {
	return (f.Temporary || f.Result == "") && !now.Before(f.CodeEnds())
}

// Add keeps the record of a match that ends, its places in the history, the ratings that follow from its result, and what it says of practice. It
// returns the changes of the ratings. The caller must have checked f.
func (s *Store) Add(tx kv.Tx, f Finished) (rated *[2]RatingChange, err error) {
	result, toRate, err := toBeRated(tx, f)
	if err != nil {
		return nil, err
	}
	var number uint64
	if toRate {
		if number, rated, err = s.Rate(tx, result); err != nil {
			return nil, err
		}
	}
	for _, o := range []*storage.Occupant{&f.First, &f.Second} {
		if err := nameInRecord(tx, o); err != nil {
			return nil, err
		}
	}
	if err := Records.Put(tx, f.ID, Record{Finished: f, Number: number}); err != nil {
		return nil, err
	}
	AddHistory(tx, f)
	return rated, errors.Join(AddTallies(tx, f), addOpenings(tx, f, number), addPractice(tx, f))
}

// nameInRecord replaces the name of a deleted player in a seat. ForgetName has done so in older records.
func nameInRecord(r kv.Reader, o *storage.Occupant) error {
	if !o.Kind.HasAccount() {
		return nil
	}
	p, known, err := accounts.Players.Find(r, storage.PlayerID(o.ID))
	if err == nil && known && !p.Deleted.IsZero() {
		o.Name = accounts.FormerPlayer
	}
	return err
}

// Finished returns the whole record of a match that has ended, a temporary one until Sweep removes it. The error is ErrNotFound if
// there is none.
func (s *RecordStore) Finished(ctx context.Context, id storage.MatchID) (Finished, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("finished match %s", id), func(r kv.Reader) (Finished, error) { return ReadFinished(r, id, true) })
}

// readAllFinished reads records without their moves and times, and joins them with the changes of ratings.
func readAllFinished(r kv.Reader, ids []storage.MatchID) ([]Finished, error) {
	heads, err := RecordHeads.GetAll(r, ids)
	if err != nil {
		return nil, err
	}
	return withRatings(r, heads)
}

// withRatings joins records without their moves and times with the changes of ratings.
func withRatings(r kv.Reader, heads []Record) ([]Finished, error) {
	rows := make([]Finished, len(heads))
	var numbers []uint64 // of changes of ratings
	var places []int     // of their matches in rows
	for i, h := range heads {
		if rows[i] = h.Finished; h.Number > 0 {
			numbers, places = append(numbers, h.Number), append(places, i)
		}
	}
	rated, err := Changes.GetAll(r, numbers)
	if err != nil {
		return nil, err
	}
	for n, i := range places {
		rows[i].Ratings = rated[n]
	}
	return rows, nil
}

// ReadFinished reads a record, with its moves and times if whole, and joins it with the change of ratings.
func ReadFinished(r kv.Reader, id storage.MatchID, whole bool) (Finished, error) {
	table := RecordHeads
	if whole {
		table = Records
	}
	f, err := table.Get(r, id)
	if err == nil && f.Number > 0 {
		f.Ratings, err = Changes.Get(r, f.Number)
	}
	if err != nil {
		return Finished{}, err
	}
	return f.Finished, nil
}
