package boardview

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/terminal/canvas"
)

// BenchmarkDraw draws each game in the room that an 80x24 window has for its board, with colours.
func BenchmarkDraw(b *testing.B) {
	theme := &Theme{}
	c := canvas.New(53, 20)
	for role := range Roles {
		theme.Styles[role].Fg = canvas.RGB(100, 110, uint8(role))
	}
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := start(b, g.About().ID, nil).random(b, 8, 2).scene()
			st := State{Selection: s.Start(games.First), Yours: true}
			b.ReportAllocs()
			for b.Loop() {
				c.Clear()
				s.Draw(c, c.Bounds(), theme, s.Fit(53, 20, st), st)
			}
		})
	}
}

// BenchmarkScene prepares a position, once a move.
func BenchmarkScene(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			m := start(b, g.About().ID, nil).random(b, 8, 2)
			b.ReportAllocs()
			for b.Loop() {
				m.scene()
			}
		})
	}
}
