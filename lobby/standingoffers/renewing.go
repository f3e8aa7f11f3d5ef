package standingoffers

import (
	"context"
	"errors"
	"maps"
	"time"

	"ludoteca/lobby/clock"
	"ludoteca/lobby/codes"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/standingoffers"
)

// A renewer opens the matches of the offers that this node owns. The goroutine of Run owns it.
type renewer struct {
	*Service
	over     map[storage.MatchID]bool             // matches that are over and still in a place
	unopened map[storage.MatchID]bool             // matches that the store didn't know, in a place
	rests    map[storage.PlayerID]time.Time       // nothing is opened before, by the machine's clock
	came     map[storage.PlayerID]registry.Blocks // the blocks of addresses that players came from, also after their last match is over
}

// Run keeps offers open until ctx ends.
func (s *Service) Run(ctx context.Context) {
	r := &renewer{s, map[storage.MatchID]bool{}, map[storage.MatchID]bool{}, map[storage.PlayerID]time.Time{}, map[storage.PlayerID]registry.Blocks{}}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for read := false; ; {
		if !read {
			read = s.readAll(ctx)
		}
		if read && s.config.Node.Ready() && !s.config.Node.CutOff() {
			r.look(ctx)
		}
		tick := ticker.C
		if read && len(s.players()) == 0 {
			tick = nil // there is nothing to do until a player keeps an offer, which wakes
		}
		select {
		case <-tick:
		case <-s.wake:
		case <-ctx.Done():
			return
		}
	}
}

// readAll reads the offers of all players.
func (s *Service) readAll(ctx context.Context) bool {
	all, err := s.config.Store.StandingOffers(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.config.Log.Error("the standing offers can't be read", "err", err)
		}
		return false
	}
	for _, row := range all {
		s.put(storage.PlayerID(row.Who.ID), row)
	}
	return true
}

