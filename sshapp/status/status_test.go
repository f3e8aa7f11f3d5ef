package status

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/wording"
)

var sample = Status{
	Since: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), UptimeSeconds: 3725,
	Connections: 12, SigningIn: 2, Sessions: 9, Here: 7, Matches: 5, Offers: 1, Moves: 321, BotsThinking: 1, BotsWaiting: 3,
	AnalysesWaiting: 2, NoticesSent: 7, NoticesFailed: 3, NoticesGivenUp: 1, NoticesWaiting: 2, Nodes: 1, NodeMatches: 5,
	StoreKind: "bolt", StoreAlarms: []string{},
	StoreSchema: 23, LastBackup: new(time.Date(2026, 3, 1, 3, 30, 7, 5e8, time.UTC)), StoreBytes: 3 << 19, StoreQueue: 4, StoreWrite: Times{P50: 0.25, P99: 1.5, Max: 20},
	DiskFree: 7 << 20, DiskFloor: 5 << 20,
	MatchesWaiting: 1, MatchesPeople: 2, MatchesBots: 1, MatchesExhibitions: 1, BotsLongestWait: 1250,
	Refusals: []Refusal{{"sessions", 1, 20}}, Process: Process{Version: "v1.2.3", MemoryBytes: 3 << 19, Goroutines: 88},
}

func TestPrint(t *testing.T) {
	const want = `up                1h2m5s, since 2026-03-01T12:00:00Z
connections       12, of them 2 signing in
sessions          9
people            7
matches           5 unfinished, of them 1 open offer
of them           1 waits for somebody, 2 between people, 1 with a computer player, 1 of two computer players
moves             321 since the start
computer players  1 thinks, 3 wait, the longest for 1.2 s
analyses          2 wait
notices           7 sent since the start, 1 given up, 2 wait; 3 tries have failed
store             1.5 MiB, 4 changes wait
store writes      half within 0.2 ms, 99 % within 1.5 ms, slowest 20.0 ms
backup            the last good one is of 2026-03-01T03:30:07Z
disk              7.0 MiB free
program           v1.2.3, 1.5 MiB of memory, 88 goroutines
refused           sessions: 1 in the last minute, 20 in the last hour
`
	var b strings.Builder
	if err := sample.Print(&b, wording.Words{}); err != nil || b.String() != want {
		t.Errorf("Print wrote %v\n%swant\n%s", err, b.String(), want)
	}
}

// TestPrintOfPostgres: the lines that only a store on PostgreSQL has.
func TestPrintOfPostgres(t *testing.T) {
	s := sample
	s.StoreKind, s.StoreMembers, s.StoreReachable, s.DiskFree = "postgres", 1, 1, -1
	down := s
	down.StoreReachable, down.StoreAlarms = 0, []string{AlarmNoSpace}
	for _, tt := range []struct {
		status Status
		wants  []string
	}{
		{s, []string{"\nPostgreSQL        it answers; 0 changes retried, 0 commits in doubt\n", "\nPostgreSQL        free space unknown\n"}},
		{down, []string{"\nPostgreSQL        it does not answer, or takes no changes; ", "\nPostgreSQL        its disk is full: nothing can be written\n"}},
	} {
		var b strings.Builder
		if err := tt.status.Print(&b, wording.Words{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.wants {
			if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "etcd") {
				t.Errorf("there is no %q, or something of etcd, in\n%s", want, b.String())
			}
		}
	}
}

// TestPrintOfEtcd: the lines that only a store on etcd has.
func TestPrintOfEtcd(t *testing.T) {
	s := sample
	s.StoreKind, s.StoreMembers, s.StoreReachable, s.StoreRetries, s.StoreDoubts, s.StoreAlarms = "etcd", 3, 2, 7, 1, []string{AlarmNoSpace}
	s.LastBackup = nil
	s.Nodes, s.NodesUp, s.NodesMissing = 2, []string{"one", "two"}, []string{"three"}
	cutOff := s
	cutOff.CutOff("two")
	common := []string{"\nbackup            none is known\n", "\netcd              2 of 3 members answer; 7 changes retried, 1 commit in doubt\n",
		"\netcd              alarm: NOSPACE\n", "\netcd              7.0 MiB free\n"}
	tests := []struct {
		name       string
		status     Status
		wants, not []string
	}{
		{"in touch", s, []string{"\nnodes             2 are up (one, two); this one owns 5 matches\n", "\nnodes             missing: three\n"}, []string{"cut off"}},
		{"cut off", cutOff, []string{"\nnodes             this one is cut off and knows nothing of the others: one, three\n",
			"\netcd              this node is cut off from it: matches stand still\n"}, []string{"are up", "missing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := tt.status.Print(&b, wording.Words{}); err != nil {
				t.Fatal(err)
			}
			for _, want := range slices.Concat(common, tt.wants) {
				if !strings.Contains(b.String(), want) {
					t.Errorf("there is no %q in\n%s", want, b.String())
				}
			}
			for _, not := range tt.not {
				if strings.Contains(b.String(), not) {
					t.Errorf("there is %q in\n%s", not, b.String())
				}
			}
		})
	}
}

