package bot

import (
	"context"
	"slices"
	"time"

	"ludoteca/games"
)

// Levels from firstAdvised on ask the game for advice before they search, if it has any to give. The advice costs at most
// one node in adviceShare, and no more of the time.
const (
	firstAdvised = 3 // champion
	adviceShare  = 2
)

// advise asks the game which moves are worth a thought; the search will look at no others. What that costs is taken from
// its nodes.
func (a *alphaBeta) advise(ctx context.Context) {
	advisor, ok := a.pos.(games.Advisor)
	if !ok {
		return
	}
	if end, limited := ctx.Deadline(); limited {
		early, stop := context.WithTimeout(ctx, time.Until(end)/adviceShare)
		defer stop()
		ctx = early
	}
	advice := advisor.Advise(a.limit/adviceShare, func() bool { return ctx.Err() != nil })
	a.only = advice.Moves
	if len(advice.Moves) > 0 && !advice.Complete {
		a.rest = unseen
	}
	a.nodes += advice.Nodes
}

// advised leaves the moves that the search is to look at.
func (a *alphaBeta) advised(moves []games.Ranked) []games.Ranked {
	if len(a.only) == 0 {
		return moves
	}
	return slices.DeleteFunc(moves, func(m games.Ranked) bool { return !slices.Contains(a.only, m.Code) })
}
