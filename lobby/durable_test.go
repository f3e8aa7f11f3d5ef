package lobby_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// Nobody sees a move before it is on disk, its author included.
func TestNothingIsSeenBeforeItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start(func(s *seats.Spec) { s.Public = true })
		c.play(a, r, win[:6]...)
		seen := c.now(a).Seq
		begun, release := held(c)
		type answer struct {
			who  string
			ply  int
			view *lobby.View
			err  error
		}
		answers := make(chan answer, 4)
		for _, s := range []*seats.Seat{a, r, c.seat(c.guest, a.ID())} {
			go func() {
				v, err := s.Next(t.Context(), seen)
				answers <- answer{s.User().Name, v.Ply(), v, err}
			}()
		}
		go func() { answers <- answer{"the author's call", 7, nil, a.Move(t.Context(), win[6], 6)} }() // it ends the match
		<-begun
		synctest.Wait()
		select {
		case got := <-answers:
			t.Fatalf("%s knows before the store: %+v", got.who, got)
		default:
		}
		if v := c.now(r); v.Ply() != 6 || v.Over {
			t.Fatalf("Now shows what is not on disk: %s", text(v))
		}
		if y := c.Lists.Yours(c.ana); len(y.Matches) != 1 || y.Matches[0].Ply != 6 {
			t.Errorf("the lists show what is not on disk: %+v", y.Matches)
		}
		release <- nil
		for range cap(answers) {
			got := <-answers
			if got.err != nil || got.ply != 7 {
				t.Errorf("after it is written: %+v", got)
			}
			if v := c.now(r); !v.Over || got.view != nil && got.view != v {
				t.Errorf("over %v; %s has another view than is shown now", v.Over, got.who)
			}
		}
	})
}

// A session that goes away while its move is being written leaves the move behind.
func TestMoveOutlivesItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		begun, release := held(c)
		ctx, leave := context.WithCancel(t.Context())
		moved := make(chan error, 1)
		go func() { moved <- a.Move(ctx, "d4", 0) }()
		<-begun
		leave()
		wantErr(t, "the session's call", <-moved, context.Canceled)
		release <- nil
		if v := c.until(r, plies(1)); v.Moves[0] != "d4" {
			t.Errorf("the other sees %v", v.Moves)
		}
	})
}

// A match whose write hangs holds up neither other matches nor the lists.
func TestHangingWriteHoldsUpNobodyElse(t *testing.T) {
	c := newClub(t)
	a1, _ := c.start()
	a2, r2 := c.start()
	begun, release := make(chan struct{}), make(chan struct{})
	c.store.set(func(e []matches.Event) error {
		if e[0].Move == "a1" {
			close(begun)
			<-release
		}
		return nil
	}, nil, nil)
	moved := make(chan error, 1)
	go func() { moved <- a1.Move(t.Context(), "a1", 0) }()
	<-begun
	c.play(a2, r2, "d4", "e5")
	c.open(c.ana, seats.Spec{Game: "fourmation", Public: true})
	leave := c.Presence.Enter(c.ana)
	leave()
	if v := c.now(a1); v.Ply() != 0 {
		t.Errorf("the hanging match shows %d moves", v.Ply())
	}
	close(release)
	wantErr(t, "the hanging move", <-moved, nil)
}

