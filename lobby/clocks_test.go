package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/clock"
	"ludoteca/lobby/quick"
	"ludoteca/lobby/seats"
	"ludoteca/storage/matches"
)

// TestTimeRunsOut: the club ends a match whose time is up, even if nobody is there and the match is not in memory, and not a millisecond before the
// last moment at which a move is in time.
func TestTimeRunsOut(t *testing.T) {
	for _, tt := range []struct {
		name    string
		clock   lobby.ClockSetting
		moves   int
		restart bool
		lasts   time.Duration
		result  string
	}{
		{"no first move", fivePlus3, 0, false, 30 * time.Second, ""},
		{"no first move of the second side", fivePlus3, 1, false, 30 * time.Second, ""},
		{"Fischer", oneMinute, 2, false, time.Minute, "second"},
		{"the second side", oneMinute, 3, false, time.Minute, "first"},
		{"hours", clock.NewFischer(180, 180), 2, false, 3 * time.Hour, "second"},
		{"Fischer after a restart", oneMinute, 2, true, time.Minute + clock.MaxResumed, "second"},
		{"no first move after a restart", oneMinute, 1, true, 30 * time.Second, ""},
		{"days", threeDays, 2, false, 72 * time.Hour, "second"},
		{"days after a restart", threeDays, 5, true, 72 * time.Hour, "first"},
		{"no first move in three days", clock.NewCorrespondence(1), 1, false, 72 * time.Hour, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				a, r := c.start(with(tt.clock))
				c.play(a, r, win[:tt.moves]...)
				if tt.restart {
					c.Close()
					time.Sleep(time.Minute)
					c = reopen(t, c.store)
				}
				time.Sleep(tt.lasts + clock.MaxCredit - time.Millisecond)
				synctest.Wait()
				if c.Load().Matches != 1 {
					t.Fatalf("it is over too soon: %+v", c.now(c.seat(c.ana, a.ID())))
				}
				time.Sleep(2 * time.Millisecond)
				synctest.Wait()
				f, err := c.store.Memory.Finished(t.Context(), a.ID())
				if err != nil || f.Result != tt.result || f.Reason != "timeout" || f.Clock != tt.clock.String() {
					t.Errorf("it ended as %q, %q with the clock %q, %v", f.Result, f.Reason, f.Clock, err)
				}
			})
		})
	}
}

