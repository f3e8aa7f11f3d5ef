// Package status describes the state of a running club for its operator, who reads it over SSH, over the control socket and, as
// gauges, in Prometheus.
package status

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"ludoteca/sshapp/wording"
)

// A Status is the state of a club at one moment. Its JSON form is a contract with scripts: fields are added, never renamed.
type Status struct {
	Since         time.Time `json:"since" help:"when this process started"`
	UptimeSeconds int64     `json:"uptime_seconds" help:"seconds since then"`

	Connections int `json:"connections" help:"how many connections there are, signed in or not"`
	SigningIn   int `json:"signing_in" help:"how many of these have not signed in yet"`
	Sessions    int `json:"sessions" help:"how many sessions are open"`

	MatchesWaiting     int `json:"matches_waiting" help:"how many unfinished matches have a free seat"`
	MatchesPeople      int `json:"matches_people" help:"how many matches run between players"`
	MatchesBots        int `json:"matches_bots" help:"how many matches run between a player and a computer player"`
	MatchesExhibitions int `json:"matches_exhibitions" help:"how many matches run between computer players"`

	Here         int   `json:"here" help:"how many users are here, each counted once"`
	Programs     int   `json:"programs" help:"how many programs of computer accounts play on this node"`
	Matches      int   `json:"matches" help:"how many matches are unfinished, offers included"`
	Offers       int   `json:"offers" help:"how many public offers are open"`
	Moves        int64 `json:"moves" help:"how many moves were made since the start, those of computer players included"`
	BotsThinking int   `json:"bots_thinking" help:"how many computer players think now"`
	BotsWaiting  int   `json:"bots_waiting" help:"how many computer players wait for a processor"`

	BotsLongestWait int64 `json:"bots_longest_wait_ms" help:"how long the longest of them has waited, in milliseconds"`

	LentMachines int `json:"lent_machines" help:"how many machines lend cores to this node (ludoteca worker)"`
	LentCores    int `json:"lent_cores" help:"how many cores they lend"`
	LentBusy     int `json:"lent_busy" help:"how many of these think about a move now"`

	LentAnswers int64 `json:"lent_answers" help:"how many searches they have done since the start"`

	AnalysesWaiting int `json:"analyses_waiting" help:"how many analyses are asked for and not made yet"`

	Nodes int `json:"nodes" help:"how many nodes of the club are up; 0: this one is cut off from the store and cannot tell"`

	NodesUp      []string `json:"nodes_up" help:"the names of these nodes; null: there is one node, or this one is cut off"`
	NodesMissing []string `json:"nodes_missing" help:"the names of nodes that were there in the last 24 hours and are gone; null as above"`
	NodesUnknown []string `json:"nodes_unknown" help:"the names of the other nodes of the last 24 hours, while this one is cut off; else null"`

	NodeMatches int  `json:"node_matches" help:"how many unfinished matches this node owns"`
	NodeCutOff  bool `json:"node_cut_off" help:"whether this node is cut off from the store"`

	StoreKind      string   `json:"store_kind" help:"what the store is, such as bolt, etcd or postgres"`
	StoreMembers   int      `json:"store_members" help:"how many members etcd has, 1 for PostgreSQL; 0 for a file"`
	StoreReachable int      `json:"store_reachable" help:"how many of these answer"`
	StoreAlarms    []string `json:"store_alarms" help:"the alarms of etcd: NOSPACE, CORRUPT; NOSPACE too when the disk of PostgreSQL is full"`
	StoreRetries   int64    `json:"store_retries" help:"how many changes were tried again since the start"`
	StoreDoubts    int64    `json:"store_doubts" help:"how many commits got no answer in time since the start"`

	LastBackup *time.Time `json:"last_backup" help:"when the last good backup was made; null: none is known"`

	StoreSchema int   `json:"store_schema" help:"the version of the form in which the store is written"`
	StoreBytes  int64 `json:"store_bytes" help:"the size of the store, in bytes"`
	StoreQueue  int   `json:"store_queue" help:"how many changes wait for the disk"`
	StoreWrite  Times `json:"store_write_ms" help:"how long the latest writes took"`

	DiskFree  Space `json:"disk_free_bytes" help:"the room that is left for the store, in bytes; null: unknown"`
	DiskFloor int64 `json:"disk_floor_bytes" help:"the room below which new matches and accounts are refused, in bytes"`
	DiskFull  bool  `json:"disk_full" help:"whether they are refused now"`

	NoticesSent    int64 `json:"notices_sent" help:"how many notices have left the club by this node since the start, codes included"`
	NoticesFailed  int64 `json:"notices_failed" help:"how many tries to send one have failed since then"`
	NoticesGivenUp int64 `json:"notices_given_up" help:"how many were refused, or could not be sent for a day, since then"`
	NoticesWaiting int64 `json:"notices_waiting" help:"how many wait to be sent, in the whole club"`

	Refusals []Refusal `json:"refusals" help:"what was refused in the last hour, by reason"`

	Process
}

