package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// hold makes reading plans fail.
func (f *faulty) hold(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan = err
}

func (f *faulty) Plan(ctx context.Context, k matches.PlanKey) (matches.Plan, error) {
	f.mu.Lock()
	err := f.plan
	f.mu.Unlock()
	if err != nil {
		return matches.Plan{}, err
	}
	return f.Memory.Plan(ctx, k)
}

// plan has a player prepare lines of moves.
func (c *club) plan(s *lobby.Seat, lines ...string) {
	c.t.Helper()
	all := make([][]games.Move, len(lines))
	for i, l := range lines {
		all[i] = line(l)
	}
	if _, err := c.Plans.Set(c.t.Context(), s.User(), s.ID(), all); err != nil {
		c.t.Fatal(err)
	}
}

// planned returns what a player still has prepared.
func (c *club) planned(s *lobby.Seat) string {
	c.t.Helper()
	p, err := c.Plans.Of(c.t.Context(), s.User(), s.ID())
	if err != nil {
		c.t.Fatal(err)
	}
	return fmt.Sprint(p.Lines)
}

// plansOf returns the seats with a plan in the store.
func (c *club) plansOf(id storage.MatchID) (seats []storage.Seat) {
	for _, seat := range []storage.Seat{storage.FirstSeat, storage.SecondSeat} {
		if _, err := c.store.Memory.Plan(c.t.Context(), matches.PlanKey{Match: id, Seat: seat}); err == nil {
			seats = append(seats, seat)
		}
	}
	return seats
}

// A whole match is played by two plans. The other side's move is visible before the answer, planned moves cost no time, and nothing is left.
func TestMatchByPlans(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(threeDays))
		c.play(a, r, win[0])
		c.plan(a, "b2 b1 c2 c1 d2 d1", "a2 b1")
		for i := 1; i < len(win); i += 2 {
			time.Sleep(time.Hour)
			synctest.Wait()
			if err := r.Move(t.Context(), win[i], lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if v := c.now(r); v.Ply() != i+2 || !slices.Equal(v.Moves, win[:i+2]) {
				t.Fatalf("after %s the match has %v", win[i], v.Moves)
			}
		}
		v := c.now(a)
		if !v.Over || v.Result != "first" || len(c.plansOf(a.ID())) > 0 {
			t.Errorf("the match is %q, plans of %v are left", v.Result, c.plansOf(a.ID()))
		}
		for ply, left := range v.Left {
			if ply > 2 && ply%2 == 0 && left != threeDays.Base {
				t.Errorf("the planned move %d left %v, want all of %v", ply+1, left, threeDays.Base)
			}
		}
		f, err := a.Record(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if spent := f.Spent(); spent[4] != 0 || spent[3] < time.Hour {
			t.Errorf("the moves took %v", spent)
		}
	})
}

// A plan is dropped when the match leaves it, and waits while the other side offers something.
func TestPlanDropped(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *club, a, r *lobby.Seat)
		left string // of the plan
		last games.Move
	}{
		{"another move", func(c *club, a, r *lobby.Seat) { c.play(a, r, "c1") }, "[]", "c1"},
		{"the move", func(c *club, a, r *lobby.Seat) { c.play(a, r, "c2") }, "[[d2 d1]]", "c1"},
		{"an offer that lapses with the move", func(c *club, a, r *lobby.Seat) {
			if err := r.OfferDraw(c.t.Context()); err != nil {
				c.t.Fatal(err)
			}
			c.play(a, r, "c2")
		}, "[[d2 d1]]", "c1"},
		{"a takeback", func(c *club, a, r *lobby.Seat) {
			if err := a.Takeback(c.t.Context()); err != nil {
				c.t.Fatal(err)
			}
			if err := r.Answer(c.t.Context(), matches.OfferTakeback, 0, true); err != nil {
				c.t.Fatal(err)
			}
			c.play(a, r, "b1", "c2")
		}, "[]", "c2"},
		{"cleared", func(c *club, a, r *lobby.Seat) {
			if _, err := c.Plans.Clear(c.t.Context(), c.ana, a.ID()); err != nil {
				c.t.Fatal(err)
			}
			c.play(a, r, "c2")
		}, "[]", "c2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				a, r := c.start(with(threeDays))
				c.play(a, r, win[:3]...)
				c.plan(a, "c2 c1 d2 d1")
				if got := c.planned(r); got != "[]" {
					t.Errorf("the other side sees %s", got)
				}
				_, err := c.Plans.Of(t.Context(), c.guest, a.ID())
				wantErr(t, "a spectator", err, lobby.ErrNotSeated)
				tt.do(c, a, r)
				synctest.Wait()
				v := c.now(a)
				if got := c.planned(a); got != tt.left || v.Moves[v.Ply()-1] != tt.last {
					t.Errorf("%s is left, the moves are %v, want %s and %s last", got, v.Moves, tt.left, tt.last)
				}
				if left := len(c.plansOf(a.ID())) > 0; left != (tt.left != "[]") {
					t.Errorf("a plan is in the store: %v", left)
				}
			})
		})
	}
}

