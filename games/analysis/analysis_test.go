package analysis

import (
	"testing"

	"ludoteca/games"
)

func TestMarks(t *testing.T) {
	chance := func(c float64) Point { return Point{Chance: c, Best: "best"} }
	proven := func(v Judgement) Point {
		return Point{Chance: map[Judgement]float64{ProvenFirst: 1, ProvenDraw: 0.5}[v], Proven: v, Best: "best"}
	}
	for _, tt := range []struct {
		name         string
		before, next Point
		played       games.Move
		side         games.Side
		want         Mark
	}{
		{"hardly anything", chance(0.6), chance(0.501), "played", games.First, Fine},
		{"a tenth", chance(0.6), chance(0.5), "played", games.First, Inaccuracy},
		{"a tenth of the second side's", chance(0.5), chance(0.6), "played", games.Second, Inaccuracy},
		{"a gain", chance(0.5), chance(0.9), "played", games.First, Fine},
		{"just under a fifth", chance(0.7), chance(0.501), "played", games.First, Inaccuracy},
		{"a fifth", chance(0.3), chance(0.1), "played", games.First, Mistake},
		{"three tenths", chance(0.8), chance(0.5), "played", games.First, Blunder},
		{"everything", chance(0.001), proven(ProvenFirst), "played", games.Second, Blunder},
		{"the best move", chance(0.8), chance(0.5), "best", games.First, Fine},
		{"a win for a draw", proven(ProvenSecond), proven(ProvenDraw), "played", games.Second, Blunder},
		{"a win for a loss", proven(ProvenFirst), proven(ProvenSecond), "played", games.First, Blunder},
		{"a draw for a loss", proven(ProvenDraw), proven(ProvenFirst), "played", games.Second, Blunder},
		{"a win for another win", proven(ProvenFirst), proven(ProvenFirst), "played", games.First, Fine},
		{"a win for what is nearly one", proven(ProvenFirst), chance(0.95), "played", games.First, Fine},
		{"a loss that was near anyway", chance(0.05), proven(ProvenSecond), "played", games.First, Fine},
	} {
		if got := markOf(&tt.before, &tt.next, tt.played, tt.side); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A proof weighs at least a mistake, whatever the scale of chances makes of it.
func TestMarkOfLostProof(t *testing.T) {
	before := Point{Chance: 0.55, Proven: ProvenFirst, Best: "best"}
	next := Point{Chance: 0.5, Proven: ProvenDraw}
	if got := markOf(&before, &next, "played", games.First); got != Mistake {
		t.Errorf("a proven win for a draw is marked %q", got)
	}
}

func TestChances(t *testing.T) {
	last := 0.0
	for value := -games.MaxEvaluation; value <= games.MaxEvaluation; value += 100 {
		c := chanceOf(value, 150)
		if c < last || c < 0.001 || c > 0.999 || shareOf(c, games.First)+shareOf(c, games.Second) != sure {
			t.Errorf("%d is worth %v after %v", value, c, last)
		}
		if mirror := chanceOf(-value, 150); shareOf(mirror, games.First) != shareOf(c, games.Second) {
			t.Errorf("%d is worth %v, and %d %v", value, c, -value, mirror)
		}
		last = c
	}
	if c := chanceOf(150, 150); c != 0.731 {
		t.Errorf("the scale itself is worth %v", c)
	}
}

// No position of a game of the longest length takes long, nor a short game much less work than it could bear.
func TestBudget(t *testing.T) {
	for plies := 0; plies <= MaxPlies; plies += 7 {
		n := Budget(plies)
		if n < leastNodes || n > mostNodes || n > leastNodes && n*(plies+1) > totalNodes {
			t.Fatalf("%d plies get %d nodes each", plies, n)
		}
	}
}
