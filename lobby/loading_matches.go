package lobby

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// inMemory returns an unfinished match, which is loaded if it has to be; nil if there is no unfinished match with this id. The
// errors are ErrDamaged, ErrFull, ErrBusy, ErrClosed and that of ctx.
func (l *Lobby) inMemory(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	found, load, first := l.registry.Use(id)
	if load == nil {
		if found == nil && l.registry.Find(id).Quarantined {
			return nil, ErrDamaged
		}
		return liveMatch(found), nil
	}
	if first {
		if err := l.tasks.Go(func(ctx, writes context.Context) { l.load(ctx, writes, id, load) }); err != nil {
			load.Failed(err)
		}
	}
	found, err := load.Wait(ctx)
	return liveMatch(found), err
}

// liveMatch returns a match in memory as what it is; nil for none.
func liveMatch(m registry.Match) *live.Match {
	of, _ := m.(*live.Match)
	return of
}

// load loads a match and runs it.
func (l *Lobby) load(ctx, writes context.Context, id storage.MatchID, load *registry.Loading) {
	state, err := l.readMatch(ctx, id, load)
	if errors.Is(err, errGone) {
		load.Failed(nil) // it can be read from its record
		return
	}
	if err != nil {
		load.Failed(err)
		return
	}
	if m := load.Loaded(func(w live.Waiting) registry.Match { return live.Resume(l.live, state, w) }); m != nil {
		liveMatch(m).Run(ctx, writes, func() {})
	}
}

// readMatch makes room for a match and reads its log.
func (l *Lobby) readMatch(ctx context.Context, id storage.MatchID, load *registry.Loading) (match.State, error) {
	if err := l.makeRoom(ctx, load); err != nil {
		return match.State{}, err
	}
	s, err := live.Load(ctx, l.live, id)
	if l.node.RemovedElsewhere(err) {
		l.matchEnded(load.EndedElsewhere())
		return s, errGone
	}
	switch {
	case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound):
		l.log.Error("the log of a match is damaged", "match", id, "err", err)
		l.indexed(l.registry.Quarantine(id))
		return s, ErrDamaged
	case ctx.Err() != nil:
		return s, ErrClosed
	}
	return s, refusal.OfStore(err)
}

// makeRoom has matches that nobody looks at leave memory for one that is about to be loaded; ErrFull if that is not enough.
func (l *Lobby) makeRoom(ctx context.Context, load *registry.Loading) error {
	const rounds = 3 // in each, others may be faster and take the room
	for range rounds {
		ok, rest := load.Admit()
		if ok {
			return nil
		}
		if len(rest) == 0 {
			break
		}
		l.rest(ctx, rest)
	}
	return ErrFull
}

// rest has matches leave memory, if they can.
func (l *Lobby) rest(ctx context.Context, matches []registry.Match) {
	const patience = 5 * time.Second // one of them may be writing
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, m := range matches {
		liveMatch(m).Rest(ctx)
	}
}

// runDeadlines loads matches that have something to do, a few at a time, and keeps memory within its limit.
func (l *Lobby) runDeadlines(ctx context.Context) {
	const atOnce = 4
	free := make(chan struct{}, atOnce)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if rest := l.registry.Over(); len(rest) > 0 {
			l.rest(ctx, rest)
		}
		id, next := l.registry.TakeDue(time.Now())
		if id != "" {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			err := l.tasks.Go(func(ctx, _ context.Context) {
				l.inMemory(ctx, id) // an error was logged where it matters, and the match is due again
				<-free
			})
			if err != nil {
				return
			}
			continue
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-l.registry.Due:
		case <-timer.C:
		}
	}
}

// running returns an unfinished match; ErrOver if it has ended, and the errors of views.
func (l *Lobby) running(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	m, err := l.inMemory(ctx, id)
	if m != nil || err != nil {
		return m, err
	}
	if _, err := l.views(ctx, id); err != nil {
		return nil, err
	}
	return nil, ErrOver
}

// do has an unfinished match do an act. release is called once, when it is known what has come of it, before do returns unless
// ctx ends first.
func (l *Lobby) do(ctx context.Context, id storage.MatchID, act match.Act, release func()) error {
	if err := l.reach.Check(); err != nil {
		release()
		return err
	}
	asking, done := l.node.WhileReached(ctx)
	defer done()
	for {
		m, err := l.running(asking, id)
		if err != nil {
			release()
			return nodes.Unreached(ctx, asking, err)
		}
		if err := m.Do(asking, act, release); !errors.Is(err, live.ErrUnloaded) {
			return nodes.Unreached(ctx, asking, err)
		}
	}
}

// views returns the feed of any match, running or finished; ErrNoSuchMatch, ErrDamaged, ErrFull, ErrBusy.
func (l *Lobby) views(ctx context.Context, id storage.MatchID) (*feed.Feed[*View], error) {
	m, err := l.inMemory(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return m.Views(), nil
	}
	if views := l.finished.get(id); views != nil {
		return views, nil
	}
	f, err := l.store.Finished(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil, ErrNoSuchMatch
	case errors.Is(err, storage.ErrDamaged):
		return nil, ErrDamaged
	case err != nil:
		return nil, refusal.OfStore(err)
	}
	return l.loadFinished(f)
}

// loadFinished puts a match from the records into the cache.
func (l *Lobby) loadFinished(f results.Finished) (*feed.Feed[*View], error) {
	s, err := match.Replay(f, l.Game)
	if err != nil {
		l.log.Error("the record of a match is damaged", "match", f.ID, "err", err)
		return nil, ErrDamaged
	}
	v, views := s.View(), feed.New[*View](l.feeds)
	v.Rated, v.Ratings = f.Rated, f.Ratings // as the record says: earlier versions rated matches of any length
	views.Update(func(_ *View, seq uint64) (*View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = l.presence.Presence(f.ID, v.Seats)
		return v, true
	})
	views = l.finished.put(f.ID, views, v.Ply())
	l.showRematch(f.ID)
	return views, nil
}

// next returns a view of any match as soon as its Seq is above after. The errors are those of views and of feed.Feed.Next.
func (l *Lobby) next(ctx context.Context, id storage.MatchID, after uint64) (*View, error) {
	for {
		views, err := l.views(ctx, id)
		if err != nil {
			return nil, err
		}
		if v, _, err := views.Next(ctx, after); !errors.Is(err, feed.ErrRetired) {
			return v, err
		}
	}
}

// view returns the present view of any match. The errors are those of next and refresh.
func (l *Lobby) view(ctx context.Context, id storage.MatchID) (*View, error) {
	if err := l.refresh(ctx, id); err != nil {
		return nil, err
	}
	return l.next(ctx, id, 0)
}