// TestFlagRace: of a move and the end of the time at the same moment exactly one happens, and the log says which: with a clock that counts
// seconds, before the first move, and with days for each.
func TestFlagRace(t *testing.T) {
	clocks := []struct {
		name    string
		setting lobby.ClockSetting
		moves   int // made before
		result  string
	}{
		{"Fischer", oneMinute, 2, "second"},
		{"Fischer, the second side", oneMinute, 3, "first"},
		{"the first move", fivePlus3, 0, ""},
		{"the first move of the second side", fivePlus3, 1, ""},
		{"days", threeDays, 2, "second"},
		{"the first move in days", threeDays, 1, ""},
	}
	for _, tt := range []struct {
		name  string
		after time.Duration // the deadline
		lag   time.Duration
		want  error
	}{
		{"the last millisecond", -time.Millisecond, 0, nil},
		{"the deadline", 0, 0, lobby.ErrTimeUp},
		{"the deadline, a slow line", 0, 10 * time.Millisecond, nil},
		{"a slow line's last millisecond", clock.MaxCredit - time.Millisecond, time.Second, nil},
		{"when the club ends the match", clock.MaxCredit, time.Second, lobby.ErrTimeUp},
		{"after that", clock.MaxCredit + time.Millisecond, time.Second, lobby.ErrOver},
	} {
		for _, of := range clocks {
			t.Run(of.name+", "+tt.name, func(t *testing.T) {
				runs := 20 // goroutines run in any order
				if of.setting.Kind == lobby.Correspondence {
					runs = 4 // days are long
				}
				for i := range runs {
					bubble(t, func(t *testing.T) {
						c := newClub(t)
						a, r := c.start(with(of.setting))
						c.play(a, r, win[:of.moves]...)
						s := []*seats.Seat{a, r}[of.moves%2]
						deadline := c.now(s).Clock.Deadline()
						s = s.WithLag(func() time.Duration { return tt.lag })
						time.Sleep(time.Until(deadline.Add(tt.after)))
						if i%2 == 0 { // in half of the runs the match is in memory when the move comes
							c.now(s)
						}
						err := s.Move(t.Context(), win[of.moves], lobby.AnyPly)
						moved := err == nil
						if tt.want == lobby.ErrTimeUp && errors.Is(err, lobby.ErrOver) {
							err = lobby.ErrTimeUp // the end was faster
						}
						wantErr(t, "the move", err, tt.want)
						time.Sleep(2 * time.Second)
						synctest.Wait()
						v := c.now(s)
						if v.Over == moved || moved != (v.Ply() == of.moves+1) || v.Over && (v.Reason != "timeout" || v.Result != of.result) {
							t.Errorf("moved %v, over %v, %q, %q, %d moves", moved, v.Over, v.Result, v.Reason, v.Ply())
						}
						if moved {
							kinds := c.kindsOf(s.ID())
							if last := kinds[len(kinds)-1]; last != matches.Moved || slices.Contains(kinds, matches.Flagged) || slices.Contains(kinds, matches.Ended) {
								t.Errorf("moved, and the log has %v", kinds)
							}
							return
						}
						f, err := c.store.Memory.Finished(t.Context(), s.ID())
						if err != nil || f.Reason != "timeout" || f.Plies != of.moves || f.Ended.Before(deadline.Add(clock.MaxCredit)) {
							t.Errorf("not moved, and the record has %q, %d moves, the end at %v, %v", f.Reason, f.Plies, f.Ended, err)
						}
					})
				}
			})
		}
	}
}

// TestClaimAtTheEndOfTime: of a claim of the side to move and the end of its time at the same moment exactly one happens: a claim
// counts like a move of a line without delay.
func TestClaimAtTheEndOfTime(t *testing.T) {
	for _, after := range []time.Duration{-time.Millisecond, 0, clock.MaxCredit - time.Millisecond, clock.MaxCredit, time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			for range 20 { // goroutines run in any order
				bubble(t, func(t *testing.T) {
					c := newClub(t)
					a, r := c.start(with(fivePlus3))
					rui := c.Presence.Visit(c.rui, true)
					c.play(a, r, win[:2]...)
					rui.Leave(true)
					time.Sleep(time.Until(c.now(a).Clock.Deadline().Add(after)))
					err := a.Claim(t.Context(), false)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					v := c.now(a)
					claimed := after < 0
					if (err == nil) != claimed || !claimed && !errors.Is(err, lobby.ErrTimeUp) && !errors.Is(err, lobby.ErrOver) {
						t.Errorf("the claim: %v", err)
					}
					if want := map[bool]string{true: "first claimed", false: "second timeout"}[claimed]; !v.Over || v.Result+" "+v.Reason != want {
						t.Errorf("it ends %q, %q, want %s", v.Result, v.Reason, want)
					}
				})
			}
		})
	}
}

// TestSlowStore: a move counts when it arrived in time, however long the store takes to write it.
func TestSlowStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneMinute))
		c.play(a, r, win[:2]...)
		time.Sleep(59 * time.Second)
		c.store.set(func([]matches.Event) error { time.Sleep(time.Hour); return nil }, nil, nil)
		if err := a.Move(t.Context(), win[2], lobby.AnyPly); err != nil {
			t.Fatal(err)
		}
		c.store.set(nil, nil, nil)
		if v := c.now(a); v.Clock.Left[0] != time.Second || v.Over {
			t.Errorf("%v left, over %v", v.Clock.Left, v.Over)
		}
	})
}

