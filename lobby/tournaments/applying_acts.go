package tournaments

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/tournaments"
)

// How often people may enter, leave, pause and go on. A block of addresses may do so as often as origin.PeoplePerAddress people for each unit of its
// weight.
const (
	enterEvery = 20 * time.Second
	enterBurst = 10
	remembered = 1 << 12 // people
)

// A limiter limits how often people do something that adds entries.
type limiter struct {
	players live.Players
	limit   *origin.Throttle
}

// do calls do unless the user has done so too often. A failed do costs nothing. It returns the error of do, or a *refusal.TooFastError.
func (l *limiter) do(u match.User, do func() error) error {
	from := l.players.Origin(u.Occupant())
	if wait, ok := l.limit.Take(time.Now(), from); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	err := do()
	if err != nil {
		l.limit.Return(time.Now(), from)
	}
	return err
}

// acts applies what people do in a tournament that is there.
type acts struct {
	config     *Config
	unfinished *Unfinished
	reader     *Reader
	limiter    limiter
}

func newActs(c *Config, unfinished *Unfinished, reader *Reader) *acts {
	limit := origin.NewSharedThrottle(enterEvery, enterBurst, origin.PeoplePerAddress, remembered)
	return &acts{c, unfinished, reader, limiter{c.Players, limit}}
}

// by applies an act of a user. The errors are the errors of the act, refusal.ErrNoSuchTournament, refusal.ErrDamaged, refusal.ErrCutOff,
// refusal.ErrBusy, refusal.ErrClosed, a *refusal.TooFastError and ctx.Err().
func (a *acts) by(ctx context.Context, u match.User, id storage.TournamentID, act func(*state.State) ([]tournaments.Entry, error)) error {
	if err := a.unfinished.untilStarted(ctx); err != nil {
		return err
	}
	if err := a.config.Reach.Check(); err != nil {
		return err
	}
	return a.limiter.do(u, func() error { return a.apply(ctx, id, act) })
}

// byOperator applies an act of an operator. It returns the errors of by, but for the limit of speed.
func (a *acts) byOperator(ctx context.Context, id storage.TournamentID, act func(*state.State) ([]tournaments.Entry, error)) error {
	if err := a.unfinished.untilStarted(ctx); err != nil {
		return err
	}
	return a.apply(ctx, id, act)
}

// apply applies an act. In a tournament that has ended, it returns the error of the act.
func (a *acts) apply(ctx context.Context, id storage.TournamentID, act func(*state.State) ([]tournaments.Entry, error)) error {
	if t := a.unfinished.find(id); t != nil {
		if err := t.do(ctx, act); !errors.Is(err, errLeftMemory) {
			return err
		}
	}
	v, err := a.reader.ended(ctx, id)
	if err == nil {
		_, err = act(v.State)
	}
	return err
}

// mayTakePart refuses users who may not take part in any tournament.
func (c *Config) mayTakePart(u match.User) error {
	if !u.Kind.HasAccount() {
		return refusal.ErrNeedsKey
	}
	return c.Restrictions.MayPlay(u)
}
