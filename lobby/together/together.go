// Package together lets two people look at one review together: one leads, the other follows, and they have a chat of their own.
package together

import (
	"context"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/lobby/feed"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/throttle"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// InviteWait is how long an invitation waits for an answer.
const InviteWait = 2 * time.Minute

// The bounds of what a node holds.
const (
	maxReviews = 1 << 12 // that people look at together
	maxLines   = 50      // of the chat of one, the last ones
	maxPlies   = 1 << 14 // of a place
	maxPast    = 1 << 10 // reviews that are over, whose lines reports can have
	inviters   = 1 << 14 // people that are remembered
)

// How often people invite others: a burst, then once in each interval.
const (
	inviteBurst = 10 // by one person; an address may invite origin.PeoplePerAddress times as often
	inviteEvery = 30 * time.Second
	sameBurst   = 3 // by one person the same other
	sameEvery   = 5 * time.Minute
)

// Chat knows who may write to others; see chat.Service.
type Chat interface {
	// Admit returns a typed line as it is shown, and counts it against what its author may write, or says why it is refused.
	Admit(ctx context.Context, u match.User, typed string) (line string, err error)
}

// A Config configures New. No function may wait.
type Config struct {
	Chat    Chat
	Feeds   *feed.Group
	Now     func() time.Time // the clock of events
	MayPlay func(u match.User) error
	Blocks  func(a, b match.User) bool // reports whether one has blocked the other
	Origin  func(storage.Occupant) origin.Origin
}

// A Service has the reviews that people look at together, in memory. Both people are at this node: who is connected to another one counts as not
// here. Any goroutine may use a Service.
//
// A person leads or follows one review at a time. A session ends when one of both leaves, disconnects or blocks the other.
type Service struct {
	config  Config
	invites *origin.Throttle
	pairs   *throttle.Throttle[[2]match.Key]

	mu        sync.Mutex // guards what follows
	at        map[match.Key]*review
	past      []pastReview         // with lines, in the order of their ends; one of two people
	from      map[origin.Block]int // reviews by the blocks of addresses of those who lead
	listening map[match.Key]*listener
}

// New returns a service without reviews.
func New(c Config) *Service {
	return &Service{
		config:  c,
		invites: origin.NewSharedThrottle(inviteEvery, inviteBurst, origin.PeoplePerAddress, inviters),
		pairs:   throttle.New[[2]match.Key](sameEvery, sameBurst, inviters),
		at:      map[match.Key]*review{}, from: map[origin.Block]int{}, listening: map[match.Key]*listener{},
	}
}

// A Place is what stands on the board of the person who leads.
type Place struct {
	Ply     int          // moves of the match
	Line    []games.Move // moves after these that were not played
	Shown   int          // how many of Line are on the board
	Flipped bool         // the board is turned round
}

// A Line is a line of the chat.
type Line struct {
	Number uint64 // counted from 1
	By     storage.Occupant
	Text   string
	At     time.Time
}

// A View is a review as one of both people sees it.
type View struct {
	Seq     uint64
	Match   match.Ref
	People  [2]storage.Occupant // the one who leads, and the other
	Joined  bool                // the other one has come
	Over    bool
	Place   Place
	Lines   []Line // the last ones
	Waiting int    // lines of a guest that are shown once the user has written one
}

// The indexes of View.People.
const (
	Leader = iota
	Follower
)

// A review is a review that two people look at together. Its state is the View in its feed, with all lines.
type review struct {
	feed   *feed.Feed[*View]
	keys   [2]match.Key
	blocks []origin.Block
	expire *time.Timer // ends the invitation; stopped once that was answered

	stops []func() bool // of what ends the review with a session
}

// A listener is the sessions of one person that are told of invitations.
type listener struct {
	feed     *feed.Feed[Invitation]
	sessions int
}

// An Invitation is an invitation of a user. The zero value is none.
type Invitation struct {
	By    storage.Occupant
	Match match.Ref
}

// A Seat is the handle of one person to a review that two look at together.
type Seat struct {
	service *Service
	review  *review
	user    match.User
	side    int // Leader or Follower
}

// Lead invites another person to look at a match together with a user, who leads, and returns the user's seat. The review ends with ctx.
//
// The errors are refusal.ErrNeedsKey for a user without an id, refusal.ErrAccountClosed, refusal.ErrOneself, refusal.ErrTogether,
// *refusal.TooFastError, refusal.ErrManyTogether, refusal.ErrClosed, and refusal.ErrNoTogether for anyone who isn't here, looks at a review with
// another person, or has blocked the user: users aren't told which.
func (s *Service) Lead(ctx context.Context, u, other match.User, ref match.Ref) (*Seat, error) {
	switch err := s.config.MayPlay(u); {
	case u.ID == "":
		return nil, refusal.ErrNeedsKey
	case err != nil:
		return nil, err
	case u.Is(other.Occupant()):
		return nil, refusal.ErrOneself
	}
	from, now := s.config.Origin(u.Occupant()), time.Now()
	blocked := s.config.Blocks(u, other) || s.config.MayPlay(other) != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at[u.Key()] != nil {
		return nil, refusal.ErrTogether
	}
	if err := s.take(now, from, [2]match.Key{u.Key(), other.Key()}); err != nil {
		return nil, err
	}
	there := s.listening[other.Key()]
	if there == nil || s.at[other.Key()] != nil || blocked {
		return nil, refusal.ErrNoTogether
	}
	r := &review{feed: feed.New[*View](s.config.Feeds), keys: [2]match.Key{u.Key(), other.Key()}, blocks: origin.Blocks(from.Addr)}
	if len(s.at) >= 2*maxReviews || slices.ContainsFunc(r.blocks, func(b origin.Block) bool { return s.from[b] >= b.Weight*origin.PeoplePerAddress }) {
		return nil, refusal.ErrManyTogether
	}
	for _, k := range r.keys {
		s.at[k] = r
	}
	for _, b := range r.blocks {
		s.from[b]++
	}
	r.update(func(v *View) { v.Match, v.People = ref, [2]storage.Occupant{u.Occupant(), other.Occupant()} })
	there.feed.Publish(Invitation{u.Occupant(), ref})
	r.expire = time.AfterFunc(InviteWait, func() { s.end(r) })
	s.endWith(ctx, r)
	return &Seat{s, r, u, Leader}, s.config.Feeds.Err()
}

// take counts an invitation. The error is a *refusal.TooFastError; then nothing is counted.
func (s *Service) take(now time.Time, from origin.Origin, pair [2]match.Key) error {
	if wait, ok := s.pairs.Take(now, pair); !ok {
		return &refusal.TooFastError{Wait: wait}
	}
	if wait, ok := s.invites.Take(now, from); !ok {
		s.pairs.Return(now, pair)
		return &refusal.TooFastError{Wait: wait}
	}
	return nil
}

// Join accepts the invitation that waits for a user, and returns the user's seat. The review ends with ctx. The errors are refusal.ErrNoInvitation,
// and refusal.ErrAccountClosed.
func (s *Service) Join(ctx context.Context, u match.User) (*Seat, error) {
	if err := s.config.MayPlay(u); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.at[u.Key()]
	if r == nil || r.keys[Follower] != u.Key() || !r.expire.Stop() {
		return nil, refusal.ErrNoInvitation
	}
	r.update(func(v *View) { v.Joined = true })
	s.withdraw(r)
	s.endWith(ctx, r)
	return &Seat{s, r, u, Follower}, nil
}

// Decline declines the invitation that waits for a user, if there is one.
func (s *Service) Decline(u match.User) {
	s.mu.Lock()
	r := s.at[u.Key()]
	s.mu.Unlock()
	if r != nil && r.keys[Follower] == u.Key() && r.expire.Stop() {
		s.end(r)
	}
}

// Separate ends the review that two users look at together, if there is one.
func (s *Service) Separate(a, b match.User) {
	s.mu.Lock()
	r := s.at[a.Key()]
	s.mu.Unlock()
	if r != nil && slices.Contains(r.keys[:], b.Key()) {
		s.end(r)
	}
}

// endWith has a review end when ctx does. The caller holds mu.
func (s *Service) endWith(ctx context.Context, r *review) {
	r.stops = append(r.stops, context.AfterFunc(ctx, func() { s.end(r) }))
}

// end ends a review. It may be called again.
func (s *Service) end(r *review) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at[r.keys[Leader]] != r {
		return
	}
	r.expire.Stop()
	for _, stop := range r.stops {
		stop()
	}
	for _, k := range r.keys {
		delete(s.at, k)
	}
	for _, b := range r.blocks {
		if s.from[b]--; s.from[b] == 0 {
			delete(s.from, b)
		}
	}
	s.withdraw(r)
	r.update(func(v *View) { v.Over = true })
	s.remember(r)
}

