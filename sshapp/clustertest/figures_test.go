package clustertest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/clustertest/history"
)

var figures = flag.Bool("figures", false, "measure a club with a file, and ones of several nodes on etcd and on PostgreSQL")

// TestFigures measures what a move costs and how long it takes, with a file and with several nodes on etcd and on PostgreSQL, one after the other.
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("a measurement; run it with -figures")
	}
	const fast, paced = 200, 200 // matches at a time
	for _, v := range []struct {
		name  string
		nodes int
		store func(t *testing.T) backend
	}{
		{"one node, bolt", 1, func(*testing.T) backend { return nil }},
		{fmt.Sprintf("%d nodes, %d members of etcd", *nodes, *members), *nodes, func(t *testing.T) backend { return startEtcd(t, *members) }},
		{fmt.Sprintf("%d nodes, PostgreSQL with a standby", *nodes), *nodes, func(t *testing.T) backend { return startPostgres(t) }},
	} {
		t.Run(v.name, func(t *testing.T) {
			c := newClub(t, 2*fast+100, v.nodes, v.store(t))
			t.Logf("empty: memory a node %s", c.memory())
			measureScreens(t, c)
			measureLoad(t, c, 1, 0, 10*time.Second)
			t.Logf("store time of the last writes of node 0: %s", c.storeTime())
			measureLoad(t, c, fast, 0, 15*time.Second)
			t.Logf("store time of the last writes of node 0: %s", c.storeTime())
			measureLoad(t, c, paced, 4*time.Second, 20*time.Second)
		})
	}
}

// memory returns the resident memory of each node.
func (c *club) memory() string {
	text := ""
	for _, n := range c.nodes {
		text += fmt.Sprintf(" %.1f", float64(n.memory())/(1<<20))
	}
	return text[1:] + " MiB"
}

// cpu returns the processor time of all nodes, and of all servers of the store.
func (c *club) cpu() (nodes, store time.Duration) {
	for _, n := range c.nodes {
		nodes += n.cpu()
	}
	if c.store != nil {
		store = c.store.cpu()
	}
	return nodes, store
}

// storeTime returns the latency of the last writes of the first node.
func (c *club) storeTime() string {
	out, err := exec.Command(c.nodes[0].path, "status", "--json", "--data="+c.nodes[0].data).Output()
	var s struct {
		Times struct{ P50, P99, Max float64 } `json:"store_write_ms"`
	}
	if err != nil || json.Unmarshal(out, &s) != nil {
		return "not known"
	}
	return fmt.Sprintf("p50 %.1f ms, p99 %.1f ms, at most %.1f ms", s.Times.P50, s.Times.P99, s.Times.Max)
}

// measureLoad has people play this many games at a time, thinking for up to thinks, and logs rates, latencies and costs over length.
func measureLoad(t *testing.T, c *club, games int, thinks, length time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := beginPairs(t, ctx, c.addresses(), games, thinks)
	if !l.playing(ctx, games) {
		t.Fatal("play does not begin")
	}
	pause(ctx, 2*time.Second)
	from := time.Now()
	nodes, store := c.cpu()
	pause(ctx, length)
	until := time.Now()
	nodesAfter, storeAfter := c.cpu()
	held := c.memory()
	run := history.Run{Clients: l.stop(), Stopped: until}
	moves := 0
	for i := range run.Clients {
		client := &run.Clients[i]
		client.Acts = slices.DeleteFunc(client.Acts, func(a history.Act) bool {
			return a.Kind == history.Move && (a.Outcome != history.Done || a.Invoked.Before(from) || a.Answered.After(until))
		})
		for _, a := range client.Acts {
			if a.Kind == history.Move {
				moves++
			}
		}
	}
	run.Matches = c.read(t.Context()).matches
	r := history.Check(run)
	took := until.Sub(from)
	each := func(d time.Duration) string {
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000/float64(max(moves, 1)))
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
	t.Logf("%d matches, thinking up to %v: %.0f moves a second; acknowledged after p50 %s, p99 %s; seen by the opponent, on another node if there are several, "+
		"after p50 %s, p99 %s; processor time a move %s of the nodes and %s of the store; memory a node %s", games, thinks,
		float64(moves)/took.Seconds(), ms(history.Quantile(r.Acknowledged, .5)), ms(history.Quantile(r.Acknowledged, .99)),
		ms(history.Quantile(r.Opponent, .5)), ms(history.Quantile(r.Opponent, .99)), each(nodesAfter-nodes), each(storeAfter-store), held)
	if moves == 0 || len(r.Opponent) == 0 {
		t.Error("nothing was measured")
	}
}

