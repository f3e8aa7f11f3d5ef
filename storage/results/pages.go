package results

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A PageQuery says which finished matches are wanted, the oldest first.
type PageQuery struct {
	Player storage.PlayerID // "" is every player
	Game   string           // "" is every game
	Since  time.Time        // only matches that ended then or later; the zero value: from the first on
	Until  time.Time        // only matches that ended before; the zero value: to the last
	After  Cursor           // only matches after this place; the zero value: from Since on
	Rated  bool             // only rated matches
	Limit  int              // of places that are looked at; 1 to 1000
	Whole  bool             // with moves and times
}

// Page returns the finished matches that q asks for, in the order in which they ended, and the place of the last one that it looked at, which is
// the zero value after the last. It leaves out damaged records. A caller asks for page after page: each is one short transaction, which lasts as long
// as Limit says. A match that is rated and was taken out of the ratings is rated still. The error is ErrInvalid for a limit below 1 or above 1000.
func (s *RecordStore) Page(ctx context.Context, q PageQuery) (found []Record, next Cursor, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) (err error) {
		if err := checkQuery(HistoryQuery{Player: q.Player, Game: q.Game, Limit: q.Limit}); err != nil {
			return err
		}
		found, next, err = readPage(r, q)
		return err
	})
	if err != nil {
		return nil, Cursor{}, fmt.Errorf("storage: a page of matches: %w", err)
	}
	return found, next, nil
}

// placesOf returns the range of the history that a query asks for.
func placesOf(q PageQuery) storage.Range[Place, struct{}] {
	g := History.Under(string(q.Player), q.Game)
	at := func(c Cursor) Place { return Place{q.Player, q.Game, c} }
	if !q.Until.IsZero() {
		g = g.Before(at(Cursor{Ended: q.Until}))
	}
	switch {
	case q.After != (Cursor{}):
		g = g.After(at(q.After))
	case !q.Since.IsZero():
		g = g.StartingAt(at(Cursor{Ended: q.Since}))
	}
	return g
}

func readPage(r kv.Reader, q PageQuery) (found []Record, next Cursor, err error) {
	var ids []storage.MatchID
	for e, err := range placesOf(q).Expecting(q.Limit).Scan(r) {
		if err != nil {
			return nil, next, err
		}
		if ids = append(ids, e.Key.At.ID); len(ids) == q.Limit {
			next = e.Key.At
			break
		}
	}
	table := RecordHeads
	if q.Whole {
		table = Records
	}
	rows, there, err := table.FindAll(r, ids)
	if errors.Is(err, storage.ErrDamaged) {
		rows, there, err = findWhole(r, table, ids)
	}
	if err != nil {
		return nil, next, err
	}
	var numbers []uint64 // of changes of ratings
	for i, row := range rows {
		if !there[i] || q.Rated && !row.Rated {
			continue
		}
		if found = append(found, row); row.Number > 0 {
			numbers = append(numbers, row.Number)
		}
	}
	changes, err := Changes.GetAll(r, numbers)
	if err != nil {
		return nil, next, err
	}
	for i := range found {
		if found[i].Number > 0 {
			found[i].Ratings, changes = changes[0], changes[1:]
		}
	}
	return found, next, nil
}

// findWhole finds records one by one, as if the damaged ones were missing.
func findWhole(r kv.Reader, table storage.Table[storage.MatchID, Record], ids []storage.MatchID) (rows []Record, there []bool, err error) {
	rows, there = make([]Record, len(ids)), make([]bool, len(ids))
	for i, id := range ids {
		rows[i], there[i], err = table.Find(r, id)
		if err != nil && !errors.Is(err, storage.ErrDamaged) {
			return nil, nil, err
		}
	}
	return rows, there, nil
}

// FirstPlace returns the place of the first match that q asks for; ok is false if there is none.
func (s *RecordStore) FirstPlace(ctx context.Context, q PageQuery) (at Cursor, ok bool, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		var e storage.Entry[Place, struct{}]
		e, ok, err = placesOf(q).First(r)
		at = e.Key.At
		return err
	})
	return at, ok, err
}

// Record returns the record of one finished match, with its moves. The error is ErrNotFound if there is none.
func (s *RecordStore) Record(ctx context.Context, id storage.MatchID, whole bool) (Record, error) {
	return storage.View(ctx, s.engine, fmt.Sprintf("record of match %s", id), func(r kv.Reader) (f Record, err error) {
		table := RecordHeads
		if whole {
			table = Records
		}
		if f, err = table.Get(r, id); err == nil && f.Number > 0 {
			f.Ratings, err = Changes.Get(r, f.Number)
		}
		return f, err
	})
}
