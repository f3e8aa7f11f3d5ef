package lobby_test

import (
	"context"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/live"
	"ludoteca/lobby/origin"
	"ludoteca/storage/matches"
)

func TestBotDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.BotDelay = lobby.DefaultBotDelay })
		s := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst, Bot: "first"}).ID)
		start := time.Now()
		c.play(s, s, "d4")
		if took := time.Since(start); took != 0 {
			t.Errorf("the player's own move waited %v", took)
		}
		if v := c.now(s); v.Reply != lobby.Thinking {
			t.Errorf("the computer player is in state %d", v.Reply)
		}
		v := c.until(s, plies(2))
		if took := time.Since(start); took != lobby.DefaultBotDelay || v.Reply != lobby.NoReply {
			t.Errorf("the reply came after %v, state %d", took, v.Reply)
		}
	})
}

func TestGuestLeaves(t *testing.T) {
	tests := []struct {
		name           string
		moves          int
		result, reason string
	}{
		{"before a move", 0, "", "aborted"},
		{"after one", 1, "", "aborted"},
		{"after two", 2, "first", "abandoned"},
		{"after five", 5, "first", "abandoned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				leave, leaveToo := c.Presence.Enter(c.guest), c.Presence.Enter(c.guest)
				ref := c.open(c.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst})
				if _, err := c.Seats.Join(t.Context(), c.guest, origin.Origin{}, ref.Code); err != nil {
					t.Fatal(err)
				}
				a, g := c.seat(c.ana, ref.ID), c.seat(c.guest, ref.ID)
				c.play(a, g, win[:tt.moves]...)
				time.Sleep(time.Hour)
				leave()
				leave() // again: counts once
				time.Sleep(time.Hour)
				leaveToo()
				time.Sleep(4 * time.Minute)
				back := c.Presence.Enter(c.guest)
				time.Sleep(time.Hour)
				back()
				time.Sleep(5*time.Minute - time.Millisecond)
				synctest.Wait()
				if v := c.now(a); v.Over {
					t.Fatalf("over too early: %s", v.Reason)
				}
				time.Sleep(time.Millisecond)
				synctest.Wait()
				if v := c.now(a); !v.Over || v.Result != tt.result || v.Reason != tt.reason {
					t.Errorf("over %v, %q, %q", v.Over, v.Result, v.Reason)
				}
			})
		})
	}
}

// TestPlayerMayBeAway: a player with a key may be away for any time.
func TestPlayerMayBeAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		leave := c.Presence.Enter(c.ana)
		a, _ := c.start()
		leave()
		time.Sleep(365 * 24 * time.Hour)
		synctest.Wait()
		if v := c.now(a); v.Over {
			t.Errorf("over: %s", v.Reason)
		}
	})
}

func TestOffersExpire(t *testing.T) {
	tests := []struct {
		name    string
		who     func(c *club) lobby.User
		spec    lobby.Spec
		here    bool // the owner is here
		restart bool // the club is, a minute after the offer
		lasts   time.Duration
	}{
		{"public, owner gone", ana, lobby.Spec{Public: true}, false, false, 0},
		{"public, owner here, restart", ana, lobby.Spec{Public: true}, true, true, 2 * time.Minute},
		{"public, owner here", ana, lobby.Spec{Public: true}, true, false, 30 * 24 * time.Hour},
		{"public with days for a move, owner gone", ana, lobby.Spec{Public: true, Clock: threeDays}, false, false, 30 * 24 * time.Hour},
		{"public with days for a move, restart", ana, lobby.Spec{Public: true, Clock: threeDays}, true, true, 30 * 24 * time.Hour},
		{"guest's public with days for a move, guest gone", guest, lobby.Spec{Public: true, Clock: threeDays}, false, false, 5 * time.Minute},
		{"private, owner gone", ana, lobby.Spec{}, false, false, 30 * 24 * time.Hour},
		{"private, owner gone, restart", ana, lobby.Spec{}, false, true, 30 * 24 * time.Hour},
		{"guest's private, guest gone", guest, lobby.Spec{}, false, false, 5 * time.Minute},
		{"guest's private, restart", guest, lobby.Spec{}, false, true, 6 * time.Minute},
		{"guest's public, guest gone", guest, lobby.Spec{Public: true}, false, false, 0},
		{"guest's public, restart", guest, lobby.Spec{Public: true}, true, true, 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				start := time.Now()
				leave := c.Presence.Enter(tt.who(c))
				tt.spec.Game = "fourmation"
				id := c.open(tt.who(c), tt.spec).ID
				if !tt.here {
					leave()
				}
				if tt.restart {
					time.Sleep(time.Minute)
					c.Close()
					c = reopen(t, c.store)
				}
				s := c.seat(c.rui, id)
				v := c.until(s, over)
				if v.Reason != "aborted" || v.Result != "" {
					t.Errorf("%q, %q", v.Result, v.Reason)
				}
				if took := time.Since(start).Round(time.Millisecond); took != tt.lasts {
					t.Errorf("it lasted %v, want %v", took, tt.lasts)
				}
			})
		})
	}
}

