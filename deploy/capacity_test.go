package deploy

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Measured costs and assumptions about people. CAPACITY.md says where each number comes from.
const (
	sessionMiB     = 0.25
	moveNodes      = 1.7e-3 // seconds of processor time
	moveFollow     = 4e-6
	moveEtcd       = 1.4e-3
	movePostgres   = 1.0e-3
	replyTime      = 30e-3
	etcdMoves      = 8200.0 // a second
	postgresMoves  = 11500.0
	moveBytes      = 1150.0
	moveLog        = 2450.0 // bytes
	finishedBytes  = 9850.0
	finishedRows   = 5950.0 // bytes
	playEachOther  = 0.4
	playComputer   = 0.3
	thinking       = 8.0 // seconds
	replying       = 1.0
	moves          = 60.0 // of a match
	sessionsOfNode = 3000.0
	quota          = 8.0 * (1 << 30)
	disk           = 10e12 // bytes, for the matches of a year
	compaction     = 300.0 // seconds
	archived       = 30.0  // days
	day            = 24 * 3600.0
)

// A load is what the people online do in a second.
type load struct{ moves, replies, ends float64 }

func loadOf(people float64) load {
	between, against := people*playEachOther/2, people*playComputer
	return load{
		moves:   between/thinking + 2*against/(thinking+replying),
		replies: against / (thinking + replying),
		ends:    between/(moves*thinking) + against/(moves/2*(thinking+replying)),
	}
}

// nodesFor returns how many nodes are needed for people.
func nodesFor(people float64) float64 { return math.Ceil(people / sessionsOfNode) }

// needs is the second table of CAPACITY.md.
var needs = []struct {
	row string
	of  func(people float64, l load) float64
}{
	{"nodes", func(people float64, _ load) float64 { return nodesFor(people) }},
	{"moves a second", func(_ float64, l load) float64 { return l.moves }},
	{"matches that end a second", func(_ float64, l load) float64 { return l.ends }},
	{"cores of nodes for moves", func(people float64, l load) float64 { return l.moves * (moveNodes + nodesFor(people)*moveFollow) }},
	{"cores of nodes for computer players", func(_ float64, l load) float64 { return l.replies * replyTime }},
	{"cores of etcd", func(_ float64, l load) float64 { return l.moves * moveEtcd }},
	{"cores of PostgreSQL, with a standby", func(_ float64, l load) float64 { return l.moves * movePostgres }},
	{"watch events a second out of etcd", func(people float64, l load) float64 { return l.moves * nodesFor(people) }},
	{"gigabytes a day that etcd writes", func(_ float64, l load) float64 { return l.moves * moveBytes * day / 1e9 }},
	{"megabytes between two compactions", func(_ float64, l load) float64 { return l.moves * moveBytes * compaction / 1e6 }},
	{"gigabytes of finished matches a day, in etcd", func(_ float64, l load) float64 { return l.ends * finishedBytes * day / 1e9 }},
	{"gigabytes a day of PostgreSQL's write-ahead log", func(_ float64, l load) float64 { return l.moves * moveLog * day / 1e9 }},
	{"gigabytes of a year's matches in PostgreSQL", func(_ float64, l load) float64 { return l.ends * finishedRows * day * 365 / 1e9 }},
	{"days until the quota of etcd is full", func(_ float64, l load) float64 { return quota / (l.ends * finishedBytes * day) }},
}

// limits is the third table: the number of people at which each limit is reached. All loads grow in proportion to it.
var limits = []struct {
	row    string
	people float64
}{
	{"a file: what one machine serves", sessionsOfNode},
	{"etcd: finished matches of 30 days fill the quota", quota / (loadOf(1).ends * finishedBytes * day * archived)},
	{"etcd: moves a second", etcdMoves / loadOf(1).moves},
	{"PostgreSQL: finished matches of a year fill 10 TB", disk / (loadOf(1).ends * finishedRows * day * 365)},
	{"PostgreSQL: moves a second", postgresMoves / loadOf(1).moves},
	{"etcd: a compaction leaves no room for the next five minutes", quota / 2 / (loadOf(1).moves * moveBytes * compaction)},
}

// shown formats a number as CAPACITY.md does.
func shown(n float64) string {
	if n < 10 && n != math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	text := fmt.Sprintf("%.0f", n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// rounded rounds a number to two significant digits.
func rounded(n float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(n))-1)
	return math.Round(n/unit) * unit
}

// TestCapacity: the tables of CAPACITY.md follow from the costs above.
func TestCapacity(t *testing.T) {
	page, err := os.ReadFile("CAPACITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(string(page), "\n")
	want := func(row string) {
		t.Helper()
		for _, has := range rows {
			if has == row {
				return
			}
		}
		t.Errorf("the page lacks the row\n%s", row)
	}
	for _, n := range needs {
		row := "| " + n.row + " |"
		for _, people := range []float64{1000, 10_000, 100_000} {
			row += " " + shown(n.of(people, loadOf(people))) + " |"
		}
		want(row)
	}
	for _, l := range limits {
		want("| " + l.row + " | about " + shown(rounded(l.people)) + " |")
	}
	for _, cost := range []struct {
		row   string
		value float64
	}{
		{"memory of a session", sessionMiB}, {"processor time of a move, nodes together", moveNodes * 1000}, {"of it, a node that only follows", moveFollow * 1000},
		{"processor time of a move, members together", moveEtcd * 1000}, {"processor time of a computer player's reply", replyTime * 1000},
		{"moves a second of one etcd", etcdMoves}, {"bytes that etcd writes for a move", moveBytes}, {"bytes of a finished match in etcd", finishedBytes},
		{"processor time of a move, PostgreSQL and its standby together", movePostgres * 1000}, {"moves a second of one PostgreSQL", postgresMoves},
		{"bytes that PostgreSQL logs for a move", moveLog}, {"bytes of a finished match in PostgreSQL", finishedRows},
	} {
		found := false
		for _, has := range rows {
			found = found || strings.HasPrefix(has, "| "+cost.row+" | ") && strings.Contains(strings.ReplaceAll(has, ",", ""), " "+strconv.FormatFloat(cost.value, 'f', -1, 64)+" ")
		}
		if !found {
			t.Errorf("the page doesn't say that %s is %v", cost.row, cost.value)
		}
	}
}
