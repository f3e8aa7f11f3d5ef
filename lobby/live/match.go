package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// A Match is one unfinished match in memory. Its goroutine, Run, alone holds the state; everybody else sends requests, and reads
// the views. The order is always: check, append, change, publish. Nobody sees what a crash could lose.
type Match struct {
	config    *Config
	id        storage.MatchID
	views     *feed.Feed[*match.View]
	requests  chan request
	hints     chan hintRequest
	rests     chan chan bool
	wake      chan struct{}         // holds one: the match should look again at what it waits for
	begin     func(context.Context) // what Run does first
	done      chan struct{}         // closed when Run has ended
	evicted   atomic.Bool
	written   atomic.Uint64 // number of the newest event that is known to be in the log, this node's or another's; see Follow
	doubted   atomic.Bool   // the log may have more events; see Refresh
	again     atomic.Bool   // see TryAgain
	unwatched atomic.Bool   // a computer player sits in it and nobody looks. Run sets it

	// Only Run uses what follows, until done is closed.
	state     match.State
	terms     storage.Terms // of a match that is about to be opened
	ratings   *[2]storage.RatingChange
	strength  [2]match.Strength
	rated     [2]bool   // strength is known of the side
	waiting   Waiting   // but for ReadAt, which the feed knows once there has been a reader
	firstMove time.Time // as Waiting.firstMoveAt said last
	firstBy   time.Time // the same by the clock of events
	changedAt time.Time // when the state last changed, or the match was loaded, by the machine's clock
	usedAt    time.Time // when it was last asked for something
	seeds     *games.Random
	owned     bool // this node owns the match
	bot       botReply
	loss      provenLoss
	dead      deadPosition
	draw      drawAnswer
	hint      hintSearch
	uncertain uncertainCommit
	release   func()    // called when uncertain is resolved; nil if there is nothing to release
	failures  int       // failed writes in a row
	retryAt   time.Time // until when timers rest, after failures
	stopped   bool      // the match can't go on
	damaged   bool      // its log can't be read
	unloaded  bool      // it is no longer in memory

	entry *storage.AuditEntry // of the request that is carried out
}

// A request asks a match for an act.
type request struct {
	act     match.Act
	at      time.Time           // when it arrived, as events say it
	release func()              // called once, when it is known what has come of the act, before the answer
	answer  chan error          // holds one
	entry   *storage.AuditEntry // kept with the end of the match that the act brings; nil: none
}

func newMatch(c *Config, id storage.MatchID) *Match {
	return &Match{
		config: c, id: id, views: feed.New[*match.View](c.Feeds), seeds: games.NewRandom(c.Seed()),
		requests: make(chan request), hints: make(chan hintRequest), rests: make(chan chan bool), wake: make(chan struct{}, 1),
		done: make(chan struct{}), state: match.New(id),
	}
}

// Open returns a new match whose first event is that of the act open, and what waits until Run has written it. ownerHere says whether the
// user who opens it is here; terms matter only with several nodes. release is called when it is known whether the match was opened.
func Open(c *Config, id storage.MatchID, ownerHere bool, open match.Act, terms storage.Terms, release func()) (m *Match, opened func(context.Context) error) {
	m = newMatch(c, id)
	m.terms = terms
	m.waiting.OwnerHere, m.waiting.ReadAt = ownerHere, time.Now()
	first := request{act: open, at: c.Now(), release: release, answer: make(chan error, 1)}
	m.begin = func(ctx context.Context) {
		m.owned = c.Owned(id)
		m.do(ctx, first)
	}
	return m, first.wait
}

// Resume returns a match that goes on from the state that its log says.
func Resume(c *Config, s match.State, w Waiting) *Match {
	m := newMatch(c, s.ID)
	m.state, m.waiting, m.usedAt = s, w, time.Now()
	m.begin = func(ctx context.Context) {
		m.owned = c.Owned(s.ID)
		if !m.owned || !m.interrupted() || m.resumeClock(ctx) != nil {
			m.afterChange(ctx)
		}
	}
	m.unwatched.Store(s.HasBot())
	return m
}

// Load reads the state of an unfinished match. The errors are those of Store.Log and match.ErrLog.
func Load(ctx context.Context, c *Config, id storage.MatchID) (match.State, error) {
	f := match.NewFolder(id, c.Catalogue.Game)
	if err := ReadLog(ctx, c.Store, id, f.Add); err != nil {
		return match.State{}, err
	}
	return f.State()
}