// TestOfferEndsWithItsOwner: a public offer ends at once with the last connection of the user who opened it. It can't be taken after that, even
// if the take arrives first. An offer that a command has opened waits for a while.
func TestOfferEndsWithItsOwner(t *testing.T) {
	for name, who := range map[string]func(*club) lobby.User{"player": ana, "guest": guest} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t)
				owner := who(c)
				offers := func() int {
					time.Sleep(lists.UpdateEvery + lists.PublicEvery)
					synctest.Wait()
					return len(c.Lists.Now(c.rui).Offers)
				}
				leave, leaveToo := c.Presence.Enter(owner), c.Presence.Enter(owner)
				s := c.seat(c.rui, c.open(owner, lobby.Spec{Game: "fourmation", Public: true}).ID)
				private := c.seat(c.rui, c.open(owner, lobby.Spec{Game: "fourmation"}).ID)
				leave()
				if n := offers(); n != 1 {
					t.Errorf("one of two connections left: %d offers", n)
				}
				leaveToo()
				_, err := c.Seats.Take(t.Context(), c.rui, s.ID())
				wantErr(t, "taking it the moment after", err, lobby.ErrOver)
				synctest.Wait()
				if v := c.now(s); !v.Over || v.Reason != "aborted" {
					t.Errorf("over %v, %q", v.Over, v.Reason)
				}
				if n := offers(); n != 0 {
					t.Errorf("%d offers of nobody", n)
				}
				if v := c.now(private); v.Over {
					t.Error("the private offer has ended too")
				}

				// The last connection of a user without other matches ends while the offer is being opened.
				bia := c.account("bia")
				leave = c.Presence.Enter(bia)
				writing := make(chan struct{})
				c.store.set(func([]matches.Event) error { <-writing; return nil }, nil, nil)
				opened := make(chan lobby.Ref)
				go func() {
					ref, _ := c.Seats.Open(context.Background(), bia, lobby.Spec{Game: "fourmation", Public: true})
					opened <- ref
				}()
				synctest.Wait()
				leave()
				close(writing)
				<-opened
				if n := offers(); n != 0 {
					t.Errorf("%d offers of a user who left while opening", n)
				}

				command := c.seat(c.rui, c.open(owner, lobby.Spec{Game: "fourmation", Public: true}).ID)
				time.Sleep(live.AwayOffer - time.Second)
				if v := c.now(command); v.Over {
					t.Error("an offer of a command ended too early")
				}
				c.Presence.Enter(owner)() // the owner came to look at it
				synctest.Wait()
				if v := c.now(command); !v.Over {
					t.Error("an offer of a command outlived a connection of its owner")
				}
			})
		})
	}
}

