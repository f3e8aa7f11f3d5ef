package lists

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/standings"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
)

// Relations knows whom users follow and block; see relations.Service.
type Relations interface {
	// InBlock reports whether a user has blocked a player or is blocked by one.
	InBlock(u match.User) bool

	// Blocks reports whether one of two users has blocked the other, and HasBlocked whether the first one has.
	Blocks(a, b match.User) bool
	HasBlocked(u, other match.User) bool

	// FollowedBy returns the players whom a user follows.
	FollowedBy(u match.User) []storage.PlayerID
}

// A Config configures New, NewPeople and NewTelevision.
type Config struct {
	Registry     *registry.Registry
	Presence     *presence.Registry
	Restrictions *restrictions.Service
	Standings    *standings.Service
	Relations    Relations
	Catalogue    *live.Catalogue
	Feeds        *feed.Group
	Tasks        *tasks.Group
	Now          func() time.Time // the clock of events

	// Sought returns what each player in the pool of quick matches looks for, and a channel that is closed when that changes; nil: there is no pool.
	Sought func() (all []Sought, newer <-chan struct{})

	Standing func(id storage.MatchID) bool // reports whether a match belongs to a standing offer; nil: there are none

	MaxListed int // 0: MaxListed
	MaxHere   int // 0: MaxHere
}

const (
	// MaxListed is how many open offers, and how many running matches, a list holds. Nobody reads further.
	MaxListed = 200

	// MaxHere is how many people the list of who is here holds; the count is always right.
	MaxHere = 1000
)

// orDefault returns the configuration with the constants in place of zeros.
func (c Config) orDefault() Config {
	if c.Standing == nil {
		c.Standing = func(storage.MatchID) bool { return false }
	}
	c.MaxListed, c.MaxHere = cmp.Or(c.MaxListed, MaxListed), cmp.Or(c.MaxHere, MaxHere)
	return c
}

// A Service has the lists of matches to play and to watch, as each user sees them. It is safe for concurrent use.
type Service struct {
	config Config
	*publisher
}

// New returns a service without lists. Run makes the first ones and closes Ready.
func New(c Config) *Service {
	c = c.orDefault()
	s := &Service{config: c}
	s.publisher = newPublisher(c.MaxListed, c.Registry, c.Presence.Count, s.playing, c.Sought, c.Feeds)
	return s
}

// NextYours returns the part of the lists that concerns a user as soon as its number is above after, and the number; start with 0. Public changes
// don't wake the caller, so it is for screens that don't show lists. The errors are ctx.Err() and refusal.ErrClosed.
func (s *Service) NextYours(ctx context.Context, u match.User, after uint64) (Yours, uint64, error) {
	for {
		_, now := s.publisher.read(u.Key())
		if now.own > after || after == 0 {
			return s.Yours(u), max(now.own, 1), nil
		}
		select {
		case <-now.newOwn:
		case <-ctx.Done():
			return Yours{}, 0, ctx.Err()
		case <-s.config.Feeds.Closed():
			return Yours{}, 0, s.config.Feeds.Err()
		}
		if ctx.Err() != nil { // a user who has left gets no feed again
			return Yours{}, 0, ctx.Err()
		}
	}
}

// Next returns a user's lists as soon as their Seq is above after and their public part or the user's own part has changed. Start with 0. A user's
// own part is made at most every UpdateEvery, the public part at most every PublicEvery. Moves in running matches, and users who come
// or go, show within RunningEvery. A public change reaches each user after another delay of their own, of up to UpdateEvery, or up to
// PublicEvery when many are here, so that not all screens are drawn at the same moment. The errors are ctx.Err() and refusal.ErrClosed.
func (s *Service) Next(ctx context.Context, u match.User, after uint64) (*Lists, error) {
	var due <-chan time.Time // nil until the public lists have changed
	for {
		lists, now := s.publisher.read(u.Key())
		if now.own > after || now.public > after && after == 0 {
			return s.shown(u, lists), nil
		}
		if now.public > after && due == nil {
			timer := time.NewTimer(s.publisher.delayOf(u.Key()))
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-now.newPublic:
		case <-now.newOwn:
		case <-due:
			return s.Now(u), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.config.Feeds.Closed():
			return nil, s.config.Feeds.Err()
		}
		if ctx.Err() != nil { // a user who has left gets no feed again
			return nil, ctx.Err()
		}
	}
}

