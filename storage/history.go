package storage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ludoteca/storage/kv"
)

// A HistoryQuery says which finished matches are wanted, newest first.
type HistoryQuery struct {
	Player PlayerID // "" is everybody
	Game   string   // "" is every game
	Before Cursor   // only matches after this place in the list; the zero value starts at the newest
	Limit  int      // at most; 1 to 1000
}

// A Cursor is a place in a list of history: the end and id of the last match seen.
type Cursor struct {
	Ended time.Time
	ID    MatchID
}

// A place is that of a match in a list of history: of a player, or of everybody (""), in a game, or in every game ("").
type place struct {
	player PlayerID
	game   string
	at     Cursor
}

// history are the lists, each in the order in which the matches ended.
var history = Table[place, struct{}]{
	Name: "history", Values: None[place](), Traits: Traits{From: []string{"finished"}},
	Keys: Join(Text(func(id PlayerID) bool { return id == "" || isPlayerID(id) }),
		Join(Text(func(game string) bool { return true }), Join(Time(), Text[MatchID](nil),
			func(p place) (time.Time, MatchID) { return p.at.Ended, p.at.ID },
			func(ended time.Time, id MatchID) place { return place{at: Cursor{ended, id}} }),
			func(p place) (string, place) { return p.game, p },
			func(game string, p place) place { return place{game: game, at: p.at} }),
		func(p place) (PlayerID, place) { return p.player, p },
		func(id PlayerID, p place) place { return place{id, p.game, p.at} }).
		shownAs(func(p place) string {
			return fmt.Sprintf("%s %s", p.at.Ended.Format(time.RFC3339), printable([]byte(p.at.ID)))
		}),
}

// maxHistory is the most rows of history that one call returns.
const maxHistory = 1000

// History returns the finished matches that q asks for, newest first and by id where two ended in the same millisecond,
// without moves and times. It costs as much as it returns, whatever the size of the store. Temporary records are in no
// history. The error is ErrInvalid for a limit below 1 or above 1000; an unknown player or game has no matches.
func (s *ResultStore) History(ctx context.Context, q HistoryQuery) ([]Finished, error) {
	return view(ctx, s.engine, "history", func(r kv.Reader) ([]Finished, error) {
		if err := checkQuery(q); err != nil {
			return nil, err
		}
		return readHistory(r, q)
	})
}

func checkQuery(q HistoryQuery) error {
	if q.Limit < 1 || q.Limit > maxHistory {
		return fmt.Errorf("%w: a limit of %d rows", ErrInvalid, q.Limit)
	}
	for _, part := range []string{string(q.Player), q.Game} {
		if part == "" {
			continue // everybody, every game
		}
		if err := checkKeys(part); err != nil {
			return err
		}
	}
	return nil
}

func readHistory(r kv.Reader, q HistoryQuery) ([]Finished, error) {
	g := history.Under(string(q.Player), q.Game)
	if q.Before != (Cursor{}) {
		g = history.Before(g, place{q.Player, q.Game, q.Before})
	}
	g.Reverse = true
	var ids []MatchID
	for e, err := range history.Scan(r, g) {
		if err != nil {
			return nil, err
		}
		if ids = append(ids, e.Key.at.ID); len(ids) == q.Limit {
			break
		}
	}
	return readAllFinished(r, ids)
}

// addHistory gives a match its place in every list that can be asked for: everybody's and each player's, of every
// game and of its own. So one seek finds the page of any of them.
func addHistory(tx kv.Tx, f Finished) {
	for _, p := range placesOf(f) {
		history.add(tx, p)
	}
}

// placesOf returns the places of a match in the history, each once.
func placesOf(f Finished) []place {
	if f.Temporary || f.Result == "" {
		return nil
	}
	lists := []PlayerID{""}
	for _, o := range []Occupant{f.First, f.Second} {
		if o.Kind == Person && !slices.Contains(lists, PlayerID(o.ID)) {
			lists = append(lists, PlayerID(o.ID))
		}
	}
	var all []place
	for _, player := range lists {
		for _, game := range []string{"", f.Game} {
			all = append(all, place{player, game, Cursor{f.Ended, f.ID}})
		}
	}
	return all
}

// played reports whether there is a finished match of a player.
func played(r kv.Reader, id PlayerID) (bool, error) {
	_, yes, err := first(r, history.Under(string(id), ""))
	return yes, err
}