// A pastReview is a review that is over, for reports.
type pastReview struct {
	keys  [2]match.Key
	view  *View
	ended time.Time
}

// remember keeps the lines of a review that is over for chatstore.EvidenceLife, in place of the lines of the last one of the same people. The caller
// holds mu.
func (s *Service) remember(r *review) {
	now := s.config.Now()
	v, _ := r.feed.Latest()
	s.past = slices.DeleteFunc(s.past, func(p pastReview) bool {
		return now.Sub(p.ended) >= chatstore.EvidenceLife || len(v.Lines) > 0 && p.of(r.keys[Leader], r.keys[Follower])
	})
	if len(v.Lines) > 0 {
		s.past = append(s.past[max(0, len(s.past)+1-maxPast):], pastReview{r.keys, v, now})
	}
}

// of reports whether two people looked at the review.
func (p pastReview) of(a, b match.Key) bool {
	return slices.Contains(p.keys[:], a) && slices.Contains(p.keys[:], b)
}

// Said returns the lines that a user has seen in the review at which the user and another one look now, or else in the last one that ended within
// chatstore.EvidenceLife, the oldest first, and its match. It returns the zero value if there is none. Nothing is returned of reviews at other nodes
// or before this one was started.
func (s *Service) Said(u match.User, other match.Key) (ref match.Ref, lines []chatstore.Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var v *View
	for _, p := range s.past {
		if p.of(u.Key(), other) && s.config.Now().Sub(p.ended) < chatstore.EvidenceLife {
			v = p.view
		}
	}
	if r := s.at[u.Key()]; r != nil && slices.Contains(r.keys[:], other) {
		if now, _ := r.feed.Latest(); len(now.Lines) > 0 {
			v = now
		}
	}
	if v == nil || u.Key() == other {
		return match.Ref{}, nil
	}
	for _, l := range v.seenBy(u).Lines {
		lines = append(lines, chatstore.Line{Number: l.Number, At: l.At, By: l.By, Text: l.Text})
	}
	return v.Match, lines
}

