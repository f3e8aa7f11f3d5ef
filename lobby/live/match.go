package live

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/storage"
	"ludoteca/storage/cluster"
	"ludoteca/storage/matches"
	"ludoteca/storage/operators"
)

// A Match is one unfinished match in memory. Its goroutine, Run, alone holds the state. Callers send requests to it and read the
// views. Any goroutine may use it.
type Match struct {
	config       *Config
	id           storage.MatchID
	views        *feed.Feed[*match.View]
	requests     chan request
	hintRequests chan hintRequest
	rests        chan chan bool
	wake         chan struct{}         // holds one: Run checks its timers again
	begin        func(context.Context) // called by Run first
	done         chan struct{}         // closed when Run has ended
	evicted      atomic.Bool
	again        atomic.Bool // see TryAgain
	others       *othersEvents
	readers      *readers
	owner        *owner // only Run uses it, until done is closed
}

// A request asks a match for an act.
type request struct {
	act     match.Act
	at      time.Time             // when it arrived, by the clock of events
	release func()                // called once, when the outcome of the act is known, before the answer
	answer  chan error            // holds one
	entry   *operators.AuditEntry // written in one transaction with the end of the match; nil: none
}

func newMatch(c *Config, s match.State, w Waiting, terms cluster.Terms) *Match {
	j := &journal{config: c, id: s.ID, terms: terms}
	m := &Match{
		config: c, id: s.ID, views: feed.New[*match.View](c.Feeds), requests: make(chan request), hintRequests: make(chan hintRequest),
		rests: make(chan chan bool), wake: make(chan struct{}, 1), done: make(chan struct{}), others: &othersEvents{journal: j},
	}
	m.readers = &readers{config: c.Schedule, id: s.ID, views: m.views, before: w.ReadAt}
	seeds := games.NewRandom(c.Seed())
	m.owner = &owner{
		match: m, config: c, state: s, journal: j, timers: timers{config: c, waiting: w}, retries: retries{config: c, id: s.ID},
		bot: botPlayer{config: c, seeds: seeds}, draws: drawReplies{config: c, seeds: seeds}, hints: hints{config: c, seeds: seeds}, planned: plannedMoves{config: c},
	}
	return m
}

// Open returns a new match, which Run opens with the act open. opened waits until the first event is written. ownerHere is true if the user who
// opens the match is here; terms matter only with several nodes. release is called when it is known whether the match was opened.
func Open(c *Config, id storage.MatchID, ownerHere bool, open match.Act, terms cluster.Terms, release func()) (m *Match, opened func(context.Context) error) {
	m = newMatch(c, match.New(id), Waiting{OwnerHere: ownerHere, ReadAt: time.Now()}, terms)
	first := request{act: open, at: c.Now(), release: release, answer: make(chan error, 1)}
	m.begin = func(ctx context.Context) {
		m.owner.owned = c.Owned(id)
		m.owner.do(ctx, first)
	}
	return m, first.wait
}

// Resume returns a match that goes on from the state s, which Load has read.
func Resume(c *Config, s match.State, w Waiting) *Match {
	m := newMatch(c, s, w, cluster.Terms{})
	m.owner.timers.used()
	m.begin = m.owner.resume
	m.readers.unwatched.Store(s.HasBot())
	return m
}

// Load reads the state of an unfinished match. It returns the errors of Store.Log, and match.ErrLog.
func Load(ctx context.Context, c *Config, id storage.MatchID) (match.State, error) {
	f := match.NewFolder(id, c.Catalogue.Game)
	if err := ReadLog(ctx, c.Store, id, f.Add); err != nil {
		return match.State{}, err
	}
	return f.State()
}

