package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/sshapp/e2e/sshclient"
)

// How long keys take in the whole club, store and computer players included, seen from outside: the server is a process of
// its own, its clients are Go's. The figures are of a whole machine, clients included, so compare them only side by side:
//
//	go test -run '^$' -bench . .
//
// What sessions cost is measured by sshapp/loadtest.

// bareScreen is the full screen over a connection of Go's SSH client, without a program between.
type bareScreen struct {
	*sshclient.Display
	keys    io.Writer
	client  *gossh.Client
	session *gossh.Session
}

// openScreen opens the full screen, 80x24, on a connection, with a command or "".
func openScreen(b testing.TB, client *gossh.Client, name, command string) (*bareScreen, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	keys, err := session.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := session.RequestPty("xterm-256color", 24, 80, gossh.TerminalModes{}); err != nil {
		return nil, err
	}
	if command == "" {
		err = session.Shell()
	} else {
		err = session.Start(command)
	}
	if err != nil {
		return nil, err
	}
	s := &bareScreen{Display: sshclient.NewDisplay(b, name, 80, 24), keys: keys, client: client, session: session}
	s.Connect(out, keys)
	return s, nil
}

func mustOpenScreen(b testing.TB, client *gossh.Client, name, command string) *bareScreen {
	b.Helper()
	s, err := openScreen(b, client, name, command)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// close ends the session, not the connection.
func (s *bareScreen) close() {
	_ = s.session.Close()
	s.Join()
}

func (s *bareScreen) types(keys string) {
	s.T.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.T.Fatal(err)
	}
}

// keyInterval is the time before a key that is measured: frames on one screen are at least a sixtieth of a second apart,
// and players are slower.
const keyInterval = 30 * time.Millisecond

// pause waits for keyInterval.
func pause() {
	ticks := time.NewTicker(keyInterval)
	defer ticks.Stop()
	<-ticks.C
}

// BenchmarkKeyToOtherScreen measures the time from the key with which one player makes a move, typed before, to the first
// byte of it on the opponent's screen: through checking, the disk, and both screens.
func BenchmarkKeyToOtherScreen(b *testing.B) {
	club := startClub(b, b.TempDir())
	clients := bothPlayers(b, club.addr)
	var took []time.Duration
	m := benchMatch{}
	for b.Loop() {
		if m.position == nil || m.position.Result().Over {
			m.close()
			m = newBenchMatch(b, clients)
		}
		took = append(took, m.move())
	}
	m.close()
	quantiles(b, took)
}

// bothPlayers are the connections of two players who have names.
func bothPlayers(b *testing.B, addr string) (clients [2]*gossh.Client) {
	b.Helper()
	for i, name := range []string{"ana", "rui"} {
		clients[i] = sshclient.MustDial(b, addr, name, sshclient.NewSigner(b))
		if _, err := sshclient.Ask(clients[i], "name "+name); err != nil {
			b.Fatal(err)
		}
	}
	return clients
}

// quantiles reports the median and the 99th percentile of times in milliseconds.
func quantiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, q := range []int{50, 99} {
		b.ReportMetric(float64(took[len(took)*q/100])/float64(time.Millisecond), fmt.Sprintf("p%d-ms", q))
	}
	b.ReportMetric(0, "ns/op") // of the benchmark's own waiting
}

// A benchMatch is a match with its board on the screens of both players.
type benchMatch struct {
	position games.Position
	random   *games.Random
	screens  [2]*bareScreen
}

func newBenchMatch(b *testing.B, clients [2]*gossh.Client) benchMatch {
	b.Helper()
	const game = "momentum"
	out, err := sshclient.Ask(clients[0], "new "+game+" --side first --json")
	var opened struct{ Code string }
	if err != nil || json.Unmarshal(out, &opened) != nil {
		b.Fatalf("%v: %s", err, out)
	}
	g, _ := catalog.Find(game)
	o, err := games.Complete(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		b.Fatal(err)
	}
	m := benchMatch{position: p, random: games.NewRandom(1)}
	m.screens[1] = mustOpenScreen(b, clients[1], "rui", "join "+opened.Code)
	m.screens[1].Shows("Waiting for")
	m.screens[0] = mustOpenScreen(b, clients[0], "ana", "watch "+opened.Code)
	m.screens[0].Shows("your move")
	return m
}

