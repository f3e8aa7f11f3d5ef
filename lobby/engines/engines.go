// Package engines has programs play the matches of computer accounts. A program is at the other end of a link, such as an SSH session, and speaks
// the Universal Game Interface (games/ugi); the club is its GUI.
//
// Service.Play serves one program until its link ends. A goroutine of the session looks after its matches: it opens offers, takes equal offers of
// other computer accounts, accepts challenges, follows each match, and withdraws an offer while a person offers the same. The caller's goroutine
// talks to the program: it asks for one move at a time, in the match with the least time left, and says uginewgame when the match is another one.
// A match begins only while the time left in all of them is enough. A fault loses the match and the next one goes on; only a program that has
// ended, sends an endless line or doesn't come back to readyok ends the session. Its matches stay: a session that begins before the time is up goes
// on with them, and ends an older session of the same account and game. Moves are checked like a person's, by the match.
//
// Nothing waits for a program longer than its clock or stopTime, and nothing that it sends is kept.
package engines

import (
	"cmp"
	"context"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/ugi/gui"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/limits"
	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/registry"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// Relations knows whom users follow; see relations.Service.
type Relations interface {
	RelationTo(u match.User, id storage.PlayerID) (follows, blocks bool)
}

// A Config configures New.
type Config struct {
	Seats     *seats.Service
	Registry  *registry.Registry
	Presence  *presence.Service
	Relations Relations
	Limits    *limits.InForce
	Now       func() time.Time // the clock of events

	// Changed returns the number of the lists of a user as soon as it is above after.
	Changed func(ctx context.Context, u match.User, after uint64) (uint64, error)
}

// A Service serves programs. It is safe for concurrent use.
type Service struct {
	config Config
	seats  *seats.Service // as programs use it

	mu      sync.Mutex // guards what follows
	playing map[place]*session
	blocks  map[netip.Prefix]int
}

// A place is what one session plays: a second one of the same place ends the first.
type place struct {
	account storage.PlayerID
	game    string
}

// New returns a service without sessions.
func New(c Config) *Service {
	return &Service{config: c, seats: c.Seats.Programs(), playing: make(map[place]*session), blocks: make(map[netip.Prefix]int)}
}

// MaxMatches is how many matches a program may play at a time, whatever the limits say.
const MaxMatches = 8

// A Wish is what a program plays.
type Wish struct {
	Game    games.Game
	Options games.Options // complete
	Clock   clock.Setting // zero: none
	Rated   bool

	Matches  int  // at a time, 1 to MaxMatches
	Offers   bool // its free places are public offers
	AnyClock bool // challenges may have any clock
	Accepts  Accepts
}

// Accepts says whose challenges a program accepts. The zero value is nobody's.
type Accepts struct {
	Everyone bool
	Followed bool                      // the players whom the computer account follows
	Players  map[storage.PlayerID]bool // these players
}

// spec returns the match that a program offers.
func (w *Wish) spec() seats.Spec {
	return seats.Spec{Game: w.Game.About().ID, Options: w.Options, Clock: w.Clock, Rated: w.Rated, Public: true}
}

// plays reports whether a match is of the game and with the options of a program.
func (w *Wish) plays(s *match.Summary) bool {
	return s.Game.About().ID == w.Game.About().ID && maps.Equal(s.Options, w.Options)
}

// isOffer reports whether an offer is the one that a program would make.
func (w *Wish) isOffer(s *match.Summary) bool {
	return w.plays(s) && s.Public && s.Rated == w.Rated && s.Clock.Setting == w.Clock && !s.Studied() && s.Reserved.Kind == storage.Free
}

// A Program is who plays.
type Program struct {
	User    match.User // a computer account
	Origin  origin.Origin
	Link    gui.Link
	Lag     func() time.Duration // of the link; nil: not measured
	Dropped func() bool          // whether the link died; nil: it never does

	// Report is called with what the owner should know, from any goroutine. It must not block.
	Report func(Report)
}

// An Event is what a Report is about.
type Event uint8

// The events.
const (
	Began   Event = iota // a match has begun
	Resumed              // the session goes on with a match
	Ended                // a match is over
	Fault                // the program has lost a match by a fault: Report.Err
	Refused              // no offer could be opened, or no challenge taken: Report.Err
)

// A Report is something that has happened in a session.
type Report struct {
	Event Event
	View  *match.View // nil of Refused
	Err   error       // of Fault and Refused
}

// Play serves a program until ctx or its link ends. The errors are refusal.ErrNoEngine for a user who is no computer account,
// refusal.ErrManyPrograms, refusal.ErrReplaced if a newer session of the account plays the game, the errors of seats.Service.Plan, and what package
// gui says of a link that is of no more use. Offers are withdrawn at the end, and matches stay.
func (s *Service) Play(ctx context.Context, p Program, w Wish) error {
	if p.User.Kind != storage.Engine {
		return refusal.ErrNoEngine
	}
	if _, err := s.seats.Plan(w.spec()); err != nil {
		return err
	}
	w.Matches = min(w.Matches, MaxMatches, s.config.Limits.Now().EngineMatches)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	in := newSession(s, p, w, end)
	leave, err := s.enter(ctx, in)
	if err != nil {
		return err
	}
	defer leave()
	err = in.serve(ctx)
	if why := context.Cause(ctx); why != nil && ctx.Err() != nil {
		return why
	}
	return err
}

// enter counts a session until leave is called. It ends an older session of the same place, and waits until that has ended.
func (s *Service) enter(ctx context.Context, in *session) (leave func(), err error) {
	at := place{in.program.User.Player(), in.wish.Game.About().ID}
	for {
		older, leave, err := s.tryEnter(at, in)
		if older == nil {
			return leave, err
		}
		older.end(refusal.ErrReplaced)
		select {
		case <-older.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tryEnter is enter without waiting. older is the session that must end first.
func (s *Service) tryEnter(at place, in *session) (older *session, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if older := s.playing[at]; older != nil {
		return older, nil, nil
	}
	l, blocks := s.config.Limits.Now(), origin.Blocks(in.program.Origin.Addr)
	full := func(b origin.Block) bool { return s.blocks[b.Prefix] >= l.EnginesPerAddress*b.Weight }
	if len(s.playing) >= l.Engines || slices.ContainsFunc(blocks, full) {
		return nil, nil, refusal.ErrManyPrograms
	}
	s.playing[at] = in
	for _, b := range blocks {
		s.blocks[b.Prefix]++
	}
	return nil, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.playing, at)
		for _, b := range blocks {
			if s.blocks[b.Prefix]--; s.blocks[b.Prefix] == 0 {
				delete(s.blocks, b.Prefix)
			}
		}
		close(in.ended)
	}, nil
}

// Playing returns how many programs play.
func (s *Service) Playing() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.playing)
}

