package tournaments

import (
	"context"
	"errors"
	"reflect"
	"time"

	"ludoteca/lobby/codes"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/tournaments"
)

const (
	// retryAfter is how long after an error the store is asked again.
	retryAfter = time.Second

	// lookEvery is how often the owner looks at the matches of a tournament that runs, though it has not heard of any.
	lookEvery = 15 * time.Second

	// tellAhead is how long before a tournament begins those who are away are told of it.
	tellAhead = 15 * time.Minute

	// maxTold is how many are told each time that the owner looks at the tournament.
	maxTold = 32

	// maxTries is how often an act is checked again because another node was faster.
	maxTries = 20
)

// A tournament is one that is open or running. Its goroutine, run, alone replaces the state, after the entries that lead to it are on disk.
type tournament struct {
	config     *Config
	unfinished *Unfinished // to which it belongs
	id         storage.TournamentID
	views      *feed.Feed[*View]
	requests   chan request
	wake       chan struct{} // holds one: the matches have to be looked at
	others     chan uint64   // holds one: the number of the last entry that another node has written; 0: the tournament may have ended
	done       chan struct{} // closed when run has ended

	state    *state.State   // of run alone
	unsure   bool           // of run alone: the store may have entries that state doesn't have
	failing  bool           // of run alone: the last attempt to go on has failed, which is logged
	owner    cluster.NodeID // of run alone: this node, if it owned it when it was last asked, which is logged
	boardsAt time.Time      // of run alone: when the matches were last looked at, by the machine's clock
	told     map[int]bool   // of run alone: entrants whom TellBegins has told, by number
}

// A request asks for an act in a tournament: a function from its state to the entries that it adds.
type request struct {
	act    func(*state.State) ([]tournaments.Entry, error)
	answer chan error // holds one
}

func newTournament(c *Config, unfinished *Unfinished, id storage.TournamentID) *tournament {
	return &tournament{
		config: c, unfinished: unfinished, id: id, views: feed.New[*View](c.Feeds), requests: make(chan request), wake: make(chan struct{}, 1),
		others: make(chan uint64, 1), done: make(chan struct{}), state: state.New(id), unsure: true, told: make(map[int]bool),
	}
}

// look has run look at the matches.
func (t *tournament) look() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// written notes that another node may have written entries up to a number; 0: the tournament may have ended.
func (t *tournament) written(seq uint64) {
	for {
		select {
		case t.others <- seq:
			return
		case old := <-t.others:
			if old == 0 || seq != 0 && old > seq {
				seq = old
			}
		}
	}
}

// errLeftMemory is the error of an act that comes after the tournament has ended and left memory.
var errLeftMemory = errors.New("the tournament has left memory")

// do applies an act, and returns its error, one of the store, or errLeftMemory.
func (t *tournament) do(ctx context.Context, act func(*state.State) ([]tournaments.Entry, error)) error {
	r := request{act, make(chan error, 1)}
	select {
	case t.requests <- r:
	case <-t.done:
		return errLeftMemory
	case <-ctx.Done():
		return ctx.Err()
	case <-t.config.Tasks.Closing():
		return refusal.ErrClosed
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.config.Tasks.Closing():
		return refusal.ErrClosed
	}
}

// run runs the tournament until it has ended or ctx ends. writes is the context of its writes.
func (t *tournament) run(ctx, writes context.Context) {
	defer close(t.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	boards := true // they have to be looked at
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-t.requests:
			r.answer <- t.handle(writes, r)
			boards = true
		case seq := <-t.others:
			if seq == 0 || seq > t.state.Seq {
				t.unsure = true
			}
			boards = true
		case <-t.wake:
			boards = true
		case <-timer.C:
		}
		wait, err := t.goOn(writes, boards)
		boards = err != nil
		switch {
		case err != nil && ctx.Err() != nil:
			return
		case err != nil:
			if t.failing || errors.Is(err, refusal.ErrCutOff) {
				t.config.Log.Debug("a tournament can't go on for a moment", "tournament", t.id, "err", err)
			} else {
				t.config.Log.Warn("a tournament can't go on for a moment", "tournament", t.id, "err", err)
			}
			wait = retryAfter
		case t.state.Stage.Closed():
			t.views.Retire()
			t.unfinished.remove(t)
			return
		}
		t.failing = err != nil
		timer.Reset(wait)
	}
}

// handle does what a request asks for.
func (t *tournament) handle(ctx context.Context, r request) error {
	for range maxTries {
		if err := t.catchUp(ctx); err != nil {
			return refusal.OfStore(err)
		}
		entries, err := r.act(t.state)
		if err != nil || len(entries) == 0 {
			return err
		}
		err = t.write(ctx, entries)
		if !errors.Is(err, storage.ErrStale) {
			return ofWrite(err)
		}
	}
	return refusal.ErrBusy
}

// ofWrite returns an error of write as one for people.
func ofWrite(err error) error {
	if errors.Is(err, state.ErrLog) {
		return err // a mistake of the program
	}
	return refusal.OfStore(err)
}

