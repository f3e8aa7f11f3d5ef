package results

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Player storage.PlayerID // "" is every player
	Game   string           // "" is every game
	Before Cursor           // only matches after this place in the list; the zero value starts at the newest
	Limit  int              // at most; 1 to 1000
}

// A Cursor is a place in a list of history: the end and id of the last match seen.
type Cursor struct {
	Ended time.Time
	ID    storage.MatchID
}

// A Place is the place of a match in a list of history. A list is for a player or for every player (""), and for a game or for every
// game ("").
type Place struct {
	Player storage.PlayerID
	Game   string
	At     Cursor
}

// History are the lists, each in the order in which the matches ended.
var History = storage.Table[Place, struct{}]{
	Name: "history", Values: storage.None[Place](), Traits: storage.Traits{From: []string{"finished"}},
	Keys: storage.Join(storage.Text(func(id storage.PlayerID) bool { return id == "" || storage.IsPlayerID(id) }),
		storage.Join(storage.Text(func(game string) bool { return true }), storage.Join(storage.Time(), storage.Text[storage.MatchID](nil),
			func(p Place) (time.Time, storage.MatchID) { return p.At.Ended, p.At.ID },
			func(ended time.Time, id storage.MatchID) Place { return Place{At: Cursor{ended, id}} }),
			func(p Place) (string, Place) { return p.Game, p },
			func(game string, p Place) Place { return Place{Game: game, At: p.At} }),
		func(p Place) (storage.PlayerID, Place) { return p.Player, p },
		func(id storage.PlayerID, p Place) Place { return Place{id, p.Game, p.At} }).
		ShownAs(func(p Place) string {
			return fmt.Sprintf("%s %s", p.At.Ended.Format(time.RFC3339), storage.Printable([]byte(p.At.ID)))
		}),
}

// maxHistory is the most rows of history that one call returns.
const maxHistory = 1000

// History returns the finished matches that q asks for, newest first and by id where two ended in the same millisecond,
// without moves and times. It costs as much as it returns, whatever the size of the store. Temporary records are in no
// history. The error is ErrInvalid for a limit below 1 or above 1000; an unknown player or game has no matches.
func (s *RecordStore) History(ctx context.Context, q HistoryQuery) ([]Finished, error) {
	return storage.View(ctx, s.engine, "history", func(r kv.Reader) ([]Finished, error) {
		if err := checkQuery(q); err != nil {
			return nil, err
		}
		return readHistory(r, q)
	})
}

func checkQuery(q HistoryQuery) error {
	if q.Limit < 1 || q.Limit > maxHistory {
		return fmt.Errorf("%w: a limit of %d rows", storage.ErrInvalid, q.Limit)
	}
	for _, part := range []string{string(q.Player), q.Game} {
		if part == "" {
			continue // every player, every game
		}
		if err := storage.CheckKeys(part); err != nil {
			return err
		}
	}
	return nil
}

func readHistory(r kv.Reader, q HistoryQuery) ([]Finished, error) {
	g := History.Under(string(q.Player), q.Game).Reversed()
	if q.Before != (Cursor{}) {
		g = g.Before(Place{q.Player, q.Game, q.Before})
	}
	var ids []storage.MatchID
	for e, err := range g.Expecting(q.Limit).Scan(r) {
		if err != nil {
			return nil, err
		}
		if ids = append(ids, e.Key.At.ID); len(ids) == q.Limit {
			break
		}
	}
	return readAllFinished(r, ids)
}

// AddHistory gives a match its place in every list that can be asked for: of all players and of each player, for every
// game and for its own. So one seek finds the page of any of them.
func AddHistory(tx kv.Tx, f Finished) {
	for _, p := range PlacesOf(f) {
		History.Add(tx, p)
	}
}

// PlacesOf returns the places of a match in the history, each once.
func PlacesOf(f Finished) []Place {
	if f.Temporary || f.Result == "" {
		return nil
	}
	lists := []storage.PlayerID{""}
	for _, o := range []storage.Occupant{f.First, f.Second} {
		if o.Kind.HasAccount() && !slices.Contains(lists, storage.PlayerID(o.ID)) {
			lists = append(lists, storage.PlayerID(o.ID))
		}
	}
	var all []Place
	for _, player := range lists {
		for _, game := range []string{"", f.Game} {
			all = append(all, Place{player, game, Cursor{f.Ended, f.ID}})
		}
	}
	return all
}

// Played reports whether there is a finished match of a player.
func Played(r kv.Reader, id storage.PlayerID) (bool, error) {
	_, yes, err := storage.First(r, History.Under(string(id), "").Range)
	return yes, err
}