// The program is killed after the other side's move is on disk and before the answer is. The answer is played after the restart, although nobody
// looks at the match. A plan that does not apply leaves the match alone.
func TestKilledBeforePlannedMove(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plan  string
		plies int
	}{
		{"the plan applies", "c2 c1", 5},
		{"it does not", "c1 d1", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				a, r := c.start(with(threeDays))
				c.play(a, r, win[:3]...)
				c.plan(a, tt.plan)
				killed := errors.New("killed")
				c.store.set(func(events []matches.Event) error {
					if events[0].Planned {
						return killed
					}
					return nil
				}, nil, nil)
				if tt.plies == 4 { // the plan is still there when the program goes
					c.store.hold(killed)
				}
				if err := r.Move(t.Context(), "c2", lobby.AnyPly); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if v := c.now(r); v.Ply() != 4 {
					t.Fatalf("the moves are %v", v.Moves)
				}
				c.Close()
				c.store.set(nil, nil, nil)
				c.store.hold(nil)
				if seats := c.plansOf(a.ID()); len(seats) != 1 {
					t.Fatalf("plans of %v are in the store", seats)
				}
				c = reopen(t, c.store)
				time.Sleep(time.Minute)
				synctest.Wait()
				log, err := c.store.Memory.Log(t.Context(), a.ID(), 1, 0)
				if err != nil {
					t.Fatal(err)
				}
				moves := 0
				for _, e := range log {
					if e.Kind == matches.Moved {
						moves++
					}
				}
				if moves != tt.plies {
					t.Errorf("%d moves are in the log, want %d", moves, tt.plies)
				}
				if seats := c.plansOf(a.ID()); len(seats) > 0 && tt.plies == 4 {
					t.Errorf("plans of %v are left", seats)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if n := c.Registry().Counts().InMemory; n > 0 {
					t.Errorf("%d matches stay in memory", n)
				}
			})
		})
	}
}

// At several nodes the owner of the match plays planned moves, wherever they were planned and the other side moves; and so does the next owner.
func TestPlansAtSeveralNodes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := severalNodes(t, 3)
		a, r := c.start([2]int{0, 1}, func(s *lobby.Spec) { s.Clock = threeDays })
		c.play(a, r, win[0])
		planAt := func(node int, lines ...string) {
			t.Helper()
			one := c.clubs[node]
			one.plan(one.seat(one.ana, a.ID()), lines...)
		}
		for i := 1; i < len(win); i += 2 {
			planAt((i/2)%3, string(win[i])+" "+string(win[i+1]))
			if i == 3 {
				time.Sleep(time.Hour) // the match leaves memory everywhere
				synctest.Wait()
			}
			one := c.clubs[(i/2+1)%3]
			lost := -1
			if i == 5 { // the owner is cut off when the other side moves elsewhere
				lost = c.owner(a.ID())
				c.cables[lost].cut()
				one = c.clubs[(lost+1)%3]
			}
			if err := one.seat(one.rui, a.ID()).Move(t.Context(), win[i], lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			if lost >= 0 {
				time.Sleep(time.Minute)
				synctest.Wait()
				c.cables[lost].mend()
				time.Sleep(time.Minute)
			}
			synctest.Wait()
			for node, one := range c.clubs {
				if v := one.now(one.seat(one.ana, a.ID())); !slices.Equal(v.Moves, win[:i+2]) {
					t.Fatalf("move %d: node %d sees %v", i, node+1, v.Moves)
				}
			}
		}
	})
}

// A plan that can't be read is dropped, and the match goes on without it. An error of the store drops none.
func TestDamagedPlan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(threeDays))
		c.play(a, r, win[:3]...)
		c.plan(a, "c2 c1 d2 d1")
		c.store.hold(errors.New("no answer"))
		_, err := c.Plans.Of(t.Context(), c.ana, a.ID())
		wantErr(t, "a store that doesn't answer", err, lobby.ErrBusy)
		if seats := c.plansOf(a.ID()); len(seats) != 1 {
			t.Fatalf("plans of %v are in the store, want one", seats)
		}
		c.store.hold(fmt.Errorf("row: %w", storage.ErrDamaged))
		if err := r.Move(t.Context(), "c2", lobby.AnyPly); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.store.hold(nil)
		if v := c.now(a); v.Ply() != 4 || len(c.plansOf(a.ID())) != 0 {
			t.Errorf("the moves are %v, plans of %v are in the store", v.Moves, c.plansOf(a.ID()))
		}
		c.play(a, r, "c1")
	})
}
