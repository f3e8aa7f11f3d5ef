package proof_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// TestDecider asks one Decider about positions of random games, compares the answers with brute force, and has the strategy of each
// answer checked: that of the winner, or that of the other side to prevent the win.
func TestDecider(t *testing.T) {
	kinds := []struct{ game, options string }{
		{"fourmation", "cols=4 rows=4 win_length=3"},
		{"flugelrad", "connect=4"},
		{"tanks", "size=6"},
		{"petteia", "captures_to_win=1"},
		{"momentum", "marbles=6"},
	}
	won := 0 // in any game: some are seldom won by chance
	for _, k := range kinds {
		t.Run(k.game, func(t *testing.T) {
			decider := proof.NewDecider(t.Context(), 1<<20)
			prevented := 0
			rapid.Check(t, func(t *rapid.T) {
				p := startOf(t, k.game, k.options)
				for range rapid.IntRange(0, 30).Draw(t, "plies") {
					next, err := p.Play(rapid.SampledFrom(p.Legal()).Draw(t, "move"))
					if err != nil {
						t.Fatal(err)
					}
					if next.Result().Over {
						break
					}
					p = next
				}
				side := rapid.SampledFrom([]games.Side{games.First, games.Second}).Draw(t, "side")
				plies := rapid.IntRange(0, 2).Draw(t, "within")
				want := winsWithin(p.State(), side, plies)
				pos := p.State().(games.Searchable).Search()
				before := pos.Key()
				wins, known := decider.Wins(pos, side, plies, 1_000_000)
				if !known || wins != want || pos.Key() != before {
					t.Fatalf("%s: %s wins within %d plies: %v, known %v; brute force says %v", p, side, plies, wins, known, want)
				}
				claim := proof.Claim{Side: side, Aim: proof.ToWin, Plies: plies}
				if !wins {
					claim.Side, claim.Aim = side.Other(), proof.ToPrevent
				}
				if plies == 0 {
					return
				}
				if _, err := proof.Check(t.Context(), p, claim, decider.Strategy(1_000_000), 1_000_000); err != nil {
					t.Fatalf("%s: %v", p, err)
				}
				if wins {
					won++
				} else {
					prevented++
				}
			})
			if prevented == 0 {
				t.Error("no win was prevented")
			}
		})
	}
	if won == 0 {
		t.Error("no position was won")
	}
}

// TestDeciderHoldsTooLate: the first side can win in three plies, and the second side has a single move left of the two that are
// asked for. The strategy has to name it.
func TestDeciderHoldsTooLate(t *testing.T) {
	p := startOf(t, "fourmation", "cols=4 rows=4 win_length=3")
	for _, m := range []games.Move{"b1", "a2"} {
		var err error
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	decider := proof.NewDecider(t.Context(), 1<<20)
	if wins, known := decider.Wins(p.State().(games.Searchable).Search(), games.First, 2, 1_000_000); wins || !known {
		t.Fatalf("wins within two plies: %v, known %v", wins, known)
	}
	claim := proof.Claim{Side: games.Second, Aim: proof.ToPrevent, Plies: 2}
	if _, err := proof.Check(t.Context(), p, claim, decider.Strategy(1_000_000), 1_000_000); err != nil {
		t.Error(err)
	}
}

// winsWithin reports by brute force whether a side wins within some plies.
func winsWithin(s games.State, side games.Side, plies int) bool {
	if r := s.Result(); r.Over || plies == 0 {
		return r.For(side) == 1
	}
	own := s.Turn() == side
	for _, c := range s.Moves(nil) {
		s.Play(c)
		wins := winsWithin(s, side, plies-1)
		s.Undo()
		if wins == own {
			return own
		}
	}
	return !own
}

// TestDeciderGivesUp: a Decider that may look at few positions says that it does not know, and finds the answer when asked again.
func TestDeciderGivesUp(t *testing.T) {
	p := startOf(t, "petteia", "")
	decider, pos := proof.NewDecider(t.Context(), 1<<20), p.State().(games.Searchable).Search()
	if wins, known := decider.Wins(pos, games.First, 5, 10); known || wins {
		t.Errorf("after ten positions: %v, known %v", wins, known)
	}
	if wins, known := decider.Wins(pos, games.First, 1, 1_000_000); !known || wins {
		t.Errorf("in one ply: %v, known %v", wins, known)
	}
	if _, err := proof.Check(t.Context(), p, proof.Claim{Side: games.First, Aim: proof.ToWin, Plies: 1}, decider.Strategy(1000), 1000); !errors.Is(err, proof.ErrRefuted) {
		t.Errorf("a win in one ply: %v", err)
	}
}
