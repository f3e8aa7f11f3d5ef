package lobby

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// # Matches of other nodes

// followMatches follows the summaries of all unfinished matches until ctx ends.
func (l *Lobby) followMatches(ctx context.Context) {
	l.node.Follow(ctx, func(ctx context.Context) error {
		return l.shared.FollowSummaries(ctx, storage.Follower[storage.MatchID, matches.Summary]{
			All: func(rows []matches.Summary) {
				all := make(map[storage.MatchID]bool, len(rows))
				for _, row := range rows {
					all[row.ID] = true
					l.summaryChanged(ctx, row)
				}
				for _, id := range l.registry.Reconcile(all) {
					l.matchEnded(l.registry.FollowEnd(id))
				}
			},
			Put:  func(row matches.Summary) { l.summaryChanged(ctx, row) },
			Gone: func(id storage.MatchID) { l.matchEnded(l.registry.FollowEnd(id)) },
			Bad:  l.unreadable,
		})
	})
}

// summaryChanged updates the registry from a summary in the store, unless it has this version of the summary already.
func (l *Lobby) summaryChanged(ctx context.Context, row matches.Summary) {
	found := l.registry.Find(row.ID)
	old := found.Summary
	if row.Seq == 0 || found.Quarantined || old != nil && row.Seq <= old.Events {
		return
	}
	s, err := match.SummaryOf(row, l.Game)
	if err != nil {
		l.unreadable(string(row.ID), err)
		return
	}
	l.stats.Followed.Add(1)
	l.stats.FollowedLag.Add(int64(max(l.now().Sub(s.LastAt), 0)))
	for side, o := range s.Seats {
		if old != nil && match.KeyOf(old.Seats[side]) == match.KeyOf(o) {
			s.Strength[side] = old.Strength[side]
		} else if s.Public && o.Kind == storage.Person {
			s.Strength[side] = l.seated.Strength(ctx, o, s.Game.About().ID)
		}
		s.Seats[side] = l.seated.Named(o)
	}
	l.indexed(l.registry.Follow(&s))
	l.outages.changed(&s, false)
	l.rematchChanged(&s, false)
}

// matchEnded updates lists, chats and rematches after a match that was not in memory here has ended. s is its last summary, nil if there is
// nothing to do.
func (l *Lobby) matchEnded(s *match.Summary, c registry.Change) {
	l.indexed(c)
	if s == nil {
		return
	}
	l.outages.changed(s, true)
	l.countLate(s)
	l.keepApart(s)
	if s.Rated {
		l.leaderboards.rated(s.Game.About().ID)
	}
	l.chats.End(s.ID, l.presence.Audience(s.ID))
	l.rematchChanged(s, true)
}

// errGone means that a match has ended on another node.
var errGone = errors.New("the match has ended on another node")
