package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// What the whole club costs, door, screens and store together, seen from outside: the server is a process of its own, its
// clients are Go's. The figures are of a whole machine, clients included, so compare them only side by side:
//
//	go test -run '^$' -bench . .

// bareScreen is the full screen over a connection of Go's SSH client, without a program between.
type bareScreen struct {
	*display
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
	s := &bareScreen{display: newDisplay(b, name, 80, 24), keys: keys, client: client, session: session}
	s.connect(out, keys)
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
	s.work.Wait()
}

func (s *bareScreen) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// next waits for something drawn after a time, and returns when it came.
func (s *bareScreen) next(after time.Time) (at time.Time) {
	s.t.Helper()
	screen, ok := s.wait(func(string) bool {
		at = s.changed
		return at.After(after)
	})
	if !ok {
		s.t.Fatalf("%s sees nothing new:\n%s", s.name, screen)
	}
	return at
}

// rest is how long nobody does anything before a key that is measured: frames on one screen are at least a sixtieth of a
// second apart, and people are slower.
const rest = 30 * time.Millisecond

// BenchmarkKeyToOtherScreen measures the time from the key with which one player makes a move, typed before, to the first
// byte of it on the other one's screen: through checking, the disk, and both screens.
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

// bothPlayers are the connections of two people who have names.
func bothPlayers(b *testing.B, addr string) (clients [2]*gossh.Client) {
	b.Helper()
	for i, name := range []string{"ana", "rui"} {
		clients[i] = mustDial(b, addr, name, newSigner(b))
		if _, err := ask(clients[i], "name "+name); err != nil {
			b.Fatal(err)
		}
	}
	return clients
}

// quantiles reports some times in milliseconds.
func quantiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, q := range []int{50, 99} {
		b.ReportMetric(float64(took[len(took)*q/100])/float64(time.Millisecond), fmt.Sprintf("p%d-ms", q))
	}
	b.ReportMetric(0, "ns/op") // of the benchmark's own waiting
}

// benchMatch is a match at whose board both players sit.
type benchMatch struct {
	position games.Position
	random   *games.Random
	screens  [2]*bareScreen
}

func newBenchMatch(b *testing.B, clients [2]*gossh.Client) benchMatch {
	b.Helper()
	const game = "momentum"
	out, err := ask(clients[0], "new "+game+" --side first --json")
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
	m.screens[1].shows("is to move")
	m.screens[0] = mustOpenScreen(b, clients[0], "ana", "watch "+opened.Code)
	m.screens[0].shows("your move")
	return m
}

// move makes a move and returns how long it took to the other screen.
func (m *benchMatch) move() time.Duration {
	by, other := m.screens[m.position.Turn()], m.screens[m.position.Turn().Other()]
	by.shows("your move")
	legal := m.position.Legal()
	move := legal[m.random.N(len(legal))]
	next, err := m.position.Play(move)
	if err != nil {
		by.t.Fatal(err)
	}
	m.position = next
	by.types(string(move))
	by.shows("enter plays " + string(move))
	<-time.After(rest)
	sent := time.Now()
	by.types(enter)
	return other.next(sent).Sub(sent)
}

func (m *benchMatch) close() {
	for _, s := range m.screens {
		if s != nil {
			s.close()
		}
	}
}

func mustDial(b testing.TB, addr, name string, signer gossh.Signer) *gossh.Client {
	b.Helper()
	c, err := dial(addr, name, signer)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	return c
}

// BenchmarkKeyToOwnScreen measures the time from a key to the first byte of it on the same screen, a board's.
func BenchmarkKeyToOwnScreen(b *testing.B) {
	club := startClub(b, b.TempDir())
	clients := bothPlayers(b, club.addr)
	m := newBenchMatch(b, clients)
	defer m.close()
	var took []time.Duration
	for b.Loop() {
		<-time.After(rest)
		sent := time.Now()
		m.screens[0].types([]string{left, right}[len(took)%2])
		took = append(took, m.screens[0].next(sent).Sub(sent))
	}
	quantiles(b, took)
}

