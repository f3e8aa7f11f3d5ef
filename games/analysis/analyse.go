package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// How a game is analysed
//
// Work goes from the last position to the first. Each is searched with the same number of nodes, and what is known of the
// position after the move that was played is known of that move already, one ply deeper than any search from here saw it:
//
//	... ── p[i] ── played ── p[i+1] ...     p[i+1] is done: its value counts for the move played
//	        └───── better ── q              q is searched as p[i+1] was before the move is said to be better
//
// So a move is only ever marked after both sides of the comparison have been looked at equally far: the values of two
// searches that are an odd number of plies apart differ for no good reason. And where the search wants to play what was
// played, although that turned out badly, it is asked once more with a larger budget.
//
// Values are estimates, but what is proven is never left to them: a won position remains won if the move played, or the
// better one, leads to a proven win, and a checked proof stands against any estimate.

// The budgets of nodes. A game gets some totalNodes, so that a long one is analysed about as fast as a short one, down to
// leastNodes for each position.
const (
	totalNodes = 10_000_000
	leastNodes = 2_000
	mostNodes  = 50_000
	maxNodes   = 100_000_000

	// doubted is how many times the nodes are spent when the best move has turned out badly.
	doubted = 2
)

// MaxPlies is the length of the longest game that can be analysed.
const MaxPlies = 30_000

// What Begin refuses.
var (
	// ErrLong says that a game has more than MaxPlies plies.
	ErrLong = errors.New("the game is too long to be analysed")

	// ErrNodes says that the number of nodes makes no sense.
	ErrNodes = fmt.Errorf("the positions to look at are a number from 1 to %d", maxNodes)
)

// Budget returns how many nodes each position of a game of so many plies gets, unless somebody asks for another number.
func Budget(plies int) int {
	return min(max(totalNodes/(plies+1), leastNodes), mostNodes)
}

// CheckNodes returns ErrNodes for a number of nodes that Analyse refuses.
func CheckNodes(nodes int) error {
	if nodes < 0 || nodes > maxNodes {
		return ErrNodes
	}
	return nil
}

// Analyse analyses the game with these complete options and moves, with so many nodes for each position; 0 is those of
// Budget. The same input gives the same analysis. progress, if it is not nil, is told how many of the positions are done.
// The errors are that of ctx, soon after it is cancelled, ErrLong, ErrNodes, one that wraps games.ErrOptions or
// games.ErrIllegal, and bot.ErrBlind.
func Analyse(ctx context.Context, g games.Game, o games.Options, moves []games.Move, nodes int, progress func(done, total int)) (*Analysis, error) {
	w, err := Begin(ctx, g, o, moves, nodes)
	if err != nil {
		return nil, err
	}
	for {
		done, total := w.Progress()
		if progress != nil {
			progress(done, total)
		}
		if done == total {
			return w.Analysis(), nil
		}
		if err := w.Step(ctx); err != nil {
			return nil, err
		}
	}
}

// A Work is an analysis being made, one search after the other. It belongs to one goroutine at a time.
type Work struct {
	thinker bot.Thinker // with the usual budget
	doubter bot.Thinker // with a larger one
	scale   float64
	nodes   int
	track   *track
	points  []Point
	at      int // points[at:] are known but for their marks
	pending *doubt
}

// A doubt is what has to be looked at once more before the value of the present position is known.
type doubt struct {
	found  Point // what the search has said
	verify bool  // search the position after found.Best; else the present one again, with more nodes
}

// Begin begins the work that Analyse does, and replays the game. The errors are those of Analyse.
func Begin(ctx context.Context, g games.Game, o games.Options, moves []games.Move, nodes int) (*Work, error) {
	switch {
	case len(moves) > MaxPlies:
		return nil, ErrLong
	case CheckNodes(nodes) != nil:
		return nil, ErrNodes
	case nodes == 0:
		nodes = Budget(len(moves))
	}
	w := &Work{nodes: nodes, scale: scaleOf(g.About().ID), points: make([]Point, len(moves)+1), at: len(moves) + 1}
	var err error
	if w.thinker, err = thinker(g, nodes); err != nil {
		return nil, err
	}
	if w.doubter, err = thinker(g, min(doubted*nodes, maxNodes)); err != nil {
		return nil, err
	}
	if w.track, err = newTrack(ctx, g, o, moves); err != nil {
		return nil, err
	}
	return w, nil
}

// thinker returns the strongest player of a game, with a budget of nodes.
func thinker(g games.Game, nodes int) (bot.Thinker, error) {
	levels := bot.Levels(g)
	level, err := bot.Find(g, fmt.Sprintf("%s:%d", levels[len(levels)-1].ID, nodes))
	if err != nil {
		return nil, bot.ErrBlind
	}
	t, ok := level.Player.(bot.Thinker)
	if !ok {
		return nil, bot.ErrBlind
	}
	return t, nil
}

