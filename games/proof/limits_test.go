package proof_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// counted is a position whose searches count the moves they make, and end a context after some.
type counted struct {
	games.Position
	c *count
}

type count struct {
	plays, after int
	cancel       func()
}

func (p counted) State() games.State { return countedState{p.Position.State(), p.c} }

type countedState struct {
	games.State
	c *count
}

func (s countedState) Search() games.Search {
	return countedSearch{s.State.(games.Searchable).Search(), s.c}
}
func (s countedState) Clone() games.State { return countedState{s.State.Clone(), s.c} }

type countedSearch struct {
	games.Search
	c *count
}

func (n countedSearch) Play(c games.Code) {
	if n.c.plays++; n.c.plays == n.c.after {
		n.c.cancel()
	}
	n.Search.Play(c)
}

// unnoticed is a context whose time is up, while the runtime has been too busy to close Done.
type unnoticed struct{ context.Context }

func (unnoticed) Deadline() (time.Time, bool) { return time.Now().Add(-time.Nanosecond), true }
func (unnoticed) Err() error                  { return nil }

// TestStopsAtTheDeadline, not when the runtime says that it has passed.
func TestStopsAtTheDeadline(t *testing.T) {
	p := nearTheEnd(t, "tanks", "size=26", 3, 200)
	got, err := proof.Prove(unnoticed{t.Context()}, p, proof.Limits{Nodes: 100_000})
	if err != nil || got.Result != proof.Unproven || got.Nodes > 100 {
		t.Errorf("after the deadline: %+v, %v", got, err)
	}
}

// TestStopsSoon cancels in the middle of the work, on the largest boards, and counts how many more moves are made.
func TestStopsSoon(t *testing.T) {
	tests := []struct{ game, options string }{
		{"tanks", "size=26"}, {"fourmation", "cols=26 rows=26"}, {"momentum", "size=13"}, {"momentum", "size=26 marbles=26"}, {"petteia", ""}, {"flugelrad", ""},
	}
	for _, tt := range tests {
		for _, after := range []int{1, 500, 5_003, 20_011} {
			ctx, cancel := context.WithCancel(t.Context())
			c := &count{after: after, cancel: cancel}
			p := nearTheEnd(t, tt.game, tt.options, 3, 200)
			got, err := proof.Prove(ctx, counted{p, c}, proof.Limits{Nodes: 1_000_000})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: after %d moves: %+v, %v", tt.game, c.plays, got, err)
			}
			if late := c.plays - after; late > 64 {
				t.Errorf("%s: %d moves were made after the end of the context", tt.game, late)
			}
			cancel()
		}
	}
}

// TestContext asks with contexts that have ended.
func TestContext(t *testing.T) {
	p := nearTheEnd(t, "tanks", "", 1, 3)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := proof.Prove(gone, p, proof.Limits{Nodes: 1000}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if got, err := proof.Prove(late, p, proof.Limits{Nodes: 1000}); err != nil || got.Result != proof.Unproven {
		t.Errorf("after the deadline: %+v, %v", got, err)
	}
}

// blind is a position of a game without a search.
type blind struct{ games.Position }

func (p blind) State() games.State { return struct{ games.State }{p.Position.State()} }

func TestBlind(t *testing.T) {
	p := blind{startOf(t, "tanks", "")}
	if _, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: 10}); !errors.Is(err, proof.ErrNoSearch) {
		t.Errorf("Prove: %v", err)
	}
	if _, err := proof.Check(t.Context(), p, proof.Claim{}, nil, 10); !errors.Is(err, proof.ErrNoSearch) {
		t.Errorf("Check: %v", err)
	}
}
