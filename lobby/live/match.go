package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// A Match is one unfinished match. Its goroutine, Run, alone holds the state; everybody else sends requests, and reads the
// views. The order is always: check, append, change, publish. Nobody sees what a crash could lose.
type Match struct {
	config    *Config
	id        storage.MatchID
	views     *feed.Feed[*match.View]
	requests  chan request
	hints     chan hintRequest
	wake      chan struct{}         // holds one: the match should look again at what it waits for
	begin     func(context.Context) // what Run does first
	done      chan struct{}         // closed when Run has ended
	evicted   atomic.Bool
	unwatched atomic.Bool // a computer player sits in it and nobody looks. Run sets it

	// Only Run uses what follows, until done is closed.
	state     match.State
	ratings   *[2]storage.RatingChange
	strength  [2]match.Strength
	seatedAt  [2]time.Time // when this match learned of the occupant; zero: there is none
	unread    time.Time    // what the feed says of readers until the first one comes after a restart
	ownerHere bool         // the owner of a public offer has been here since it was opened, or since the restart
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

func newMatch(c *Config, id storage.MatchID) *Match {
	return &Match{
		config: c, id: id, views: feed.New[*match.View](c.Feeds), seeds: games.NewRandom(c.Seed()),
		requests: make(chan request), hints: make(chan hintRequest), wake: make(chan struct{}, 1), done: make(chan struct{}),
		state: match.New(id),
	}
}

// Open returns a new match whose first event is that of the act open, and what waits until Run has written it. ownerHere says
// whether the user who opens it is here. release is called when it is known whether the match is there.
func Open(c *Config, id storage.MatchID, ownerHere bool, open match.Act, release func()) (m *Match, opened func(context.Context) error) {
	m = newMatch(c, id)
	m.ownerHere = ownerHere
	first := request{open, release, make(chan error, 1)}
	m.begin = func(ctx context.Context) { m.do(ctx, first) }
	return m, first.wait
}

// Resume returns a match that goes on from the state that its log says.
func Resume(c *Config, s match.State) *Match {
	m := newMatch(c, s.ID)
	m.state = s
	m.begin = m.afterChange
	_, m.unread = m.views.Readers()
	m.unwatched.Store(s.HasBot())
	return m
}

// ID returns the id of the match.
func (m *Match) ID() storage.MatchID { return m.id }

// Views returns the feed of the views of the match. It goes on to be used after the end of the match.
func (m *Match) Views() *feed.Feed[*match.View] { return m.views }

// Unwatched says whether a computer player sits in the match and nobody has looked at it lately.
func (m *Match) Unwatched() bool { return m.unwatched.Load() }

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
		if m.unwatched.Load() || m.bot.status == match.Paused {
			arrivals = m.views.Arrivals()
		}
		select {
		case <-ctx.Done():
			return
		case r := <-m.requests:
			m.runTimers(writes) // what is due comes first: nobody takes an offer whose owner has gone
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
		switch {
		case m.stopped:
			return m.endedErr()
		case m.uncertain.is:
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
	if opening := m.state.Seq() == 0; errors.Is(cause, storage.ErrCodeTaken) || opening && errors.Is(cause, storage.ErrStale) {
		return cause // the very first event was refused, for the code or the id names another match: there is no match
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
	case m.state.Seq() == 0 && (errors.Is(err, storage.ErrNotFound) || err == nil && !s.Contains(&m.uncertain.next)):
		m.stopped, m.uncertain = true, uncertainCommit{} // it was never written, and what there is is another match
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

// A Config is what matches need of the lobby. All fields must be set.
type Config struct {
	Store     Store
	Scheduler *thinking.Scheduler
	Feeds     *feed.Group // of the matches' views
	Stats     *Stats
	Log       *slog.Logger

	Game      match.FindGame
	Level     func(id string) (thinking.Level, bool)
	Strongest func() (thinking.Level, bool) // gives hints
	Seed      func() uint64                 // seeds the computer players; called by any goroutine
	Now       func() time.Time              // the time of events. Delays always follow the machine's clock

	// Away says whether somebody is gone, and since when: the zero time if that is not known.
	Away func(o storage.Occupant) (since time.Time, gone bool)

	// Strength returns how strong the occupant of a seat is in a game.
	Strength func(ctx context.Context, o storage.Occupant, game string) match.Strength

	// Changed is called by the match's goroutine after each change, before the view is published, and when Unwatched has
	// changed. v has no number.
	Changed func(m *Match, v *match.View)

	// Quarantine is called by the match's goroutine when the match can't go on because its log is damaged.
	Quarantine func(m *Match)

	MaxPlies    int           // moves in one match: a longer one is drawn
	BotDelay    time.Duration // a computer player's reply takes at least this long
	AwayOffer   time.Duration // how long a public offer waits for an owner who has not been here
	AwayGuest   time.Duration // how long a guest may be gone before leaving a match
	PrivateWait time.Duration // how long an offer waits for its second player
	Unwatched   time.Duration // how long an exhibition goes on without spectators
}

// What a match does without being asked: computer players reply, guests who have gone leave, offers that nobody takes end,
// an evicted match ends, a match with a computer player notes whether anybody looks, and an uncertain commit is read again. A match with none of these sets no timer.

// nextTimer returns when the match has something to do; zero for never.
func (m *Match) nextTimer() (at time.Time) {
	if m.uncertain.is {
		return m.uncertain.retryAt
	}
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if m.bot.ready {
		sooner(m.replyAt())
	}
	if m.bot.status == match.Paused {
		sooner(m.unwatchedAt())
	}
	if m.evicted.Load() {
		sooner(time.Now())
	}
	sooner(m.readersAt())
	_, t := m.leaving()
	sooner(t)
	if at.Before(m.retryAt) && !at.IsZero() {
		return m.retryAt
	}
	return at
}

// runTimers does what is due.
func (m *Match) runTimers(ctx context.Context) {
	now := time.Now()
	due := func(t time.Time) bool { return !t.IsZero() && !now.Before(t) }
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
	m.noteReaders()
	seat, left := m.leaving()
	err := m.safely(func() error {
		switch {
		case m.evicted.Load():
			return m.act(ctx, match.Leave(storage.Nobody))
		case due(left):
			return m.act(ctx, match.Leave(seat))
		case m.bot.status == match.Paused && m.watchedLately():
			m.startBot(ctx)
			m.publish()
		case m.bot.status == match.Paused && due(m.unwatchedAt()):
			return m.act(ctx, match.Leave(storage.Nobody))
		case m.bot.ready && due(m.replyAt()):
			return m.reply(ctx)
		}
		return nil
	})
	if err != nil {
		if !errors.Is(err, ErrBusy) { // which was logged and counted where it happened
			m.config.Log.Error("a timer's event was refused", "match", m.id, "err", err)
			m.failures++
		}
		m.retryAt = time.Now().Add(backoff(m.failures))
	}
}

// replyAt is when a computer player that has its move plays it.
func (m *Match) replyAt() time.Time { return m.changedAt.Add(m.config.BotDelay) }

// watchedLingers is how long after its last reader a match still counts as watched: readers come and go between
// one view and the next.
const watchedLingers = 10 * time.Second

func (m *Match) watchedLately() bool {
	now, last := m.views.Readers()
	return now || time.Since(last) < watchedLingers
}

// readersAt is when to look for readers again, in a match with a computer player; zero while it waits for one to come.
func (m *Match) readersAt() time.Time {
	now, last := m.views.Readers()
	switch {
	case !m.state.HasBot():
		return time.Time{}
	case now && !m.unwatched.Load():
		return time.Now().Add(watchedLingers)
	case !m.unwatched.Load():
		return last.Add(watchedLingers)
	case m.lookedAt():
		return time.Now()
	}
	return time.Time{}
}

// lookedAt is watchedLately, but for a match that nobody has looked at since the program started.
func (m *Match) lookedAt() bool {
	_, last := m.views.Readers()
	return m.watchedLately() && !last.Equal(m.unread)
}

// noteReaders tells the lobby when a match with a computer player has no readers any more, and when it has some again.
func (m *Match) noteReaders() {
	if unwatched := m.state.HasBot() && !m.lookedAt(); m.unwatched.Swap(unwatched) != unwatched {
		m.config.Changed(m, m.view())
	}
}

// unwatchedAt is when an exhibition has been unwatched for too long; zero while it is watched.
func (m *Match) unwatchedAt() time.Time {
	now, last := m.views.Readers()
	if now {
		return time.Time{}
	}
	return last.Add(m.config.Unwatched)
}

// leaving returns which seat leaves the match and when, if nobody comes back before: that of a guest who has gone, that of
// the owner of a public offer who has, or Nobody for an offer that has waited too long. The time is zero if none will.
//
// A public offer ends with the last connection of its owner, at once. One whose owner has not been here, because a command
// opened it or the club has just started, waits Config.AwayOffer for the owner to come.
func (m *Match) leaving() (seat storage.Seat, at time.Time) {
	waiting := m.state.Started.IsZero()
	sooner := func(s storage.Seat, t time.Time) {
		if at.IsZero() || t.Before(at) {
			seat, at = s, t
		}
	}
	for side, o := range m.state.Seats {
		offer := waiting && m.state.Opening.Public
		if o.Kind != storage.Guest && (o.Kind != storage.Person || !offer) {
			continue
		}
		since, gone := m.config.Away(o)
		if !gone {
			m.ownerHere = m.ownerHere || offer
			continue
		}
		patience := m.config.AwayGuest
		switch {
		case offer && (m.ownerHere || !since.Before(m.seatedAt[side])):
			patience = 0
		case offer:
			patience = m.config.AwayOffer
		}
		sooner(storage.SeatOf(games.Side(side)), later(since, m.seatedAt[side]).Add(patience))
	}
	if !waiting {
		return seat, at
	}
	if reserved := m.state.Opening.Reserved; reserved.Kind == storage.Guest {
		if since, gone := m.config.Away(reserved); gone {
			sooner(storage.Nobody, later(since, m.changedAt).Add(m.config.AwayGuest))
		}
	}
	sooner(storage.Nobody, time.Now().Add(m.config.PrivateWait-m.config.Now().Sub(m.state.Opened)))
	return seat, at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// startBot has the computer player whose turn it is look for a move.
func (m *Match) startBot(ctx context.Context) {
	m.bot.drop()
	s := &m.state
	if s.Over() || s.Started.IsZero() || s.Seats[s.Turn()].Kind != storage.Bot {
		return
	}
	if s.Exhibition() && !m.watchedLately() {
		m.bot.status = match.Paused
		return
	}
	level, ok := m.config.Level(s.Seats[s.Turn()].ID)
	if !ok {
		m.bot = botReply{status: match.Thinking, ready: true, err: ErrNoSuchLevel}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j, priority := thinking.NewJob(ctx, level, s.Position, m.seeds.Uint64(), 0), thinking.ForPlayers
	if s.Exhibition() {
		priority = thinking.ForSpectators
	}
	m.bot = botReply{status: match.Queued, cancel: cancel, updates: j.Updates(), places: j.Places()}
	if m.bot.ahead = m.config.Scheduler.Submit(j, priority); m.bot.ahead == 0 {
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
	switch {
	case err != nil:
		m.config.Stats.Failed.Add(1)
		m.config.Log.Error("a computer player failed", "match", m.id, "player", m.state.Seats[seat.Side()].ID, "err", err)
		fallthrough
	case m.loss.resigns(&m.state, d):
		return m.write(ctx, []storage.Event{{Kind: storage.Resigned, Seat: seat}})
	}
	if err = m.write(ctx, []storage.Event{{Kind: storage.Moved, Seat: seat, Move: d.Move}}); err == nil {
		m.loss = lossAfter(&m.state, d)
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
	level, ok := m.config.Strongest()
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
	m.config.Scheduler.Submit(j, thinking.ForPlayers)
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
		return m.write(ctx, []storage.Event{{Kind: storage.Helped, Seat: search.seat}})
	})
	if err != nil {
		search.answer <- hintAnswer{err: err}
		return
	}
	hint := Hint{u.Decision, len(m.state.Moves)}
	m.hint.found = &hint
	search.answer <- hintAnswer{hint: hint}
}
