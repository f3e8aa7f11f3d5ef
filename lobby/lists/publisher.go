package lists

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
)

// A publisher makes the lists. Matches record their changes and go on; the goroutine of Run collects the changes since the last lists. So the
// cost does not grow with the number of moves. Each user has a feed of their own besides the public one, so that matches of others don't
// wake them.
type publisher struct {
	most    int // offers, and running matches, in the lists
	matches *registry.Registry
	here    func() int                                      // the number of people who are here
	playing func(*match.Summary) (until time.Time, ok bool) // as Service.playing
	sought  func() ([]Sought, <-chan struct{})              // as Config.Sought
	feeds   *feed.Group
	Ready   chan struct{} // closed when the first lists are made
	wake    chan struct{} // holds one: news is not empty

	newsMu sync.Mutex // guards what follows
	news   stale

	// Only Run uses these.
	stale    stale
	newer    <-chan struct{} // closed when there is something newer than what sought last returned
	madeAt   time.Time
	publicAt time.Time // when the public lists were made
	quietAt  time.Time // when the first running match stops counting as played if nothing happens; zero: none

	// mu makes both feeds of a user one: lists are published with it held, so that a reader gets all of them or none.
	mu     sync.Mutex
	public *feed.Feed[Lists]
	own    map[match.Key]*feed.Feed[Yours] // feeds of all users with matches, and of some others
	idle   int                             // feeds in own of users without matches
}

// stale is the changes since the present lists were made.
type stale struct {
	public bool // the offers, or which matches run, have changed
	plies  bool // running matches have had moves
	here   bool // users have come or gone
	sought bool // searches for quick matches have begun or ended; not in news
	people map[match.Key]bool
}

// How often new lists are made. A user sees changes of their own matches at once. Public changes are collected, because all users in the lobby
// draw their screens after each of them.
const (
	UpdateEvery  = 100 * time.Millisecond // the shortest time between two lists of a user
	PublicEvery  = 500 * time.Millisecond // the same for the public part of the lists
	RunningEvery = time.Second            // the longest time until they show moves in running matches, and people who come or go
)

// maxIdle is how many users without matches may have a feed of their own.
const maxIdle = 50_000

func newPublisher(most int, r *registry.Registry, here func() int, playing func(*match.Summary) (time.Time, bool), sought func() ([]Sought, <-chan struct{}), feeds *feed.Group) *publisher {
	return &publisher{
		most: most, matches: r, here: here, playing: playing, sought: sought, feeds: feeds, Ready: make(chan struct{}), wake: make(chan struct{}, 1),
		news: stale{people: make(map[match.Key]bool)}, stale: stale{public: true, here: true, sought: sought != nil, people: make(map[match.Key]bool)},
		public: feed.New[Lists](feeds), own: make(map[match.Key]*feed.Feed[Yours]),
	}
}

// Note adds the changes of a match to the news.
func (s *publisher) Note(c registry.Change) {
	s.add(func(news *stale) {
		news.public = news.public || c.Public
		news.plies = news.plies || c.Plies
		for _, k := range c.People {
			news.people[k] = true
		}
	})
}

// NoteOwn adds to the news that a user's own lists have changed for another reason than a match.
func (s *publisher) NoteOwn(k match.Key) { s.add(func(news *stale) { news.people[k] = true }) }

// NoteHere adds to the news that people have come or gone.
func (s *publisher) NoteHere() { s.add(func(news *stale) { news.here = true }) }

func (s *publisher) add(to func(*stale)) {
	s.newsMu.Lock()
	to(&s.news)
	s.newsMu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// collect moves the news into s.stale.
func (s *publisher) collect() {
	s.newsMu.Lock()
	news := s.news
	s.news = stale{people: make(map[match.Key]bool)}
	s.newsMu.Unlock()
	s.stale.public = s.stale.public || news.public
	s.stale.plies = s.stale.plies || news.plies
	s.stale.here = s.stale.here || news.here
	for k := range news.people {
		s.stale.people[k] = true
	}
}

// Run makes new lists when there is news, until ctx ends.
func (s *publisher) Run(ctx context.Context) {
	s.collect()
	s.publish()
	close(s.Ready)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Stop()
		if at := s.due(); !at.IsZero() {
			timer.Reset(time.Until(at))
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			s.collect()
		case <-s.newer:
			s.stale.sought, s.newer = true, nil
		case <-timer.C:
		}
		if at := s.due(); !at.IsZero() && !time.Now().Before(at) {
			s.publish()
		}
	}
}

// due returns when to make new lists; zero for never.
func (s *publisher) due() time.Time {
	soon := s.madeAt.Add(UpdateEvery)
	public, stale := s.publicDue()
	switch {
	case len(s.stale.people) > 0:
		return soon
	case !stale:
		return time.Time{}
	case public.After(soon):
		return public
	}
	return soon
}

