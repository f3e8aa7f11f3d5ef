package lists

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// # Now playing
//
// The list of running matches has the matches that are played: a player or a guest in a seat is here, or the match had an event
// lately, because a script may play without being here. A match with a computer player must also have a reader. One between two
// computer players pauses without readers.
//
// Matches between people come before matches with computer players. Among equals, the match with the stronger weaker person comes
// first. Because the rating of a newcomer says little, the deviation is subtracted from a rating.

// Matches are all matches, running and finished.
type Matches interface {
	// Feed returns the feed of the views of a match, and View the newest one. The errors are refusal.ErrNoSuchMatch, refusal.ErrDamaged,
	// refusal.ErrBusy.
	Feed(ctx context.Context, id storage.MatchID) (*feed.Feed[*match.View], error)
	View(ctx context.Context, id storage.MatchID) (*match.View, error)
}

// A Store keeps finished matches and ratings; see results.Store.
type Store interface {
	History(ctx context.Context, q results.HistoryQuery) ([]results.Finished, error)
	RatingsIn(ctx context.Context, game string, ids []storage.PlayerID) (map[storage.PlayerID]results.Rating, error)
}

// A Television shows the best running match, and the last finished one. It is safe for concurrent use.
type Television struct {
	config  Config
	lists   *Service
	matches Matches
	store   Store
	reach   *nodes.Reach
	last    lastMatch
}

// NewTelevision returns a television that chooses from the running matches of lists.
func NewTelevision(c Config, lists *Service, matches Matches, store Store, reach *nodes.Reach) *Television {
	return &Television{config: c.orDefault(), lists: lists, matches: matches, store: store, reach: reach}
}

// NowPlaying returns the public matches that are being played at this moment, the strongest first; at most MaxListed.
func (t *Television) NowPlaying() []Running {
	played := slices.DeleteFunc(t.config.Registry.Running(), func(s *match.Summary) bool {
		_, ok := t.lists.playing(s)
		return !ok
	})
	return inTurns(t.config.Registry, t.config.MaxListed, played, strongestFirst, runningOf)
}

// Watch returns the view on the club's television as soon as it differs from after. Start with nil.
//
// The television shows the best running match of a game, or of all games if game is "". Matches with an event within playedFor come before
// matches that stand still. The television stays on a match until its end, even if a better one begins. It changes to another one earlier only
// when the match is no longer played, or stands still and the other one doesn't. While nothing is on, and after the end of the last
// match, Watch waits. A slow reader misses views, as in Seat.Next.
//
// The errors are the same as of Seat.Follow, and refusal.ErrNoSuchGame.
func (t *Television) Watch(ctx context.Context, u match.User, game string, after *match.View) (*match.View, error) {
	if game != "" {
		g, err := t.config.Catalogue.Game(game)
		if err != nil {
			return nil, err
		}
		game = g.About().ID
	}
	return nodes.UntilCutOff(ctx, t.reach, func(ctx context.Context) (*match.View, error) { return t.television(ctx, u, game, after, true) })
}

// TelevisionInLobby is Watch for a user in the lobby, where the television stands beside the lists. The user doesn't count as a reader of a match
// with a computer player: it goes off the television as soon as it has no other reader. Each user gets a new view at a time of their own,
// as in Service.Next.
func (t *Television) TelevisionInLobby(ctx context.Context, u match.User, after *match.View) (*match.View, error) {
	v, err := t.television(ctx, u, "", after, false)
	if err != nil || after == nil {
		return v, err
	}
	timer := time.NewTimer(t.lists.delayOf(u.Key()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return v, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// television is Watch and TelevisionInLobby. looks is true if the caller counts as a reader of the match.
func (t *Television) television(ctx context.Context, u match.User, game string, after *match.View, looks bool) (*match.View, error) {
	for {
		all, _, newLists := t.lists.Watch()
		var newView <-chan struct{} // nil: nothing is on
		leave := func() {}
		if id := t.onTelevision(all.Running, game, after, looks); id != "" {
			views, err := t.matches.Feed(ctx, id)
			switch {
			case errors.Is(err, refusal.ErrNoSuchMatch), errors.Is(err, refusal.ErrDamaged): // it has just been forgotten, or quarantined
				if after != nil && id == after.ID {
					gone := *after
					gone.Over = true
					after = &gone
					continue
				}
				views = feed.New[*match.View](t.config.Feeds) // the lists are about to lose it
			case err != nil:
				return nil, err
			}
			if s := t.config.Registry.Find(id).Summary; looks || s == nil || !s.HasBot() {
				leave = views.Attend()
			}
			var v *match.View
			v, _, newView = views.Watch()
			if v != nil && (after == nil || after.ID != id || v.Seq > after.Seq && !after.Over) { // after the end only the presence changes
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
		case <-t.config.Feeds.Closed():
			err = t.config.Feeds.Err()
		}
		leave()
		if err != nil {
			return nil, err
		}
	}
}

// onTelevision returns the match to show after a view; "" for none.
func (t *Television) onTelevision(running []Running, game string, after *match.View, looks bool) storage.MatchID {
	stays, lively := false, false // the match of after, which goes on
	if after != nil && !after.Over {
		s := t.config.Registry.Find(after.ID).Summary
		if s == nil {
			return after.ID // it has ended: its last view comes first
		}
		_, played := t.lists.playing(s)
		stays = played && (looks || t.config.Registry.Find(after.ID).Running)
		lively = stays && t.lively(s)
	}
	if lively {
		return after.ID
	}
	var best storage.MatchID // of the others, which may all stand still
	for _, r := range running {
		if game != "" && r.Game != game || after != nil && r.ID == after.ID {
			continue
		}
		s := t.config.Registry.Find(r.ID).Summary
		switch {
		case s == nil: // it has ended since the lists were made
		case t.lively(s):
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

// lively reports whether a match has had an event within playedFor.
func (t *Television) lively(s *match.Summary) bool { return t.config.Now().Sub(s.LastAt) < playedFor }
