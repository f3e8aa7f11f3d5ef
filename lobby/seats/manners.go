package seats

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
)

// # Matches called off
//
// A player who keeps another person waiting for a first move, or calls off a match right after its start, costs that person time. The club
// allows it, but a player who does it often has to wait before the next match with people: see Limits.Aborts. The club counts players
// by account, and guests by their blocks of addresses, because a guest is another person after connecting again. The counts are only in
// memory: a restart clears them.
//
// Two people whose match ended before each had made enough moves are not paired again for apartFor, no matter who was at fault. Otherwise a
// person who doesn't move would be paired with the same people again and again.

// Manners counts matches called off, and decides who may begin a match with whom. It is safe for concurrent use.
type Manners struct {
	config MannersConfig
	aborts *origin.Throttle // counts matches with people that were called off
	apart  *apart           // pairs of people who aren't paired for now
}

// A MannersConfig configures NewManners.
type MannersConfig struct {
	Registry  *registry.Registry
	Matches   *matches.Service
	Presence  *presence.Service
	Relations Relations
	Players   live.Players
	Tasks     *tasks.Group
	Limits    limits.Limits    // Aborts and AbortEvery
	Now       func() time.Time // the clock of events
}

// NewManners returns a Manners that has counted nothing yet.
func NewManners(c MannersConfig) *Manners { return &Manners{c, newAborts(c.Limits), newApart()} }

// newAborts returns a throttle that counts matches called off.
func newAborts(l limits.Limits) *origin.Throttle {
	return origin.NewThrottle(l.AbortEvery, l.Aborts, maxThrottled)
}

// callOffAfter is how long a player must wait for the other side's first move before calling off the match counts against the other side.
const callOffAfter = 15 * time.Second

// aborter returns the origin against which a match called off by who counts: the account of a player, the address of a guest. For a guest who has
// gone it is their last known block of addresses.
func (m *Manners) aborter(who storage.Occupant) origin.Origin {
	if who.Kind != storage.Guest {
		return origin.Origin{Person: match.PersonOf(who)}
	}
	if addr := m.config.Players.Origin(who).Addr; addr.IsValid() {
		return origin.Origin{Addr: addr}
	}
	return origin.Origin{Addr: m.config.Registry.Blocks(match.KeyOf(who))[0].Addr()}
}

// CountAbort counts a match that is over against the person at fault, if it was called off. The registry must still know the match.
func (m *Manners) CountAbort(v *match.View) {
	switch {
	case v.Started.IsZero() || v.Result != "" || v.EndedBy == storage.Nobody:
	case v.HasBot() || match.SameUser(v.Seats):
	default:
		if side, ok := m.atFault(v); ok {
			m.takeAbort(v.Seats[side])
		}
	}
}

// atFault returns the side against which a match called off counts. It is the side that ended the match or ran out of time for its first move.
// If that side had waited longer than patienceIn for the other one's first move, it is the other side. ok is false if neither side is at fault:
// in a private casual match without a clock whose side to move isn't here.
func (m *Manners) atFault(v *match.View) (side games.Side, ok bool) {
	if by := v.EndedBy.Side(); by == v.Turn || v.Ended.Sub(v.DueAt) < patienceIn(&v.Summary) {
		return by, true
	}
	return v.Turn, limitsFirstMove(&v.Summary) || m.config.Presence.IsHere(v.Seats[v.Turn])
}

// patienceIn returns how long a first move must have been due before calling off the match counts against the side to move.
func patienceIn(s *match.Summary) time.Duration {
	if s.Clock.Setting.Kind == clock.Correspondence {
		return s.Clock.Setting.FirstMove()
	}
	return callOffAfter
}

// limitsFirstMove reports whether the time for a first move is limited, at least while both sides are here.
func limitsFirstMove(s *match.Summary) bool {
	return s.Public || s.Agreed || s.Clock.Setting.Kind != clock.None
}

// CountLate is CountAbort for a match that has ended on another node and wasn't in memory here; s is its last summary on this node. The match counts
// against the side to move if its first move was due for longer than patienceIn.
func (m *Manners) CountLate(s *match.Summary) {
	if s.Started.IsZero() || s.Made() >= 2 || s.HasBot() || match.SameUser(s.Seats) || !limitsFirstMove(s) || m.config.Now().Sub(s.LastAt) < patienceIn(s) {
		return
	}
	m.takeAbort(s.Seats[s.Turn])
}

// takeAbort counts a match called off against a person. If the person has to wait now, their public offers end.
func (m *Manners) takeAbort(who storage.Occupant) {
	m.aborts.Take(time.Now(), m.aborter(who))
	if m.MayMeet(match.User(who)) != nil {
		m.withdraw(match.User(who), func(s *match.Summary) bool { return s.Public })
	}
}

// withdraw ends the untaken offers of a user for which the function which returns true. It doesn't wait. An offer that is taken first stays.
func (m *Manners) withdraw(u match.User, which func(*match.Summary) bool) {
	for _, s := range m.config.Registry.Of(u.Key()) {
		if _, own := s.Side(u); !own || !s.Started.IsZero() || !which(s) {
			continue
		}
		_ = m.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			_ = m.config.Matches.Do(ctx, s.ID, match.Withdraw()) // the error: it is over or taken
		})
	}
}

