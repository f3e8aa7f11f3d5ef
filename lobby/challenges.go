package lobby

import (
	"context"
	"errors"
	"math"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/pairing"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
	clusterstore "ludoteca/storage/cluster"
	"ludoteca/storage/matches"
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

// take counts a challenge; the error is a *TooFastError.
func (c challengePace) take(now time.Time, from origin.Origin, who, to match.Key) error {
	pair := [2]match.Key{who, to}
	if wait, ok := c.pairs.Take(now, pair); !ok {
		return &TooFastError{Wait: wait}
	}
	if wait, ok := c.people.Take(now, from); !ok {
		c.pairs.Return(now, pair)
		return &TooFastError{Wait: wait}
	}
	return nil
}

// giveBack takes back that a challenge or a rematch counts, because it was taken.
func (c challengePace) giveBack(now time.Time, from origin.Origin, who, to match.Key) {
	c.pairs.Return(now, [2]match.Key{who, to})
	c.people.Return(now, from)
}

// giveBackWish takes back what a challenge or a rematch that a user wished for counts at this node, because the other one has taken it.
func (l *Lobby) giveBackWish(u User, of storage.Occupant) {
	l.challenges.giveBack(time.Now(), l.origins.of(u.Occupant()), u.Key(), match.KeyOf(of))
}

// challenge opens a challenge of u, who plays side. The errors are those of Opponent, ErrRated, ErrChallenged, ErrUnavailable, a
// *TooFastError and those of openMatch.
func (l *Lobby) challenge(ctx context.Context, u User, spec Spec, o matches.Opening, side games.Side, c registry.Reservation) (Ref, error) {
	opponent, err := l.Opponent(ctx, u, spec.To)
	if err != nil {
		return Ref{}, err
	}
	to := opponent.Occupant
	if spec.Rated && to.Kind != storage.Person {
		return Ref{}, ErrRated
	}
	if err := l.challenges.take(time.Now(), l.origins.of(u.Occupant()), u.Key(), match.KeyOf(to)); err != nil {
		return Ref{}, err
	}
	seats := [2]*storage.Occupant{&o.First, &o.Second}
	*seats[side], o.Reserved = u.Occupant(), to
	o.Wait = int(opponent.Wait(spec.Clock) / time.Second)
	c.Challenges, c.To, c.Unavailable = 1, match.KeyOf(to), l.Blocks(u, User(to))
	ref, err := l.openMatch(ctx, u, o, storage.SeatOf(side), c, clusterstore.Terms{})
	if !errors.Is(err, ErrUnavailable) || !l.displace(ctx, u, User(to)) {
		return ref, err
	}
	return l.openMatch(ctx, u, o, storage.SeatOf(side), c, clusterstore.Terms{})
}

// An acquaintance says how well a person knows another one who challenges them.
type acquaintance int

const (
	young    acquaintance = iota // a guest, or an account of less than youngFor
	stranger                     // they have neither played each other nor does the challenged person follow the other one
	known
)

// youngFor is how long an account counts as young.
const youngFor = 24 * time.Hour

// acquainted returns how well a user knows another one. What the store doesn't say counts as not known.
func (l *Lobby) acquainted(ctx context.Context, u, with User) acquaintance {
	if with.Kind != storage.Person {
		return young
	}
	if u.Kind == storage.Person {
		t, err := l.store.Tallies(ctx, u.Player(), with.Player())
		played := err == nil && t.Against != (results.Score{})
		if follows, _ := l.RelationTo(u, with.Player()); follows || played {
			return known
		}
	}
	if p, err := l.store.Player(ctx, with.Player()); err != nil || l.now().Sub(p.Since) < youngFor {
		return young
	}
	return stranger
}

// displace ends one of the challenges that wait for a user, if enough do and some are of people whom the user knows less well than u, and reports
// whether it has: the oldest of those whom the user knows least.
func (l *Lobby) displace(ctx context.Context, u, to User) bool {
	mine := l.acquainted(ctx, to, u)
	var out *match.Summary
	var least acquaintance
	for _, s := range l.registry.Of(to.Key()) {
		if !s.OpenChallenge() || !to.Is(s.Reserved) || s.Opener == storage.Nobody {
			continue
		}
		a := l.acquainted(ctx, to, User(s.Seats[s.Opener.Side()]))
		if a < mine && (out == nil || a < least || a == least && byAge(s, out) < 0) {
			out, least = s, a
		}
	}
	return out != nil && !l.Blocks(u, to) && l.Matches.Do(ctx, out.ID, match.Withdraw(), func() {}) == nil
}

// An Opponent is somebody whom a user can challenge.
type Opponent struct {
	storage.Occupant
	Both bool // the user and the opponent are here
}

// Wait returns how long a challenge with a clock waits for an answer; 0 for one that waits as an invitation.
func (o Opponent) Wait(c ClockSetting) time.Duration {
	if o.Both && c.Kind != clock.Correspondence {
		return ChallengeWait
	}
	return 0
}

// Opponent returns whom a user can challenge by a name: a player, or a guest who is here and is shown under it. A player who has blocked the
// user isn't here. The errors are ErrNoSuchPlayer, ErrOwnChallenge, ErrBusy.
func (l *Lobby) Opponent(ctx context.Context, u User, name string) (Opponent, error) {
	to, err := l.opponent(ctx, name)
	switch {
	case err != nil:
		return Opponent{}, err
	case u.Is(to):
		return Opponent{}, ErrOwnChallenge
	}
	return Opponent{to, l.Presence.IsHere(u.Occupant()) && l.Presence.IsHere(to) && !l.hasBlocked(User(to), u)}, nil
}

// opponent returns the player, or the guest who is here, with a name; ErrNoSuchPlayer, ErrBusy. Names of guests can't be those of players.
func (l *Lobby) opponent(ctx context.Context, name string) (storage.Occupant, error) {
	p, err := l.player(ctx, name)
	if errors.Is(err, ErrNoSuchPlayer) {
		if guest, here := l.presence.Guest(name); here {
			return guest.Occupant(), nil
		}
	}
	if err != nil {
		return storage.Occupant{}, err
	}
	if !p.Deleted.IsZero() || l.Restrictions.Closed(p.ID) {
		return storage.Occupant{}, ErrNoSuchPlayer
	}
	return userOf(p).Occupant(), nil
}

// mayTake refuses somebody for whom the free seat of a match is not: ErrUnavailable, a *RangeError. A user without a rating counts as a
// newcomer.
func (l *Lobby) mayTake(ctx context.Context, u User, s *match.Summary) error {
	if !s.Started.IsZero() {
		return nil
	}
	for _, o := range s.Seats {
		if o.Kind != storage.Free && l.Blocks(u, User(o)) {
			return ErrUnavailable
		}
	}
	if s.Range == [2]int{} {
		return nil
	}
	if r := ratedAs(l.seated.Strength(ctx, u.Occupant(), s.Game.About().ID)).Rating; !pairing.InRange(s.Range, r) {
		return &RangeError{Range: s.Range, Rating: int(math.Round(r))}
	}
	return nil
}

// blockedEitherWay reports whether one of two people has blocked the other.
func (l *Lobby) blockedEitherWay(a, b match.Key) bool {
	return l.Blocks(User{Kind: a.Kind, ID: a.ID}, User{Kind: b.Kind, ID: b.ID})
}
