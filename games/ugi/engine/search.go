package engine

import (
	"context"
	"errors"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/ugi"
)

// A search is the thinking about one move, in a goroutine of its own.
type search struct {
	began   time.Time
	cancel  context.CancelCauseFunc
	infos   chan ugi.Info
	found   chan found // gets one value, after the last info
	waits   bool       // the move is kept until the GUI asks for it
	kept    *found     // the move that is kept; nil while the search goes on
	endless bool       // it was not given any limit
}

// found is what a search has come to.
type found struct {
	bot.Thought
	searched bool // the player is one that searches
	err      error
}

// maxInfos is how many infos wait to be written. A search reports each depth once, and there are fewer depths.
const maxInfos = 64

// think begins a search.
func (e *engine) think(ctx context.Context, g ugi.Go) error {
	if err := e.ready(); err != nil {
		return err
	}
	if e.position == nil {
		return errors.Join(e.say("there is no position to search"), e.send(ugi.BestMove{Move: ugi.NoMove}))
	}
	if e.position.Result().Over {
		return errors.Join(e.say("the game is over"), e.send(ugi.BestMove{Move: ugi.NoMove}))
	}
	level, err := e.memory.Find(e.setup.game, e.level)
	if err != nil {
		return err
	}
	s := &search{began: time.Now(), infos: make(chan ugi.Info, maxInfos), found: make(chan found, 1), waits: g.Infinite}
	in := s.limits(g, e.position.Turn(), e.ply)
	ctx, s.cancel = context.WithCancelCause(ctx)
	e.search = s
	p, r := e.position, e.random
	go func() { s.found <- s.run(ctx, level.Player, in, p, r) }()
	return nil
}

// limits returns the limits that a command sets.
func (s *search) limits(g ugi.Go, turn games.Side, ply int) bot.Limits {
	in := bot.Limits{Nodes: g.Nodes, Depth: g.Depth, Time: g.MoveTime, Endless: g.Infinite}
	if c := g.Clocks[turn]; c != nil {
		in.Clock = bot.Clock{End: s.began.Add(max(c.Left, time.Millisecond)), Increment: c.Increment, Ply: ply}
	}
	s.endless = g.Infinite && g.Nodes == 0 && g.Depth == 0 && g.MoveTime == 0
	return in
}

// run lets a player choose a move.
func (s *search) run(ctx context.Context, player bot.Player, in bot.Limits, p games.Position, r *games.Random) found {
	searcher, ok := player.(bot.LimitedThinker)
	if !ok {
		m, err := player.Move(context.WithoutCancel(ctx), p, r) // it is chosen at once
		return found{Thought: bot.Thought{Move: m}, err: err}
	}
	t, err := searcher.Search(ctx, in, p, r, func(t bot.Thought) {
		select {
		case s.infos <- s.info(t):
		default: // the GUI does not read
		}
	})
	return found{t, true, err}
}

// stop ends the search, if there is one, and sends its move.
func (e *engine) stop() error {
	s := e.search
	if s == nil {
		return nil
	}
	s.waits = false
	if s.kept != nil {
		return e.thought(*s.kept)
	}
	s.cancel(bot.ErrStop)
	return e.thought(<-s.found)
}

// finish lets a search end after the end of input. One that has no limit is stopped.
func (e *engine) finish(ctx context.Context) error {
	s := e.search
	switch {
	case s == nil:
		return nil
	case s.endless || s.kept != nil:
		return e.stop()
	}
	s.waits = false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case i := <-s.infos:
			if err := e.send(i); err != nil {
				return err
			}
		case f := <-s.found:
			return e.thought(f)
		}
	}
}

// abandon ends the search, if there is one, without a move.
func (e *engine) abandon() {
	if e.search == nil {
		return
	}
	e.search.cancel(nil)
	if e.search.kept == nil {
		<-e.search.found
	}
	e.search = nil
}

// thought takes what the search has come to, and sends the move unless the GUI has yet to ask for it.
func (e *engine) thought(f found) error {
	s := e.search
	for len(s.infos) > 0 {
		if err := e.send(<-s.infos); err != nil {
			return err
		}
	}
	if s.waits && f.err == nil {
		s.kept, s.found = &f, nil
		return nil
	}
	s.cancel(nil)
	e.search = nil
	if f.err != nil {
		return f.err
	}
	if f.searched {
		if err := e.send(s.info(f.Thought)); err != nil {
			return err
		}
	}
	return e.send(ugi.BestMove{Move: f.Move})
}

// info returns what a search has found by now, for the GUI.
func (s *search) info(t bot.Thought) ugi.Info {
	took := time.Since(s.began)
	i := ugi.Info{Depth: t.Depth, Nodes: t.Nodes, Time: took, Score: &ugi.Score{Value: t.Value}, Principal: t.Line}
	if ms := took.Milliseconds(); ms > 0 {
		i.NodesPerSecond = int(int64(t.Nodes) * 1000 / ms)
	}
	switch {
	case t.Plies > 0:
		i.Score = &ugi.Score{Mate: true, Value: (t.Plies + 1) / 2}
	case t.Plies < 0:
		i.Score = &ugi.Score{Mate: true, Value: -((-t.Plies + 1) / 2)}
	}
	return i
}
