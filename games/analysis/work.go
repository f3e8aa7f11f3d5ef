package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/proof"
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
// better one, leads to a proven win, and a checked proof stands against any estimate. What has been proven before of the first positions,
// with more work than an analysis has time for (games.ProvenGame), stands likewise.

// The budgets of nodes. A game gets some totalNodes, so that a long one is analysed about as fast as a short one, down to
// leastNodes for each position.
const (
	totalNodes = 10_000_000
	leastNodes = 2_000
	mostNodes  = 50_000
	maxNodes   = 100_000_000

	// deepFactor is how many times the nodes are spent when the best move has turned out badly.
	deepFactor = 2
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

// Budget returns the default number of nodes for each position of a game with the given number of plies.
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

// Analyse analyses the moves made in a game from a start position. nodes is the budget for each position; 0 stands for the
// result of Budget. The same input gives the same analysis. progress, if it is not nil, is called with the number of positions
// that are done. The error is ErrLong, ErrNodes, bot.ErrNoSearch, one that wraps games.ErrIllegal, or the error of ctx, soon
// after ctx ends.
func Analyse(ctx context.Context, g games.Game, start games.Position, moves []games.Move, nodes int,
	progress func(done, total int)) (*Analysis, error) {
	w, err := Begin(ctx, g, start, moves, nodes)
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
	thinker     bot.Thinker // with the usual budget
	deepThinker bot.Thinker // with a larger one
	elsewhere   func(context.Context, Search) (bot.Thought, bool)
	scale       float64
	nodes       int
	history     *history
	known       map[int]games.ProvenPosition // by ply: what has been proven before
	points      []Point
	at          int                // points[at:] are known but for their marks
	tries       []uint8            // by position: how often a faster win has been looked for
	held        map[int]games.Move // by ply: a move that is proven not to lose
	pending     *followUp
	claims      map[int]games.Claim // by ply: why the move that was played is a mistake
	explained   int                 // the moves before this ply are explained
}

// Begin begins the work that Analyse does, and replays the game. It returns the same errors as Analyse.
func Begin(ctx context.Context, g games.Game, start games.Position, moves []games.Move, nodes int) (*Work, error) {
	switch {
	case len(moves) > MaxPlies:
		return nil, ErrLong
	case CheckNodes(nodes) != nil:
		return nil, ErrNodes
	case nodes == 0:
		nodes = Budget(len(moves))
	}
	w := &Work{held: map[int]games.Move{}, claims: map[int]games.Claim{}, nodes: nodes, scale: games.ProfileOf(g).Scale, at: len(moves) + 1}
	w.points, w.tries = make([]Point, len(moves)+1), make([]uint8, len(moves)+1)
	var err error
	if w.thinker, err = bot.Strongest(g, nodes); err != nil {
		return nil, err
	}
	if w.deepThinker, err = bot.Strongest(g, w.deepNodes()); err != nil {
		return nil, err
	}
	if w.history, err = newHistory(ctx, start, moves); err != nil {
		return nil, err
	}
	if w.known, err = w.findKnown(g); err != nil {
		return nil, err
	}
	return w, nil
}

// A Search is one search of an analysis, by the strongest computer player of the game.
type Search struct {
	Position games.Position
	Moves    []games.Move // from the start of the game to Position
	Nodes    int          // the budget
	Seed     uint64       // of the random source
}

// Elsewhere has searches done by search, which must find what the Work would find. Where ok is false, and for proofs, the Work searches itself.
func (w *Work) Elsewhere(search func(ctx context.Context, s Search) (t bot.Thought, ok bool)) {
	w.elsewhere = search
}

// findKnown returns what has been proven before of positions of the game, by ply.
func (w *Work) findKnown(g games.Game) (map[int]games.ProvenPosition, error) {
	known := map[int]games.ProvenPosition{}
	for _, k := range games.AllProven(g) {
		p, err := k.Position(g)
		if err != nil {
			return nil, fmt.Errorf("analysis: what is proven of %s: %w", g.About().ID, err)
		}
		for _, i := range []int{0, len(k.After)} { // set up like that, or played from the start
			if i < len(w.points) && w.history.position(i).String() == p.String() {
				known[i] = k
			}
		}
	}
	return known, nil
}

// Progress returns how many of all positions are done. The work is done when all of them are.
func (w *Work) Progress() (done, total int) {
	done = len(w.points) - w.at
	if w.at == 0 && !w.complete() {
		done-- // a question is left, or a mistake to explain
	}
	return done, len(w.points)
}

// complete reports whether nothing is left to do.
func (w *Work) complete() bool {
	return w.at == 0 && w.pending == nil && w.explained == len(w.history.moves)
}

// mark returns the mark of the move that was played from position i.
func (w *Work) mark(i int) Mark {
	return markOf(&w.points[i], &w.points[i+1], w.history.moves[i], w.history.mover(i))
}

// Analysis returns the finished analysis. It must not be called before the work is done.
func (w *Work) Analysis() *Analysis {
	points := slices.Clone(w.points)
	for i := range points[:len(points)-1] {
		points[i].Mark, points[i].Why = w.mark(i), w.claims[i]
	}
	return &Analysis{Version: Version, Nodes: w.nodes, Points: points}
}

// A finding is what a search says of a position.
type finding struct {
	Point
	again bool // by the larger budget
	held  bool // Best is proven not to lose

	// What the search believes about the end, and within how many plies, without a proof.
	claim proof.Result
	plies int
}

// A followUp is one more search or proof that is needed before the value of the present position is known.
type followUp struct {
	kind  followUpKind
	found finding
	at    int // the position, if kind is followDraw or shortenWin
}

type followUpKind uint8

const (
	proveClaim   followUpKind = iota // whether what the search claims can be proven
	searchAgain                      // whether there is a better move than the one that has turned out badly
	searchBetter                     // whether the better move is really better
	followDraw                       // whether a move that was played from a proven draw keeps it
	shortenWin                       // how an earlier position's win goes on in time after the move that was played
)

// Step makes one search, and with it completes at most one position, or explains one mistake when all positions are known. It does nothing when
// the work is done. The only error is the error of ctx; the same step can be tried again after it.
func (w *Work) Step(ctx context.Context) error {
	if w.complete() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.at == 0 && w.pending == nil {
		w.explain()
		return nil
	}
	i := w.at - 1
	if w.pending != nil {
		return w.runFollowUp(ctx, i, *w.pending)
	}
	p := w.history.position(i)
	if over := p.Result(); over.Over {
		w.finish(i, endPoint(over))
		return nil
	}
	known, isKnown := w.known[i]
	if isKnown && !known.Result.Draw {
		w.finish(i, knownPoint(known))
		return nil
	}
	if !isKnown && w.hasNext(i) && len(p.Legal()) == 1 {
		w.finish(i, w.forced(i)) // there was nothing to choose
		return nil
	}
	found, err := w.think(ctx, w.nodes, p, i)
	if err != nil {
		return err
	}
	if isKnown {
		draw := knownPoint(known)
		draw.Best, draw.Line = found.Best, found.Line
		w.finish(i, draw)
		w.propagateDraw(i)
		return nil
	}
	w.consider(i, found)
	return nil
}

// explain looks for the reason of the next mistake.
func (w *Work) explain() {
	for w.explained < len(w.history.moves) {
		i := w.explained
		w.explained++
		if w.mark(i) != Fine {
			if c := claimOf(w.history.position(i), w.history.moves[i], &w.points[i], &w.points[i+1]); c.Kind != "" {
				w.claims[i] = c
			}
			return
		}
	}
}

// knownPoint returns the point of a position whose value has been proven before.
func knownPoint(k games.ProvenPosition) Point {
	p := endPoint(k.Result)
	p.Plies, p.Line = k.Plies, k.Line[:min(len(k.Line), MaxLine)]
	if len(p.Line) > 0 {
		p.Best = p.Line[0]
	}
	return p
}

// runFollowUp runs the search or proof that is pending.
func (w *Work) runFollowUp(ctx context.Context, i int, f followUp) error {
	switch f.kind {
	case shortenWin:
		return w.findFasterWin(ctx, f.at, f.found)
	case followDraw:
		return w.findDraw(ctx, f.at)
	}
	p := w.history.position(i)
	switch f.kind {
	case proveClaim:
		if err := w.prove(ctx, p, &f.found); err != nil {
			return err
		}
		w.compare(i, f.found)
	case searchAgain:
		found, err := w.think(ctx, w.deepNodes(), p, i)
		if err != nil {
			return err
		}
		found.again = true
		w.consider(i, found)
	case searchBetter:
		better, err := w.searchAfter(ctx, p, f.found.Best, i)
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

// consider has a claim about the end proven, if there is a chance to, before the finding is compared. A position can only be
// lost if the one after the move played is won for the other side; that one has been looked at.
func (w *Work) consider(i int, found finding) {
	if found.held {
		w.held[i] = found.Best
	}
	worth := found.claim != proof.Unproven
	if side := w.history.mover(i); worth && w.hasNext(i) {
		next := &w.points[i+1]
		worth = !next.won(side) && (found.claim != proof.Lost || next.won(side.Other()))
	}
	if worth {
		w.pending = &followUp{kind: proveClaim, found: found}
		return
	}
	w.compare(i, found)
}

// compare compares the finding of a search with the point after the move that was played. It finishes the position or leaves a
// follow-up pending.
func (w *Work) compare(i int, found finding) {
	if !w.hasNext(i) {
		w.finish(i, found.Point)
		return
	}
	side, played := w.history.mover(i), w.follow(i)
	loss := shareOf(found.Chance, side) - shareOf(played.Chance, side)
	switch {
	case played.won(side) && !(found.won(side) && found.Plies < played.Plies):
		w.finish(i, played)
	case found.Proven != Unproven:
		w.finish(i, found.Point)
	case found.Best == played.Best && loss >= inaccuracy && !found.again:
		w.pending = &followUp{kind: searchAgain, found: found}
	case found.Best == played.Best || loss <= 0:
		w.finish(i, played)
	case loss >= inaccuracy:
		w.pending = &followUp{kind: searchBetter, found: found}
	default:
		w.finish(i, found.Point)
	}
}

// finish makes a point final, and with it what follows from a proof for those after it.
func (w *Work) finish(i int, p Point) {
	w.points[i], w.at, w.pending = p, i, nil
	if best, ok := w.held[i]; ok {
		w.bound(i, best)
	}
	w.propagate(i)
}

// bound raises the estimate of a position to a draw, where best is a move of the side to move that is proven not to lose. If
// another move was played, the estimate of the position after it rises by the same amount, at most to a draw. Without that, the
// raised estimate would turn any move to a position that isn't bounded into a mistake.
func (w *Work) bound(i int, best games.Move) {
	side := w.history.mover(i)
	lift := w.raise(&w.points[i], side, games.MaxEvaluation)
	if !w.hasNext(i) {
		return
	}
	if w.history.moves[i] == best {
		lift = games.MaxEvaluation
	}
	w.raise(&w.points[i+1], side, lift)
}

// raise raises an estimate for a side by at most most, and not above a draw. It returns by how much.
func (w *Work) raise(p *Point, side games.Side, most int) (by int) {
	sign := 1
	if side == games.Second {
		sign = -1
	}
	if by = min(most, -sign*p.Value); by <= 0 || p.Proven != Unproven {
		return 0
	}
	p.Value += sign * by
	p.Chance = chanceOf(p.Value, w.scale)
	return by
}

// propagate makes what is proven of position i hold for the positions after it, as far as the game follows the proof. After
// the first move of the proof the same win is one ply nearer, and no reply of the loser is worse for the loser. After any
// move of the loser the win must still be reached in time; how it is after the move played has to be found out.
func (w *Work) propagate(i int) {
	for ; w.hasNext(i) && w.points[i].decided(); i++ {
		p, next := &w.points[i], &w.points[i+1]
		if next.Proven == p.Proven && next.Plies < p.Plies {
			return
		}
		if !p.won(w.history.mover(i)) {
			if w.tries[i+1] < maxTries {
				w.tries[i+1]++
				w.pending = &followUp{kind: shortenWin, at: i + 1, found: finding{claim: proof.Won, plies: p.Plies - 1}}
			}
			return
		}
		if p.Best != w.history.moves[i] {
			return
		}
		next.Value, next.Chance, next.Proven, next.Plies = p.Value, p.Chance, p.Proven, p.Plies-1
		if len(p.Line) > 1 {
			next.Best, next.Line = p.Line[1], p.Line[1:]
		}
	}
}

// propagateDraw has the positions after a proven draw proven as far as it goes: each is a draw, or won by the side to move. The effort is
// worth it because one such question decides a position.
func (w *Work) propagateDraw(i int) {
	for ; w.hasNext(i) && w.points[i].Proven == ProvenDraw; i++ {
		if w.points[i+1].Proven == Unproven {
			w.pending = &followUp{kind: followDraw, at: i + 1}
			return
		}
	}
}

// drawFactor is how many times the nodes of a position are spent on whether it keeps a proven draw.
const drawFactor = 20

// findDraw proves what becomes of a proven draw after one more move, if it can.
func (w *Work) findDraw(ctx context.Context, i int) error {
	p := w.history.position(i)
	got, err := proof.Prove(ctx, p, proof.Limits{Nodes: min(drawFactor*w.nodes, maxNodes), Of: []proof.Result{proof.Won, proof.Drawn}})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	w.pending = nil
	if got.Result == proof.Unproven || len(got.Line) == 0 {
		return nil
	}
	w.points[i] = endPoint(resultOf(got.Result, p.Turn()))
	w.points[i].Plies, w.points[i].Best, w.points[i].Line = got.Plies, got.Line[0], got.Line[:min(len(got.Line), MaxLine)]
	w.propagate(i)
	if w.pending == nil {
		w.propagateDraw(i)
	}
	return nil
}

// maxTries is how often at most a faster win is looked for in one position.
const maxTries = 2

// findFasterWin looks for the win that must be there in time, and propagates it.
func (w *Work) findFasterWin(ctx context.Context, i int, f finding) error {
	if err := w.prove(ctx, w.history.position(i), &f); err != nil {
		return err
	}
	w.pending = nil
	if f.decided() {
		w.points[i] = f.Point
		w.propagate(i)
	}
	return nil
}

// hasNext reports whether a move was played from position i.
func (w *Work) hasNext(i int) bool { return i+1 < len(w.points) }

// follow returns what the position after the move played says about position i.
func (w *Work) follow(i int) Point {
	return pointBefore(&w.points[i+1], w.history.moves[i], w.history.mover(i))
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

// pointBefore returns the point of a position in which side is to move and plays m, and next is the point after m. It is proven only
// if m wins: another move may be better than a move that draws or loses.
func pointBefore(next *Point, m games.Move, side games.Side) Point {
	p := Point{Value: next.Value, Chance: estimate(next.Chance), Best: m}
	if next.won(side) {
		p.Chance, p.Proven, p.Plies = next.Chance, next.Proven, next.Plies+1
	}
	p.Line = append(p.Line, m)
	p.Line = append(p.Line, next.Line[:min(len(next.Line), MaxLine-1)]...)
	return p
}

// searchAfter returns what a position is worth by a search of what comes of the move m.
func (w *Work) searchAfter(ctx context.Context, p games.Position, m games.Move, i int) (Point, error) {
	q, err := p.Play(m)
	if err != nil {
		return Point{}, fmt.Errorf("analysis: the best move: %w", err)
	}
	after := finding{Point: endPoint(q.Result())}
	if !q.Result().Over {
		if after, err = w.think(ctx, w.nodes, q, i, m); err != nil {
			return Point{}, err
		}
	}
	return pointBefore(&after.Point, m, p.Turn()), nil
}

// deepNodes is the larger budget.
func (w *Work) deepNodes() int { return min(deepFactor*w.nodes, maxNodes) }

// think searches a position that comes of the first i moves and then of further ones, with one of the two budgets.
func (w *Work) think(ctx context.Context, nodes int, p games.Position, i int, then ...games.Move) (finding, error) {
	if w.elsewhere != nil {
		moves := slices.Concat(w.history.moves[:i], then)
		if thought, ok := w.elsewhere(ctx, Search{Position: p, Moves: moves, Nodes: nodes, Seed: uint64(i)}); ok {
			return w.finding(&thought, p.Turn()), nil
		}
	}
	t := w.thinker
	if nodes != w.nodes {
		t = w.deepThinker
	}
	thought, err := t.Think(ctx, p, games.NewRandom(uint64(i)))
	if err == nil {
		err = ctx.Err() // what was found until a deadline depends on the clock
	}
	if err != nil {
		return finding{}, err
	}
	return w.finding(&thought, p.Turn()), nil
}

// finding returns what a thought of side says in the terms of an analysis.
func (w *Work) finding(t *bot.Thought, side games.Side) finding {
	line := slices.Clone(t.Line[:min(len(t.Line), MaxLine)])
	f := finding{Point: Point{Best: t.Move, Line: line}, held: t.Held}
	if t.Held && t.Plies < 0 { // the search is wrong
		f.Chance = chanceOf(0, w.scale)
		return f
	}
	f.Value = min(max(t.Value, -games.MaxEvaluation), games.MaxEvaluation)
	switch {
	case t.Proven && t.Plies != 0:
		f.Point = endPoint(games.Won(winnerOf(t, side), ""))
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

// winnerOf returns the winner by a thought of side.
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
	f.Point = endPoint(resultOf(got.Result, p.Turn()))
	f.Plies, f.Best, f.Line = got.Plies, got.Line[0], got.Line[:min(len(got.Line), MaxLine)]
	return nil
}

// resultOf returns how a game ends of which a result for the side to move is proven.
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

// endPoint returns the point of a position after the end.
func endPoint(r games.Result) Point {
	switch {
	case r.Draw:
		return Point{Chance: drawn, Proven: ProvenDraw}
	case r.Winner == games.First:
		return Point{Value: games.MaxEvaluation, Chance: 1, Proven: ProvenFirst}
	default:
		return Point{Value: -games.MaxEvaluation, Proven: ProvenSecond}
	}
}