// WithdrawBetween ends the unanswered challenges and rematches between two users. It doesn't wait for their end.
func (m *Manners) WithdrawBetween(a, b match.User) {
	between := func(by, to match.User) {
		m.withdraw(by, func(s *match.Summary) bool { return to.Is(s.Reserved) })
	}
	between(a, b)
	between(b, a)
}

// MayMeet returns nil if a user may begin a match with another person now. The error is a *refusal.AbortsError.
func (m *Manners) MayMeet(u match.User) error {
	if wait, ok := m.aborts.Look(time.Now(), m.aborter(u.Occupant())); !ok {
		return &refusal.AbortsError{Wait: wait}
	}
	return nil
}

// apartFor is how long two people aren't paired after a match of fewer than enoughPlies moves.
const (
	apartFor    = 30 * time.Minute
	enoughPlies = 4
)

// An apart holds the pairs of people who must not be paired for a while: players by account, guests by their narrowest block of addresses if it
// is known. It is safe for concurrent use.
type apart struct {
	mu    sync.Mutex // guards what follows
	until map[[2]string]time.Time
	swept time.Time
}

func newApart() *apart { return &apart{until: make(map[[2]string]time.Time)} }

// pairOf returns the key of two people in apart, the same for either order. Two guests of one block have their own ids in it.
func (m *Manners) pairOf(a, b match.Key) [2]string {
	of := func(k match.Key) string { return match.PersonOf(storage.Occupant{Kind: k.Kind, ID: k.ID}) }
	pair := [2]string{m.blockOr(of(a), a), m.blockOr(of(b), b)}
	if pair[0] == pair[1] {
		pair = [2]string{of(a), of(b)}
	}
	slices.Sort(pair[:])
	return pair
}

// blockOr returns the name of a guest's block of addresses; id for a player, and for a guest without a known address.
func (m *Manners) blockOr(id string, k match.Key) string {
	if k.Kind == storage.Guest {
		if from := m.aborter(storage.Occupant{Kind: k.Kind, ID: k.ID}).Addr; from.IsValid() {
			return block + origin.Narrowest(from).String()
		}
	}
	return id
}

// block is the prefix of the name of a block of addresses.
const block = "block "

// KeepApart handles the end of a match, given its last summary. If it had fewer than enoughPlies moves, its players aren't paired for apartFor.
func (m *Manners) KeepApart(s *match.Summary) {
	first, second := s.Seats[games.First], s.Seats[games.Second]
	if s.Started.IsZero() || s.Made() >= enoughPlies || s.HasBot() || match.SameUser(s.Seats) {
		return
	}
	pair, now := m.pairOf(match.KeyOf(first), match.KeyOf(second)), time.Now()
	a := m.apart
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.swept) >= apartFor/10 {
		a.swept = now
		for p, until := range a.until {
			if !now.Before(until) {
				delete(a.until, p)
			}
		}
	}
	if len(a.until) < maxThrottled {
		a.until[pair] = now.Add(apartFor)
	}
}

// areApart reports whether two people must not be paired for now because of an earlier match.
func (m *Manners) areApart(a, b match.Key) bool {
	m.apart.mu.Lock()
	some := len(m.apart.until) > 0
	m.apart.mu.Unlock()
	if !some {
		return false
	}
	pair := m.pairOf(a, b)
	m.apart.mu.Lock()
	defer m.apart.mu.Unlock()
	return time.Now().Before(m.apart.until[pair])
}

// ApartFrom returns the people, by match.PersonOf, with whom a person must not be paired for now because of an earlier match. It leaves out
// guests held by their block of addresses. Other nodes need the result for guests who have connected again, whom they can't recognise.
func (m *Manners) ApartFrom(k match.Key) (people []string) {
	who := m.blockOr(match.PersonOf(storage.Occupant{Kind: k.Kind, ID: k.ID}), k)
	m.apart.mu.Lock()
	defer m.apart.mu.Unlock()
	for pair, until := range m.apart.until {
		if i := slices.Index(pair[:], who); i >= 0 && !strings.HasPrefix(pair[1-i], block) && time.Now().Before(until) {
			people = append(people, pair[1-i])
		}
	}
	return people
}

// NeverPaired reports whether two people must not be paired: one has blocked the other, or an earlier match keeps them apart for now.
func (m *Manners) NeverPaired(a, b match.Key) bool {
	return m.config.Relations.Blocks(match.User{Kind: a.Kind, ID: a.ID}, match.User{Kind: b.Kind, ID: b.ID}) || m.areApart(a, b)
}

// FirstMoveOverdue reports whether a person has kept another one waiting for a first move for callOffAfter or longer in an unfinished match. Until
// they make it, no quick match takes an offer of theirs.
func (m *Manners) FirstMoveOverdue(k match.Key) bool {
	u := match.User{Kind: k.Kind, ID: k.ID}
	for _, s := range m.config.Registry.Of(k) {
		if s.Made() < 2 && s.YourTurn(u) && !s.HasBot() && !match.SameUser(s.Seats) && m.config.Now().Sub(s.LastAt) >= callOffAfter &&
			(s.LimitsFirstMoves() || s.Clock.Setting.Kind == clock.Fischer) {
			return true
		}
	}
	return false
}

// maxThrottled bounds how many people are remembered, and how many blocks of each size.
const maxThrottled = 10_000
