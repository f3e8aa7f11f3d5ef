package command

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/seats"
)

// A waiter is a command wait that runs in a bubble.
type waiter struct {
	out, complaints lockedBuffer
	leave           context.CancelFunc
	status          chan int
}

// waits starts a command that waits.
func (h *fixture) waits(who Caller, line string) *waiter {
	ctx, leave := context.WithCancel(h.t.Context())
	w := &waiter{leave: leave, status: make(chan int, 1)}
	go func() { w.status <- h.run.Run(ctx, who, line, &w.out, &w.complaints) }()
	synctest.Wait()
	return w
}

// ends returns the status of a wait that has ended; -1 if it goes on.
func (w *waiter) ends() int {
	time.Sleep(time.Second) // of the bubble: lists show after a moment
	synctest.Wait()
	select {
	case status := <-w.status:
		return status
	default:
		return -1
	}
}

// says checks how a wait has ended and what it printed: kinds, matches and names of its lines.
func (w *waiter) says(t *testing.T, want string) {
	t.Helper()
	status, out := w.ends(), w.out.take()
	var got []string
	for line := range strings.Lines(out) {
		m := decode(t, line)
		at, err := time.Parse(time.RFC3339, m["at"].(string))
		if err != nil || time.Since(at) < 0 || m["match"] == "" || m["event"] != "" {
			t.Errorf("printed %s", line)
		}
		got = append(got, fmt.Sprint(m["kind"], " ", m["code"], " ", m["by"]))
	}
	if got := strings.Join(got, ", "); status != Done || got != want {
		t.Errorf("status %d with %q, want %q; complains %q", status, got, want, w.complaints.take())
	}
}

// TestWait: wait ends with 0 as soon as something wants the player that --for names, and says what.
func TestWait(t *testing.T) {
	begin := func(h *fixture) (code string) {
		code = h.object("ana", "new 4mation --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		return code
	}
	for _, tt := range []struct {
		name, flags string
		before      func(h *fixture) (code string)
		does        func(h *fixture, code string)
		want        string // "": wait goes on
	}{
		{"your move", "", func(h *fixture) string { code := begin(h); h.as("ana", Done, "move "+code+" a1"); return code },
			func(h *fixture, code string) { h.as("rui", Done, "move "+code+" b2") }, "your_move CODE rui"},
		{"it is your move already", "", begin, func(*fixture, string) {}, ""},
		{"a match begins", "--for yours", func(h *fixture) string {
			return h.object("ana", "new 4mation --side first --json")["code"].(string)
		}, func(h *fixture, code string) { h.as("rui", Done, "join "+code) }, "begins CODE rui"},
		{"an offer", "--for yours", func(h *fixture) string {
			code := begin(h)
			h.as("ana", Done, "move "+code+" a1")
			h.as("rui", Done, "move "+code+" b2")
			return code
		}, func(h *fixture, code string) { h.as("rui", Done, "draw "+code) }, "offer CODE rui"},
		{"your own move", "", begin, func(h *fixture, code string) { h.as("ana", Done, "move "+code+" a1") }, ""},
		{"a challenge", "--for challenge", func(h *fixture) string { h.as("ana", Done, "name ana"); return "" },
			func(h *fixture, _ string) { h.as("rui", Done, "new tanks --to ana --json") }, "challenge * rui"},
		{"a challenge while only matches count", "--for yours", func(h *fixture) string { h.as("ana", Done, "name ana"); return "" },
			func(h *fixture, _ string) { h.as("rui", Done, "new tanks --to ana --json") }, ""},
		{"a move while only challenges count", "--for challenge", func(h *fixture) string { code := begin(h); h.as("ana", Done, "move "+code+" a1"); return code },
			func(h *fixture, code string) { h.as("rui", Done, "move "+code+" b2") }, ""},
		{"an event", "--for event", begin, func(h *fixture, code string) { h.as("rui", Done, "resign "+code) }, ""},
		{"the opponent resigns", "", begin, func(h *fixture, code string) { h.as("rui", Done, "resign "+code) }, "over CODE rui"},
		{"the player resigns", "", begin, func(h *fixture, code string) { h.as("ana", Done, "resign "+code) }, ""},
		{"a challenge is declined", "--for any", func(h *fixture) string {
			h.as("rui", Done, "name rui")
			return h.object("ana", "new tanks --to rui --json")["code"].(string)
		}, func(h *fixture, code string) { h.as("rui", Done, "decline "+code) }, "declined CODE rui"},
		{"a rematch", "", func(h *fixture) string {
			code := begin(h)
			h.as("ana", Done, "resign "+code)
			return code
		}, func(h *fixture, code string) { h.as("rui", Done, "rematch "+code) }, "rematch * rui"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fixture{t: t, run: inMemory(t, Options{})}
				code := tt.before(h)
				time.Sleep(time.Second)
				synctest.Wait()
				w := h.waits(key("ana"), "wait --json "+tt.flags)
				tt.does(h, code)
				if tt.want == "" {
					if status := w.ends(); status >= 0 {
						t.Errorf("it has ended with %d: %s%s", status, w.out.take(), w.complaints.take())
					}
					w.leave()
					return
				}
				if strings.Contains(tt.want, "*") { // a code that nobody has told the test
					y := h.run.lobby.Lists.Yours(mustSignIn(t, h, "ana"))
					code = y.Invitations[0].Code
				}
				w.says(t, strings.NewReplacer("CODE", code, "*", code).Replace(tt.want))
			})
		})
	}
}

