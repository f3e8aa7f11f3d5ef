package lab

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"ludoteca/games/fourmation"
)

// Book makes the opening book of 4Mation that the plans ask for, with so many workers, and returns its bytes. After each
// ply of a plan it writes a line to progress. The same plans make the same book, however many workers there are.
//
// If ctx ends before it is done, the error is that of ctx.
func Book(ctx context.Context, progress io.Writer, plans []fourmation.BookPlan, workers int) ([]byte, error) {
	if workers < 1 || workers > MaxArenaWorkers {
		return nil, fmt.Errorf("%w: %d workers, not 1 to %d", ErrUsage, workers, MaxArenaWorkers)
	}
	makers := make([]*fourmation.BookMaker, len(plans))
	for i, plan := range plans {
		m, err := fourmation.NewBookMaker(plan)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		makers[i] = m
	}
	for _, m := range makers {
		for page := m.Page(); len(page) > 0; page = m.Page() {
			choices, err := choose(ctx, m, page, workers)
			if err != nil {
				return nil, err
			}
			s := pageScore{options: m.Options.String(), ply: m.Ply()}
			for i, o := range page {
				s.count(choices[i])
				if err := m.Add(o, choices[i]); err != nil {
					return nil, err
				}
			}
			if _, err := io.WriteString(progress, s.text()); err != nil {
				return nil, fmt.Errorf("write: %w", err)
			}
		}
	}
	return fourmation.Bind(makers), nil
}

// choose has the workers choose a move for each opening of a page.
func choose(ctx context.Context, m *fourmation.BookMaker, page []fourmation.Opening,
	workers int) ([]fourmation.Choice, error) {
	choices := make([]fourmation.Choice, len(page))
	ended := func() bool { return ctx.Err() != nil }
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, len(page)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(page) && !ended(); i = int(next.Add(1)) - 1 {
				choices[i] = m.Choose(page[i], ended)
			}
		})
	}
	all.Wait()
	return choices, ctx.Err()
}

// A pageScore says how a page of the book has come out.
type pageScore struct {
	options                 string
	ply                     int
	found, lost, open, done int
	nodes                   int
}

func (s *pageScore) count(c fourmation.Choice) {
	s.done++
	s.nodes += c.Nodes
	switch {
	case c.Found:
		s.found++
	case c.Lost:
		s.lost++
	case c.Nodes > 0:
		s.open++
	}
}

func (s *pageScore) text() string {
	return fmt.Sprintf("%s, ply %d: %d positions, %d have a move, %d are lost, %d undecided, %d looked at\n",
		s.options, s.ply, s.done, s.found, s.lost, s.open, s.nodes)
}
