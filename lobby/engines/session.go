package engines

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/ugi"
	"ludoteca/games/ugi/gui"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
)

// How long the club waits for a program.
const (
	readyTime = 10 * time.Second // for ugiok and readyok
	graceTime = 5 * time.Second  // for a move, after the time for it without a clock
	stopTime  = 5 * time.Second  // for a move, after stop
)

// retryTime is how long a program rests when its move could not be written. Then it is asked again.
const retryTime = time.Second

// errLate says that a program has not moved in time.
var errLate = errors.New("no move in time")

// A session is one program that plays.
type session struct {
	service *Service
	program Program
	wish    Wish
	end     context.CancelCauseFunc
	ended   chan struct{} // closed when the session has left the service
	engine  *gui.Engine   // used by the goroutine of serve alone
	wake    chan struct{} // holds one: a match has changed

	watching sync.WaitGroup // the goroutines that follow matches

	mu     sync.Mutex // guards what follows
	boards map[storage.MatchID]*board
}

// A board is a match that a program plays. The session's mu guards its fields.
type board struct {
	seat *seats.Seat
	view *match.View // the newest
	lost error       // the fault by which the program has lost the match; nil: none

	searched int    // how many moves had been made where the search began
	stop     func() // ends the search in progress; nil: there is none
}

func newSession(s *Service, p Program, w Wish, end context.CancelCauseFunc) *session {
	return &session{
		service: s, program: p, wish: w, end: end, ended: make(chan struct{}), wake: make(chan struct{}, 1),
		boards: make(map[storage.MatchID]*board),
	}
}