// TestBusyMatch: what was asked in time is served before the club ends the match, though the match was busy until after the deadline.
func TestBusyMatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first", Clock: oneMinute}).ID)
		c.play(s, s, "d4")
		c.until(s, plies(2))
		var asked sync.WaitGroup
		defer asked.Wait()
		c.store.set(func(events []matches.Event) error {
			if events[0].Kind == matches.Helped {
				time.Sleep(2 * time.Minute)
			}
			return nil
		}, nil, nil)
		time.Sleep(58 * time.Second)
		asked.Go(func() { s.Hint(t.Context()) })
		synctest.Wait()
		time.Sleep(time.Second)
		if err := s.Move(t.Context(), c.now(s).Position.Legal()[0], lobby.AnyPly); err != nil {
			t.Errorf("a move in time, served late: %v", err)
		}
		if v := c.now(s); v.Over || v.Ply() < 3 {
			t.Errorf("over %v, %q, %d moves", v.Over, v.Reason, v.Ply())
		}
	})
}

// TestClocksAfterRestart: no clock runs while the program is down, whether it was stopped or killed.
func TestClocksAfterRestart(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for _, setting := range []lobby.ClockSetting{fivePlus3, threeDays} {
			t.Run(fmt.Sprintf("%v, killed %v", setting, killed), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					c := newClub(t)
					a, r := c.start(with(setting))
					c.play(a, r, win[:3]...)
					idle, other := c.start(with(setting)) // one that nobody touches after the restarts
					c.play(idle, other, win[:2]...)
					time.Sleep(10 * time.Second)
					want := [2]time.Duration{setting.Base + setting.Increment, setting.Base - 10*time.Second}
					wantIdle := [2]time.Duration{setting.Base - 10*time.Second, setting.Base}
					for range 3 {
						if killed {
							c.store.setBeat(func() error { return errors.New("the program is dead") })
						}
						c.Close()
						c.store.setBeat(nil)
						time.Sleep(5 * time.Hour)
						c = reopen(t, c.store)
						synctest.Wait()
						if setting.Kind == lobby.Fischer {
							for side := range 2 {
								want[side] += clock.MaxResumed
								wantIdle[side] += clock.MaxResumed
							}
						}
						a, r = c.seat(c.ana, a.ID()), c.seat(c.rui, r.ID())
						v := c.now(a)
						slack := time.Second
						if setting.Kind == lobby.Correspondence && killed {
							slack = time.Hour // how often an idle club keeps its heartbeat
						}
						for side := range 2 {
							if got := v.Clock.LeftAt(side, time.Now()); (got - want[side]).Abs() > slack {
								t.Errorf("side %d has %v, want %v", side, got, want[side])
							}
							if got := c.now(c.seat(c.ana, idle.ID())).Clock.LeftAt(side, time.Now()); (got - wantIdle[side]).Abs() > slack {
								t.Errorf("side %d of the idle match has %v, want %v", side, got, wantIdle[side])
							}
						}
						time.Sleep(5 * time.Second)
						synctest.Wait()
						want[1] -= 5 * time.Second
						wantIdle[0] -= 5 * time.Second
					}
					c.play(a, r, win[3])
					kinds := c.kindsOf(a.ID())
					resumed := 0
					for _, k := range kinds {
						if k == matches.Resumed {
							resumed++
						}
					}
					if resumed != 3 || kinds[len(kinds)-1] != matches.Moved {
						t.Errorf("the log has %v", kinds)
					}
				})
			})
		}
	}
}

