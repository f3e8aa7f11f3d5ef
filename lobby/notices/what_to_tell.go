package notices

import (
	"context"
	"slices"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/notices"
)

// How long a player must be gone before they are told. A line that drops for a moment is no reason.
const (
	goneFor = 2 * time.Minute  // of a challenge, and a move in a match with days
	awayFor = 15 * time.Minute // of a move in a match without a clock
)

// planFor is how long after the last event of a match a plan of the side to move may still answer it. The owner of the match plays a plan within
// moments, and another node takes over within seconds; a node that doesn't own the match may never learn that its owner has found no answer.
const planFor = time.Minute

// A finder finds what players are to be told. The goroutine of Run owns it.
type finder struct {
	*Service
	told map[storage.PlayerID]notices.Tally // what the store said last, of players that this node owns
}

func newFinder(s *Service) *finder {
	return &finder{s, map[storage.PlayerID]notices.Tally{}}
}

// find queues notices for all players who are to be told something, of those that this node owns.
func (f *finder) find(ctx context.Context) {
	owned := f.players(f.owns)
	for id := range f.told {
		if _, ok := slices.BinarySearch(owned, id); !ok {
			delete(f.told, id) // another node may write it now
		}
	}
	for _, id := range owned {
		if ctx.Err() != nil {
			return
		}
		if f.Sends(f.kindOf(id)) && !f.config.Restrictions.Closed(id) && f.room.has(id) {
			f.tell(ctx, id)
		}
	}
}

// tell queues what a player is to be told.
func (f *finder) tell(ctx context.Context, id storage.PlayerID) {
	gone, is := f.gone(id)
	if !is || gone < goneFor {
		return
	}
	now := f.config.Now()
	who, all := keyOf(id), f.config.Matches.Of(keyOf(id))
	waiting, open := turns(who, all, gone, now), challenges(who, all)
	t, known := f.told[id]
	var err error
	if len(waiting) > 0 && (!known || now.Sub(t.Moved) >= notices.TurnsEvery && t.NewTurn(waiting)) {
		if t, err = f.config.Store.TellTurns(ctx, id, waiting, now); err == nil {
			f.told[id], known = t, true
			f.room.add(id)
		}
	}
	if err == nil && len(open) > 0 && (!known || len(t.NewChallenges(open, now)) > 0) {
		if t, err = f.config.Store.TellChallenges(ctx, id, open, now); err == nil {
			f.told[id] = t
			f.room.add(id)
		}
	}
	if err != nil && ctx.Err() == nil {
		f.config.Log.Warn("a notice can't be queued", "player", id, "err", err)
	}
}

// gone reports whether a player has no session at any node, and for how long.
func (s *Service) gone(id storage.PlayerID) (age time.Duration, gone bool) {
	since, gone := s.config.Presence.Away(match.Key{Kind: storage.Person, ID: string(id)})
	if since.Before(s.opened) {
		since = s.opened // before that they may have been here
	}
	return time.Since(since), gone
}

// turns returns the matches that wait for the move of a player who has been gone for a time.
func turns(who match.Key, all []*match.Summary, gone time.Duration, now time.Time) (waiting []notices.Turn) {
	for _, m := range all {
		if waits(who, m, now) && (m.Clock.Setting.Kind == clock.Correspondence || gone >= awayFor) {
			waiting = append(waiting, notices.Turn{Match: m.ID, Ply: m.Plies})
		}
	}
	slices.SortFunc(waiting, func(a, b notices.Turn) int {
		if a.Match < b.Match {
			return -1
		}
		return 1
	})
	return waiting
}

// waits reports whether a match against another person waits for a player's move, and may do so for long: a clock that counts seconds has run out
// before they read of it. A match whose clock stands doesn't wait, and a move that a plan of the player may make is not theirs to make.
func waits(who match.Key, m *match.Summary, now time.Time) bool {
	if m.Clock.StandsAt(now) || m.Planned && now.Sub(m.LastAt) < planFor {
		return false
	}
	return !m.Started.IsZero() && match.KeyOf(m.Seats[m.Turn]) == who && !m.HasBot() && !match.SameUser(m.Seats) && m.Clock.Setting.Kind != clock.Fischer
}

// challenges returns the open challenges to a player.
func challenges(who match.Key, all []*match.Summary) (open []notices.Challenge) {
	for _, m := range all {
		if invites(who, m) {
			by := match.KeyOf(m.Seats[m.FreeSide().Other()])
			open = append(open, notices.Challenge{Match: m.ID, By: string(by.Kind) + " " + by.ID})
		}
	}
	slices.SortFunc(open, func(a, b notices.Challenge) int {
		if a.Match < b.Match {
			return -1
		}
		return 1
	})
	return open
}

// invites reports whether a match is an open challenge to a player.
func invites(who match.Key, m *match.Summary) bool {
	return m.OpenChallenge() && match.KeyOf(m.Reserved) == who
}

// EventBegins tells a player that an event begins in which they take part, unless they are here, and reports whether they are told. The node that
// runs the event calls it, a little before: it returns when the notice is counted and queued, and may be called again. Players without an address
// are told nothing. The error is the store's.
func (s *Service) EventBegins(ctx context.Context, id storage.PlayerID, e notices.Event) (told bool, err error) {
	if _, gone := s.gone(id); !gone || !s.Sends(s.kindOf(id)) || s.config.Restrictions.Closed(id) || !s.room.has(id) {
		return false, nil
	}
	if err := s.config.Store.TellEvent(ctx, id, e, s.config.Now()); err != nil {
		return false, err
	}
	s.room.add(id)
	s.soon()
	return true, nil
}
