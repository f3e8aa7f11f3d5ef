package analyses

import (
	"context"
	"errors"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
)

// Matches has the unfinished matches; *registry.Registry implements it.
type Matches interface {
	IsPrivate(id storage.MatchID) bool
}

// Sessions returns the origins of users; *accounts.Sessions implements it.
type Sessions interface {
	Of(who storage.Occupant) origin.Origin
}

// An Analyzer gives users the analyses of matches that they may see. Any goroutine may use it.
type Analyzer struct {
	*Queue
	matches  Matches
	sessions Sessions
}

// NewAnalyzer returns an Analyzer over a queue.
func NewAnalyzer(q *Queue, m Matches, s Sessions) *Analyzer { return &Analyzer{q, m, s} }

// Analysis returns the progress of the analysis of a finished match as soon as its Seq is above after: at once if it is already,
// else at the next change. Once the analysis is ready, Analysis waits until ctx ends. Start with 0 and go on with the Seq in hand.
//
// A match that has no analysis yet enters the queue, see Queue.Next. The analysis is on disk before a reader sees it ready.
//
// The errors are the same as of seats.Service.At, refusal.ErrNoSuchMatch also for an unfinished private match, refusal.ErrNotOver,
// refusal.ErrUnplayed for a match without a move or a result, refusal.ErrManyAnalyses when too many wait already, refusal.ErrBusy,
// refusal.ErrClosed, and ctx.Err().
func (a *Analyzer) Analysis(ctx context.Context, u match.User, id storage.MatchID, after uint64) (*Progress, error) {
	if a.matches.IsPrivate(id) {
		return nil, refusal.ErrNoSuchMatch
	}
	p, err := a.Next(ctx, a.origin(u), id, after)
	return p, ofAnalysis(err)
}

// Study is Analysis for a study of the user.
func (a *Analyzer) Study(ctx context.Context, u match.User, v *match.View, after uint64) (*Progress, error) {
	p, err := a.Queue.Study(ctx, a.origin(u), v, after)
	return p, ofAnalysis(err)
}

// origin returns for whom an analysis is made.
func (a *Analyzer) origin(u match.User) (by origin.Origin) {
	if u.Kind != "" {
		by = origin.Origin{Person: match.PersonOf(u.Occupant()), Addr: a.sessions.Of(u.Occupant()).Addr}
	}
	return by
}

func ofAnalysis(err error) error {
	if errors.Is(err, ErrFailed) && !errors.Is(err, refusal.ErrDamaged) && !errors.Is(err, refusal.ErrBusy) {
		err = refusal.OfStore(err)
	}
	return err
}
