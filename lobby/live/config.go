package live

import (
	"context"
	"log/slog"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A Config configures Open, Load and Resume. All matches of a club share one. All fields but Practice must be set.
type Config struct {
	*Schedule

	Catalogue *Catalogue
	Store     Store
	Plans     Plans
	Players   Players
	Registry  Registry
	Scheduler *thinking.Scheduler
	Feeds     *feed.Group // of the matches' views
	Stats     *Stats
	Log       *slog.Logger

	// Practice returns how a match that ends counts for a practice rating; nil if it doesn't. It must not block. If it is nil, no match counts.
	Practice func(results.Finished) *results.PracticeMatch

	Seed     func() uint64 // seeds the computer players; called by any goroutine
	MaxPlies int           // moves in one match, match.MaxPlies: a longer one is drawn
	BotDelay time.Duration // a computer player's reply takes at least this long
	Idle     time.Duration // how long a match stays in memory with nobody looking and nothing to do: IdleTime
}

// How long matches wait.
const (
	// IdleTime is how long a match that nobody looks at stays in memory: readers come and go. The memory is bounded by
	// limits.Limits.LivePlies.
	IdleTime = time.Minute

	// AwayOffer is how long a public offer or a rematch waits for an owner who has not been here: time to connect after a restart.
	AwayOffer = time.Minute

	// PrivateWait is how long an offer waits for its second player. A code that was sent to a friend works for as long.
	PrivateWait = 30 * 24 * time.Hour

	// Unwatched is how long an exhibition goes on without spectators: longer than a connection needs to come back.
	Unwatched = 5 * time.Minute
)

// A Schedule is what says when a match has something to do by itself, whether it is in memory or not (Waiting.Due). All fields must be set.
type Schedule struct {
	Presence Presence
	Nodes    Nodes

	Now         func() time.Time // the clock of events. Delays always follow the machine's clock
	AwayGuest   time.Duration    // how long a guest may be gone before leaving a match
	PrivateWait time.Duration    // how long an offer waits for its second player: PrivateWait
}

// Presence knows who is here, and who looks at which board. Its methods must not block.
type Presence interface {
	// Away reports whether a person is gone, and since when: the zero time if that is not known.
	Away(k match.Key) (since time.Time, gone bool)

	// Presence returns how near the occupants of the seats are to the board of a match, and its spectators.
	Presence(id storage.MatchID, seats [2]storage.Occupant) ([2]atboard.Presence, atboard.Spectators)

	// LookedAt reports whether a person on another node looks at the board of a match.
	LookedAt(id storage.MatchID) bool
}

// Nodes knows which node owns a match. A node that is alone owns all matches. Only OpenMatch may block.
type Nodes interface {
	// Owns reports whether this node owns a match, and so runs its computer players and timers. Any node accepts acts.
	Owns(id storage.MatchID) bool

	// Several reports whether other nodes may write to the logs of matches too.
	Several() bool

	// OutageOf returns the last outage of a match whose clock runs since a time. Down is the last moment at which the program is known to
	// have run, zero if that is not known, and Up when it ran again. A clock that started before Up has to be resumed.
	OutageOf(id storage.MatchID, since time.Time) cluster.Outage

	// OpenMatch is Store.Append for the first events of a match, if the terms hold. A node that is alone ignores the terms.
	OpenMatch(ctx context.Context, id storage.MatchID, events []matches.Event, m matches.Summary, t cluster.Terms) error
}

// Players knows the people who sit in matches.
type Players interface {
	// Origin returns the origin of a person. It must not block.
	Origin(o storage.Occupant) origin.Origin

	// Named returns the occupant of a seat with their present name. Logs and records keep the name at the time of sitting down. Named must
	// not block.
	Named(o storage.Occupant) storage.Occupant

	// Strength returns the strength of the occupant of a seat in a game.
	Strength(ctx context.Context, o storage.Occupant, game string) match.Strength
}

// A Registry is the index of unfinished matches. Only the match's goroutine calls it, and it must not block.
type Registry interface {
	// Changed is called after each change, before the view is published, and when Unwatched has changed. v has no number.
	Changed(m *Match, v *match.View)

	// Unload removes an idle match from memory, retires its views, and returns true. If the match has a reader, it returns false.
	Unload(m *Match, w Waiting) bool

	// Quarantine is called when the match can't go on because its log is damaged.
	Quarantine(m *Match)
}

// Owned reports whether this node owns a match.
func (c *Schedule) Owned(id storage.MatchID) bool { return c.Nodes.Owns(id) }

// LookedAt reports whether a person on another node looks at the board of a match.
func (c *Schedule) LookedAt(id storage.MatchID) bool { return c.Presence.LookedAt(id) }

// MustResume reports whether the program was down while the clock of a match ran: then it has to be resumed before anything else happens.
func (c *Schedule) MustResume(s *match.Summary) bool {
	o := c.Nodes.OutageOf(s.ID, s.Clock.Since)
	return s.Clock.Interrupted(o.Down, o.Up)
}

// Due is Waiting.Due of a match.
func (c *Schedule) Due(w *Waiting, s *match.Summary) time.Time { return w.Due(c, s) }

// machineTime converts a time of the clock of events to the machine's clock. The zero time stays zero.
func (c *Schedule) machineTime(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Now().Add(t.Sub(c.Now()))
}
