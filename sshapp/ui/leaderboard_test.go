package ui

import (
	"errors"
	"testing"

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

func TestLeaderboardFails(t *testing.T) {
	walk(t, Config{Lobby: &fakeLobby{err: errors.New("bbolt: page 7")}, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("Leaderboard")
		s.sees("Something went wrong here")
		s.misses("bbolt")
	})
}
