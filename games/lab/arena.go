package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Arena plays a meeting of two computer players, who take turns to begin, and writes its score. Options that let a game
// go on for ever, or name no number of plies, are cut off after MaxArenaPlies. While it goes on, progress is told to
// the writer of that name, a terminal, unless it is nil.
//
// An unknown level gives bot.ErrLevel, numbers out of range ErrUsage, a file of another meeting ErrResume. If it is
// stopped by ctx nothing is written; with a file to resume from no finished game is lost.
func Arena(ctx context.Context, w, progress io.Writer, meeting Meeting, asJSON bool) error {
	m, err := newMatch(meeting)
	if err != nil {
		return err
	}
	s, err := m.run(ctx, progress)
	if err != nil {
		return err
	}
	if asJSON {
		err = newEncoder(w).Encode(s)
	} else {
		_, err = io.WriteString(w, s.text(m.Game.About()))
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// run plays the games that are still to be played and returns the score of all.
func (m *match) run(ctx context.Context, progress io.Writer) (*score, error) {
	began := time.Now()
	counted := newLedger(&m.Meeting)
	keep := func(game) error { return nil }
	if m.Resume != "" {
		file, finished, err := openJournal(m.Resume, &m.Meeting)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		for _, g := range finished {
			counted.add(g)
		}
		keep = file.append
	}
	show := &ticker{w: progress, began: began, before: counted.finished}
	defer show.clear()
	err := m.playAll(ctx, counted, func(g game) error {
		if err := keep(g); err != nil {
			return err
		}
		counted.add(g)
		show.tell(counted)
		return nil
	})
	if err != nil {
		return nil, m.stopped(err, counted)
	}
	counted.score.Seconds = time.Since(began).Seconds()
	counted.score.rate()
	return counted.score, nil
}

// stopped says how far an interrupted meeting has come.
func (m *match) stopped(err error, counted *ledger) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept := "which are lost; --resume keeps them"
	if m.Resume != "" {
		kept = "which are kept: the same command goes on from there"
	}
	return fmt.Errorf("stopped after %d of %d games, %s: %w", counted.finished, m.Games, kept, err)
}

// playAll lets the workers play whatever is not yet in the ledger, until all is played or the test has its verdict, and
// hands each game over to done as soon as it is finished, in any order, one at a time.
func (m *match) playAll(ctx context.Context, counted *ledger, done func(game) error) error {
	left := m.Games - counted.finished
	if left == 0 || counted.closed {
		return nil
	}
	list := newTasks(&m.Meeting, counted.had())
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()

	var drawing sync.Mutex
	draw := func() (task, bool) {
		drawing.Lock()
		defer drawing.Unlock()
		return list.draw()
	}
	finished := make(chan played)
	for range min(m.Workers, left) {
		workers.Go(func() { m.work(ctx, draw, finished) })
	}
	for ; left > 0 && !counted.closed; left-- {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-finished:
			if p.err != nil {
				return p.err
			}
			if err := done(p.game); err != nil {
				return err
			}
		}
	}
	return nil
}

// played is what a worker hands over: a game, or why there is none.
type played struct {
	game
	err error
}

// work plays one game after the other until there are none left or ctx is done.
func (m *match) work(ctx context.Context, draw func() (task, bool), finished chan<- played) {
	for {
		t, ok := draw()
		if !ok {
			return
		}
		g, err := m.play(ctx, t)
		select {
		case finished <- played{g, err}:
		case <-ctx.Done():
			return
		}
	}
}
