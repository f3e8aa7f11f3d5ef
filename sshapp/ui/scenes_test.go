package ui

import (
	"fmt"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
)

func person(id, name string) storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: id, Name: name}
}

var greedy = storage.Occupant{Kind: storage.Bot, ID: "greedy", Name: "Greedy"}

func known(rating float64) lobby.Strength { return lobby.Strength{Known: true, Rating: rating} }

// offer is an open offer of bia.
func offer(id storage.MatchID, game string, o games.Options) lobby.Offer {
	return lobby.Offer{Ref: lobby.Ref{ID: id}, Game: game, Options: o, By: person("p3", "bia"),
		Strength: known(1610), Rated: true, Since: noon}
}

// someLists are lists with something in every block.
func someLists() (*lobby.Lists, lobby.Yours) {
	second := offer("o2", "petteia", games.Options{"captures_to_win": 5})
	second.By, second.Rated, second.Strength = person("p4", "zé"), false, lobby.Strength{Known: true, Rating: 1490, Provisional: true}
	lists := &lobby.Lists{Seq: 1, Count: 7,
		Offers: []lobby.Offer{offer("o1", "fourmation", games.Options{"cols": 7, "rows": 7, "win_length": 4}), second},
		Running: []lobby.Running{{Ref: lobby.Ref{ID: "r1"}, Game: "flugelrad", Ply: 23,
			Seats: [2]storage.Occupant{person("p5", "inês"), greedy}, Strength: [2]lobby.Strength{known(1702), {}}}},
	}
	yours := lobby.Yours{Matches: []lobby.Mine{
		{Ref: lobby.Ref{ID: "m1"}, Game: "momentum", YourTurn: true, Opponent: person("p6", "rui"), LastAt: noon.Add(-51 * time.Hour), Started: noon},
		{Ref: lobby.Ref{ID: "m2"}, Game: "petteia", Opponent: person("p7", "joão"), LastAt: noon.Add(-5 * time.Minute), Started: noon},
		{Ref: lobby.Ref{ID: "m3", Code: "K7QM2X"}, Game: "fourmation", LastAt: noon},
	}}
	return lists, yours
}

// manyLists are lists that fit on no screen.
func manyLists() (*lobby.Lists, lobby.Yours) {
	lists, yours := someLists()
	for i := range 60 {
		lists.Offers = append(lists.Offers, offer(storage.MatchID(fmt.Sprint("x", i)), "momentum", games.Options{"size": 9, "marbles": 12}))
	}
	return lists, yours
}

// fullLobby is a club with results.
func fullLobby() *fakeLobby {
	c := &fakeLobby{profile: lobby.Profile{Name: "ana", Since: noon.AddDate(-1, 0, 0), Online: true, Games: []lobby.Standing{
		{Game: "fourmation", Rating: 1523.4, Played: 31, Won: 17, Drawn: 2, Lost: 12},
		{Game: "petteia", Rating: 1601, Provisional: true, Played: 3, Won: 3},
	}}}
	for i := range 30 {
		line := lobby.Line{Rank: i + 1, Name: fmt.Sprintf("player%d", i+1), Standing: lobby.Standing{
			Rating: 1900 - float64(13*i), Played: 20 + i, Won: 12, Drawn: i, Lost: 8, Provisional: i > 24}}
		if line.Provisional {
			line.Rank = 0
		}
		c.lines = append(c.lines, line)
		c.finished = append(c.finished, storage.Finished{
			ID: storage.MatchID(fmt.Sprint("f", i)), Game: []string{"momentum", "petteia", "flugelrad"}[i%3],
			First: person("p1", "ana"), Second: []storage.Occupant{greedy, person("p6", "rui")}[i%2],
			Result: []string{"first", "second", "draw", ""}[i%4], Plies: 20 + i, Ended: noon.Add(-time.Duration(i) * 7 * time.Hour),
		})
	}
	c.lines[7].Name = "ana"
	return c
}

// A scene is a screen in some state, reached as a player would.
type scene struct {
	name string
	cfg  Config
	play func(*session)
}

func scenes() []scene {
	member := Config{Lobby: fullLobby(), Who: ana}
	visitor := Config{Lobby: fullLobby(), Who: guest}
	item := func(n int, then ...string) func(*session) {
		return func(s *session) {
			s.lists(someLists())
			for range n {
				s.keys("down")
			}
			s.keys("enter")
			s.keys(then...)
		}
	}
	return []scene{
		{"sign-up", Config{Lobby: fullLobby(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(*session) {}},
		{"sign-up-refused", Config{Lobby: &fakeLobby{err: lobby.ErrNameTaken}, Fingerprint: "SHA256:x", Suggested: "ana"},
			func(s *session) { s.keys("enter") }},
		{"lobby-empty", member, func(s *session) { s.lists(&lobby.Lists{Seq: 1, Count: 1}, lobby.Yours{}) }},
		{"lobby", member, func(s *session) { s.lists(someLists()) }},
		{"lobby-lists", member, func(s *session) { s.lists(someLists()); s.keys("tab", "down", "down", "down") }},
		{"lobby-many", member, func(s *session) { s.lists(manyLists()); s.keys("tab", "pgdown") }},
		{"lobby-guest", visitor, func(s *session) { s.lists(someLists()) }},
		{"lobby-help", member, func(s *session) { s.lists(someLists()); s.keys("?") }},
		{"computer", member, item(0)},
		{"quick", member, item(1)},
		{"new", member, item(2, "right", "down", "down")},
		{"new-bad", member, item(2, "end", "up", "1")},
		{"join", member, item(3, "k7q")},
		{"keyboard", member, item(4)},
		{"leaderboard", member, item(5)},
		{"profile", member, item(5, "enter")},
		{"watch", member, item(6)},
		{"history", member, item(7, "pgdown")},
		{"learn", member, item(8)},
		{"rules", member, item(8, "enter")},
		{"settings", member, item(9)},
		{"account", Config{Lobby: keyed(), Who: ana, Fingerprint: "SHA256:one"}, func(s *session) { item(9)(s); s.keys("end", "enter", "down", "down") }},
		{"account-delete", Config{Lobby: keyed(), Who: ana, Fingerprint: "SHA256:one"}, func(s *session) {
			item(9)(s)
			s.keys("end", "enter", "end", "enter", "ana", "enter")
		}},
		{"claim", Config{Lobby: fullLobby(), Fingerprint: "SHA256:x", Suggested: "ana"}, func(s *session) { s.keys("down", "down", "down", "enter", "k7qm-2xpd") }},
		{"lobby-recovery", Config{Lobby: &fakeLobby{recovery: "K7QM-2XPD-9RTV-AAAA-BBBB-CCCC"}, Fingerprint: "SHA256:x", Suggested: "ana"},
			func(s *session) { s.keys("enter") }},
	}
}

// at runs a scene in a window of the given size.
func (sc scene) at(t testing.TB, w, h int, settings storage.Settings, environ ...string) *session {
	t.Helper()
	cfg := sc.cfg
	cfg.Settings, cfg.Environ = settings, environ
	s := begin(t, w, h, cfg)
	sc.play(s)
	return s
}
