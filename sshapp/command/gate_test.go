package command

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/gate"
	"ludoteca/sshapp/command/tree"
	"ludoteca/storage"
	"ludoteca/storage/results"
)

// holdsNothing fails the test if the gate of the runner counts any command, answer or person.
func (h *fixture) holdsNothing() {
	h.t.Helper()
	s := h.run.gate.State()
	if s.Starts, s.Steps = 0, 0; s != (gate.State{}) {
		h.t.Errorf("left in the gate: %+v", s)
	}
}

// TestReadersHoldNothing: clients that read nothing, more of them than heavy commands may begin at a time, don't keep others from commands.
func TestReadersHoldNothing(t *testing.T) {
	h := newFixture(t)
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	unread := make(chan struct{}, gate.MaxHeavy+1)
	w := writerFunc(func([]byte) (int, error) {
		unread <- struct{}{}
		<-ctx.Done()
		return 0, io.EOF
	})
	lines := []string{"who", "matches", "offers", "leaderboard --json", "history", "leaderboard"}
	for i := range gate.MaxHeavy + 1 {
		who := Caller{ConnectionID: fmt.Sprint("guest-", i), Origin: origin.Origin{Addr: netip.AddrFrom4([4]byte{10, byte(i / 256), byte(i), 1})}}
		all.Go(func() { h.run.Run(ctx, who, lines[i%2], w, w) })
	}
	for range gate.MaxHeavy + 1 {
		<-unread
	}
	for _, line := range lines {
		h.as("ana", Done, line)
	}
	leave()
	all.Wait()
	h.holdsNothing()
}

// TestReaderHoldsOwnPlace: the bound on a person's heavy commands includes commands whose answers the client is still reading.
func TestReaderHoldsOwnPlace(t *testing.T) {
	h := newFixture(t)
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	unread := make(chan struct{}, gate.MaxHeavyPerPerson)
	w := writerFunc(func([]byte) (int, error) {
		unread <- struct{}{}
		<-ctx.Done()
		return 0, io.EOF
	})
	for range gate.MaxHeavyPerPerson {
		all.Go(func() { h.run.Run(ctx, key("ana"), "who", w, w) })
		<-unread
	}
	h.as("ana", Refused, "who")
	h.as("rui", Done, "who")
	leave()
	all.Wait()
	h.holdsNothing()
	h.as("ana", Done, "who")
}

// A slowCodes is a store that looks codes up only when the test lets it.
type slowCodes struct {
	lobby.Store
	asked   chan struct{} // one for each code that is looked up
	release chan struct{} // closed when the answers may come
}

func (s *slowCodes) ByCode(ctx context.Context, code string, now time.Time) (storage.MatchID, error) {
	s.asked <- struct{}{}
	<-s.release
	return s.Store.ByCode(ctx, code, now)
}

// TestNoTurnWhileTheStoreLooks: commands that show a match have no place while the store looks for it.
func TestNoTurnWhileTheStoreLooks(t *testing.T) {
	s := &slowCodes{asked: make(chan struct{}), release: make(chan struct{})}
	h := newFixtureOn(t, func(on lobby.Store) lobby.Store { s.Store = on; return s })
	code := h.object("ana", "new 4mation --json")["code"].(string)
	var all sync.WaitGroup
	for _, line := range []string{"show " + code, "watch " + code, "show --json " + code} {
		all.Go(func() {
			if status := h.run.Run(t.Context(), key("rui"), line, io.Discard, io.Discard); status != Done {
				t.Errorf("%s: status %d", line, status)
			}
		})
		<-s.asked
		if n := h.run.gate.State().Steps; n != 0 {
			t.Errorf("%s: %d places are taken", line, n)
		}
	}
	close(s.release)
	all.Wait()
}

// A slowStakes is a store that works stakes out only when the test lets it.
type slowStakes struct {
	lobby.Store
	asked   chan struct{} // one for each stake
	release chan struct{} // closed when the answers may come
}

func (s *slowStakes) Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error) {
	s.asked <- struct{}{}
	<-s.release
	return s.Store.Outcomes(ctx, f)
}

