// Package analyses analyses finished matches when users ask for it, and makes puzzles of the wins that players missed in them.
package analyses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"ludoteca/games/analysis"
	"ludoteca/games/bot"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
	"ludoteca/storage"
)

// # The queue of analyses
//
// Users add matches to one queue. Blocks of addresses take turns in it, and so do the people of a block. Each person may have maxWaiting matches
// waiting. In a full queue the last match makes room for one that sorts before it. Run works on the first match, one search at a time, as
// background work of the scheduler: a computer player's move preempts the search, which is repeated later.
//
// An analysis goes on while a user reads its progress, and for linger after that. A match without a reader leaves the queue when its
// turn comes. Its unfinished work is kept for a while, within maxPaused, in case a user asks again.
//
// A missed win that is to be proven is in the queue like a match: see MissedWins.

// The reasons why a match gets no analysis.
var (
	ErrFailed = errors.New("the analysis failed") // wrapped together with the cause
)

// A Config configures NewQueue. All fields but Nodes must be set.
type Config struct {
	Scheduler *thinking.Scheduler
	Feeds     *feed.Group
	Stats     *Stats
	Log       *slog.Logger

	// Match returns a view of a match, running or finished.
	Match func(ctx context.Context, id storage.MatchID) (*match.View, error)

	Store Store

	Panics *atomic.Int64 // counts panics of engines
	Nodes  int           // positions that are searched for each position of a match; 0: analysis.Budget
	Max    int           // matches in the queue; 0: MaxQueue
}

// A Store keeps the analyses of finished matches; see results.AnalysisStore.
type Store interface {
	// Analysis returns the stored analysis of a match, of any version of the method. The error is storage.ErrNotFound if there is none, and
	// storage.ErrDamaged if it can't be read and may be made again.
	Analysis(ctx context.Context, id storage.MatchID) (*analysis.Analysis, error)

	// SaveAnalysis stores an analysis, which replaces an older one, and returns when it is on disk.
	SaveAnalysis(ctx context.Context, id storage.MatchID, a *analysis.Analysis) error
}

// Stats counts finished and failed analyses. All fields only grow. The zero value is ready to use.
type Stats struct {
	Analysed         atomic.Int64 // matches of which an analysis was made
	AnalysisFailures atomic.Int64 // analyses that could not be made or stored
}

// Progress is the state of the analysis of a match. It is immutable and shared.
type Progress struct {
	Seq   uint64 // what Queue.Next takes: it grows with every change, and no change comes after Ready
	Stage Stage
	Ahead int // while Waiting: how many other matches come before this one

	// Done is how many of Total positions have been searched.
	Done, Total int

	Analysis *analysis.Analysis // when Ready

	missed *MissedWin // of an item that proves one, when Ready; nil: it can't be proven
	err    error      // why it will never be Ready; else nil
}

// A Stage is a stage of an analysis.
type Stage uint8

// The stages.
const (
	Waiting Stage = iota // others come first
	Working
	Ready
)

// lastSeq is the number of every Progress that is Ready.
const lastSeq = math.MaxUint64

// maxPaused is how many positions unfinished analyses without readers may have in all: each takes less than a kilobyte.
const maxPaused = 20_000

// maxWaiting is how many matches one person has in the queue beside the one that is worked on.
const maxWaiting = 2

// maxStudies is of how many studies the analyses stay in memory: at most a few hundred kilobytes each.
const maxStudies = 32

// reports is about how often the progress of an analysis is published.
const reports = 50

// A Queue holds the matches to analyse. Any goroutine may use it.
type Queue struct {
	config  Config
	archive archive
	wake    chan struct{} // holds one: there may be something to do

	mu     sync.Mutex // guards what follows
	byID   map[itemID]*item
	queue  []*item // the first is worked on
	paused []*item // the oldest first
}

// An itemID names an item: a match, a study, or a missed win of a match.
type itemID struct {
	match  storage.MatchID
	study  bool
	missed int // one more than the number of moves before the missed win; 0: the analysis
}

// An item is an analysis that is not ready, or a missed win that is being proven.
type item struct {
	id       storage.MatchID
	missed   *candidate    // the win that is to be proven; nil: the item is an analysis
	study    *match.View   // a record that a player keeps; nil: the item is about a match of the club
	by       origin.Origin // the user who asked first
	total    int
	progress *feed.Feed[Progress]
	work     *analysis.Work // Run alone uses it; nil: not begun
}