// An exhibition pauses while nobody watches, goes on when a spectator comes, and ends if none does.
func TestExhibition(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.BotDelay = 2 * time.Second })
		spec := lobby.Spec{Game: "petteia", Bots: [2]string{"first", "first"}, Public: true}
		id := c.open(c.ana, spec).ID
		s := c.seat(c.ana, id)
		time.Sleep(time.Minute)
		v := c.now(s)
		if v.Ply() < 3 || v.Ply() > 7 || v.Reply != lobby.Paused {
			t.Fatalf("unwatched for a minute: %d moves, state %d", v.Ply(), v.Reply)
		}
		start := time.Now()
		c.until(s, plies(v.Ply()+5)) // watching
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("watched again, five moves took %v", took)
		}
		time.Sleep(4 * time.Minute)
		if v := c.now(s); v.Over {
			t.Fatalf("over after four minutes")
		}
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		if v := c.now(s); !v.Over || v.Reason != "aborted" || v.Result != "" {
			t.Errorf("after six minutes: over %v, %q, %q", v.Over, v.Result, v.Reason)
		}
		one := c.open(c.ana, spec)
		c.open(c.ana, spec)
		_, err := c.Seats.Open(t.Context(), c.ana, spec)
		wantErr(t, "a third one", err, lobby.ErrTooMany)
		wantErr(t, "another user stops it", c.seat(c.rui, one.ID).Abort(t.Context()), lobby.ErrNotSeated)
		wantErr(t, "stopping it", c.seat(c.ana, one.ID).Abort(t.Context()), nil)
		c.open(c.ana, spec)
	})
}

// Computer players wait for a worker in turn, and people come first.
func TestPoolIsFair(t *testing.T) {
	bubble(t, func(t *testing.T) {
		thinking := make(chan chan struct{})
		slow := lobby.Level{ID: "slow", Name: "Tardus", Move: func(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			done := make(chan struct{})
			thinking <- done
			<-done
			return p.Legal()[0], nil
		}}
		c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.Workers = []lobby.Level{slow}, 1 })
		show := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Bots: [2]string{"slow", "slow"}}).ID)
		done := <-thinking                                                                                        // the first move of the show
		other := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Bots: [2]string{"slow", "slow"}}).ID) // waits before people
		var seats []*lobby.Seat
		for range 3 {
			seats = append(seats, c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlaySecond, Bot: "slow"}).ID))
		}
		if v := c.now(seats[2]); v.Reply != lobby.Queued {
			t.Errorf("with one busy worker the state is %d", v.Reply)
		}
		for i := range 4 {
			close(done)
			done = <-thinking
			synctest.Wait()
			for j, s := range seats {
				want := lobby.NoReply
				switch {
				case j == i:
					want = lobby.Thinking
				case j > i:
					want = lobby.Queued
				}
				if v := c.now(s); v.Reply != want || v.Ahead != max(j-i, 0) || v.Ply() != min(max(i-j, 0), 1) {
					t.Errorf("step %d, match %d: state %d, %d ahead, after %d moves", i, j, v.Reply, v.Ahead, v.Ply())
				}
			}
		}
		if v := c.now(other); v.Ply() != 0 || v.Reply != lobby.Thinking {
			t.Errorf("the other show: %d moves, state %d", v.Ply(), v.Reply)
		}
		if v := c.now(show); v.Ply() != 1 || v.Reply != lobby.Queued {
			t.Errorf("the show: %d moves, state %d", v.Ply(), v.Reply)
		}
		close(done)
		go func() {
			for done := range thinking {
				close(done)
			}
		}()
		c.Close()
		close(thinking)
	})
}

// Thinking ends with the match.
func TestThinkingIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var cancelled atomic.Bool
		deep := lobby.Level{ID: "deep", Name: "Altus", Move: func(ctx context.Context, p games.Position, _ *games.Random) (games.Move, error) {
			<-ctx.Done()
			cancelled.Store(true)
			return "", ctx.Err()
		}}
		c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.Workers = []lobby.Level{deep}, 1 })
		s := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlaySecond, Bot: "deep"}).ID)
		synctest.Wait()
		wantErr(t, "resign", s.Resign(t.Context()), nil)
		synctest.Wait()
		if !cancelled.Load() {
			t.Errorf("it still thinks")
		}
		if v := c.now(s); v.Result != "first" || v.Reply != lobby.NoReply {
			t.Errorf("%q, state %d", v.Result, v.Reply)
		}
	})
}

