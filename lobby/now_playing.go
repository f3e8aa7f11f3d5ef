package lobby

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/storage"
)

// # Now playing
//
// The list of running matches has those that somebody plays: a player or a guest in a seat is here, or something has happened
// in the match lately, since a script may play without being here. A match against a computer player must also be looked at by
// somebody, as one between two computer players, which pauses else.
//
// The strongest come first: matches between people, then those with computer players; of these, the match whose weaker person is
// the strongest. Because the rating of a newcomer says little, what counts is the rating less its deviation.

// playedFor is how long after its last event a match between people who are not here counts as played, and any match as a lively one for
// the television.
const playedFor = 5 * time.Minute

// playing reports whether somebody plays a public match that runs. Unless until is zero, that ends then if nothing happens.
func (l *Lobby) playing(s *match.Summary) (until time.Time, ok bool) {
	people := false
	for _, o := range s.Seats {
		if o.Kind == storage.Bot {
			continue
		}
		people = true
		if _, gone := l.Presence.Away(o); !gone {
			return time.Time{}, true
		}
	}
	left := playedFor - l.now().Sub(s.LastAt)
	switch {
	case !people: // the registry lists it as long as somebody looks
		return time.Time{}, true
	case left <= 0:
		return time.Time{}, false
	}
	return time.Now().Add(left), true
}

// NowPlaying returns the public matches that somebody plays at this very moment, the strongest first; at most Limits.Listed.
func (l *Lobby) NowPlaying() []Running {
	played := slices.DeleteFunc(l.registry.Running(), func(s *match.Summary) bool {
		_, ok := l.playing(s)
		return !ok
	})
	return inTurns(l.registry, l.limits.Listed, played, strongestFirst, runningOf)
}

// Television returns what is on the club's television as soon as that is something else than the view after, which is nil in the
// beginning: the best match of a game that is being played, of all games if game is ""; one in which something has happened for
// playedFor before one that stands still. It stays on a match until that ends, even if a better one begins, and leaves it before
// only for another one, when nobody plays it any more or it stands still and the other one doesn't. While nothing is on, and after the
// end of the last match, it waits. A slow reader misses views, as in Seat.Next. The errors are those of Seat.Follow, and ErrNoSuchGame.
func (l *Lobby) Television(ctx context.Context, u User, game string, after *View) (*View, error) {
	if game != "" {
		g, err := l.Game(game)
		if err != nil {
			return nil, err
		}
		game = g.About().ID
	}
	return nodes.UntilCutOff(ctx, l.reach, func(ctx context.Context) (*View, error) { return l.television(ctx, u, game, after, true) })
}

// TelevisionInLobby is Television for somebody in the lobby, where it stands beside the lists. They don't look at the match: one with a
// computer player goes off the television as soon as nobody else looks. What is new reaches each user at a time of their own, as in
// Next.
func (l *Lobby) TelevisionInLobby(ctx context.Context, u User, after *View) (*View, error) {
	v, err := l.television(ctx, u, "", after, false)
	if err != nil || after == nil {
		return v, err
	}
	timer := time.NewTimer(l.lists.delayOf(u.Key()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return v, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// television is Television. looks says whether its reader counts among those who look at the match.
func (l *Lobby) television(ctx context.Context, u User, game string, after *View, looks bool) (*View, error) {
	for {
		lists, _, newLists := l.lists.watch()
		var newView <-chan struct{} // nil: nothing is on
		leave := func() {}
		if id := l.onTelevision(lists.Running, game, after, looks); id != "" {
			views, err := l.Matches.Views(ctx, id)
			switch {
			case errors.Is(err, ErrNoSuchMatch), errors.Is(err, ErrDamaged): // it has just been forgotten, or quarantined
				if after != nil && id == after.ID {
					gone := *after
					gone.Over = true
					after = &gone
					continue
				}
				views = feed.New[*View](l.feeds) // the lists are about to lose it
			case err != nil:
				return nil, err
			}
			if s := l.registry.Find(id).Summary; looks || s == nil || !s.HasBot() {
				leave = views.Attend()
			}
			var v *View
			v, _, newView = views.Watch()
			if v != nil && (after == nil || after.ID != id || v.Seq > after.Seq && !after.Over) { // who comes and goes after the end is no news
				leave()
				return v.SeenBy(u, ""), nil
			}
		}
		var err error
		select {
		case <-newLists:
		case <-newView:
		case <-ctx.Done():
			err = ctx.Err()
		case <-l.feeds.Closed():
			err = l.feeds.Err()
		}
		leave()
		if err != nil {
			return nil, err
		}
	}
}

// onTelevision returns the match that is to be shown after a view; "" for none.
func (l *Lobby) onTelevision(running []Running, game string, after *View, looks bool) storage.MatchID {
	stays, lively := false, false // the match of after, which goes on
	if after != nil && !after.Over {
		s := l.registry.Find(after.ID).Summary
		if s == nil {
			return after.ID // it has ended: its last view comes first
		}
		_, played := l.playing(s)
		stays = played && (looks || l.registry.Find(after.ID).Running)
		lively = stays && l.lively(s)
	}
	if lively {
		return after.ID
	}
	var best storage.MatchID // of the others, which may all stand still
	for _, r := range running {
		if game != "" && r.Game != game || after != nil && r.ID == after.ID {
			continue
		}
		s := l.registry.Find(r.ID).Summary
		switch {
		case s == nil: // it has ended since the lists were made
		case l.lively(s):
			return r.ID
		case best == "":
			best = r.ID
		}
	}
	if stays || best == "" && after != nil && !after.Over && looks {
		return after.ID
	}
	return best
}

// lively reports whether something has happened lately in a match.
func (l *Lobby) lively(s *match.Summary) bool { return l.now().Sub(s.LastAt) < playedFor }