func (it *item) itemID() itemID {
	id := itemID{match: it.id, study: it.study != nil}
	if it.missed != nil {
		id.missed = it.missed.ply + 1
	}
	return id
}

const (
	// MaxQueue is how many matches wait to be analysed. Further ones are refused: they would wait for longer than their readers do.
	MaxQueue = 64

	// linger is how long an analysis goes on when nobody reads its progress.
	linger = time.Minute
)

// NewQueue returns an empty queue.
func NewQueue(c Config) *Queue {
	c.Max = cmp.Or(c.Max, MaxQueue)
	studies, _ := lru.New[storage.MatchID, *analysis.Analysis](maxStudies) // the error: the size is positive
	return &Queue{config: c, archive: archive{c.Match, c.Store, studies, c.Log}, wake: make(chan struct{}, 1), byID: make(map[itemID]*item)}
}

// Len returns the number of matches in the queue, including the one that is worked on.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// Next returns the progress of the analysis of a finished match as soon as its Seq is above after: at once if it is already, else at the next
// change. Once the analysis is Ready, Next waits until ctx ends. Start with 0 and go on with the Seq of the progress in hand.
//
// A match without an analysis enters the queue; by is the user who asks. An analysis is on disk before Next returns it as Ready.
//
// The errors are refusal.ErrNotOver, refusal.ErrUnplayed for a match without a move or a result, refusal.ErrManyAnalyses, ErrFailed, errors of
// Config.Match, errors of the store as refusal.OfStore returns them, ctx.Err(), and Config.Feeds.Err() once the feeds are closed.
func (q *Queue) Next(ctx context.Context, by origin.Origin, id storage.MatchID, after uint64) (*Progress, error) {
	return q.next(ctx, by, &item{id: id}, after)
}

// Study is Next for a record from elsewhere that a player keeps, as a view of a finished match: only the caller knows who may see it. Its analysis
// is kept in memory, for as long as not too many others are made. It returns the errors of Next.
func (q *Queue) Study(ctx context.Context, by origin.Origin, v *match.View, after uint64) (*Progress, error) {
	return q.next(ctx, by, &item{id: v.ID, study: v}, after)
}

func (q *Queue) next(ctx context.Context, by origin.Origin, asked *item, after uint64) (*Progress, error) {
	if err := q.config.Feeds.Err(); err != nil {
		return nil, err
	}
	it, leave := q.join(asked.itemID())
	if it == nil {
		var err error
		if asked.total, err = q.archive.positions(ctx, asked); err != nil {
			return nil, err
		}
		a, err := q.archive.load(ctx, asked)
		switch {
		case err != nil:
			return nil, err
		case a != nil && after < lastSeq:
			return ready(a), nil
		case a != nil:
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-q.config.Feeds.Closed():
				return nil, q.config.Feeds.Err()
			}
		}
		if it, leave, err = q.add(by, asked); err != nil {
			return nil, err
		}
	}
	defer leave()
	p, seq, err := it.progress.Next(ctx, after)
	switch {
	case err != nil:
		return nil, err
	case p.err != nil:
		return nil, p.err
	}
	if p.Stage != Ready {
		p.Seq = seq
	}
	return &p, nil
}

func ready(a *analysis.Analysis) *Progress {
	n := len(a.Points)
	return &Progress{Seq: lastSeq, Stage: Ready, Done: n, Total: n, Analysis: a}
}

// join adds a reader to the item with an id and returns it, or nil if it is not in the queue.
func (q *Queue) join(id itemID) (it *item, leave func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if it = q.byID[id]; it == nil || slices.Contains(q.paused, it) {
		return nil, nil
	}
	return it, it.progress.Attend()
}

// add puts a new item into the queue for a person, unless there is the same one already, and adds a reader.
func (q *Queue) add(by origin.Origin, added *item) (it *item, leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	it = q.byID[added.itemID()]
	if it != nil && !slices.Contains(q.paused, it) {
		return it, it.progress.Attend(), nil
	}
	// Pausing others may forget the oldest paused items: not this one.
	q.paused = slices.DeleteFunc(q.paused, func(p *item) bool { return p == it })
	isNew := it == nil
	if isNew {
		it = added
		it.progress = feed.New[Progress](q.config.Feeds)
	}
	it.by = by
	if q.waiting(by) >= maxWaiting {
		q.pauseOwn(by)
	}
	if len(q.queue) >= q.config.Max {
		q.pauseUnread()
	}
	q.queue = append(q.queue, it)
	q.arrange()
	last := q.queue[len(q.queue)-1]
	full := len(q.queue) > q.config.Max
	switch {
	case full && last == it, q.waiting(by) > maxWaiting:
		q.queue = slices.DeleteFunc(q.queue, func(other *item) bool { return other == it })
		if !isNew {
			q.keepPaused(it)
		}
		return nil, nil, refusal.ErrManyAnalyses
	case full:
		q.drop(last, Progress{err: refusal.ErrManyAnalyses})
	}
	q.byID[it.itemID()] = it
	leave = it.progress.Attend()
	q.publishPlaces()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return it, leave, nil
}