// idleFor is how long sessions are watched doing nothing.
const idleFor = 20 * time.Second

// BenchmarkIdleSessions measures what 500 sessions cost that are open and do nothing, guests in the lobby and players at
// boards: the server's memory and processor time, as the system counts them.
func BenchmarkIdleSessions(b *testing.B) {
	const sessions = 500
	for _, place := range []string{"lobby", "board"} {
		b.Run(place, func(b *testing.B) {
			club := startClub(b, b.TempDir(), "--max-sessions=1000")
			before := usageOf(b, club.cmd.Process.Pid)
			var screens []*bareScreen
			for i := range sessions {
				screens = append(screens, comeToIdle(b, club.addr, place, i))
			}
			settled := usageOf(b, club.cmd.Process.Pid)
			for b.Loop() {
				<-time.After(idleFor)
			}
			idle := usageOf(b, club.cmd.Process.Pid)
			seconds := idleFor.Seconds() * float64(b.N) * sessions
			b.ReportMetric(float64(idle.memory-before.memory)/sessions/1024, "KiB/session")
			b.ReportMetric(float64(idle.processor-settled.processor)/float64(time.Microsecond)/seconds, "us-cpu/s/session")
			b.ReportMetric(0, "ns/op")
			for _, s := range screens {
				_ = s.client.Close()
				s.work.Wait()
			}
		})
	}
}

// comeToIdle is guest number i in the lobby, or at a board of his own.
func comeToIdle(b *testing.B, addr, place string, i int) *bareScreen {
	if place == "lobby" {
		c := mustDial(b, addr, guest, nil)
		s := mustOpenScreen(b, c, guest, "")
		s.shows("PLAY", "here")
		return s
	}
	name := fmt.Sprintf("idle-%d", i)
	c := mustDial(b, addr, name, newSigner(b))
	out, err := ask(c, "new 4mation --vs greedy --side first --json")
	var opened struct{ Code string }
	if err != nil || json.Unmarshal(out, &opened) != nil {
		b.Fatalf("%v: %s", err, out)
	}
	s := mustOpenScreen(b, c, name, "watch "+opened.Code)
	s.shows("your move")
	return s
}

// usage is what a process has of memory, in bytes, and has had of the processors.
type usage struct {
	memory    int64
	processor time.Duration
}

// usageOf reads what Linux says of a process.
func usageOf(b *testing.B, pid int) usage {
	b.Helper()
	fields := func(file string) []string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if err != nil {
			b.Skip("this system does not tell what a process uses: ", err)
		}
		_, rest, _ := strings.Cut(string(text), ") ") // of stat, whose second word may have blanks in it
		if file == "statm" {
			rest = string(text)
		}
		return strings.Fields(rest)
	}
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	stat := fields("stat") // from the third field on, the state
	ticks := number(stat[11]) + number(stat[12])
	return usage{
		memory:    number(fields("statm")[1]) * int64(os.Getpagesize()),
		processor: time.Duration(ticks) * time.Second / 100, // USER_HZ is 100 wherever Go runs
	}
}

// BenchmarkFirstScreen measures how many visits a second there can be: connecting, signing in, and seeing the lobby.
func BenchmarkFirstScreen(b *testing.B) {
	club := startClub(b, b.TempDir())
	before := usageOf(b, club.cmd.Process.Pid)
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := visitBriefly(b, club.addr); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "visits/s")
	spent := usageOf(b, club.cmd.Process.Pid).processor - before.processor
	b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "server-cpu-ms/visit")
}

// visitBriefly comes, sees the lobby and is gone.
func visitBriefly(b *testing.B, addr string) error {
	c, err := dial(addr, guest, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	s, err := openScreen(b, c, guest, "")
	if err != nil {
		return err
	}
	screen, ok := s.wait(func(screen string) bool { return strings.Contains(screen, "PLAY") })
	_ = c.Close()
	s.work.Wait()
	if !ok {
		return fmt.Errorf("no lobby: %s", screen)
	}
	return nil
}
