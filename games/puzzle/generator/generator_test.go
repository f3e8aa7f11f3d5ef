package generator

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
)

// TestFindsAgain looks at the positions of puzzles that there are: the generator finds the same first moves, and makes puzzles that
// hold.
func TestFindsAgain(t *testing.T) {
	const tried = 4
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			set, err := puzzle.Of(g)
			if err != nil {
				t.Fatal(err)
			}
			n, made := New(g, nil), 0
			for _, p := range set.Puzzles {
				if p.Plies > 3 || made == tried {
					continue
				}
				f, ok := n.Look(t.Context(), p.Start, 3)
				if !ok || f.Plies != p.Plies || f.Move != p.Solution.Move {
					t.Errorf("%s: %+v, %v; want %s in %d", p.ID, f, ok, p.Solution.Move, p.Plies)
					continue
				}
				q, err := n.Make(t.Context(), f)
				if err != nil || q.ID != p.ID {
					t.Errorf("%s: %v", p.ID, err)
					continue
				}
				made++
				if _, ok := n.Look(t.Context(), p.Start, 3); ok {
					t.Errorf("%s is found a second time", p.ID)
				}
			}
			if made == 0 {
				t.Error("none was made")
			}
		})
	}
}

// TestTellsWhyNot has the generator look at positions that are no puzzles.
func TestTellsWhyNot(t *testing.T) {
	tests := []struct {
		name, game, position string
		plies                int
		want                 error
	}{
		{"the start", "fourmation", "last=- turn=X ......./......./......./......./......./......./.......", 3, errNone},
		{"a win at once", "fourmation", "last=e1 turn=X ......./......./......./......./......./......./XXX.OOO", 3, errNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, _ := catalog.Find(tt.game)
			p, err := games.Study(g, tt.position)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := New(g, nil).look(t.Context(), p, tt.plies); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestTwoWinsAreRefused makes the puzzle of a position in which two first moves win, as if only one did: the generator does not
// find it, and the checker refuses it.
func TestTwoWinsAreRefused(t *testing.T) {
	for _, id := range []string{"momentum", "fourmation", "tanks"} {
		t.Run(id, func(t *testing.T) {
			g, _ := catalog.Find(id)
			start, first := twoWins(t, g)
			n := New(g, nil)
			if _, err := n.look(t.Context(), start, 3); !errors.Is(err, errSecond) {
				t.Errorf("the generator says %v of %s", err, start)
			}
			b, err := newBuilder(t.Context(), n, start)
			if err != nil {
				t.Fatal(err)
			}
			p := &puzzle.Puzzle{ID: "00000", Game: g, Start: start, Plies: 3, Beyond: 3}
			if p.Solution, err = b.step(first, 2, true); err != nil {
				t.Fatal(err)
			}
			p.Wrong = [][]puzzle.Reply{repliesToAll(b, first), nil}
			_, err = p.Check(t.Context(), puzzle.UsualNodes)
			if !errors.Is(err, puzzle.ErrBroken) || !strings.Contains(err.Error(), " wins as well, in 3 plies") {
				t.Errorf("the checker says %v of %s", err, p)
			}
		})
	}
}

// twoWins returns a position in which several first moves win in three plies, and one of them.
func twoWins(t *testing.T, g games.Game) (games.Position, games.Code) {
	t.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	start, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(1000) {
		random, p := games.NewRandom(seed), start
		for range 400 {
			legal := p.Legal()
			if p, err = p.Play(legal[random.N(len(legal))]); err != nil {
				t.Fatal(err)
			}
			if p.Result().Over {
				break
			}
			q, err := games.Study(g, p.String())
			if err != nil {
				t.Fatal(err)
			}
			n := New(g, nil)
			if _, err := n.look(t.Context(), q, 3); !errors.Is(err, errSecond) {
				continue
			}
			b, err := newBuilder(t.Context(), n, q)
			if err != nil {
				t.Fatal(err)
			}
			if winners := winsInTwo(b); len(winners) > 1 {
				return q, winners[0]
			}
		}
	}
	t.Fatal("no such position came up")
	return nil, 0
}

// winsInTwo returns the moves after which every reply is followed by a win, found in the plainest way.
func winsInTwo(b *builder) (all []games.Code) {
	for _, c := range b.state.Moves(nil) {
		b.play(c)
		over, wins := b.won()
		if !over {
			wins = true
			for _, d := range b.state.Moves(nil) {
				if _, n := b.lastMoves(d); n == 0 {
					wins = false
					break
				}
			}
		}
		b.undo()
		if wins {
			all = append(all, c)
		}
	}
	return all
}

// repliesToAll returns a reply to each move but one: a good one if there is any.
func repliesToAll(b *builder, right games.Code) (replies []puzzle.Reply) {
	for _, c := range b.state.Moves(nil) {
		wrong := b.state.Move(c)
		b.play(c)
		if over, _ := b.won(); !over && c != right {
			reply, err := b.reply(nil, puzzle.MinPlies)
			if err != nil {
				reply = b.state.Move(b.state.Moves(nil)[0])
			}
			replies = append(replies, puzzle.Reply{Moves: []games.Move{wrong}, Reply: reply})
		}
		b.undo()
	}
	return replies
}