// write appends entries and publishes the state after them. The error is storage.ErrStale if another node was faster, and storage.ErrCodeTaken if the
// id of a match is taken; both leave the tournament ready to go on. After other errors the log is read again first.
func (t *tournament) write(ctx context.Context, entries []tournaments.Entry) error {
	if err := t.config.Reach.Check(); err != nil {
		return err
	}
	next, added, err := t.state.Extend(entries, t.config.Now())
	if err != nil {
		return err
	}
	err = t.config.Store.AppendTournament(ctx, t.id, added, next.Summary())
	switch {
	case err == nil:
		t.become(next)
		return nil
	case errors.Is(err, storage.ErrCodeTaken):
		return err
	}
	t.unsure = true
	if errors.Is(err, storage.ErrStale) {
		return err
	}
	before := t.state.Seq
	if again := t.catchUp(ctx); again != nil {
		return err
	}
	if t.state.Seq == before {
		return err
	}
	log, again := t.config.Store.TournamentLog(ctx, t.id, added[0].Seq, len(added))
	if again == nil && reflect.DeepEqual(log, added) {
		return nil // they were written after all
	}
	return storage.ErrStale
}

// announced publishes the state with which the tournament was written first, so that its announcer is shown it even if the store can't be read
// now. run may have read it already.
func (t *tournament) announced(first *state.State) {
	t.views.Update(func(known *View, number uint64) (*View, bool) { return &View{first, number}, known == nil })
	t.unfinished.publish()
}

// become publishes a state.
func (t *tournament) become(next *state.State) {
	t.state = next
	t.views.Update(func(_ *View, number uint64) (*View, bool) { return &View{next, number}, true })
	t.unfinished.publish()
}

// catchUp reads the entries that other nodes have written, if there may be any.
func (t *tournament) catchUp(ctx context.Context) error {
	if !t.unsure {
		return nil
	}
	log, err := t.config.Store.TournamentLog(ctx, t.id, t.state.Seq+1, 0)
	if err != nil {
		return err
	}
	if t.unsure = false; len(log) == 0 {
		return nil
	}
	next := t.state.Clone()
	if err := next.Apply(log...); err != nil {
		t.unsure = true
		return err
	}
	t.become(next)
	return nil
}

// goOn does what is due, if this node owns the tournament, and returns for how long nothing is due then. boards says that the matches have to be
// looked at.
func (t *tournament) goOn(ctx context.Context, boards bool) (wait time.Duration, err error) {
	if err := t.catchUp(ctx); err != nil {
		return 0, err
	}
	if t.state.Stage.Closed() || !t.own() {
		return lookEvery, nil
	}
	if err := t.config.Reach.Check(); err != nil {
		return 0, err
	}
	for range maxTries {
		var written bool
		if boards = boards || time.Since(t.boardsAt) >= lookEvery; boards {
			if written, err = t.lookAtBoards(ctx); err != nil {
				return 0, err
			}
			boards = false
		}
		entries, err := t.state.Next(t.config.Now(), codes.NewID)
		if err == nil {
			entries, err = t.withdrawals(entries), nil
		}
		if err != nil {
			return 0, err
		}
		if len(entries) == 0 && !written {
			break
		}
		if len(entries) == 0 {
			continue
		}
		switch err := t.write(ctx, entries); {
		case errors.Is(err, storage.ErrCodeTaken): // other ids
		case errors.Is(err, storage.ErrStale):
			if err := t.catchUp(ctx); err != nil {
				return 0, err
			}
		case err != nil:
			return 0, err
		}
		if t.state.Stage.Closed() {
			return lookEvery, nil
		}
		boards = true
	}
	if err := t.tellBegins(ctx); err != nil {
		return 0, err
	}
	due := t.state.DueAt()
	if due.IsZero() {
		return lookEvery, nil
	}
	return min(max(due.Sub(t.config.Now()), time.Millisecond), lookEvery), nil
}

// own reports whether this node owns the tournament. When one of several nodes has become the owner, it logs that: also when it was declared gone and
// is back, under another id, and has not noticed that it owned nothing meanwhile.
func (t *tournament) own() bool {
	if !t.config.owns(t.id) {
		t.owner = ""
		return false
	}
	if id := t.config.Node.ID(); t.owner != id {
		t.owner = id
		t.config.Log.Info("this node runs an event", "tournament", t.id)
	}
	return true
}

// tellBegins tells entrants who are away that the tournament begins, from tellAhead on.
func (t *tournament) tellBegins(ctx context.Context) error {
	left := t.state.Settings.Begins.Sub(t.config.Now())
	if t.state.Stage != tournaments.Open || left <= 0 || left > tellAhead {
		return nil
	}
	v, n := &View{State: t.state}, 0
	for _, e := range t.state.Entrants {
		if !e.In() || e.Who.Kind != storage.Person || t.told[e.Number] {
			continue
		}
		told, err := t.config.TellBegins(ctx, storage.PlayerID(e.Who.ID), v)
		if err != nil {
			return err
		}
		if t.told[e.Number] = told; told {
			n++
		}
		if n == maxTold {
			return nil
		}
	}
	return nil
}

// withdrawals puts the withdrawals of entrants whose accounts are closed or deleted before all that is due.
func (t *tournament) withdrawals(due []tournaments.Entry) []tournaments.Entry {
	r := t.config.Restrictions
	gone := func(who storage.Occupant) bool {
		id := storage.PlayerID(who.ID)
		return who.Kind.HasAccount() && (r.Closed(id) || r.Deleted(id))
	}
	var out []tournaments.Entry
	for _, e := range t.state.Entrants {
		if e.In() && gone(e.Who) {
			out = append(out, tournaments.Entry{Kind: tournaments.Withdrawn, Entrant: e.Number, Reason: tournaments.ByAccount})
		}
	}
	if len(out) > 0 {
		return out // what is due follows from the state after them
	}
	if t.state.Stage == tournaments.Open && gone(t.state.Settings.By) {
		return []tournaments.Entry{{Kind: tournaments.CalledOff, Reason: tournaments.ByAccount}}
	}
	return due
}