// move makes a move and returns how long it took to the other screen.
func (m *benchMatch) move() time.Duration {
	by, other := m.screens[m.position.Turn()], m.screens[m.position.Turn().Other()]
	by.Shows("your move")
	legal := m.position.Legal()
	move := legal[m.random.N(len(legal))]
	next, err := m.position.Play(move)
	if err != nil {
		by.T.Fatal(err)
	}
	m.position = next
	by.types(string(move))
	by.Shows("enter plays " + string(move))
	pause()
	sent := time.Now()
	by.types(enter)
	return other.Next(sent).Sub(sent)
}

func (m *benchMatch) close() {
	for _, s := range m.screens {
		if s != nil {
			s.close()
		}
	}
}

// BenchmarkKeysBesideMasters measures how long a key takes to its own screen, in a quiet club and beside a hundred matches
// in which players who answer at once play the strongest computer player; and how long they wait for its replies.
func BenchmarkKeysBesideMasters(b *testing.B) {
	for _, matches := range []int{0, 100} {
		b.Run(fmt.Sprintf("masters=%d", matches), func(b *testing.B) {
			club := startClub(b, b.TempDir(), "--max-sessions=1400")
			clients := bothPlayers(b, club.addr)
			m := newBenchMatch(b, clients)
			defer m.close()
			players := newMasterMatches(b, club.addr, matches)
			players.waitForReplies(b)
			var took []time.Duration
			for b.Loop() {
				pause()
				sent := time.Now()
				m.screens[0].types([]string{left, right}[len(took)%2])
				took = append(took, m.screens[0].Next(sent).Sub(sent))
			}
			quantiles(b, took)
			replies := players.end()
			if matches > 0 {
				b.ReportMetric(replies[len(replies)/2].Seconds(), "reply-p50-s")
				b.ReportMetric(replies[len(replies)-1].Seconds(), "reply-max-s")
				b.ReportMetric(float64(len(replies)), "replies")
			}
		})
	}
}

// masterMatches are players against the strongest computer player, each on a connection of their own, who answer at once.
type masterMatches struct {
	players int
	stop    context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex // guards what follows
	replies []time.Duration
	firsts  int // players who have had a reply
	failed  error
}

func newMasterMatches(b *testing.B, addr string, players int) *masterMatches {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	c := &masterMatches{players: players, stop: stop}
	for i := range players {
		name := fmt.Sprintf("member-%d", i)
		client := sshclient.MustDial(b, addr, name, sshclient.NewSigner(b))
		game := []string{"momentum", "petteia", "tanks"}[i%3]
		out, err := sshclient.Ask(client, "new "+game+" --vs master --side first --json")
		var opened struct{ Code string }
		if err != nil || json.Unmarshal(out, &opened) != nil {
			b.Fatalf("%v: %s", err, out)
		}
		c.work.Go(func() {
			if err := c.play(ctx, client, opened.Code, uint64(i)); err != nil && ctx.Err() == nil {
				c.mu.Lock()
				c.failed = err
				c.mu.Unlock()
			}
		})
	}
	return c
}

// play follows a match and answers each move with a random one.
func (c *masterMatches) play(ctx context.Context, client *gossh.Client, code string, seed uint64) error {
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	out, err := session.StdoutPipe()
	if err != nil {
		return err
	}
	if err := session.Start("watch " + code + " --json"); err != nil {
		return err
	}
	random, lines := games.NewRandom(seed), bufio.NewReader(out)
	var moved time.Time
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		var m struct {
			Ply   int
			Turn  string
			Legal []string
		}
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			return err
		}
		if m.Turn != "first" {
			continue
		}
		if !moved.IsZero() {
			c.note(time.Since(moved), m.Ply == 2)
		}
		if _, err := sshclient.Ask(client, "move "+code+" "+m.Legal[random.N(len(m.Legal))]); err != nil {
			return err
		}
		moved = time.Now()
	}
}

func (c *masterMatches) note(took time.Duration, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replies = append(c.replies, took)
	if first {
		c.firsts++
	}
}

// waitForReplies waits until a tenth of the players have had a reply: then all wait for one.
func (c *masterMatches) waitForReplies(b *testing.B) {
	b.Helper()
	ticks := time.NewTicker(keyInterval)
	defer ticks.Stop()
	for range ticks.C {
		c.mu.Lock()
		enough, failed := c.firsts >= c.players/10, c.failed
		c.mu.Unlock()
		if failed != nil {
			b.Fatal(failed)
		}
		if enough {
			return
		}
	}
}

// end ends the matches and returns how long the replies took, sorted.
func (c *masterMatches) end() []time.Duration {
	c.stop()
	c.work.Wait()
	slices.Sort(c.replies)
	return c.replies
}