// TestNoTurnForStakes: commands that show a rated match to its players have no place while the store works out what is at stake.
func TestNoTurnForStakes(t *testing.T) {
	s := &slowStakes{asked: make(chan struct{}), release: make(chan struct{})}
	h := newFixtureOn(t, func(on lobby.Store) lobby.Store { s.Store = on; return s })
	code := h.object("ana", "new 4mation --rated --json")["code"].(string)
	joined := make(chan int)
	go func() { joined <- h.run.Run(t.Context(), key("rui"), "join "+code, io.Discard, io.Discard) }()
	<-s.asked
	var all sync.WaitGroup
	ctx, leave := context.WithCancel(t.Context())
	for _, line := range []string{"show " + code, "watch " + code, "watch --json " + code} {
		all.Go(func() { h.run.Run(ctx, key("ana"), line, io.Discard, io.Discard) })
		<-s.asked
		if n := h.run.gate.State().Steps; n != 0 {
			t.Errorf("%s: %d places are taken", line, n)
		}
	}
	leave()
	close(s.release)
	all.Wait()
	if status := <-joined; status != Done {
		t.Errorf("join: status %d", status)
	}
}

// TestHeavyCommandsRefused: when there are too many heavy commands, every other one is refused, and light commands are answered.
func TestHeavyCommandsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		code := h.object("ana", "new 4mation --json")["code"].(string)
		release := make(chan struct{})
		var all sync.WaitGroup
		for range gate.MaxHeavyPerPerson {
			all.Go(func() {
				if err := h.run.gate.Do(t.Context(), key("ana").origin(), func() error { <-release; return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		notLight := []string{"export", "history", "openings", "database", "record", "replay", "analyse", "note", "import", "leaderboard", "show", "matches", "offers", "who", "following", "blocked", "tells", "events", "lounge"}
		for _, d := range table() {
			if (d.Cost != tree.Light) != slices.Contains(notLight, d.Name) {
				t.Errorf("%s has the cost %d", d.Name, d.Cost)
			}
		}
		for _, line := range []string{"history", "openings tanks", "record " + code, "replay " + code, "analyse " + code, "note " + code, "leaderboard --json", "show " + code, "matches", "offers", "offers --follow", "lounge", "lounge --follow", "who"} {
			if _, complaints := h.as("ana", Refused, line); complaints != "Too many long answers are under way. Try again in a moment.\n" {
				t.Errorf("%s: %q", line, complaints)
			}
		}
		for _, line := range []string{"help", "games", "rules 4mation", "whoami", "profile ana", "watch " + code} {
			h.as("ana", Done, line)
		}
		h.as("rui", Done, "history") // other players aren't refused
		close(release)
		all.Wait()
	})
}

// TestHistoryInSteps: a long answer is made in pages, each page waits for its turn, and the command holds no place while its client reads.
func TestHistoryInSteps(t *testing.T) {
	h := newFixture(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
	const matches = 2*historyPage + 1
	for range matches {
		code := h.object("ana", "new 4mation --side first --vs first --json")["code"].(string)
		h.twoEach(code, "ana", "")
		h.as("ana", Done, "resign "+code)
	}
	var out strings.Builder
	w := writerFunc(func(p []byte) (int, error) {
		if _, works := h.run.gate.Works(key("ana").Fingerprint); works {
			t.Error("the place is kept while the client reads")
		}
		if n := strings.Count(string(p), "\n"); n > historyPage {
			t.Errorf("%d lines at once", n)
		}
		return out.Write(p)
	})
	if status := h.run.Run(t.Context(), key("ana"), "history --limit 1000000 --json", w, &out); status != Done {
		t.Fatal(out.String())
	}
	if n := strings.Count(out.String(), "\n"); n != matches {
		t.Errorf("%d lines, want %d", n, matches)
	}
	h.holdsNothing()
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestCommandsBegin holds that a command has begun in its turn when it works.
func TestCommandsBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		ana := key("ana")
		ana.Origin.Addr = netip.MustParseAddr("192.0.2.1")
		wrote := 0
		w := writerFunc(func(p []byte) (int, error) {
			wrote++
			if works, _ := h.run.gate.Works(ana.Fingerprint); !works {
				t.Errorf("%q is written out of turn", p)
			}
			return len(p), nil
		})
		for _, line := range []string{"help", "whoami", "nonsense"} {
			h.run.Run(t.Context(), ana, line, w, w)
		}
		if wrote < 3 {
			t.Errorf("%d answers to 3 commands", wrote)
		}
		h.holdsNothing()
		time.Sleep(time.Second)
		if s := h.run.gate.State(); s != (gate.State{}) {
			t.Errorf("not free after a second: %+v", s)
		}
	})
}