// After a failed commit nothing is known: the match reads its log again and goes on from what it says.
func TestFailedCommit(t *testing.T) {
	commit := fmt.Errorf("disk: %w", storage.ErrCommit)
	fail := func([]matches.Event) error { return commit }
	tests := []struct {
		name          string
		before, after func([]matches.Event) error
		start         int // moves made before
		want          error
		plies         int
		over          bool
	}{
		{"not written", fail, nil, 2, lobby.ErrBusy, 2, false},
		{"written", nil, fail, 2, nil, 3, false},
		{"the last move, not written", fail, nil, 6, lobby.ErrBusy, 6, false},
		{"the last move, written", nil, fail, 6, nil, 7, true},
		{"somebody else was first", func([]matches.Event) error { return storage.ErrStale }, nil, 2, lobby.ErrLate, 2, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClub(t)
			a, r := c.start(func(s *seats.Spec) { s.Rated = true })
			c.play(a, r, win[:tt.start]...)
			c.store.set(tt.before, tt.after, nil)
			wantErr(t, "the move", a.Move(t.Context(), win[tt.start], lobby.AnyPly), tt.want)
			v := c.now(r)
			if v.Ply() != tt.plies || v.Over != tt.over || (v.Ratings != nil) != tt.over {
				t.Fatalf("the other sees %d moves, over %v, ratings %v", v.Ply(), v.Over, v.Ratings)
			}
			c.store.set(nil, nil, nil)
			c.play(a, r, win[tt.plies:]...)
			if v := c.now(a); v.Result != "first" || len(v.Moves) != len(win) {
				t.Errorf("play went on to %q after %v", v.Result, v.Moves)
			}
		})
	}
}

// While the log can't be read either, the match shows what it showed, and refuses; then it goes on by itself.
func TestStoreInTrouble(t *testing.T) {
	for _, written := range []bool{false, true} {
		t.Run(fmt.Sprintf("written %v", written), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newClub(t)
				a, r := c.start()
				broken := func([]matches.Event) error { return storage.ErrCommit }
				unreadable := func() error { return errors.New("input/output error") }
				if written {
					c.store.set(nil, broken, unreadable)
				} else {
					c.store.set(broken, nil, unreadable)
				}
				wantErr(t, "the move", a.Move(t.Context(), "d4", 0), lobby.ErrBusy)
				c.store.set(func(events []matches.Event) error {
					t.Errorf("%s is written before it is known what is on disk", events[0].Kind)
					return storage.ErrCommit
				}, nil, unreadable)
				wantErr(t, "another move", a.Move(t.Context(), "d4", 0), lobby.ErrBusy)
				wantErr(t, "the other one", r.Resign(t.Context()), lobby.ErrBusy)
				if v := c.now(r); v.Ply() != 0 || v.Over {
					t.Fatalf("while nothing is known the match shows %s", text(v))
				}
				time.Sleep(time.Minute)
				c.store.set(nil, nil, nil)
				time.Sleep(6 * time.Second) // the longest wait between two tries
				synctest.Wait()
				v := c.now(r)
				if want := map[bool]int{false: 0, true: 1}[written]; v.Ply() != want {
					t.Fatalf("afterwards the match has %d moves, want %d", v.Ply(), want)
				}
				c.play(a, r, []matches.Event{{Move: "d4"}, {Move: "e5"}}[v.Ply()].Move)
			})
		})
	}
}

// A new match whose opening fails is not there, or is: nothing between.
func TestFailedOpening(t *testing.T) {
	c := newClub(t)
	fail := func([]matches.Event) error { return storage.ErrCommit }
	c.store.set(fail, nil, nil)
	_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "not written", err, lobby.ErrBusy)
	if n := len(c.Lists.Yours(c.ana).Matches); n != 0 {
		t.Errorf("%d matches after an opening that was not written", n)
	}
	c.store.set(nil, fail, nil)
	ref, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "written", err, nil)
	if y := c.Lists.Yours(c.ana); len(y.Matches) != 1 || y.Matches[0].Ref != ref {
		t.Errorf("matches after an opening that was written: %+v", y.Matches)
	}
}

func TestCodeTaken(t *testing.T) {
	c := newClub(t)
	var codes []string
	c.store.set(func(e []matches.Event) error {
		codes = append(codes, e[0].Opening.Code)
		switch len(codes) {
		case 1:
			return fmt.Errorf("storage: %w", storage.ErrCodeTaken)
		case 2:
			return fmt.Errorf("storage: %w", storage.ErrStale) // the id
		}
		return nil
	}, nil, nil)
	ref := c.open(c.ana, seats.Spec{Game: "fourmation"})
	if len(codes) != 3 || codes[0] == codes[1] || ref.Code != codes[2] {
		t.Errorf("tried %v, got %s", codes, ref.Code)
	}
	c.store.set(func([]matches.Event) error { return storage.ErrCodeTaken }, nil, nil)
	_, err := c.Seats.Open(t.Context(), c.ana, seats.Spec{Game: "fourmation"})
	wantErr(t, "no code is free", err, lobby.ErrBusy)
}