// What one move is expected to take: a share of the time left and the increment, or thinkTime without a clock. A match begins only while all
// others can make a move each within half of the time left in any of them.
const (
	moveShare = 20
	thinkTime = time.Second
)

// A budget is the time left to a program in a match, and its increment; the zero value is a match without a clock that counts seconds.
type budget struct{ left, increment time.Duration }

// move returns what one move is expected to take.
func (b budget) move() time.Duration {
	if b == (budget{}) {
		return thinkTime
	}
	return b.left/moveShare + b.increment
}

// budgetOf returns the budget of a match that begins.
func budgetOf(c clock.Setting) budget {
	if c.Kind != clock.Fischer {
		return budget{}
	}
	return budget{c.Base, c.Increment}
}

// fit reports whether a program can play all matches of these budgets at a time.
func fit(all []budget) bool {
	var sum time.Duration
	for _, b := range all {
		sum += b.move()
	}
	return !slices.ContainsFunc(all, func(b budget) bool { return b != (budget{}) && 2*(sum-b.move()) > b.left })
}

// room returns how many matches more with the budget of one fit beside others, at most most.
func room(others []budget, one budget, most int) int {
	for n := range most {
		if others = append(slices.Clip(others), one); !fit(others) && len(others) > 1 {
			return n
		}
	}
	return max(most, 0)
}

// oldest compares two offers by age, like match.ByAge, on all nodes alike.
func oldest(a, b *match.Summary) int {
	return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.ID, b.ID))
}
