package people

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/learning"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

func TestPlot(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		cells  int
		ascii  bool
		want   string
	}{
		{"none", nil, 10, false, ""},
		{"no room", []float64{1, 2}, 0, false, ""},
		{"up and down", []float64{1500, 1600, 1700, 1500}, 10, false, "▁▅█▁"},
		{"in ASCII", []float64{1500, 1600, 1700, 1500}, 10, true, "_+#_"},
		{"always the same", []float64{1500, 1500}, 10, false, "▅▅"},
		{"more values than cells", []float64{1, 2, 3, 4, 5, 6, 7, 8}, 4, true, ".=*#"},
	} {
		if got := plot(tt.values, tt.cells, tt.ascii); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestProfile: how the ratings have gone, the score by side and against the user, and the share of matches finished.
func TestProfile(t *testing.T) {
	club := uitest.FullLobby()
	game := club.Player.Games[0].Game
	for i, r := range []float64{1500, 1600, 1700} {
		club.Past.Ratings = append(club.Past.Ratings, results.RatingPoint{At: uitest.Noon.Add(time.Duration(i) * time.Hour), Game: game, Rating: r})
	}
	sides := results.BySide{First: results.Score{Won: 3, Lost: 1}, Second: results.Score{Drawn: 2}}
	club.Past.Sides = []standings.GameSides{{Game: game, BySide: sides}}
	club.Past.Against = &results.Score{Won: 2, Drawn: 1, Lost: 4}
	club.Past.Started, club.Past.Finished = 20, 19
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Keys("enter")
		s.Sees("▁▅█  1500-1700", "+3 =0 -1 playing first, +0 =2 -0 playing second", "Against you: 2 won, 1 drawn, 4 lost", "Finishes 95% of matches")
	})
}

// TestNarrowProfile: in the smallest window, the scores of both sides are there in every language, on two lines where one is too short.
func TestNarrowProfile(t *testing.T) {
	for _, language := range []string{"en", "de", "pt"} {
		synctest.Test(t, func(t *testing.T) {
			club := uitest.FullLobby()
			sides := results.BySide{First: results.Score{Won: 3, Lost: 1}, Second: results.Score{Drawn: 2}}
			club.Past.Sides = []standings.GameSides{{Game: club.Player.Games[0].Game, BySide: sides}}
			s := begin(t, 40, 20, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: language}})
			s.GoTo("Leaderboard")
			s.Keys("enter")
			s.Sees("+3 =0", "=2")
		})
	}
}

// TestOwnLine: the user's own line comes last where it is further down, with its rank, and the cursor is on it.
func TestOwnLine(t *testing.T) {
	club := uitest.FullLobby()
	who := uitest.Ana
	who.Name = "faraway"
	club.Own = &standings.Line{Rank: 512, Name: "faraway", Standing: standings.Standing{Rating: 1201, Ranked: true}}
	walk(t, ui.Config{Lobby: club.Services(), Who: who}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Sees(">  512 faraway")
	})
}

// TestPracticeInProfile: the practice rating, how it has gone and how many matches counted, also in the smallest window and without a rated match.
func TestPracticeInProfile(t *testing.T) {
	club := uitest.FullLobby()
	game := club.Player.Games[0].Game
	club.Player.Games = nil
	standing := learning.PracticeStanding{Estimate: rating.Estimate{Rating: 1311.6, Deviation: 90}, Played: 124}
	for _, after := range []float64{1000, 1200, 1400, 1300} {
		standing.Points = append(standing.Points, learning.PracticePoint{After: after})
	}
	club.Practised = learning.PracticeStandings{game: standing}
	for _, size := range [][2]int{{80, 24}, {40, 20}, {200, 50}} {
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, size[0], size[1], ui.Config{Lobby: club.Services(), Who: uitest.Ana})
			s.GoTo("Leaderboard")
			s.Keys("enter")
			s.Sees("practice against the computer", "▁▅█▆  1312")
			t.Logf("\n%s", s.Page())
		})
	}
}

// TestVacationOfPlayers: the list of players here and the profile say until when a player is on vacation; the remark of a narrow window has what its
// line cuts.
func TestVacationOfPlayers(t *testing.T) {
	for _, width := range []int{80, 40} {
		club := uitest.FullLobby()
		club.Here = crowd(1, "bia", "rui", "eva?")
		club.Away = map[storage.PlayerID]time.Time{"rui": uitest.Noon.Add(50 * time.Hour), "eva": uitest.Noon.Add(time.Hour), club.Player.ID: uitest.Noon.Add(50 * time.Hour)}
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, width, 24, ui.Config{Lobby: club.Services(), Who: uitest.Ana})
			s.Lists(uitest.SomeLists())
			s.GoTo("Players here")
			s.Keys("down")
			day := uitest.Noon.Add(50 * time.Hour).UTC().Format(time.DateOnly)
			page := strings.Join(strings.Fields(s.Page()), " ")
			if !strings.Contains(page, "lobby, on vacation until "+day) || strings.Count(page, day) != 1 {
				t.Errorf("at %d cells the list is\n%s", width, s.Page())
			}
			s.Keys("p")
			if page := strings.Join(strings.Fields(s.Page()), " "); !strings.Contains(page, "is on vacation until "+day+" ") {
				t.Errorf("at %d cells the profile is\n%s", width, s.Page())
			}
		})
	}
}
