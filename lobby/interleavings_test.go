package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/match"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
	"ludoteca/storage/results"
)

// A busyClub is a club in which several things happen to a match at the same moment, while writes fail, time runs out, people come and
// go, and the program is stopped or killed.
type busyClub struct {
	t       *rapid.T
	test    *testing.T
	c       *club
	here    map[string][]*presence.Session // by name
	matches []*busyMatch
}

// A busyMatch is what the callers have been told of a match.
type busyMatch struct {
	id      storage.MatchID
	setting lobby.ClockSetting
	moves   int      // that were made
	ends    []string // by the acts that have ended it
	unsure  int      // acts of which it is not known what came of them
	ended   string   // its result and reason, once it has been seen to be over
}

// busyActs are what may happen to a match, by the reason of the end that it brings.
var busyActs = map[string]func(ctx context.Context, s *seats.Seat, n int) error{
	"move": func(ctx context.Context, s *seats.Seat, n int) error {
		v, err := s.Now(ctx)
		if err != nil {
			return err
		}
		legal := v.Position.Legal()
		if len(legal) == 0 {
			return lobby.ErrOver
		}
		return s.Move(ctx, legal[n%len(legal)], lobby.AnyPly)
	},
	"resigned": func(ctx context.Context, s *seats.Seat, _ int) error { return s.Resign(ctx) },
	"agreement": func(ctx context.Context, s *seats.Seat, _ int) error {
		return s.Answer(ctx, matches.OfferDraw, 0, true)
	},
	"claimed":  func(ctx context.Context, s *seats.Seat, n int) error { return s.Claim(ctx, n%2 == 0) },
	"aborted":  func(ctx context.Context, s *seats.Seat, _ int) error { return s.Abort(ctx) },
	"offer":    func(ctx context.Context, s *seats.Seat, _ int) error { return s.OfferDraw(ctx) },
	"takeback": func(ctx context.Context, s *seats.Seat, _ int) error { return s.Takeback(ctx) },
	"give back": func(ctx context.Context, s *seats.Seat, _ int) error {
		return s.Answer(ctx, matches.OfferTakeback, 0, true)
	},
}

// busyKinds are the names of busyActs, and of coming and going, by how often they happen.
var busyKinds = []string{
	"move", "move", "move", "move", "move", "move", "offer", "agreement", "takeback", "give back", "claimed", "claimed", "aborted", "resigned",
	"come", "come", "leave", "drop", "drop", "plan", "plan", "plan",
}

// TestAnythingAtOnce: whatever happens at the same moment, with writes that fail and restarts between, the log of a match folds to what
// is seen of it; what a caller was told has happened has; and a match ends once.
func TestAnythingAtOnce(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		var failed any // rapid stops a run by a panic, which must not leave the bubble in its own goroutine
		bubble(t, func(t *testing.T) {
			defer func() { failed = recover() }()
			w := &busyClub{t: rt, test: t, here: map[string][]*presence.Session{}}
			w.start(newFaulty())
			defer func() { w.c.Close() }()
			rt.Repeat(map[string]func(*rapid.T){
				"begin": w.begin, "at once": w.atOnce, "at once too": w.atOnce, "at once again": w.atOnce, "failing": w.failing,
				"time passes": w.wait, "it is time": w.toTheMoment, "restart": w.restart, "": w.check,
			})
			w.c.store.set(nil, nil, nil)
			if rapid.IntRange(0, 4).Draw(rt, "to the end") == 2 {
				time.Sleep(clock.NewCorrespondence(1).FirstMove() + time.Hour)
				w.check(rt)
				for _, m := range w.matches {
					if m.ended == "" && m.setting.Kind != lobby.NoClock {
						rt.Fatalf("match %s with the clock %v never ends", m.id, m.setting)
					}
				}
			}
			for _, m := range w.matches {
				met[m.ended]++
			}
		})
		if failed != nil {
			panic(failed)
		}
	})
	t.Log("met:", met)
}

