package analysis

import (
	"context"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/proof"
)

// tryOut returns what a position is worth by a search of what comes of the move m.
func (w *Work) tryOut(ctx context.Context, p games.Position, m games.Move, i int) (Point, error) {
	q, err := p.Play(m)
	if err != nil {
		return Point{}, fmt.Errorf("analysis: the best move: %w", err)
	}
	after := finding{Point: ended(q.Result())}
	if !q.Result().Over {
		if after, err = w.think(ctx, w.thinker, q, i); err != nil {
			return Point{}, err
		}
	}
	return before(&after.Point, m, p.Turn()), nil
}

// think searches a position.
func (w *Work) think(ctx context.Context, t bot.Thinker, p games.Position, i int) (finding, error) {
	thought, err := t.Think(ctx, p, games.NewRandom(uint64(i)))
	if err == nil {
		err = ctx.Err() // what was found until a deadline depends on the clock
	}
	if err != nil {
		return finding{}, err
	}
	return w.find(&thought, p.Turn()), nil
}

// find puts a thought of side into the words of an analysis.
func (w *Work) find(t *bot.Thought, side games.Side) finding {
	line := slices.Clone(t.Line[:min(len(t.Line), MaxLine)])
	f := finding{Point: Point{Best: t.Move, Line: line}}
	f.Value = min(max(t.Value, -games.MaxEvaluation), games.MaxEvaluation)
	switch {
	case t.Proven && t.Plies != 0:
		f.Point = ended(games.Won(winnerOf(t, side), ""))
		f.Plies, f.Best, f.Line = max(t.Plies, -t.Plies), t.Move, line
		return f
	case t.Plies > 0:
		f.claim, f.plies, f.Value = proof.Won, t.Plies, games.MaxEvaluation
	case t.Plies < 0:
		f.claim, f.plies, f.Value = proof.Lost, -t.Plies, -games.MaxEvaluation
	case t.Drawn:
		f.claim = proof.Drawn
	}
	if side == games.Second {
		f.Value = -f.Value
	}
	f.Chance = chanceOf(f.Value, w.scale)
	return f
}

// winnerOf returns who wins by a thought of side.
func winnerOf(t *bot.Thought, side games.Side) games.Side {
	if t.Plies > 0 {
		return side
	}
	return side.Other()
}

// prove tries to prove what a search claims about a position, and if it can, makes the proof the finding.
func (w *Work) prove(ctx context.Context, p games.Position, f *finding) error {
	got, err := proof.Prove(ctx, p, proof.Limits{Nodes: w.nodes, Plies: f.plies, Of: []proof.Result{f.claim}})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || got.Result == proof.Unproven || len(got.Line) == 0 {
		return err
	}
	f.Point = ended(resultOf(got.Result, p.Turn()))
	f.Plies, f.Best, f.Line = got.Plies, got.Line[0], got.Line[:min(len(got.Line), MaxLine)]
	return nil
}

// resultOf returns how a game ends of which a verdict about the side to move is proven.
func resultOf(v proof.Result, turn games.Side) games.Result {
	switch v {
	case proof.Won:
		return games.Won(turn, "")
	case proof.Lost:
		return games.Won(turn.Other(), "")
	default:
		return games.Drawn("")
	}
}

// ended returns the point of a position after the end.
func ended(r games.Result) Point {
	switch {
	case r.Draw:
		return Point{Chance: drawn, Proven: ProvenDraw}
	case r.Winner == games.First:
		return Point{Value: games.MaxEvaluation, Chance: 1, Proven: ProvenFirst}
	default:
		return Point{Value: -games.MaxEvaluation, Proven: ProvenSecond}
	}
}
