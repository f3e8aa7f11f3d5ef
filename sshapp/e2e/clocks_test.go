package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/sshclient"

	gossh "golang.org/x/crypto/ssh"
)

// clockPair are two players, with their connections to the club that runs.
type clockPair struct {
	players [2]gossh.Signer
	names   [2]string
	lines   [2]*gossh.Client
}

// connect has both come to a club.
func (p *clockPair) connect(t *testing.T, addr string) {
	t.Helper()
	for i, signer := range p.players {
		if p.lines[i] != nil {
			_ = p.lines[i].Close()
		}
		p.lines[i] = sshclient.MustDial(t, addr, p.names[i], signer)
	}
}

// clockMatch is a match with a clock between two players.
type clockMatch struct {
	pair    *clockPair
	code    string
	at      time.Time // when it was looked at last
	left    [2]time.Duration
	running int
}

// A shownClock holds what show --json prints of a match with a clock.
type shownClock struct {
	Moves  []string
	Legal  []string
	Reason string
	Clock  struct {
		Kind    string
		Base    int    `json:"base_s"`
		First   *int64 `json:"first_ms"`
		Second  *int64 `json:"second_ms"`
		Running string
	}
}

// look notes what the clock of the match shows.
func (m *clockMatch) look(t *testing.T) shownClock {
	t.Helper()
	var now shownClock
	out, err := sshclient.Ask(m.pair.lines[0], "show "+m.code+" --json")
	if err == nil {
		err = json.Unmarshal(out, &now)
	}
	if err != nil || now.Clock.First == nil || now.Clock.Second == nil {
		t.Fatalf("%s, %v", out, err)
	}
	m.at, m.running = time.Now(), 0
	m.left = [2]time.Duration{time.Duration(*now.Clock.First) * time.Millisecond, time.Duration(*now.Clock.Second) * time.Millisecond}
	if now.Clock.Running == "second" {
		m.running = 1
	}
	return now
}

// move makes the first legal move for a side.
func (m *clockMatch) move(t *testing.T, side int) {
	t.Helper()
	now := m.look(t)
	if _, err := sshclient.Ask(m.pair.lines[side], "move "+m.code+" "+now.Legal[0]); err != nil {
		t.Fatal(err)
	}
}

// TestClocksGoOn stops and kills the club while matches with clocks run. Afterwards each side has the time that it had, less the time that the
// club ran, and 20 s more. The time that the club takes to close its sessions doesn't count either, although one client doesn't react. A killed
// club may lose the time since its last heartbeat; tests of lobby with virtual time check that this is a second.
//
// LUDOTECA_CLOCK_MATCHES=200 runs 200 matches instead of ten, and allows times to differ by two seconds. Nothing else may run on the
// machine then.
func TestClocksGoOn(t *testing.T) {
	const each, more, goingDown = 5, 20 * time.Second, 8 * time.Second
	pairs, full := 2, false
	if n, err := strconv.Atoi(os.Getenv("LUDOTECA_CLOCK_MATCHES")); err == nil {
		pairs, full = max(n/each, 1), true
	}
	flag := fmt.Sprint("--going-down=", goingDown)
	data := t.TempDir()
	club := startClub(t, data, flag)
	var all []*clockMatch
	var both []*clockPair
	for i := range pairs {
		p := &clockPair{players: [2]gossh.Signer{sshclient.NewSigner(t), sshclient.NewSigner(t)}, names: [2]string{fmt.Sprint("ana", i), fmt.Sprint("rui", i)}}
		p.connect(t, club.addr)
		both = append(both, p)
		for j := range each {
			out, err := sshclient.Ask(p.lines[0], "new petteia --side first --clock 30+0")
			if err != nil {
				t.Fatal(err)
			}
			m := &clockMatch{pair: p, code: strings.Fields(string(out))[0]}
			if _, err := sshclient.Ask(p.lines[1], "join "+m.code); err != nil {
				t.Fatal(err)
			}
			for ply := range 2 + j%2 {
				m.move(t, ply%2)
			}
			all = append(all, m)
		}
	}
	for round, end := range []struct {
		how string
		do  func()
	}{{"SIGTERM", func() { club.stop(t) }}, {"SIGKILL", func() { club.kill() }}} {
		deaf := comesAndHearsNothing(t, club.addr)
		before := make([]clockMatch, len(all))
		for i, m := range all {
			m.look(t)
			before[i] = *m
		}
		ending := time.Now()
		end.do()
		ended := time.Now()
		deaf.Close()
		starting := time.Now()
		club = startClub(t, data, flag)
		opened := time.Now()
		for _, p := range both {
			p.connect(t, club.addr)
		}
		worst := time.Duration(0) // difference from what it should be
		for i, m := range all {
			m.look(t)
			was := before[i]
			if m.running != was.running {
				t.Errorf("%s: side %d is to move, was %d", end.how, m.running, was.running)
			}
			if got, want := m.left[1-m.running], was.left[1-was.running]+more; got != want {
				t.Errorf("%s: the other side has %v, want %v", end.how, got, want)
			}
			got := m.left[m.running]
			off := got - (was.left[was.running] + more - ending.Sub(was.at) - m.at.Sub(opened))
			if off.Abs() > worst.Abs() {
				worst = off
			}
			most, least := was.left[was.running]+more, was.left[was.running]+more-ending.Sub(was.at)-m.at.Sub(starting)-goingDown/2
			if end.how == "SIGKILL" {
				most = 30*time.Minute + time.Duration(round+1)*more
			}
			if got > most || got < least {
				t.Errorf("%s: the running side has %v, want %v to %v; the club took %v to end", end.how, got, least, most, ended.Sub(ending))
			}
		}
		t.Logf("FIGURE %s: %d matches; the club ended in %v and opened in %v; the time of a running side is at most %v off, of 2 s allowed; the other side has 20 s more",
			end.how, len(all), ended.Sub(ending).Round(time.Millisecond), opened.Sub(starting).Round(time.Millisecond), worst.Round(time.Millisecond))
		if full && worst.Abs() > 2*time.Second {
			t.Errorf("%s: the time of a running side is %v off", end.how, worst)
		}
		for _, m := range all {
			now := m.look(t)
			m.move(t, m.running)
			if after := m.look(t); len(after.Moves) != len(now.Moves)+1 || after.Clock.Kind != "fischer" || after.Clock.Base != 1800 {
				t.Errorf("%s: after a move the match is %+v", end.how, after)
			}
		}
	}
}

// A deafConn is a connection from which nothing is read any more once it is deaf.
type deafConn struct {
	net.Conn
	deaf   atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (c *deafConn) Read(p []byte) (int, error) {
	if c.deaf.Load() {
		<-c.closed
	}
	return c.Conn.Read(p)
}

func (c *deafConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// comesAndHearsNothing opens the lobby of a club and reads nothing from then on, until the line is full.
func comesAndHearsNothing(t *testing.T, addr string) *deafConn {
	t.Helper()
	tcp, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := tcp.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	c := &deafConn{Conn: tcp, closed: make(chan struct{})}
	t.Cleanup(func() { _ = c.Close() })
	conn, channels, requests, err := gossh.NewClientConn(c, addr, &gossh.ClientConfig{
		User:            sshclient.Guest,
		Auth:            []gossh.AuthMethod{gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })},
		HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own on loopback
	})
	if err != nil {
		t.Fatal(err)
	}
	screen := mustOpenScreen(t, gossh.NewClient(conn, channels, requests), sshclient.Guest, "")
	screen.Shows("Play the computer")
	c.deaf.Store(true)
	for range 100 { // whole frames
		screen.types("\f")
		pause()
	}
	return c
}
