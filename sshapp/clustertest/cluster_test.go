package clustertest

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games/catalog"
	"ludoteca/sshapp/clustertest/history"
	"ludoteca/sshapp/e2e/program"
)

var (
	rounds   = flag.Int("rounds", 1, "how many times faults are injected")
	sessions = flag.Int("sessions", 14, "clients")
	matches  = flag.Int("matches", 7, "matches at a time")
	pace     = flag.Duration("pace", 0, "the longest time that a player thinks, half of it the shortest; 0: 2 s, or less for few sessions")
	length   = flag.Duration("length", 0, "how long a round takes after its faults; 0: 15 s, or less for few sessions")
	nodes    = flag.Int("nodes", 3, "nodes of a club of several")
	members  = flag.Int("members", 3, "members of etcd")
	cutFor   = flag.Duration("cut", 0, "for how long a node is cut off from the store; 0: 30 s, or not at all for few sessions")
	seed     = flag.Uint64("seed", 0, "what the faults are drawn from; 0: another one each time, which is logged")
	binary   = flag.String("binary", "", "the program under test; it is built when empty")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(asMember) != "" {
		fmt.Fprintln(os.Stderr, serveMember())
		os.Exit(1)
	}
	debug.SetGCPercent(400) // fewer collections here, because the clients share the processors with the program
	os.Exit(program.Run(m))
}

// A load is a number of clients who play.
type load struct {
	players []*player
	counts  counts
	running codes

	stopActing, close func()
	acting            sync.WaitGroup
}

// settings returns a function that draws arguments for the command new: of all games, some with a clock, and some rated unless they are
// against a computer player.
func settings(against string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		all := catalog.All()
		words := []string{all[r.IntN(len(all))].About().ID, "--side", []string{"first", "second", "random"}[r.IntN(3)]}
		if r.IntN(2) == 0 {
			words = append(words, "--clock", "5+3")
		}
		switch {
		case against != "":
			words = append(words, "--vs", against)
		case r.IntN(4) > 0:
			words = append(words, "--rated")
		}
		return strings.Join(words, " ")
	}
}

// begin starts people clients on the nodes with these addresses, who play this many games at a time.
func begin(t testing.TB, ctx context.Context, nodes []string, people, games int, thinks time.Duration) *load {
	t.Helper()
	l := &load{}
	for n := range people {
		l.players = append(l.players, newPlayer(t, n, func() []string { return nodes }, func(r *rand.Rand) time.Duration {
			return thinks/2 + time.Duration(r.Int64N(int64(thinks/2)))
		}, &l.counts))
	}
	open, shut := context.WithCancel(ctx)
	act, stop := context.WithCancel(open)
	l.stopActing = stop
	l.close = func() {
		shut()
		for _, p := range l.players {
			p.leave()
		}
	}
	spectators := max(people/10, 1)
	pairs := people - spectators - games
	if pairs < 0 || pairs > games {
		t.Fatalf("%d sessions don't make %d matches", people, games)
	}
	rest := l.players
	take := func() *player { p := rest[0]; rest = rest[1:]; return p }
	for range pairs {
		invitations, host, guest := make(chan invitation), take(), take()
		l.acting.Go(func() { host.register(act); host.host(act, settings(""), invitations, &l.running) })
		l.acting.Go(func() { guest.register(act); guest.guest(act, invitations) })
	}
	for i := range games - pairs {
		p, level := take(), []string{"random", "greedy"}[i%2]
		l.acting.Go(func() { p.register(act); p.host(act, settings(level), nil, &l.running) })
	}
	for range spectators {
		p := take()
		l.acting.Go(func() { p.spectate(act, &l.running) })
	}
	return l
}

// moves returns the number of moves acknowledged so far.
func (l *load) moves() (n int) {
	for _, p := range l.players {
		for _, a := range p.history.Client().Acts {
			if a.Kind == history.Move && a.Outcome == history.Done {
				n++
			}
		}
	}
	return n
}

// playing waits until n matches are running. It returns false if ctx ends before.
func (l *load) playing(ctx context.Context, n int) bool {
	for {
		l.running.mu.Lock()
		now := len(l.running.all)
		l.running.mu.Unlock()
		if now >= n {
			return true
		}
		if !pause(ctx, 50*time.Millisecond) {
			return false
		}
	}
}

// stop ends the load and returns the histories of the clients.
func (l *load) stop() []history.Client {
	l.stopActing()
	l.acting.Wait()
	l.close()
	var all []history.Client
	for _, p := range l.players {
		all = append(all, p.history.Client())
	}
	return all
}

// durations returns the longest time that players think, and the length of a round.
func durations() (thinks, round time.Duration) {
	thinks, round = 2*time.Second, 15*time.Second
	if *sessions < 50 {
		thinks, round = 40*time.Millisecond, 2*time.Second
	}
	return cmp.Or(*pace, thinks), cmp.Or(*length, round)
}