// TestThinkingEndsWithTheClub: the club doesn't wait for computer players when it closes.
func TestThinkingEndsWithTheClub(t *testing.T) {
	bubble(t, func(t *testing.T) {
		deep := lobby.Level{ID: "deep", Name: "Altus", Move: func(ctx context.Context, _ games.Position, _ *games.Random) (games.Move, error) {
			<-ctx.Done()
			if ctx.Err() == context.DeadlineExceeded {
				t.Error("it thinks until its time is up")
			}
			return "", ctx.Err()
		}}
		c := newClub(t, func(cfg *lobby.Config) { cfg.Levels, cfg.Workers = []lobby.Level{deep}, 1 })
		c.open(c.ana, lobby.Spec{Game: "fourmation", Side: lobby.PlaySecond, Bot: "deep"})
		synctest.Wait()
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("closing takes %v", took)
		}
	})
}

// TestBotsRepeat: the same seeds give the same match.
func TestBotsRepeat(t *testing.T) {
	random := lobby.Level{ID: "random", Name: "Fors", Move: func(_ context.Context, p games.Position, r *games.Random) (games.Move, error) {
		legal := p.Legal()
		return legal[r.N(len(legal))], nil
	}}
	var want string
	for i := range 3 {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{random}; cfg.Seed = func() uint64 { return 7 } })
		s := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Bots: [2]string{"random", "random"}}).ID)
		got := c.until(s, over).Position.String()
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("run %d ends with %s, the first with %s", i, got, want)
		}
	}
}

// Time never goes backwards in a log, whatever the clock does.
func TestClockGoesBack(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.FixedZone("there", 3600))
	var asked atomic.Int64
	c := newClub(t, func(cfg *lobby.Config) {
		cfg.Now = func() time.Time { return start.Add(-time.Duration(asked.Add(1)) * time.Minute) }
		cfg.Bounds.PrivateWait = 1000 * time.Hour
	})
	s := c.seat(c.ana, c.open(c.ana, lobby.Spec{Game: "fourmation", Hotseat: true}).ID)
	var log []matches.Event
	c.store.set(nil, func(events []matches.Event) error { log = append(log, events...); return nil }, nil)
	c.play(s, s, win...)
	if len(log) != len(win)+1 {
		t.Fatalf("%d events", len(log))
	}
	for i, e := range log {
		if i > 0 && e.At.Before(log[i-1].At) || e.At.Location() != time.UTC || e.At.Nanosecond()%1e6 != 0 {
			t.Errorf("event %d is at %v", e.Seq, e.At)
		}
	}
}

func TestGuesses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.Bounds.WrongCodes, cfg.Bounds.WrongCodeEvery = 3, 10*time.Second })
		ref := c.open(c.ana, lobby.Spec{Game: "fourmation"})
		here, there := origin.Origin{Addr: netip.MustParseAddr("192.0.2.1")}, origin.Origin{Addr: netip.MustParseAddr("198.51.100.2")}
		guess := func(who lobby.User, from origin.Origin, code string) error {
			_, err := c.Seats.Join(t.Context(), who, from, code)
			return err
		}
		for range 5 { // right ones cost nothing
			if _, err := c.Finder.Find(t.Context(), c.rui, here, ref.Code); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			wantErr(t, "a wrong guess", guess(c.rui, here, "222222"), lobby.ErrNoSuchMatch)
		}
		wantErr(t, "one more", guess(c.rui, here, "222222"), lobby.ErrThrottled)
		err := guess(c.rui, here, ref.Code)
		wantErr(t, "the right one, too late", err, lobby.ErrThrottled)
		if wait := err.(*lobby.ThrottledError).Wait; wait != 10*time.Second {
			t.Errorf("told to wait %v", wait)
		}
		wantErr(t, "from elsewhere as the same player", guess(c.rui, there, ref.Code), lobby.ErrThrottled)
		_, err = c.Finder.Find(t.Context(), c.rui, here, "333333")
		wantErr(t, "looking instead of joining", err, lobby.ErrThrottled)
		_, err = c.Finder.Find(t.Context(), c.rui, here, string(ref.ID))
		wantErr(t, "an id instead of a code", err, lobby.ErrThrottled)
		for _, code := range []string{ref.Code, strings.ToLower(ref.Code)} {
			if found, err := c.Finder.Find(t.Context(), c.ana, here, code); found.ID != ref.ID || err != nil {
				t.Errorf("the one who opened it, from the same address: %v, %v", found, err)
			}
		}
		wantErr(t, "joining their own", guess(c.ana, here, ref.Code), lobby.ErrOwnOffer)
		wantErr(t, "another code from the same address", guess(c.ana, here, "222222"), lobby.ErrThrottled)
		time.Sleep(10 * time.Second)
		wantErr(t, "after the wait", guess(c.rui, here, ref.Code), nil)
	})
}