// Changed returns the number of a user's lists as soon as it is above after; see Next.
func (s *Service) Changed(ctx context.Context, u match.User, after uint64) (number uint64, err error) {
	now, err := s.Next(ctx, u, after)
	if err != nil {
		return 0, err
	}
	return now.Seq, nil
}

// Now returns a user's present lists at once; they may be UpdateEvery behind.
func (s *Service) Now(u match.User) *Lists {
	lists, _ := s.publisher.read(u.Key())
	return s.shown(u, lists)
}

// Offers returns the present public offers that a user may see in a game, or in all games if game is "", the oldest first; at most MaxListed.
func (s *Service) Offers(u match.User, game string) []Offer {
	open := slices.DeleteFunc(s.config.Registry.Offers(), func(m *match.Summary) bool { return game != "" && m.Game.About().ID != game })
	if s.config.Relations.InBlock(u) {
		open = slices.DeleteFunc(open, func(m *match.Summary) bool { return s.config.Relations.Blocks(u, match.User(offerOf(m).By)) })
	}
	return inTurns(s.config.Registry, s.config.MaxListed, open, match.ByAge, offerOf)
}

// IsOffered reports whether a match is still an offer that a user may see, be it among the listed ones or not.
func (s *Service) IsOffered(u match.User, id storage.MatchID) bool {
	m := s.config.Registry.Find(id).Summary
	return m != nil && m.Started.IsZero() && !s.config.Relations.Blocks(u, match.User(offerOf(m).By))
}

// Yours returns the part of the lists that concerns a user, as of this moment.
func (s *Service) Yours(u match.User) Yours {
	y := yoursOf(u.Key(), s.config.Registry.Of(u.Key()))
	y.Name = s.config.Restrictions.Named(u.Occupant()).Name
	if name, here := s.config.Presence.Name(u.Key()); here && u.Kind == storage.Guest { // who may have chosen a nickname
		y.Name = name
	}
	return s.shownYours(u, y)
}

// playedFor is how long after its last event a match counts as played although its people are not here. On the television, any match counts as
// lively for as long.
const playedFor = 5 * time.Minute

// playing reports whether a running public match counts as played. If until is not zero, the match stops counting then unless it has an event.
func (s *Service) playing(m *match.Summary) (until time.Time, ok bool) {
	people := false
	for _, o := range m.Seats {
		if o.Kind == storage.Bot {
			continue
		}
		people = true
		if _, gone := s.config.Presence.Away(match.KeyOf(o)); !gone {
			return time.Time{}, true
		}
	}
	left := playedFor - s.config.Now().Sub(m.LastAt)
	switch {
	case !people: // the registry lists it as long as it has readers
		return time.Time{}, true
	case left <= 0:
		return time.Time{}, false
	}
	return time.Now().Add(left), true
}

// shown returns lists as a user sees them: without the offers and searches of players who have blocked the user or whom the user has blocked.
func (s *Service) shown(u match.User, lists *Lists) *Lists {
	if sought := s.shownSought(u, lists.Sought); sumOf(sought) < sumOf(lists.Sought) {
		lists.Sought, lists.shared = sought, nil
	}
	if !s.config.Relations.InBlock(u) {
		return lists
	}
	lists.Yours = s.shownYours(u, lists.Yours)
	if offers := s.shownOffers(u, lists.Offers); len(offers) < len(lists.Offers) {
		lists.Offers, lists.shared = offers, nil
	}
	return lists
}

// shownYours returns a user's own lists as the user sees them: without the invitations of blocked players, and with what belongs to standing offers.
func (s *Service) shownYours(u match.User, y Yours) Yours {
	y.Invitations = s.shownOffers(u, y.Invitations)
	for i, m := range y.Matches {
		if m.Started.IsZero() && m.Own && s.config.Standing(m.ID) {
			y.Matches = slices.Clone(y.Matches) // other readers share it
			y.Matches[i].Standing = true
		}
	}
	return y
}

// shownOffers returns offers as a user sees them: without the offers of players who have blocked the user or whom the user has blocked.
func (s *Service) shownOffers(u match.User, offers []Offer) []Offer {
	kept := func(o Offer) bool { return s.config.Relations.Blocks(u, match.User(o.By)) }
	if !s.config.Relations.InBlock(u) || !slices.ContainsFunc(offers, kept) {
		return offers
	}
	return slices.DeleteFunc(slices.Clone(offers), kept)
}