// CutOff records that the reporting node, which has the given name, is cut off from the store: it doesn't know which other nodes are up.
func (s *Status) CutOff(node string) {
	for _, other := range slices.Concat(s.NodesUp, s.NodesMissing) {
		if other != node {
			s.NodesUnknown = append(s.NodesUnknown, other)
		}
	}
	slices.Sort(s.NodesUnknown)
	s.NodeCutOff, s.Nodes, s.NodesUp, s.NodesMissing = true, 0, nil, nil
}

// The names of etcd's alarms; PostgreSQL has the first.
const (
	AlarmNoSpace = "NOSPACE"
	AlarmCorrupt = "CORRUPT"
)

// A Space is a number of bytes. -1 means unknown, which is null in JSON.
type Space int64

// MarshalJSON writes the number, or null.
func (s Space) MarshalJSON() ([]byte, error) {
	if s < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Space) UnmarshalJSON(b []byte) error {
	n, err := int64(-1), error(nil)
	if string(b) != "null" {
		n, err = strconv.ParseInt(string(b), 10, 64)
	}
	*s = Space(n)
	return err
}

// A Process describes the program that runs the club.
type Process struct {
	Version     string `json:"version" help:"the version of the program"`
	MemoryBytes int64  `json:"memory_bytes" help:"the memory that the program has of the system, in bytes"`
	Goroutines  int    `json:"goroutines" help:"how many goroutines run"`
	Commit      string `json:"commit" help:"the commit that the program was built from; \"\": unknown"`
	Dirty       bool   `json:"dirty" help:"whether its sources had changes that were not committed"`
	Go          string `json:"go" help:"the version of Go that built it"`
}

// Times holds durations of the latest calls of one kind, in milliseconds. All are 0 if there was no call yet.
type Times struct {
	P50 float64 `json:"p50" help:"the median, in milliseconds"`
	P99 float64 `json:"p99" help:"the 99th percentile, in milliseconds"`
	Max float64 `json:"max" help:"the longest, in milliseconds"`
}

