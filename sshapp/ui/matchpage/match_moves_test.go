package matchpage

import (
	"fmt"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/uitest"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// A moveMethod is a way to make a move at the present board.
type moveMethod struct {
	name string
	do   func(s *uitest.Session, m games.Move)
}

var moveMethods = []moveMethod{
	{"typing", func(s *uitest.Session, m games.Move) { s.Keys(string(m), "enter") }},
	{"keys", pressMove},
	{"clicks", clickMove},
}

// A selectionStep is one thing that can be done with a selection, and what comes of it.
type selectionStep struct {
	do   func(s *uitest.Session)
	from int // the step before, -1 at the start
	sel  boardview.Selection
}

// search finds the shortest way from the present selection to a move, among the steps that next yields, and goes it.
func search(s *uitest.Session, m games.Move, next func(sel boardview.Selection, try func(do func(*uitest.Session), sel boardview.Selection, m games.Move))) {
	s.T.Helper()
	steps := []selectionStep{{from: -1, sel: boardOf(s).Input.Sel}}
	seen := map[boardview.Selection]bool{steps[0].sel: true}
	for i := 0; i < len(steps); i++ {
		found := false
		next(steps[i].sel, func(do func(*uitest.Session), sel boardview.Selection, made games.Move) {
			if found {
				return
			}
			if found = made == m; found || made == "" && !seen[sel] {
				seen[sel] = true
				steps = append(steps, selectionStep{do, i, sel})
			}
		})
		if !found {
			continue
		}
		var path []func(*uitest.Session)
		for at := len(steps) - 1; at > 0; at = steps[at].from {
			path = append(path, steps[at].do)
		}
		for k := len(path) - 1; k >= 0; k-- {
			path[k](s)
		}
		return
	}
	s.T.Fatalf("no way to %s:\n%s", m, s.Page())
}

// pressMove makes a move with arrows and enter.
func pressMove(s *uitest.Session, m games.Move) {
	s.T.Helper()
	b := boardOf(s)
	arrows := map[string][2]int{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}
	search(s, m, func(sel boardview.Selection, try func(func(*uitest.Session), boardview.Selection, games.Move)) {
		next, made, err := b.Scene.Choose(sel)
		if err == nil {
			try(func(s *uitest.Session) { s.Keys("enter") }, next, made)
		}
		for key, d := range arrows {
			try(func(s *uitest.Session) { s.Keys(key) }, b.Scene.Step(sel, d[0], d[1], b.Flipped(b.view, b.env.Who)), "")
		}
	})
}

// clickMove makes a move with clicks on the window.
func clickMove(s *uitest.Session, m games.Move) {
	s.T.Helper()
	b := boardOf(s)
	search(s, m, func(sel boardview.Selection, try func(func(*uitest.Session), boardview.Selection, games.Move)) {
		b := b
		b.Input.Sel = sel
		sp, st := b.Layout(b.state()), b.state()
		done := map[boardview.Spot]bool{}
		for y := range b.Size.Height {
			for x := range b.Size.Width {
				spot := b.Scene.Spot(sp.Board, st, x-sp.X, y-sp.Y)
				if done[spot] {
					continue
				}
				done[spot] = true
				if next, made, err := b.Scene.Click(sel, spot); err == nil {
					try(func(s *uitest.Session) {
						s.Send(tea.MouseClickMsg{X: x, Y: y + uitest.HeaderLines, Button: tea.MouseLeft})
					}, next, made)
				}
			}
		}
	})
}

// TestMovesInThreeWays plays the start of a match of each game at one keyboard, each move in another way.
func TestMovesInThreeWays(t *testing.T) {
	for i, g := range catalog.All() {
		for _, size := range [][2]int{{80, 24}, {40, 20}} {
			t.Run(fmt.Sprintf("%s/%dx%d", g.About().ID, size[0], size[1]), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &uitest.Match{T: t, Club: uitest.OpenLobby(t)}
					b.Ana = b.Person("ana")
					ref, err := b.Club.Seats.Open(t.Context(), b.Ana, seats.Spec{Game: g.About().ID, Hotseat: true})
					if err != nil {
						t.Fatal(err)
					}
					b.Ref = ref
					s := open(b, b.Ana, size[0], size[1], accounts.Settings{})
					side := describe.SideName(&screen.Env{Theme: &widget.Theme{}}, g.About(), 0)
					s.Sees(side + " to move\n") // at the end of the top line
					s.Misses("ana · ana", "("+side+") to move")
					r := games.NewRandom(uint64(i))
					for ply := range 9 {
						legal := b.View().Position.Legal()
						if len(legal) == 0 {
							break
						}
						m, by := legal[r.N(len(legal))], moveMethods[ply%len(moveMethods)]
						by.do(s, m)
						if v := b.View(); v.Ply() != ply+1 || v.Moves[ply] != m {
							t.Fatalf("%s by %s: the moves are %v\n%s", m, by.name, v.Moves, s.Page())
						}
					}
				})
			})
		}
	}
}
