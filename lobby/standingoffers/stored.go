package standingoffers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/standingoffers"
)

// A Stored has the standing offers of all players in memory, as the store has them, and knows which matches belong to them. It is safe for
// concurrent use. A Service keeps it up to date.
type Stored struct {
	store    Store
	registry *registry.Registry
	log      *slog.Logger
	wake     chan struct{} // holds one when there may be something to do

	mu      sync.Mutex // guards what follows
	rows    map[storage.PlayerID]standingoffers.Row
	of      map[storage.MatchID]offerKey // the matches of all offers
	taking  map[taking]bool
	refused map[storage.MatchID]error // why matches could not be opened here; of offers in rows alone
}

// NewStored returns a Stored without offers.
func NewStored(store Store, r *registry.Registry, log *slog.Logger) *Stored {
	return &Stored{
		store: store, registry: r, log: log, wake: make(chan struct{}, 1), rows: make(map[storage.PlayerID]standingoffers.Row),
		of: make(map[storage.MatchID]offerKey), taking: make(map[taking]bool), refused: make(map[storage.MatchID]error),
	}
}

// An offerKey names a standing offer.
type offerKey struct {
	player storage.PlayerID
	number int
}

// A taking is a user who is about to take a match of an offer.
type taking struct {
	offer offerKey
	user  match.Key
}

// end keeps in the store that an offer ends.
func (s *Stored) end(ctx context.Context, id storage.PlayerID, number int) error {
	err := s.store.EndStandingOffer(ctx, id, number)
	s.read(ctx, id)
	return err
}

// Taking implements seats.Standing.
func (s *Stored) Taking(u match.User, id storage.MatchID) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, ok := s.of[id]
	if !ok {
		return func() {}, nil
	}
	t, row := taking{key, u.Key()}, s.rows[key.player]
	if s.taking[t] {
		return nil, refusal.ErrStandingTaken
	}
	for _, other := range row.Find(key.number).Matches {
		if m := s.registry.Find(other).Summary; other != id && m != nil {
			if _, plays := m.Side(u); plays {
				return nil, refusal.ErrStandingTaken
			}
		}
	}
	s.taking[t] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taking, t)
	}, nil
}

// Withdrawn implements seats.Standing.
func (s *Stored) Withdrawn(ctx context.Context, u match.User, id storage.MatchID) (bool, error) {
	s.mu.Lock()
	key, ok := s.of[id]
	s.mu.Unlock()
	if m := s.registry.Find(id).Summary; !ok || key.player != u.Player() || m == nil || !m.Started.IsZero() {
		return false, nil
	}
	err := s.end(ctx, key.player, key.number)
	s.Wake()
	if errors.Is(err, storage.ErrNotFound) {
		err = nil
	}
	return true, refusal.OfStore(err)
}

// Has reports whether a match belongs to a standing offer.
func (s *Stored) Has(id storage.MatchID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.of[id]
	return ok
}

// Ended is called when a match is over.
func (s *Stored) Ended(id storage.MatchID) {
	if s.Has(id) {
		s.Wake()
	}
}

// Arrived is called when a player has come in.
func (s *Stored) Arrived(u match.User) {
	s.mu.Lock()
	_, ok := s.rows[u.Player()]
	s.mu.Unlock()
	if ok {
		s.Wake()
	}
}

// Wake has all offers looked at. It doesn't block.
func (s *Stored) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Forget forgets the offers of a player whose account is gone.
func (s *Stored) Forget(id storage.PlayerID) { s.put(id, standingoffers.Row{}) }

// read reads the offers of a player again, after this node has changed them.
func (s *Stored) read(ctx context.Context, id storage.PlayerID) {
	row, err := s.store.StandingOffersOf(ctx, id)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("the standing offers of a player can't be read", "player", id, "err", err)
		}
		return
	}
	s.put(id, row)
}

// put sets the offers of a player; without any the player is forgotten.
func (s *Stored) put(id storage.PlayerID, row standingoffers.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	still := make(map[storage.MatchID]bool)
	for _, o := range row.Offers {
		for _, m := range o.Matches {
			s.of[m], still[m] = offerKey{id, o.Number}, true
		}
	}
	for _, o := range s.rows[id].Offers {
		for _, m := range o.Matches {
			if !still[m] {
				delete(s.of, m)
				delete(s.refused, m)
			}
		}
	}
	if len(row.Offers) == 0 {
		delete(s.rows, id)
		return
	}
	s.rows[id] = row
}

// players returns the players with offers, sorted.
func (s *Stored) players() (ids []storage.PlayerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// row returns the offers of a player.
func (s *Stored) row(id storage.PlayerID) standingoffers.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[id]
}

// refuse notes why a match of an offer could not be opened here.
func (s *Stored) refuse(id storage.MatchID, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.of[id]; ok {
		s.refused[id] = why
	}
}

// whyRefused returns why a match could not be opened here; nil if it could, or has not been tried.
func (s *Stored) whyRefused(id storage.MatchID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[id]
}
