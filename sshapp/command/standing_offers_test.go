package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"ludoteca/lobby"
	"ludoteca/storage/results"
)

// TestStakeAndProfile plays a rated match from two shells: the ratings change by exactly the stake, and profile and leaderboard show it.
func TestStakeAndProfile(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --rated --json")["code"].(string)
	if m := h.object("ana", "show "+code+" --json"); m["stake"] != nil {
		t.Errorf("while a seat is free, the stake is %v", m["stake"])
	}
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2"} {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	if out, _ := h.as("rui", Done, "show "+code); !strings.Contains(out, "\nwin +53, draw 0, loss -53\n") {
		t.Errorf("the stake of rui:\n%s", out)
	}
	if m := h.object("guest", "show "+code+" --json"); m["stake"] != nil {
		t.Errorf("the stake of a spectator is %v", m["stake"])
	}
	stake := h.object("rui", "show "+code+" --json")["stake"].(map[string]any)
	h.as("ana", Done, "resign "+code)
	if out, _ := h.as("rui", Done, "show "+code); !strings.Contains(out, "Ratings: ana -53, rui +53") {
		t.Errorf("after the end:\n%s", out)
	}
	if m := h.object("rui", "show "+code+" --json"); m["stake"] != nil {
		t.Errorf("after the end, the stake is %v", m["stake"])
	}

	p := h.object("ana", "profile rui --json")
	games := p["games"].([]any)[0].(map[string]any)
	if got := games["rating"].(float64) - 1500; got != stake["win"] {
		t.Errorf("rui has won %v points, the stake was %v", got, stake["win"])
	}
	points := p["ratings"].([]any)
	if len(points) != 1 || points[0].(map[string]any)["rating"] != games["rating"] || points[0].(map[string]any)["game"] != "fourmation" {
		t.Errorf("the ratings of rui: %v, now %v", points, games["rating"])
	}
	if a := p["against_you"].(map[string]any); a["won"] != 0.0 || a["drawn"] != 0.0 || a["lost"] != 1.0 || p["finished_share"] != 1.0 {
		t.Errorf("ana against rui: %v; rui has finished %v", a, p["finished_share"])
	}
	if own := h.object("rui", "profile --json"); own["against_you"] != nil {
		t.Errorf("rui against rui: %v", own["against_you"])
	}
	out, _ := h.as("ana", Done, "profile rui")
	for _, want := range []string{"4Mation: 0 won, 0 drawn, 0 lost playing first, 1 won, 0 drawn, 0 lost playing second", "Against you: 0 won, 0 drawn, 1 lost",
		"Finishes 100% of matches"} {
		if !strings.Contains(out, want) {
			t.Errorf("the profile lacks %q:\n%s", want, out)
		}
	}
}

// TestOwnLineOfTheLeaderboard: the caller's own line comes last where it is not among the first.
func TestOwnLineOfTheLeaderboard(t *testing.T) {
	h := newFixture(t, func(cfg *lobby.Config) { cfg.Bounds.Leaderboard = 1 })
	code := h.object("ana", "new 4mation --side first --rated --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2"} {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	h.as("ana", Done, "resign "+code)
	for who, want := range map[string]string{"ana": "rui ana", "rui": "rui", "guest": "rui"} {
		out, _ := h.as(who, Done, "leaderboard 4mation --json")
		var names []string
		for line := range strings.Lines(out) {
			var l map[string]any
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			names = append(names, l["name"].(string))
			if l["rank"] != nil {
				t.Errorf("%s has the rank %v after one match", l["name"], l["rank"])
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s sees %q, want %q", who, got, want)
		}
	}
}

// A countedStakes is a store that counts how often a stake is worked out.
type countedStakes struct {
	lobby.Store
	asked atomic.Int64
}

func (s *countedStakes) Outcomes(ctx context.Context, f results.Finished) (*results.Outcomes, error) {
	s.asked.Add(1)
	return s.Store.Outcomes(ctx, f)
}

// TestWatchWorksOutOneStake: a player who watches their own rated match reads its stake in every line, and the store is asked for it once.
func TestWatchWorksOutOneStake(t *testing.T) {
	s := &countedStakes{}
	h := newFixtureOn(t, func(on lobby.Store) lobby.Store { s.Store = on; return s })
	code := h.object("ana", "new 4mation --side first --rated --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	before := s.asked.Load()
	var out bytes.Buffer
	slow := &held{w: &out, free: make(chan struct{})}
	ended := make(chan int)
	go func() { ended <- h.run.Run(t.Context(), key("ana"), "watch "+code+" --json", slow, io.Discard) }()
	moves := strings.Fields("c3 d4 c4 b5 c5 d6 c6")
	for i, m := range moves {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	close(slow.free)
	if status := <-ended; status != Done {
		t.Fatalf("status %d", status)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, l := range lines[:len(lines)-1] {
		if m := decode(t, l+"\n"); m["stake"] == nil {
			t.Errorf("line %d has no stake: %s", i, l)
		}
	}
	// Each move that doesn't end the match shows its player the stake too.
	if n, most := int(s.asked.Load()-before), 1+len(moves)-1; n > most {
		t.Errorf("it was asked for %d times, want at most %d", n, most)
	}
}