// TestResumedBeforeAnythingElse: until a clock has been resumed nobody can move, and a store that fails at first doesn't cost the match.
func TestResumedBeforeAnythingElse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(oneMinute))
		c.play(a, r, win[:2]...)
		c.Close()
		time.Sleep(time.Hour)
		c.store.set(func([]matches.Event) error { return errors.New("the disk is gone") }, nil, nil)
		c = reopen(t, c.store)
		a, r = c.seat(c.ana, a.ID()), c.seat(c.rui, r.ID())
		wantErr(t, "a move before the clock goes on", a.Move(t.Context(), win[2], lobby.AnyPly), lobby.ErrBusy)
		time.Sleep(10 * time.Second)
		c.store.set(nil, nil, nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		v := c.now(a)
		if left := v.Clock.LeftAt(0, time.Now()); v.Over || left != time.Minute { // 20 s more, and 20 s have passed since the start
			t.Errorf("over %v, %v left", v.Over, left)
		}
		if kinds := c.kindsOf(a.ID()); kinds[len(kinds)-1] != matches.Resumed || slices.Index(kinds, matches.Resumed) != len(kinds)-1 {
			t.Errorf("the log has %v", kinds)
		}
		c.play(a, r, win[2])
	})
}

// TestHeartbeat: one write a second keeps the time of all running Fischer matches; without one there is none.
func TestHeartbeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		var beats atomic.Int32
		c.store.setBeat(func() error { beats.Add(1); return nil })
		wantBeats := func(what string, least, most int32) {
			t.Helper()
			time.Sleep(100 * time.Second)
			synctest.Wait()
			if n := beats.Swap(0); n < least || n > most {
				t.Errorf("%s: %d heartbeats in 100 s", what, n)
			}
		}
		wantBeats("nothing goes on", 0, 0)
		var seats []*seats.Seat
		c.start()
		c.start(with(threeDays))
		wantBeats("no seconds are counted", 0, 0)
		for range 10 {
			a, r := c.start(with(fivePlus3))
			c.play(a, r, win[:2]...)
			seats = append(seats, a)
		}
		wantBeats("ten matches", 99, 103)
		for _, s := range seats {
			if err := s.Resign(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		beats.Store(0)
		wantBeats("all are over", 0, 0)
	})
}

// sleepy thinks as long as it plans, or at most, and plays the first legal move.
func sleepy(most bool) lobby.Level {
	return lobby.Level{ID: "sleepy", Name: "Somnus", Think: func(ctx context.Context, c bot.Clock, p games.Position, _ *games.Random) (lobby.Decision, error) {
		usual, longest := c.Plan(time.Now(), 60)
		if most {
			usual = longest
		}
		timer := time.NewTimer(usual)
		defer timer.Stop()
		select {
		case <-timer.C:
			return lobby.Decision{Move: p.Legal()[0]}, nil
		case <-ctx.Done():
			return lobby.Decision{}, ctx.Err()
		}
	}}
}

// deaf never answers before it is told to stop.
var deaf = lobby.Level{ID: "deaf", Name: "Surdus", Move: func(ctx context.Context, _ games.Position, _ *games.Random) (games.Move, error) {
	<-ctx.Done()
	return "", ctx.Err()
}}

// TestComputersKeepTheirTime: a computer player that takes all the time that it plans, or waits for ever, does not lose on time, and
// makes moves of its own as long as it plans.
func TestComputersKeepTheirTime(t *testing.T) {
	for _, tt := range []struct {
		name  string
		level lobby.Level
	}{{"usual", sleepy(false)}, {"longest", sleepy(true)}, {"deaf", deaf}} {
		for _, setting := range []lobby.ClockSetting{oneMinute, clock.NewFischer(1, 2), fivePlus3} {
			t.Run(fmt.Sprint(tt.name, setting), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.BotDelay = []lobby.Level{tt.level}, lobby.DefaultBotDelay })
					s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "petteia", Side: seats.PlayFirst, Bot: tt.level.ID, Clock: setting}).ID)
					v := c.now(s)
					moves := 0
					for ; !v.Over && moves < 100; moves++ {
						if err := s.Move(t.Context(), v.Position.Legal()[(moves*moves+moves)%len(v.Position.Legal())], lobby.AnyPly); err != nil {
							t.Fatal(err)
						}
						asked := c.now(s)
						v = c.until(s, func(v *lobby.View) bool { return v.Over || v.YourTurn(c.ana) })
						if v.Over || tt.level.ID != "sleepy" {
							continue
						}
						if own, made := asked.Position.Legal()[0], v.Moves[len(v.Moves)-1]; made != own {
							t.Fatalf("with %v left it was made to play %s instead of %s", asked.Clock.Left[1], made, own)
						}
					}
					if v.Reason == "timeout" || moves < 20 {
						t.Errorf("it ended with %q after %d moves", v.Reason, moves)
					}
				})
			})
		}
	}
}

