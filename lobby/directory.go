package lobby

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/storage"
)

// directory makes the lists: one goroutine, run, alone knows what they are made of. Matches leave their latest view in
// news and go on; the next lists take in whatever has come since the last, so their cost does not grow with the moves,
// and what each costs depends on what changed and on the length of the lists, not on how many matches there are.
type directory struct {
	limits Limits
	page   atomic.Pointer[listPage]
	ready  chan struct{} // closed when the first lists are made
	wake   chan struct{} // holds one: there is news

	mu   sync.Mutex // guards what follows
	news map[storage.MatchID]*View
	here bool // who is here has changed

	// Of run alone.
	views    map[storage.MatchID]*View // of matches that go on
	offers   map[storage.MatchID]*View // public
	running  map[storage.MatchID]*View // public
	byPerson map[key]map[storage.MatchID]*View
	stale    stale
	madeAt   time.Time
	publicAt time.Time // when what everybody sees was made
}

// stale says what new lists must have that the present ones don't.
type stale struct {
	public bool // offers, or which matches run
	here   bool
	plies  bool // how many moves the running matches have
	people map[key]bool
}

// A listPage is lists, and what is closed when there are newer ones: that for everybody only if something has changed that all
// see, and that of a shard of people only if something has that concerns one of them. In a busy club somebody's matches change
// all the time, and everybody would be woken to find that they aren't his.
type listPage struct {
	lists  *Lists
	public chan struct{}
	shards [yoursShards]chan struct{}
}

func newListPage() *listPage {
	p := &listPage{lists: &Lists{}, public: make(chan struct{})}
	for n := range p.shards {
		p.shards[n] = make(chan struct{})
	}
	return p
}

// follow returns the page with lists that come after those of p, and wakes whom the difference may concern once it is shown.
func (p *listPage) follow(lists *Lists, shards [yoursShards]bool) (next *listPage, wake func()) {
	next = &listPage{lists, p.public, p.shards}
	public := lists.public == lists.Seq
	if public {
		next.public = make(chan struct{})
	}
	for n, changed := range shards {
		if changed {
			next.shards[n] = make(chan struct{})
		}
	}
	return next, func() {
		if public {
			close(p.public)
		}
		for n, changed := range shards {
			if changed {
				close(p.shards[n])
			}
		}
	}
}

func (d *directory) init(l Limits) {
	d.limits, d.ready, d.wake = l, make(chan struct{}), make(chan struct{}, 1)
	d.news = make(map[storage.MatchID]*View)
	d.views = make(map[storage.MatchID]*View)
	d.offers = make(map[storage.MatchID]*View)
	d.running = make(map[storage.MatchID]*View)
	d.byPerson = make(map[key]map[storage.MatchID]*View)
	d.stale.people = make(map[key]bool)
	d.page.Store(newListPage())
}

// note takes the newest view of a match.
func (d *directory) note(v *View) { d.tell(func() { d.news[v.ID] = v }) }

// forget takes out a match that can't go on.
func (d *directory) forget(id storage.MatchID) { d.tell(func() { d.news[id] = nil }) }

// noteHere says that who is here has changed.
func (d *directory) noteHere() { d.tell(func() { d.here = true }) }

func (d *directory) tell(what func()) {
	d.mu.Lock()
	what()
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run makes new lists when there is news, until ctx ends. here lists who is here.
func (d *directory) run(ctx context.Context, here func(most int) (int, []Present)) {
	d.collect()
	d.stale.public, d.stale.here = true, true
	d.make(here)
	close(d.ready)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Stop()
		if at := d.due(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
			d.collect()
		case <-timer.C:
		}
		if at := d.due(); !at.IsZero() && !time.Now().Before(at) {
			d.make(here)
		}
	}
}

// turnOf is how long after new public lists are made it is the turn of who to see them.
func (d *directory) turnOf(who Who) time.Duration {
	return d.limits.ListEvery * time.Duration(shardOf(who.key())) / yoursShards
}

// due is when the next lists are to be made; zero for never.
func (d *directory) due() time.Time {
	soon := d.madeAt.Add(d.limits.ListEvery)
	public, stale := d.publicDue()
	switch {
	case len(d.stale.people) > 0:
		return soon
	case stale:
		return later(soon, public)
	}
	return time.Time{}
}

// publicDue is when what everybody sees is to be made anew, if it is stale. All who look at the lobby draw it then: the first
// change after a quiet time shows at once, and many are gathered, moves and people who come and go for longer than offers.
func (d *directory) publicDue() (at time.Time, stale bool) {
	if d.stale.public {
		return d.publicAt.Add(d.limits.PublicEvery), true
	}
	return d.publicAt.Add(d.limits.RunningPly), d.stale.here || d.stale.plies
}

