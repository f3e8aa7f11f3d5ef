//go:build linux

package abusetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/loadtest"
)

// A world is what an attack is played in.
type world struct {
	*testing.T
	program string // the club's
	other   bool   // the program is none of this tree: another version, to be compared with
	full    bool   // at full strength, for figures
	flags   string // of the program, as its help lists them
	past    *pasts
}

// of returns how many of something there are: few in passing, all of them at full strength.
func (w *world) of(few, all int) int {
	if w.full {
		return all
	}
	return few
}

// figure prints what an attack measured. In passing nothing is worth a figure.
func (w *world) figure(format string, args ...any) {
	w.Helper()
	if w.full {
		w.Logf("FIGURE "+format, args...)
	}
}

// A club is the program, in a process of its own. It trusts the address in each PROXY header.
type club struct {
	*loadtest.Process
	*world
	addr, data string

	crowded bool  // several attacks are played at once, and take places from each other
	failed  count // what people of these attacks were not answered
}

// start starts a club on an empty store.
func (w *world) start(flags ...string) *club { return w.startOn(w.TempDir(), flags...) }

// startOn starts a club on a folder. It ends with the test.
func (w *world) startOn(data string, flags ...string) *club {
	w.Helper()
	all := []string{"--limit-loopback", "--proxy-from=127.0.0.0/8"}
	if !w.full { // no client is too slow, on the busiest machine, and none waits for the rate of commands
		flags = append([]string{"--login-grace=10m", "--request-grace=10m", "--proxy-header=10m", "--write-stall=10m",
			"--command-rate=100000", "--command-burst=100000"}, flags...)
	}
	for _, f := range flags {
		name, _, _ := strings.Cut(f, "=")
		if strings.Contains(w.flags, name+" ") { // another version may not know it
			all = append(all, f)
		}
	}
	p, invitation := loadtest.StartProcess(w, program.Serve(w, w.program, data, all...))
	addr, err := program.Address(invitation)
	if err != nil {
		w.Fatal(err)
	}
	return &club{Process: p, world: w, addr: addr, data: data}
}

func (c *club) store() string { return filepath.Join(c.data, "ludoteca.db") }

// A person has a key and a connection from an address.
type person struct {
	*loadtest.Connection
	club *club
	name string
	key  gossh.Signer
	from netip.Addr

	answerAfter time.Duration   // how long the client takes to answer keepalives
	ended       <-chan struct{} // closed when the connection has ended
}

// signIn connects a person, who gets the name with the first command that needs an account. All limits hold for them.
func (c *club) signIn(name string, from netip.Addr) (*person, error) {
	p := &person{club: c, name: name, key: loadtest.NewKey(c), from: from}
	err := p.connect()
	if err == nil {
		_, err = p.ask("whoami") // a connection on which nothing is asked ends soon
	}
	return p, err
}

// connect opens the connection, anew if need be.
func (p *person) connect() (err error) {
	p.Connection, err = loadtest.Caller{Key: p.key, User: p.name, From: p.from, AnswerAfter: p.answerAfter}.Call(p.club.addr)
	if err != nil {
		return err
	}
	conn, ended := p.Forever(), make(chan struct{})
	go func() {
		defer close(ended)
		_ = conn.Wait() // the reason doesn't matter
	}()
	p.ended = ended
	return nil
}

// person is signIn that fails the test if the person doesn't get in.
func (c *club) person(name string, from netip.Addr) *person {
	c.Helper()
	p, err := c.signIn(name, from)
	if err != nil {
		c.Fatalf("%s doesn't get in from %s: %v", name, from, err)
	}
	return p
}

// people are as many, each from a /24 of its own; they sign in a few at a time.
func (c *club) people(name string, n int, network byte) []*person {
	c.Helper()
	all := make([]*person, n)
	if err := loadtest.InTurn(n, 8, func(i int) (err error) {
		all[i], err = c.signIn(fmt.Sprint(name, "-", i), v4(network, i, 1))
		return err
	}); err != nil {
		c.Fatal(err)
	}
	return all
}

// v4 returns an address of a /24 in 10.0.0.0/8. Attacks have networks of their own, so that they can be played together.
func v4(network byte, block, host int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, network + byte(block/256), byte(block), byte(host)})
}

// v6 returns an address of a /64, of a /48.
func v6(network uint16, block, host int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("2001:db8:%x:%x::%x", network, block, host))
}

// A refusal is the club's answer to a command that it refused.
type refusal struct {
	command, words string
	status         int
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: status %d, %s", r.command, r.status, r.words)
}