// serve is Service.Play for a session that has entered.
func (s *session) serve(ctx context.Context) error {
	s.engine = gui.Open(s.program.Link)
	defer s.engine.Close()
	if err := s.greet(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	visit := s.service.config.Presence.Visit(s.program.User, false)
	defer func() { visit.Leave(s.dropped()) }()
	var looking sync.WaitGroup
	looking.Go(func() { newMatchmaker(s).run(ctx) })
	defer func() { cancel(); looking.Wait(); s.watching.Wait() }()
	return s.play(ctx)
}

// dropped reports whether the link of the program died.
func (s *session) dropped() bool { return s.program.Dropped != nil && s.program.Dropped() }

// greet asks the program who it is and gives it the options of the game that it knows.
func (s *session) greet(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	id, err := s.engine.Hello(ctx)
	if err != nil {
		return err
	}
	for _, o := range s.wish.Game.About().Options {
		if _, has := id.Option(o.Key); has {
			if err := s.engine.Set(ctx, o.Key, strconv.Itoa(s.wish.Options[o.Key])); err != nil {
				return err
			}
		}
	}
	return s.ready(ctx)
}

// ready waits until the program has done all that it was told.
func (s *session) ready(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	return s.engine.Ready(ctx)
}

// play asks the program for moves until ctx ends or the program is of no more use.
func (s *session) play(ctx context.Context) error {
	var last storage.MatchID
	for ctx.Err() == nil {
		b := s.next()
		if b == nil {
			if err := s.engine.Attend(ctx, s.wake); err != nil {
				return err
			}
			continue
		}
		if id := b.seat.ID(); id != last {
			if err := s.newGame(ctx); err != nil {
				return err
			}
			last = id
		}
		if err := s.think(ctx, b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// newGame says that what follows is of another match.
func (s *session) newGame(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	return s.engine.NewGame(ctx)
}

// next returns the match with the least time left among those in which the program is to move; nil if there is none.
func (s *session) next() (found *board) {
	now := s.service.config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var least time.Time // zero: none
	for _, b := range s.boards {
		if !b.toMove(s.program.User) {
			continue
		}
		until := b.view.Clock.Deadline()
		if until.IsZero() {
			until = now.Add(clock.Day)
		}
		if found == nil || until.Before(least) || until.Equal(least) && b.seat.ID() < found.seat.ID() {
			found, least = b, until
		}
	}
	return found
}

// toMove reports whether the program is to move at a board. The session's mu is held.
func (b *board) toMove(u match.User) bool {
	return b.view != nil && b.lost == nil && b.view.YourTurn(u)
}

// think asks the program for a move and plays it. An error says that the program is of no more use.
func (s *session) think(ctx context.Context, b *board) error {
	stop := make(chan struct{})
	thinking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v, limits, most, ok := s.begin(b, func() {
		close(stop)
		time.AfterFunc(stopTime, func() { cancel(errLate) })
	})
	if !ok {
		return nil
	}
	if most > 0 {
		late := time.AfterFunc(most, func() { cancel(errLate) })
		defer late.Stop()
	}
	m, err := s.engine.MoveUntil(thinking, stop, position(v), limits, nil)
	if s.finish(b) {
		m = "" // the match has gone on or ended meanwhile
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && m != "":
		s.move(ctx, b, v, m)
		return nil
	case err == nil:
		return nil
	case errors.Is(err, gui.ErrEnded), errors.Is(err, ugi.ErrLine):
		return err
	}
	if errors.Is(context.Cause(thinking), errLate) {
		err = errLate
	}
	s.lose(ctx, b, v, err)
	return s.ready(ctx) // what it still sends of that search is passed over
}

// begin notes that a search begins at a board, and returns the view that it is about, the limits that the program is told, and how long it is
// waited for; 0 is as long as the match lasts. stop ends the search. ok is false if the program is not to move any more.
func (s *session) begin(b *board, stop func()) (v *match.View, limits ugi.Go, most time.Duration, ok bool) {
	now := s.service.config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !b.toMove(s.program.User) {
		return nil, limits, 0, false
	}
	v, waiting := b.view, 0
	for _, other := range s.boards {
		if other.toMove(s.program.User) && other.view.Clock.Setting.Kind == clock.Fischer {
			waiting++
		}
	}
	b.searched, b.stop = len(v.Moves), sync.OnceFunc(stop)
	limits = limitsOf(v, now, waiting)
	if limits.Clocks == [2]*ugi.Clock{} {
		most = limits.MoveTime + graceTime
	}
	return v, limits, most, true
}

// limitsOf returns what a program is told about its time. Where it is to move in several matches that wait for it, it has its share of the time left.
func limitsOf(v *match.View, now time.Time, waiting int) ugi.Go {
	c := v.Clock
	if c.Setting.Kind != clock.Fischer {
		return ugi.Go{MoveTime: thinkTime}
	}
	var g ugi.Go
	for side := range g.Clocks {
		left := c.LeftAt(side, now)
		if games.Side(side) == v.Turn {
			left /= time.Duration(max(waiting, 1))
		}
		g.Clocks[side] = &ugi.Clock{Left: left, Increment: c.Setting.Increment}
	}
	if !c.Running() { // the first moves have a time of their own
		g.MoveTime = min(g.Clocks[v.Turn].Left, c.Setting.FirstMove()/time.Duration(4*max(waiting, 1)))
	}
	return g
}

// position returns the position of a view with all moves that led there; the position alone if its line would be too long.
func position(v *match.View) ugi.SetPosition {
	all := ugi.SetPosition{From: v.From, Moves: v.Moves}
	if len(all.String()) >= ugi.MaxLine {
		return ugi.SetPosition{From: v.Position.String()}
	}
	return all
}

// finish notes that a search has ended. It reports whether the match has gone on or ended meanwhile.
func (s *session) finish(b *board) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.stop = nil
	return b.view.Over || len(b.view.Moves) != b.searched
}

// move plays the move of the program.
func (s *session) move(ctx context.Context, b *board, v *match.View, m games.Move) {
	err := b.seat.Move(ctx, m, v.Ply())
	if illegal, ok := errors.AsType[*games.IllegalError](err); ok {
		s.lose(ctx, b, v, illegal)
		return
	}
	if now, err := b.seat.Now(ctx); err == nil { // so that the program is not asked for the same move again
		s.update(b, now)
		if !now.YourTurn(s.program.User) || len(now.Moves) != len(v.Moves) {
			return
		}
	}
	pause := time.NewTimer(retryTime) // the store doesn't answer, or this node is cut off from it
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
}

// lose loses a match by a fault of the program.
func (s *session) lose(ctx context.Context, b *board, v *match.View, why error) {
	s.mu.Lock()
	over := b.view.Over
	if !over {
		b.lost = why
	}
	s.mu.Unlock()
	if over {
		return
	}
	s.program.Report(Report{Fault, v, why})
	s.resign(ctx, b)
}

// resign gives a match up that is lost by a fault. The matchmaker tries again if it fails.
func (s *session) resign(ctx context.Context, b *board) {
	_ = b.seat.Resign(ctx) // the error: it is over, or too many were resigned in a short time
}

// watch follows a match until it ends or ctx does.
func (s *session) watch(ctx context.Context, b *board) {
	visit := s.service.config.Presence.Visit(s.program.User, false)
	visit.At(b.seat.ID())
	defer func() { visit.Leave(s.dropped()) }()
	defer s.forget(b)
	var seen uint64
	for first := true; ; first = false {
		v, err := b.seat.Next(ctx, seen)
		if err != nil {
			return
		}
		if seen = v.Seq; first {
			event := Resumed
			if v.Made() < 2 && !v.Over {
				event = Began
			}
			s.program.Report(Report{Event: event, View: v})
		}
		s.update(b, v)
		if v.Over {
			s.program.Report(Report{Event: Ended, View: v})
			return
		}
	}
}

// update notes the newest view of a match, and ends a search that has become useless.
func (s *session) update(b *board, v *match.View) {
	s.mu.Lock()
	if b.view == nil || v.Seq >= b.view.Seq {
		b.view = v
	}
	stop := b.stop
	if stop != nil && !b.view.Over && len(b.view.Moves) == b.searched {
		stop = nil
	}
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	s.note()
}

// note wakes the goroutine that talks to the program.
func (s *session) note() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// forget drops a match that is over.
func (s *session) forget(b *board) {
	s.mu.Lock()
	delete(s.boards, b.seat.ID())
	s.mu.Unlock()
	s.note()
}

// all returns the boards, in no order.
func (s *session) all() (all []*board) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.boards {
		all = append(all, b)
	}
	return all
}

// budgets returns the budgets of the matches that go on.
func (s *session) budgets() (all []budget) {
	now := s.service.config.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.boards {
		one := budget{}
		if b.view != nil && b.view.Clock.Setting.Kind == clock.Fischer {
			side, _ := b.view.Side(s.program.User)
			one = budget{max(b.view.Clock.LeftAt(int(side), now), 1), b.view.Clock.Setting.Increment}
		}
		all = append(all, one)
	}
	return slices.Clip(all)
}