// beginPairs starts pairs of clients, each pair on two nodes if there are several.
func beginPairs(t testing.TB, ctx context.Context, nodes []string, games int, thinks time.Duration) *load {
	t.Helper()
	l := &load{}
	open, shut := context.WithCancel(ctx)
	act, stop := context.WithCancel(open)
	l.stopActing = stop
	l.close = func() {
		shut()
		for _, p := range l.players {
			p.leave()
		}
	}
	first := rand.IntN(40_000) // most likely not the players of an earlier measurement
	for n := range 2 * games {
		l.players = append(l.players, newPlayer(t, first+n, func() []string { return nodes }, func(r *rand.Rand) time.Duration {
			return thinks/2 + time.Duration(r.Int64N(int64(thinks/2)+1))
		}, &l.counts))
	}
	for n := range games {
		host, guest, invitations := l.players[2*n], l.players[2*n+1], make(chan invitation)
		host.at, guest.at = n, n+1
		// Long games, so that few end while they are measured.
		settings := func(r *rand.Rand) string { return []string{"petteia", "flugelrad"}[r.IntN(2)] + " --side random" }
		l.acting.Go(func() { host.register(act); host.host(act, settings, invitations, &l.running) })
		l.acting.Go(func() { guest.register(act); guest.guest(act, invitations) })
	}
	return l
}

// A screen is a session with a terminal that shows a board.
type screen struct {
	in     io.Writer
	output chan time.Time // when output arrived; holds one, further ones are dropped
}

func (p *player) screen(t *testing.T, ctx context.Context, command string) *screen {
	t.Helper()
	session, err := p.connect(ctx).session()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestPty("xterm-256color", 24, 80, gossh.TerminalModes{}); err != nil {
		t.Fatal(err)
	}
	in, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start(command); err != nil {
		t.Fatal(err)
	}
	s := &screen{in, make(chan time.Time, 1)}
	p.all.Go(func() {
		buf := make([]byte, 32<<10)
		for {
			_, err := out.Read(buf)
			if err != nil {
				return
			}
			select {
			case s.output <- time.Now():
			default:
			}
		}
	})
	return s
}

// settle waits until no output has arrived for a while.
func (s *screen) settle(ctx context.Context) {
	for {
		select {
		case <-s.output:
		default:
		}
		if !pause(ctx, 60*time.Millisecond) || len(s.output) == 0 {
			return
		}
	}
}

// measureScreens measures the time from the key that makes a move to output on both screens. The opponent is on another node if there are
// several.
func measureScreens(t *testing.T, c *club) {
	t.Helper()
	ctx := t.Context()
	var counts counts
	var both [2]*player
	for i := range both {
		both[i] = newPlayer(t, 60_000+i, c.addresses, func(*rand.Rand) time.Duration { return 0 }, &counts)
		both[i].at = i
		both[i].register(ctx)
		defer both[i].disconnect()
	}
	const moves = 150
	var own, other []time.Duration
	for len(other) < moves {
		m, outcome := both[0].act(ctx, "new flugelrad --side first --json", history.Act{Kind: history.Open})
		if outcome != history.Done {
			t.Fatal("no match is opened")
		}
		code := m.Code
		if a, _ := both[1].run(ctx, "join "+code+" --json"); a.outcome != history.Done {
			t.Fatal(a.words)
		}
		screens := [2]*screen{both[0].screen(t, ctx, "watch "+code), both[1].screen(t, ctx, "watch "+code)}
		for len(other) < moves {
			for _, s := range screens {
				s.settle(ctx)
			}
			a, _ := both[0].run(ctx, "show "+code+" --json")
			now := new(shown)
			if err := json.Unmarshal(a.out, now); err != nil {
				t.Fatal(err)
			}
			if now.Turn == "" {
				break
			}
			mover := 0
			if now.Turn == "second" {
				mover = 1
			}
			move := string(now.Legal[both[0].random.IntN(len(now.Legal))])
			_, _ = io.WriteString(screens[mover].in, move)
			for _, s := range screens {
				s.settle(ctx)
			}
			pressed := time.Now()
			_, _ = io.WriteString(screens[mover].in, "\r")
			for i, s := range screens {
				select {
				case at := <-s.output:
					if i == mover {
						own = append(own, at.Sub(pressed))
					} else {
						other = append(other, at.Sub(pressed))
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("nothing shows on screen %d after %s", i, move)
				}
			}
		}
		both[0].disconnect()
		both[1].disconnect()
		both[0].at, both[1].at = 0, 1
	}
	slices.Sort(own)
	slices.Sort(other)
	ms := func(all []time.Duration, q float64) string {
		return fmt.Sprintf("%.1f ms", history.Quantile(all, q).Seconds()*1000)
	}
	t.Logf("key to the own screen p50 %s, p99 %s; to the opponent's, on another node if there are several, p50 %s, p99 %s", ms(own, .5), ms(own, .99),
		ms(other, .5), ms(other, .99))
}
