package bot

import (
	"context"
	"time"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// The stronger levels prove what they can. Where the usual search calls the game decided, what is left of the nodes goes into
// a proof, for the search rests on a table, and only a proof is beyond doubt. In games in which wins are forced in long and
// narrow lines, a part of the nodes goes into a proof before, which sees them much farther ahead.
const (
	firstProver = 2       // the weakest rung that does: expert
	proofMemory = 8 << 20 // bytes for the positions that a proof remembers
)

// reason thinks with so many nodes, with proofs if the level makes any.
func (s seeker) reason(ctx context.Context, d *desk, p games.Position, pos games.Search, nodes int, r *games.Random) Thought {
	if s.rung < firstProver {
		v := s.search(ctx, d, pos, nodes, r)
		return v.thought(p)
	}
	first := proveBefore(ctx, d, p, s.profile.ProofShare, nodes)
	if first.Proven {
		return first
	}
	v := s.search(ctx, d, pos, nodes-first.Nodes, r)
	t := v.thought(p)
	t.Nodes += first.Nodes
	if t.Plies == 0 || t.Nodes >= nodes || ctx.Err() != nil {
		return t
	}
	last := prove(ctx, d, p, proof.Limits{Nodes: nodes - t.Nodes, Plies: max(t.Plies, -t.Plies), Of: []proof.Verdict{verdictOf(t)}})
	last.Nodes += t.Nodes
	if last.Proven {
		return last
	}
	t.Nodes = last.Nodes
	return t
}

// proveBefore tries a proof where the game has one tried before the search, with a share of the nodes: one in so many.
func proveBefore(ctx context.Context, d *desk, p games.Position, share, nodes int) Thought {
	if share == 0 || nodes < share {
		return Thought{}
	}
	if end, ok := ctx.Deadline(); ok { // the same share of the time as of the nodes
		early, stop := context.WithTimeout(ctx, time.Until(end)/time.Duration(share))
		defer stop()
		ctx = early
	}
	return prove(ctx, d, p, proof.Limits{Nodes: nodes / share, Of: []proof.Verdict{proof.Won, proof.Lost}})
}

// verdictOf returns what a thought about a decided game says.
func verdictOf(t Thought) proof.Verdict {
	if t.Plies > 0 {
		return proof.Won
	}
	return proof.Lost
}

// prove returns the thought that a proof of a win or a loss amounts to. If there is none, only Nodes is set.
func prove(ctx context.Context, d *desk, p games.Position, limits proof.Limits) Thought {
	limits.Memory = proofMemory
	got, err := d.prover.Prove(ctx, p, limits)
	t := Thought{Nodes: got.Nodes + got.Checked}
	if err != nil || got.Verdict != proof.Won && got.Verdict != proof.Lost || len(got.Line) == 0 {
		return t
	}
	t.Proven, t.Move, t.Line, t.Depth = true, got.Line[0], got.Line, got.Plies
	t.Plies, t.Value = got.Plies, victory-got.Plies
	if got.Verdict == proof.Lost {
		t.Plies, t.Value = -t.Plies, -t.Value
	}
	return t
}