// waiting returns the number of matches that wait for a person, and 0 for a person who is not known: they have no limit.
func (q *Queue) waiting(by origin.Origin) (n int) {
	for _, it := range q.queue[min(1, len(q.queue)):] {
		if by.Person != "" && it.by.Person == by.Person {
			n++
		}
	}
	return n
}

// pauseOwn pauses the waiting items of a person that have no reader: the person has left them for another match.
func (q *Queue) pauseOwn(by origin.Origin) {
	for _, it := range slices.Clone(q.queue[min(1, len(q.queue)):]) {
		if now, _ := it.progress.Readers(); !now && it.by.Person == by.Person {
			q.pause(it)
		}
	}
}

// arrange sorts the waiting items by turn. The first item, which is worked on, stays in front and counts as a turn of its person.
func (q *Queue) arrange() {
	type block struct {
		prefix netip.Prefix
		person string // if their address is not known
	}
	ofPerson, ofBlock, person := make(map[string]int), make(map[block][]*item), make(map[*item]int)
	for _, it := range q.queue {
		b := block{prefix: origin.Widest(it.by.Addr).Prefix}
		if !b.prefix.IsValid() {
			b.person = it.by.Person
		}
		person[it] = ofPerson[it.by.Person]
		ofPerson[it.by.Person]++
		ofBlock[b] = append(ofBlock[b], it)
	}
	turn := make(map[*item]int, len(q.queue))
	for _, items := range ofBlock {
		slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(person[a], person[b]) })
		for i, it := range items {
			turn[it] = i
		}
	}
	slices.SortStableFunc(q.queue[min(1, len(q.queue)):], func(a, b *item) int { return cmp.Compare(turn[a], turn[b]) })
}

// first returns the item to work on, or nil if there is none. It pauses the unwanted items before it.
func (q *Queue) first() *item {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.queue)
	for len(q.queue) > 0 && !q.wanted(q.queue[0]) {
		q.pause(q.queue[0])
	}
	if len(q.queue) == 0 {
		return nil
	}
	if len(q.queue) < before {
		q.arrange()
		q.publishPlaces()
	}
	return q.queue[0]
}

// wanted reports whether an item has a reader, or had one within Config.Linger.
func (q *Queue) wanted(it *item) bool {
	now, last := it.progress.Readers()
	return now || time.Since(last) < linger
}

// pauseUnread pauses the waiting items that are not wanted. The first item, which is worked on, stays.
func (q *Queue) pauseUnread() {
	for _, it := range slices.Clone(q.queue[min(1, len(q.queue)):]) {
		if !q.wanted(it) {
			q.pause(it)
		}
	}
}

// pause removes an item from the queue and keeps its unfinished work.
func (q *Queue) pause(it *item) {
	q.queue = slices.DeleteFunc(q.queue, func(other *item) bool { return other == it })
	q.keepPaused(it)
}

// keepPaused adds an item to the paused ones, and drops the oldest of them while they have more than maxPaused positions. A missed win has no
// unfinished work that would be worth keeping.
func (q *Queue) keepPaused(it *item) {
	if it.missed != nil {
		delete(q.byID, it.itemID())
		return
	}
	q.paused = append(q.paused, it)
	sum := 0
	for _, p := range q.paused {
		sum += p.total
	}
	for sum > maxPaused {
		sum -= q.paused[0].total
		delete(q.byID, q.paused[0].itemID())
		q.paused = slices.Delete(q.paused, 0, 1)
	}
}

// report publishes the progress of an item, about reports times in all.
func (q *Queue) report(it *item, done int) {
	it.progress.Update(func(old Progress, _ uint64) (Progress, bool) {
		if done == old.Done || it.total > reports && done*reports/it.total == old.Done*reports/it.total {
			return old, false
		}
		return Progress{Stage: Working, Done: done, Total: it.total}, true
	})
}

