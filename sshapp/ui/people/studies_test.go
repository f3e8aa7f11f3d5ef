package people

import (
	"testing"
	"testing/synctest"

	"ludoteca/lobby"
	"ludoteca/lobby/studies"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
)

// TestStudies: the key s in the own history lists the records from elsewhere, and enter looks through one.
func TestStudies(t *testing.T) {
	club := uitest.FullLobby()
	club.Records = []studies.Study{
		{ID: "aaaaaaa2", Game: "momentum", First: "Zé\u202e", Second: "李", Result: "1/2-1/2", Plies: 1, At: uitest.Noon},
		{ID: "aaaaaaa3", Game: "chess", First: "an-elsewhere-long-name-of-a-player", Second: "another-elsewhere-long-name", Result: "*", Plies: 31, At: uitest.Noon.AddDate(0, 0, -1)},
	}
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, size[0], size[1], ui.Config{Lobby: club.Services(), Who: uitest.Ana})
			s.GoTo("History")
			s.Keys("s")
			s.OnScreen("people.studyList")
			s.Sees("Ludoteca · your studies", "2 studies", "Zé - 李", "1/2-1/2", "chess")
			if size[0] == 80 {
				s.Sees("2026-08-01 Momentum", "1 move", "31 moves")
			}
			s.Keys("down", "enter")
			s.OnScreen("review.reviewScreen")
		})
	}
}

// TestStudiesChange: the list is read again when the player comes back to it, and says how to import a record while it is empty.
func TestStudiesChange(t *testing.T) {
	club := uitest.FullLobby()
	walk(t, ui.Config{Lobby: club.Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		s.GoTo("History")
		s.Keys("s")
		s.Sees("0 studies", "You have no studies. To import a record: ssh HOST import < record.txt")
		s.Keys("enter")
		s.OnScreen("people.studyList")
		club.Mu.Lock()
		club.Records = []studies.Study{{ID: "aaaaaaa2", Game: "momentum", First: "Zé", Second: "李", Result: "1-0", Plies: 1, At: uitest.Noon}}
		club.Mu.Unlock()
		s.Keys("?", "esc")
		s.Sees("1 study", "Zé - 李")
		club.Mu.Lock()
		club.Err = lobby.ErrBusy
		club.Mu.Unlock()
		s.Keys("?", "esc")
		s.Sees("Zé - 李", "The club can't write just now")
	})
}

// TestOnlyOwnHistoriesHaveStudies: a guest has none, and the history of another player doesn't lead to any.
func TestOnlyOwnHistoriesHaveStudies(t *testing.T) {
	club := uitest.FullLobby()
	for who, name := range map[lobby.User]string{uitest.Guest: uitest.Guest.Name, uitest.Ana: "rui"} {
		walk(t, ui.Config{Lobby: club.Services(), Who: who}, func(t *testing.T, s *uitest.Session) {
			s.Answer(screen.PushMsg{To: NewHistory(s.App.Env(), name)})
			s.OnScreen("people.history")
			s.Misses("studies")
			s.Keys("s")
			s.OnScreen("people.history")
		})
	}
}
