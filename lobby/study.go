package lobby

import (
	"context"
	"errors"
	"math"

	"ludoteca/games/analysis"
	"ludoteca/storage"
)

// A Study is how far the analysis of a finished match is. It is immutable and shared.
type Study struct {
	Seq   uint64 // what Lobby.Study takes: it grows with every change, and no change comes after Ready
	Stage Stage
	Ahead int // while Waiting: how many other matches come before this one

	// Done is how many of Total positions have been looked at.
	Done, Total int

	Analysis *analysis.Analysis // when Ready
}

// A Stage is a stage of an analysis.
type Stage uint8

// The stages.
const (
	Waiting Stage = iota // others come first
	Working
	Ready
)

// lastSeq is the number of every study that is Ready.
const lastSeq = math.MaxUint64

// Study returns how far the analysis of a finished match is, as soon as its Seq is above after: at once if it is already,
// else at the next change; once it is Ready, when ctx ends. Start with 0 and go on with the Seq of the study in hand.
//
// A match that has no analysis yet gets one: it waits in turn, and is worked on while no computer player thinks, for as long
// as somebody asks. It is on disk before anybody sees it Ready. The errors are those of At, ErrNotOver, ErrUnplayed for a
// match without a move or a result, ErrManyStudies when too many wait already, ErrBusy, ErrClosed, and that of ctx.
func (l *Lobby) Study(ctx context.Context, id storage.MatchID, after uint64) (*Study, error) {
	select {
	case <-l.closing:
		return nil, ErrClosed
	default:
	}
	s := l.studies.join(id)
	if s == nil {
		total, err := l.studiable(ctx, id)
		if err != nil {
			return nil, err
		}
		a, err := l.analysisOf(ctx, id, total)
		switch {
		case err != nil:
			return nil, err
		case a == nil:
			if s, err = l.studies.enter(id, total); err != nil {
				return nil, err
			}
		case after < lastSeq:
			return readyStudy(a), nil
		default:
			return nil, l.never(ctx)
		}
	}
	defer l.studies.leave(s)
	return l.studies.next(ctx, l.closing, s, after)
}

// studiable returns how many positions the analysis of a match has, or why it gets none.
func (l *Lobby) studiable(ctx context.Context, id storage.MatchID) (positions int, err error) {
	b, err := l.board(ctx, id)
	if err != nil {
		return 0, err
	}
	switch v := b.view(); {
	case !v.Over:
		return 0, ErrNotOver
	case v.Result == "" || v.Ply() == 0 || v.Ply() > analysis.MaxPlies:
		return 0, ErrUnplayed
	default:
		return v.Ply() + 1, nil
	}
}

// analysisOf returns the analysis that the store has of a match; nil if there is none that is of use: it can be made anew.
func (l *Lobby) analysisOf(ctx context.Context, id storage.MatchID, positions int) (*analysis.Analysis, error) {
	a, err := l.store.Analysis(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, nil
	case errors.Is(err, storage.ErrDamaged):
		l.log.Error("the analysis of a match is damaged and is made anew", "match", id, "err", err)
		return nil, nil
	case err != nil:
		return nil, trouble(err)
	case a.Version != analysis.Version || len(a.Points) != positions:
		return nil, nil
	}
	return a, nil
}

// readyStudy returns the last study of a match.
func readyStudy(a *analysis.Analysis) *Study {
	n := len(a.Points)
	return &Study{Seq: lastSeq, Stage: Ready, Done: n, Total: n, Analysis: a}
}

// never waits for what will not come.
func (l *Lobby) never(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-l.closing:
		return ErrClosed
	}
}
