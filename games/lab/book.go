package lab

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"ludoteca/games"
)

// Book makes the opening book of a game that the plans ask for, with the given number of workers, and returns its bytes. After
// each ply of a plan it writes a line to progress. The same plans make the same book, however many workers there are.
//
// If ctx ends before the book is done, Book returns the error of ctx.
func Book(ctx context.Context, progress io.Writer, g games.Booked, plans []games.BookPlan, workers int) ([]byte, error) {
	if workers < 1 || workers > MaxArenaWorkers {
		return nil, fmt.Errorf("%w: %d workers, not 1 to %d", ErrUsage, workers, MaxArenaWorkers)
	}
	makers := make([]games.BookMaker, len(plans))
	for i, plan := range plans {
		m, err := g.NewBookMaker(plan)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		makers[i] = m
	}
	for i, m := range makers {
		for n := m.NextPly(); n > 0; n = m.NextPly() {
			choices, err := choose(ctx, m, n, workers)
			if err != nil {
				return nil, err
			}
			s := plyScore{options: plans[i].Options.String(), ply: m.Ply()}
			for position, c := range choices {
				s.count(c)
				if err := m.Add(position, c); err != nil {
					return nil, err
				}
			}
			if _, err := io.WriteString(progress, s.text()); err != nil {
				return nil, fmt.Errorf("write: %w", err)
			}
		}
	}
	return g.MergeBooks(makers), nil
}

// choose has the workers choose a move for each of n positions.
func choose(ctx context.Context, m games.BookMaker, n, workers int) ([]games.BookChoice, error) {
	choices := make([]games.BookChoice, n)
	ended := func() bool { return ctx.Err() != nil }
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !ended(); i = int(next.Add(1)) - 1 {
				choices[i] = m.Choose(i, ended)
			}
		})
	}
	all.Wait()
	return choices, ctx.Err()
}

// A plyScore says how a ply of the book has come out.
type plyScore struct {
	options                 string
	ply                     int
	found, lost, open, done int
	nodes                   int
}

func (s *plyScore) count(c games.BookChoice) {
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

func (s *plyScore) text() string {
	return fmt.Sprintf("%s, ply %d: %d positions, %d have a move, %d are lost, %d undecided, %d looked at\n",
		s.options, s.ply, s.done, s.found, s.lost, s.open, s.nodes)
}
