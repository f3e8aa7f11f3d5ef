// Package plans keeps the moves that players prepare for the other side's next ones, in matches with days a move, and lets their players change them.
//
//	stored.go  the plans in the store, which nothing else in the lobby reads or writes
//	plans.go   what a player sees of a plan, and how it is changed
//
// What a plan may have, and which move it has for a position, is in package match. Package live plays that move, at the node that owns the match.
package plans

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	matchstore "ludoteca/storage/matches"
)

// Matches has all matches; see matches.Service.
type Matches interface {
	View(ctx context.Context, id storage.MatchID) (*match.View, error)
}

// Restrictions knows who may keep something; see restrictions.Service.
type Restrictions interface {
	Own(u match.User) error
}

// A Config configures New.
type Config struct {
	Stored       *Stored
	Matches      Matches
	Restrictions Restrictions
	Now          func() time.Time // the clock of events

	Origin func(storage.Occupant) origin.Origin // of a user; it must not wait
}

// A Service has the plans of players. Only their author sees them: they are never logged, and no operator reads them. Any goroutine may use a
// Service.
type Service struct {
	config   Config
	throttle *origin.Throttle // changes of plans
}

// New returns a service.
func New(c Config) *Service {
	return &Service{config: c, throttle: origin.NewSharedThrottle(changeEvery, changeBurst, changeTogether, planners)}
}

// How often a person may change plans. A block of addresses may do so as often as changeTogether people for each unit of its weight.
const (
	changeEvery    = 2 * time.Second
	changeBurst    = 30 // in a row
	changeTogether = 4
	planners       = 1 << 12 // people that are remembered
)

// A Prepared is what a user has prepared in a match, from the present position on.
type Prepared struct {
	View  *match.View
	Lines [][]games.Move // from the present position on; nil: nothing
	At    time.Time      // when the plan was made; zero: there is none
}

// Of returns what a user has prepared in a match. It returns match.ErrNotSeated, the errors of matches.Service.View, and refusal.ErrBusy.
func (s *Service) Of(ctx context.Context, u match.User, id storage.MatchID) (Prepared, error) {
	v, err := s.config.Matches.View(ctx, id)
	if err != nil {
		return Prepared{}, err
	}
	side, seated := v.Side(u)
	if !seated {
		return Prepared{}, match.ErrNotSeated
	}
	p, _, err := s.config.Stored.Plan(ctx, v.ID, side)
	return prepared(v, p), refusal.OfStore(err)
}

func prepared(v *match.View, p matchstore.Plan) Prepared {
	lines := v.PlannedLines(p)
	if lines == nil {
		return Prepared{View: v}
	}
	return Prepared{v, lines, p.At}
}

// Set replaces what a user has prepared in a match by some lines of moves, as people type them. It is on disk then. It returns the errors of
// match.View.NewPlan and of matches.Service.View, refusal.ErrNeedsKey, refusal.ErrNoAccount, refusal.ErrAccountClosed, *refusal.ChattyError,
// match.ErrLate and refusal.ErrBusy.
func (s *Service) Set(ctx context.Context, u match.User, id storage.MatchID, lines [][]games.Move) (Prepared, error) {
	return s.change(ctx, u, id, func(v *match.View, _ matchstore.Plan) (matchstore.Plan, error) {
		return v.NewPlan(u, lines, s.config.Now())
	})
}

// Add adds a line, from the position after ply moves on, to what a user has prepared. Where that has another answer, the answer of the line counts.
// It returns the errors of Set, and match.ErrLate if the match has another number of moves by now.
func (s *Service) Add(ctx context.Context, u match.User, id storage.MatchID, ply int, line []games.Move) (Prepared, error) {
	return s.change(ctx, u, id, func(v *match.View, before matchstore.Plan) (matchstore.Plan, error) {
		if v.Ply() != ply {
			return matchstore.Plan{}, match.ErrLate
		}
		return v.AddLine(u, before, line, s.config.Now())
	})
}

// change writes the plan that make returns. If the match changes before that is written, it is made again.
func (s *Service) change(ctx context.Context, u match.User, id storage.MatchID, make func(*match.View, matchstore.Plan) (matchstore.Plan, error)) (Prepared, error) {
	if err := s.mayChange(u); err != nil {
		return Prepared{}, err
	}
	const tries = 5 // each but the last was overtaken by an event of the match
	for range tries {
		v, err := s.config.Matches.View(ctx, id)
		if err != nil {
			return Prepared{}, err
		}
		seat, err := v.MayPlan(u)
		if err != nil {
			return Prepared{}, err
		}
		before, _, err := s.config.Stored.Plan(ctx, v.ID, seat.Side())
		if err != nil {
			return Prepared{}, refusal.OfStore(err)
		}
		p, err := make(v, before)
		if err != nil {
			return Prepared{}, err
		}
		err = s.config.Stored.set(ctx, v, seat.Side(), p)
		if !errors.Is(err, storage.ErrStale) {
			return prepared(v, p), refusal.OfStore(err)
		}
	}
	return Prepared{}, match.ErrLate
}

// mayChange returns nil if a user may change a plan now.
func (s *Service) mayChange(u match.User) error {
	if err := s.config.Restrictions.Own(u); err != nil {
		return err
	}
	if wait, ok := s.throttle.Take(time.Now(), s.config.Origin(u.Occupant())); !ok {
		return &refusal.ChattyError{Wait: wait}
	}
	return nil
}

// Clear drops what a user has prepared in a match, if there is anything. It returns match.ErrNotSeated, refusal.ErrNeedsKey,
// *refusal.ChattyError, the errors of matches.Service.View, and refusal.ErrBusy.
func (s *Service) Clear(ctx context.Context, u match.User, id storage.MatchID) (Prepared, error) {
	if err := s.mayChange(u); err != nil {
		return Prepared{}, err
	}
	v, err := s.config.Matches.View(ctx, id)
	if err != nil {
		return Prepared{}, err
	}
	side, seated := v.Side(u)
	if !seated {
		return Prepared{}, match.ErrNotSeated
	}
	return Prepared{View: v}, refusal.OfStore(s.config.Stored.Drop(ctx, v.ID, side))
}
