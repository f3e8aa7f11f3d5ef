package ui

import (
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
)

func TestLeaderboard(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Leaderboard")
		s.sees(">    8 ana", "player9")
		s.keys("end")
		s.sees("? player30", "1523?")
		s.send(answer{s.app.stack[1].id, linesMsg{game: 3, lines: []lobby.Line{{Name: "stale"}}}})
		s.misses("stale")
		s.keys("enter")
		s.sees("since 2025-08-01", "4Mation")
		s.keys("enter")
		s.onScreen(history{})
	})
}

// TestOneLeaderboardQueryAtATime goes from game to game before an answer comes.
func TestOneLeaderboardQueryAtATime(t *testing.T) {
	s := newLeaderboard(&env{lobby: &fakeLobby{}, who: ana}).(leaderboard)
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
	walk(t, Config{Lobby: &fakeLobby{err: errors.New("bbolt: page 7")}, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Leaderboard")
		s.sees("Something went wrong here")
		s.misses("bbolt")
	})
}