// ReadLog reads the log of an unfinished match in parts, so that a long one takes little memory. The errors are those of
// Store.Log and take.
func ReadLog(ctx context.Context, s Store, id storage.MatchID, take func([]storage.Event) error) error {
	const part = 1024
	for next := uint64(1); ; {
		events, err := s.Log(ctx, id, next, part)
		if err != nil {
			return err
		}
		if err := take(events); err != nil {
			return err
		}
		if len(events) < part {
			return nil
		}
		next = events[len(events)-1].Seq + 1
	}
}

// ID returns the id of the match.
func (m *Match) ID() storage.MatchID { return m.id }

// Views returns the feed of the views of the match. It goes on to be used after the end of the match.
func (m *Match) Views() *feed.Feed[*match.View] { return m.views }

// Watched says whether somebody looks at the match, or has lately since it is in memory.
func (m *Match) Watched() bool {
	now, last := m.views.Readers()
	return now || !m.views.Unread() && time.Since(last) < watchedLingers
}

// Unwatched says whether a computer player sits in the match and nobody has looked at it lately.
func (m *Match) Unwatched() bool { return m.unwatched.Load() }

// Wake makes the match look again at what it waits for, because somebody has come or gone. It never blocks.
func (m *Match) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// TryAgain has the match try at once what has failed, because the store may answer again. It never blocks.
func (m *Match) TryAgain() {
	m.again.Store(true)
	m.Wake()
}

// Follow says that the log has an event with this number by now, which another node may have written. It never blocks. Ended says that the
// match is over.
func (m *Match) Follow(seq uint64) {
	for {
		known := m.written.Load()
		if seq <= known {
			return
		}
		if m.written.CompareAndSwap(known, seq) {
			m.Wake()
			return
		}
	}
}

// Refresh has the match read what other nodes have written to its log, and returns nil when its view shows that. ErrBusy: it may not. The
// other errors are those of Do.
func (m *Match) Refresh(ctx context.Context) error {
	m.doubted.Store(true)
	return m.Do(ctx, nil, nil)
}

// Ended, given to Follow, means that the match is over.
const Ended = math.MaxUint64

// Evict has the match end soon to make room in a full club, until Keep is called or it changes.
func (m *Match) Evict() {
	m.evicted.Store(true)
	m.Wake()
}

// Keep takes Evict back.
func (m *Match) Keep() { m.evicted.Store(false) }

// Rest takes the match out of memory, unless somebody looks at it or it has something to do, and says whether it is.
func (m *Match) Rest(ctx context.Context) bool {
	answer := make(chan bool, 1)
	select {
	case m.rests <- answer:
	case <-m.done:
		return true
	case <-ctx.Done():
		return false
	}
	return <-answer
}

// Do has the match do an act, and returns nil when it is on disk. If ctx ends first, what has begun goes on. release is
// called once, when it is known what has come of the act, before Do returns unless ctx ends first; it may be nil. But after
// ErrUnloaded nothing has begun and release has not been called: the match is to be loaded, and asked again.
func (m *Match) Do(ctx context.Context, act match.Act, release func()) error {
	if release == nil {
		release = func() {}
	}
	return m.ask(ctx, request{act: act, at: m.config.Now(), release: release, answer: make(chan error, 1)})
}

// Adjudicate ends the match as an operator decides, and keeps the entry of the audit log in the same transaction. It may return
// ErrUnloaded, as Do.
func (m *Match) Adjudicate(ctx context.Context, result string, entry storage.AuditEntry) error {
	return m.ask(ctx, request{act: match.Adjudicate(result), at: m.config.Now(), release: func() {}, answer: make(chan error, 1), entry: &entry})
}

func (m *Match) ask(ctx context.Context, r request) error {
	select {
	case m.requests <- r:
		return r.wait(ctx)
	case <-m.done:
		err := m.endedErr()
		if err != ErrUnloaded {
			r.release()
		}
		return err
	case <-ctx.Done():
		r.release()
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
	case m.unloaded:
		return ErrUnloaded
	}
	return ErrClosed
}

