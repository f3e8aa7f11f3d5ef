package uitest

import (
	"fmt"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/relations"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	relationstore "ludoteca/storage/relations"
	"ludoteca/storage/results"
)

// Person returns a player with a key.
func Person(id, name string) storage.Occupant {
	return storage.Occupant{Kind: storage.Person, ID: id, Name: name}
}

var Greedy = storage.Occupant{Kind: storage.Bot, ID: "greedy", Name: "Greedy"}

// Known returns a rating that is not provisional.
func Known(rating float64) lobby.Strength { return lobby.Strength{Known: true, Rating: rating} }

// Offer returns an open offer of bia.
func Offer(id storage.MatchID, game string, o games.Options) lists.Offer {
	return lists.Offer{Ref: lobby.Ref{ID: id}, Game: game, Options: o, By: Person("p3", "bia"),
		Strength: Known(1610), Rated: true, Since: Noon}
}

// SomeLists returns lists with something in every block.
func SomeLists() (*lists.Lists, lists.Yours) {
	second := Offer("o2", "petteia", games.Options{"captures_to_win": 5})
	second.By, second.Rated, second.Strength = Person("p4", "zé"), false, lobby.Strength{Known: true, Rating: 1490, Provisional: true}
	second.Clock, second.Range = ClockOfTest("5+3"), [2]int{1400, 1600}
	first := Offer("o1", "fourmation", games.Options{"cols": 7, "rows": 7, "win_length": 4})
	first.Strength.Conduct = results.Conduct{Started: 35, Finished: 34}
	page := &lists.Lists{Seq: 1, Count: 7,
		Offers: []lists.Offer{first, second},
		Running: []lists.Running{{Ref: lobby.Ref{ID: "r1"}, Game: "flugelrad", Ply: 23,
			Seats: [2]storage.Occupant{Person("p5", "inês"), Greedy}, Strength: [2]lobby.Strength{Known(1702), {}}}},
	}
	yours := lists.Yours{Matches: []lists.Mine{
		{Ref: lobby.Ref{ID: "m1"}, Game: "momentum", YourTurn: true, Opponent: Person("p6", "rui"), LastAt: Noon.Add(-51 * time.Hour), Started: Noon},
		{Ref: lobby.Ref{ID: "m2"}, Game: "petteia", Opponent: Person("p7", "joão"), LastAt: Noon.Add(-5 * time.Minute), Started: Noon},
		{Ref: lobby.Ref{ID: "m3", Code: "K7QM2X"}, Game: "fourmation", LastAt: Noon},
	}}
	return page, yours
}

// ManyLists returns lists that fit on no screen.
func ManyLists() (*lists.Lists, lists.Yours) {
	page, yours := SomeLists()
	for i := range 60 {
		page.Offers = append(page.Offers, Offer(storage.MatchID(fmt.Sprint("x", i)), "momentum", games.Options{"size": 9, "marbles": 12}))
	}
	return page, yours
}

// SomePeople returns users with every kind of activity.
func SomePeople() *lists.Who {
	here := func(id, name, game string, rating float64, doing string) lists.Present {
		return lists.Present{Kind: storage.Person, ID: id, Name: name, Game: game, Strength: Known(rating), Doing: doing, Since: Noon}
	}
	ines, ana := here("p5", "inês", "momentum", 1702, lists.IsAway), here("p1", "ana", "fourmation", 1523, lists.InLobby)
	bia, zacharias := here("p3", "bia", "tanks", 1610, lists.Playing), here("p9", "zacharias-the-second", "flugelrad", 1490, lists.Playing)
	ines.Followed, ines.Since = true, Noon.Add(-3*time.Minute)
	bia.Match, bia.Opponent = "r2", Person("p6", "rui")
	bia.Clock = lists.ClockState{Shown: true, Running: true, Since: Noon, Left: 12*time.Minute + 4*time.Second}
	zacharias.Strength.Provisional, zacharias.Game, zacharias.Match = true, "flugelrad", "r3"
	zacharias.Opponent, zacharias.Clock = Person("p10", "a-rather-long-name-20"), lists.ClockState{Shown: true, Left: time.Minute}
	return &lists.Who{Seq: 1, Count: 6, Here: []lists.Present{ines, ana, bia,
		{Kind: storage.Person, ID: "p7", Name: "joão", Doing: lists.Watching, Game: "flugelrad", Match: "r1", Since: Noon}, zacharias,
		{Kind: storage.Guest, ID: "g7", Name: "guest-7K2Q", Doing: lists.Playing, Since: Noon}}}
}

// FullLobby returns a club with results and users.
func FullLobby() *FakeLobby {
	c := &FakeLobby{Here: SomePeople(), Stake: &standings.Stake{Win: 9.2, Draw: 1.1, Loss: -7.4}, Player: standings.Profile{Name: "ana", Since: Noon.AddDate(-1, 0, 0), Online: true, Games: []standings.Standing{
		{Game: "fourmation", Rating: 1523.4, Played: 31, Won: 17, Drawn: 2, Lost: 12},
		{Game: "petteia", Rating: 1601, Provisional: true, Played: 3, Won: 3},
	}}}
	for i := range 30 {
		line := standings.Line{Rank: i + 1, Name: fmt.Sprintf("player%d", i+1), Standing: standings.Standing{
			Rating: 1900 - float64(13*i), Played: 20 + i, Won: 12, Drawn: i, Lost: 8, Provisional: i > 24}}
		if line.Provisional {
			line.Rank = 0
		}
		c.Lines = append(c.Lines, line)
		c.Finished = append(c.Finished, results.Finished{
			ID: storage.MatchID(fmt.Sprint("f", i)), Game: []string{"momentum", "petteia", "flugelrad"}[i%3],
			First: Person("p1", "ana"), Second: []storage.Occupant{Greedy, Person("p6", "rui")}[i%2],
			Result: []string{"first", "second", "draw", ""}[i%4], Plies: 20 + i, Ended: Noon.Add(-time.Duration(i) * 7 * time.Hour),
		})
	}
	c.Lines[7].Name = "ana"
	c.Relations = map[relationstore.Kind][]relations.Related{
		relations.Following: {{Name: "rui", Since: Noon.AddDate(0, -2, 0)}, {Name: "bia", Since: Noon.AddDate(0, -1, 0), Online: true}, {Name: "zacharias-the-second", Since: Noon}},
		relations.Blocked:   {{Name: "eva", Since: Noon}},
	}
	return c
}
