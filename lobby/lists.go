package lobby

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// Lists is the lobby at one moment as one user sees it: how many are here, and what can be played or watched. It is immutable and
// shares its slices with other users': callers must not change them.
type Lists struct {
	Seq     uint64    // number of these lists: what Lobby.Next takes
	Count   int       // how many people are here, each counted once
	Offers  []Offer   // public ones, oldest first; at most Limits.Listed, see inTurns
	Running []Running // the strongest first; at most Limits.Listed, see inTurns
	Yours   Yours

	shared *sync.Map // what readers have made of what everybody sees; nil: nothing is kept
}

// An Offer is a match whose other seat is free.
type Offer struct {
	Ref
	Game      string
	Options   games.Options
	Rated     bool
	Clock     ClockSetting
	By        storage.Occupant
	Strength  Strength   // of By
	Side      games.Side // what the taker would play
	Since     time.Time
	RematchOf storage.MatchID  // set if it is a rematch
	To        storage.Occupant // the only one who may take it; Free: anybody may
	Range     [2]int           // the least and the highest rating of who may; zero: any
	Until     time.Time        // when it ends if nobody takes it; zero: it does not say
	Ply       int              // how many moves the opening gave
	From      string           // as in View
}

// A Running is a public match that is being played; anybody may watch it.
type Running struct {
	Ref      // without the code
	Game     string
	Options  games.Options
	Rated    bool
	Clock    ClockSetting
	Seats    [2]storage.Occupant
	Strength [2]Strength
	Ply      int
	Started  time.Time
}

// Yours is the part of the lists that concerns one user.
type Yours struct {
	Name        string  // that the user has now
	Matches     []Mine  // those that wait for the user first, then those being played, then untaken offers; longest wait first
	Invitations []Offer // whose free seat is reserved for the user: challenges and rematches
}

// A Mine is an unfinished match of one user.
type Mine struct {
	Ref
	Game     string
	Options  games.Options
	Rated    bool
	Clock    ClockSetting
	Public   bool
	Side     games.Side       // the user's
	Both     bool             // the user plays both sides
	YourTurn bool             // it waits for the user
	Opponent storage.Occupant // Free while nobody has joined
	Reserved storage.Occupant // the only one who may take the free seat; Free if anybody may
	Range    [2]int           // the least and the highest rating of who may take it; zero: any
	Until    time.Time        // when it ends if nobody takes the free seat; zero: it does not say
	Ply      int
	Start    int          // as in View
	From     string       // as in View
	Helped   results.Help // as in View
	LastAt   time.Time    // of the last event: how long it has been waiting
	Opened   time.Time
	Started  time.Time // zero while nobody has joined
}

// Shared returns what make makes of what everybody sees in the lists, and of nothing else, under a key such as a language.
// It is made once and shared by all who ask with that key until what everybody sees changes: many users look at a lobby,
// and most of what they see is the same. All of them are woken at the same moment: those who ask while it is made wait for it.
// There must be few keys.
func (s *Lists) Shared(key any, make func() any) any {
	if s.shared == nil {
		return make()
	}
	made, ok := s.shared.Load(key)
	if !ok {
		made, _ = s.shared.LoadOrStore(key, sync.OnceValue(make))
	}
	return made.(func() any)()
}

// lists makes the lists. Matches note what they change and go on; one goroutine, run, takes in all that has come since the
// last lists. So the cost does not grow with the moves, and nobody is woken by what concerns others: each user has a feed
// of their own beside the one of what everybody sees.
type lists struct {
	limits  Limits
	matches *registry.Registry
	here    func() int                                      // how many people are here
	playing func(*match.Summary) (until time.Time, ok bool) // as Lobby.playing
	feeds   *feed.Group
	ready   chan struct{} // closed when the first lists are made
	wake    chan struct{} // holds one: news is not empty

	newsMu sync.Mutex // guards what follows
	news   stale

	// Of run alone.
	stale    stale
	madeAt   time.Time
	publicAt time.Time // when what everybody sees was made
	quietAt  time.Time // when the first of the running matches is played no longer if nothing happens; zero: none

	// mu makes both feeds of a user one: lists are published with it held, so that a reader gets all of them or none.
	mu     sync.Mutex
	public *feed.Feed[Lists]
	own    map[match.Key]*feed.Feed[Yours] // of those with matches, and of some others
	idle   int                             // how many of own have no matches
}

// stale says what the present lists lack.
type stale struct {
	public bool // the offers, or which matches run, have changed
	plies  bool // the number of moves of running matches has
	here   bool // the people here have
	people map[match.Key]bool
}

