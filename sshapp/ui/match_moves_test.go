package ui

import (
	"fmt"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// A way is how a move can be made: it returns the keys or clicks that make m from the present state of the board.
type moveMethod struct {
	name string
	do   func(s *session, m games.Move)
}

var moveMethods = []moveMethod{
	{"typing", func(s *session, m games.Move) { s.keys(string(m), "enter") }},
	{"keys", pressMove},
	{"clicks", clickMove},
}

// A step is one thing that a hand can do, and what comes of it.
type selectionStep struct {
	do   func(s *session)
	from int // the step before, -1 at the start
	sel  boardview.Selection
}

// search finds the shortest way from the present hand to a move, among steps that next gives, and goes it.
func search(s *session, m games.Move, next func(sel boardview.Selection, try func(do func(*session), sel boardview.Selection, m games.Move))) {
	s.t.Helper()
	steps := []selectionStep{{from: -1, sel: s.board().input.sel}}
	seen := map[boardview.Selection]bool{steps[0].sel: true}
	for i := 0; i < len(steps); i++ {
		found := false
		next(steps[i].sel, func(do func(*session), sel boardview.Selection, made games.Move) {
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
		var path []func(*session)
		for at := len(steps) - 1; at > 0; at = steps[at].from {
			path = append(path, steps[at].do)
		}
		for k := len(path) - 1; k >= 0; k-- {
			path[k](s)
		}
		return
	}
	s.t.Fatalf("no way to %s:\n%s", m, s.page())
}

// pressMove makes a move with arrows and enter.
func pressMove(s *session, m games.Move) {
	s.t.Helper()
	b := s.board()
	arrows := map[string][2]int{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}
	search(s, m, func(sel boardview.Selection, try func(func(*session), boardview.Selection, games.Move)) {
		next, made, err := b.scene.Choose(sel)
		if err == nil {
			try(func(s *session) { s.keys("enter") }, next, made)
		}
		for key, d := range arrows {
			try(func(s *session) { s.keys(key) }, b.scene.Step(sel, d[0], d[1], b.flipped()), "")
		}
	})
}

// clickMove makes a move with clicks on the window.
func clickMove(s *session, m games.Move) {
	s.t.Helper()
	b := s.board()
	search(s, m, func(sel boardview.Selection, try func(func(*session), boardview.Selection, games.Move)) {
		b := b
		b.input.sel = sel
		sp, st := b.layout(b.size.Width, b.size.Height), b.state()
		done := map[boardview.Spot]bool{}
		for y := range b.size.Height {
			for x := range b.size.Width {
				spot := b.scene.Spot(sp.board, st, x-sp.x, y-sp.y)
				if done[spot] {
					continue
				}
				done[spot] = true
				if next, made, err := b.scene.Click(sel, spot); err == nil {
					try(func(s *session) {
						s.send(tea.MouseClickMsg{X: x, Y: y + topLines, Button: tea.MouseLeft})
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
					b := &testMatch{t: t, club: openClub(t)}
					b.ana = b.person("ana")
					ref, err := b.club.Open(t.Context(), b.ana, lobby.Spec{Game: g.About().ID, Hotseat: true})
					if err != nil {
						t.Fatal(err)
					}
					b.ref = ref
					s := b.open(b.ana, size[0], size[1], storage.Settings{})
					s.sees(g.About().Sides[games.First] + " to move\n") // at the end of the top line
					s.misses("ana · ana", "("+g.About().Sides[games.First]+") to move")
					r := games.NewRandom(uint64(i))
					for ply := range 9 {
						legal := b.view().Position.Legal()
						if len(legal) == 0 {
							break
						}
						m, by := legal[r.N(len(legal))], moveMethods[ply%len(moveMethods)]
						by.do(s, m)
						if v := b.view(); v.Ply() != ply+1 || v.Moves[ply] != m {
							t.Fatalf("%s by %s: the moves are %v\n%s", m, by.name, v.Moves, s.page())
						}
					}
				})
			})
		}
	}
}

// TestReel looks at a long match here and there, and compares with the match played through.
func TestReel(t *testing.T) {
	g, _ := catalog.Find("petteia")
	o, err := games.Complete(g, games.Options{"quiet_limit": 0, "repetition": 5, "captures_to_win": 12})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	v := &lobby.View{Game: g, Options: o}
	r := games.NewRandom(1)
	var after []string
	for range 3000 {
		after = append(after, p.String())
		legal := p.Legal()
		if len(legal) == 0 {
			break
		}
		m := legal[r.N(len(legal))]
		v.Moves = append(v.Moves, m)
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	after = append(after, p.String())
	reel, err := newTimeline(v)
	if err != nil {
		t.Fatal(err)
	}
	if len(reel.states) > timelineStates {
		t.Errorf("%d states are kept, want at most %d", len(reel.states), timelineStates)
	}
	for ply := 0; ply <= len(v.Moves); ply += 41 {
		if got := reel.position(ply).String(); got != after[ply] {
			t.Fatalf("after %d moves: %s\nwant %s", ply, got, after[ply])
		}
	}
	if got := reel.position(len(v.Moves)).String(); got != after[len(v.Moves)] {
		t.Errorf("at the end: %s\nwant %s", got, after[len(v.Moves)])
	}
	v.Moves = append(v.Moves[:5:5], "a1-a1")
	if _, err := newTimeline(v); err == nil {
		t.Error("a move that can't be is taken")
	}
}

// TestReview steps through a match with the keys.
func TestReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestMatch(t, "fourmation", nil, true)
		b.play(shortWin...)
		s := b.open(b.ana, 80, 24, storage.Settings{})
		s.keys("v")
		s.sees("move 7 of 7", "ana wins: a full line.", "ana plays d1, wins", "record "+string(b.ref.ID))
		for _, tt := range []struct{ key, want string }{
			{"left", "move 6 of 7"}, {"up", "move 4 of 7"}, {"h", "move 3 of 7"}, {"home", "move 0 of 7"}, {"left", "move 0 of 7"},
			{"right", "move 1 of 7"}, {"pgdown", "move 7 of 7"}, {"right", "move 7 of 7"}, {"pgup", "move 0 of 7"}, {"end", "move 7 of 7"},
		} {
			s.keys(tt.key)
			s.sees(tt.want)
		}
		s.keys("left")
		s.misses("ana wins")
		s.keys("esc")
		s.atMatch()
	})
}
