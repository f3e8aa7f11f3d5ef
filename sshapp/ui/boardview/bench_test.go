package boardview

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// BenchmarkDraw draws each game in the room that an 80x24 window has for its board, with colours.
func BenchmarkDraw(b *testing.B) {
	look := &Look{}
	for ink := range Roles {
		look.On[ink], look.Off[ink] = "\x1b[38;2;100;110;120m", "\x1b[m"
	}
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) {
			s := start(b, g.About().ID, nil).random(b, 8, 2).scene()
			st := State{Selection: s.Start(games.First), Yours: true}
			b.ReportAllocs()
			for b.Loop() {
				s.Draw(look, s.Fit(53, 20, st), st)
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
