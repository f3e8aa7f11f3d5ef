package live

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// A Match is one unfinished match. Its goroutine, Run, alone holds the state; everybody else sends requests, and reads the
// views. The order is always: check, append, change, publish. Nobody sees what a crash could lose.
type Match struct {
	config    *Config
	id        storage.MatchID
	exhibitor match.Key
	views     *feed.Feed[*match.View]
	requests  chan request
	hints     chan hintRequest
	wake      chan struct{}         // holds one: the match should look again at what it waits for
	begin     func(context.Context) // what Run does first
	done      chan struct{}         // closed when Run has ended
	evicted   atomic.Bool

	// Only Run uses what follows, until done is closed.
	state     match.State
	ratings   *[2]storage.RatingChange
	strength  [2]match.Strength
	seatedAt  [2]time.Time // when this match learned of the occupant; zero: there is none
	changedAt time.Time    // when the state last changed, by the machine's clock
	seeds     *games.Random
	bot       botReply
	loss      provenLoss
	hint      hintSearch
	uncertain uncertainCommit
	release   func()    // called when uncertain is resolved; nil if there is nothing to release
	failures  int       // failed writes in a row
	retryAt   time.Time // until when timers rest, after failures
	stopped   bool      // the match can't go on
	damaged   bool      // its log can't be read
}

// A request asks a match for an act.
type request struct {
	act     match.Act
	release func()     // called once, when it is known what has come of the act, before the answer
	answer  chan error // holds one
}

func newMatch(c *Config, id storage.MatchID, exhibitor match.Key) *Match {
	return &Match{
		config: c, id: id, exhibitor: exhibitor, views: feed.New[*match.View](c.Feeds), seeds: games.NewRandom(c.Seed()),
		requests: make(chan request), hints: make(chan hintRequest), wake: make(chan struct{}, 1), done: make(chan struct{}),
		state: match.New(id),
	}
}

// Open returns a new match whose first event is that of the act open, and what waits until Run has written it. exhibitor is
// the user who opens an exhibition; else zero. release is called when it is known whether the match is there.
func Open(c *Config, id storage.MatchID, exhibitor match.Key, open match.Act, release func()) (m *Match, opened func(context.Context) error) {
	m = newMatch(c, id, exhibitor)
	first := request{open, release, make(chan error, 1)}
	m.begin = func(ctx context.Context) { m.do(ctx, first) }
	return m, first.wait
}

// Resume returns a match that goes on from the state that its log says.
func Resume(c *Config, s match.State) *Match {
	m := newMatch(c, s.ID, match.Key{})
	m.state = s
	m.begin = m.afterChange
	return m
}

// ID returns the id of the match.
func (m *Match) ID() storage.MatchID { return m.id }

// Exhibitor returns the user who opened the exhibition; the zero Key if it is none, or was opened before the program started.
func (m *Match) Exhibitor() match.Key { return m.exhibitor }

// Views returns the feed of the views of the match. It goes on to be used after the end of the match.
func (m *Match) Views() *feed.Feed[*match.View] { return m.views }

// Wake makes the match look again at what it waits for, because somebody has come or gone. It never blocks.
func (m *Match) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Evict has the match end soon to make room in a full club, until Keep is called or it changes.
func (m *Match) Evict() {
	m.evicted.Store(true)
	m.Wake()
}

// Keep takes Evict back.
func (m *Match) Keep() { m.evicted.Store(false) }

// Do has the match do an act, and returns nil when it is on disk. If ctx ends first, what has begun goes on. release is
// called once, when it is known what has come of the act, before Do returns unless ctx ends first; it may be nil.
func (m *Match) Do(ctx context.Context, act match.Act, release func()) error {
	if release == nil {
		release = func() {}
	}
	r := request{act, release, make(chan error, 1)}
	select {
	case m.requests <- r:
		return r.wait(ctx)
	case <-m.done:
		release()
		return m.endedErr()
	case <-ctx.Done():
		release()
		return ctx.Err()
	}
}

