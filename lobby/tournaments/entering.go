package tournaments

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// How often people may announce tournaments, and enter, leave, pause and go on. A block of addresses may do so as often as
// origin.PeoplePerAddress people for each unit of its weight.
const (
	announceEvery = 4 * time.Hour
	announceBurst = 3
	enterEvery    = 20 * time.Second
	enterBurst    = 10
	remembered    = 1 << 12 // people
)

// maxEver is how many people may enter one tournament, those who have withdrawn included: the log must have room for the matches.
const maxEver = 2 * tournaments.MaxEntrants

// ofBlock is how many entrants of a public tournament from one block of addresses are always let in. Above that they may be half of all.
const ofBlock = 32

// throttles limit how often people do what adds entries.
type throttles struct{ announcing, entering *origin.Throttle }

func newThrottles() throttles {
	return throttles{
		origin.NewSharedThrottle(announceEvery, announceBurst, origin.PeoplePerAddress, remembered),
		origin.NewSharedThrottle(enterEvery, enterBurst, origin.PeoplePerAddress, remembered),
	}
}

// throttled calls do unless the user has used up t. A failed do costs nothing. It returns the error of do, or a *refusal.TooFastError.
func (s *Service) throttled(t *origin.Throttle, u match.User, do func() error) error {
	from := s.config.Players.Origin(u.Occupant())
	if wait, ok := t.Take(time.Now(), from); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	err := do()
	if err != nil {
		t.Return(time.Now(), from)
	}
	return err
}

// act applies an act of a user in a tournament. The errors are the errors of the act, refusal.ErrNoSuchTournament, refusal.ErrDamaged, refusal.ErrCutOff,
// refusal.ErrBusy, refusal.ErrClosed, a *refusal.TooFastError and ctx.Err().
func (s *Service) act(ctx context.Context, u match.User, id storage.TournamentID, act func(*state.State) ([]tournaments.Entry, error)) error {
	if err := s.untilStarted(ctx); err != nil {
		return err
	}
	if err := s.config.Reach.Check(); err != nil {
		return err
	}
	return s.throttled(s.throttle.entering, u, func() error {
		s.mu.Lock()
		t := s.open[id]
		s.mu.Unlock()
		if t == nil {
			return s.ofEnded(ctx, id, act)
		}
		return t.do(ctx, act)
	})
}

// Enter enters a user. A private tournament needs its code in ref. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrEngine
// for a computer account where the tournament doesn't let these in, a *refusal.RangeError, refusal.ErrUnavailable if the announcer has
// blocked the user, refusal.ErrEntered, refusal.ErrNoLateEntry, refusal.ErrTournamentFull, refusal.ErrNeighbours if too many
// entrants come from the block of addresses of the user, refusal.ErrNoReturn, and the errors of act.
func (s *Service) Enter(ctx context.Context, u match.User, ref Ref) error {
	if err := s.mayEnter(u); err != nil {
		return err
	}
	v, err := s.View(ctx, ref.ID)
	if err != nil {
		return err
	}
	if err := s.leavesRoom(ctx, u, v); err != nil {
		return err
	}
	strength := s.config.Players.Strength(ctx, u.Occupant(), v.Settings.Games[0].ID).OrNewcomer()
	rating := max(int(strength.Rating+0.5), 0)
	return s.act(ctx, u, ref.ID, func(t *state.State) ([]tournaments.Entry, error) {
		if err := s.fits(u, ref, t, rating); err != nil {
			return nil, err
		}
		return []tournaments.Entry{{Kind: tournaments.Entered, Who: u.Occupant(), Rating: rating}}, nil
	})
}

// mayEnter refuses users who may not enter any tournament.
func (s *Service) mayEnter(u match.User) error {
	if !u.Kind.HasAccount() {
		return refusal.ErrNeedsKey
	}
	return s.config.Restrictions.MayPlay(u)
}

// leavesRoom returns refusal.ErrNeighbours if the entrants of a public tournament who come from the same block of addresses as a user have their places:
// else accounts that never play could have all of them. The other error is refusal.ErrBusy.
func (s *Service) leavesRoom(ctx context.Context, u match.User, v *View) error {
	most := max(ofBlock, v.Settings.Most/2)
	if v.Settings.Private || v.Players() < most {
		return nil
	}
	ids := []storage.PlayerID{u.Player()}
	for _, e := range v.Entrants {
		if e.In() && e.Who.Kind.HasAccount() && !u.Is(e.Who) {
			ids = append(ids, storage.PlayerID(e.Who.ID))
		}
	}
	blocks, err := s.config.Store.LastBlocks(ctx, ids)
	if err != nil {
		return refusal.OfStore(err)
	}
	same, own := 0, blocks[u.Player()]
	for _, id := range ids[1:] {
		if own != "" && blocks[id] == own {
			same++
		}
	}
	if same >= most {
		return refusal.ErrNeighbours
	}
	return nil
}

