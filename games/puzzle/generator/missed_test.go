package generator

import (
	"context"
	"errors"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
)

const missedNodes = 2_000_000

// TestMissed makes puzzles of positions in which one first move wins, in each game, and of one in which several do: each move that wins is right, by
// the plainest search, and no other is.
func TestMissed(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			set, err := puzzle.Of(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range set.Puzzles[:1] {
				q, err := Missed(t.Context(), g, p.Start, p.Plies+2, p.Solution.Move, missedNodes)
				if err != nil || q.Plies != p.Plies || q.Solution.Move != p.Solution.Move {
					t.Errorf("%s: %v, %v; want %s in %d", p.ID, q, err, p.Solution.Move, p.Plies)
				}
			}
		})
	}
	g, _ := catalog.Find("momentum")
	start, best := twoWins(t, g)
	b, err := newBuilder(t.Context(), New(g, nil), start)
	if err != nil {
		t.Fatal(err)
	}
	wins := map[games.Move]bool{}
	for _, c := range winsInTwo(b) {
		wins[b.state.Move(c)] = true
	}
	q, err := Missed(t.Context(), g, start, 5, b.state.Move(best), missedNodes)
	if err != nil || q.Plies != 3 || q.Solution.Move != b.state.Move(best) {
		t.Fatalf("%s: %v, %v", start, q, err)
	}
	for _, m := range start.Legal() {
		if _, o := q.Begin().Try(m); (o.Verdict != puzzle.Wrong) != wins[m] {
			t.Errorf("%s is %v in %s, want right: %v", m, o.Verdict, start, wins[m])
		}
	}
}

// TestMissedTellsWhyNot: there is no puzzle without a win in time, or within the bound on positions, or when the context ends.
func TestMissedTellsWhyNot(t *testing.T) {
	g, _ := catalog.Find("fourmation")
	set, err := puzzle.Of(g)
	if err != nil {
		t.Fatal(err)
	}
	p := set.Puzzles[0]
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		plies int
		nodes int
		want  error
	}{
		{"too few plies", t.Context(), p.Plies - 2, missedNodes, errNone},
		{"too few positions", t.Context(), p.Plies, 10, errUnknown},
		{"the context has ended", ended, p.Plies, missedNodes, context.Canceled},
	} {
		if q, err := Missed(tt.ctx, g, p.Start, tt.plies, p.Solution.Move, tt.nodes); !errors.Is(err, tt.want) || q != nil {
			t.Errorf("%s: %v, %v, want %v", tt.name, q, err, tt.want)
		}
	}
}

// TestMissedWinAtOnce: a win in one move is no puzzle that a game comes with, but players miss those most.
func TestMissedWinAtOnce(t *testing.T) {
	g, _ := catalog.Find("fourmation")
	start, err := games.Study(g, "last=e1 turn=X ......./......./......./......./......./......./XXX.OOO")
	if err != nil {
		t.Fatal(err)
	}
	q, err := Missed(t.Context(), g, start, 1, "d1", missedNodes)
	if err != nil || q.Plies != 1 {
		t.Fatalf("%v, %v", q, err)
	}
	if a, o := q.Begin().Try("d1"); o.Verdict != puzzle.Solved || !a.Solved() {
		t.Errorf("d1 is %v", o.Verdict)
	}
}
