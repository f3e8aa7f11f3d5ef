package proof_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// A chooser is a strategy made of a function.
type chooser func(pos games.Search, left int) (games.Code, bool)

func (c chooser) Choose(pos games.Search, _ []games.Code, left int) (games.Code, bool) {
	return c(pos, left)
}

// byForce chooses moves that win within the plies that are left, found in the plainest way.
func byForce(pos games.Search, left int) (games.Code, bool) {
	if left <= 0 {
		return 0, false
	}
	for _, m := range pos.Moves(nil) {
		pos.Play(m.Code)
		won := lostWithin(pos, left-1)
		pos.Undo()
		if won {
			return m.Code, true
		}
	}
	return 0, false
}

func lostWithin(pos games.Search, plies int) bool {
	if over, outcome := pos.Over(); over || plies <= 0 {
		return over && outcome < 0
	}
	for _, m := range pos.Moves(nil) {
		pos.Play(m.Code)
		over, outcome := pos.Over()
		lost := over && outcome > 0
		if !over {
			_, lost = byForce(pos, plies-1)
		}
		pos.Undo()
		if !lost {
			return false
		}
	}
	return true
}

// inHaste wins within three plies, whatever it is asked for.
func inHaste(pos games.Search, _ int) (games.Code, bool) {
	if c, ok := byForce(pos, 1); ok {
		return c, true
	}
	return byForce(pos, 3)
}

// anything chooses the first move there is.
func anything(pos games.Search, _ int) (games.Code, bool) { return pos.Moves(nil)[0].Code, true }

// nothing has no move.
func nothing(games.Search, int) (games.Code, bool) { return 0, false }

// wrong chooses a move that is legal nowhere.
func wrong(games.Search, int) (games.Code, bool) { return 1 << 31, true }

// TestCheck has Check look at true claims and at false ones, in a position of 4Mation in which the side to move wins in three
// plies, and not in one.
func TestCheck(t *testing.T) {
	p := startOf(t, "fourmation", "win_length=3 cols=4 rows=4")
	for _, m := range []games.Move{"a1", "a2", "b2", "b1"} {
		var err error
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	side := p.Turn()
	if v := brute(p.State(), 4); v != (value{proof.Won, 3}) {
		t.Fatalf("brute force says %+v about %s", v, p)
	}
	tests := []struct {
		name     string
		claim    proof.Claim
		strategy chooser
		nodes    int
		want     error
		plies    int
	}{
		{"true", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 3}, byForce, 1000, nil, 3},
		{"true with plies to spare", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 4}, byForce, 1000, nil, 3},
		{"true, and more than asked", proof.Claim{Side: side, Aim: proof.ToHold, Plies: 3}, byForce, 1000, nil, 3},
		{"too fast", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 1}, anything, 1000, proof.ErrRefuted, 0},
		{"true, but not so fast", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 2}, inHaste, 1000, proof.ErrRefuted, 0},
		{"a strategy that loses its way", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 16}, anything, 100_000, proof.ErrRefuted, 0},
		{"the loser", proof.Claim{Side: side.Other(), Aim: proof.ToWin, Plies: 16}, anything, 100_000, proof.ErrRefuted, 0},
		{"the loser holds", proof.Claim{Side: side.Other(), Aim: proof.ToHold, Plies: 16}, anything, 100_000, proof.ErrRefuted, 0},
		{"no move", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 3}, nothing, 1000, proof.ErrRefuted, 0},
		{"an illegal move", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 3}, wrong, 1000, proof.ErrRefuted, 0},
		{"the loser does not lose at once", proof.Claim{Side: side.Other(), Aim: proof.ToPrevent, Plies: 2}, anything, 1000, nil, 2},
		{"the loser loses in the end", proof.Claim{Side: side.Other(), Aim: proof.ToPrevent, Plies: 3}, anything, 1000, proof.ErrRefuted, 0},
		{"the winner does not lose", proof.Claim{Side: side, Aim: proof.ToPrevent, Plies: 3}, byForce, 1000, nil, 3},
		{"no move to prevent a loss", proof.Claim{Side: side, Aim: proof.ToPrevent, Plies: 1}, nothing, 1000, proof.ErrRefuted, 0},
		{"too many positions", proof.Claim{Side: side, Aim: proof.ToWin, Plies: 3}, byForce, 2, proof.ErrBound, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := p.String()
			got, err := proof.Check(t.Context(), p, tt.claim, tt.strategy, tt.nodes)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Fatalf("Check of %v: %v, want %v", tt.claim, err, tt.want)
			}
			if err == nil && (got.Plies != tt.plies || len(got.Line) != tt.plies) {
				t.Errorf("%+v, want %d plies", got, tt.plies)
			}
			if errors.Is(err, proof.ErrRefuted) && !strings.Contains(err.Error(), tt.claim.String()) {
				t.Errorf("the error does not name the claim: %v", err)
			}
			if got.Nodes > tt.nodes+1 || p.String() != before {
				t.Errorf("%d positions of %d; %s became %s", got.Nodes, tt.nodes, before, p)
			}
		})
	}
}

// TestCheckHeedsTheContext begins with a context that has ended.
func TestCheckHeedsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := startOf(t, "fourmation", "")
	_, err := proof.Check(ctx, p, proof.Claim{Side: games.First, Aim: proof.ToHold, Plies: 49}, chooser(anything), 1_000_000)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestRepetition asks about positions in which the solver alone is likely to be wrong: Flügelrad and Petteia with the
// draw at the second occurrence, after games that went round and round, so that many moves lead to a draw.
func TestRepetition(t *testing.T) {
	tests := []struct{ game, options string }{
		{"flugelrad", "connect=4 repetition=2"}, {"petteia", "captures_to_win=1 repetition=2"},
	}
	for _, tt := range tests {
		won := 0
		for seed := range uint64(30) {
			p := circling(t, startOf(t, tt.game, tt.options), games.NewRandom(seed))
			if p.Result().Over {
				continue
			}
			got, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: 8_000})
			if err != nil {
				t.Fatal(err)
			}
			if agrees(t, p, got); got.Result == proof.Won {
				won++
			}
		}
		if won == 0 {
			t.Errorf("%s: nothing was proven", tt.game)
		}
	}
}

// circling plays random moves, and takes each back that ends the game, so that the history is long and full.
func circling(t *testing.T, p games.Position, r *games.Random) games.Position {
	for range 60 {
		legal := p.Legal()
		next, err := p.Play(legal[r.N(len(legal))])
		if err != nil {
			t.Fatal(err)
		}
		if !next.Result().Over {
			p = next
		}
	}
	return p
}
