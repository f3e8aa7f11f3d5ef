package bot

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
)

// ErrStop is the cause with which a search is stopped that is to return what it has found so far.
var ErrStop = errors.New("the search was stopped")

// stopped reports whether a context was cancelled for the cause ErrStop.
func stopped(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrStop) }

// Limits say how far one search goes. The strongest level goes as far as they say, in place of its own budget, but for one that was given
// with its ID. Other levels never look at more positions than they do in the club, so limits only lower what they do. The zero value is the
// search of the club.
type Limits struct {
	Nodes   int           // positions to look at; 0: no limit
	Depth   int           // plies ahead at which the search ends; it makes no proofs then and asks for no advice; 0: no limit
	Time    time.Duration // to search; 0: no limit
	Clock   Clock         // under which it shares out its time; the zero value is no clock
	Endless bool          // the search ends only when it is stopped, or can find out no more
}

// A LimitedThinker is a Thinker whose search can be limited, stopped and watched. All levels that search are one.
type LimitedThinker interface {
	Thinker

	// Search is Think within limits. It passes what it has found to report after each depth, if report is not nil. A ctx that is
	// cancelled for the cause ErrStop limits the search like a deadline.
	Search(ctx context.Context, in Limits, p games.Position, r *games.Random, report func(Thought)) (Thought, error)
}

// Search searches for the best move within limits.
func (s thinker) Search(ctx context.Context, in Limits, p games.Position, r *games.Random, report func(Thought)) (Thought, error) {
	s = s.within(in)
	if report != nil {
		s.report = func(found *searchResult) { report(found.thought(p)) }
	}
	return s.ThinkWithin(ctx, in.Clock, p, r)
}

// within returns the player with limits for a move.
func (s thinker) within(in Limits) thinker {
	if in == (Limits{}) {
		return s
	}
	if s.nodes == 0 && s.preset == len(s.profile.Presets)-1 {
		s.nodes, s.maxTime = maxNodes, 0
	}
	if in.Nodes > 0 {
		s.nodes = min(s.budget(), in.Nodes)
	}
	if in.Time > 0 && (s.maxTime == 0 || in.Time < s.maxTime) {
		s.maxTime = in.Time
	}
	s.depth, s.endless = in.Depth, in.Endless
	return s
}

// shared returns the budget of nodes whose shares advice and proofs get. A search without an end gives them shares of what the level
// looks at in the club, so that it comes to search.
func (s thinker) shared(nodes int) int {
	if s.endless {
		return min(nodes, s.can().Nodes)
	}
	return nodes
}
