package lobby_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/petteia"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// lastMatchOld is how old the last match may be that the club shows.
const lastMatchOld = 5 * time.Second

// finish plays a public match between two accounts, in which the second side resigns after plies moves, and returns its id.
func (c *club) finish(plies int, change func(*seats.Spec), names ...string) storage.MatchID {
	c.t.Helper()
	spec := seats.Spec{Game: "petteia", Public: true, Side: seats.PlayFirst}
	if change != nil {
		change(&spec)
	}
	a, b := c.account(names[0]), c.account(names[1])
	ref := c.open(a, spec)
	seats := [2]*seats.Seat{c.seat(a, ref.ID), c.seat(a, ref.ID)}
	if !spec.Hotseat && spec.Bot == "" {
		if _, err := c.Seats.Join(c.t.Context(), b, origin.Origin{}, ref.Code); err != nil {
			c.t.Fatal(err)
		}
		seats[1] = c.seat(b, ref.ID)
	}
	for v := c.now(seats[0]); v.Ply() < plies; v = c.now(seats[0]) {
		if spec.Bot != "" && v.Seats[v.Turn].Kind == storage.Bot {
			c.until(seats[0], func(n *lobby.View) bool { return n.Turn == games.First })
			continue
		}
		c.play(seats[0], seats[1], v.Position.Legal()[0])
	}
	if err := seats[1].Resign(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	time.Sleep(time.Minute) // the next one ends later, and what was read is old by then
	synctest.Wait()
	return ref.ID
}

// last returns the last match, "" for none.
func (c *club) last() (*lists.Replay, storage.MatchID) {
	c.t.Helper()
	r, err := c.Television.LastMatch(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	if r == nil {
		return nil, ""
	}
	return r, r.ID
}

// TestLastMatch plays one match after the other: some become the last match, the others don't.
func TestLastMatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t, func(cfg *lobby.Config) { cfg.BotDelay = time.Millisecond })
		if r, _ := c.last(); r != nil {
			t.Errorf("before the first match there is %v", r)
		}
		o, err := games.Complete(petteia.New(), nil)
		if err != nil {
			t.Fatal(err)
		}
		start, err := petteia.New().New(o)
		if err != nil {
			t.Fatal(err)
		}
		var given []games.Move
		for p := start; len(given) < 10; {
			given = append(given, p.Legal()[0])
			if p, err = p.Play(p.Legal()[0]); err != nil {
				t.Fatal(err)
			}
		}
		steps := []struct {
			name   string
			plies  int
			change func(*seats.Spec)
			who    [2]string
			shown  bool
		}{
			{"a short one", 9, nil, [2]string{"kim", "lea"}, false},
			{"between newcomers", 10, nil, [2]string{"kim", "lea"}, true},
			{"a later one", 12, nil, [2]string{"max", "nea"}, true},
			{"a private one", 12, func(s *seats.Spec) { s.Public = false }, [2]string{"kim", "lea"}, false},
			{"against a computer player", 12, func(s *seats.Spec) { s.Bot = "first" }, [2]string{"kim", "lea"}, false},
			{"at one keyboard", 12, func(s *seats.Spec) { s.Hotseat = true }, [2]string{"kim", "lea"}, false},
			{"a rated one", 12, func(s *seats.Spec) { s.Rated = true }, [2]string{"ana", "rui"}, true},
			{"a later one of weaker people", 12, nil, [2]string{"kim", "lea"}, false},
			{"a casual one of the rated", 12, nil, [2]string{"ana", "rui"}, true},
			{"a rated and an unrated player", 12, nil, [2]string{"ana", "kim"}, false},
			{"after ten moves of the opening", 16, func(s *seats.Spec) { s.Moves = given }, [2]string{"ana", "rui"}, false},
		}
		_, before := c.last()
		for _, step := range steps {
			id := c.finish(step.plies, step.change, step.who[:]...)
			r, got := c.last()
			want := before
			if step.shown {
				want = id
			}
			if got != want {
				t.Errorf("%s: the last match is %q, want %q of %q", step.name, got, want, id)
			}
			if r != nil {
				if r.At(0).Turn() != games.First || r.At(r.Ply()).String() != r.Position.String() || r.Code != "" {
					t.Errorf("%s: from %s to %s, code %q", step.name, r.At(0), r.At(r.Ply()), r.Code)
				}
			}
			before = got
		}
	})
}

// A last match that began from a position is shown from there.
func TestLastMatchFromAPosition(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const from = "last=b1 turn=O ......./......./......./......./......./.O...../XX....."
		c := newClub(t)
		id := c.finish(10, func(s *seats.Spec) { s.Game, s.From = "fourmation", from }, "kim", "lea")
		r, got := c.last()
		if got != id {
			t.Fatalf("the last match is %q, want %q", got, id)
		}
		if r.At(0).String() != from || r.At(r.Ply()).String() != r.Position.String() {
			t.Errorf("it goes from %s to %s", r.At(0), r.At(r.Ply()))
		}
	})
}

