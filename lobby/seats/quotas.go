package seats

import (
	"context"
	"time"

	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// quotas say how many unfinished matches people may have.
type quotas struct {
	limits *limits.InForce
	store  Store
	now    func() time.Time
}

// An account that is grownDays old and has finished grownMatches may have Limits.Unfinished matches; see quotas.of.
const (
	grownDays    = 30
	grownMatches = 20
)

// first returns how many unfinished matches a user may have whatever the store says of them: a player has at least as many.
func (q quotas) first(u match.User) int {
	limits := q.limits.Now()
	if u.Kind == storage.Guest {
		return limits.GuestUnfinished
	}
	return min(limits.NewUnfinished, limits.Unfinished)
}

// of returns how many unfinished matches a player may have. It grows from Limits.NewUnfinished to Limits.Unfinished with the age of the
// account and its number of finished matches: the smaller of the two shares of grownDays and grownMatches counts. So filling the club
// takes time and play, not only keys.
func (q quotas) of(ctx context.Context, u match.User) int {
	limits := q.limits.Now()
	first, last := min(limits.NewUnfinished, limits.Unfinished), limits.Unfinished
	p, err := q.store.Player(ctx, storage.PlayerID(u.ID))
	if err != nil {
		return first
	}
	finished, err := q.store.History(ctx, results.HistoryQuery{Player: p.ID, Limit: grownMatches})
	if err != nil {
		return first
	}
	days := min(max(0, int(q.now().Sub(p.Since)/(24*time.Hour))), grownDays)
	return first + (last-first)*min(days*grownMatches, len(finished)*grownDays)/(grownDays*grownMatches)
}