// maxIdle is how many people without matches have a feed of their own.
const maxIdle = 50_000

func newLists(l Limits, r *registry.Registry, here func() int, playing func(*match.Summary) (time.Time, bool), feeds *feed.Group) *lists {
	return &lists{
		limits: l, matches: r, here: here, playing: playing, feeds: feeds, ready: make(chan struct{}), wake: make(chan struct{}, 1),
		news: stale{people: make(map[match.Key]bool)}, stale: stale{public: true, here: true, people: make(map[match.Key]bool)},
		public: feed.New[Lists](feeds), own: make(map[match.Key]*feed.Feed[Yours]),
	}
}

// note takes in what a match has changed.
func (s *lists) note(c registry.Change) {
	s.add(func(news *stale) {
		news.public = news.public || c.Public
		news.plies = news.plies || c.Plies
		for _, k := range c.People {
			news.people[k] = true
		}
	})
}

// noteOwn takes in that something about a user has changed that no match says.
func (s *lists) noteOwn(k match.Key) { s.add(func(news *stale) { news.people[k] = true }) }

// noteHere takes in that people have come or gone.
func (s *lists) noteHere() { s.add(func(news *stale) { news.here = true }) }

func (s *lists) add(to func(*stale)) {
	s.newsMu.Lock()
	to(&s.news)
	s.newsMu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// collect takes the news over into what is stale.
func (s *lists) collect() {
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

// run makes new lists when there is news, until ctx ends.
func (s *lists) run(ctx context.Context) {
	s.collect()
	s.publish()
	close(s.ready)
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
		case <-timer.C:
		}
		if at := s.due(); !at.IsZero() && !time.Now().Before(at) {
			s.publish()
		}
	}
}

// due is when new lists are to be made; zero for never.
func (s *lists) due() time.Time {
	soon := s.madeAt.Add(s.limits.ListEvery)
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

// publicDue is when what everybody sees is to be made anew, if it is stale. All who look at the lobby draw it then: the first
// change after a quiet time shows at once, many are gathered, and moves and people who come and go for longer than offers.
func (s *lists) publicDue() (at time.Time, stale bool) {
	if s.stale.public {
		return s.publicAt.Add(s.limits.PublicEvery), true
	}
	if at, stale = s.publicAt.Add(s.limits.RunningPly), s.stale.here || s.stale.plies; stale || s.quietAt.IsZero() {
		return at, stale
	}
	return latest(at, s.quietAt), true
}

// publish makes new lists and shows them.
func (s *lists) publish() {
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
			}
		}
		s.idle = 0
		public = true // those who have not seen that their last match is gone must look
	}
	if public {
		s.public.Publish(page)
	}
}

// addOwn adds the feed of somebody without matches.
func (s *lists) addOwn(k match.Key) *feed.Feed[Yours] {
	f := feed.New[Yours](s.feeds)
	s.own[k] = f
	s.idle++
	return f
}

// forget drops the feed of a user who has left and has no matches: most guests never come back.
func (s *lists) forget(k match.Key) {
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
	f.Publish(Yours{}) // a reader that is left all the same looks again, and gets another feed
}

func (y Yours) empty() bool { return len(y.Matches) == 0 && len(y.Invitations) == 0 }

// newPage returns what everybody sees now; what is not stale stays as it was.
func (s *lists) newPage(old Lists) Lists {
	page := old
	if s.stale.here {
		page.Count = s.here()
	}
	if s.stale.public {
		page.Offers = inTurns(s.matches, s.limits.Listed, s.matches.Offers(), match.ByAge, offerOf)
	}
	page.Running = inTurns(s.matches, s.limits.Listed, s.played(), strongestFirst, runningOf)
	page.shared = new(sync.Map)
	s.stale.public, s.stale.here, s.stale.plies = false, false, false
	return page
}