// collect takes in the news.
func (d *directory) collect() {
	d.mu.Lock()
	news, here := d.news, d.here
	d.news, d.here = make(map[storage.MatchID]*View), false
	d.mu.Unlock()
	d.stale.here = d.stale.here || here
	for id, v := range news {
		old := d.views[id]
		if v != nil && v.Over {
			v = nil
		}
		d.file(id, old, v)
		wasOffer, isOffer := listedOffer(old), listedOffer(v)
		wasRunning, isRunning := listedRunning(old), listedRunning(v)
		switch {
		case wasOffer != isOffer || wasRunning != isRunning:
			d.stale.public = true
		case isRunning:
			d.stale.plies = true
		}
	}
}

func listedOffer(v *View) bool { return v != nil && v.Public && v.Started.IsZero() }

func listedRunning(v *View) bool { return v != nil && v.Public && !v.Started.IsZero() }

// file replaces the view old of a match by now, wherever it is kept; either may be nil.
func (d *directory) file(id storage.MatchID, old, now *View) {
	if old != nil {
		delete(d.views, id)
		delete(d.offers, id)
		delete(d.running, id)
		for _, k := range peopleOf(old) {
			delete(d.byPerson[k], id)
			d.stale.people[k] = true
		}
	}
	if now == nil {
		return
	}
	d.views[id] = now
	if listedOffer(now) {
		d.offers[id] = now
	}
	if listedRunning(now) {
		d.running[id] = now
	}
	for _, k := range peopleOf(now) {
		if d.byPerson[k] == nil {
			d.byPerson[k] = make(map[storage.MatchID]*View)
		}
		d.byPerson[k][id] = now
		d.stale.people[k] = true
	}
}

// make makes new lists and shows them.
func (d *directory) make(here func(most int) (int, []Present)) {
	before, now := d.page.Load(), time.Now()
	lists := *before.lists // the shards that stay as they are are shared
	lists.Seq++
	if at, stale := d.publicDue(); stale && !now.Before(at) {
		d.makePublic(&lists, here)
		d.publicAt = now
	}
	var own [yoursShards]bool // which are copied already
	for k := range d.stale.people {
		n := shardOf(k)
		if !own[n] {
			own[n] = true
			var fewer bool
			if lists.yours[n], fewer = copyShard(lists.yours[n]); fewer {
				lists.public = lists.Seq // whoever has not seen that his last match is gone must look
			}
		}
		if len(d.byPerson[k]) == 0 {
			delete(d.byPerson, k)
		}
		lists.yours[n][k] = yours{yoursOf(k, slices.Collect(maps.Values(d.byPerson[k]))), lists.Seq}
	}
	clear(d.stale.people)
	d.madeAt = now
	lists.bare = &Lists{
		Seq: lists.Seq, Count: lists.Count, Here: lists.Here, Offers: lists.Offers, Running: lists.Running,
		public: lists.public, shared: lists.shared,
	}
	next, wake := before.follow(&lists, own)
	d.page.Store(next)
	wake()
}

// makePublic makes what everybody sees.
func (d *directory) makePublic(lists *Lists, here func(most int) (int, []Present)) {
	if d.stale.here {
		lists.Count, lists.Here = here(d.limits.Here)
	}
	if d.stale.public {
		lists.Offers = pick(d.offers, d.limits.Listed, byAge, offer)
	}
	if d.stale.public || d.stale.plies {
		newest := func(a, b *View) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID)) }
		lists.Running = pick(d.running, d.limits.Listed, newest, running)
	}
	lists.public, lists.shared = lists.Seq, new(sync.Map)
	d.stale.public, d.stale.here, d.stale.plies = false, false, false
}

// maxGone is how many people without a match are kept in a shard.
const maxGone = 1000

// copyShard returns a copy to be changed, without those who have no match any more if they have become too many.
func copyShard(shard map[key]yours) (fresh map[key]yours, fewer bool) {
	gone := func(_ key, y yours) bool { return len(y.Matches) == 0 && len(y.Invitations) == 0 }
	n := 0
	for k, y := range shard {
		if gone(k, y) {
			n++
		}
	}
	fresh = make(map[key]yours, len(shard)+1)
	maps.Copy(fresh, shard)
	if n > maxGone {
		maps.DeleteFunc(fresh, gone)
	}
	return fresh, n > maxGone
}

// pick returns the first of the views in some order, as what a list shows of them.
func pick[T any](from map[storage.MatchID]*View, most int, order func(a, b *View) int, show func(*View) T) []T {
	views := slices.SortedFunc(maps.Values(from), order)
	out := make([]T, 0, min(len(views), most))
	for _, v := range views[:min(len(views), most)] {
		out = append(out, show(v))
	}
	return out
}
