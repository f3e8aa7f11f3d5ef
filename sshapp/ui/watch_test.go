package ui

import (
	"testing"

	"ludoteca/lobby"
	"ludoteca/storage"
)

func TestWatchFollowsItsMatch(t *testing.T) {
	walk(t, Config{Lobby: fullLobby(), Who: ana}, func(t *testing.T, s *session) {
		running := func(ids ...string) *lobby.Lists {
			l := &lobby.Lists{Seq: 1}
			for _, id := range ids {
				l.Running = append(l.Running, lobby.Running{Ref: lobby.Ref{ID: storage.MatchID(id)}, Game: "petteia",
					Seats: [2]storage.Occupant{person(id, "player-"+id), greedy}})
			}
			return l
		}
		s.lists(running("a", "b", "c"), lobby.Yours{})
		s.goTo("Watch a match")
		s.keys("down")
		s.sees("> Petteia    player-b")
		s.lists(running("d", "a", "b", "c"), lobby.Yours{})
		s.sees("> Petteia    player-b", "player-d")
		s.lists(running("d", "a", "c"), lobby.Yours{})
		s.sees("> Petteia    player-c")
		s.keys("end", "enter")
		s.onScreen(setup{})
		s.sees("First player", "Second player")
	})
}