// publicDue returns when to make the public lists again, and whether they are stale. All users in the lobby draw them then. So the
// first change after a quiet time shows at once, and more changes are gathered: offers for PublicEvery, moves and people for RunningPly.
func (s *publisher) publicDue() (at time.Time, stale bool) {
	if s.stale.public || s.stale.sought {
		return s.publicAt.Add(PublicEvery), true
	}
	if at, stale = s.publicAt.Add(RunningEvery), s.stale.here || s.stale.plies; stale || s.quietAt.IsZero() {
		return at, stale
	}
	return latest(at, s.quietAt), true
}

// publish makes new lists and publishes them.
func (s *publisher) publish() {
	now := time.Now()
	page, _ := s.public.Latest()
	at, public := s.publicDue()
	if public = public && !now.Before(at); public {
		page = s.newPage(page)
		s.publicAt = now
	}
	own := make(map[match.Key]Yours, len(s.stale.people))
	for k := range s.stale.people {
		own[k] = yoursOf(k, s.matches.Of(k))
	}
	clear(s.stale.people)
	s.madeAt = now

	s.mu.Lock()
	defer s.mu.Unlock()
	for k, y := range own {
		f := s.own[k]
		if f == nil {
			f = s.addOwn(k)
		}
		old, _ := f.Latest()
		if old.empty() && !y.empty() {
			s.idle--
		} else if !old.empty() && y.empty() {
			s.idle++
		}
		f.Publish(y)
	}
	if s.idle > maxIdle {
		for k, f := range s.own {
			if y, _ := f.Latest(); y.empty() {
				delete(s.own, k)
				f.Publish(Yours{}) // a remaining reader wakes up, and gets another feed
			}
		}
		s.idle = 0
		public = true // wakes users who have not seen that their last match is gone
	}
	if public {
		s.public.Publish(page)
	}
}

// addOwn adds the feed of a user without matches.
func (s *publisher) addOwn(k match.Key) *feed.Feed[Yours] {
	f := feed.New[Yours](s.feeds)
	s.own[k] = f
	s.idle++
	return f
}

// Forget drops the feed of a user who has left and has no matches: most guests never come back.
func (s *publisher) Forget(k match.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.own[k]
	if f == nil {
		return
	}
	if y, _ := f.Latest(); !y.empty() {
		return
	}
	delete(s.own, k)
	s.idle--
	f.Publish(Yours{}) // a remaining reader wakes up, and gets another feed
}

// newPage returns new public lists. It takes the parts that are not stale from old.
func (s *publisher) newPage(old Lists) Lists {
	page := old
	if s.stale.here {
		page.Count = s.here()
	}
	if s.stale.public {
		page.Offers = inTurns(s.matches, s.most, s.matches.Offers(), peopleFirst, offerOf)
	}
	if s.stale.sought {
		var all []Sought
		all, s.newer = s.sought()
		page.Sought = soughtOf(all)
	}
	page.Running = inTurns(s.matches, s.most, s.played(), strongestFirst, runningOf)
	page.shared = new(sync.Map)
	s.stale.public, s.stale.here, s.stale.plies, s.stale.sought = false, false, false, false
	return page
}

// played returns the running public matches that are played, see Service.playing, in no order. It sets quietAt.
func (s *publisher) played() []*match.Summary {
	s.quietAt = time.Time{}
	return slices.DeleteFunc(s.matches.Running(), func(m *match.Summary) bool {
		until, ok := s.playing(m)
		if ok && !until.IsZero() && (s.quietAt.IsZero() || until.Before(s.quietAt)) {
			s.quietAt = until
		}
		return !ok
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// numbers has the numbers of the two parts of a user's lists, and for each a channel that is closed when the part is replaced.
type numbers struct {
	public, own       uint64
	newPublic, newOwn <-chan struct{}
}

// read returns the present lists of a user.
func (s *publisher) read(k match.Key) (*Lists, numbers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.own[k]
	if f == nil {
		f = s.addOwn(k)
	}
	var n numbers
	var all Lists
	all, n.public, n.newPublic = s.public.Watch()
	all.Yours, n.own, n.newOwn = f.Watch()
	all.Seq = max(n.public, n.own)
	return &all, n
}

// Watch returns the public lists, their number, and a channel that is closed when there are newer ones.
func (s *publisher) Watch() (all Lists, number uint64, newer <-chan struct{}) {
	return s.public.Watch()
}

// perDrawing is the average time between the drawings of two users after a public change, when many are here. Drawing the lobby takes some
// 0.15 ms of a processor, and must leave time for keys.
const perDrawing = 500 * time.Microsecond

// delayOf returns how long after a change of the public lists a user sees it. It differs between users, up to UpdateEvery, or up to PublicEvery
// when many are here.
func (s *publisher) delayOf(k match.Key) time.Duration {
	const steps = 1024
	within := max(UpdateEvery, min(perDrawing*time.Duration(s.here()), PublicEvery))
	h := fnv.New32a()
	h.Write([]byte(k.ID))
	return within * time.Duration(h.Sum32()%steps) / steps
}
