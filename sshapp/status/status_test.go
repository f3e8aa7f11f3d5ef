package status

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

var sample = Status{
	Since: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), UptimeSeconds: 3725,
	Connections: 12, SigningIn: 2, Sessions: 9, Here: 7, Matches: 5, Offers: 1, Moves: 321, BotsThinking: 1, BotsWaiting: 3,
	AnalysesWaiting: 2,
	StoreBytes:      3 << 19, StoreQueue: 4, StoreWrite: Times{P50: 0.25, P99: 1.5, Max: 20},
}

func TestPrint(t *testing.T) {
	const want = `up                1h2m5s, since 2026-03-01T12:00:00Z
connections       12, of them 2 signing in
sessions          9
people            7
matches           5 unfinished, of them 1 open offers
moves             321 since the start
computer players  1 think, 3 wait
analyses          2 wait
store             1.5 MiB, 4 changes wait
store writes      half within 0.2 ms, 99 % within 1.5 ms, slowest 20.0 ms
`
	var b strings.Builder
	if err := sample.Print(&b); err != nil || b.String() != want {
		t.Errorf("Print wrote %v\n%swant\n%s", err, b.String(), want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestPrintFails(t *testing.T) {
	if err := sample.Print(full{}); !errors.Is(err, errFull) {
		t.Errorf("Print = %v, want %v", err, errFull)
	}
}

// TestJSON: scripts rely on these names.
func TestJSON(t *testing.T) {
	const want = `{"since":"2026-03-01T12:00:00Z","uptime_seconds":3725,"connections":12,"signing_in":2,"sessions":9,` +
		`"here":7,"matches":5,"offers":1,"moves":321,"bots_thinking":1,"bots_waiting":3,"analyses_waiting":2,` +
		`"store_bytes":1572864,"store_queue":4,"store_write_ms":{"p50":0.25,"p99":1.5,"max":20}}`
	got, err := json.Marshal(sample)
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

func TestRecent(t *testing.T) {
	var r Recent
	check := func(what string, want Times) {
		t.Helper()
		if got := r.Times(); got != want {
			t.Errorf("after %s: %+v, want %+v", what, got, want)
		}
	}
	check("nothing", Times{})
	r.Add(3 * time.Millisecond)
	check("one call", Times{3, 3, 3})
	for i := range 100 {
		r.Add(time.Duration(100-i) * time.Millisecond)
	}
	check("a hundred more", Times{50, 99, 100})
	r.Add(time.Hour)
	for range recentCalls {
		r.Add(1500 * time.Nanosecond)
	}
	check("many fast ones", Times{0.002, 0.002, 0.002})
}
