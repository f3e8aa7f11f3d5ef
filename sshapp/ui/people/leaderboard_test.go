package people

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/learning"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/results"
)

func TestLeaderboard(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Sees(">    8 ana", "player9")
		s.Keys("end")
		s.Sees("? player30", "1523?")
		s.Answer(linesMsg{game: 3, lines: []standings.Line{{Name: "stale"}}})
		s.Misses("stale")
		s.Keys("enter")
		s.Sees("since 2025-08-01", "4Mation")
		s.Keys("enter")
		s.OnScreen("people.history")
	})
}

// TestLeaderboardOfSeasons: the key s shows the season that goes on, the one before, and all time again.
func TestLeaderboardOfSeasons(t *testing.T) {
	club := uitest.FullLobby()
	club.SeasonLines = []standings.Line{{Rank: 1, Name: "ida", Best: 1733.6, Standing: standings.Standing{Rating: 1601, Played: 8, Won: 5, Lost: 3}}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		now := results.SeasonOf(uitest.Noon)
		s.GoTo("Leaderboard")
		s.Keys("s")
		s.Sees("leaderboard · "+string(now), "best", "1 ida", "1734")
		s.Misses("player9", "1601")
		s.Keys("s")
		s.Sees("leaderboard · " + string(now.Before()))
		s.Keys("p")
		s.Sees("leaderboard · puzzles")
		s.Keys("p")
		s.Sees("player9")
		club.SeasonLines = nil
		s.Keys("s")
		s.Sees("Nobody has played a rated match in " + string(now))
	})
}

// TestLeaderboardOfPuzzles: the key p shows the ratings in puzzles, and those in matches again.
func TestLeaderboardOfPuzzles(t *testing.T) {
	club := uitest.FullLobby()
	ida := learning.PuzzleLeader{Name: "ida", PuzzleStanding: learning.PuzzleStanding{Tried: 64, Solved: 40}}
	ida.Rating = 1733.6
	club.Solvers = []learning.PuzzleLeader{ida, {Name: "ana", PuzzleStanding: learning.PuzzleStanding{Tried: 51, Solved: 17}}}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Keys("p")
		s.Sees("leaderboard · puzzles", "1 ida", "1734", "64", "40", ">    2 ana", "51", "17", "tried", "solved", "p matches")
		s.Misses("player9", "drawn")
		uitest.Golden(t, "leaderboard-puzzles-80x24", s.Page())
		s.Keys("p")
		s.Sees("player9", "drawn", "p puzzles")
		club.Solvers = nil
		s.Keys("p")
		s.Sees("Nobody has tried 50 puzzles yet.")
	})
}

// TestOneLeaderboardQueryAtATime goes from game to game before an answer comes.
func TestOneLeaderboardQueryAtATime(t *testing.T) {
	s := NewLeaderboard(&screen.Env{Lobby: (&uitest.FakeLobby{}).Services(), Who: uitest.Ana}).(leaderboard)
	for range 10 {
		var cmd tea.Cmd
		if s, cmd = s.changeGame(tea.KeyPressMsg{Code: tea.KeyRight}); cmd != nil {
			t.Error("another query while one is under way")
		}
	}
	next, cmd := s.Update(linesMsg{game: s.game + 1})
	if cmd == nil || next.(leaderboard).loaded {
		t.Error("the answer about another game is taken, or the chosen one isn't asked for")
	}
	if next, _ = next.Update(linesMsg{game: s.game}); !next.(leaderboard).loaded {
		t.Error("the answer about the chosen game isn't taken")
	}
}

func TestLeaderboardFails(t *testing.T) {
	walk(t, ui.Config{Lobby: (&uitest.FakeLobby{Err: errors.New("bbolt: page 7")}).Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("Leaderboard")
		s.Sees("Something went wrong here")
		s.Misses("bbolt")
	})
}