// Run runs the match until it is over, out of memory, or ctx ends. writes is the context of what is written; it must end later
// than ctx. begun is called when the match has been opened or resumed, or could not be.
func (m *Match) Run(ctx, writes context.Context, begun func()) {
	defer close(m.done)
	defer func() {
		m.bot.drop()
		m.draw.drop()
		m.hint.drop(m.endedErr())
		m.releaseHeld()
	}()
	m.begin(writes)
	begun()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !m.state.Over() && !m.stopped && !m.unloaded {
		timer.Stop()
		if at := m.nextTimer(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		var arrivals <-chan struct{}
		if m.unwatched.Load() || m.bot.status == match.Paused {
			arrivals = m.views.Arrivals()
		}
		select {
		case <-ctx.Done():
			return
		case answer := <-m.rests:
			m.runTimers(writes) // what is due comes first: it is why the match was loaded, maybe
			m.runClock(writes)
			answer <- m.unload()
			continue
		case r := <-m.requests:
			m.usedAt = time.Now()
			m.runTimers(writes) // what is due comes first: nobody takes an offer whose owner has gone
			m.do(writes, r)
		case r := <-m.hints:
			m.usedAt = time.Now()
			m.startHint(writes, r)
		case u := <-m.hint.updates:
			m.deliverHint(writes, u)
		case u := <-m.bot.updates:
			m.botUpdated(u)
		case u := <-m.draw.updates:
			m.drawConsidered(u)
		case ahead := <-m.bot.places:
			m.botMovedUp(ahead)
		case <-arrivals:
		case <-m.wake:
		case <-timer.C:
		}
		m.runTimers(writes)
		m.runClock(writes)
	}
}

// do carries out one request.
func (m *Match) do(ctx context.Context, r request) {
	wasUncertain := m.uncertain.is
	err := m.safely(func() error {
		m.catchUp(ctx)
		switch {
		case m.stopped:
			return m.endedErr()
		case m.uncertain.is, m.behind():
			return ErrBusy
		case r.act == nil: // Refresh
			return nil
		case m.interrupted():
			return ErrBusy
		}
		m.entry = r.entry
		return m.act(ctx, r.act, r.at)
	})
	m.entry = nil
	if m.state.Seq == 0 && !m.uncertain.is {
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

// act writes the events of an act that arrived at a time. If another node is faster, or was before the act was refused, it is checked again
// against what that has written.
func (m *Match) act(ctx context.Context, act match.Act, at time.Time) error {
	const tries = 5 // each of the others was overtaken by an opponent or a timer
	for range tries {
		events, err := act(&m.state)
		if err == nil && len(events) > 0 {
			err = m.write(ctx, events, at)
		}
		switch {
		case errors.Is(err, errOvertaken):
		case err == nil, errors.Is(err, ErrBusy), !m.readOn(ctx):
			return err
		}
	}
	return match.ErrLate
}

// errOvertaken means that another node has written to the log first. The match has applied those events.
var errOvertaken = errors.New("another node was faster")

// actNow writes the events of an act of the match itself.
func (m *Match) actNow(ctx context.Context, act match.Act) error {
	return m.act(ctx, act, m.config.Now())
}

// write checks events and appends them with the end that they bring; only then it changes the match and publishes.
func (m *Match) write(ctx context.Context, events []storage.Event, at time.Time) error {
	next, added, err := m.state.Extend(events, at, m.config.MaxPlies, m.config.Catalogue.Game)
	if err != nil {
		return err
	}
	var ratings *[2]storage.RatingChange
	switch s := next.Summary(); {
	case next.Over():
		ratings, err = m.finish(ctx, next.View(), added)
	case m.state.Seq == 0:
		err = m.config.Nodes.OpenMatch(ctx, m.id, added, s.Stored(), m.terms)
	default:
		err = m.config.Store.Append(ctx, m.id, added, s.Stored())
	}
	switch {
	case err == nil:
		m.failures, m.retryAt = 0, time.Time{}
		m.commit(ctx, next, ratings)
		return nil
	case m.state.Seq > 0 && (errors.Is(err, storage.ErrStale) || errors.Is(err, storage.ErrNotFound)):
		was := m.state.Seq
		m.Follow(was + 1)
		switch m.catchUp(ctx); {
		case m.behind():
			return ErrBusy
		case m.state.Seq > was || m.state.Over() || m.stopped:
			return errOvertaken
		}
	}
	return m.writeFailed(ctx, err, next, added)
}

// finish writes the end of the match with its record. The times of its moves are in the log alone.
func (m *Match) finish(ctx context.Context, v *match.View, added []storage.Event) (*[2]storage.RatingChange, error) {
	var t match.Timing
	err := ReadLog(ctx, m.config.Store, m.id, func(events []storage.Event) error {
		for _, e := range events {
			if e.Seq > m.state.Seq {
				return storage.ErrStale
			}
			t.Add(e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range added {
		t.Add(e)
	}
	return m.config.Store.Finish(ctx, m.id, added, match.Record(v, t.Times(v)), storage.Kept(m.entry))
}

// commit makes next, which is on disk, the state of the match.
func (m *Match) commit(ctx context.Context, next match.State, ratings *[2]storage.RatingChange) {
	m.config.Stats.count(&m.state, &next)
	m.become(ctx, next, ratings)
}

// become makes next, which is on disk, the state of the match, whichever node wrote it.
func (m *Match) become(ctx context.Context, next match.State, ratings *[2]storage.RatingChange) {
	if !m.state.SamePosition(&next) {
		m.hint.drop(match.ErrLate)
	}
	if !m.state.SamePosition(&next) || !m.state.Started.Equal(next.Started) {
		m.bot.drop() // else it thinks on
	}
	m.state, m.ratings = next, ratings
	m.waiting.ChangedAt = time.Now()
	m.afterChange(ctx)
}

// atOneKeyboard reports whether one user has both seats, under whatever names: no rating says anything about those who play.
func (m *Match) atOneKeyboard() bool {
	a, b := m.state.Seats[games.First], m.state.Seats[games.Second]
	return (a.Kind == storage.Person || a.Kind == storage.Guest) && match.KeyOf(a) == match.KeyOf(b)
}

// afterChange has the computer player think, tells the lobby and publishes, after a change or when the match is resumed.
func (m *Match) afterChange(ctx context.Context) {
	m.changedAt = time.Now()
	s := m.state.Summary()
	m.waiting.seat(&s, m.changedAt)
	for side, o := range m.state.Seats {
		if o.Kind != storage.Free && !m.rated[side] && !m.atOneKeyboard() {
			m.rated[side] = true
			m.strength[side] = m.config.Players.Strength(ctx, o, m.state.Opening.Game)
		}
	}
	if !m.bot.ready && m.bot.status == match.NoReply {
		m.startBot(ctx)
	}
	m.considerDraw(ctx)
	m.noteFirstMove()
	m.config.Registry.Changed(m, m.view())
	m.publish()
	m.releaseHeld()
}

func (m *Match) view() *match.View {
	v := m.state.View()
	for side, o := range v.Seats {
		v.Seats[side] = m.config.Players.Named(o)
	}
	v.Strength, v.Ratings, v.Reply, v.Ahead, v.FirstMoveBy = m.strength, m.ratings, m.bot.status, m.bot.ahead, m.firstBy
	if !m.owned && m.botToMove() {
		v.Reply = match.Thinking // on another node
	}
	return v
}

// publish shows everybody the present view.
func (m *Match) publish() {
	v := m.view()
	m.views.Update(func(_ *match.View, seq uint64) (*match.View, bool) {
		v.Seq = seq
		v.Presence, v.Spectators = m.config.Presence.Presence(m.id, v.Seats) // here, so that nothing newer is shown already
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
	added   []storage.Event
}

// writeFailed goes on after a failed write from what the store says. It returns nil if the events that lead to next turn out to
// be written all the same.
func (m *Match) writeFailed(ctx context.Context, cause error, next match.State, added []storage.Event) error {
	if opening := m.state.Seq == 0; errors.Is(cause, storage.ErrCodeTaken) || opening && (errors.Is(cause, storage.ErrStale) || errors.Is(cause, storage.ErrTaken)) {
		return cause // the first event was refused, because its code or id is taken or its terms don't hold: there is no match
	}
	if m.failures == 0 {
		m.config.Log.Error("writing to a match failed", "match", m.id, "err", cause)
	}
	m.failures++
	m.bot.drop()
	m.draw.drop()
	m.uncertain = uncertainCommit{is: true, next: next, added: added}
	written := m.reload(ctx)
	switch {
	case m.uncertain.is || m.stopped:
		return ErrBusy
	case written:
		return nil
	case errors.Is(cause, storage.ErrStale):
		return match.ErrLate
	}
	return ErrBusy
}

// reload reads the match again and goes on from what it reads, if it can be read. written says whether the uncertain commit
// turns out to have taken place.
func (m *Match) reload(ctx context.Context) (written bool) {
	s, written, ratings, err := m.read(ctx)
	switch {
	case m.state.Seq == 0 && (errors.Is(err, storage.ErrNotFound) || err == nil && !written):
		m.stopped, m.uncertain = true, uncertainCommit{} // it was never written, and what there is is another match
	case errors.Is(err, storage.ErrNotFound), errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged):
		m.damage(err)
	case err != nil:
		m.uncertain.tries++
		m.uncertain.retryAt = time.Now().Add(backoff(m.uncertain.tries))
	default:
		m.uncertain = uncertainCommit{}
		m.commit(ctx, s, ratings)
		return written
	}
	return false
}

// read returns the match as it is in the store, its log or its record if it has ended, and whether the uncertain commit is in it.
func (m *Match) read(ctx context.Context) (s match.State, written bool, ratings *[2]storage.RatingChange, err error) {
	want := &m.uncertain
	f := match.NewFolder(m.id, m.config.Catalogue.Game)
	var found []storage.Event // those with the numbers of the uncertain ones
	err = ReadLog(ctx, m.config.Store, m.id, func(events []storage.Event) error {
		for _, e := range events {
			if e.Seq >= want.added[0].Seq && len(found) < len(want.added) {
				found = append(found, e)
			}
		}
		return f.Add(events)
	})
	if err == nil {
		s, err = f.State()
		return s, match.SameEvents(found, want.added), nil, err
	}
	if !errors.Is(err, storage.ErrNotFound) {
		return match.State{}, false, nil, err
	}
	s, ratings, err = m.readEnd(ctx)
	if next := want.next; err == nil && next.Over() && next.Result == s.Result && next.Reason == s.Reason && next.Ended.Equal(s.Ended) &&
		slices.Equal(next.Moves, s.Moves) {
		return next, true, ratings, nil
	}
	return s, false, ratings, err
}

// # Several nodes
//
// Another node may write to the log of the match at any time. Follow announces it, and catchUp reads the new events. Timers and computer
// players run only on the node that owns the match.

// behind reports whether the log has, or may have, events that the match has not applied.
func (m *Match) behind() bool {
	return (m.written.Load() > m.state.Seq || m.doubted.Load()) && !m.state.Over() && !m.stopped
}

// catchUp applies events that other nodes have written. If the log can't be read, the match stays behind and retries.
func (m *Match) catchUp(ctx context.Context) {
	if !m.behind() || m.uncertain.is || m.state.Seq == 0 {
		return
	}
	m.doubted.Store(false)
	told := m.written.Load() // before the log is read, so that a call of Follow meanwhile is not lost
	events, err := m.config.Store.Log(ctx, m.id, m.state.Seq+1, 0)
	var next match.State
	var ratings *[2]storage.RatingChange
	switch {
	case err == nil && len(events) == 0:
		m.written.CompareAndSwap(told, m.state.Seq) // there was no such event
		return
	case err == nil:
		next, err = m.state.Follow(events, m.config.Catalogue.Game)
	case errors.Is(err, storage.ErrNotFound):
		next, ratings, err = m.readEnd(ctx)
	}
	switch {
	case errors.Is(err, match.ErrLog), errors.Is(err, storage.ErrDamaged), errors.Is(err, storage.ErrNotFound):
		m.damage(err)
	case err != nil:
		m.doubted.Store(true)
		m.failures++
		m.retryAt = time.Now().Add(backoff(m.failures))
	default:
		m.failures, m.retryAt = 0, time.Time{}
		m.become(ctx, next, ratings)
	}
}

// readOn looks whether another node has written to the log, of which this one may yet have to hear, and says whether the match has changed.
func (m *Match) readOn(ctx context.Context) bool {
	if !m.config.Nodes.Shared() || m.uncertain.is || m.state.Seq == 0 || m.state.Over() || m.stopped {
		return false
	}
	was := m.state.Seq
	m.doubted.Store(true)
	m.catchUp(ctx)
	return m.state.Seq > was || m.state.Over()
}

// readEnd returns the match as it ended.
func (m *Match) readEnd(ctx context.Context) (match.State, *[2]storage.RatingChange, error) {
	record, err := m.config.Store.Finished(ctx, m.id)
	if err != nil {
		return match.State{}, nil, err
	}
	s, err := match.Replay(record, m.config.Catalogue.Game)
	return s, record.Ratings, err
}

// damage quarantines the match because its log can't be read.
func (m *Match) damage(cause error) {
	m.config.Log.Error("the log of a match is damaged", "match", m.id, "err", cause)
	m.stopped, m.damaged, m.uncertain = true, true, uncertainCommit{}
	m.config.Registry.Quarantine(m)
	m.views.Close(ErrDamaged)
}

// noteOwner starts or stops computer players if this node has become the owner of the match, or ceased to be.
func (m *Match) noteOwner(ctx context.Context) {
	owned := m.config.Owned(m.id)
	if owned == m.owned {
		return
	}
	m.owned = owned
	if owned {
		m.startBot(ctx)
		m.considerDraw(ctx)
	} else {
		m.bot.drop()
		m.draw.drop()
	}
	m.publish()
}

// backoff is how long to wait after so many failures in a row.
func backoff(failures int) time.Duration {
	const first, most, doublings = 50 * time.Millisecond, 5 * time.Second, 7
	return min(first<<min(max(failures-1, 0), doublings), most)
}

// What a match does without being asked: computer players reply, clocks run out, guests who have gone leave, offers that nobody takes end,
// an evicted match ends, a match with a computer player notes whether anybody looks, an uncertain commit is read again, and a
// match at which nobody looks goes out of memory.

// nextTimer returns when the match has something to do; zero for never.
func (m *Match) nextTimer() (at time.Time) {
	if m.uncertain.is {
		return m.uncertain.retryAt
	}
	if m.behind() {
		return later(m.retryAt, time.Now())
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if m.bot.ready {
		sooner(m.replyAt())
	}
	if m.draw.ready {
		sooner(time.Now())
	}
	if m.bot.status == match.Paused && m.owned {
		sooner(m.unwatchedAt())
	}
	if m.evicted.Load() {
		sooner(time.Now())
	}
	sooner(m.readersAt())
	sooner(m.idleAt())
	_, t := m.leaving()
	sooner(t)
	sooner(m.clockAt())
	if at.Before(m.retryAt) && !at.IsZero() {
		return m.retryAt
	}
	return at
}

// runTimers does what is due.
func (m *Match) runTimers(ctx context.Context) {
	now := time.Now()
	due := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
	if m.again.Swap(false) {
		m.retryAt, m.uncertain.retryAt = now, now
	}
	switch {
	case m.state.Over() || m.stopped:
		return
	case m.uncertain.is:
		if due(m.uncertain.retryAt) {
			m.reload(ctx)
		}
		return
	case now.Before(m.retryAt):
		return
	}
	if m.catchUp(ctx); m.behind() || m.state.Over() || m.stopped {
		return
	}
	m.noteOwner(ctx)
	m.noteReaders()
	if m.noteFirstMove() {
		m.publish()
	}
	seat, left := m.leaving()
	m.timed(func() error {
		switch {
		case m.owned && m.interrupted():
			return m.resumeClock(ctx)
		case m.evicted.Load():
			return m.actNow(ctx, match.Leave(storage.Nobody))
		case due(left):
			return m.actNow(ctx, match.Leave(seat))
		case m.bot.status == match.Paused && m.watchedLately():
			m.startBot(ctx)
			m.publish()
		case m.bot.status == match.Paused && due(m.unwatchedAt()):
			return m.actNow(ctx, match.Leave(storage.Nobody))
		case m.bot.ready && due(m.replyAt()):
			return m.reply(ctx)
		case m.draw.ready:
			return m.answerDraw(ctx)
		}
		return nil
	})
	if due(m.idleAt()) {
		m.unload()
	}
}

// timed does something that is due. After an error it is tried again later.
func (m *Match) timed(do func() error) {
	err := m.safely(do)
	if err == nil || errors.Is(err, errOvertaken) {
		return
	}
	if !errors.Is(err, ErrBusy) { // which was logged and counted where it happened
		m.config.Log.Error("a timer's event was refused", "match", m.id, "err", err)
		m.failures++
	}
	m.retryAt = time.Now().Add(backoff(m.failures))
}

// idleAt is when to see whether the match may go out of memory; zero while it must not.
func (m *Match) idleAt() time.Time {
	now, last := m.lastRead()
	switch {
	case m.busy():
		return time.Time{}
	case now:
		last = time.Now()
	}
	return later(later(last, m.changedAt), m.usedAt).Add(m.config.Idle)
}

// busy says whether the match has something to do, or somebody waits for it.
func (m *Match) busy() bool {
	return m.state.Over() || m.stopped || m.uncertain.is || m.hint.answer != nil || m.evicted.Load() ||
		m.bot.status == match.Queued || m.bot.status == match.Thinking || m.draw.updates != nil || m.draw.ready || time.Now().Before(m.retryAt)
}

// unload takes the match out of memory, if it may go, and says whether it has gone.
func (m *Match) unload() bool {
	if m.unloaded || m.busy() {
		return m.unloaded
	}
	w := m.waiting
	_, w.ReadAt = m.lastRead()
	m.unloaded = m.config.Registry.Unload(m, w)
	return m.unloaded
}

// lastRead returns whether somebody reads the match, and when a reader last came or left.
func (m *Match) lastRead() (now bool, last time.Time) {
	switch elsewhere := m.config.LookedAt(m.id); {
	case elsewhere:
		return true, time.Now()
	case m.views.Unread():
		return false, m.waiting.ReadAt
	}
	return m.views.Readers()
}

// replyAt is when a computer player that has its move plays it: at once if that costs time of its clock.
func (m *Match) replyAt() time.Time {
	if s := m.state.Summary(); s.Ticks() {
		return m.bot.since
	}
	return m.bot.since.Add(m.config.BotDelay)
}

// watchedLingers is how long after its last reader a match still counts as watched: readers come and go between
// one view and the next.
const watchedLingers = 10 * time.Second

func (m *Match) watchedLately() bool {
	now, last := m.lastRead()
	return now || time.Since(last) < watchedLingers
}

// readersAt is when to look for readers again, in a match with a computer player; zero while it waits for one to come.
func (m *Match) readersAt() time.Time {
	now, last := m.lastRead()
	switch {
	case !m.state.HasBot():
		return time.Time{}
	case now && !m.unwatched.Load():
		return time.Now().Add(watchedLingers)
	case !m.unwatched.Load():
		return last.Add(watchedLingers)
	case m.watchedLately():
		return time.Now()
	}
	return time.Time{}
}

// noteReaders tells the lobby when a match with a computer player has no readers any more, and when it has some again.
func (m *Match) noteReaders() {
	if unwatched := m.state.HasBot() && !m.watchedLately(); m.unwatched.Swap(unwatched) != unwatched {
		m.config.Registry.Changed(m, m.view())
	}
}

// noteFirstMove looks until when the side to move may make its first move in a match without a clock, and reports whether that has changed.
func (m *Match) noteFirstMove() bool {
	var at time.Time
	if s := m.state.Summary(); !m.state.Over() {
		at = m.waiting.firstMoveAt(m.config.Schedule, &s)
	}
	if at.Equal(m.firstMove) {
		return false
	}
	if m.firstMove, m.firstBy = at, at; !at.IsZero() {
		m.firstBy = m.config.Now().Add(time.Until(at))
	}
	return true
}

// unwatchedAt is when an exhibition has been unwatched for too long; zero while it is watched.
func (m *Match) unwatchedAt() time.Time {
	now, last := m.lastRead()
	if now {
		return time.Time{}
	}
	return last.Add(m.config.Unwatched)
}

// leaving returns which seat leaves the match and when; see Waiting.
func (m *Match) leaving() (seat storage.Seat, at time.Time) {
	if !m.owned {
		return storage.Nobody, time.Time{}
	}
	s := m.state.Summary()
	return m.waiting.leaving(m.config.Schedule, &s)
}

// startBot has the computer player whose turn it is look for a move.
func (m *Match) startBot(ctx context.Context) {
	m.bot.drop()
	s := &m.state
	if !m.owned || s.Over() || s.Started.IsZero() || s.Seats[s.Turn()].Kind != storage.Bot {
		return
	}
	if s.Exhibition() && !m.watchedLately() {
		m.bot.status = match.Paused
		return
	}
	level, ok := m.config.Catalogue.Level(s.Seats[s.Turn()].ID)
	if !ok {
		m.bot = botReply{status: match.Thinking, since: time.Now(), ready: true, err: ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j, priority := thinking.NewJob(ctx, level, s.Position, m.seeds.Uint64(), 0).OnClock(m.botClock()), thinking.ForPlayers
	by := s.Seats[s.Turn().Other()]
	switch {
	case s.Exhibition():
		priority, by = thinking.ForSpectators, s.Opening.By
	case m.unwatched.Load():
		priority = thinking.ForAbsent
	}
	m.bot = botReply{status: match.Queued, since: time.Now(), cancel: cancel, updates: j.Updates(), places: j.Places()}
	if m.bot.ahead = m.config.Scheduler.Submit(j, priority, m.config.Players.Origin(by)); m.bot.ahead == 0 {
		m.bot.status = match.Thinking
	}
}

// botUpdated takes an update from the worker that looks for the move.
func (m *Match) botUpdated(u thinking.Update) {
	switch {
	case u.Done:
		m.bot.updates, m.bot.ready, m.bot.decision, m.bot.err = nil, true, u.Decision, u.Err
	case m.bot.status == match.Queued:
		m.bot.status, m.bot.ahead, m.bot.places = match.Thinking, 0, nil
		m.publish()
	}
}

// botMovedUp notes how many jobs still come before the computer player's.
func (m *Match) botMovedUp(ahead int) {
	if m.bot.status == match.Queued && m.bot.ahead != ahead {
		m.bot.ahead = ahead
		m.publish()
	}
}

// reply plays what the computer player has chosen, or resigns. A computer player that fails, whatever the reason, resigns.
func (m *Match) reply(ctx context.Context) error {
	seat, d, err := storage.SeatOf(m.state.Turn()), m.bot.decision, m.bot.err
	if err == nil {
		err = checkMove(m.state.Position, d.Move)
	}
	var events []storage.Event
	switch {
	case err != nil:
		m.config.Stats.Failed.Add(1)
		m.config.Log.Error("a computer player failed", "match", m.id, "player", m.state.Seats[seat.Side()].ID, "err", err)
		return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}}, m.config.Now())
	case m.drawOffered() && agreesToDraw(d):
		return m.write(ctx, []storage.Event{m.drawAnswered(true)}, m.botMovedAt())
	case m.loss.resigns(&m.state, d):
		return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}}, m.config.Now())
	case m.drawOffered():
		events = append(events, m.drawAnswered(false))
	}
	events = append(events, storage.Event{Kind: storage.Moved, Seat: seat, Move: d.Move})
	dead := m.dead.after(&m.state, d)
	if m.offersDraw(seat, d.Move, dead) {
		events = append(events, storage.Event{Kind: storage.Offered, Seat: seat, Offer: storage.OfferDraw})
		dead = deadPosition{}
	}
	if err = m.write(ctx, events, m.botMovedAt()); err == nil {
		m.loss, m.dead = lossAfter(&m.state, d), dead
	}
	return err
}

// Hint asks the strongest computer player for a move, for the user whose turn it is. When it returns, it is on disk that the
// user has been helped; the hint itself is in no log. Asked again in the same position, it returns the same hint. One
// search runs at a time; if ctx ends first, it goes on.
// The errors are those of match.State.HelpedSeat, match.ErrNotYourTurn, ErrHinting, match.ErrLate (the position has changed),
// ErrNoSuchLevel (there is no level to ask), ErrBusy, ErrClosed, ErrDamaged.
func (m *Match) Hint(ctx context.Context, u match.User) (Hint, error) {
	r := hintRequest{u, make(chan hintAnswer, 1)}
	select {
	case m.hints <- r:
	case <-m.done:
		return Hint{}, m.endedErr()
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
	select {
	case a := <-r.answer:
		return a.hint, a.err
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
}

// startHint begins to look for a hint, or answers the request.
func (m *Match) startHint(ctx context.Context, r hintRequest) {
	hint, err := m.searchHint(ctx, r)
	if hint != nil || err != nil {
		if hint == nil {
			hint = new(Hint)
		}
		r.answer <- hintAnswer{*hint, err}
	}
}

// searchHint returns the hint that was found in this position already, begins to look for one, or says why not.
func (m *Match) searchHint(ctx context.Context, r hintRequest) (*Hint, error) {
	if m.uncertain.is {
		return nil, ErrBusy
	}
	seat, err := m.state.HelpedSeat(r.user)
	level, ok := m.config.Catalogue.Strongest()
	switch {
	case err != nil:
		return nil, err
	case seat.Side() != m.state.Turn():
		return nil, match.ErrNotYourTurn
	case m.hint.answer != nil:
		return nil, ErrHinting
	case m.hint.found != nil:
		return m.hint.found, nil
	case !ok:
		return nil, ErrNoSuchLevel
	}
	ctx, cancel := context.WithCancel(ctx)
	j := thinking.NewJob(ctx, level, m.state.Position, m.seeds.Uint64(), hintTime)
	m.hint = hintSearch{seat: seat, cancel: cancel, updates: j.Updates(), answer: r.answer}
	m.config.Scheduler.Submit(j, thinking.ForPlayers, m.config.Players.Origin(r.user.Occupant()))
	return nil, nil
}

// deliverHint takes an update from the worker that looks for a hint. That the user is helped is written before the hint is
// given.
func (m *Match) deliverHint(ctx context.Context, u thinking.Update) {
	if !u.Done {
		return
	}
	search := m.hint
	m.hint = hintSearch{}
	search.cancel()
	err := u.Err
	if err == nil {
		err = checkMove(m.state.Position, u.Decision.Move)
	}
	if err != nil {
		m.config.Stats.Failed.Add(1)
		m.config.Log.Error("a computer player failed", "match", m.id, "hint", true, "err", err)
		search.answer <- hintAnswer{err: fmt.Errorf("hint: %w", err)}
		return
	}
	err = m.safely(func() error {
		switch {
		case m.uncertain.is:
			return ErrBusy
		case m.state.Hinted: // before a restart
			return nil
		}
		return m.write(ctx, []storage.Event{{Kind: storage.Helped, Seat: search.seat}}, m.config.Now())
	})
	if errors.Is(err, errOvertaken) {
		err = match.ErrLate
	}
	if err != nil {
		search.answer <- hintAnswer{err: err}
		return
	}
	hint := Hint{u.Decision, len(m.state.Moves)}
	m.hint.found = &hint
	search.answer <- hintAnswer{hint: hint}
}
