// Package standingoffers keeps offers of players open: whenever one is taken and its match is over, another is opened.
//
// A standing offer has a number of places. Each place holds one match of its kind, from the moment it is opened until it is over: a player with two
// places has at most two such matches at a time, the untaken one included. No more than one of them is untaken, so that lists show each standing
// offer once. An offer with days a move stays open while its player is away. Any other
// is open while the player is here, and opens again when they are back.
//
// A standing offer ends when its player withdraws it or one of its untaken matches, lets the time of one of its matches run out, or has not had a
// match opened for it for Unused; when an operator closes the account; and when the account is deleted. Matches that are played go on.
//
// The node that owns a player, as it would own a match, opens the matches. It enters the id of a match in the store first and opens the match then,
// so that a node that takes over, or the next start of the program, opens it once.
package standingoffers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
	"ludoteca/storage/standingoffers"
)

// MaxPlaces is how many places all standing offers of one player have together.
const MaxPlaces = standingoffers.MaxPlaces

// Unused is how long a standing offer is kept without a match that was opened for it.
const Unused = 30 * 24 * time.Hour

// The pace at which matches are opened: for a player, and for four players at an address.
const (
	openEvery  = time.Minute
	openBurst  = 2 * MaxPlaces
	maxPlayers = 1 << 14 // who are remembered
)

// openShare is how many untaken matches the people of one address have by standing offers. A wider block has as many times its weight.
const openShare = MaxPlaces * origin.PeoplePerAddress

// lookEvery is how often all offers are looked at, and restFor how long nothing is opened for one after something could not be.
const (
	lookEvery = 5 * time.Second
	restFor   = 30 * time.Second
)

// A Store keeps standing offers; see standingoffers.Store.
type Store interface {
	AddStandingOffer(ctx context.Context, who storage.Occupant, k standingoffers.Kind, places int, first storage.MatchID, now time.Time) (standingoffers.Offer, error)
	EndStandingOffer(ctx context.Context, id storage.PlayerID, number int) error
	SetPlace(ctx context.Context, id storage.PlayerID, number int, was, next storage.MatchID, now time.Time) error
	StandingOffersOf(ctx context.Context, id storage.PlayerID) (standingoffers.Row, error)
	StandingOffers(ctx context.Context) ([]standingoffers.Row, error)

	Finished(ctx context.Context, id storage.MatchID) (results.Finished, error)
	Log(ctx context.Context, id storage.MatchID, from uint64, most int) ([]matches.Event, error)
}

// A Shared is the store of a club with several nodes; see standingoffers.Store.
type Shared interface {
	FollowStandingOffers(ctx context.Context, f storage.Follower[storage.PlayerID, standingoffers.Row]) error
}

// A Node is this one: *nodes.Nodes or *nodes.Alone.
type Node interface {
	Owns(id storage.MatchID) bool
	Ready() bool
	CutOff() bool
	nodes.Follower
}

// Matches reads and withdraws matches; see matches.Service.
type Matches interface {
	View(ctx context.Context, id storage.MatchID) (*match.View, error)
	Do(ctx context.Context, id storage.MatchID, act match.Act) error
	UntilKnown(ctx context.Context, id storage.MatchID)
}

// Players knows where people come from; see live.Players.
type Players interface {
	Origin(o storage.Occupant) origin.Origin
}

// A Config configures New.
type Config struct {
	Stored       *Stored
	Store        Store
	Shared       Shared // nil in a club with one node
	Node         Node
	Seats        *seats.Service
	Matches      Matches
	Registry     *registry.Registry
	Presence     *presence.Service
	Restrictions *restrictions.Service
	Players      Players
	Now          func() time.Time // the clock of events
	Log          *slog.Logger
}

// A Service keeps offers open. It is safe for concurrent use.
type Service struct {
	*Stored
	config Config
	pace   *origin.Throttle

	mu     sync.Mutex             // guards what follows
	open   map[registry.Block]int // untaken matches of all offers, by block of addresses, at the last look
	passed chan struct{}          // closed when run has looked at all offers
}

// New returns a service. The caller must run Run and Follow.
func New(c Config) *Service {
	return &Service{
		Stored: c.Stored, config: c, pace: origin.NewSharedThrottle(openEvery, openBurst, origin.PeoplePerAddress, maxPlayers),
		open: make(map[registry.Block]int), passed: make(chan struct{}),
	}
}

// An Offer is a standing offer as its player sees it.
type Offer struct {
	Number  int
	Spec    seats.Spec
	Places  int
	Since   time.Time
	Untaken []match.Ref // its matches that wait to be taken
	Played  []match.Ref // its matches that are played
	Ends    bool        // it has been withdrawn, and is gone in a moment
}

// A Kept is a standing offer that a user has made, with the first match that is opened for it.
type Kept struct {
	Number int
	match.Ref
}