// withdraw tells the sessions of the person who was invited that no invitation waits any more. The caller holds mu.
func (s *Service) withdraw(r *review) {
	if l := s.listening[r.keys[Follower]]; l != nil {
		if now, _ := l.feed.Latest(); now != (Invitation{}) {
			l.feed.Publish(Invitation{})
		}
	}
}

// update publishes the view after a change.
func (r *review) update(change func(v *View)) {
	r.feed.Update(func(old *View, seq uint64) (*View, bool) {
		v := &View{}
		if old != nil {
			*v = *old
		}
		v.Seq = seq
		change(v)
		return v, true
	})
}

// Invitations are the invitations of one user.
type Invitations struct {
	service *Service
	feed    *feed.Feed[Invitation]
}

// Listen has a session of a user told of invitations until leave is called. A user whom no session is told of is not here.
func (s *Service) Listen(u match.User) (i *Invitations, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listening[u.Key()]
	if l == nil {
		l = &listener{feed: feed.New[Invitation](s.config.Feeds)}
		s.listening[u.Key()] = l
	}
	l.sessions++
	return &Invitations{s, l.feed}, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if l.sessions--; l.sessions == 0 {
			delete(s.listening, u.Key())
		}
	})
}

// Next returns the invitation that waits as soon as that is another one than the one with the number after: the zero value if there is none. Start
// with 0. The errors are ctx.Err() and refusal.ErrClosed.
func (i *Invitations) Next(ctx context.Context, after uint64) (Invitation, uint64, error) {
	return i.feed.Next(ctx, after)
}

// User returns whose seat it is, and Side which one: Leader or Follower.
func (t *Seat) User() match.User { return t.user }
func (t *Seat) Side() int        { return t.side }

// Next returns the review as soon as its Seq is above after. Start with 0. Once it is over, there is nothing newer. The errors are ctx.Err() and
// refusal.ErrClosed.
func (t *Seat) Next(ctx context.Context, after uint64) (*View, error) {
	v, _, err := t.review.feed.Next(ctx, after)
	if err != nil {
		return nil, err
	}
	return v.seenBy(t.user), nil
}

// seenBy returns the view of one of both people: lines of a guest wait until a reader with an account has written one.
func (v *View) seenBy(u match.User) *View {
	if u.Kind == storage.Guest || slices.ContainsFunc(v.Lines, func(l Line) bool { return u.Is(l.By) }) {
		return v
	}
	seen := *v
	seen.Lines = nil
	for _, l := range v.Lines {
		if l.By.Kind == storage.Guest {
			seen.Waiting++
		} else {
			seen.Lines = append(seen.Lines, l)
		}
	}
	return &seen
}

// Show sets what stands on the board of the person who leads. A place that can't be one is ignored, and so is one of the person who follows.
func (t *Seat) Show(p Place) {
	if t.side != Leader || p.Ply < 0 || p.Ply > maxPlies || len(p.Line) > maxPlies || p.Shown < 0 || p.Shown > len(p.Line) {
		return
	}
	p.Line = slices.Clone(p.Line)
	t.review.update(func(v *View) { v.Place = p })
}

// Say writes a line. The errors are refusal.ErrNoCompany while nobody else is there, and the errors of Chat.Admit.
func (t *Seat) Say(ctx context.Context, typed string) error {
	if v, _ := t.review.feed.Latest(); v.Over || !v.Joined {
		return refusal.ErrNoCompany
	}
	line, err := t.service.config.Chat.Admit(ctx, t.user, typed)
	if err != nil {
		return err
	}
	t.review.update(func(v *View) {
		number := uint64(1)
		if n := len(v.Lines); n > 0 {
			number = v.Lines[n-1].Number + 1
		}
		v.Lines = append(slices.Clone(v.Lines[max(0, len(v.Lines)+1-maxLines):]), Line{number, t.user.Occupant(), line, t.service.config.Now()})
	})
	return nil
}

// Leave ends the review for both.
func (t *Seat) Leave() { t.service.end(t.review) }