// costly is a position in which each move that a search makes takes a millisecond.
type costly struct{ games.Position }

func (p costly) State() games.State { return costlyState{p.Position.State()} }

type costlyState struct{ games.State }

func (s costlyState) Search() games.Search {
	return costlySearch{s.State.(games.Searchable).Search()}
}

type costlySearch struct{ games.Search }

func (s costlySearch) Play(c games.Code) {
	time.Sleep(time.Millisecond)
	s.Search.Play(c)
}

// TestMasterUnderAClock has the strongest level, on a machine that looks at a thousand positions a second, play whole matches: it never
// loses on time, takes no longer than it may for any move, and makes the only legal one at once.
func TestMasterUnderAClock(t *testing.T) {
	g := fourmation.New()
	all := bot.Levels(g)
	master := all[len(all)-1].Player.(bot.Thinker)
	level := lobby.Level{ID: "master", Name: "Master", Think: func(ctx context.Context, c bot.Clock, p games.Position, r *games.Random) (lobby.Decision, error) {
		found, err := master.ThinkWithin(ctx, c, costly{p}, r)
		return lobby.Decision{Move: found.Move}, err
	}}
	for _, setting := range []lobby.ClockSetting{oneMinute, clock.NewFischer(1, 1)} {
		t.Run(setting.String(), func(t *testing.T) {
			only, longest := 0, time.Duration(0)
			for seed := range uint64(16) {
				bubble(t, func(t *testing.T) {
					c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.BotDelay = []lobby.Level{level}, lobby.DefaultBotDelay })
					s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: level.ID, Clock: setting}).ID)
					r := games.NewRandom(seed)
					for v := c.now(s); !v.Over; {
						legal := v.Position.Legal()
						if err := s.Move(t.Context(), legal[r.N(len(legal))], lobby.AnyPly); err != nil {
							t.Fatal(err)
						}
						asked, began := c.now(s), time.Now()
						v = c.until(s, func(v *lobby.View) bool { return v.Over || v.YourTurn(c.ana) })
						took := time.Since(began)
						longest = max(longest, took)
						if len(asked.Position.Legal()) == 1 {
							if only++; took > 2*time.Millisecond {
								t.Errorf("the only legal move takes %v", took)
							}
						}
						if v.Reason == "timeout" || took > 2*time.Second+time.Millisecond {
							t.Errorf("a move takes %v, with %v left; the match ends with %q", took, asked.Clock.Left[1], v.Reason)
						}
					}
				})
			}
			if only == 0 || longest < 300*time.Millisecond {
				t.Errorf("%d only moves; the longest thought was %v", only, longest)
			}
		})
	}
}

// TestTimeoutIsRated: a rated match that ends on time counts as any other, once both sides have made two moves.
func TestTimeoutIsRated(t *testing.T) {
	for moves, rated := range map[int]bool{3: false, 4: true} {
		bubble(t, func(t *testing.T) {
			c := newClub(t)
			a, r := c.start(with(oneMinute), func(s *seats.Spec) { s.Rated = true })
			c.play(a, r, win[:moves]...)
			time.Sleep(time.Hour)
			synctest.Wait()
			if v := c.now(a); v.Reason != "timeout" || (v.Ratings != nil) != rated {
				t.Errorf("%d moves: %q, ratings %v", moves, v.Reason, v.Ratings)
			}
		})
	}
}