// start opens the club on a store.
func (w *busyClub) start(store *faulty) {
	l, err := lobby.New(context.Background(), store, lobby.Config{
		Games: []games.Game{fourmation.New(), petteia.New()}, Bounds: lobby.Bounds{Idle: 50 * time.Millisecond, Takebacks: 3}, Limits: lobby.Limits{NewUnfinished: 1000, MatchBurst: 1000, Aborts: 1000},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.c = &club{Lobby: l, t: w.test, store: store}
	w.c.ana, w.c.rui = w.c.account("ana"), w.c.account("rui")
	clear(w.here)
}

func (w *busyClub) begin(t *rapid.T) {
	setting := rapid.SampledFrom([]lobby.ClockSetting{oneMinute, oneMinute, fivePlus3, {}, clock.NewCorrespondence(1)}).Draw(t, "clock")
	a, r := w.c.start(with(setting))
	m := &busyMatch{id: a.ID(), setting: setting}
	if rapid.Bool().Draw(t, "both have moved") {
		w.c.play(a, r, win[:2]...)
		m.moves = 2
	}
	w.matches = append(w.matches, m)
}

func (w *busyClub) match() *busyMatch {
	if len(w.matches) == 0 {
		w.t.Skip("no match yet")
	}
	return w.matches[len(w.matches)-1-rapid.IntRange(0, min(len(w.matches), 2)-1).Draw(w.t, "match")]
}

// atOnce has several things happen to a match at the same moment.
func (w *busyClub) atOnce(t *rapid.T) {
	type one struct {
		kind string
		who  lobby.User
		n    int
		err  error
	}
	m, all := w.match(), make([]one, rapid.IntRange(1, 5).Draw(t, "acts"))
	for i := range all {
		all[i] = one{
			kind: rapid.SampledFrom(busyKinds).Draw(t, "kind"),
			who:  rapid.SampledFrom([]lobby.User{w.c.ana, w.c.rui}).Draw(t, "who"), n: rapid.IntRange(0, 100).Draw(t, "n"),
		}
	}
	var acting sync.WaitGroup
	var mu sync.Mutex // guards w.here
	for i := range all {
		acting.Go(func() {
			o := &all[i]
			if act := busyActs[o.kind]; act != nil {
				s, err := w.c.Seats.At(context.Background(), o.who, lobby.Ref{ID: m.id})
				if err != nil {
					o.err = fmt.Errorf("the act was not tried: %v", err) // so that it is not one of those that are unsure
					return
				}
				o.err = act(context.Background(), s, o.n)
				return
			}
			if o.kind == "plan" {
				w.plan(m, o.who, o.n)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			visits := w.here[o.who.Name]
			switch {
			case o.kind == "come":
				v := w.c.Presence.Visit(o.who, true)
				v.At(m.id)
				w.here[o.who.Name] = append(visits, v)
			case len(visits) > 0:
				visits[0].Leave(o.kind == "drop")
				w.here[o.who.Name] = visits[1:]
			}
		})
	}
	acting.Wait()
	synctest.Wait()
	offered := false
	for _, o := range all {
		switch {
		case errors.Is(o.err, lobby.ErrBusy):
			m.unsure++
		case o.err != nil || busyActs[o.kind] == nil:
		case o.kind == "move":
			m.moves++
		case slices.Contains([]string{"resigned", "agreement", "claimed", "aborted"}, o.kind):
			m.ends = append(m.ends, o.kind)
		case o.kind == "offer":
			offered = true
		}
	}
	if v := w.view(m); offered && len(m.ends) == 0 && v.Reason == "agreement" { // both have offered
		m.ends = append(m.ends, v.Reason)
	}
}

// plan has a player prepare an answer to every move of the other side, and to every move after that, the n-th legal one each time. It may be refused.
func (w *busyClub) plan(m *busyMatch, who lobby.User, n int) {
	s, err := w.c.Seats.At(context.Background(), who, lobby.Ref{ID: m.id})
	if err != nil {
		return
	}
	v, err := s.Now(context.Background())
	if err != nil || v.Over {
		return
	}
	var lines [][]games.Move
	for _, theirs := range v.Position.Legal() {
		p, err := v.Position.Play(theirs)
		if err != nil || p.Result().Over || len(lines) > 50 {
			break
		}
		answers := p.Legal()
		lines = append(lines, []games.Move{theirs, answers[n%len(answers)]})
	}
	_, _ = w.c.Plans.Set(context.Background(), who, m.id, lines) // the error: it is the player's turn, or the club can't write
}

// checkPlan fails if the side to move has a planned move that is not played.
func (w *busyClub) checkPlan(t *rapid.T, m *busyMatch, s *match.State) {
	if s.Started.IsZero() {
		return
	}
	seat := storage.SeatOf(s.Turn())
	p, err := w.c.store.Memory.Plan(context.Background(), matches.PlanKey{Match: m.id, Seat: seat})
	if err != nil {
		return
	}
	if move, state := s.Planned(seat, p); state != match.PlanWaits {
		t.Fatalf("match %s: the plan of seat %d has %q, state %d, and is not played or dropped", m.id, seat, move, state)
	}
}

// failing has things happen at once while some writes fail, before or after they have been made.
func (w *busyClub) failing(t *rapid.T) {
	fail := func(name string) func([]matches.Event) error {
		left := rapid.IntRange(0, 2).Draw(t, name)
		var mu sync.Mutex
		return func([]matches.Event) error {
			mu.Lock()
			defer mu.Unlock()
			if left--; left < 0 {
				return nil
			}
			return storage.ErrCommit
		}
	}
	w.c.store.set(fail("before"), fail("after"), nil)
	defer func() {
		w.c.store.set(nil, nil, nil)
		time.Sleep(10 * time.Second) // what is uncertain is read again
		synctest.Wait()
	}()
	w.atOnce(t)
}

func (w *busyClub) wait(t *rapid.T) {
	time.Sleep(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 20 * time.Second, 58 * time.Second, time.Minute, 5 * time.Minute, 73 * time.Hour}).Draw(t, "time"))
	synctest.Wait()
}

// toTheMoment waits until just before, or at, the moment at which the time of a match is up or a claim is possible, and has things happen then.
func (w *busyClub) toTheMoment(t *rapid.T) {
	m := w.match()
	v := w.view(m)
	at := v.Clock.Deadline()
	if rapid.Bool().Draw(t, "a claim") {
		at = w.c.Seats.ClaimAt(rapid.SampledFrom([]lobby.User{w.c.ana, w.c.rui}).Draw(t, "by"), v)
	}
	if v.Over || !at.After(time.Now()) {
		t.Skip("there is none")
	}
	time.Sleep(time.Until(at.Add(rapid.SampledFrom([]time.Duration{-time.Millisecond, 0, 0, clock.MaxCredit}).Draw(t, "after"))))
	w.atOnce(t)
}

// restart stops the program, or kills it: then nothing is written any more.
func (w *busyClub) restart(t *rapid.T) {
	if rapid.Bool().Draw(t, "killed") {
		dead := errors.New("the program is dead")
		w.c.store.set(func([]matches.Event) error { return dead }, nil, nil)
		w.c.store.setBeat(func() error { return dead })
	}
	if err := w.c.Close(); err != nil {
		t.Fatal(err)
	}
	w.c.store.set(nil, nil, nil)
	w.c.store.setBeat(nil)
	time.Sleep(rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(t, "down"))
	w.start(w.c.store)
	synctest.Wait()
}

func (w *busyClub) view(m *busyMatch) *lobby.View {
	v, err := w.look(m)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// look returns a match as ana sees it, who sits in it.
func (w *busyClub) look(m *busyMatch) (*lobby.View, error) {
	s, err := w.c.Seats.At(context.Background(), w.c.ana, lobby.Ref{ID: m.id})
	if err != nil {
		return nil, err
	}
	return s.Now(context.Background())
}

// check compares what is seen of each match with what is on disk, and with what callers were told.
func (w *busyClub) check(t *rapid.T) {
	synctest.Wait()
	seen := func(v *lobby.View) string {
		return fmt.Sprintf("%v %v %v %q %q %v %d", v.Seats, v.Moves, v.Position, v.Result, v.Reason, v.Started, v.Start)
	}
	w.matches = slices.DeleteFunc(w.matches, func(m *busyMatch) bool { // what is kept for an hour alone goes
		v, err := w.look(m)
		return errors.Is(err, lobby.ErrNoSuchMatch) || err == nil && v.Temporary && time.Since(v.LastAt) >= results.TemporaryLife
	})
	for _, m := range w.matches {
		v := w.view(m)
		log, logErr := w.c.store.Memory.Log(context.Background(), m.id, 1, 0)
		f, err := w.c.store.Memory.Finished(context.Background(), m.id)
		if (logErr == nil) == (err == nil) || v.Over != (err == nil) {
			t.Fatalf("match %s: over %v; the log: %v; the record: %v", m.id, v.Over, logErr, err)
		}
		var s match.State
		if err == nil {
			s, err = match.Replay(f, w.c.Game)
		} else {
			s, err = match.Fold(m.id, w.c.Game, log)
		}
		if err != nil {
			t.Fatalf("match %s: %v\n%+v", m.id, err, log)
		}
		if got, want := seen(v), seen(s.View()); got != want {
			t.Fatalf("match %s is seen as\n%s, on disk it is\n%s", m.id, got, want)
		}
		if !v.Over {
			moved := 0
			for _, e := range log {
				if e.Kind == matches.Moved && !e.Planned {
					moved++
				}
			}
			w.checkPlan(t, m, &s)
			if v.Clock != s.Clock || v.Offers != s.Offers || v.Events != s.Seq || moved < m.moves || moved > m.moves+m.unsure || len(m.ends) > 0 {
				t.Fatalf("match %s goes on with %d moves, clock %+v; told were %d moves and the ends %v, %d acts are unsure; on disk %+v", m.id, moved, v.Clock, m.moves, m.ends, m.unsure, s)
			}
			continue
		}
		told := len(m.ends) == 1 && m.ends[0] == v.Reason
		byAct := slices.Contains([]string{"resigned", "agreement", "claimed", "aborted"}, v.Reason)
		if len(m.ends) > 1 || len(m.ends) == 1 && !told || byAct && !told && m.unsure == 0 {
			t.Fatalf("match %s ended %q, %q; told were the ends %v, %d acts are unsure", m.id, v.Result, v.Reason, m.ends, m.unsure)
		}
		if ended := v.Result + " " + v.Reason; m.ended == "" {
			m.ended = ended
		} else if m.ended != ended {
			t.Fatalf("match %s ended %q, and then %q", m.id, m.ended, ended)
		}
	}
}