// A computer player whose move can't be written tries again, slower and slower, and the log says it once.
func TestBotOnAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		s := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlayFirst, Bot: "first"}).ID)
		tries := 0
		c.store.set(func(e []matches.Event) error {
			if e[0].Seat == storage.SecondSeat {
				tries++
				return storage.ErrCommit
			}
			return nil
		}, nil, nil)
		c.play(s, s, "d4")
		time.Sleep(time.Minute)
		synctest.Wait()
		if tries < 3 || tries > 30 {
			t.Errorf("%d tries in a minute", tries)
		}
		c.store.set(nil, nil, nil)
		c.until(s, plies(2))
	})
}

// Closing waits for what is being written.
func TestCloseFinishesWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		a, _ := c.start()
		begun, release := held(c)
		moved, closed := make(chan error, 1), make(chan error, 1)
		go func() { moved <- a.Move(t.Context(), "d4", 0) }()
		<-begun
		go func() { closed <- c.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("closed while a move is being written")
		default:
		}
		release <- nil
		wantErr(t, "the move", <-moved, nil)
		wantErr(t, "closing", <-closed, nil)
	})
}

// TestLogVanishes: a match whose log has gone is taken out of play, and those who look at it are told.
func TestLogVanishes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		seen := c.now(r)
		heard := make(chan error, 1)
		go func() {
			_, err := r.Next(t.Context(), seen.Seq)
			heard <- err
		}()
		synctest.Wait()
		c.store.set(func([]matches.Event) error { return storage.ErrCommit }, nil, func() error { return storage.ErrNotFound })
		wantErr(t, "the move", a.Move(t.Context(), "d4", 0), lobby.ErrBusy)
		wantErr(t, "a waiting reader", <-heard, lobby.ErrDamaged)
		wantErr(t, "another move", a.Move(t.Context(), "d4", 0), lobby.ErrDamaged)
		if n := len(c.Lists.Yours(c.ana).Matches); n != 0 {
			t.Errorf("%d matches are still listed", n)
		}
	})
}

// TestLogVanishesUnderACommand: a request that waits for such a match is told why it is gone, and not that the club closes.
func TestLogVanishesUnderACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClub(t)
		a, r := c.start()
		begun, release := held(c)
		moved, resigned := make(chan error, 1), make(chan error, 1)
		go func() { moved <- a.Move(t.Context(), "d4", 0) }()
		<-begun
		go func() { resigned <- r.Resign(t.Context()) }()
		synctest.Wait()
		c.store.set(nil, nil, func() error { return storage.ErrNotFound })
		release <- storage.ErrCommit
		wantErr(t, "the move", <-moved, lobby.ErrBusy)
		wantErr(t, "resigning", <-resigned, lobby.ErrDamaged)
		c.Close()
	})
}

// TestEnginePanics: a bug in an engine costs one move, not the club.
func TestEnginePanics(t *testing.T) {
	fatal := lobby.Level{ID: "fatal", Name: "Fatalis", Move: func(context.Context, games.Position, *games.Random) (games.Move, error) {
		return "d4", nil
	}}
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) {
			cfg.Games, cfg.Levels = []games.Game{explosive{fourmation.New()}}, []lobby.Level{fatal}
		})
		a, r := c.start()
		wantErr(t, "the move that panics", a.Move(t.Context(), "d4", 0), lobby.ErrBusy)
		c.play(a, r, "a1", "b2")
		bot := c.seat(c.ana, c.open(c.ana, seats.Spec{Game: "fourmation", Side: seats.PlaySecond, Bot: "fatal"}).ID)
		if v := c.until(bot, over); v.Ply() != 0 || v.Reason != "resigned" || v.Result != "second" {
			t.Errorf("a computer player steps on it: %s", text(v))
		}
	})
}