// publishPlaces publishes to the readers of each item its place in the queue.
func (q *Queue) publishPlaces() {
	for i, it := range q.queue {
		it.progress.Update(func(old Progress, _ uint64) (Progress, bool) {
			now := Progress{Stage: Waiting, Ahead: i, Done: old.Done, Total: it.total}
			if i == 0 {
				now.Stage = Working
			}
			return now, now != old
		})
	}
}

// end removes an item from the queue: p is its last progress.
func (q *Queue) end(it *item, p Progress) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.drop(it, p)
	q.arrange()
	q.publishPlaces()
}

// drop removes an item from the queue and publishes its last progress. The caller holds mu.
func (q *Queue) drop(it *item, p Progress) {
	q.queue = slices.DeleteFunc(q.queue, func(other *item) bool { return other == it })
	delete(q.byID, it.itemID())
	it.progress.Publish(p)
}

// Run works on the queue until ctx ends. writes is the context of what is written; it must end later than ctx.
func (q *Queue) Run(ctx, writes context.Context) {
	for ctx.Err() == nil {
		it := q.first()
		if it == nil {
			select {
			case <-q.wake:
			case <-ctx.Done():
			}
			continue
		}
		p, err := q.advance(ctx, writes, it)
		switch {
		case ctx.Err() != nil && p == nil:
			return // Config.Feeds tells the readers that the club is closing
		case err != nil:
			q.end(it, Progress{err: err})
		case p != nil:
			q.end(it, *p)
		}
	}
}

// advance brings an item one step forward, and returns its last progress when it is complete: an analysis is on disk then.
func (q *Queue) advance(ctx, writes context.Context, it *item) (*Progress, error) {
	if it.missed == nil && it.work == nil {
		// It may have become ready after its reader looked for it and before the match entered the queue.
		if a, err := q.archive.load(ctx, it); err != nil {
			return nil, err
		} else if a != nil {
			return ready(a), nil
		}
	}
	var proven *MissedWin
	err := q.config.Scheduler.Background(ctx, func(ctx context.Context) (err error) {
		proven, err = q.step(ctx, it)
		return err
	})
	switch {
	case err == thinking.ErrPreempted:
		return nil, nil // the same step again
	case err != nil:
		return nil, q.failed(ctx, it, err)
	case it.missed != nil:
		return &Progress{Stage: Ready, Done: it.total, Total: it.total, missed: proven}, nil
	}
	done, total := it.work.Progress()
	if done < total {
		q.report(it, done)
		return nil, nil
	}
	a := it.work.Analysis()
	if err := q.archive.save(writes, it, a); err != nil {
		return nil, q.failed(ctx, it, err)
	}
	q.config.Stats.Analysed.Add(1)
	return ready(a), nil
}

// step begins an analysis or makes one search for it, or proves a missed win. A panic of an engine is returned as an error.
func (q *Queue) step(ctx context.Context, it *item) (proven *MissedWin, err error) {
	defer func() {
		if p := recover(); p != nil {
			q.config.Panics.Add(1)
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if it.work != nil {
		return nil, it.work.Step(ctx)
	}
	v, err := q.archive.view(ctx, it)
	if err != nil {
		return nil, err
	}
	if it.missed != nil {
		return it.missed.prove(ctx, v)
	}
	start, err := v.Initial()
	if err != nil {
		return nil, err
	}
	if it.work, err = analysis.Begin(ctx, v.Game, start, v.Moves, q.config.Nodes); err != nil {
		return nil, err
	}
	game := v.Game.About().ID
	it.work.Elsewhere(func(ctx context.Context, s analysis.Search) (bot.Thought, bool) {
		return q.config.Scheduler.Elsewhere(ctx, &thinking.Question{
			Game: game, Nodes: s.Nodes, Start: start, Moves: s.Moves, Position: s.Position, Seed: s.Seed,
		})
	})
	return nil, nil
}

// failed counts and logs a failed analysis, and wraps err in ErrFailed.
func (q *Queue) failed(ctx context.Context, it *item, err error) error {
	if ctx.Err() == nil {
		q.config.Stats.AnalysisFailures.Add(1)
		q.config.Log.Error("the analysis of a match failed", "match", it.id, "err", err)
	}
	return fmt.Errorf("%w: %w", ErrFailed, err)
}
