package people

import (
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

func TestWatchFollowsItsMatch(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		running := func(ids ...string) *lobby.Lists {
			l := &lobby.Lists{Seq: 1}
			for _, id := range ids {
				l.Running = append(l.Running, lobby.Running{Ref: lobby.Ref{ID: storage.MatchID(id)}, Game: "petteia",
					Seats: [2]storage.Occupant{uitest.Person(id, "player-"+id), uitest.Greedy}})
			}
			return l
		}
		s.Lists(running("a", "b", "c"), lobby.Yours{})
		s.GoTo("Watch a match")
		s.Keys("down")
		s.Sees("> Petteia    player-b")
		s.Lists(running("d", "a", "b", "c"), lobby.Yours{})
		s.Sees("> Petteia    player-b", "player-d")
		s.Lists(running("d", "a", "c"), lobby.Yours{})
		s.Sees("> Petteia    player-c")
		s.Keys("end", "enter")
		s.Sees("First player", "Second player")
	})
}