// played returns the public matches that somebody plays, in no order.
func (s *lists) played() []*match.Summary {
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

// inTurns returns matches in some order, as a list shows them. Where there are too many for the list, blocks of addresses take turns, and so do the
// people of a block: a person with many keeps nobody else's off the list.
func inTurns[T any](r *registry.Registry, most int, matches []*match.Summary, order func(a, b *match.Summary) int, show func(*match.Summary) T) []T {
	slices.SortFunc(matches, order)
	if len(matches) > most {
		matches = takeTurns(r, matches)[:most]
		slices.SortFunc(matches, order)
	}
	out := make([]T, 0, len(matches))
	for _, m := range matches {
		out = append(out, show(m))
	}
	return out
}

// takeTurns puts matches, which are in order, into the order of the turns in which the people who play or offer them get one into a list.
func takeTurns(r *registry.Registry, matches []*match.Summary) []*match.Summary {
	type turn struct {
		match *match.Summary
		of    int // how many of the same person come before it
	}
	type group struct { // people who take turns together
		block  registry.Block
		person match.Key // alone, if nobody knows where they come from
	}
	people := make([]match.Key, len(matches))
	for i, m := range matches {
		people[i] = match.KeyOf(m.Seats[games.First])
		if o := m.Seats[games.First]; o.Kind != storage.Person && o.Kind != storage.Guest {
			people[i] = match.KeyOf(m.Seats[games.Second])
		}
	}
	ofPerson, ofGroup := make(map[match.Key]int), make(map[group][]turn)
	for i, from := range r.Blocks(people...) {
		k, g := people[i], group{person: people[i]}
		if len(from) > 0 {
			g = group{block: from[len(from)-1]}
		}
		ofGroup[g] = append(ofGroup[g], turn{matches[i], ofPerson[k]})
		ofPerson[k]++
	}
	place := make(map[storage.MatchID]int, len(matches))
	for _, turns := range ofGroup {
		slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.of, b.of) })
		for i, t := range turns {
			place[t.match.ID] = i
		}
	}
	slices.SortStableFunc(matches, func(a, b *match.Summary) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return matches
}

// numbers are those of the two parts of a user's lists, and channels that are closed when a part is replaced.
type numbers struct {
	public, own       uint64
	newPublic, newOwn <-chan struct{}
}