// look looks at all offers that this node owns.
func (r *renewer) look(ctx context.Context) {
	r.forget()
	r.count()
	for _, id := range r.players() {
		if ctx.Err() != nil {
			return
		}
		if r.config.Node.Owns(storage.MatchID("standing offers of " + id)) { // not a match
			r.lookAt(ctx, id)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.passed)
	r.passed = make(chan struct{})
}

// forget forgets what was known of offers that are gone.
func (r *renewer) forget() {
	for _, known := range []map[storage.MatchID]bool{r.over, r.unopened} {
		maps.DeleteFunc(known, func(id storage.MatchID, _ bool) bool { return !r.Has(id) })
	}
	maps.DeleteFunc(r.rests, func(id storage.PlayerID, _ time.Time) bool { return len(r.row(id).Offers) == 0 })
	maps.DeleteFunc(r.came, func(id storage.PlayerID, _ registry.Blocks) bool { return len(r.row(id).Offers) == 0 })
}

// count counts the untaken matches of all offers by the blocks of addresses that their players come from.
func (r *renewer) count() {
	open := make(map[registry.Block]int)
	for _, id := range r.players() {
		blocks, row := r.blocks(id), r.row(id)
		for _, o := range row.Offers {
			for _, m := range o.Matches {
				if s := r.config.Registry.Find(m).Summary; s != nil && s.Started.IsZero() {
					for _, b := range blocks {
						open[b]++
					}
				}
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = open
}

// blocks returns the blocks of addresses that a player comes from, or came from when they were last seen.
func (r *renewer) blocks(id storage.PlayerID) registry.Blocks {
	now := r.config.Registry.Blocks(match.Key{Kind: storage.Person, ID: string(id)})[0]
	if len(now) == 0 { // the player has no match yet
		now = registry.BlocksOf(r.config.Players.Origin(storage.Occupant{Kind: storage.Person, ID: string(id)}).Addr)
	}
	if len(now) > 0 {
		r.came[id] = now
	}
	return r.came[id]
}

// opened counts one more untaken match until the next look.
func (s *Service) opened(blocks registry.Blocks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blocks {
		s.open[b]++
	}
}

// crowded reports whether the people of a block of addresses have as many untaken matches as they may.
func (s *Service) crowded(blocks registry.Blocks) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blocks {
		if s.open[b] >= openShare*b.Weight {
			return true
		}
	}
	return false
}

// lookAt does for the offers of a player what there is to do.
func (r *renewer) lookAt(ctx context.Context, id storage.PlayerID) {
	row := r.row(id)
	u := match.User(r.config.Restrictions.Named(row.Who))
	for _, o := range row.Offers {
		var err error
		if r.mustEnd(o, u) {
			err = r.end(ctx, id, o.Number)
		} else {
			err = r.renew(ctx, u, o)
		}
		switch {
		case err == nil, errors.Is(err, storage.ErrNotFound), errors.Is(err, storage.ErrStale): // it has just changed
		case ctx.Err() == nil:
			r.config.Log.Warn("a standing offer is not kept open for a moment", "player", id, "err", err)
			return
		}
	}
}

// mustEnd reports whether an offer has to end, but for how its matches ended.
func (r *renewer) mustEnd(o standingoffers.Offer, u match.User) bool {
	if o.Ends {
		return false
	}
	if _, ok := specOf(o.Kind); !ok {
		return true
	}
	unused := r.config.Now().Sub(o.Used) >= Unused
	for _, id := range o.Matches {
		if s := r.config.Registry.Find(id).Summary; s != nil && !s.Started.IsZero() {
			unused = false
		}
	}
	return unused || r.config.Restrictions.Closed(u.Player()) || r.config.Restrictions.Deleted(u.Player())
}

// renew opens a match for an offer if none of its matches is untaken and a place is free, or withdraws the untaken one of an offer that ends.
func (r *renewer) renew(ctx context.Context, u match.User, o standingoffers.Offer) error {
	var used, waiting int
	var free, begun storage.MatchID // a place to use again, and a match that is not open yet
	changed := false
	defer func() {
		if changed {
			r.read(ctx, u.Player())
		}
	}()
	set := func(was, next storage.MatchID) error {
		changed = true
		return r.config.Store.SetPlace(ctx, u.Player(), o.Number, was, next, r.config.Now())
	}
	for _, id := range o.Matches {
		state, err := r.stateOf(ctx, u, id)
		switch {
		case err != nil:
			return err
		case o.Ends && state == untaken:
			if err := r.config.Matches.Do(ctx, id, match.Withdraw()); err != nil && !errors.Is(err, match.ErrOver) && !errors.Is(err, match.ErrSeatTaken) {
				return err
			}
		case o.Ends && state != elsewhere:
			if err := set(id, ""); err != nil {
				return err
			}
		case o.Ends:
		case state == timedOut:
			return r.end(ctx, u.Player(), o.Number)
		case state == untaken, state == elsewhere:
			waiting++
		case state == unopened:
			begun = id
		case state == played:
			used++
		case state == over:
			free = id
		}
	}
	if o.Ends || waiting > 0 || used >= o.Places || !r.mayOpen(u, o) {
		return nil
	}
	if begun == "" {
		begun = codes.NewID()
		if err := set(free, begun); err != nil {
			return err
		}
	}
	return r.openMatch(ctx, u, o, begun)
}

// A placeState says what has become of a match in a place.
type placeState uint8

// The states.
const (
	unopened  placeState = iota // it was never opened, or was forgotten since
	untaken                     // it waits to be taken
	played                      // it goes on
	over                        // it has ended
	timedOut                    // it has ended because the time of the player of the offer ran out
	elsewhere                   // another node has opened it, and it is not known here yet
)

// stateOf returns what has become of a match of a player's offer.
func (r *renewer) stateOf(ctx context.Context, u match.User, id storage.MatchID) (placeState, error) {
	found := r.config.Registry.Find(id)
	switch {
	case found.Quarantined:
		return over, nil
	case found.Summary != nil && found.Summary.Started.IsZero():
		return untaken, nil
	case found.Summary != nil:
		return played, nil
	case r.over[id]:
		return over, nil
	case r.unopened[id]: // if another node has opened it since, opening it again does nothing
		return unopened, nil
	}
	_, err := r.config.Store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		_, err := r.config.Store.Log(ctx, id, 1, 1)
		if errors.Is(err, storage.ErrNotFound) {
			r.unopened[id] = true
			return unopened, nil
		}
		return elsewhere, err
	case err != nil && !errors.Is(err, storage.ErrDamaged):
		return unopened, err
	}
	v, err := r.config.Matches.View(ctx, id)
	switch {
	case errors.Is(err, refusal.ErrBusy), errors.Is(err, refusal.ErrCutOff):
		return unopened, err
	case err == nil && !v.Over: // its end is in the store, and not shown yet
		return played, nil
	case err == nil && v.TimedOut() && v.EndedBy != storage.Nobody && u.Is(v.Seats[v.EndedBy.Side()]):
		return timedOut, nil
	}
	r.over[id] = true // it may also be forgotten, or damaged
	return over, nil
}

// mayOpen reports whether a match may be opened for an offer now.
func (r *renewer) mayOpen(u match.User, o standingoffers.Offer) bool {
	if time.Now().Before(r.rests[u.Player()]) || r.crowded(r.blocks(u.Player())) {
		return false
	}
	spec, ok := specOf(o.Kind)
	if !ok || spec.Clock.Kind != clock.Correspondence && !r.config.Presence.IsHere(u.Occupant()) && !r.isNew(o) {
		return false
	}
	_, ok = r.pace.Look(time.Now(), r.from(u))
	return ok
}

// isNew reports whether an offer was made a moment ago, maybe by a command whose player is gone by now: its first match waits for them for a while.
func (r *renewer) isNew(o standingoffers.Offer) bool {
	return o.Used.Equal(o.Since) && r.config.Now().Sub(o.Since) < time.Minute && len(o.Matches) == 1 && !r.over[o.Matches[0]]
}

// openMatch opens a match whose id is in the store. One that can't be opened now is tried again later. openMatch returns the errors of the store.
func (r *renewer) openMatch(ctx context.Context, u match.User, o standingoffers.Offer, id storage.MatchID) error {
	spec, _ := specOf(o.Kind)
	from := r.from(u)
	if wait, ok := r.pace.Take(time.Now(), from); !ok {
		r.rests[u.Player()] = time.Now().Add(wait)
		return nil
	}
	err := r.config.Seats.OpenStanding(ctx, u, id, spec)
	if err == nil {
		delete(r.unopened, id)
		r.opened(r.blocks(u.Player()))
		return nil
	}
	r.pace.Return(time.Now(), from)
	if ctx.Err() != nil {
		return err
	}
	r.refuse(id, err)
	r.rests[u.Player()] = time.Now().Add(restFor)
	if errors.Is(err, refusal.ErrNoAccount) || errors.Is(err, refusal.ErrNoSuchGame) {
		return r.end(ctx, u.Player(), o.Number)
	}
	return nil
}
