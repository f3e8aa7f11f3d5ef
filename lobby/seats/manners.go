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
// A player who keeps another person waiting for a first move, or calls off a match that has started at once, costs that person time. Nobody is
// kept from doing so, but a player who does it often has to wait before the next match with people: see Limits.Aborts. Accounts count
// by themselves, and guests by their blocks of addresses, for a guest is another person after connecting again. The counts are in memory
// alone: a restart forgives.
//
// Two people whose match ended before each had made enough moves are not paired again for apartFor, no matter who was at fault: a person who doesn't
// move would else be found by the same people again and again.

// Manners count matches called off, and say who may begin a match with whom. It is safe for concurrent use.
type Manners struct {
	config MannersConfig
	aborts *origin.Throttle // matches with people that were called off
	apart  *apart           // who isn't paired with whom for now
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

// NewManners returns manners that nobody has offended against yet.
func NewManners(c MannersConfig) *Manners { return &Manners{c, newAborts(c.Limits), newApart()} }

// newAborts returns the throttle that counts matches called off.
func newAborts(l limits.Limits) *origin.Throttle {
	return origin.NewThrottle(l.AbortEvery, l.Aborts, maxThrottled)
}

// callOffAfter is how long a player waits for the other side's first move before the match may be called off at the other side's expense.
const callOffAfter = 15 * time.Second

// aborter returns the person and the blocks of addresses against which a match counts that was called off. A guest who has gone counts by where
// they came from last.
func (m *Manners) aborter(who storage.Occupant) origin.Origin {
	if who.Kind != storage.Guest {
		return origin.Origin{Person: match.PersonOf(who)}
	}
	if addr := m.config.Players.Origin(who).Addr; addr.IsValid() {
		return origin.Origin{Addr: addr}
	}
	return origin.Origin{Addr: m.config.Registry.Blocks(match.KeyOf(who))[0].Addr()}
}

// CountAbort counts a match that is over against the person who was at fault that it was called off. The registry still knows the match.
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

// atFault returns the side of a match called off against which it counts: the one that ended it, or whose time for the first move was up; but
// the side whose first move was due, if the other one had waited for callOffAfter. ok is false where neither owed the other anything: in a
// private casual match without a clock whose side to move isn't here.
func (m *Manners) atFault(v *match.View) (side games.Side, ok bool) {
	if by := v.EndedBy.Side(); by == v.Turn || v.Ended.Sub(v.DueAt) < patienceIn(&v.Summary) {
		return by, true
	}
	return v.Turn, owesMove(&v.Summary) || m.config.Presence.IsHere(v.Seats[v.Turn])
}

// patienceIn returns how long a first move must have been due for a match to be called off at the expense of the side to move.
func patienceIn(s *match.Summary) time.Duration {
	if s.Clock.Setting.Kind == clock.Correspondence {
		return s.Clock.Setting.FirstMove()
	}
	return callOffAfter
}

// owesMove reports whether the time for a first move is limited, while both are here at least.
func owesMove(s *match.Summary) bool {
	return s.Public || s.Agreed || s.Clock.Setting.Kind != clock.None
}

// CountLate is CountAbort for a match that has ended at another node and wasn't in memory here, of which this node knows how it stood last: it
// counts against the side that had owed its first move for long.
func (m *Manners) CountLate(s *match.Summary) {
	if s.Started.IsZero() || s.Made() >= 2 || s.HasBot() || match.SameUser(s.Seats) || !owesMove(s) || m.config.Now().Sub(s.LastAt) < patienceIn(s) {
		return
	}
	m.takeAbort(s.Seats[s.Turn])
}

// takeAbort counts a match called off against a person. Who has to wait now takes no others up: their public offers end.
func (m *Manners) takeAbort(who storage.Occupant) {
	m.aborts.Take(time.Now(), m.aborter(who))
	if m.MayMeet(match.User(who)) != nil {
		m.withdraw(match.User(who), func(s *match.Summary) bool { return s.Public })
	}
}

// withdraw ends the untaken offers of a user that which names, soon. Of one that is taken first nothing changes.
func (m *Manners) withdraw(u match.User, which func(*match.Summary) bool) {
	for _, s := range m.config.Registry.Of(u.Key()) {
		if _, own := s.Side(u); !own || !s.Started.IsZero() || !which(s) {
			continue
		}
		_ = m.config.Tasks.Go(func(ctx, _ context.Context) { // the error: the club closes
			_ = m.config.Matches.Do(ctx, s.ID, match.Withdraw(), func() {}) // the error: it is over or taken
		})
	}
}

// WithdrawBetween ends the challenges and rematches that one of two users has offered the other and that wait for an answer, soon.
func (m *Manners) WithdrawBetween(a, b match.User) {
	between := func(by, to match.User) {
		m.withdraw(by, func(s *match.Summary) bool { return to.Is(s.Reserved) })
	}
	between(a, b)
	between(b, a)
}

// MayMeet reports whether a user may begin a match with people. The error is an *refusal.AbortsError.
func (m *Manners) MayMeet(u match.User) error {
	from, now := m.aborter(u.Occupant()), time.Now()
	wait, ok := m.aborts.Take(now, from)
	if !ok {
		return &refusal.AbortsError{Wait: wait}
	}
	m.aborts.Return(now, from)
	return nil
}

// apartFor is for how long two people aren't paired after a match in which one of them made fewer than enoughPlies/2 moves.
const (
	apartFor    = 30 * time.Minute
	enoughPlies = 4
)

// An apart knows which two people aren't to be paired for a while: players by their accounts, guests by the narrowest block of addresses, where
// it is known. Any goroutine may use it.
type apart struct {
	mu    sync.Mutex // guards what follows
	until map[[2]string]time.Time
	swept time.Time
}

func newApart() *apart { return &apart{until: make(map[[2]string]time.Time)} }

// pairOf returns two people in an order that is the same for both. Two guests of one block are told apart by their connections.
func (m *Manners) pairOf(a, b match.Key) [2]string {
	of := func(k match.Key) string { return match.PersonOf(storage.Occupant{Kind: k.Kind, ID: k.ID}) }
	pair := [2]string{m.blockOr(of(a), a), m.blockOr(of(b), b)}
	if pair[0] == pair[1] {
		pair = [2]string{of(a), of(b)}
	}
	slices.Sort(pair[:])
	return pair
}

// blockOr returns the block of addresses of a guest; of a player, and where no address is known, id.
func (m *Manners) blockOr(id string, k match.Key) string {
	if k.Kind == storage.Guest {
		if from := m.aborter(storage.Occupant{Kind: k.Kind, ID: k.ID}).Addr; from.IsValid() {
			return block + origin.Narrowest(from).String()
		}
	}
	return id
}

// block is what the name of a block of addresses begins with.
const block = "block "

// KeepApart notes that a match of two people is over, as it stood last: with too few moves they aren't paired again for a while.
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

// areApart reports whether two people are not to be paired for now.
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

// ApartFrom returns the people, by match.PersonOf, with whom a person isn't to be paired for now after a match with them: other nodes don't know
// so of a guest who has connected again. Guests who are known by where they come from are left out.
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

// NeverPaired reports whether two people are not to be paired: one has blocked the other, or they are apart.
func (m *Manners) NeverPaired(a, b match.Key) bool {
	return m.config.Relations.Blocks(match.User{Kind: a.Kind, ID: a.ID}, match.User{Kind: b.Kind, ID: b.ID}) || m.areApart(a, b)
}

// OwesFirstMove reports whether a person has kept another one waiting for a first move for callOffAfter, in a match that is played now. Quick
// matches take none of their offers until they have made it.
func (m *Manners) OwesFirstMove(k match.Key) bool {
	u := match.User{Kind: k.Kind, ID: k.ID}
	for _, s := range m.config.Registry.Of(k) {
		if s.Made() < 2 && s.YourTurn(u) && !s.HasBot() && !match.SameUser(s.Seats) && m.config.Now().Sub(s.LastAt) >= callOffAfter &&
			(s.LimitsFirstMoves() || s.Clock.Setting.Kind == clock.Fischer) {
			return true
		}
	}
	return false
}

// maxThrottled is how many people, and as many blocks of each size, are remembered.
const maxThrottled = 10_000