// read returns somebody's present lists.
func (s *lists) read(k match.Key) (*Lists, numbers) {
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

// watch returns what everybody sees, its number, and a channel that is closed when there is something newer.
func (s *lists) watch() (all Lists, number uint64, newer <-chan struct{}) { return s.public.Watch() }

// perDrawing is how far apart two users see what is new for everybody, on average, when many are here. A drawing of the lobby takes some
// 0.15 ms of a processor, and what draws the screens must leave time for keys.
const perDrawing = 500 * time.Microsecond

// delayOf is how long after everybody's lists have changed somebody sees them: another time for each, within Limits.ListEvery, or up to
// Limits.PublicEvery when many are here.
func (s *lists) delayOf(k match.Key) time.Duration {
	const steps = 1024
	within := max(s.limits.ListEvery, min(perDrawing*time.Duration(s.here()), s.limits.PublicEvery))
	h := fnv.New32a()
	h.Write([]byte(k.ID))
	return within * time.Duration(h.Sum32()%steps) / steps
}

// yoursOf returns what some matches mean for the person whom they concern.
func yoursOf(k match.Key, matches []*match.Summary) Yours {
	var y Yours
	u := User{Kind: k.Kind, ID: k.ID}
	for _, v := range matches {
		side, seated := v.Side(u)
		if !seated {
			y.Invitations = append(y.Invitations, offerOf(v))
			continue
		}
		both := v.Holds(u, games.First) && v.Holds(u, games.Second)
		y.Matches = append(y.Matches, Mine{
			Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting, Public: v.Public,
			Side: side, Both: both, YourTurn: v.YourTurn(u), Opponent: v.Seats[side.Other()], Reserved: v.Reserved,
			Range: v.Range, Until: v.Until(),
			Ply: v.Plies, Start: v.Start, From: v.From, Helped: v.Helped, LastAt: v.LastAt, Opened: v.Opened, Started: v.Started,
		})
	}
	rank := func(m Mine) int {
		switch {
		case m.Waits():
			return 0
		case !m.Started.IsZero():
			return 1
		}
		return 2
	}
	slices.SortFunc(y.Matches, func(a, b Mine) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.LastAt.Compare(b.LastAt), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(y.Invitations, func(a, b Offer) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
	return y
}

// Waits reports whether the user is waited for. At one keyboard nobody waits: each side's move is the user's own.
func (m Mine) Waits() bool { return m.YourTurn && !m.Both }

func offerOf(v *match.Summary) Offer {
	side := games.First // the free one
	if v.Seats[side].Kind != storage.Free {
		side = games.Second
	}
	return Offer{
		Ref: v.Ref, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting,
		By: v.Seats[side.Other()], Strength: v.Strength[side.Other()], Side: side, Since: v.Opened, RematchOf: v.RematchOf,
		To: v.Reserved, Range: v.Range, Until: v.Until(), Ply: v.Plies, From: v.From,
	}
}

func runningOf(v *match.Summary) Running {
	return Running{
		Ref: Ref{ID: v.ID}, Game: v.Game.About().ID, Options: v.Options, Rated: v.Rated, Clock: v.Clock.Setting,
		Seats: v.Seats, Strength: v.Strength, Ply: v.Plies, Started: v.Started,
	}
}

// NextYours returns what concerns a user as soon as its number is above after, and the number; start with 0. What everybody sees wakes
// nobody here, so it is for screens that don't show lists. The errors are that of ctx and ErrClosed.
func (l *Lobby) NextYours(ctx context.Context, u User, after uint64) (Yours, uint64, error) {
	for {
		_, now := l.lists.read(u.Key())
		if now.own > after || after == 0 {
			return l.Yours(u), max(now.own, 1), nil
		}
		select {
		case <-now.newOwn:
		case <-ctx.Done():
			return Yours{}, 0, ctx.Err()
		case <-l.feeds.Closed():
			return Yours{}, 0, l.feeds.Err()
		}
		if ctx.Err() != nil { // a user who has left gets no feed again
			return Yours{}, 0, ctx.Err()
		}
	}
}

// strongestFirst puts the match first that comes first in the list of running ones.
func strongestFirst(a, b *match.Summary) int {
	return cmp.Or(cmp.Compare(botsIn(a), botsIn(b)), -cmp.Compare(strengthIn(a), strengthIn(b)),
		b.Started.Compare(a.Started), cmp.Compare(a.ID, b.ID))
}

func botsIn(s *match.Summary) (n int) {
	for _, o := range s.Seats {
		if o.Kind == storage.Bot {
			n++
		}
	}
	return n
}

// strengthIn returns what the weaker person in a match is rated at least, most likely; 0 if somebody has no rating.
func strengthIn(s *match.Summary) float64 {
	var least []float64
	for side, o := range s.Seats {
		if o.Kind == storage.Bot {
			continue
		}
		r := s.Strength[side]
		if !r.Known {
			return 0
		}
		least = append(least, max(r.Rating-r.Deviation, 0))
	}
	if len(least) == 0 {
		return 0
	}
	return slices.Min(least)
}

// Next returns a user's present lists as soon as their Seq is above after and something in them has changed that everybody
// sees or that concerns the user. Start with 0. New lists are made at most every Limits.ListEvery, what everybody sees of
// them at most every PublicEvery; moves in running matches, and people who come or go, show after Limits.RunningPly at the
// latest. What is new for everybody reaches each user within another ListEvery, or PublicEvery when many are here, at a time of their own:
// so the screens of all who look at the lobby are not drawn at the same moment. The errors are that of ctx and ErrClosed.
func (l *Lobby) Next(ctx context.Context, u User, after uint64) (*Lists, error) {
	var due <-chan time.Time // nil until everybody's lists have changed
	for {
		lists, now := l.lists.read(u.Key())
		if now.own > after || now.public > after && after == 0 {
			return l.shown(u, lists), nil
		}
		if now.public > after && due == nil {
			timer := time.NewTimer(l.lists.delayOf(u.Key()))
			defer timer.Stop()
			due = timer.C
		}
		select {
		case <-now.newPublic:
		case <-now.newOwn:
		case <-due:
			return l.Lists(u), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.feeds.Closed():
			return nil, l.feeds.Err()
		}
		if ctx.Err() != nil { // a user who has left gets no feed again
			return nil, ctx.Err()
		}
	}
}

// Lists returns a user's present lists at once; they may be Limits.ListEvery behind.
func (l *Lobby) Lists(u User) *Lists {
	lists, _ := l.lists.read(u.Key())
	return l.shown(u, lists)
}

// Offers returns the public offers of a game, or of all if game is "", at this very moment that a user may see, the oldest first; at most
// Limits.Listed.
func (l *Lobby) Offers(u User, game string) []Offer {
	open := slices.DeleteFunc(l.registry.Offers(), func(s *match.Summary) bool { return game != "" && s.Game.About().ID != game })
	if l.inBlock(u) {
		open = slices.DeleteFunc(open, func(s *match.Summary) bool { return l.Blocks(u, User(offerOf(s).By)) })
	}
	return inTurns(l.registry, l.limits.Listed, open, match.ByAge, offerOf)
}

// Yours returns what concerns a user at this very moment.
func (l *Lobby) Yours(u User) Yours {
	y := yoursOf(u.Key(), l.registry.Of(u.Key()))
	y.Name = l.seated.Named(u.Occupant()).Name
	return l.shownYours(u, y)
}

// FinishedShare is that of the player who makes the offer, as it stood when they did; see standings.FinishedShare.
func (o *Offer) FinishedShare() (share float64, known bool) {
	return standings.FinishedShare(o.Strength.Conduct)
}
