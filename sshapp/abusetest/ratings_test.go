//go:build linux

package abusetest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/rating"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/schema"
	"ludoteca/storage/storagetest"
)

// ratings has a player win many rated matches against accounts of their own, in a club with a few established players.
func ratings(w *world) {
	wins := w.of(30, 120)
	data := w.TempDir()
	if !w.other { // else the store might be newer than the program
		w.establish(data)
	}
	c := w.startOn(data)
	began := time.Now()
	won := c.farm(nil, c.farmers(), wins)
	took := time.Since(began)
	lines := c.leaderboard()
	if !w.other && slices.ContainsFunc(lines, func(l line) bool { return strings.HasPrefix(l.Name, "established") && l.Rank == 0 }) {
		w.Errorf("the established players have no ranks: %+v", lines)
	}
	farmer := slices.IndexFunc(lines, func(l line) bool { return l.Name == "farmer" })
	above := 0
	for i, l := range lines {
		if strings.HasPrefix(l.Name, "established") && farmer >= 0 && i > farmer {
			above++
		}
	}
	if farmer < 0 {
		w.figure("ratings: %d wins of %d against six alts in %.1f s: the farmer is on no leaderboard", won, wins, took.Seconds())
	} else {
		l := lines[farmer]
		w.figure("ratings: %d wins of %d against six alts in %.1f s: the farmer has %.0f±%.0f, provisional %t, rank %d, and stands above %d established players",
			won, wins, took.Seconds(), l.Rating, l.Deviation, l.Provisional, l.Rank, above)
		if above > 0 || l.Rank == 1 || !l.Provisional {
			w.Errorf("after %d wins against six alts the farmer stands on the leaderboard as %+v, above %d established players", won, l, above)
		}
	}
	counted := c.counted("farmer")
	w.figure("ratings: these wins count as much as %.2f against others", counted)
	if counted > float64(won)/2 {
		w.Errorf("%d wins against six alts count as much as %.2f against others", won, counted)
	}
	if won < w.of(6, 12) {
		w.Errorf("the farmer has won %d matches: this is no attack", won)
	}
}

// A line is one of a leaderboard.
type line struct {
	Name              string
	Rank              int
	Rating, Deviation float64
	Provisional, Bot  bool
}

func (c *club) leaderboard() (all []line) {
	c.Helper()
	reader := c.person("reader", v4(9, 9, 9))
	for text := range strings.Lines(reader.must("leaderboard momentum --json")) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			c.Fatal(err)
		}
		if !l.Bot {
			all = append(all, l)
		}
	}
	return all
}

// counted returns how many full matches a winner's matches count as. An earlier version counts them all.
func (c *club) counted(winner string) (sum float64) {
	c.Helper()
	reader := c.person("reader", v4(9, 9, 9))
	all, err := reader.list("history " + winner + " --limit 500")
	if err != nil && !refused(err) {
		c.Fatal(err)
	}
	for _, m := range all {
		switch {
		case m.Weight != nil:
			sum += m.Weight.First
		case m.Rated:
			sum++
		}
	}
	return sum
}

// farmers returns a player who wants a high rating, and six further accounts of theirs.
func (c *club) farmers() []*person {
	c.Helper()
	all := []*person{c.person("farmer", v4(60, 0, 1))}
	for i := range 6 {
		all = append(all, c.person("alt-"+word(i), v4(60, i+1, 1)))
	}
	return all
}

// farm has accounts lose rated matches, after two moves a side, to the first of them, a number of matches in all or until stop is closed; it
// returns how many. They give up when the club has refused four in a row.
func (c *club) farm(stop <-chan struct{}, people []*person, wins int) int {
	farmer, alts := people[0], people[1:]
	var all count
	together(len(alts)/2, func(n int) { // an account may have a few sessions at a time
		refusals := 0
		farmer.until(stop, 2*wins/len(alts), func(i int) {
			alt := alts[2*n+i%2]
			if refusals == 4 {
				return
			}
			m, err := begin(farmer, alt, "momentum --rated", 2)
			if err == nil {
				_, err = alt.ask("resign " + m.Code)
			}
			switch {
			case err == nil:
				all.one()
				refusals = 0
			case refused(err):
				refusals++
			default:
				c.fail(err)
			}
		})
	})
	return int(all.Load())
}

// establishedPlayers are as many as a rank wants opponents, and one more.
const establishedPlayers = results.RankOpponents + 1

// establish fills a store with players who have been here for long, and have played each other, in passing as often as a rank needs.
func (w *world) establish(data string) {
	w.Helper()
	store, err := storagetest.OpenFile(filepath.Join(data, "ludoteca.db"), schema.Config{Rate: rating.Rate})
	if err != nil {
		w.Fatal(err)
	}
	begun := time.Now().UTC().AddDate(0, 0, -90).Truncate(time.Millisecond)
	var players []storage.Occupant
	for i := range establishedPlayers {
		name := "established-" + word(i)
		p, err := store.Accounts.SignUp(w.Context(), accounts.Player{Name: name, NameKey: name, Since: begun}, "SHA256:"+name)
		if err != nil {
			w.Fatal(err)
		}
		players = append(players, storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: name})
	}
	options := games.Options{"size": 7, "marbles": 8}
	corners := []games.Move{"a1", "g7", "a7", "g1"}
	var pairs [][2]int
	for i := range players {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for day := range w.of(20, 80) {
		moves := slices.Concat(corners[day%4:], corners[:day%4]) // the same match again would not count
		for pair, seats := range pairs {
			at := begun.AddDate(0, 0, day).Add(time.Duration(pair) * time.Hour)
			code := codeOf(day*len(pairs) + pair)
			f := results.Finished{
				Code: code, Game: "momentum", Options: options, First: players[seats[0]], Second: players[seats[1]], Rated: true,
				Result: []string{"first", "second"}[(day+pair)%2], Reason: "resigned", Plies: len(moves), Started: at, Ended: at.Add(time.Minute),
				Course: results.Course{Moves: moves, Times: []time.Time{at, at, at, at}},
			}
			opening := &matches.Opening{Code: code, Game: f.Game, Options: options, Rated: true, First: f.First, Second: f.Second}
			id := storage.MatchID("m" + strings.ToLower(code) + "2")
			events := []matches.Event{{Seq: 1, Version: matches.EventVersion, Kind: matches.Opened, Seat: storage.FirstSeat, At: at, Opening: opening}}
			if err := store.Matches.Append(w.Context(), id, events, matches.Summary{Opening: *opening, Opener: storage.FirstSeat, Opened: at, Started: at, Turn: storage.FirstSeat}); err != nil {
				w.Fatal(err)
			}
			end := []matches.Event{{Seq: 2, Version: matches.EventVersion, Kind: matches.Ended, At: f.Ended, Result: f.Result, Reason: f.Reason}}
			if _, err := store.Matches.Finish(w.Context(), id, end, f, nil); err != nil {
				w.Fatal(err)
			}
		}
	}
	if err := store.Close(); err != nil {
		w.Fatal(err)
	}
}
