package seats

import (
	"context"
	"errors"
	"math"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	"ludoteca/storage/results"
)

// # Who may take an offer
//
// An offer may be for some ratings alone, or for one person: a challenge. That is a match whose free seat is reserved for somebody and
// which is no rematch: they take the seat or abort the match. When both are here and could play at once, a challenge waits for
// ChallengeWait; else it waits as an invitation, like a private match. A line about a challenge comes up on whatever screen the challenged
// person has, so there are bounds: how many one person and one address may make, how many wait for one person, and how often
// anybody may challenge the same person, or ask them for a rematch that isn't taken. When enough wait for one person, the challenge of a
// person whom they know displaces that of a stranger, and that of a stranger that of an account of less than a day.
//
// A player whom another one has blocked isn't told. What a block forbids is refused as if enough challenges waited: with the same error, after
// the same checks.

// Challenges say whom a user can challenge, and who may take an offer. It is safe for concurrent use.
type Challenges struct {
	config ChallengesConfig
	pace   challengePace
}

// A ChallengesConfig configures NewChallenges.
type ChallengesConfig struct {
	Store        ChallengesStore
	Accounts     Accounts
	Relations    Relations
	Restrictions *restrictions.Service
	Players      live.Players
	Presence     *presence.Service
	People       *presence.Registry
	Registry     *registry.Registry
	Matches      *matches.Service
	Now          func() time.Time // the clock of events
}

// A ChallengesStore keeps how well people know each other; see accounts.Store and results.Store.
type ChallengesStore interface {
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)

	// Tallies returns what is counted of a player, and of the player against another one.
	Tallies(ctx context.Context, id, against storage.PlayerID) (results.PlayerTally, error)
}

// Accounts find a player by name; refusal.ErrNoSuchPlayer, refusal.ErrBusy.
type Accounts interface {
	ByName(ctx context.Context, name string) (accounts.Player, error)
}

// NewChallenges returns challenges that nobody has made yet.
func NewChallenges(c ChallengesConfig) *Challenges { return &Challenges{c, newChallengePace()} }

// ChallengeWait is how long a challenge waits when both are here and the clock does not count days.
const ChallengeWait = time.Minute

// The bounds of how often people challenge others.
const (
	challengeBurst = 10 // in a row, by one person; by one address for as many people as it stands for
	challengeEvery = 30 * time.Second
	sameBurst      = 3 // in a row, by one person of the same one
	sameEvery      = 5 * time.Minute
)

// challengePace limits how often people challenge others.
type challengePace struct {
	people *origin.Throttle
	pairs  *throttle.Throttle[[2]match.Key]
}

func newChallengePace() challengePace {
	return challengePace{
		people: origin.NewSharedThrottle(challengeEvery, challengeBurst, origin.PeoplePerAddress, maxThrottled),
		pairs:  throttle.New[[2]match.Key](sameEvery, sameBurst, maxThrottled),
	}
}

// take counts a challenge; the error is a *refusal.TooFastError.
func (c challengePace) take(now time.Time, from origin.Origin, who, to match.Key) error {
	pair := [2]match.Key{who, to}
	if wait, ok := c.pairs.Take(now, pair); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	if wait, ok := c.people.Take(now, from); !ok {
		c.pairs.Return(now, pair)
		return &refusal.TooFastError{Wait: wait}
	}
	return nil
}

// giveBack takes back that a challenge or a rematch counts, because it was taken.
func (c challengePace) giveBack(now time.Time, from origin.Origin, who, to match.Key) {
	c.pairs.Return(now, [2]match.Key{who, to})
	c.people.Return(now, from)
}

// GiveBack takes back what a challenge or a rematch that a user wished for counts at this node, because the other one has taken it.
func (c *Challenges) GiveBack(u match.User, of storage.Occupant) {
	c.pace.giveBack(time.Now(), c.config.Players.Origin(u.Occupant()), u.Key(), match.KeyOf(of))
}

// An acquaintance says how well a person knows another one who challenges them.
type acquaintance int

const (
	young    acquaintance = iota // a guest, or an account of less than youngFor
	stranger                     // they have neither played each other nor does the challenged person follow the other one
	known
)

// YoungFor is how long an account counts as young.
const YoungFor = 24 * time.Hour

