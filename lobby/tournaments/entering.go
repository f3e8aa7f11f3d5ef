package tournaments

import (
	"context"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// maxEver is how many people may enter one tournament, those who have withdrawn included: the log must have room for the matches.
const maxEver = 2 * tournaments.MaxEntrants

// ofBlock is how many entrants of a public tournament from one block of addresses are always let in. Above that they may be half of all.
const ofBlock = 32

// A Registration lets users enter tournaments, leave them and pause. Any goroutine may use it.
type Registration struct {
	config *Config
	reader *Reader
	acts   *acts
}

// Enter enters a user. A private tournament needs its code in ref. The errors are refusal.ErrNeedsKey, refusal.ErrAccountClosed, refusal.ErrEngine
// for a computer account where the tournament doesn't let these in, a *refusal.RangeError, refusal.ErrUnavailable if the announcer has
// blocked the user, refusal.ErrEntered, refusal.ErrNoLateEntry, refusal.ErrTournamentFull, refusal.ErrNeighbours if too many
// entrants come from the block of addresses of the user, refusal.ErrNoReturn, and the errors of acts.by.
func (r *Registration) Enter(ctx context.Context, u match.User, ref Ref) error {
	if err := r.config.mayTakePart(u); err != nil {
		return err
	}
	v, err := r.reader.View(ctx, ref.ID)
	if err != nil {
		return err
	}
	if err := r.leavesRoom(ctx, u, v); err != nil {
		return err
	}
	strength := r.config.Players.Strength(ctx, u.Occupant(), v.Settings.Games[0].ID).OrNewcomer()
	rating := max(int(strength.Rating+0.5), 0)
	return r.acts.by(ctx, u, ref.ID, func(t *state.State) ([]tournaments.Entry, error) {
		if err := r.fits(u, ref, t, rating); err != nil {
			return nil, err
		}
		return []tournaments.Entry{{Kind: tournaments.Entered, Who: u.Occupant(), Rating: rating}}, nil
	})
}

// leavesRoom returns refusal.ErrNeighbours if the entrants of a public tournament who come from the same block of addresses as a user have their
// places: else accounts that never play could have all of them. The other error is refusal.ErrBusy.
func (r *Registration) leavesRoom(ctx context.Context, u match.User, v *View) error {
	most := max(ofBlock, v.Settings.Most/2)
	if v.Settings.Private || v.Entrants.Players() < most {
		return nil
	}
	ids := []storage.PlayerID{u.Player()}
	for _, e := range v.Entrants {
		if e.In() && e.Who.Kind.HasAccount() && !u.Is(e.Who) {
			ids = append(ids, storage.PlayerID(e.Who.ID))
		}
	}
	blocks, err := r.config.Store.LastBlocks(ctx, ids)
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
func (r *Registration) fits(u match.User, ref Ref, t *state.State, rating int) error {
	of := t.Settings
	old := t.Entrants.Find(u.Occupant())
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
	case of.By.Kind.HasAccount() && r.config.HasBlocked(match.User(of.By), u):
		return refusal.ErrUnavailable
	case of.Range != [2]int{} && (rating < of.Range[0] || rating > of.Range[1]):
		return &refusal.RangeError{Range: of.Range, Rating: rating}
	case t.Entrants.Players() >= of.Most:
		return refusal.ErrTournamentFull
	}
	return nil
}

// entrant is the part of acts that an entrant does: it calls do with the entrant that a user is. The error is refusal.ErrNotEntered if the user takes
// no part, and refusal.ErrEnded after the end.
func entrant(u match.User, do func(t *state.State, e *state.Entrant) ([]tournaments.Entry, error)) func(*state.State) ([]tournaments.Entry, error) {
	return func(t *state.State) ([]tournaments.Entry, error) {
		if t.Stage.Closed() {
			return nil, refusal.ErrEnded
		}
		e := t.Entrants.Find(u.Occupant())
		if e == nil || !e.In() {
			return nil, refusal.ErrNotEntered
		}
		return do(t, e)
	}
}

// Withdraw withdraws a user. A match that goes on counts. The errors are refusal.ErrNotEntered, refusal.ErrEnded, and the errors of acts.by.
func (r *Registration) Withdraw(ctx context.Context, u match.User, id storage.TournamentID) error {
	return r.acts.by(ctx, u, id, entrant(u, func(_ *state.State, e *state.Entrant) ([]tournaments.Entry, error) {
		return []tournaments.Entry{{Kind: tournaments.Withdrawn, Entrant: e.Number, Reason: tournaments.ByEntrant}}, nil
	}))
}

// Pause has a user not be paired until Resume, or be paired again if on is false. It does nothing if it is so already. The errors are
// refusal.ErrNoPause where the kind of the tournament doesn't allow it, refusal.ErrNotEntered, refusal.ErrEnded, and the errors of acts.by.
func (r *Registration) Pause(ctx context.Context, u match.User, id storage.TournamentID, on bool) error {
	return r.acts.by(ctx, u, id, entrant(u, func(t *state.State, e *state.Entrant) ([]tournaments.Entry, error) {
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