// TestClockOfOffers: a match has the clock that it was opened with, and so has its rematch. A quick match without a clock takes no offer with one.
func TestClockOfOffers(t *testing.T) {
	c := newClub(t)
	a, r := c.start(with(fivePlus3))
	c.play(a, r, win...)
	ref, err := a.Rematch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := c.now(c.seat(c.ana, ref.ID)); v.Clock.Setting != fivePlus3 {
		t.Errorf("the rematch has the clock %v", v.Clock.Setting)
	}
	offer := c.open(c.ana, seats.Spec{Game: "fourmation", Public: true, Clock: threeDays})
	quick, err := c.Quick.Quick(t.Context(), c.rui, quick.One(seats.Spec{Game: "fourmation"}))
	if err != nil || quick.ID == offer.ID {
		t.Errorf("a quick match takes the offer with a clock: %v, %v", quick, err)
	}
	_, err = c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation", Bots: [2]string{"first", "first"}, Clock: fivePlus3})
	wantErr(t, "two computers with a clock", err, lobby.ErrSpec)
}

// TestCreditHasABudget: a client that answers late all the time gets its credit back move by move, but no more than the budget of a match
// and its refill; a side with a good line has all of it left.
func TestCreditHasABudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		c.play(a, r, win[:2]...)
		slow, back := a.WithLag(func() time.Duration { return time.Hour }), r.WithLag(func() time.Duration { return 20 * time.Millisecond })
		moves := 0
		for ; !c.now(a).Over; moves++ {
			v := c.now(a)
			legal := v.Position.Legal()
			i := slices.IndexFunc(legal, func(m games.Move) bool { next, err := v.Position.Play(m); return err == nil && !next.Result().Over })
			if i < 0 || moves == 28 {
				break
			}
			time.Sleep(3 * time.Second) // the increment
			if err := []*seats.Seat{slow, back}[moves%2].Move(t.Context(), legal[i], lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
		}
		left := c.now(a).Clock.Left
		own := time.Duration(moves / 2)
		if gained, most := left[0]-5*time.Minute, clock.CreditBudget+own*clock.CreditRefill; gained > most || gained < clock.CreditBudget {
			t.Errorf("late answers gained %v in %d moves, want at most %v", gained, own, most)
		}
		if gained, want := left[1]-5*time.Minute, own*20*time.Millisecond; gained != want {
			t.Errorf("a line of 20 ms was given %v back in %d moves, want %v", gained, own, want)
		}
	})
}

// TestLagIsKept: the measured delay of a player's line is kept with the move, and not charged up to clock.MaxCredit.
func TestLagIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(with(fivePlus3))
		c.play(a, r, win[:2]...)
		for i, lag := range []time.Duration{123456 * time.Microsecond, 450 * time.Millisecond, time.Hour, -time.Second} {
			s := []*seats.Seat{a, r}[i%2]
			before := c.now(s).Clock.Left[i%2]
			time.Sleep(10 * time.Second)
			if err := s.WithLag(func() time.Duration { return lag }).Move(t.Context(), win[i+2], lobby.AnyPly); err != nil {
				t.Fatal(err)
			}
			log, err := c.store.Memory.Log(t.Context(), a.ID(), 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			kept := log[len(log)-1].Lag
			if want := min(max(lag.Truncate(time.Millisecond), 0), 10*time.Second); kept != want {
				t.Errorf("a line of %v is kept as %v, want %v", lag, kept, want)
			}
			if got, want := before-c.now(s).Clock.Left[i%2], 7*time.Second-clock.Credit(kept); got != want {
				t.Errorf("a move in 10 s over a line of %v costs %v, want %v", lag, got, want)
			}
		}
	})
}
