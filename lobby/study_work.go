package lobby

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"ludoteca/games/analysis"
	"ludoteca/lobby/thinking"
)

// workOnStudies works on the line of analyses, until ctx ends. What it saves, it saves under writes.
func (l *Lobby) workOnStudies(ctx, writes context.Context) {
	for ctx.Err() == nil {
		s := l.studies.first()
		if s == nil {
			select {
			case <-l.studies.poke:
			case <-ctx.Done():
			}
			continue
		}
		a, err := l.advance(ctx, writes, s)
		switch {
		case ctx.Err() != nil && a == nil:
			return // whoever reads it learns that the club is closing
		case err != nil || a != nil:
			l.studies.end(s, a, err)
		}
	}
}

// advance brings an analysis one step forward, and returns it when it is complete and on disk.
func (l *Lobby) advance(ctx, writes context.Context, s *study) (*analysis.Analysis, error) {
	if s.work == nil {
		// It may have become ready between a reader's look at the store and his coming into line.
		if a, err := l.analysisOf(ctx, s.id, s.total); a != nil || err != nil {
			return a, err
		}
	}
	err := l.house.scheduler.Background(ctx, func(ctx context.Context) error {
		return l.safely(ctx, func(ctx context.Context) error { return l.step(ctx, s) })
	})
	switch {
	case err == thinking.ErrPreempted:
		return nil, nil // the same again
	case err != nil:
		return nil, l.failed(ctx, s, err)
	}
	done, total := s.work.Progress()
	if done < total {
		l.studies.progress(s, done)
		return nil, nil
	}
	a := s.work.Analysis()
	if err := l.store.SaveAnalysis(writes, s.id, a); err != nil {
		return nil, l.failed(ctx, s, err)
	}
	l.house.stats.Analysed.Add(1)
	return a, nil
}

// step begins an analysis or makes one search for it.
func (l *Lobby) step(ctx context.Context, s *study) error {
	if s.work != nil {
		return s.work.Step(ctx)
	}
	b, err := l.board(ctx, s.id)
	if err != nil {
		return err
	}
	v := b.view()
	s.work, err = analysis.Begin(ctx, v.Game, v.Options, v.Moves, l.nodes)
	return err
}

// failed says in the errors of the lobby that an analysis will not be made, and logs why.
func (l *Lobby) failed(ctx context.Context, s *study, err error) error {
	if ctx.Err() == nil {
		l.house.stats.AnalysisFailures.Add(1)
		l.log.Error("the analysis of a match failed", "match", s.id, "err", err)
	}
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrBusy) {
		return err
	}
	return trouble(err)
}

// safely runs a piece of an analysis. A panic of an engine is its error.
func (l *Lobby) safely(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			l.house.stats.Panics.Add(1)
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx)
}
