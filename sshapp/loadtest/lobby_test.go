//go:build linux

package loadtest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestLobbyKeys has many guests move the cursor in the lobby, and measures what a key costs there. LUDOTECA_LOBBY says how many guests;
// the figures of some thousand are held to their limits. Without it there are a few, for a moment.
func TestLobbyKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which the race detector distorts; TestChurn has the same sessions")
	}
	e, full := Quick, false
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_LOBBY")); err == nil {
		e, full = Full, true
		e.Guests, e.Visit = n, 30*time.Second
	}
	s := startLobby(t, e.Guests+callers)
	for _, f := range measureLobby(t, s, e) {
		t.Logf("FIGURE %d guests: %s %.3f", e.Guests, f.name, f.value)
		if most := limits[f.name].most; full && most > 0 && f.value > most {
			t.Errorf("%s is %.3f, want at most %.3f", f.name, f.value, most)
		}
	}
}

// startLobby starts the program, or what otherBinary says: another version of it, or the bare front, which shows what of the figures is
// the machine's and the clients' own.
func startLobby(t *testing.T, sessions int) *server {
	if os.Getenv(otherBinary) == Bare {
		return startServer(t, Bare, fmt.Sprint(mostHere, "=", 2*sessions))
	}
	return startMeasured(t, sessions).server
}
