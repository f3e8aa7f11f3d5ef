package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// seasonal is a store with seasons of its own, of 4Mation.
type seasonal struct {
	*faulty
	rows  map[results.Season][]results.SeasonStanding
	asked int
}

func (s *seasonal) SeasonStandings(_ context.Context, season results.Season, game string) ([]results.SeasonStanding, error) {
	s.asked++
	if game != "fourmation" {
		return nil, nil
	}
	return s.rows[season], nil
}

func (s *seasonal) Ratings(_ context.Context, id storage.PlayerID, games []string, seasons ...results.Season) (results.PlayerRatings, error) {
	found := map[results.SeasonKey]results.SeasonRecord{}
	for _, season := range seasons {
		for _, row := range s.rows[season] {
			if row.Player == id && slices.Contains(games, "fourmation") {
				found[results.SeasonKey{Season: season, Game: "fourmation", Player: id}] = row.Record
			}
		}
	}
	return results.PlayerRatings{Seasons: found}, nil
}

// TestSeasons: the leaderboard of a season goes by the best rating in it; a badge is for the first three of a season that has ended, of five ranked
// players at least.
func TestSeasons(t *testing.T) {
	bubble(t, func(t *testing.T) { // it is 2000-01-01
		if results.SeasonDeviation != rating.ProvisionalAbove {
			t.Errorf("a season takes ratings up to a deviation of %v, and those above %v are provisional", results.SeasonDeviation, rating.ProvisionalAbove)
		}
		store := &seasonal{faulty: newFaulty(), rows: map[results.Season][]results.SeasonStanding{}}
		l, err := lobby.New(t.Context(), store, lobby.Config{Games: []games.Game{fourmation.New(), petteia.New()}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var ids []storage.PlayerID
		for i := range 7 {
			u, err := l.Accounts.SignUp(t.Context(), fmt.Sprint("SHA256:", i), fmt.Sprint("player", i))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, u.Player())
		}
		row := func(i int, best float64, played int) results.SeasonStanding {
			return results.SeasonStanding{Player: ids[i], Name: fmt.Sprint("player", i), Record: results.SeasonRecord{
				Best: best, Rating: 1500, RD: 60, Before: [4]int{10, 5, 3, 2}, After: [4]int{10 + played, 5 + played, 3, 2},
			}}
		}
		store.rows["1999Q4"] = []results.SeasonStanding{row(3, 1900, 4), row(0, 1800, 5), row(2, 1700, 9), row(1, 1650, 7), row(4, 1600, 5), row(5, 1550, 6), row(6, 0, 9)}
		store.rows["1999Q3"] = []results.SeasonStanding{row(1, 1800, 5), row(2, 1700, 9), row(3, 1650, 7), row(4, 1600, 5)} // four are too few
		store.rows["2000Q1"] = store.rows["1999Q4"]                                                                         // it goes on
		store.rows["1998Q3"] = store.rows["1999Q4"]                                                                         // too long ago
		lines, err := l.Standings.Season(t.Context(), "4mation", "1999Q4")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range lines {
			got = append(got, fmt.Sprintf("%d %s %v %d %d %v %v", line.Rank, line.Name, line.Best, line.Played, line.Won, line.Rating, line.Provisional))
		}
		want := "[1 player0 1800 5 5 1500 false 2 player2 1700 9 9 1500 false 3 player1 1650 7 7 1500 false 4 player4 1600 5 5 1500 false 5 player5 1550 6 6 1500 false " +
			"0 player3 1900 4 4 1500 false 0 player6 0 9 9 1500 true]"
		if fmt.Sprint(got) != want {
			t.Errorf("the season is\n%v, want\n%s", got, want)
		}
		asked := store.asked
		for range 3 {
			if _, err := l.Standings.Season(t.Context(), "fourmation", "1999Q4"); err != nil || store.asked != asked {
				t.Errorf("the store is asked again for a young leaderboard: %v", err)
			}
		}
		time.Sleep(standings.BoardAge)
		if _, err := l.Standings.Season(t.Context(), "fourmation", "1999Q4"); err != nil || store.asked != asked+1 {
			t.Errorf("the store is asked %d times, want one more: %v", store.asked-asked, err)
		}
		for _, season := range []results.Season{"2000Q2", "1980Q1"} {
			if lines, err := l.Standings.Season(t.Context(), "fourmation", season); len(lines) > 0 || err != nil || store.asked != asked+1 {
				t.Errorf("%s has %v, %v", season, lines, err)
			}
		}
		if _, err := l.Standings.Season(t.Context(), "chess", "1999Q4"); !errors.Is(err, lobby.ErrNoSuchGame) {
			t.Errorf("a season of chess: %v", err)
		}
		for i, want := range []string{"[{fourmation 1999Q4 1}]", "[{fourmation 1999Q4 3}]", "[{fourmation 1999Q4 2}]", "[]", "[]", "[]", "[]"} {
			p, err := l.Standings.Profile(t.Context(), lobby.User{}, fmt.Sprint("player", i))
			if got := fmt.Sprint(p.Badges); err != nil || got != want {
				t.Errorf("player%d has the badges %s, %v, want %s", i, got, err, want)
			}
		}
	})
}
