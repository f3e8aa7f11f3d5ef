package matches

import (
	"context"

	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Matches of other nodes

// Follow follows the summaries of all unfinished matches until ctx ends.
func (s *Service) Follow(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowSummaries(ctx, storage.Follower[storage.MatchID, matches.Summary]{
			All: func(rows []matches.Summary) {
				all := make(map[storage.MatchID]bool, len(rows))
				for _, row := range rows {
					all[row.ID] = true
					s.summaryChanged(ctx, row)
				}
				for _, id := range s.registry.Reconcile(all) {
					s.endedElsewhere(s.registry.FollowEnd(id))
				}
			},
			Put:  func(row matches.Summary) { s.summaryChanged(ctx, row) },
			Gone: func(id storage.MatchID) { s.endedElsewhere(s.registry.FollowEnd(id)) },
			Bad:  s.unreadable,
		})
	})
}

func (s *Service) unreadable(key string, err error) {
	s.config.Log.Error("what another node has written can't be read", "key", key, "err", err)
}

// summaryChanged updates the registry from a summary in the store, unless it has this version of the summary already.
func (s *Service) summaryChanged(ctx context.Context, row matches.Summary) {
	found := s.registry.Find(row.ID)
	old := found.Summary
	if row.Seq == 0 || found.Quarantined || old != nil && row.Seq <= old.Events {
		return
	}
	now, err := match.SummaryOf(row, s.live.Catalogue.Game)
	if err != nil {
		s.unreadable(string(row.ID), err)
		return
	}
	s.config.Stats.Followed.Add(1)
	s.config.Stats.FollowedLag.Add(int64(max(s.config.Now().Sub(now.LastAt), 0)))
	for side, o := range now.Seats {
		if old != nil && match.KeyOf(old.Seats[side]) == match.KeyOf(o) {
			now.Strength[side] = old.Strength[side]
		} else if now.Public && o.Kind == storage.Person {
			now.Strength[side] = s.live.Players.Strength(ctx, o, now.Game.About().ID)
		}
		now.Seats[side] = s.live.Players.Named(o)
	}
	s.config.News.Filed(s.registry.Follow(&now))
	s.Outages.changed(&now, false)
	s.config.News.Changed(&now, false)
}

// endedElsewhere passes on that a match has ended that was not in memory here. last is its last summary, nil if there is nothing to do.
func (s *Service) endedElsewhere(last *match.Summary, c registry.Change) {
	s.config.News.Filed(c)
	if last == nil {
		return
	}
	s.Outages.changed(last, true)
	s.config.News.EndedElsewhere(last)
	s.config.News.Changed(last, true)
}