// acquainted returns how well a user knows another one. What the store doesn't say counts as not known.
func (c *Challenges) acquainted(ctx context.Context, u, with match.User) acquaintance {
	if with.Kind != storage.Person {
		return young
	}
	if u.Kind == storage.Person {
		t, err := c.config.Store.Tallies(ctx, u.Player(), with.Player())
		played := err == nil && t.Against != (results.Score{})
		if follows, _ := c.config.Relations.RelationTo(u, with.Player()); follows || played {
			return known
		}
	}
	if p, err := c.config.Store.Player(ctx, with.Player()); err != nil || c.config.Now().Sub(p.Since) < YoungFor {
		return young
	}
	return stranger
}

// displace ends one of the challenges that wait for a user, if enough do and some are of people whom the user knows less well than u, and reports
// whether it has: the oldest of those whom the user knows least.
func (c *Challenges) displace(ctx context.Context, u, to match.User) bool {
	mine := c.acquainted(ctx, to, u)
	var out *match.Summary
	var least acquaintance
	for _, s := range c.config.Registry.Of(to.Key()) {
		if !s.OpenChallenge() || !to.Is(s.Reserved) || s.Opener == storage.Nobody {
			continue
		}
		a := c.acquainted(ctx, to, match.User(s.Seats[s.Opener.Side()]))
		if a < mine && (out == nil || a < least || a == least && match.ByAge(s, out) < 0) {
			out, least = s, a
		}
	}
	return out != nil && !c.config.Relations.Blocks(u, to) && c.config.Matches.Do(ctx, out.ID, match.Withdraw(), func() {}) == nil
}

// An Opponent is somebody whom a user can challenge.
type Opponent struct {
	storage.Occupant
	Both bool // the user and the opponent are here
}

// Wait returns how long a challenge with a clock waits for an answer; 0 for one that waits as an invitation.
func (o Opponent) Wait(c clock.Setting) time.Duration {
	if o.Both && c.Kind != clock.Correspondence {
		return ChallengeWait
	}
	return 0
}

// Opponent returns whom a user can challenge by a name: a player, or a guest who is here and is shown under it. A player who has blocked the
// user isn't here. The errors are refusal.ErrNoSuchPlayer, refusal.ErrOwnChallenge, refusal.ErrBusy.
func (c *Challenges) Opponent(ctx context.Context, u match.User, name string) (Opponent, error) {
	to, err := c.opponent(ctx, name)
	switch {
	case err != nil:
		return Opponent{}, err
	case u.Is(to):
		return Opponent{}, refusal.ErrOwnChallenge
	}
	return Opponent{to, c.config.Presence.IsHere(u.Occupant()) && c.config.Presence.IsHere(to) && !c.config.Relations.HasBlocked(match.User(to), u)}, nil
}

// opponent returns the player, or the guest who is here, with a name; refusal.ErrNoSuchPlayer, refusal.ErrBusy. Names of guests can't be those
// of players.
func (c *Challenges) opponent(ctx context.Context, name string) (storage.Occupant, error) {
	p, err := c.config.Accounts.ByName(ctx, name)
	if errors.Is(err, refusal.ErrNoSuchPlayer) {
		if guest, here := c.config.People.Guest(name); here {
			return guest.Occupant(), nil
		}
	}
	if err != nil {
		return storage.Occupant{}, err
	}
	if !p.Deleted.IsZero() || c.config.Restrictions.Closed(p.ID) {
		return storage.Occupant{}, refusal.ErrNoSuchPlayer
	}
	return storage.Occupant{Kind: storage.Person, ID: string(p.ID), Name: p.Name}, nil
}

// mayTake refuses somebody for whom the free seat of a match is not: refusal.ErrUnavailable, a *refusal.RangeError. A user without a rating
// counts as a newcomer.
func (c *Challenges) mayTake(ctx context.Context, u match.User, s *match.Summary) error {
	if !s.Started.IsZero() {
		return nil
	}
	for _, o := range s.Seats {
		if o.Kind != storage.Free && c.config.Relations.Blocks(u, match.User(o)) {
			return refusal.ErrUnavailable
		}
	}
	if s.Range == [2]int{} {
		return nil
	}
	if r := c.config.Players.Strength(ctx, u.Occupant(), s.Game.About().ID).OrNewcomer().Rating; !pairing.InRange(s.Range, r) {
		return &refusal.RangeError{Range: s.Range, Rating: int(math.Round(r))}
	}
	return nil
}
