package people

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"ludoteca/lobby/standings"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

func TestHistory(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("History")
		s.Keys("right", "tab", "tab")
		goOn(s, club, standings.HistoryQuery{Name: "ana", Limit: historyPage}, standings.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage},
			standings.HistoryQuery{Game: "momentum", Limit: historyPage}, standings.HistoryQuery{Name: "ana", Game: "momentum", Limit: historyPage})
		s.Keys("enter")
		s.OnScreen("review.reviewScreen")
	})
}

// TestHistoryOfAGuest: nothing is stored under a guest's name, so a guest sees the matches of all players, also where a player has the same
// name, and has nothing to switch to. Of a player whose profile a guest opens, the guest sees that player's.
func TestHistoryOfAGuest(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Guest}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("History")
		s.Sees("everybody", "left right game")
		s.Misses("one or everybody")
		s.Keys("tab", "right")
		goOn(s, club, standings.HistoryQuery{Limit: historyPage}, standings.HistoryQuery{Game: "momentum", Limit: historyPage})
		club.Queries = nil
		s.Answer(screen.PushMsg{To: NewHistory(s.App.Env(), "ana")})
		s.Sees("one or everybody")
		goOn(s, club, standings.HistoryQuery{Name: "ana", Limit: historyPage})
	})
}

func goOn(s *uitest.Session, club *uitest.FakeLobby, want ...standings.HistoryQuery) {
	s.T.Helper()
	if diff := cmp.Diff(want, club.Queries); diff != "" {
		s.T.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestHistoryGoesOn loads more when the end comes near, once, and keeps the cursor.
func TestHistoryGoesOn(t *testing.T) {
	club := uitest.FullLobby()
	club.Cursor = results.Cursor{Ended: uitest.Noon, ID: "f29"}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		club.Finished[29].Plies = 1
		s.GoTo("History")
		for i := range club.Finished {
			club.Finished[i].Plies = 100 + i
		}
		next := club.Cursor
		club.Cursor = results.Cursor{}
		s.Keys("end", "down")
		goOn(s, club, standings.HistoryQuery{Name: "ana", Limit: historyPage}, standings.HistoryQuery{Name: "ana", Limit: historyPage, Before: next})
		s.Sees("100 moves", " 1 move\n")
	})
}

// TestOneHistoryQueryAtATime changes the choice again and again before an answer comes: what is asked for then is the last choice.
func TestOneHistoryQueryAtATime(t *testing.T) {
	s := NewHistory(&screen.Env{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, "ana").(history)
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
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("History")
		s.Keys("right")
		s.Answer(finishedMsg{number: 1, rows: []results.Finished{{Game: "tanks", Plies: 4711}}})
		s.Misses("4711")
	})
}

// TestNarrowHistory: in the smallest window, names don't run into the result, and help taken has no room.
func TestNarrowHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club := uitest.FullLobby()
		club.Finished[0].Second, club.Finished[0].Result = uitest.Person("p9", "a-rather-long-name-20"), ""
		club.Finished[0].Helped = results.Help{Hints: 1}
		s := begin(t, 40, 20, ui.Config{Lobby: club.Services(), Who: uitest.Ana, Settings: accounts.Settings{Language: "de"}})
		s.GoTo("History")
		s.Sees("Verlauf", "… nichtig")
		s.Misses(", …")
	})
}

func TestHistoryShowsClocks(t *testing.T) {
	club := uitest.FullLobby()
	club.Finished[0].Clock, club.Finished[0].Helped = "5+3", results.Help{Hints: 1}
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("History")
		s.Sees("ana - Greedy (bot), 5+3, with help")
	})
}
