package command

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby/origin"
)

// reads returns the lines that a command has printed since the last call: codes, with a minus before those that are gone.
func (w *waiter) reads(t *testing.T) string {
	t.Helper()
	if status := w.ends(); status >= 0 {
		t.Fatalf("it has ended with %d: %s", status, w.complaints.take())
	}
	var codes []string
	for line := range strings.Lines(w.out.take()) {
		o := decode(t, line)
		code := o["code"].(string)
		if o["gone"] == true {
			code = "-" + code
		}
		codes = append(codes, code)
	}
	return strings.Join(codes, " ")
}

// TestFollowOffers: offers --follow prints what is open, then each offer as it comes, of one game or all, and says to scripts what is gone. Each
// player reads what they can take.
func TestFollowOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{Idle: func() time.Duration { return time.Minute }})}
		for _, name := range []string{"ana", "rui", "eva"} {
			h.as(name, Done, "name "+name)
		}
		offer := func(line string) string {
			t.Helper()
			code := h.object("ana", line+" --json")["code"].(string)
			time.Sleep(time.Second) // of the bubble
			return code
		}
		first := offer("new tanks --public")
		all, petteia := h.waits(key("guest"), "offers --follow --json"), h.waits(key("rui"), "sought petteia --json --follow")
		people := h.waits(key("eva"), "offers --follow")
		check := func(w *waiter, want string) {
			t.Helper()
			if got := w.reads(t); got != want {
				t.Errorf("read %q, want %q", got, want)
			}
		}
		check(all, first)
		check(petteia, "")
		if status, out := people.ends(), people.out.take(); status >= 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, first+"  tanks") {
			t.Errorf("status %d, people read %q", status, out)
		}
		second := offer("new petteia --public")
		check(all, second)
		check(petteia, second)
		challenge := offer("new petteia --to rui")
		check(all, "")
		check(petteia, challenge)
		if status, out := people.ends(), people.out.take(); status >= 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, second+"  petteia") {
			t.Errorf("status %d, people read %q", status, out)
		}
		h.as("eva", Done, "join "+second)
		h.as("ana", Done, "abort "+first)
		h.as("rui", Done, "decline "+challenge)
		got := strings.Fields(all.reads(t))
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values([]string{"-" + first, "-" + second}))) {
			t.Errorf("all read %q, want that %s and %s are gone", got, first, second)
		}
		got = strings.Fields(petteia.reads(t))
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values([]string{"-" + challenge, "-" + second}))) {
			t.Errorf("rui reads %q, want that %s and %s are gone", got, challenge, second)
		}
		if out := people.out.take(); out != "" {
			t.Errorf("people read %q when offers go", out)
		}

		h.as("rui", Done, "block ana")
		hidden := offer("new petteia --public")
		check(all, hidden)
		check(petteia, "")
		h.as("rui", Done, "unblock ana")
		h.as("ana", Done, "abort "+offer("new tanks --public")) // wakes the readers
		check(petteia, hidden)
		h.as("rui", Done, "block ana")
		h.as("ana", Done, "abort "+offer("new tanks --public")) // wakes the readers
		all.reads(t)
		check(petteia, "-"+hidden)
		all.leave()
		petteia.leave()

		time.Sleep(longestFollow - time.Minute)
		if status := people.ends(); status >= 0 {
			t.Errorf("it ends early with %d: %s", status, people.complaints.take())
		}
		time.Sleep(time.Minute)
		if status, said := people.ends(), people.complaints.take(); status != Done || said != "" {
			t.Errorf("after a day: status %d, %q", status, said)
		}
	})
}

// TestFollowOffersIsBounded: a player follows the offers once at a time and an address four times; wait isn't counted, and neither is offers.
func TestFollowOffersIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		at := func(name, addr string) Caller {
			who := key(name)
			who.Origin = origin.Origin{Person: who.Fingerprint, Addr: netip.MustParseAddr(addr)}
			return who
		}
		for _, name := range []string{"ana", "rui", "eva", "bia", "zoe"} {
			h.as(name, Done, "name "+name)
		}
		refused := func(who Caller, want, words string) {
			t.Helper()
			w := h.waits(who, "offers --follow --json")
			if status, out, said := w.ends(), w.out.take(), w.complaints.take(); status != Refused || !strings.Contains(out, want) || !strings.Contains(said, words) {
				t.Errorf("status %d, %q, %q, want %s", status, out, said, want)
				w.leave()
			}
		}
		for i, name := range []string{"ana", "rui", "eva", "nobody"} {
			w := h.waits(at(name, "192.0.2.1"), "offers --follow")
			if status := w.ends(); status >= 0 {
				t.Fatalf("%s: status %d, %s", name, status, w.complaints.take())
			}
			defer w.leave()
			if i == 0 {
				refused(at("ana", "192.0.2.9"), "conflict", "You follow the offers in another session already.")
			}
		}
		refused(at("zoe", "192.0.2.1"), "busy", "Too many commands wait at your address already.")
		w := h.waits(at("zoe", "192.0.2.1"), "wait")
		if status := w.ends(); status >= 0 {
			t.Errorf("wait is counted with offers: status %d, %s", status, w.complaints.take())
		}
		w.leave()
		h.as("zoe", Done, "offers")
		if s := h.run.gate.State(); s.Heavy > 0 || s.People > 0 {
			t.Errorf("the gate counts %+v", s)
		}
		if n := h.run.offerReaders.Players(); n != 4 {
			t.Errorf("%d players are counted, want 4", n)
		}
	})
}

// TestFollowOffersAtPrompt: in the line mode the next line ends offers --follow, and leaves offers alone.
func TestFollowOffersAtPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := inMemory(t, Options{})
		in, keyboard := io.Pipe()
		var out lockedBuffer
		ended := make(chan int, 1)
		go func() { ended <- run.LineMode(t.Context(), key("guest"), "", in, &out, io.Discard, false) }()
		for i, line := range []string{"offers --follow", "whoami", "offers", "quit"} {
			if _, err := fmt.Fprintln(keyboard, line); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got, want := out.take(), []string{"There are no open offers.", "guest", "There are no open offers.", ""}[i]; !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", line, got, want)
			}
		}
		if status := <-ended; status != Done {
			t.Errorf("status %d", status)
		}
		var both bytes.Buffer
		typed := io.NopCloser(strings.NewReader("offers\nwhoami\n"))
		if run.LineMode(t.Context(), key("guest"), "", typed, &both, io.Discard, false); !strings.Contains(both.String(), "no open offers") {
			t.Errorf("the line after offers cuts it off: %q", both.String())
		}
	})
}
