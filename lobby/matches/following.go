package matches

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// A Follower applies changes by other nodes to matches that are not in memory here, and makes matches in memory read them.
type Follower struct {
	node     Node
	shared   Shared
	registry *registry.Registry
	live     *live.Config
	notifier notifier
	stats    *NodeStats
	now      func() time.Time
	log      *slog.Logger
}

// Run follows the summaries of all unfinished matches until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	f.node.Follow(ctx, func(ctx context.Context) error {
		return f.shared.FollowSummaries(ctx, storage.Follower[storage.MatchID, matches.Summary]{
			All: func(rows []matches.Summary) {
				all := make(map[storage.MatchID]bool, len(rows))
				for _, row := range rows {
					all[row.ID] = true
					f.changed(ctx, row)
				}
				for _, id := range f.registry.Reconcile(all) {
					f.ended(id)
				}
			},
			Put:  func(row matches.Summary) { f.changed(ctx, row) },
			Gone: f.ended,
			Bad:  f.unreadable,
		})
	})
}

func (f *Follower) unreadable(key string, err error) {
	f.log.Error("what another node has written can't be read", "key", key, "err", err)
}

// changed updates the registry from a summary in the store, unless the registry has this version already.
func (f *Follower) changed(ctx context.Context, row matches.Summary) {
	found := f.registry.Find(row.ID)
	old := found.Summary
	if row.Seq == 0 || found.Quarantined || old != nil && row.Seq <= old.Events {
		return
	}
	now, err := match.SummaryOf(row, f.live.Catalogue.Game)
	if err != nil {
		f.unreadable(string(row.ID), err)
		return
	}
	f.stats.Followed.Add(1)
	f.stats.FollowedLag.Add(int64(max(f.now().Sub(now.LastAt), 0)))
	for side, o := range now.Seats {
		if old != nil && match.KeyOf(old.Seats[side]) == match.KeyOf(o) {
			now.Strength[side] = old.Strength[side]
		} else if now.Public && o.Kind.HasAccount() {
			now.Strength[side] = f.live.Players.Strength(ctx, o, now.Game.About().ID)
		}
		now.Seats[side] = f.live.Players.Named(o)
	}
	f.notifier.changed(&now, false, f.registry.Follow(&now))
}

// ended removes a match from the registry whose summary is gone from the store.
func (f *Follower) ended(id storage.MatchID) { f.notifier.endedElsewhere(f.registry.FollowEnd(id)) }
