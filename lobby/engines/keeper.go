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

// A keeper looks after the matches of a session: it follows those that go on, keeps offers open, and takes challenges and offers. One goroutine
// runs it.
type keeper struct {
	*session
	met   map[match.Key]time.Time       // when a match with a computer account ended or could not begin; its offers are not taken for apartFor
	rests time.Time                     // no offer is opened before
	tried map[storage.MatchID]time.Time // challenges that could not be taken, and when to try again
}

// lookEvery is how often a keeper looks when nothing has changed, apartFor how long two computer accounts don't meet again, and restFor how long
// nothing is opened after something could not be.
const (
	lookEvery = 10 * time.Second
	apartFor  = 5 * time.Minute
	restFor   = 10 * time.Second
)

// endTime is how long the end of a session waits for the store at most.
const endTime = 5 * time.Second

func newKeeper(s *session) *keeper {
	return &keeper{session: s, met: make(map[match.Key]time.Time), tried: make(map[storage.MatchID]time.Time)}
}

// run looks after the matches until ctx ends. Then it withdraws the offers.
func (k *keeper) run(ctx context.Context) {
	var seen uint64
	for ctx.Err() == nil {
		k.look(ctx)
		waiting, stop := context.WithTimeout(ctx, lookEvery)
		if now, err := k.service.config.Changed(waiting, k.program.User, seen); err == nil {
			seen = now
		} else if waiting.Err() == nil { // the club closes
			stop()
			return
		}
		stop()
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	offers, _ := k.own()
	k.withdraw(ctx, offers)
}

// own returns the offers of the program, the oldest first, and how many matches of the account are played.
func (k *keeper) own() (offers []*match.Summary, played int) {
	u := k.program.User
	for _, s := range k.service.config.Registry.Of(u.Key()) {
		side, seated := s.Side(u)
		switch {
		case !seated:
		case !s.Started.IsZero():
			played++
		case s.Opener == storage.SeatOf(side) && k.wish.isOffer(s):
			offers = append(offers, s)
		}
	}
	slices.SortFunc(offers, oldest)
	return offers, played
}

// look does all that is to be done now.
func (k *keeper) look(ctx context.Context) {
	k.follow(ctx)
	k.giveUp(ctx)
	k.answer(ctx)
	offers, played := k.own()
	most := 0
	if k.wish.Offers && !k.personOffers() {
		most = room(k.budgets(), budgetOf(k.wish.Clock), k.wish.Matches-played)
	}
	if len(offers) > most {
		k.withdraw(ctx, offers[most:])
		return
	}
	if most > 0 && k.takeOlder(ctx, offers) {
		k.follow(ctx)
		return
	}
	for range most - len(offers) {
		if !k.open(ctx) {
			return
		}
	}
}

// follow begins to follow the matches that have begun, or that an earlier session has left.
func (k *keeper) follow(ctx context.Context) {
	u := k.program.User
	for _, s := range k.service.config.Registry.Of(u.Key()) {
		if _, seated := s.Side(u); !seated || s.Started.IsZero() || !k.wish.plays(s) {
			continue
		}
		k.mu.Lock()
		_, known := k.boards[s.ID]
		k.mu.Unlock()
		if known {
			continue
		}
		seat, err := k.service.seats.At(ctx, u, s.Ref)
		if err != nil {
			continue // the next look tries again
		}
		b := &board{seat: seat.WithLag(k.program.Lag)}
		k.mu.Lock()
		k.boards[s.ID] = b
		k.mu.Unlock()
		k.watching.Go(func() { k.watch(ctx, b) })
		if other := opponent(s, u); other.Kind == storage.Engine {
			k.meet(match.KeyOf(other))
		}
	}
}

// opponent returns the other occupant of a match.
func opponent(s *match.Summary, u match.User) storage.Occupant {
	side, _ := s.Side(u)
	return s.Seats[side.Other()]
}

// meet notes that the program has met another one.
func (k *keeper) meet(who match.Key) {
	now := time.Now()
	for key, at := range k.met {
		if now.Sub(at) >= apartFor {
			delete(k.met, key)
		}
	}
	k.met[who] = now
}

// apart reports whether the program has met another one lately.
func (k *keeper) apart(who match.Key) bool {
	at, met := k.met[who]
	return met && time.Since(at) < apartFor
}

// giveUp resigns what is lost by a fault, if that has failed, and claims what an opponent has left without a clock.
func (k *keeper) giveUp(ctx context.Context) {
	for _, b := range k.all() {
		k.mu.Lock()
		v, lost := b.view, b.lost
		k.mu.Unlock()
		switch {
		case v == nil || v.Over:
		case lost != nil:
			k.resign(ctx, b)
		case v.Ticks(): // the clock decides
		default:
			_ = b.seat.Claim(ctx, false) // the error: it can't be claimed now
		}
	}
}

// answer accepts and declines the challenges and rematches that wait for the program.
func (k *keeper) answer(ctx context.Context) {
	u, now := k.program.User, time.Now()
	for id, again := range k.tried {
		if now.After(again) {
			delete(k.tried, id)
		}
	}
	for _, s := range k.service.config.Registry.Of(u.Key()) {
		if !s.Started.IsZero() || !u.Is(s.Reserved) || !k.tried[s.ID].IsZero() || s.Game.About().ID != k.wish.Game.About().ID {
			continue
		}
		seat, err := k.service.seats.At(ctx, u, s.Ref)
		if err != nil {
			continue
		}
		if !k.accepts(s) {
			_ = seat.Abort(ctx) // the error: it is gone
			continue
		}
		if _, played := k.own(); room(k.budgets(), budgetOf(s.Clock.Setting), k.wish.Matches-played) == 0 {
			continue // it may wait until a match has ended
		}
		if err := seat.Join(ctx); err != nil {
			k.tried[s.ID] = now.Add(restFor)
			k.refuse(err)
			continue
		}
		k.follow(ctx)
	}
}

// accepts reports whether the program accepts a challenge.
func (k *keeper) accepts(s *match.Summary) bool {
	a, by := &k.wish.Accepts, opponentOf(s)
	if !k.wish.plays(s) || s.Studied() || s.Rated && !k.wish.Rated || !k.wish.AnyClock && s.Clock.Setting != k.wish.Clock {
		return false
	}
	id := match.User(by).Player()
	follows := false
	if id != "" && a.Followed {
		follows, _ = k.service.config.Relations.RelationTo(k.program.User, id)
	}
	return a.Everyone || follows || id != "" && a.Players[id]
}

// opponentOf returns the occupant who has opened an offer.
func opponentOf(s *match.Summary) storage.Occupant { return s.Seats[s.FreeSide().Other()] }

// personOffers reports whether a person offers what the program does: its own offer gives way.
func (k *keeper) personOffers() bool {
	return slices.ContainsFunc(k.service.config.Registry.Offers(), func(s *match.Summary) bool {
		return k.wish.isOffer(s) && !s.ByEngine() && s.Range == [2]int{}
	})
}

// takeOlder takes an offer of another computer account that is equal to the program's and older than all of its own, one of which it withdraws
// for that. It reports whether it has tried to.
func (k *keeper) takeOlder(ctx context.Context, offers []*match.Summary) bool {
	var best *match.Summary
	for _, s := range k.service.config.Registry.Offers() {
		by := opponentOf(s)
		if !k.wish.isOffer(s) || by.Kind != storage.Engine || k.program.User.Is(by) || s.Range != [2]int{} || k.apart(match.KeyOf(by)) {
			continue
		}
		if best == nil || oldest(s, best) < 0 {
			best = s
		}
	}
	if best == nil || len(offers) > 0 && oldest(offers[0], best) < 0 {
		return false
	}
	if n := len(offers); n > 0 && !k.withdraw(ctx, offers[n-1:]) {
		return true // another user has taken it
	}
	if _, err := k.service.seats.Take(ctx, k.program.User, best.ID); err != nil {
		k.meet(match.KeyOf(opponentOf(best)))
	}
	return true
}

// withdraw withdraws offers. It reports whether all were untaken.
func (k *keeper) withdraw(ctx context.Context, offers []*match.Summary) bool {
	all := true
	for _, s := range offers {
		seat, err := k.service.seats.At(ctx, k.program.User, s.Ref)
		if err == nil {
			err = seat.Withdraw(ctx)
		}
		all = all && err == nil
	}
	return all
}

// open opens an offer. It reports whether that has succeeded.
func (k *keeper) open(ctx context.Context) bool {
	if time.Now().Before(k.rests) {
		return false
	}
	_, err := k.service.seats.Open(ctx, k.program.User, k.wish.spec())
	if err == nil {
		return true
	}
	wait := restFor
	var fast *refusal.TooFastError
	if errors.As(err, &fast) {
		wait = max(wait, fast.Wait)
	}
	k.rests = time.Now().Add(wait)
	k.refuse(err)
	return false
}

// refuse reports why something could not begin.
func (k *keeper) refuse(err error) {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, match.ErrOver) && !errors.Is(err, match.ErrSeatTaken) {
		k.program.Report(Report{Event: Refused, Err: err})
	}
}