// TestWaitSaysInWords: without --json the line is a sentence in the language of the account.
func TestWaitSaysInWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		code := h.object("ana", "new 4mation --side second --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		time.Sleep(time.Second)
		w := h.waits(key("ana"), "wait")
		h.as("rui", Done, "move "+code+" a1")
		if status, out := w.ends(), w.out.take(); status != Done || out != "It is your move in match "+code+", against rui.\n" {
			t.Errorf("status %d, prints %q", status, out)
		}
	})
}

// TestWaitAfter: what came between two waits ends the second one at once, and nothing ends both.
func TestWaitAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		minute := func() string {
			now := time.Now().UTC().Format(time.RFC3339Nano)
			time.Sleep(time.Minute)
			return now
		}
		h.as("ana", Done, "name ana")
		start := minute()
		open := h.object("ana", "new 4mation --side second --json")["code"].(string)
		began := h.object("ana", "new 4mation --side second --json")["code"].(string)
		played := h.object("ana", "new 4mation --side second --json")["code"].(string)
		over := h.object("ana", "new 4mation --side first --json")["code"].(string)
		given := h.object("ana", "new 4mation --side first --json")["code"].(string)
		joined := h.object("eva", "new 4mation --side second --json")["code"].(string)
		for _, code := range []string{began, played, over, given} {
			h.as("rui", Done, "join "+code)
		}
		begun := minute()
		h.as("ana", Done, "join "+joined) // her own doing: it is no news that she may move
		h.as("rui", Done, "move "+played+" a1")
		for _, code := range []string{over, given} {
			h.twoEach(code, "ana", "rui")
		}
		minute()
		h.as("rui", Done, "resign "+over)
		h.as("ana", Done, "resign "+given) // nor this
		minute()
		h.as("eva", Done, "new tanks --to ana")
		challenge := h.run.lobby.Lists.Yours(mustSignIn(t, h, "ana")).Invitations[0].Code

		h.waits(key("ana"), "wait --json --after "+start).says(t, fmt.Sprintf("begins %s rui, your_move %s rui, over %s rui, challenge %s eva", began, played, over, challenge))
		h.waits(key("ana"), "wait --json --for challenge --after "+start).says(t, fmt.Sprintf("challenge %s eva", challenge))
		h.waits(key("ana"), "wait --json --after "+begun).says(t, fmt.Sprintf("your_move %s rui, over %s rui, challenge %s eva", played, over, challenge))

		w := h.waits(key("ana"), "wait --json --after "+begun)
		w.ends()
		lines := strings.Split(strings.TrimSpace(w.out.take()), "\n")
		last := decode(t, lines[len(lines)-1]+"\n")["at"].(string)
		w = h.waits(key("ana"), "wait --json --after "+last)
		if status := w.ends(); status >= 0 {
			t.Errorf("with the time of the last line it ends again with %d: %s", status, w.out.take())
		}
		h.as("rui", Done, "join "+open)
		w.says(t, "begins "+open+" rui")
	})
}