// Print writes the status as aligned text in a language.
func (s Status) Print(w io.Writer, say wording.Words) error {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', 0)
	row := func(name, words string) { fmt.Fprintf(t, "%s\t%s\n", name, words) }
	// Translators: "up" is for how long the program has run.
	row(say.T("up"), say.T("%v, since %s", time.Duration(s.UptimeSeconds)*time.Second, s.Since.UTC().Format(time.RFC3339)))
	row(say.T("connections"), say.T("%d, of them %d signing in", s.Connections, s.SigningIn))
	row(say.T("sessions"), strconv.Itoa(s.Sessions))
	row(say.T("people"), strconv.Itoa(s.Here))
	row(say.T("matches"), say.N(s.Offers, "%d unfinished, of them %d open offer", "%d unfinished, of them %d open offers", s.Matches, s.Offers))
	row(say.T("of them"), say.N(s.MatchesWaiting, "%d waits for somebody, %d between people, %d with a computer player, %d of two computer players",
		"%d wait for somebody, %d between people, %d with a computer player, %d of two computer players", s.MatchesWaiting, s.MatchesPeople, s.MatchesBots, s.MatchesExhibitions))
	row(say.T("moves"), say.T("%d since the start", s.Moves))
	// Translators: "%s, %s, the longest for %.1f s" is: 2 think, 1 waits, the longest for 0.3 s.
	row(say.T("computer players"), say.T("%s, %s, the longest for %.1f s", say.N(s.BotsThinking, "%d thinks", "%d think"), say.N(s.BotsWaiting, "%d waits", "%d wait"),
		float64(s.BotsLongestWait)/1000))
	if s.LentMachines > 0 || s.LentAnswers > 0 {
		// Translators: machines that lend their cores to the club; "%s by %s, %d busy, %d searches" is: 8 cores by 2 machines, 3 busy, 712 searches.
		row(say.T("lent"), say.T("%s by %s, %d busy, %d searches since the start", say.N(s.LentCores, "%d core", "%d cores"),
			say.N(s.LentMachines, "%d machine", "%d machines"), s.LentBusy, s.LentAnswers))
	}
	row(say.T("analyses"), say.N(s.AnalysesWaiting, "%d waits", "%d wait"))
	if s.NoticesSent+s.NoticesFailed+s.NoticesGivenUp+s.NoticesWaiting > 0 {
		// Translators: "notices" are mail and the like to players who are not here.
		row(say.T("notices"), say.T("%d sent since the start, %d given up, %d wait; %d tries have failed", s.NoticesSent, s.NoticesGivenUp, s.NoticesWaiting, s.NoticesFailed))
	}
	// Translators: "store" is the database.
	row(say.T("store"), say.N(s.StoreQueue, "%.1f MiB, %d change waits", "%.1f MiB, %d changes wait", float64(s.StoreBytes)/(1<<20), s.StoreQueue))
	if s.NodeCutOff && len(s.NodesUnknown) > 0 {
		row(say.T("nodes"), say.T("this one is cut off and knows nothing of the others: %s", strings.Join(s.NodesUnknown, ", ")))
	}
	if s.StoreMembers > 0 && !s.NodeCutOff {
		row(say.T("nodes"), say.N(s.Nodes, "%d is up (%s)", "%d are up (%s)", s.Nodes, strings.Join(s.NodesUp, ", "))+"; "+
			say.N(s.NodeMatches, "this one owns %d match", "this one owns %d matches"))
		if len(s.NodesMissing) > 0 {
			row(say.T("nodes"), say.T("missing: %s", strings.Join(s.NodesMissing, ", ")))
		}
	}
	server := "etcd"
	if s.StoreKind == kindPostgres {
		server = "PostgreSQL"
	}
	if s.StoreMembers > 0 {
		row(server, s.members(say)+"; "+
			say.N(int(s.StoreRetries), "%d change retried", "%d changes retried")+", "+say.N(int(s.StoreDoubts), "%d commit in doubt", "%d commits in doubt"))
	}
	if s.NodeCutOff {
		row(server, say.T("this node is cut off from it: matches stand still"))
	}
	for _, alarm := range s.StoreAlarms {
		if alarm == AlarmNoSpace && s.StoreKind == kindPostgres {
			row(server, say.T("its disk is full: nothing can be written"))
			continue
		}
		row(server, say.T("alarm: %s", alarm))
	}
	row(say.T("store writes"), say.T("half within %.1f ms, 99 %% within %.1f ms, slowest %.1f ms", s.StoreWrite.P50, s.StoreWrite.P99, s.StoreWrite.Max))
	if s.LastBackup != nil {
		row(say.T("backup"), say.T("the last good one is of %s", s.LastBackup.UTC().Format(time.RFC3339)))
	} else {
		row(say.T("backup"), say.T("none is known"))
	}
	disk := say.T("disk")
	if s.StoreMembers > 0 {
		disk = server // free space below etcd's quota; not known of PostgreSQL
	}
	row(disk, s.disk(say))
	row(say.T("program"), say.T("%s, %.1f MiB of memory, %d goroutines", s.build(), float64(s.MemoryBytes)/(1<<20), s.Goroutines))
	for _, r := range s.Refusals {
		row(say.T("refused"), say.T("%s: %d in the last minute, %d in the last hour", r.Reason, r.Minute, r.Hour))
	}
	return t.Flush() // the first error of all rows
}

// kindPostgres is the StoreKind of a store on PostgreSQL.
const kindPostgres = "postgres"

// members says how many members of the store answer.
func (s Status) members(say wording.Words) string {
	switch {
	case s.StoreKind != kindPostgres:
		return say.N(s.StoreReachable, "%d of %d members answers", "%d of %d members answer", s.StoreReachable, s.StoreMembers)
	case s.StoreReachable > 0:
		return say.T("it answers")
	}
	return say.T("it does not answer, or takes no changes")
}

// disk says how much room the disk has.
func (s Status) disk(say wording.Words) string {
	const mib = 1 << 20
	left := say.T("free space unknown")
	if s.DiskFree >= 0 {
		left = say.T("%.1f MiB free", float64(s.DiskFree)/mib)
	}
	if s.DiskFull {
		return say.T("%s; new matches and accounts are refused (--free-space %.1f MiB)", left, float64(s.DiskFloor)/mib)
	}
	return left
}

// recentCalls is the number of calls that a Recent remembers.
const recentCalls = 1024

// A Recent remembers how long the latest calls took. The zero value is ready. A Recent is safe for concurrent use.
type Recent struct {
	mu   sync.Mutex // guards what follows
	took [recentCalls]time.Duration
	n    int // calls in all
}

// Add records the duration of a call.
func (r *Recent) Add(took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took[r.n%recentCalls] = took
	r.n++
}

// Times returns the durations of the latest calls.
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
