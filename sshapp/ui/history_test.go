package ui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby"
	"ludoteca/storage"
)

func TestHistory(t *testing.T) {
	club := fullLobby()
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		s.keys("right", "tab", "tab")
		s.goOn(club, lobby.HistoryQuery{Name: "ana", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage},
			lobby.HistoryQuery{Game: "momentum", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage})
		s.keys("enter")
		s.onScreen(newReview(s.app.env, "f0"))
	})
}

func (s *session) goOn(club *fakeLobby, want ...lobby.HistoryQuery) {
	s.t.Helper()
	if diff := cmp.Diff(want, club.queries); diff != "" {
		s.t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestHistoryGoesOn loads more when the end comes near, once, and keeps the cursor.
func TestHistoryGoesOn(t *testing.T) {
	club := fullLobby()
	club.next = storage.Cursor{Ended: noon, ID: "f29"}
	walk(t, Config{Lobby: club, Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		for i := range club.finished {
			club.finished[i].Plies = 100 + i
		}
		next := club.next
		club.next = storage.Cursor{}
		s.keys("end", "down")
		s.goOn(club, lobby.HistoryQuery{Name: "ana", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Limit: historyPage, Before: next})
		s.sees("100 moves")
	})
}

func TestOldHistoryAnswersAreIgnored(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		s.goTo("History")
		id := s.app.stack[1].id
		s.keys("right")
		s.send(answer{id, finishedMsg{number: 1, rows: []storage.Finished{{Game: "tanks", Plies: 4711}}}})
		s.misses("4711")
	})
}