// Presence counts people, not connections.
func TestPresence(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		leave, leaveToo, guestLeaves := c.Presence.Enter(c.ana), c.Presence.Enter(c.ana), c.Presence.Enter(c.guest)
		defer guestLeaves()
		lists := func() *lists.Lists {
			time.Sleep(time.Second)
			synctest.Wait()
			return c.Lists.Now(c.ana)
		}
		if l := lists(); l.Count != 2 {
			t.Errorf("%d here, want 2", l.Count)
		}
		leave()
		if l := lists(); l.Count != 2 {
			t.Errorf("one of two connections left: %d here", l.Count)
		}
		if p, err := c.Standings.Profile(t.Context(), lobby.User{}, "ana"); err != nil || !p.Online {
			t.Errorf("profile: %+v, %v", p, err)
		}
		leaveToo()
		if l := lists(); l.Count != 1 {
			t.Errorf("both left: %d here", l.Count)
		}
	})
}

// TestResigning: a computer player gives up what it has lost and nothing else.
func TestResigning(t *testing.T) {
	// Each of its turns: how far the loss is, and whether that is proven.
	type turn struct {
		plies  int
		proven bool
	}
	ten := func(then ...turn) []turn { return append(make([]turn, 5), then...) }
	for _, tt := range []struct {
		name  string
		turns []turn
		want  bool // it resigns at the last of them
	}{
		{"proven twice, and the other follows the way", ten(turn{-14, true}, turn{-12, true}), true},
		{"the other is even quicker", ten(turn{-14, true}, turn{-10, true}), true},
		{"proven once", ten(turn{-14, true}), false},
		{"only believed", ten(turn{-14, false}, turn{-12, false}), false},
		{"proven, then only believed", ten(turn{-14, true}, turn{-12, false}), false},
		{"the other has lost the way", ten(turn{-14, true}, turn{-14, true}), false},
		{"a pretty end", ten(turn{-8, true}, turn{-6, true}), false},
		{"a win", ten(turn{14, true}, turn{12, true}), false},
		{"a draw", ten(turn{0, true}, turn{0, true}), false},
		{"not in a row", ten(turn{-16, true}, turn{0, false}, turn{-12, true}), false},
		{"too early", []turn{{-14, true}, {-12, true}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			loser := lobby.Level{ID: "loser", Name: "Victus", Think: func(_ context.Context, _ bot.Clock, p games.Position, _ *games.Random) (lobby.Decision, error) {
				d := lobby.Decision{Move: p.Legal()[0], Ahead: true, Plies: tt.turns[n].plies, Proven: tt.turns[n].proven}
				n++
				return d, nil
			}}
			c := newClub(t, func(cfg *lobby.Config) { cfg.Levels = []lobby.Level{loser} })
			spec := lobby.Spec{Game: "fourmation", Side: lobby.PlayFirst, Bot: "loser", Options: games.Options{"cols": 9, "rows": 9, "win_length": 7}}
			a := c.seat(c.ana, c.open(c.ana, spec).ID)
			var v *lobby.View
			for range tt.turns {
				v = c.now(a)
				if v.Over {
					t.Fatalf("over after %d moves: %s", v.Ply(), v.Reason)
				}
				if err := a.Move(t.Context(), v.Position.Legal()[0], v.Ply()); err != nil {
					t.Fatal(err)
				}
				v = c.until(a, func(v *lobby.View) bool { return v.Over || v.YourTurn(c.ana) })
			}
			if v.Over != tt.want || v.Over && (v.Reason != "resigned" || v.Result != "first") {
				t.Errorf("over %v: %q, %q", v.Over, v.Result, v.Reason)
			}
		})
	}
}
