package people

import (
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
)

func TestWatchFollowsItsMatch(t *testing.T) {
	walk(t, ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana}, func(t *testing.T, s *uitest.Session) {
		running := func(ids ...string) *lists.Lists {
			l := &lists.Lists{Seq: 1}
			for _, id := range ids {
				l.Running = append(l.Running, lists.Running{Ref: lobby.Ref{ID: storage.MatchID(id)}, Game: "petteia",
					Seats: [2]storage.Occupant{uitest.Person(id, "player-"+id), uitest.Greedy}})
			}
			return l
		}
		s.Lists(running("a", "b", "c"), lists.Yours{})
		s.GoTo("Watch a match")
		s.Keys("down")
		s.Sees("> Petteia    player-b")
		s.Lists(running("d", "a", "b", "c"), lists.Yours{})
		s.Sees("> Petteia    player-b", "player-d")
		s.Lists(running("d", "a", "c"), lists.Yours{})
		s.Sees("> Petteia    player-c")
		s.Keys("end", "enter")
		s.Sees("First player", "Second player")
	})
}

func TestWatchListShowsClocks(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		synctest.Test(t, func(t *testing.T) {
			s := begin(t, size[0], size[1], ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana})
			s.GoTo("Watch a match")
			s.Lists(&lists.Lists{Seq: 1, Running: []lists.Running{
				{Ref: lobby.Ref{ID: "a"}, Game: "petteia", Ply: 7, Seats: [2]storage.Occupant{uitest.Person("a", "ana"), uitest.Greedy}, Clock: uitest.ClockOfTest("15+10")},
				{Ref: lobby.Ref{ID: "c"}, Game: "petteia", Ply: 9, Seats: [2]storage.Occupant{uitest.Person("c", "eva"), uitest.Greedy}, Clock: uitest.ClockOfTest("3d"), Stands: uitest.Noon.Add(time.Hour)},
				{Ref: lobby.Ref{ID: "d"}, Game: "petteia", Ply: 10, Seats: [2]storage.Occupant{uitest.Person("d", "zé"), uitest.Greedy}, Clock: uitest.ClockOfTest("3d"), Stands: uitest.Noon},
				{Ref: lobby.Ref{ID: "b"}, Game: "petteia", Ply: 8, Seats: [2]storage.Occupant{uitest.Person("b", "bia"), uitest.Greedy}},
			}}, lists.Yours{})
			s.Sees("15+10       move 7", "    move 8", "3 d       paused", "3 d      move 10")
			s.Misses("move 9")
		})
	}
}
