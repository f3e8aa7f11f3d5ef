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
// The errors are that of ctx, soon after it ends, ErrLong, ErrNodes, one that wraps games.ErrOptions or
// games.ErrIllegal, and bot.ErrNoSearch.
func Analyse(ctx context.Context, g games.Game, o games.Options, moves []games.Move, nodes int,
	progress func(done, total int)) (*Analysis, error) {
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
	at      int     // points[at:] are known but for their marks
	tries   []uint8 // by position: how often a faster win has been looked for
	pending *doubt
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
	w := &Work{nodes: nodes, scale: games.ProfileOf(g).Scale, at: len(moves) + 1}
	w.points, w.tries = make([]Point, len(moves)+1), make([]uint8, len(moves)+1)
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
		return nil, bot.ErrNoSearch
	}
	t, ok := level.Player.(bot.Thinker)
	if !ok {
		return nil, bot.ErrNoSearch
	}
	return t, nil
}

// Progress returns how many of all positions are done. The work is when all of them are.
func (w *Work) Progress() (done, total int) {
	done = len(w.points) - w.at
	if w.at == 0 && w.pending != nil {
		done-- // the first one has left a question behind
	}
	return done, len(w.points)
}

// Analysis returns the whole; only when the work is done.
func (w *Work) Analysis() *Analysis {
	points := slices.Clone(w.points)
	for i := range points[:len(points)-1] {
		points[i].Mark = markOf(&points[i], &points[i+1], w.track.moves[i], w.track.mover(i))
	}
	return &Analysis{Version: Version, Nodes: w.nodes, Points: points}
}
