//go:build linux

package loadtest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// tickingLimit bounds the CPU time of a session that looks at a running clock, in milliseconds a second.
const tickingLimit = 0.3

// TestRunningClocks measures the CPU time of sessions that look at running clocks, beside as many at the boards of matches without a clock.
// LUDOTECA_CLOCKS is the number of sessions; with 500 the test takes some two minutes. Without it there are a few, for a moment.
func TestRunningClocks(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which the race detector distorts; TestSpectators has the same sessions, and TestClocksGoOn the clocks")
	}
	sessions, length, settle, full := 5, time.Second, 100*time.Millisecond, false
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_CLOCKS")); err == nil {
		sessions, length, settle, full = n, 30*time.Second, 5*time.Second, true
	}
	const watching = 5 // look at a match, its players among them
	matches := max(sessions/watching, 1)
	p := startProgram(t, sessions)
	var costs [2]time.Duration // without a clock, and with one that runs
	for i, clock := range []string{"none", "30+0"} {
		here := make([]*Terminal, matches*watching)
		each(t, matches, callers, func(m int) error {
			return p.watchedMatch(fmt.Sprint(i, "-", m), clock, here[m*watching:(m+1)*watching])
		})
		Pause(settle)
		before, bytes := p.cpu(), total(here)
		Pause(length)
		costs[i], bytes = p.cpu()-before, total(here)-bytes
		t.Logf("FIGURE clock %s: %d sessions look at %d matches; the server takes %.3f ms a second for each, and sends %.0f bytes a second to each",
			clock, len(here), matches, perSecond(costs[i], length, len(here)), float64(bytes)/length.Seconds()/float64(len(here)))
		if clock != "none" {
			sees := func(v *Terminal) bool { was := v.received(); return p.soon(func() bool { return v.received() > was }) }
			if still := slices.IndexFunc(here, func(v *Terminal) bool { return !sees(v) }); still >= 0 {
				t.Errorf("session %d sees a clock that stands still", still)
			}
		}
		leave(here)
	}
	cost := perSecond(costs[1]-costs[0], length, matches*watching)
	t.Logf("FIGURE a session that looks at a running clock costs %.3f ms a second more than one at a board without a clock, of %.1f allowed", cost, tickingLimit)
	if full && cost > tickingLimit {
		t.Errorf("a running clock costs %.3f ms a second and session, want at most %.1f", cost, tickingLimit)
	}
}

// perSecond returns the CPU time of one of n sessions, in milliseconds a second, from the CPU time of all n in length.
func perSecond(cpu, length time.Duration, n int) float64 {
	return cpu.Seconds() * 1000 / length.Seconds() / float64(n)
}

// watchedMatch has two people begin a match and make a move each, so that its clock runs. They and some guests look at it.
func (p *club) watchedMatch(name, clock string, here []*Terminal) error {
	var players [2]*seatedPlayer
	for i := range players {
		key, err := makeKey()
		if err != nil {
			return err
		}
		if players[i], err = p.player(key, fmt.Sprint("player-", name, "-", i)); err != nil {
			return err
		}
	}
	code, err := begin(players[0], players[1], "momentum --clock "+clock)
	if err != nil {
		return err
	}
	for i, move := range []string{"a1", "g7"} {
		if _, err := players[i].must("move " + code + " " + move); err != nil {
			return err
		}
	}
	for i := range here {
		if i < len(players) {
			here[i], err = players[i].atBoard(code)
		} else {
			here[i], err = p.spectator(code, Usual)
		}
		if err != nil {
			return err
		}
		here[i].Discard()
	}
	return nil
}
