package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// playing is a table in the middle of a match.
func playing(b testing.TB, g games.Game, w, h int) matchScreen {
	b.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	v := &lobby.View{Game: g, Options: o, Seats: [2]storage.Occupant{ana.Occupant(), person("p6", "rui")},
		Strength: [2]lobby.Strength{known(1523), known(1490)}, Opened: noon, Started: noon}
	v.Code = "K7QM2X"
	r := games.NewRandom(2)
	var before games.Position
	for range 8 {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		before = p
		v.Moves = append(v.Moves, m)
		if p, err = p.Play(m); err != nil {
			b.Fatal(err)
		}
	}
	v.Position, v.Turn = p, p.Turn()
	a := NewApp(b.Context(), Config{Club: fullClub(), Who: ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
	s := newMatch(a.env, "m1").(matchScreen)
	s.size = tea.WindowSizeMsg{Width: w, Height: h}
	s.view, s.scene = v, boardview.New(p, before, v.Moves[len(v.Moves)-1])
	s.input.sel = s.scene.Start(games.First)
	return s
}

// BenchmarkTableView draws the body of each board at 80x24.
func BenchmarkTableView(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := playing(b, g, 80, 22)
			c := canvas.New(80, 22)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}

// BenchmarkBoardPage draws the whole window.
func BenchmarkBoardPage(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := playing(b, g, 80, 22)
			a := NewApp(b.Context(), Config{Club: fullClub(), Who: ana, Term: "xterm-256color", Environ: []string{"COLORTERM=truecolor"}})
			s.env = a.env
			a.stack = []slot{{1, newLobby(a.env)}, {2, s}}
			c := canvas.New(80, 24)
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				a.Draw(c)
			}
		})
	}
}

// BenchmarkTableKey moves the cursor and draws.
func BenchmarkTableKey(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			var s screen = playing(b, g, 80, 22)
			c := canvas.New(80, 22)
			keys := []tea.KeyPressMsg{{Code: tea.KeyLeft}, {Code: tea.KeyRight}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s, _ = s.Update(keys[i%2])
				c.Clear()
				s.Draw(c, c.Bounds())
			}
		})
	}
}