// TestCutOff: what a node that is cut off saw of the others tells nothing about them now.
func TestCutOff(t *testing.T) {
	s := Status{Nodes: 2, NodesUp: []string{"one", "two"}, NodesMissing: []string{"three"}}
	s.CutOff("one")
	want := Status{NodeCutOff: true, NodesUnknown: []string{"three", "two"}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("the status is %+v, want %+v", s, want)
	}
}

func TestDisk(t *testing.T) {
	for want, s := range map[string]Status{
		"7.0 MiB free": {DiskFree: 7 << 20, DiskFloor: 5 << 20},
		"0.5 MiB free; new matches and accounts are refused (--free-space 5.0 MiB)": {DiskFree: 1 << 19, DiskFloor: 5 << 20, DiskFull: true},
		"free space unknown": {DiskFree: -1, DiskFloor: 5 << 20},
	} {
		if got := s.disk(wording.Words{}); got != want {
			t.Errorf("disk says %q, want %q", got, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestPrintFails(t *testing.T) {
	if err := sample.Print(full{}, wording.Words{}); !errors.Is(err, errFull) {
		t.Errorf("Print = %v, want %v", err, errFull)
	}
}

// TestJSON: scripts rely on these names.
func TestJSON(t *testing.T) {
	const want = `{"since":"2026-03-01T12:00:00Z","uptime_seconds":3725,"connections":12,"signing_in":2,"sessions":9,` +
		`"matches_waiting":1,"matches_people":2,"matches_bots":1,"matches_exhibitions":1,` +
		`"here":7,"programs":0,"matches":5,"offers":1,"moves":321,"bots_thinking":1,"bots_waiting":3,"bots_longest_wait_ms":1250,"lent_machines":0,"lent_cores":0,"lent_busy":0,"lent_answers":0,"analyses_waiting":2,"nodes":1,"nodes_up":null,"nodes_missing":null,"nodes_unknown":null,"node_matches":5,"node_cut_off":false,` +
		`"store_kind":"bolt","store_members":0,"store_reachable":0,"store_alarms":[],"store_retries":0,"store_doubts":0,"last_backup":"2026-03-01T03:30:07.5Z","store_schema":23,"store_bytes":1572864,"store_queue":4,"store_write_ms":{"p50":0.25,"p99":1.5,"max":20},` +
		`"disk_free_bytes":7340032,"disk_floor_bytes":5242880,"disk_full":false,"notices_sent":7,"notices_failed":3,"notices_given_up":1,"notices_waiting":2,"refusals":[{"reason":"sessions","minute":1,"hour":20}],"version":"v1.2.3","memory_bytes":1572864,"goroutines":88,"commit":"","dirty":false,"go":""}`
	got, err := json.Marshal(sample)
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// TestUnknownSpace: free space that can't be told is null for scripts, and read back as it was.
func TestUnknownSpace(t *testing.T) {
	for want, s := range map[string]Space{"null": -1, "0": 0, "7340032": 7 << 20} {
		b, err := json.Marshal(s)
		if err != nil || string(b) != want {
			t.Errorf("%d is written as %s, %v; want %s", s, b, err, want)
		}
		back := Space(5)
		if err := json.Unmarshal(b, &back); err != nil || back != s {
			t.Errorf("%s is read as %d, %v; want %d", b, back, err, s)
		}
	}
	var bad Space
	if err := json.Unmarshal([]byte(`"x"`), &bad); err == nil {
		t.Errorf("a text is read as %d", bad)
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