// Progress returns how many of all positions are done. The work is when all of them are.
func (w *Work) Progress() (done, total int) { return len(w.points) - w.at, len(w.points) }

// Analysis returns the whole; only when the work is done.
func (w *Work) Analysis() *Analysis {
	points := slices.Clone(w.points)
	for i := range points[:len(points)-1] {
		points[i].Mark = markOf(&points[i], &points[i+1], w.track.moves[i], w.track.mover(i))
	}
	return &Analysis{Version: Version, Nodes: w.nodes, Points: points}
}

// Step makes one search, and with it brings at most one position to its end. It does nothing when the work is done. After
// an error, which is that of ctx, the same step can be tried again.
func (w *Work) Step(ctx context.Context) error {
	if w.at == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	i := w.at - 1
	if w.pending != nil {
		return w.settle(ctx, i)
	}
	p := w.track.position(i)
	if over := p.Result(); over.Over {
		w.finish(i, ended(over))
		return nil
	}
	if w.hasNext(i) && len(p.Legal()) == 1 {
		w.finish(i, w.forced(i))
		return nil
	}
	found, err := w.think(ctx, w.thinker, p, i)
	if err != nil {
		return err
	}
	w.weigh(i, found, false)
	return nil
}

// settle looks at what is in doubt.
func (w *Work) settle(ctx context.Context, i int) error {
	p, found := w.track.position(i), w.pending.found
	if !w.pending.verify {
		again, err := w.think(ctx, w.doubter, p, i)
		if err != nil {
			return err
		}
		w.pending = nil
		w.weigh(i, again, true)
		return nil
	}
	q, err := p.Play(found.Best)
	if err != nil {
		return fmt.Errorf("analysis: the best move: %w", err)
	}
	after := ended(q.Result())
	if !q.Result().Over {
		if after, err = w.think(ctx, w.thinker, q, i); err != nil {
			return err
		}
	}
	w.pending = nil
	side, played := w.track.mover(i), w.follow(i)
	better := before(&after, found.Best, side)
	if shareOf(better.Chance, side) <= shareOf(played.Chance, side) {
		better = played
	}
	w.finish(i, better)
	return nil
}

// weigh compares what a search has found with what is known of the move that was played, and either finishes the
// position or leaves it in doubt. again says that it was the second search already.
func (w *Work) weigh(i int, found Point, again bool) {
	if !w.hasNext(i) {
		w.finish(i, found)
		return
	}
	side, played := w.track.mover(i), w.follow(i)
	loss := shareOf(found.Chance, side) - shareOf(played.Chance, side)
	switch {
	case played.won(side) && !(found.won(side) && found.Plies < played.Plies):
		w.finish(i, played)
	case found.Proven != Unproven:
		w.finish(i, found)
	case found.Best == played.Best && loss >= inaccuracy && !again:
		w.pending = &doubt{found: found}
	case found.Best == played.Best || loss <= 0:
		w.finish(i, played)
	case loss >= inaccuracy:
		w.pending = &doubt{found: found, verify: true}
	default:
		w.finish(i, found)
	}
}

// finish makes a point final, and with it what follows from a proof for the position after it.
func (w *Work) finish(i int, p Point) {
	w.points[i], w.at = p, i
	if !w.hasNext(i) || !p.won(w.track.mover(i)) || p.Best != w.track.moves[i] {
		return
	}
	// Whoever follows the proof wins after its first move as well, one ply earlier. The loser is to move there: what he
	// does is no worse for it.
	next := &w.points[i+1]
	if next.Proven == p.Proven && next.Plies <= p.Plies-1 {
		return
	}
	next.Value, next.Chance, next.Proven, next.Plies = p.Value, p.Chance, p.Proven, p.Plies-1
	if len(p.Line) > 1 {
		next.Best, next.Line = p.Line[1], p.Line[1:]
	}
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

// think searches a position.
func (w *Work) think(ctx context.Context, t bot.Thinker, p games.Position, i int) (Point, error) {
	found, err := t.Think(ctx, p, games.NewRandom(uint64(i)))
	if err != nil {
		return Point{}, err
	}
	return w.point(&found, p.Turn()), nil
}

// point puts a thought of side into the words of an analysis.
func (w *Work) point(t *bot.Thought, side games.Side) Point {
	p := Point{Best: t.Move, Line: slices.Clone(t.Line[:min(len(t.Line), MaxLine)])}
	p.Value = min(max(t.Value, -games.MaxEvaluation), games.MaxEvaluation)
	if t.Plies != 0 {
		p.Value = games.MaxEvaluation * sign(t.Plies)
	}
	if side == games.Second {
		p.Value = -p.Value
	}
	p.Chance = chanceOf(p.Value, w.scale)
	return p
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

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