func (r request) wait(ctx context.Context) error {
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endedErr says why the match does nothing any more.
func (m *Match) endedErr() error {
	switch {
	case m.state.Over():
		return match.ErrOver
	case m.damaged:
		return ErrDamaged
	}
	return ErrClosed
}

// Run runs the match until it is over or ctx ends. writes is the context of what is written; it must end later than ctx.
// begun is called when the match has been opened or resumed, or could not be.
func (m *Match) Run(ctx, writes context.Context, begun func()) {
	defer close(m.done)
	defer func() {
		m.bot.drop()
		m.hint.drop(m.endedErr())
		m.releaseHeld()
	}()
	m.begin(writes)
	begun()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !m.state.Over() && !m.stopped {
		timer.Stop()
		if at := m.nextTimer(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		var arrivals <-chan struct{}
		if m.bot.status == match.Paused {
			arrivals = m.views.Arrivals()
		}
		select {
		case <-ctx.Done():
			return
		case r := <-m.requests:
			m.do(writes, r)
		case r := <-m.hints:
			m.startHint(writes, r)
		case u := <-m.hint.updates:
			m.deliverHint(writes, u)
		case u := <-m.bot.updates:
			m.botUpdated(u)
		case ahead := <-m.bot.places:
			m.botMovedUp(ahead)
		case <-arrivals:
		case <-m.wake:
		case <-timer.C:
		}
		m.runTimers(writes)
	}
}

// do carries out one request.
func (m *Match) do(ctx context.Context, r request) {
	wasUncertain := m.uncertain.is
	err := m.safely(func() error {
		if m.uncertain.is {
			return ErrBusy
		}
		return m.act(ctx, r.act)
	})
	if m.state.Seq() == 0 && !m.uncertain.is {
		m.stopped = true // it could not even be opened
	}
	if m.uncertain.is && !wasUncertain {
		m.release = r.release
	} else {
		r.release()
	}
	r.answer <- err
}

// releaseHeld calls the release of the request whose commit was uncertain.
func (m *Match) releaseHeld() {
	if m.release != nil {
		m.release()
		m.release = nil
	}
}

// safely runs f. A panic of an engine ends what the engine was asked and nothing else: the state is a value, and a change
// that was not completed is not there.
func (m *Match) safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			m.config.Log.Error("panic in a match", "match", m.id, "err", p, "stack", string(debug.Stack()))
			m.config.Stats.Panics.Add(1)
			m.failures++
			err = ErrBusy
		}
	}()
	return f()
}

// act writes the events of an act.
func (m *Match) act(ctx context.Context, act match.Act) error {
	events, err := act(&m.state)
	if err != nil || len(events) == 0 {
		return err
	}
	return m.write(ctx, events)
}

// write checks events and appends them with the end that they bring; only then it changes the match and publishes.
func (m *Match) write(ctx context.Context, events []storage.Event) error {
	next, err := m.state.Extend(events, m.config.Now(), m.config.MaxPlies, m.config.Game)
	if err != nil {
		return err
	}
	var ratings *[2]storage.RatingChange
	if added := next.Events[len(m.state.Events):]; next.Over() {
		ratings, err = m.config.Store.Finish(ctx, m.id, added, match.Record(next.View()))
	} else {
		err = m.config.Store.Append(ctx, m.id, added)
	}
	if err != nil {
		return m.writeFailed(ctx, err, next)
	}
	m.failures, m.retryAt = 0, time.Time{}
	m.commit(ctx, next, ratings)
	return nil
}

// commit makes next, which is on disk, the state of the match.
func (m *Match) commit(ctx context.Context, next match.State, ratings *[2]storage.RatingChange) {
	m.config.Stats.count(&m.state, &next)
	if !m.state.SamePosition(&next) {
		m.hint.drop(match.ErrLate)
	}
	m.state, m.ratings = next, ratings
	m.afterChange(ctx)
}

