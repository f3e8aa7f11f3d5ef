// Package status is what the operator of a club is told about it while it runs: over SSH, over the control socket, and, as
// gauges, by Prometheus.
package status

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// A Status is the state of a club at one moment. Its JSON form is a contract with scripts: fields are added, never renamed.
type Status struct {
	Since         time.Time `json:"since"` // when the program started, in UTC
	UptimeSeconds int64     `json:"uptime_seconds"`

	Connections int `json:"connections"` // signed in or not
	SigningIn   int `json:"signing_in"`  // connections that have not signed in yet
	Sessions    int `json:"sessions"`

	Here         int   `json:"here"`    // people, each counted once
	Matches      int   `json:"matches"` // unfinished ones, offers included
	Offers       int   `json:"offers"`  // public offers that nobody has taken
	Moves        int64 `json:"moves"`   // since the start, those of computer players included
	BotsThinking int   `json:"bots_thinking"`
	BotsWaiting  int   `json:"bots_waiting"` // computer players without a free worker

	AnalysesWaiting int `json:"analyses_waiting"` // finished matches that somebody wants to have analysed

	StoreBytes int64 `json:"store_bytes"`
	StoreQueue int   `json:"store_queue"` // changes that wait for the disk
	StoreWrite Times `json:"store_write_ms"`
}

// Times says how long the latest calls of some kind took, in milliseconds; all are 0 when there was none yet.
type Times struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Print writes the status as aligned text.
func (s Status) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("up", "%v, since %s", time.Duration(s.UptimeSeconds)*time.Second, s.Since.UTC().Format(time.RFC3339))
	row("connections", "%d, of them %d signing in", s.Connections, s.SigningIn)
	row("sessions", "%d", s.Sessions)
	row("people", "%d", s.Here)
	row("matches", "%d unfinished, of them %d open offers", s.Matches, s.Offers)
	row("moves", "%d since the start", s.Moves)
	row("computer players", "%d think, %d wait", s.BotsThinking, s.BotsWaiting)
	row("analyses", "%d wait", s.AnalysesWaiting)
	row("store", "%.1f MiB, %d changes wait", float64(s.StoreBytes)/(1<<20), s.StoreQueue)
	row("store writes", "half within %.1f ms, 99 %% within %.1f ms, slowest %.1f ms", s.StoreWrite.P50, s.StoreWrite.P99, s.StoreWrite.Max)
	return t.Flush() // the first error of all rows
}

// recentCalls is how many calls a Recent remembers.
const recentCalls = 1024

// Recent remembers how long the latest calls took. The zero value is ready; any goroutine may use it.
type Recent struct {
	mu   sync.Mutex // guards what follows
	took [recentCalls]time.Duration
	n    int // calls in all
}

// Add takes in one call.
func (r *Recent) Add(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took[r.n%recentCalls] = took
	r.n++
}

// Times says how long the latest calls took.
func (r *Recent) Times() Times {
	r.mu.Lock()
	took := slices.Clone(r.took[:min(r.n, recentCalls)])
	r.mu.Unlock()
	if len(took) == 0 {
		return Times{}
	}
	slices.Sort(took)
	last := len(took) - 1
	return Times{P50: ms(took[last/2]), P99: ms(took[last*99/100]), Max: ms(took[last])}
}

// ms is a time in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Round(time.Microsecond).Microseconds()) / 1000 }
