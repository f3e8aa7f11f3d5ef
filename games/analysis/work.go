package analysis

import (
	"context"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// A finding is what a search says of a position.
type finding struct {
	Point
	again bool // by the larger budget

	// What the search believes about the end, and within how many plies, without a proof.
	claim proof.Result
	plies int
}

// A doubt is what has to be looked at once more before the value of the present position is known.
type doubt struct {
	kind  doubtKind
	found finding
	at    int // if overdue: which position
}

type doubtKind uint8

const (
	unchecked doubtKind = iota // whether what the search claims can be proven
	refuted                    // whether there is a better move than the one that has turned out badly
	untried                    // whether the better move is really better
	overdue                    // how an earlier position's win goes on in time after the move that was played
)

// Step makes one search, and with it brings at most one position to its end. It does nothing when the work is done. After
// an error, which is that of ctx, the same step can be tried again.
func (w *Work) Step(ctx context.Context) error {
	if w.at == 0 && w.pending == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	i := w.at - 1
	if w.pending != nil {
		return w.settle(ctx, i, *w.pending)
	}
	p := w.track.position(i)
	if over := p.Result(); over.Over {
		w.finish(i, ended(over))
		return nil
	}
	if w.hasNext(i) && len(p.Legal()) == 1 {
		w.finish(i, w.forced(i)) // there was nothing to choose
		return nil
	}
	found, err := w.think(ctx, w.thinker, p, i)
	if err != nil {
		return err
	}
	w.consider(i, found)
	return nil
}

// settle looks at what is in doubt.
func (w *Work) settle(ctx context.Context, i int, d doubt) error {
	if d.kind == overdue {
		return w.sharpen(ctx, d.at, d.found)
	}
	p := w.track.position(i)
	switch d.kind {
	case unchecked:
		if err := w.prove(ctx, p, &d.found); err != nil {
			return err
		}
		w.weigh(i, d.found)
	case refuted:
		found, err := w.think(ctx, w.doubter, p, i)
		if err != nil {
			return err
		}
		found.again = true
		w.consider(i, found)
	case untried:
		better, err := w.tryOut(ctx, p, d.found.Best, i)
		if err != nil {
			return err
		}
		side, played := p.Turn(), w.follow(i)
		if shareOf(better.Chance, side) <= shareOf(played.Chance, side) {
			better = played
		}
		w.finish(i, better)
	}
	return nil
}

// consider has a claim about the end proven, if there is a chance to, before the finding is weighed. A position can only be
// lost if the one after the move played is won for the other side; that one has been looked at.
func (w *Work) consider(i int, found finding) {
	worth := found.claim != proof.Unproven
	if side := w.track.mover(i); worth && w.hasNext(i) {
		next := &w.points[i+1]
		worth = !next.won(side) && (found.claim != proof.Lost || next.won(side.Other()))
	}
	if worth {
		w.pending = &doubt{kind: unchecked, found: found}
		return
	}
	w.weigh(i, found)
}

// weigh compares what a search has found with what is known of the move that was played, and either finishes the
// position or leaves it in doubt.
func (w *Work) weigh(i int, found finding) {
	if !w.hasNext(i) {
		w.finish(i, found.Point)
		return
	}
	side, played := w.track.mover(i), w.follow(i)
	loss := shareOf(found.Chance, side) - shareOf(played.Chance, side)
	switch {
	case played.won(side) && !(found.won(side) && found.Plies < played.Plies):
		w.finish(i, played)
	case found.Proven != Unproven:
		w.finish(i, found.Point)
	case found.Best == played.Best && loss >= inaccuracy && !found.again:
		w.pending = &doubt{kind: refuted, found: found}
	case found.Best == played.Best || loss <= 0:
		w.finish(i, played)
	case loss >= inaccuracy:
		w.pending = &doubt{kind: untried, found: found}
	default:
		w.finish(i, found.Point)
	}
}

// finish makes a point final, and with it what follows from a proof for those after it.
func (w *Work) finish(i int, p Point) {
	w.points[i], w.at, w.pending = p, i, nil
	w.carry(i)
}

// carry makes what is proven of position i hold for those after it too, as far as the game goes on as the proof says. A
// winner who follows the proof has won after its first move, one ply earlier: the loser is to move there, and whatever
// he does is no worse for him. After any move of a loser the win must go on in time, but how it does in the one that
// was played has to be found out.
func (w *Work) carry(i int) {
	for ; w.hasNext(i) && w.points[i].decided(); i++ {
		p, next := &w.points[i], &w.points[i+1]
		if next.Proven == p.Proven && next.Plies < p.Plies {
			return
		}
		if !p.won(w.track.mover(i)) {
			if w.tries[i+1] < maxTries {
				w.tries[i+1]++
				w.pending = &doubt{kind: overdue, at: i + 1, found: finding{claim: proof.Won, plies: p.Plies - 1}}
			}
			return
		}
		if p.Best != w.track.moves[i] {
			return
		}
		next.Value, next.Chance, next.Proven, next.Plies = p.Value, p.Chance, p.Proven, p.Plies-1
		if len(p.Line) > 1 {
			next.Best, next.Line = p.Line[1], p.Line[1:]
		}
	}
}

// maxTries is how often at most a faster win is looked for in one position.
const maxTries = 2

// sharpen looks for the win that must be there in time, and carries on.
func (w *Work) sharpen(ctx context.Context, i int, f finding) error {
	if err := w.prove(ctx, w.track.position(i), &f); err != nil {
		return err
	}
	w.pending = nil
	if f.decided() {
		w.points[i] = f.Point
		w.carry(i)
	}
	return nil
}

// hasNext says whether a move was played from position i.
func (w *Work) hasNext(i int) bool { return i+1 < len(w.points) }

// follow returns what the position after the move played says about position i.
func (w *Work) follow(i int) Point {
	return before(&w.points[i+1], w.track.moves[i], w.track.mover(i))
}

// forced returns what position i is worth if only one move can be played from it: all that is proven of the next one is
// proven of it too.
func (w *Work) forced(i int) Point {
	p, next := w.follow(i), &w.points[i+1]
	p.Chance, p.Proven = next.Chance, next.Proven
	if p.Proven == ProvenFirst || p.Proven == ProvenSecond {
		p.Plies = next.Plies + 1
	}
	return p
}

// before returns what a position is worth to side, which is to move in it and may play m, if next is what comes of that. It
// is proven only if m wins: there may be better moves than one that draws or loses.
func before(next *Point, m games.Move, side games.Side) Point {
	p := Point{Value: next.Value, Chance: doubtful(next.Chance), Best: m}
	if next.won(side) {
		p.Chance, p.Proven, p.Plies = next.Chance, next.Proven, next.Plies+1
	}
	p.Line = append(p.Line, m)
	p.Line = append(p.Line, next.Line[:min(len(next.Line), MaxLine-1)]...)
	return p
}
