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
// An offer may be limited to a range of ratings, or reserved for one person: a challenge. The challenged person takes the free seat or aborts
// the match. A rematch is reserved too, but is no challenge. If both people are here and could play at once, a challenge waits for
// ChallengeWait. Otherwise it waits as an invitation, like a private match.
//
// A challenge shows a line on any screen of the challenged person. So there are limits on how many challenges one person and one
// address may make, how many may wait for one person, and how often one person may challenge the same other, rematches that aren't
// taken included. When the limit of waiting challenges is reached, a challenge from an acquaintance displaces one from a stranger, and one
// from a stranger displaces one from an account younger than a day.
//
// A player isn't told that another one has blocked them. A challenge that a block forbids is refused as if too many waited: with the same
// error, after the same checks.

// Challenges decides whom a user can challenge and who may take an offer. It is safe for concurrent use.
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

// A ChallengesStore reads what shows how well people know each other; see accounts.Store and results.Store.
type ChallengesStore interface {
	Player(ctx context.Context, id storage.PlayerID) (accounts.Player, error)

	// Tallies returns the counts of a player, among them the score against another one.
	Tallies(ctx context.Context, id, against storage.PlayerID, games ...string) (results.PlayerTally, error)
}

// Accounts finds players by name.
type Accounts interface {
	// ByName returns the player with a name. The errors are refusal.ErrNoSuchPlayer and refusal.ErrBusy.
	ByName(ctx context.Context, name string) (accounts.Player, error)
}

// NewChallenges returns a Challenges that has counted none yet.
func NewChallenges(c ChallengesConfig) *Challenges { return &Challenges{c, newChallengePace()} }

// ChallengeWait is how long a challenge waits if both people are here and the clock doesn't count days.
const ChallengeWait = time.Minute

// The limits on how often people challenge others: a burst, then one in each interval.
const (
	challengeBurst = 10 // by one person; an address may make origin.PeoplePerAddress times as many
	challengeEvery = 30 * time.Second
	sameBurst      = 3 // by one person to the same other
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

// take counts a challenge. The error is a *refusal.TooFastError; then nothing is counted.
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

// refund refunds a challenge or a rematch that was taken.
func (c challengePace) refund(now time.Time, from origin.Origin, who, to match.Key) {
	c.pairs.Return(now, [2]match.Key{who, to})
	c.people.Return(now, from)
}

// Refund refunds what a challenge or a rematch by u counts on this node, because the other person, of, has taken it.
func (c *Challenges) Refund(u match.User, of storage.Occupant) {
	c.pace.refund(time.Now(), c.config.Players.Origin(u.Occupant()), u.Key(), match.KeyOf(of))
}

// An acquaintance is how well a challenged person knows the challenger.
type acquaintance int

const (
	young    acquaintance = iota // the challenger is a guest, or their account is younger than YoungFor
	stranger                     // the two have never played, and the challenged person doesn't follow the challenger
	known
)

// YoungFor is how long an account counts as young.
const YoungFor = 24 * time.Hour

// acquainted returns how well u knows with. If the store can't be read, u doesn't know them.
func (c *Challenges) acquainted(ctx context.Context, u, with match.User) acquaintance {
	if !with.Kind.HasAccount() {
		return young
	}
	if u.Kind.HasAccount() {
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

// displace makes room for a challenge from u to to: of the challenges that wait for to, it ends one whose challenger to knows less well than u.
// It chooses the challenger known least, and of several the oldest challenge. It reports whether it has ended one.
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
	return out != nil && !c.config.Relations.Blocks(u, to) && c.config.Matches.Do(ctx, out.ID, match.Withdraw()) == nil
}

// An Opponent is a person whom a user can challenge.
type Opponent struct {
	storage.Occupant
	Both bool // the user and the opponent are both here
}

// Wait returns how long a challenge with the clock c waits for an answer; 0 if it waits as an invitation.
func (o Opponent) Wait(c clock.Setting) time.Duration {
	if o.Both && c.Kind != clock.Correspondence {
		return ChallengeWait
	}
	return 0
}

// Opponent returns the person whom a user can challenge under a name: a player, or a guest who is here. A player who has blocked the user counts
// as not here. The errors are refusal.ErrNoSuchPlayer, refusal.ErrOwnChallenge and refusal.ErrBusy.
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

// opponent returns the player with a name, or the guest who is here under it. No guest has a name that a player can have. The errors are
// refusal.ErrNoSuchPlayer and refusal.ErrBusy.
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
	return storage.Occupant{Kind: p.Kind(), ID: string(p.ID), Name: p.Name}, nil
}

// mayTake returns nil if u may take the free seat of a match as far as blocks and ratings go; a user without a rating counts as a newcomer. The
// errors are refusal.ErrUnavailable, refusal.ErrEngine, refusal.ErrOwnEngine, refusal.ErrBusy and a *refusal.RangeError.
func (c *Challenges) mayTake(ctx context.Context, u match.User, s *match.Summary) error {
	if !s.Started.IsZero() {
		return nil
	}
	for _, o := range s.Seats {
		if o.Kind != storage.Free && c.config.Relations.Blocks(u, match.User(o)) {
			return refusal.ErrUnavailable
		}
		if err := c.mayMeetEngine(ctx, u, s, o); err != nil {
			return err
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

// mayMeetEngine returns nil if u may take the free seat of a match with o as far as computer accounts go. One takes no offer of a person that is
// not reserved for it. A rated match needs two owners. The errors are refusal.ErrEngine, refusal.ErrOwnEngine and refusal.ErrBusy.
func (c *Challenges) mayMeetEngine(ctx context.Context, u match.User, s *match.Summary, o storage.Occupant) error {
	switch {
	case o.Kind == storage.Free, u.Kind != storage.Engine && o.Kind != storage.Engine:
		return nil
	case u.Kind == storage.Engine && o.Kind != storage.Engine && !u.Is(s.Reserved):
		return refusal.ErrEngine
	case !s.Rated || !o.Kind.HasAccount() || u.Player() == "":
		return nil
	}
	a, err := c.config.Store.Player(ctx, u.Player())
	if err != nil {
		return refusal.OfStore(err)
	}
	b, err := c.config.Store.Player(ctx, storage.PlayerID(o.ID))
	switch {
	case err != nil:
		return refusal.OfStore(err)
	case a.Owner == b.ID, b.Owner == a.ID, a.Owner != "" && a.Owner == b.Owner:
		return refusal.ErrOwnEngine
	}
	return nil
}