// refused reports whether the club refused something, in words.
func refused(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.status == 1 && r.words != ""
}

// ask runs a command; the error is a *refusal if the club refused it.
func (p *person) ask(command string) (string, error) {
	out, status, err := p.Run(command)
	if err == nil && status != 0 {
		err = &refusal{command, strings.TrimSpace(out), status}
	}
	return out, err
}

// must is ask of something that must not be refused.
func (p *person) must(command string) string {
	p.club.Helper()
	out, err := p.ask(command)
	if err != nil {
		p.club.Fatalf("%s: %v", p.name, err)
	}
	return out
}

// A shownMatch is what commands print of one.
type shownMatch struct {
	Code, ID, Turn, Result, Reason string
	First, Second, By              string
	Ply                            int
	Moves, Legal                   []string
	Clock                          json.RawMessage // in lists its setting, a text
	YourTurn                       bool            `json:"your_turn"`
	Rated                          bool
	Weight                         *struct{ First, Second float64 } // how much it counts for ratings
}

// left returns what the clock of a match leaves to each side.
func (m shownMatch) left() (sides [2]time.Duration, err error) {
	var ms struct {
		First  int64 `json:"first_ms"`
		Second int64 `json:"second_ms"`
	}
	err = json.Unmarshal(m.Clock, &ms)
	return [2]time.Duration{time.Duration(ms.First) * time.Millisecond, time.Duration(ms.Second) * time.Millisecond}, err
}

// askMatch asks for a match, or for something that prints one.
func (p *person) askMatch(command string) (m shownMatch, err error) {
	words := strings.Fields(command)
	if act := words[0] == "join" || words[0] == "move"; act && p.club.other { // before all commands had --json
		if _, err := p.ask(command); err != nil {
			return m, err
		}
		command = "show " + words[1]
	}
	out, err := p.ask(command + " --json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &m)
	}
	return m, err
}

// mustMatch is askMatch of something that must not be refused.
func (p *person) mustMatch(command string) shownMatch {
	p.club.Helper()
	m, err := p.askMatch(command)
	if err != nil {
		p.club.Fatalf("%s: %v", p.name, err)
	}
	return m
}

// list asks for a list of matches.
func (p *person) list(command string) (all []shownMatch, err error) {
	out, err := p.ask(command + " --json")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		var m shownMatch
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// begin opens a match of two people and has each make that number of moves, any legal ones: a match that repeats another is not rated.
func begin(a, b *person, game string, moves int) (m shownMatch, err error) {
	if m, err = a.askMatch("new " + game + " --side first"); err != nil {
		return m, err
	}
	code := m.Code
	if m, err = b.askMatch("join " + code); err != nil {
		return m, err
	}
	for i := range 2 * moves {
		mover := []*person{a, b}[i%2]
		if m.Turn == "" || len(m.Legal) == 0 {
			return m, fmt.Errorf("%s is over after %d moves", game, i)
		}
		if m, err = mover.askMatch("move " + code + " " + anyOf(m.Legal)); err != nil {
			return m, err
		}
	}
	return m, nil
}

// anyOf returns one of the legal moves. A match that repeats another is not rated.
func anyOf(legal []string) string { return legal[rand.IntN(len(legal))] }

// fail reports what went wrong in an attack. Where several are played at once the club may turn attackers away, and ends connections.
func (c *club) fail(err error) {
	c.Helper()
	if c.crowded {
		c.failed.one()
		return
	}
	c.Error(err)
}

// until is until for a person. It also ends with their connection.
func (p *person) until(stop <-chan struct{}, most int, round func(i int)) {
	for i := range most {
		select {
		case <-stop:
			return
		case <-p.ended:
			return
		default:
			round(i)
		}
	}
}

// until plays rounds until stop is closed, or as many as there are: all of them if stop is nil.
func until(stop <-chan struct{}, most int, round func(i int)) {
	for i := range most {
		select {
		case <-stop:
			return
		default:
			round(i)
		}
	}
}

// together does n things at the same time.
func together(n int, do func(i int)) {
	_ = loadtest.InTurn(n, n, func(i int) error { do(i); return nil }) // there are no errors
}

// A count counts what happens in several goroutines.
type count struct{ atomic.Int64 }

func (c *count) one() { c.Add(1) }

// damaged returns a copy of a store with a page overwritten.
func damaged(file []byte, page int) []byte {
	file = slices.Clone(file)
	copy(file[page*pageSize:], bytes.Repeat([]byte{0}, pageSize))
	return file
}

var pageSize = os.Getpagesize()
