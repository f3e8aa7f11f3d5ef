package analysis

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
)

// TestHeldMoves: a side with a move that is proven not to lose has no estimate below a draw, before that move or after it. After
// another move the estimate rises by the same amount.
func TestHeldMoves(t *testing.T) {
	held := bot.Thought{Move: "c4", Value: 0, Held: true}
	for _, tt := range []struct {
		name, moves string
		chances     [2]float64 // after d4, and after d4 and the move that follows; for the first side
	}{
		{"the move is played", "d4 c4", [2]float64{0.5, 0.5}},
		{"another move is played", "d4 e4", [2]float64{0.5, 0.723}},
	} {
		a, _, _ := divine(t, "", tt.moves, map[string]bot.Thought{"d4": held, "d4 c4": thought("b4", 4), "d4 e4": thought("f4", 100)},
			map[string]bot.Thought{"d4": held})
		for i, want := range tt.chances {
			if got := a.Points[i+1]; got.Chance != want || got.Proven != Unproven {
				t.Errorf("%s: point %d is %+v, want %v", tt.name, i+1, got, want)
			}
		}
	}
}

// TestBookBoundsEstimates: a position of which the book knows a move that doesn't lose is worth a draw at least, whatever a short search says.
func TestBookBoundsEstimates(t *testing.T) {
	const nodes, each = 300, 12
	g := fourmation.New()
	thinker, err := bot.Strongest(g, nodes)
	if err != nil {
		t.Fatal(err)
	}
	random, bounded := games.NewRandom(3), 0
	for _, plan := range g.(games.Booked).BookPlans() {
		held := 0
		for range each {
			p := startOf(t, g, plan.Options)
			for ply := 0; ply <= plan.Full && !p.Result().Over; ply++ {
				found, err := thinker.Think(t.Context(), p, games.NewRandom(1))
				if err != nil {
					t.Fatal(err)
				}
				if found.Held {
					held++
					if found.Value < 0 {
						bounded++
					}
					got, err := Analyse(t.Context(), g, p, nil, nodes, nil)
					if err != nil || shareOf(got.Points[0].Chance, p.Turn()) < sure/2 {
						t.Errorf("a move doesn't lose, and the analysis says %+v, %v: %s", got, err, p)
					}
				}
				legal := p.Legal()
				if p, err = p.Play(legal[random.N(len(legal))]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if held < each {
			t.Errorf("%v: the book bounds %d positions, not even the start of each of %d games", plan.Options, held, each)
		}
	}
	if bounded == 0 {
		t.Error("no estimate was bounded")
	}
}
