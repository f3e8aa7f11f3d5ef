package ui

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
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
		s.onScreen(newReview(s.app.env, lobby.Ref{ID: "f0"}))
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
		club.finished[29].Plies = 1
		s.goTo("History")
		for i := range club.finished {
			club.finished[i].Plies = 100 + i
		}
		next := club.next
		club.next = storage.Cursor{}
		s.keys("end", "down")
		s.goOn(club, lobby.HistoryQuery{Name: "ana", Limit: historyPage}, lobby.HistoryQuery{Name: "ana", Limit: historyPage, Before: next})
		s.sees("100 moves", " 1 move\n")
	})
}

// TestOneHistoryQueryAtATime changes the choice again and again before an answer comes: what is asked for then is the last choice.
func TestOneHistoryQueryAtATime(t *testing.T) {
	s := newHistory(&env{lobby: fullLobby(), who: ana}, "ana").(history)
	asked := 0
	press := func(change func(history) (history, tea.Cmd)) {
		var cmd tea.Cmd
		if s, cmd = change(s); cmd != nil {
			asked++
		}
	}
	for range 10 {
		press(history.changePlayer)
		press(func(s history) (history, tea.Cmd) { return s.changeGame(tea.KeyPressMsg{Code: tea.KeyRight}) })
	}
	if asked != 0 {
		t.Errorf("%d more queries while one was under way", asked)
	}
	press(func(s history) (history, tea.Cmd) { return s.update(finishedMsg{number: 1}) })
	if asked != 1 || s.loaded {
		t.Errorf("after the first answer: %d queries", asked)
	}
	press(func(s history) (history, tea.Cmd) { return s.update(finishedMsg{number: s.asked}) })
	if asked != 1 || !s.loaded {
		t.Errorf("after the last answer: %d queries", asked)
	}
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

// TestNarrowHistory: in the smallest window, names don't run into the result, and help taken has no room.
func TestNarrowHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := fullLobby()
		club.finished[0].Second, club.finished[0].Result = person("p9", "a-rather-long-name-20"), "second"
		club.finished[0].Helped = storage.Help{Hints: 1}
		s := begin(t, 40, 20, Config{Lobby: club, Who: ana, Settings: storage.Settings{Language: "de"}})
		s.keys("end", "up", "up", "enter")
		s.sees("Verlauf", "… verl.")
		s.misses(", …")
	})
}
