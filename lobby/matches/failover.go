package matches

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
)

// A Failover has matches go on when nodes come and go, and sees to it that clocks get the time back that was lost. It is safe for concurrent use.
type Failover struct {
	registry *registry.Registry
	store    live.Store
	outages  *Outages
	stats    *NodeStats
	now      func() time.Time
	log      *slog.Logger
}

// OwnersChanged has the matches that this node owns now go on here, and others no more. It is called too when this node has been cut off from the
// store or has reached it again.
func (f *Failover) OwnersChanged() { f.stats.Takeovers.Add(int64(f.registry.OwnersChanged())) }

// ClubDown applies the last outage of the whole club.
func (f *Failover) ClubDown(o cluster.Outage) {
	if f.outages.ClubDown(o) {
		f.log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		f.OwnersChanged()
	}
}

// NodeLost applies that a node is gone at which a person was, and which was up at a time: matches in which it is the turn of that person get
// the time since then back.
func (f *Failover) NodeLost(ctx context.Context, upAt time.Time, k match.Key) {
	now := f.now() // before the logs are read
	f.outages.nodeLost(upAt, now, f.yetToResume(ctx, upAt, k))
}

// yetToResume returns the matches in which it is the turn of a person who was at a node that is gone, and was up at a time. It leaves out
// matches whose clock was resumed since: another node may have learned sooner that the node is gone, and what it has written may come here first.
func (f *Failover) yetToResume(ctx context.Context, upAt time.Time, k match.Key) (yet []*match.Summary) {
	for _, m := range f.registry.Of(k) {
		switch {
		case m.Started.IsZero() || m.Clock.Setting.Kind != clock.Fischer || match.KeyOf(m.Seats[m.Turn]) != k:
		case m.Clock.Since.After(upAt) && f.resumedAt(ctx, m.ID, m.Clock.Since):
		default:
			yet = append(yet, m)
		}
	}
	return yet
}

// resumedAt reports whether the clock of a match was resumed at a time. If the store doesn't say, it was not.
func (f *Failover) resumedAt(ctx context.Context, id storage.MatchID, at time.Time) (resumed bool) {
	_ = live.ReadLog(ctx, f.store, id, func(events []matches.Event) error { // the error: see above
		resumed = resumed || slices.ContainsFunc(events, func(e matches.Event) bool { return e.Kind == matches.Resumed && e.At.Equal(at) })
		return nil
	})
	return resumed
}
