package matches

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/tasks"
	"ludoteca/storage"
)

// A loader loads unfinished matches into memory. Concurrent callers share one load of a match.
type loader struct {
	live     *live.Config
	registry *registry.Registry
	node     Node
	notifier notifier
	tasks    *tasks.Group
	log      *slog.Logger
}

// errGone means that a match has ended on another node.
var errGone = errors.New("the match has ended on another node")

// match returns an unfinished match, loaded if necessary; nil if there is no unfinished match with this id. The errors are
// refusal.ErrDamaged, refusal.ErrFull, refusal.ErrBusy, refusal.ErrClosed and ctx.Err().
func (l *loader) match(ctx context.Context, id storage.MatchID) (*live.Match, error) {
	found, load, first := l.registry.Use(id)
	if load == nil {
		if found == nil && l.registry.Find(id).Quarantined {
			return nil, refusal.ErrDamaged
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
func (l *loader) load(ctx, writes context.Context, id storage.MatchID, load *registry.Loading) {
	state, err := l.read(ctx, id, load)
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

// read makes room for a match and reads its log.
func (l *loader) read(ctx context.Context, id storage.MatchID, load *registry.Loading) (match.State, error) {
	if err := l.makeRoom(ctx, load); err != nil {
		return match.State{}, err
	}
	state, err := live.Load(ctx, l.live, id)
	if l.node.RemovedElsewhere(err) {
		l.notifier.endedElsewhere(load.EndedElsewhere())
		return state, errGone
	}
	switch {
	case damaged(err):
		l.log.Error("the log of a match is damaged", "match", id, "err", err)
		l.notifier.news.Filed(l.registry.Quarantine(id))
		return state, refusal.ErrDamaged
	case ctx.Err() != nil:
		return state, refusal.ErrClosed
	}
	return state, refusal.OfStore(err)
}

// damaged reports whether live.Load could not make a match of its log.
func damaged(err error) bool {
	return errors.Is(err, match.ErrLog) || errors.Is(err, storage.ErrDamaged) || errors.Is(err, storage.ErrNotFound)
}

// makeRoom unloads matches without readers to make room for one that is about to be loaded. The error is refusal.ErrFull if that is not enough.
func (l *loader) makeRoom(ctx context.Context, load *registry.Loading) error {
	const rounds = 3 // in each, others may be faster and take the room
	for range rounds {
		ok, rest := load.Admit()
		if ok {
			return nil
		}
		if len(rest) == 0 {
			break
		}
		l.unload(ctx, rest)
	}
	return refusal.ErrFull
}

// unload unloads the matches that can leave memory.
func (l *loader) unload(ctx context.Context, matches []registry.Match) {
	const patience = 5 * time.Second // one of them may be writing
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, m := range matches {
		liveMatch(m).Rest(ctx)
	}
}