// fits returns nil if a user with a rating may enter a tournament now.
func (s *Service) fits(u match.User, ref Ref, t *state.State, rating int) error {
	of := t.Settings
	old := t.Find(u.Occupant())
	switch {
	case of.Private && ref.Code != of.Code && !u.Is(of.By):
		return refusal.ErrNoSuchTournament
	case old != nil && old.In():
		return refusal.ErrEntered
	case t.Stage != tournaments.Open && !t.LateEntry():
		return refusal.ErrNoLateEntry
	case old == nil && len(t.Entrants) >= maxEver:
		return refusal.ErrTournamentFull
	case old != nil && (!t.MayReturn(old) || t.Restless(old)):
		return refusal.ErrNoReturn
	case u.Kind == storage.Engine && !of.Engines:
		return refusal.ErrEngine
	case of.By.Kind.HasAccount() && s.config.HasBlocked(match.User(of.By), u):
		return refusal.ErrUnavailable
	case of.Range != [2]int{} && (rating < of.Range[0] || rating > of.Range[1]):
		return &refusal.RangeError{Range: of.Range, Rating: rating}
	case t.Players() >= of.Most:
		return refusal.ErrTournamentFull
	}
	return nil
}

// entrant is the part of acts that an entrant does: it calls do with the entrant that a user is. The error is refusal.ErrNotEntered if the user takes no
// part, and refusal.ErrEnded after the end.
func entrant(u match.User, do func(t *state.State, e *state.Entrant) ([]tournaments.Entry, error)) func(*state.State) ([]tournaments.Entry, error) {
	return func(t *state.State) ([]tournaments.Entry, error) {
		if t.Stage.Closed() {
			return nil, refusal.ErrEnded
		}
		e := t.Find(u.Occupant())
		if e == nil || !e.In() {
			return nil, refusal.ErrNotEntered
		}
		return do(t, e)
	}
}

// Withdraw withdraws a user. A match that goes on counts. The errors are refusal.ErrNotEntered, refusal.ErrEnded, and the errors of act.
func (s *Service) Withdraw(ctx context.Context, u match.User, id storage.TournamentID) error {
	return s.act(ctx, u, id, entrant(u, func(_ *state.State, e *state.Entrant) ([]tournaments.Entry, error) {
		return []tournaments.Entry{{Kind: tournaments.Withdrawn, Entrant: e.Number, Reason: tournaments.ByEntrant}}, nil
	}))
}

// Pause has a user not be paired until Resume, or be paired again if on is false. It does nothing if it is so already. The errors are
// refusal.ErrNoPause where the kind of the tournament doesn't allow it, refusal.ErrNotEntered, refusal.ErrEnded, and the errors of act.
func (s *Service) Pause(ctx context.Context, u match.User, id storage.TournamentID, on bool) error {
	return s.act(ctx, u, id, entrant(u, func(t *state.State, e *state.Entrant) ([]tournaments.Entry, error) {
		kind := tournaments.Resumed
		if on {
			kind = tournaments.Paused
		}
		switch {
		case e.Paused == on:
			return nil, nil
		case !t.MayPause(e), on && t.Restless(e):
			return nil, refusal.ErrNoPause
		}
		return []tournaments.Entry{{Kind: kind, Entrant: e.Number}}, nil
	}))
}

// CallOff calls off a tournament that a user has announced, before it begins. The errors are refusal.ErrNotAnnouncer, refusal.ErrBegun,
// refusal.ErrEnded, and the errors of act.
func (s *Service) CallOff(ctx context.Context, u match.User, id storage.TournamentID) error {
	return s.act(ctx, u, id, func(t *state.State) ([]tournaments.Entry, error) {
		switch {
		case t.Stage.Closed():
			return nil, refusal.ErrEnded
		case !t.Settings.By.Kind.HasAccount() || !u.Is(t.Settings.By):
			return nil, refusal.ErrNotAnnouncer
		case t.Stage != tournaments.Open:
			return nil, refusal.ErrBegun
		}
		return []tournaments.Entry{{Kind: tournaments.CalledOff, Reason: tournaments.ByAnnouncer}}, nil
	})
}

// End calls a tournament off for an operator, at any time. Matches that go on stay, and count for ratings alone. The errors are refusal.ErrEnded and
// the errors of act but for the limit of speed.
func (s *Service) End(ctx context.Context, id storage.TournamentID) error {
	if err := s.untilStarted(ctx); err != nil {
		return err
	}
	act := func(t *state.State) ([]tournaments.Entry, error) {
		if t.Stage.Closed() {
			return nil, refusal.ErrEnded
		}
		return []tournaments.Entry{{Kind: tournaments.CalledOff, Reason: tournaments.ByOperator}}, nil
	}
	s.mu.Lock()
	t := s.open[id]
	s.mu.Unlock()
	if t == nil {
		return s.ofEnded(ctx, id, act)
	}
	return t.do(ctx, act)
}

// ofAnnouncing returns an error of the store about a new tournament as one for people.
func ofAnnouncing(err error) error {
	switch {
	case errors.Is(err, tournaments.ErrMany):
		return refusal.ErrManyTournaments
	case errors.Is(err, tournaments.ErrOther):
		return refusal.ErrOtherTournament
	}
	return refusal.OfStore(err)
}