// All users get the same last match, which is read once. When it is old, it is read again, but its positions are not computed again.
func TestLastMatchIsShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		c.finish(10, nil, "kim", "lea")
		first, _ := c.last()
		read := c.store.histories.Load()
		for range 100 {
			if r, _ := c.last(); r != first {
				t.Fatal("a user gets another last match")
			}
		}
		if n := c.store.histories.Load() - read; n != 0 {
			t.Errorf("history was read %d times more", n)
		}
		time.Sleep(lastMatchOld)
		if r, _ := c.last(); r != first {
			t.Error("it was worked out again")
		}
		if n := c.store.histories.Load() - read; n != 1 {
			t.Errorf("history was read %d times when the match was old", n)
		}
	})
}

// A last match whose record has changed is shown as its record is now, when it is read again.
func TestLastMatchOfADeletedPlayer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store, c := openRated(t, filepath.Join(t.TempDir(), "club.db"))
		defer func() { c.Close(); store.Close() }()
		id := c.finish(10, func(s *seats.Spec) { s.Game = "fourmation" }, "kim", "lea")
		first, _ := c.last()
		if err := c.Accounts.DeleteAccount(t.Context(), c.account("kim"), lobby.NoSessions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lastMatchOld)
		if r, got := c.last(); got != id || r == first || r.Seats[games.First].Name != accounts.FormerPlayer {
			t.Error("the records have changed, and the match of before is shown")
		}
	})
}

// Users in the lobby don't count as readers of the match on the television: without other readers, a match of computer players goes off the
// television and pauses.
func TestTelevisionInLobbyLooksAtNothing(t *testing.T) {
	tests := []struct {
		name string
		open seats.Spec
	}{
		{"two computer players", seats.Spec{Game: "petteia", Bots: [2]string{"first", "first"}, Public: true}},
		{"one whose opponent is in the lobby", seats.Spec{Game: "petteia", Bot: "first", Side: seats.PlaySecond, Public: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newClub(t, func(cfg *lobby.Config) { cfg.BotDelay = 2 * time.Second })
				defer c.Presence.Enter(c.ana)()
				ref := c.open(c.ana, tt.open)
				looker := c.seat(c.rui, ref.ID)
				looks, stop := context.WithCancel(t.Context())
				go func() {
					for v := c.now(looker); v != nil; {
						v, _ = looker.Next(looks, v.Seq)
					}
				}()
				time.Sleep(5 * time.Second)
				v, err := c.Television.TelevisionInLobby(t.Context(), c.guest, nil)
				if err != nil || v.ID != ref.ID {
					t.Fatalf("it shows %v, %v", v, err)
				}
				stop()
				plies := 0
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
				defer cancel()
				for {
					next, err := c.Television.TelevisionInLobby(ctx, c.guest, v)
					if err != nil {
						break
					}
					plies += next.Ply() - v.Ply()
					v = next
				}
				if ctx.Err() == nil || plies > 8 {
					t.Errorf("nobody looks, and there were %d moves, %v", plies, ctx.Err())
				}
				if l := c.Lists.Now(c.guest); len(l.Running) > 0 {
					t.Errorf("now playing: %+v", l.Running)
				}
				other, _, leave := c.between(true, "kim", "lea")
				defer leave()
				ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if v, err = c.Television.TelevisionInLobby(ctx, c.guest, v); err != nil || v.ID != other.ID() {
					t.Errorf("a match is being played, and the television shows %v, %v", v, err)
				}
				reads := 0
				c.store.set(nil, nil, func() error { reads++; return nil })
				if c.now(looker); reads == 0 {
					t.Error("the match that nobody looks at is in memory")
				}
			})
		})
	}
}

// The television in the lobby goes back to a match that it has left because nobody played it.
func TestTelevisionInLobbyComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClub(t)
		settle := func() { time.Sleep(2 * time.Second); synctest.Wait() }
		a, b, leave := c.between(true, "kim", "lea")
		settle()
		v, err := c.Television.TelevisionInLobby(t.Context(), c.guest, nil)
		if err != nil || v.ID != a.ID() || v.Code != "" {
			t.Fatalf("it shows %v, %v", v, err)
		}
		leave()
		time.Sleep(6 * time.Minute) // for five of them a match counts as played
		if l := c.Lists.Now(c.guest); len(l.Running) > 0 {
			t.Fatalf("now playing: %+v", l.Running)
		}
		shown := make(chan *lobby.View, 1)
		go func() {
			for n, err := v, error(nil); err == nil; {
				n, err = c.Television.TelevisionInLobby(t.Context(), c.guest, n)
				if err == nil && n.Ply() > v.Ply() {
					shown <- n
					return
				}
			}
		}()
		synctest.Wait()
		c.play(a, b, "d4")
		settle()
		select {
		case n := <-shown:
			if n.ID != a.ID() {
				t.Errorf("it shows %s", n.ID)
			}
		default:
			t.Error("it doesn't show the move")
		}
	})
}