// A club is its nodes and its store.
type club struct {
	t       testing.TB
	nodes   []*node
	proxies [][]*proxy      // of each node, to the servers of the store
	store   backend         // nil: the only node has a file
	held    history.Matches // contents of the store when it was last read
	random  *rand.Rand      // for faults
}

// newClub starts a club for this many clients on a store, or as one node with a file if store is nil.
func newClub(t testing.TB, clients, nodes int, store backend) *club {
	t.Helper()
	from := *seed
	for from == 0 {
		from = rand.Uint64()
	}
	t.Logf("faults are drawn with -seed %d", from)
	c := &club{t: t, store: store, random: rand.New(rand.NewPCG(from, 1))}
	for i := range nodes {
		var flags []string
		if c.store != nil {
			var proxies []*proxy
			var addresses []string
			for _, to := range c.store.servers() {
				p := newProxy(t, to)
				proxies, addresses = append(proxies, p), append(addresses, p.addr())
			}
			c.proxies = append(c.proxies, proxies)
			flags = []string{"--store=" + c.store.address(addresses), fmt.Sprint("--node=n", i)}
		}
		c.nodes = append(c.nodes, newNode(t, fmt.Sprint("n", i), clients, flags...))
		if i > 0 {
			if err := c.nodes[0].giveHostKey(c.nodes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.nodes[i].start(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// addresses returns the addresses of all nodes.
func (c *club) addresses() (all []string) {
	for _, n := range c.nodes {
		all = append(all, n.addr)
	}
	return all
}

// read reads the contents of the store. While the club runs, the ratings are not checked.
func (c *club) read(ctx context.Context) contents {
	c.t.Helper()
	if n := c.nodes[0]; c.store == nil && n.running() {
		file := filepath.Join(c.t.TempDir(), "backup")
		if out, err := exec.Command(n.path, "backup", file, "--data="+n.data).CombinedOutput(); err != nil {
			c.t.Fatalf("backup: %v\n%s", err, out)
		}
		return readFile(c.t, file)
	}
	if c.store == nil {
		return readFile(c.t, filepath.Join(c.nodes[0].data, "ludoteca.db"))
	}
	var before history.Matches
	if slices.ContainsFunc(c.nodes, func(n *node) bool { return n.running() }) {
		if before = c.held; before == nil {
			before = make(history.Matches)
		}
	}
	engine, err := c.store.open(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	defer engine.Close()
	h, err := readStore(ctx, engine, before)
	if err != nil {
		c.t.Fatal(err)
	}
	c.held = h.matches
	return h
}

// A faultFunc injects a fault into a club and ends it again. round is the length of a round.
type faultFunc func(ctx context.Context, c *club, round time.Duration) history.Fault

// killNode kills a node and starts it again.
func killNode(ctx context.Context, c *club, round time.Duration) history.Fault {
	n := c.nodes[c.random.IntN(len(c.nodes))]
	f := history.Fault{What: "kill -9 of " + n.name, Start: time.Now()}
	n.kill()
	if c.store == nil { // the file has all that was durable now
		h := c.read(ctx)
		f.Held = &history.Snapshot{At: f.Start, Matches: h.matches}
	}
	pause(ctx, c.upTo(round/5)-time.Since(f.Start))
	if err := n.start(); err != nil {
		c.t.Fatal(err)
	}
	if f.From = f.Start; len(c.nodes) == 1 {
		f.From = time.Now()
	}
	return f
}

// stopNode stops a node with SIGTERM, as a service manager does, and starts it again.
func stopNode(ctx context.Context, c *club, round time.Duration) history.Fault {
	n := c.nodes[c.random.IntN(len(c.nodes))]
	f := history.Fault{What: "SIGTERM for " + n.name, Start: time.Now()}
	n.stop()
	if err := n.start(); err != nil {
		c.t.Fatal(err)
	}
	if f.From = f.Start; len(c.nodes) == 1 {
		f.From = time.Now()
	}
	return f
}

// upTo returns a time shorter than most.
func (c *club) upTo(most time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(most)))
}

// cutOff cuts a node off from the store for a while.
func cutOff(length time.Duration) faultFunc {
	return func(ctx context.Context, c *club, round time.Duration) history.Fault {
		i := c.random.IntN(len(c.nodes))
		f := history.Fault{What: fmt.Sprintf("%s cut off for %v", c.nodes[i].name, length), Start: time.Now()}
		if len(c.nodes) > 1 {
			f.Node = c.nodes[i].name
		}
		c.setBlocked(i, true, true)
		pause(ctx, length)
		if c.random.IntN(2) == 0 { // else blocked traffic arrives late
			c.reset(i)
		}
		c.setBlocked(i, false, false)
		if f.From = f.Start; len(c.nodes) == 1 {
			f.From = time.Now()
		}
		return f
	}
}

// setBlocked blocks or unblocks traffic between a node and the store, by direction.
func (c *club) setBlocked(node int, requests, answers bool) {
	for _, p := range c.proxies[node] {
		p.setBlocked(requests, answers)
	}
}

// reset ends the connections between a node and the store.
func (c *club) reset(node int) {
	for _, p := range c.proxies[node] {
		p.reset()
	}
}

// loseAnswers has requests of a node carried out by the store but not answered, a few times.
func loseAnswers(ctx context.Context, c *club, round time.Duration) history.Fault {
	i := c.random.IntN(len(c.nodes))
	f := history.Fault{What: "answers of the store to " + c.nodes[i].name + " are lost", Start: time.Now()}
	for range 4 {
		c.setBlocked(i, false, true)
		pause(ctx, 50*time.Millisecond+c.upTo(round/10))
		c.reset(i)
		c.setBlocked(i, false, false)
		pause(ctx, c.upTo(round/10))
	}
	f.From = time.Now()
	return f
}

// TestClusterOneNode kills a club of one node with a file and starts it again, round after round, while people play.
func TestClusterOneNode(t *testing.T) {
	chaos(t, newClub(t, *sessions, 1, nil), killNode)
}

// TestClusterOneNodeOnEtcd does the same on etcd.
func TestClusterOneNodeOnEtcd(t *testing.T) {
	if *sessions < 50 {
		t.Skip("TestCluster covers this in a short run")
	}
	store := startEtcd(t, *members)
	chaos(t, newClub(t, *sessions, 1, store), killNode, store.killLeader, loseAnswers)
}

// TestCluster has people play on several nodes over etcd while nodes and leaders are killed and nodes are cut off from etcd.
func TestCluster(t *testing.T) {
	store := startEtcd(t, *members)
	chaos(t, newClub(t, *sessions, *nodes, store), slices.Concat([]faultFunc{killNode, store.killLeader, loseAnswers}, slow())...)
}

// TestClusterOnPostgres does the same on PostgreSQL, where the primary is killed and its standby promoted.
func TestClusterOnPostgres(t *testing.T) {
	store := startPostgres(t)
	all := slices.Concat([]faultFunc{killNode, store.killPrimary, loseAnswers, store.promote}, slow())
	if len(slow()) > 0 {
		all = append(all, store.killStandby)
	}
	chaos(t, newClub(t, *sessions, *nodes, store), all...)
}

// slow returns the faults of nodes that a short run leaves out.
func slow() []faultFunc {
	if *sessions < 50 && *cutFor == 0 {
		return nil
	}
	return []faultFunc{stopNode, cutOff(cmp.Or(*cutFor, 30*time.Second))}
}

// resumeWithin is the longest time after which play must go on.
const resumeWithin = 10 * time.Second

// chaos has people play while faults are injected, round after round, and checks the run.
func chaos(t *testing.T, c *club, faults ...faultFunc) {
	thinks, round := durations()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := begin(t, ctx, c.addresses(), *sessions, *matches, thinks)
	if len(c.nodes) > 1 {
		for _, p := range l.players {
			p.idle = max(5*time.Second, 2*thinks)
		}
	}
	if !l.playing(ctx, *matches) {
		t.Fatal("play does not begin")
	}
	run := history.Run{OneNode: len(c.nodes) == 1, ResumeWithin: resumeWithin, ClockTolerance: 2 * time.Second}
	pause(ctx, round/2)
	for i := range *rounds {
		c.random.Shuffle(len(faults), func(a, b int) { faults[a], faults[b] = faults[b], faults[a] })
		for _, inject := range faults {
			f := inject(ctx, c, round)
			f.End = time.Now().Add(round / 3)
			t.Logf("round %d: %s, over after %v; %d moves so far", i+1, f.What, time.Since(f.Start).Round(time.Millisecond), l.moves())
			pause(ctx, round)
			if c.store != nil {
				at := time.Now()
				f.Held = &history.Snapshot{At: at, Matches: c.read(ctx).matches}
			}
			run.Faults = append(run.Faults, f)
		}
	}
	for _, n := range c.nodes {
		t.Logf("%s holds %.1f MiB, and has used %v of processor time since its start", n.name, float64(n.memory())/(1<<20), n.cpu())
	}
	run.Stopped = time.Now()
	run.Clients = l.stop()
	for _, n := range c.nodes {
		n.kill()
	}
	h := c.read(ctx)
	run.Matches, run.Ratings = h.matches, h.ratings
	checkRun(t, run, l)
	for _, n := range c.nodes {
		checkLog(t, c, n)
	}
	if t.Failed() {
		t.Logf("the logs of the nodes and of the store are in %s", keepLogs(t, c))
	}
}

// keepLogs writes what each node, and each server of the store that does so, has logged to a new folder, which it returns.
func keepLogs(t testing.TB, c *club) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "clustertest-logs-")
	if err != nil {
		t.Fatal(err)
	}
	logs := make(map[string]string)
	if c.store != nil {
		logs = c.store.logs()
	}
	for _, n := range c.nodes {
		logs[n.name] = n.stderr()
	}
	for name, log := range logs {
		if err := os.WriteFile(filepath.Join(dir, name+".log"), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// expectedErrors are parts of log lines that a node may write while the servers of the store don't answer.
var expectedErrors = []string{"the store does not", "writing to a match failed", "etcd does not answer", "PostgreSQL does not answer", "deadline exceeded", "commit failed"}

// checkLog fails the test for each error that a node has logged, except expectedErrors with a store of several nodes.
func checkLog(t testing.TB, c *club, n *node) {
	t.Helper()
	for line := range strings.Lines(n.stderr()) {
		if !strings.Contains(line, "level=ERROR") {
			continue
		}
		if c.store != nil && slices.ContainsFunc(expectedErrors, func(s string) bool { return strings.Contains(line, s) }) {
			t.Logf("%s: %s", n.name, line)
			continue
		}
		t.Errorf("%s complains: %s", n.name, line)
	}
}

// checkRun checks a run and logs its report.
func checkRun(t testing.TB, run history.Run, l *load) history.Report {
	t.Helper()
	began := time.Now()
	r := history.Check(run)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	t.Logf("%d matches, %d ended; %d views; %d moves sent: %d acknowledged, %d refused, %d unknown, of which %d arrived, %d of them late",
		r.Matches, r.Ended, r.Views, r.Sent, r.Outcomes[history.Done], r.Outcomes[history.Refused], r.Outcomes[history.Unknown], r.Arrived, r.Late)
	t.Logf("outside faults a move was acknowledged after p50 %s, p99 %s, at most %s, and the opponent saw it after p50 %s, p99 %s, at most %s",
		ms(history.Quantile(r.Acknowledged, .5)), ms(history.Quantile(r.Acknowledged, .99)), ms(history.Quantile(r.Acknowledged, 1)),
		ms(history.Quantile(r.Opponent, .5)), ms(history.Quantile(r.Opponent, .99)), ms(history.Quantile(r.Opponent, 1)))
	t.Logf("watching began after p50 %s, p99 %s, at most %s", ms(history.Quantile(r.First, .5)), ms(history.Quantile(r.First, .99)), ms(history.Quantile(r.First, 1)))
	t.Logf("%d charges of clocks compared, the largest difference outside faults was %s; %d gave time back", r.ClockMoves, ms(r.ClockError), r.Back)
	for _, g := range r.Gaps {
		t.Logf("%s at %s (%v): %d matches went on, the last after %s (%s)", g.Fault.What, g.Fault.Start.Format("15:04:05"),
			g.Fault.From.Sub(g.Fault.Start).Round(time.Millisecond), g.Matches, ms(g.Longest), g.Match)
		t.Logf("     the first move was acknowledged after %s", ms(g.First))
		if g.OnNodeMatches > 0 {
			t.Logf("     and %d with a player on %s, the last after %s (%s)", g.OnNodeMatches, g.Fault.Node, ms(g.OnNode), g.OnNodeMatch)
		}
	}
	l.counts.words.Range(func(words, n any) bool {
		t.Logf("%4d times: %s", n.(*atomic.Int64).Load(), words)
		return true
	})
	t.Logf("%d connections made, %d dropped by clients, %d times no news of a match came, %d times although there were some; checked in %v", l.counts.dials.Load(), l.counts.cut.Load(),
		l.counts.idle.Load(), l.counts.behind.Load(), time.Since(began).Round(time.Millisecond))
	if r.Outcomes[history.Done] < 10*len(run.Faults) || r.Views == 0 || r.Ended == 0 {
		t.Error("too little was played")
	}
	if n := len(r.Violations); n > 0 {
		t.Errorf("%d violations; all histories are in %s", n, saveRun(t, run, r))
		for _, v := range r.Violations[:min(n, 40)] {
			t.Error(v)
		}
	}
	return r
}

// saveRun writes a run to a new folder and returns its path.
func saveRun(t testing.TB, run history.Run, r history.Report) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "clustertest-histories-")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, lines ...any) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out := json.NewEncoder(f)
		for _, line := range lines {
			if err := out.Encode(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range run.Clients {
		var lines []any
		for _, a := range c.Acts {
			lines = append(lines, a)
		}
		for _, v := range c.Views {
			lines = append(lines, v)
		}
		write(c.Name+".jsonl", lines...)
	}
	write("faults.jsonl", run.Faults)
	write("store.jsonl", run.Matches)
	violations := slices.Clone(r.Violations)
	write("violations.jsonl", violations)
	return dir
}
