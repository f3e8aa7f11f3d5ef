package engines

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// A matchmaker looks after the matches of a session: it follows those that go on, keeps offers open, and takes challenges and offers. One goroutine
// runs it.
type matchmaker struct {
	*session
	met   map[match.Key]time.Time       // when a match with a computer account ended or could not begin; its offers are not taken for apartFor
	rests time.Time                     // no offer is opened before
	tried map[storage.MatchID]time.Time // challenges that could not be taken, and when to try again
}

// lookEvery is how often a matchmaker looks when nothing has changed, apartFor how long two computer accounts don't meet again, and restFor how long
// nothing is opened after something could not be.
const (
	lookEvery = 10 * time.Second
	apartFor  = 5 * time.Minute
	restFor   = 10 * time.Second
)

// endTime is how long the end of a session waits for the store at most.
const endTime = 5 * time.Second

func newMatchmaker(s *session) *matchmaker {
	return &matchmaker{session: s, met: make(map[match.Key]time.Time), tried: make(map[storage.MatchID]time.Time)}
}

// run looks after the matches until ctx ends. Then it withdraws the offers.
func (m *matchmaker) run(ctx context.Context) {
	var seen uint64
	for ctx.Err() == nil {
		m.look(ctx)
		waiting, stop := context.WithTimeout(ctx, lookEvery)
		if now, err := m.service.config.Changed(waiting, m.program.User, seen); err == nil {
			seen = now
		} else if waiting.Err() == nil { // the club closes
			stop()
			return
		}
		stop()
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	offers, _ := m.own()
	m.withdraw(ctx, offers)
}

// own returns the offers of the program, the oldest first, and how many matches of the account are played.
func (m *matchmaker) own() (offers []*match.Summary, played int) {
	u := m.program.User
	for _, s := range m.service.config.Registry.Of(u.Key()) {
		side, seated := s.Side(u)
		switch {
		case !seated:
		case !s.Started.IsZero():
			played++
		case s.Opener == storage.SeatOf(side) && m.wish.isOffer(s):
			offers = append(offers, s)
		}
	}
	slices.SortFunc(offers, oldest)
	return offers, played
}

// look does all that is to be done now.
func (m *matchmaker) look(ctx context.Context) {
	m.follow(ctx)
	m.giveUp(ctx)
	m.answer(ctx)
	offers, played := m.own()
	most := 0
	if m.wish.Offers && !m.personOffers() {
		most = room(m.budgets(), budgetOf(m.wish.Clock), m.wish.Matches-played)
	}
	if len(offers) > most {
		m.withdraw(ctx, offers[most:])
		return
	}
	if most > 0 && m.takeOlder(ctx, offers) {
		m.follow(ctx)
		return
	}
	for range most - len(offers) {
		if !m.open(ctx) {
			return
		}
	}
}

// follow begins to follow the matches that have begun, or that an earlier session has left.
func (m *matchmaker) follow(ctx context.Context) {
	u := m.program.User
	for _, s := range m.service.config.Registry.Of(u.Key()) {
		if _, seated := s.Side(u); !seated || s.Started.IsZero() || !m.wish.plays(s) {
			continue
		}
		m.mu.Lock()
		_, known := m.boards[s.ID]
		m.mu.Unlock()
		if known {
			continue
		}
		seat, err := m.service.seats.At(ctx, u, s.Ref)
		if err != nil {
			continue // the next look tries again
		}
		b := &board{seat: seat.WithLag(m.program.Lag)}
		m.mu.Lock()
		m.boards[s.ID] = b
		m.mu.Unlock()
		m.watching.Go(func() { m.watch(ctx, b) })
		if other := opponent(s, u); other.Kind == storage.Engine {
			m.meet(match.KeyOf(other))
		}
	}
}

// opponent returns the other occupant of a match.
func opponent(s *match.Summary, u match.User) storage.Occupant {
	side, _ := s.Side(u)
	return s.Seats[side.Other()]
}

// meet notes that the program has met another one.
func (m *matchmaker) meet(who match.Key) {
	now := time.Now()
	for key, at := range m.met {
		if now.Sub(at) >= apartFor {
			delete(m.met, key)
		}
	}
	m.met[who] = now
}

// apart reports whether the program has met another one lately.
func (m *matchmaker) apart(who match.Key) bool {
	at, met := m.met[who]
	return met && time.Since(at) < apartFor
}

// giveUp resigns what is lost by a fault, if that has failed, and claims what an opponent has left without a clock.
func (m *matchmaker) giveUp(ctx context.Context) {
	for _, b := range m.all() {
		m.mu.Lock()
		v, lost := b.view, b.lost
		m.mu.Unlock()
		switch {
		case v == nil || v.Over:
		case lost != nil:
			m.resign(ctx, b)
		case v.Ticks(): // the clock decides
		default:
			_ = b.seat.Claim(ctx, false) // the error: it can't be claimed now
		}
	}
}

// answer accepts and declines the challenges and rematches that wait for the program.
func (m *matchmaker) answer(ctx context.Context) {
	u, now := m.program.User, time.Now()
	for id, again := range m.tried {
		if now.After(again) {
			delete(m.tried, id)
		}
	}
	for _, s := range m.service.config.Registry.Of(u.Key()) {
		if !s.Started.IsZero() || !u.Is(s.Reserved) || !m.tried[s.ID].IsZero() || s.Game.About().ID != m.wish.Game.About().ID {
			continue
		}
		seat, err := m.service.seats.At(ctx, u, s.Ref)
		if err != nil {
			continue
		}
		if !m.accepts(s) {
			_ = seat.Abort(ctx) // the error: it is gone
			continue
		}
		if _, played := m.own(); room(m.budgets(), budgetOf(s.Clock.Setting), m.wish.Matches-played) == 0 {
			continue // it may wait until a match has ended
		}
		if err := seat.Join(ctx); err != nil {
			m.tried[s.ID] = now.Add(restFor)
			m.refuse(err)
			continue
		}
		m.follow(ctx)
	}
}

// accepts reports whether the program accepts a challenge.
func (m *matchmaker) accepts(s *match.Summary) bool {
	a, by := &m.wish.Accepts, opponentOf(s)
	if !m.wish.plays(s) || s.Studied() || s.Rated && !m.wish.Rated || !m.wish.AnyClock && s.Clock.Setting != m.wish.Clock {
		return false
	}
	id := match.User(by).Player()
	follows := false
	if id != "" && a.Followed {
		follows, _ = m.service.config.Relations.RelationTo(m.program.User, id)
	}
	return a.Everyone || follows || id != "" && a.Players[id]
}

// opponentOf returns the occupant who has opened an offer.
func opponentOf(s *match.Summary) storage.Occupant { return s.Seats[s.FreeSide().Other()] }

// personOffers reports whether a person offers what the program does: its own offer gives way.
func (m *matchmaker) personOffers() bool {
	return slices.ContainsFunc(m.service.config.Registry.Offers(), func(s *match.Summary) bool {
		return m.wish.isOffer(s) && !s.ByEngine() && s.Range == [2]int{}
	})
}

// takeOlder takes an offer of another computer account that is equal to the program's and older than all of its own, one of which it withdraws
// for that. It reports whether it has tried to.
func (m *matchmaker) takeOlder(ctx context.Context, offers []*match.Summary) bool {
	var best *match.Summary
	for _, s := range m.service.config.Registry.Offers() {
		by := opponentOf(s)
		if !m.wish.isOffer(s) || by.Kind != storage.Engine || m.program.User.Is(by) || s.Range != [2]int{} || m.apart(match.KeyOf(by)) {
			continue
		}
		if best == nil || oldest(s, best) < 0 {
			best = s
		}
	}
	if best == nil || len(offers) > 0 && oldest(offers[0], best) < 0 {
		return false
	}
	if n := len(offers); n > 0 && !m.withdraw(ctx, offers[n-1:]) {
		return true // another user has taken it
	}
	if _, err := m.service.seats.Take(ctx, m.program.User, best.ID); err != nil {
		m.meet(match.KeyOf(opponentOf(best)))
	}
	return true
}

// withdraw withdraws offers. It reports whether all were untaken.
func (m *matchmaker) withdraw(ctx context.Context, offers []*match.Summary) bool {
	all := true
	for _, s := range offers {
		seat, err := m.service.seats.At(ctx, m.program.User, s.Ref)
		if err == nil {
			err = seat.Withdraw(ctx)
		}
		all = all && err == nil
	}
	return all
}

// open opens an offer. It reports whether that has succeeded.
func (m *matchmaker) open(ctx context.Context) bool {
	if time.Now().Before(m.rests) {
		return false
	}
	_, err := m.service.seats.Open(ctx, m.program.User, m.wish.spec())
	if err == nil {
		return true
	}
	wait := restFor
	var fast *refusal.TooFastError
	if errors.As(err, &fast) {
		wait = max(wait, fast.Wait)
	}
	m.rests = time.Now().Add(wait)
	m.refuse(err)
	return false
}

// refuse reports why something could not begin.
func (m *matchmaker) refuse(err error) {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, match.ErrOver) && !errors.Is(err, match.ErrSeatTaken) {
		m.program.Report(Report{Event: Refused, Err: err})
	}
}
