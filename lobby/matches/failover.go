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

// A Failover continues matches when nodes come and go, and gives clocks back the time that was lost. It is safe for concurrent use.
type Failover struct {
	registry *registry.Registry
	store    live.Store
	outages  *Outages
	stats    *NodeStats
	now      func() time.Time
	log      *slog.Logger
}

// OwnersChanged starts the computer players and timers of matches that this node owns now, and stops the others. It is also called when this node
// has been cut off from the store or has reached it again.
func (f *Failover) OwnersChanged() { f.stats.Takeovers.Add(int64(f.registry.OwnersChanged())) }

// ClubDown applies the last outage of the whole club.
func (f *Failover) ClubDown(o cluster.Outage) {
	if f.outages.ClubDown(o) {
		f.log.Warn("no node could write for a while: clocks get that time back", "from", o.Down, "to", o.Up)
		f.OwnersChanged()
	}
}

// NodeLost handles the loss of a node to which the user k was connected, and which was last known to be up at upAt. Matches in which it is the
// user's turn get the time since then back.
func (f *Failover) NodeLost(ctx context.Context, upAt time.Time, k match.Key) {
	now := f.now() // before the logs are read
	f.outages.nodeLost(upAt, now, f.yetToResume(ctx, upAt, k))
}

// yetToResume returns the matches in which it is the turn of the user k, for NodeLost. It leaves out matches whose clock another node has resumed
// already: that node may have noticed the loss sooner, and its events may arrive here first.
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

// resumedAt reports whether the log of a match has a Resumed event at a time. It returns false if the log can't be read.
func (f *Failover) resumedAt(ctx context.Context, id storage.MatchID, at time.Time) (resumed bool) {
	_ = live.ReadLog(ctx, f.store, id, func(events []matches.Event) error { // the error: see above
		resumed = resumed || slices.ContainsFunc(events, func(e matches.Event) bool { return e.Kind == matches.Resumed && e.At.Equal(at) })
		return nil
	})
	return resumed
}