// TestWaitEnds: wait ends with 1 at its time and when the club stops, and with 0 after a day in which nothing came but the last moment. The idle
// limit of other commands doesn't end it.
func TestWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{Idle: func() time.Duration { return time.Minute }})}
		h.as("ana", Done, "name ana")
		refused := func(w *waiter, code, words string) {
			t.Helper()
			synctest.Wait()
			select {
			case status := <-w.status:
				out, complaints := w.out.take(), w.complaints.take()
				if status != Refused || !strings.Contains(out, `"code":"`+code+`"`) || !strings.Contains(complaints, words) || strings.Count(complaints, "\n") != 1 {
					t.Errorf("status %d, prints %q, complains %q", status, out, complaints)
				}
			default:
				t.Errorf("it goes on, and not %s", code)
				w.leave()
			}
		}
		w := h.waits(key("ana"), "wait --json --timeout 90m")
		time.Sleep(90*time.Minute - time.Second)
		if len(w.status) > 0 {
			t.Fatalf("it ends early: %s", w.complaints.take())
		}
		time.Sleep(time.Second)
		refused(w, "expired", "Nothing has come in that time.")

		w = h.waits(key("ana"), "wait --json")
		time.Sleep(longestWait - time.Second)
		if len(w.status) > 0 {
			t.Fatalf("it ends early: %s", w.complaints.take())
		}
		time.Sleep(time.Second)
		refused(w, "expired", "Nothing has come in that time.")

		w = h.waits(key("ana"), "wait --json")
		h.run.lobby.Close()
		refused(w, "closed", "The club is closing")
	})
}

// TestWaitIsBounded: a player waits once at a time and an address four times; guests and keys without an account don't, and no place is kept by
// a wait that has ended.
func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		at := func(name, addr string) Caller {
			who := key(name)
			who.Origin = origin.Origin{Person: who.Fingerprint, Addr: netip.MustParseAddr(addr)}
			return who
		}
		refused := func(who Caller, line string, status int, words string) {
			t.Helper()
			w := h.waits(who, line)
			if got, complaints := w.ends(), w.complaints.take(); got != status || !strings.Contains(complaints, words) {
				t.Errorf("%s: status %d, %q, want %d and %q", line, got, complaints, status, words)
				w.leave()
			}
		}
		goesOn := func(who Caller) *waiter {
			t.Helper()
			w := h.waits(who, "wait")
			if status := w.ends(); status >= 0 {
				t.Fatalf("it ends with %d: %s", status, w.complaints.take())
			}
			return w
		}
		names := []string{"ana", "rui", "eva", "bia", "zoe"}
		for _, name := range names {
			h.as(name, Done, "name "+name)
		}
		refused(key("guest"), "wait", Refused, "key")
		refused(key("nobody"), "wait", Refused, "Your key has no account here yet.")
		for _, line := range []string{"wait --for all", "wait --after yesterday", "wait --timeout 25h", "wait --timeout -1s", "wait --timeout soon", "wait now"} {
			refused(key("ana"), line, Usage, "Usage: wait [--for yours|challenge|event|any]")
		}
		first := goesOn(at("ana", "192.0.2.1"))
		refused(at("ana", "198.51.100.1"), "wait", Refused, "You wait in another session already.")
		for _, name := range names[1:4] {
			goesOn(at(name, "192.0.2.1"))
		}
		refused(at("zoe", "192.0.2.1"), "wait", Refused, "Too many commands wait at your address already.")
		goesOn(at("zoe", "192.0.2.2")).leave()
		first.leave()
		synctest.Wait()
		goesOn(at("zoe", "192.0.2.1"))
		if n := h.run.waits.Players(); n != 4 {
			t.Errorf("%d players are counted, want 4", n)
		}
	})
}

// TestWaitLeavesNoPlace: while commands wait, the gate lets as many others in as ever, and the waiting player isn't here.
func TestWaitLeavesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		const players = 12 // three times as many as there are places for steps at most
		for i := range players {
			name := fmt.Sprint("player", i)
			h.as(name, Done, "name "+name)
			who := key(name)
			who.Origin = origin.Origin{Person: who.Fingerprint, Addr: netip.AddrFrom4([4]byte{10, 0, byte(i), 1})}
			defer h.waits(who, "wait --after 2000-01-01T00:00:00Z").leave()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s := h.run.gate.State(); s.Heavy > 0 || s.People > 0 || s.Bytes > 0 {
			t.Errorf("the gate counts %+v", s)
		}
		if list := h.run.lobby.People.Who(t.Context(), lobby.User{}); list.Count > 0 {
			t.Errorf("%d players are here", list.Count)
		}
		h.as("ana", Done, "who") // needs a place
	})
}

// TestWaitSeesLapsedChallenge: a challenge of the player that is not answered in time ends a wait.
func TestWaitSeesLapsedChallenge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
			h.run.lobby.Presence.Visit(mustSignIn(t, h, name), true)
		}
		code := h.object("ana", "new tanks --to rui --json")["code"].(string)
		w, other := h.waits(key("ana"), "wait --json"), h.waits(key("rui"), "wait --json")
		time.Sleep(seats.ChallengeWait)
		w.says(t, "lapsed "+code+" rui")
		if status := other.ends(); status >= 0 {
			t.Errorf("the lapsed challenge ends the wait of the challenged player with %d: %s", status, other.out.take())
		}
		other.leave()
	})
}
