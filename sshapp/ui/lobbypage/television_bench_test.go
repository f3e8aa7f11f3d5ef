package lobbypage

import (
	"runtime"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// shownMatch returns two views of a match of Petteia, one a move later than the other.
func shownMatch(b *testing.B) [2]*lobby.View {
	g := uitest.GameOf(b, "petteia")
	o := uitest.OptionsOf(b, "petteia")
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	views := [2]*lobby.View{}
	var moves []games.Move
	for i := range 20 {
		legal := p.Legal()
		moves = append(moves, legal[(7*i)%len(legal)])
		if p, err = p.Play(moves[i]); err != nil {
			b.Fatal(err)
		}
		views[i%2] = &lobby.View{Seq: uint64(i), Moves: moves[:i+1], Position: p, Summary: match.Summary{Ref: lobby.Ref{ID: "m1"}, Game: g, Options: o, Started: uitest.Noon,
			Seats: [2]storage.Occupant{uitest.Person("p5", "rui"), uitest.Person("p6", "joão")}, Strength: [2]lobby.Strength{uitest.Known(1702), uitest.Known(1650)}}}
	}
	return views
}

// lobbyOf returns a lobby with some lists in a window of a size, with the television off.
func lobbyOf(b *testing.B, w, h int) lobbyScreen {
	a := ui.NewApp(b.Context(), ui.Config{Lobby: uitest.FullLobby().Services(), Who: uitest.Ana, Term: "xterm-256color", Now: func() time.Time { return uitest.Noon },
		Settings: accounts.Settings{TelevisionOff: true}, Pages: screen.Pages{Lobby: New}})
	a.Init()
	a.Update(tea.WindowSizeMsg{Width: w, Height: h})
	lists, yours := uitest.SomeLists()
	a.Update(screen.ListsMsg{Lists: lists, Yours: yours})
	return a.Top().(lobbyScreen)
}

// switchOn puts a match on the television of a lobby.
func switchOn(b *testing.B, s lobbyScreen, v *lobby.View) lobbyScreen {
	s.tv, _ = s.tv.switched(true)
	scene, err := boardpage.SceneOf(v, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	next, _ := s.Update(televisionMsg{number: s.tv.number, view: v, scene: scene})
	return next.(lobbyScreen)
}

// BenchmarkTelevisionMove takes a move and draws the lobby, with the television and without: what a move costs each session.
func BenchmarkTelevisionMove(b *testing.B) {
	views := shownMatch(b)
	for _, on := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[on], func(b *testing.B) {
			s := lobbyOf(b, 120, 40)
			if on {
				s = switchOn(b, s, views[0])
			}
			c := canvas.New(120, 38)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if on {
					old, v := views[i%2], views[(i+1)%2]
					scene, err := boardpage.SceneOf(v, old, s.tv.scene)
					if err != nil {
						b.Fatal(err)
					}
					next, _ := s.Update(televisionMsg{number: s.tv.number, view: v, scene: scene})
					s = next.(lobbyScreen)
				}
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}

// BenchmarkTelevisionMemory measures the heap memory of a session's television while it shows a match.
func BenchmarkTelevisionMemory(b *testing.B) {
	const sessions = 1000
	views, s := shownMatch(b), lobbyOf(b, 120, 40)
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		all := make([]lobbyScreen, sessions)
		before := live()
		for i := range all {
			v := *views[0] // as Television hides the code
			all[i] = switchOn(b, s, &v)
		}
		b.ReportMetric(float64(live()-before)/sessions, "B/session")
		runtime.KeepAlive(all)
	}
}
