package e2e

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"

	gossh "golang.org/x/crypto/ssh"
)

// TestKilledInTheMiddle kills the club again and again while many matches are being played. Every move that was acknowledged
// to its player or shown to any client must be there afterwards, and play must go on.
func TestKilledInTheMiddle(t *testing.T) {
	const matches, movesARound = 12, 150
	rounds := 3
	if testing.Short() {
		rounds = 1 // all are alike
	}
	data := t.TempDir()
	var all []*crashMatch
	for i := range matches {
		all = append(all, &crashMatch{
			game:    []string{"momentum", "petteia", "flugelrad", "tanks", "4mation cols=26 rows=26 win_length=26"}[i%5],
			players: [2]gossh.Signer{sshclient.NewSigner(t), sshclient.NewSigner(t)}, names: [2]string{fmt.Sprint("ana", i), fmt.Sprint("rui", i)},
		})
	}
	for range rounds {
		club := startClub(t, data)
		var played atomic.Int64
		enough := make(chan struct{})
		acknowledged := func() {
			if played.Add(1) == movesARound {
				close(enough)
			}
		}
		var playing sync.WaitGroup
		for _, m := range all {
			playing.Go(func() { m.play(t, club.addr, acknowledged) })
			playing.Go(func() { m.watch(club.addr) })
		}
		over := make(chan struct{})
		go func() { playing.Wait(); close(over) }()
		select {
		case <-enough:
		case <-over:
			t.Fatalf("play stopped by itself after %d moves", played.Load())
		}
		club.kill()
		<-over

		club = startClub(t, data)
		for _, m := range all {
			m.check(t, club.addr)
		}
		club.kill()
	}
}

// TestStoreThatCannotGoOn: when bbolt panics in a commit, here because pages went bad under it, the club ends by itself, with
// one clear line and status 1.
func TestStoreThatCannotGoOn(t *testing.T) {
	data := t.TempDir()
	club := startClub(t, data)
	path := filepath.Join(data, storeName)
	spoil := func() {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for at, page := 0, os.Getpagesize(); at < len(file); at += page {
			if binary.NativeEndian.Uint16(file[at+8:]) != 2 { // not a leaf
				continue
			}
			if _, err := f.WriteAt([]byte{0, 0x10}, int64(at)+12); err != nil { // as if 4096 more pages belonged to it
				t.Fatal(err)
			}
		}
	}
	spoil()
	for i := range 20 {
		client, err := sshclient.Dial(club.addr, fmt.Sprint("ana", i), sshclient.NewSigner(t))
		if err != nil {
			break // it is gone
		}
		if session, err := client.NewSession(); err == nil {
			_ = session.Run("new tanks") // fails sooner or later
		}
		client.Close()
	}
	_ = club.Signal(os.Interrupt) // if it goes on regardless
	err := club.Wait()
	lines := strings.Split(strings.TrimSpace(club.Stderr()), "\n")
	last := lines[len(lines)-1]
	if club.State().ExitCode() != statusRefused || !strings.HasPrefix(last, "ludoteca: the store can't go on: ") ||
		strings.Count(club.Stderr(), "ludoteca: ") != 1 {
		t.Errorf("the club ended with %v and said:\n%s", err, club.Stderr())
	}
}

// crashMatch is one match, and what its players and its spectator know of it.
type crashMatch struct {
	game    string
	players [2]gossh.Signer
	names   [2]string

	mu    sync.Mutex // guards what follows
	code  string     // written by play alone
	known []string   // the longest list of moves that any client has been shown
}

// saw remembers what was shown of the match with this code.
func (m *crashMatch) saw(code string, moves []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if code == m.code && len(moves) > len(m.known) {
		m.known = moves
	}
}

type shown struct {
	Moves  []string
	Legal  []string
	Turn   string
	Result string
}

// play goes on with the match, both sides, until the club is gone. A finished match is followed by a new one.
func (m *crashMatch) play(t *testing.T, addr string, acknowledged func()) {
	var lines [2]*gossh.Client
	for i, signer := range m.players {
		c, err := sshclient.Dial(addr, m.names[i], signer)
		if err != nil {
			return
		}
		defer c.Close()
		lines[i] = c
	}
	for {
		if m.code == "" && !m.open(lines) {
			return
		}
		now, err := m.look(lines[0])
		if err != nil {
			return
		}
		m.saw(m.code, now.Moves)
		if now.Result != "" {
			m.mu.Lock()
			m.code, m.known = "", nil
			m.mu.Unlock()
			continue
		}
		side := 0
		if now.Turn == "second" {
			side = 1
		}
		move := now.Legal[len(now.Moves)*7%len(now.Legal)]
		if _, err := sshclient.Ask(lines[side], "move "+m.code+" "+move); err != nil {
			var exit *gossh.ExitError
			if errors.As(err, &exit) {
				t.Errorf("%s refused in %s: %v", move, m.game, err)
			}
			return
		}
		m.saw(m.code, append(slices.Clone(now.Moves), move))
		acknowledged()
	}
}

// open opens the match; false if the club is gone.
func (m *crashMatch) open(lines [2]*gossh.Client) bool {
	out, err := sshclient.Ask(lines[0], "new "+m.game+" --side first --json")
	var opened struct{ Code string }
	if err != nil || json.Unmarshal(out, &opened) != nil {
		return false
	}
	if _, err := sshclient.Ask(lines[1], "join "+opened.Code); err != nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.code = opened.Code
	return true
}

func (m *crashMatch) look(c *gossh.Client) (now shown, err error) {
	out, err := sshclient.Ask(c, "show "+m.code+" --json")
	if err == nil {
		err = json.Unmarshal(out, &now)
	}
	return now, err
}

// watch looks on as a guest until the club is gone.
func (m *crashMatch) watch(addr string) {
	m.mu.Lock()
	code := m.code
	m.mu.Unlock()
	c, err := sshclient.Dial(addr, "guest", nil)
	if code == "" || err != nil {
		return
	}
	defer c.Close()
	s, err := c.NewSession()
	if err != nil {
		return
	}
	out, err := s.StdoutPipe()
	if err != nil || s.Start("watch "+code+" --json") != nil {
		return
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var now shown
		if json.Unmarshal(lines.Bytes(), &now) != nil {
			return // cut off in the middle of a line
		}
		m.saw(code, now.Moves)
	}
}

// check fails the test unless the match has all known moves. It may have one more, whose answer was on its way.
func (m *crashMatch) check(t *testing.T, addr string) {
	t.Helper()
	if m.code == "" {
		return
	}
	c, err := sshclient.Dial(addr, m.names[0], m.players[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	now, err := m.look(c)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.known); len(now.Moves) < n || len(now.Moves) > n+1 || !slices.Equal(now.Moves[:n], m.known) {
		t.Errorf("%s: known are %v, kept %v", m.game, m.known, now.Moves)
	}
}