// Keep keeps an offer open for a user, at most places matches at a time, and returns it with the first match. It returns the errors of seats.Service.Open,
// and refusal.ErrNeedsKey, refusal.ErrEngine, refusal.ErrPlaces for a number of places that an offer can't have, refusal.ErrManyStanding,
// refusal.ErrAlikeStanding, and refusal.ErrCrowdedStanding if the people of a block of addresses have as many untaken matches as they may. If the
// match isn't open after a moment, the error is refusal.ErrNotOpenYet: the offer is kept then.
func (s *Service) Keep(ctx context.Context, u match.User, spec seats.Spec, places int) (Kept, error) {
	kind, err := s.kindOf(u, spec, places)
	if err != nil {
		return Kept{}, err
	}
	if err := s.config.Seats.MayOpen(ctx, u); err != nil {
		return Kept{}, err
	}
	from := s.from(u)
	if wait, ok := s.pace.Look(time.Now(), from); !ok {
		return Kept{}, &refusal.TooFastError{Wait: wait}
	}
	if s.crowded(registry.BlocksOf(from.Addr)) {
		return Kept{}, refusal.ErrCrowdedStanding
	}
	id := codes.NewID()
	o, err := s.config.Store.AddStandingOffer(ctx, u.Occupant(), kind, places, id, s.config.Now())
	switch {
	case errors.Is(err, standingoffers.ErrManyPlaces):
		return Kept{}, refusal.ErrManyStanding
	case errors.Is(err, standingoffers.ErrAlike):
		return Kept{}, refusal.ErrAlikeStanding
	case err != nil:
		return Kept{}, refusal.OfStore(err)
	}
	s.read(ctx, u.Player())
	s.Wake()
	first, err := s.untilOpen(ctx, u, o.Number, id)
	return Kept{o.Number, first}, err
}

// kindOf returns the kind of the matches that a user wants to keep open.
func (s *Service) kindOf(u match.User, spec seats.Spec, places int) (kind standingoffers.Kind, err error) {
	switch {
	case u.Kind == storage.Engine:
		return kind, refusal.ErrEngine
	case u.Kind != storage.Person:
		return kind, refusal.ErrNeedsKey
	case places < 1 || places > MaxPlaces:
		return kind, refusal.ErrPlaces
	case !spec.Public || spec.To != "" || spec.Bot != "" || spec.Bots != [2]string{} || spec.Hotseat || spec.From != "" || len(spec.Moves) > 0:
		return kind, refusal.ErrSpec
	}
	o, err := s.config.Seats.Plan(spec)
	return standingoffers.Kind{
		Game: o.Game, Options: o.Options, Clock: o.Clock, Rated: o.Rated, Side: uint8(spec.Side), Range: o.Range,
	}, err
}

// specOf returns what matches of a kind are opened by.
func specOf(k standingoffers.Kind) (spec seats.Spec, ok bool) {
	c, err := clock.Parse(k.Clock)
	return seats.Spec{
		Game: k.Game, Options: k.Options, Side: seats.Choice(k.Side), Rated: k.Rated, Clock: c, Public: true, Range: k.Range,
	}, err == nil
}

// untilOpen waits until the first match of a new offer is open, or could not be opened: then the offer ends.
func (s *Service) untilOpen(ctx context.Context, u match.User, number int, id storage.MatchID) (match.Ref, error) {
	waiting, cancel := context.WithTimeout(ctx, nodes.AwaitFor)
	defer cancel()
	for {
		passed, refused := s.Looked(), s.whyRefused(id)
		if m := s.config.Registry.Find(id).Summary; m != nil {
			return m.Ref, nil
		}
		if refused != nil {
			return match.Ref{}, errors.Join(refused, s.end(context.WithoutCancel(ctx), u.Player(), number))
		}
		select {
		case <-passed:
			continue
		case <-waiting.Done():
		}
		s.config.Matches.UntilKnown(ctx, id) // another node may have opened it
		if m := s.config.Registry.Find(id).Summary; m != nil {
			return m.Ref, nil
		}
		return match.Ref{}, refusal.ErrNotOpenYet
	}
}

// Of returns the standing offers of a user, by number.
func (s *Service) Of(u match.User) (all []Offer) {
	for _, o := range s.row(u.Player()).Offers {
		spec, ok := specOf(o.Kind)
		if !ok {
			continue
		}
		shown := Offer{Number: o.Number, Spec: spec, Places: o.Places, Since: o.Since, Ends: o.Ends}
		for _, id := range o.Matches {
			switch m := s.config.Registry.Find(id).Summary; {
			case m == nil:
			case m.Started.IsZero():
				shown.Untaken = append(shown.Untaken, m.Ref)
			default:
				shown.Played = append(shown.Played, m.Ref)
			}
		}
		all = append(all, shown)
	}
	return all
}

// End ends a standing offer of a user, and withdraws its untaken matches. The errors are refusal.ErrNoStanding and refusal.ErrBusy.
func (s *Service) End(ctx context.Context, u match.User, number int) error {
	if u.Kind != storage.Person {
		return refusal.ErrNoStanding
	}
	if err := s.end(ctx, u.Player(), number); errors.Is(err, storage.ErrNotFound) {
		return refusal.ErrNoStanding
	} else if err != nil {
		return refusal.OfStore(err)
	}
	s.Wake()
	return nil
}

// Looked returns a channel that is closed when all offers have been looked at the next time.
func (s *Service) Looked() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed
}

// Follow follows the offers of all players until ctx ends.
func (s *Service) Follow(ctx context.Context) {
	s.config.Node.Follow(ctx, func(ctx context.Context) error {
		return s.config.Shared.FollowStandingOffers(ctx, nodes.Mirror[storage.PlayerID, standingoffers.Row]{
			Key:   func(row standingoffers.Row) storage.PlayerID { return storage.PlayerID(row.Who.ID) },
			Known: s.players,
			Put: func(row standingoffers.Row, _ bool) {
				s.put(storage.PlayerID(row.Who.ID), row)
				s.Wake()
			},
			Gone: s.Forget,
		}.Follower(s.config.Node.Unreadable))
	})
}

// from returns where a player comes from, or came from when they were last here.
func (s *Service) from(u match.User) origin.Origin {
	from := s.config.Players.Origin(u.Occupant())
	if !from.Addr.IsValid() {
		from.Addr = s.config.Registry.Blocks(u.Key())[0].Addr()
	}
	from.Person = match.PersonOf(u.Occupant())
	return from
}