// afterChange has the computer player think, tells the lobby and publishes, after a change or when the match is resumed.
func (m *Match) afterChange(ctx context.Context) {
	m.changedAt = time.Now()
	for side, o := range m.state.Seats {
		if o.Kind != storage.Free && m.seatedAt[side].IsZero() {
			m.seatedAt[side] = m.changedAt
			m.strength[side] = m.config.Strength(ctx, o, m.state.Opening.Game)
		}
	}
	m.startBot(ctx)
	m.config.Changed(m, m.view())
	m.publish()
	m.releaseHeld()
}

func (m *Match) view() *match.View {
	v := m.state.View()
	v.Strength, v.Ratings, v.Reply, v.Ahead = m.strength, m.ratings, m.bot.status, m.bot.ahead
	return v
}

// publish shows everybody the present view.
func (m *Match) publish() {
	v := m.view()
	m.views.Update(func(_ *match.View, seq uint64) (*match.View, bool) {
		v.Seq = seq
		return v, true
	})
}

// An uncertainCommit is a write that failed half-way: nobody knows what is on disk. Until the log has been read again the
// match does nothing and shows what it showed before.
type uncertainCommit struct {
	is      bool
	retryAt time.Time // when to read again
	tries   int
	next    match.State // what the match is if the write took place
}

// writeFailed goes on after a failed write from what the store says. It returns nil if the events of next turn out to be
// written all the same.
func (m *Match) writeFailed(ctx context.Context, cause error, next match.State) error {
	if errors.Is(cause, storage.ErrCodeTaken) {
		return cause // the very first event was refused: there is no match
	}
	if m.failures == 0 {
		m.config.Log.Error("writing to a match failed", "match", m.id, "err", cause)
	}
	m.failures++
	m.bot.drop()
	m.uncertain = uncertainCommit{is: true, next: next}
	m.reload(ctx)
	switch {
	case m.uncertain.is || m.stopped:
		return ErrBusy
	case m.state.Contains(&next):
		return nil
	case errors.Is(cause, storage.ErrStale):
		return match.ErrLate
	}
	return ErrBusy
}

// reload reads the match again and goes on from what it reads, if it can be read.
func (m *Match) reload(ctx context.Context) {
	s, ratings, err := m.read(ctx)
	switch {
	case errors.Is(err, storage.ErrNotFound) && m.state.Seq() == 0:
		m.stopped, m.uncertain = true, uncertainCommit{} // it was never written
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged):
		m.config.Log.Error("the log of a match is damaged", "match", m.id, "err", err)
		m.stopped, m.damaged, m.uncertain = true, true, uncertainCommit{}
		m.config.Quarantine(m)
		m.views.Close(ErrDamaged)
	case err != nil:
		m.uncertain.tries++
		m.uncertain.retryAt = time.Now().Add(backoff(m.uncertain.tries))
	default:
		m.uncertain = uncertainCommit{}
		m.commit(ctx, s, ratings)
	}
}

// read returns the match as it is in the store: its log, or its record if it has ended.
func (m *Match) read(ctx context.Context) (match.State, *[2]storage.RatingChange, error) {
	log, err := m.config.Store.Log(ctx, m.id)
	if err == nil {
		s, err := match.Fold(m.id, m.config.Game, log)
		return s, nil, err
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return match.State{}, nil, err
	}
	f, err := m.config.Store.Finished(ctx, m.id)
	if err != nil {
		return match.State{}, nil, err
	}
	if want := m.uncertain.next; want.Over() && want.Result == f.Result && want.Reason == f.Reason && len(want.Moves) == f.Plies {
		return want, f.Ratings, nil
	}
	s, err := match.Replay(f, m.config.Game)
	return s, f.Ratings, err
}

// backoff is how long to wait after so many failures in a row.
func backoff(failures int) time.Duration {
	const first, most, doublings = 50 * time.Millisecond, 5 * time.Second, 7
	return min(first<<min(max(failures-1, 0), doublings), most)
}
