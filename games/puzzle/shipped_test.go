package puzzle_test

import (
	"flag"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
)

// all has TestShippedAreProven prove all puzzles, not a sample.
var all = flag.Bool("all", false, "prove all puzzles that are built in; takes minutes")

// least is how many puzzles a game comes with at least.
var least = map[string]int{"momentum": 300, "petteia": 100, "fourmation": 300, "flugelrad": 300, "tanks": 300}

// shipped returns the puzzles of a game.
func shipped(t testing.TB, g games.Game) []*puzzle.Puzzle {
	t.Helper()
	set, err := puzzle.Of(g)
	if err != nil {
		t.Fatalf("%s: %v", g.About().ID, err)
	}
	return set.Puzzles
}

// TestShipped: the puzzles that the games come with can be read, are as many as promised, and no two are the same, turned or not.
func TestShipped(t *testing.T) {
	ids := map[string]string{}
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			puzzles := shipped(t, g)
			if len(puzzles) < least[g.About().ID] {
				t.Errorf("%d puzzles, want %d", len(puzzles), least[g.About().ID])
			}
			for _, p := range puzzles {
				canonical := puzzle.Canonical(g, p.Start)
				if other, twice := ids[p.ID]; twice {
					t.Errorf("two puzzles are %s:\n%s\n%s", p.ID, other, canonical)
				}
				ids[p.ID] = canonical
				if p.ID != puzzle.IDOf(canonical) {
					t.Errorf("%s: the ID of its position is %s", p.ID, puzzle.IDOf(canonical))
				}
			}
			text, set := g.(games.Puzzled).Puzzles(), puzzle.Set{}
			var err error
			if set, err = puzzle.Read(g, text); err != nil || set.String() != text {
				t.Errorf("the text is not as it would be written: %v", err)
			}
			if set.Positions < len(puzzles) || set.Games < 1 {
				t.Errorf("%d positions of %d games were searched for %d puzzles", set.Positions, set.Games, len(puzzles))
			}
		})
	}
}

// provenNodes bound the check of one puzzle of the sample: the others are proven by `ludoteca puzzles --check`.
const (
	provenNodes = 1_200_000
	sampled     = 25 // puzzles of which one is proven
)

// TestShippedAreProven proves a sample of the puzzles again: of each sampled puzzles, one that is proven quickly.
func TestShippedAreProven(t *testing.T) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			proven := 0
			for i, p := range shipped(t, g) {
				nodes := provenNodes
				if *all {
					nodes = puzzle.UsualNodes
				} else if i < proven*sampled {
					continue
				}
				_, err := p.Check(t.Context(), nodes)
				switch {
				case err == nil:
					proven++
				case !*all && isBound(err):
				default:
					t.Errorf("%s: %v", p.ID, err)
				}
			}
			if proven == 0 {
				t.Error("none was proven")
			}
		})
	}
}
