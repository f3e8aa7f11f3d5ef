package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/games"
	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A SearchQuery says which finished matches are looked for, newest first. All that it says must hold of a match.
type SearchQuery struct {
	Player  storage.PlayerID // "" is every player
	Game    string           // "" is every game
	Before  Cursor           // only matches after this place in the list; the zero value starts at the newest
	Limit   int              // at most; 1 to 1000
	With    storage.PlayerID // who else played, besides Player; "" is any player
	Outcome Outcome
	Since   time.Time    // only matches that ended then or later; the zero value is every time
	Opening []games.Move // how the match began, from the start position of its game
}

// An Outcome is a result, or how a match ended for the player of a query. The zero value is any.
type Outcome string

// The outcomes. Won and Lost need a player.
const (
	FirstWon  Outcome = "first"
	SecondWon Outcome = "second"
	Drawn     Outcome = "draw"
	Won       Outcome = "won"
	Lost      Outcome = "lost"
)

// A SearchPage is what one step of a search has found.
type SearchPage struct {
	Found   []Finished // without moves and times
	Skipped int        // matches that were looked at and not found
	Next    Cursor     // where the next step goes on; the zero value at the end
}

// What one step of a search looks at: about two milliseconds of work. An opening has whole records read. A step that takes all matches looks at no more
// than it may find.
const (
	searchStep  = 200
	openingStep = 100
)

// Search looks at the next finished matches, newest first and by id where two ended in the same millisecond, and returns those that q asks for.
// What it costs has a bound, whatever the size of the store, so it may find nothing and have to go on. The error is ErrInvalid for a limit below 1 or
// above 1000, and for an outcome that needs a player; unknown players and games have no matches.
func (s *RecordStore) Search(ctx context.Context, q SearchQuery) (SearchPage, error) {
	return storage.View(ctx, s.engine, "search of history", func(r kv.Reader) (SearchPage, error) {
		if err := q.check(); err != nil {
			return SearchPage{}, err
		}
		return search(r, q)
	})
}

func (q SearchQuery) check() error {
	known := []Outcome{"", FirstWon, SecondWon, Drawn, Won, Lost}
	switch {
	case !slices.Contains(known, q.Outcome):
		return fmt.Errorf("%w: the outcome %q", storage.ErrInvalid, q.Outcome)
	case q.Player == "" && (q.Outcome == Won || q.Outcome == Lost):
		return fmt.Errorf("%w: an outcome of no player", storage.ErrInvalid)
	}
	return checkQuery(HistoryQuery{Player: q.Player, Game: q.Game, Limit: q.Limit})
}

func search(r kv.Reader, q SearchQuery) (page SearchPage, err error) {
	ids, next, err := q.places(r)
	if err != nil {
		return page, err
	}
	heads, err := RecordHeads.GetAll(r, ids)
	if err != nil {
		return page, err
	}
	wanted := slices.DeleteFunc(heads, func(h Record) bool { return !q.wants(h.Finished) })
	if wanted, err = q.beganSo(r, wanted); err != nil {
		return page, err
	}
	if len(wanted) > q.Limit { // the rest of the step is looked at again
		wanted = wanted[:q.Limit]
		last := wanted[q.Limit-1]
		ids, next = ids[:slices.Index(ids, last.ID)+1], Cursor{last.Ended, last.ID}
	}
	page.Skipped, page.Next = len(ids)-len(wanted), next
	page.Found, err = withRatings(r, wanted)
	return page, err
}

// beganSo returns the matches that began with the opening of the query; all if it names none.
func (q SearchQuery) beganSo(r kv.Reader, heads []Record) ([]Record, error) {
	if len(q.Opening) == 0 {
		return heads, nil
	}
	ids := make([]storage.MatchID, len(heads))
	for i, h := range heads {
		ids[i] = h.ID
	}
	whole, err := Records.GetAll(r, ids)
	if err != nil {
		return nil, err
	}
	var began []Record
	for i, f := range whole {
		if slices.Equal(f.Moves[:len(q.Opening)], q.Opening) {
			began = append(began, heads[i])
		}
	}
	return began, nil
}

// step returns how many matches a step looks at.
func (q SearchQuery) step() int {
	switch {
	case len(q.Opening) > 0:
		return openingStep
	case q.With == "" && q.Outcome == "":
		return q.Limit
	}
	return searchStep
}

// places returns the matches that a step looks at, and where the next step goes on.
func (q SearchQuery) places(r kv.Reader) (ids []storage.MatchID, next Cursor, err error) {
	step := q.step()
	g := History.Under(string(q.Player), q.Game).Reversed()
	if q.Before != (Cursor{}) {
		g = g.Before(Place{q.Player, q.Game, q.Before})
	}
	var last Cursor
	for e, err := range g.Expecting(step + 1).Scan(r) { // one more shows that the search goes on
		switch {
		case err != nil:
			return nil, Cursor{}, err
		case e.Key.At.Ended.Before(q.Since):
			return ids, Cursor{}, nil
		case len(ids) == step:
			return ids, last, nil
		}
		last = e.Key.At
		ids = append(ids, last.ID)
	}
	return ids, Cursor{}, nil
}

// wants reports whether a match is looked for, as far as that is known without its moves.
func (q SearchQuery) wants(f Finished) bool {
	is := func(o storage.Occupant, id storage.PlayerID) bool {
		return o.Kind.HasAccount() && o.ID == string(id)
	}
	other := f.Second
	if !is(f.First, q.Player) {
		other = f.First
	}
	if q.With != "" && !is(other, q.With) && (q.Player != "" || !is(f.Second, q.With)) {
		return false
	}
	if len(q.Opening) > 0 && (f.From != "" || f.Plies < len(q.Opening)) {
		return false
	}
	won := FirstWon
	if !is(f.First, q.Player) {
		won = SecondWon
	}
	switch q.Outcome {
	case "":
		return true
	case Won:
		return f.Result == string(won)
	case Lost:
		return f.Result != "" && f.Result != string(won) && f.Result != string(Drawn) // "" is void
	}
	return f.Result == string(q.Outcome)
}