// ReadLog reads the log of an unfinished match and calls take with one part after the other, so that a long log takes little
// memory. It returns the errors of Store.Log and take.
func ReadLog(ctx context.Context, s Store, id storage.MatchID, take func([]matches.Event) error) error {
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

// Run runs the match until it is over or unloaded, or ctx ends. writes is the context of writes to the store; it must end later than
// ctx. begun is called when the match has been opened or resumed, or could not be.
func (m *Match) Run(ctx, writes context.Context, begun func()) {
	defer close(m.done)
	m.owner.run(ctx, writes, begun)
}

// ID returns the id of the match.
func (m *Match) ID() storage.MatchID { return m.id }

// Views returns the feed of the views of the match. The feed stays in use after the end of the match.
func (m *Match) Views() *feed.Feed[*match.View] { return m.views }

// Watched reports whether the match has a reader on this node, or had one within watchedLingers while in memory.
func (m *Match) Watched() bool {
	now, last := m.views.Readers()
	return now || !m.views.Unread() && time.Since(last) < watchedLingers
}

// Unwatched reports whether the match has a computer player and has had no reader lately.
func (m *Match) Unwatched() bool { return m.readers.unwatched.Load() }

// Wake makes the match check its timers again, because a person has come or gone. It never blocks.
func (m *Match) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// TryAgain makes the match retry at once what has failed, because the store may work again. It never blocks.
func (m *Match) TryAgain() {
	m.again.Store(true)
	m.Wake()
}

// Follow says that the log has an event with this number by now, which another node may have written. It never blocks. Ended says that the
// match is over.
func (m *Match) Follow(seq uint64) {
	if m.others.announce(seq) {
		m.Wake()
	}
}

// Refresh makes the match read the events of other nodes from its log, and returns nil when its view shows them. It returns refusal.ErrBusy if the
// view may be out of date, and the errors of Do.
func (m *Match) Refresh(ctx context.Context) error {
	m.others.doubt()
	return m.Do(ctx, nil, nil)
}

// Ended, given to Follow, means that the match is over.
const Ended = math.MaxUint64

// Evict makes the match end soon, to make room in a full club, unless Keep is called before.
func (m *Match) Evict() {
	m.evicted.Store(true)
	m.Wake()
}

// Keep cancels Evict.
func (m *Match) Keep() { m.evicted.Store(false) }

// Rest removes the match from memory, unless it has a reader or something to do, and reports whether it is removed.
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

// Do makes the match do an act, and returns nil when it is on disk. If ctx ends first, an act that has begun goes on.
//
// release may be nil. It is called once, when the outcome of the act is known: before Do returns, unless ctx ends first. If Do
// returns ErrUnloaded, the act has not begun and release has not been called: the caller loads the match and tries again.
func (m *Match) Do(ctx context.Context, act match.Act, release func()) error {
	if release == nil {
		release = func() {}
	}
	return m.ask(ctx, request{act: act, at: m.config.Now(), release: release, answer: make(chan error, 1)})
}

// Adjudicate ends the match with the result that an operator has decided on, and writes the entry of the audit log in the same
// transaction. It returns the errors of Do.
func (m *Match) Adjudicate(ctx context.Context, result string, entry operators.AuditEntry) error {
	return m.ask(ctx, request{act: match.Adjudicate(result), at: m.config.Now(), release: func() {}, answer: make(chan error, 1), entry: &entry})
}

func (m *Match) ask(ctx context.Context, r request) error {
	select {
	case m.requests <- r:
		return r.wait(ctx)
	case <-m.done:
		err := m.owner.end.err(m.owner.state.Over())
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

// Hint asks the strongest computer player for a move, for the user whose turn it is. When it returns, it is on disk that the
// user has been helped; the hint itself is in no log. A second call in the same position returns the same hint. One search runs at
// a time; if ctx ends first, the search goes on.
//
// The errors are the same as of match.State.HintSeat, refusal.ErrHinting, match.ErrLate if the position
// has changed, refusal.ErrNoSuchLevel if there is no computer player, refusal.ErrBusy, refusal.ErrClosed and refusal.ErrDamaged.
func (m *Match) Hint(ctx context.Context, u match.User) (Hint, error) {
	r := hintRequest{u, make(chan hintAnswer, 1)}
	select {
	case m.hintRequests <- r:
	case <-m.done:
		return Hint{}, m.owner.end.err(m.owner.state.Over())
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
