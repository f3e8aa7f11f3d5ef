//go:build linux

package loadtest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// asProbes is the environment variable that turns the test binary into probes.
const asProbes = "LUDOTECA_LOADTEST_PROBES"

// Probes are clients that only move their cursors, some at the club and as many at a bare front, all at the same moments. They
// have a process of their own: in the process of the rude clients they would wait for them, and measure that instead of the server.
// The bare front never changes, so its key latency is the share of the machine.
type Probes struct {
	*Process
	n int // at each of the two
}

// A Delay holds how long the answers to keys took to begin, at the club and at the bare front, each sorted.
type Delay struct{ Ours, Bare []time.Duration }

// StartProbes opens n boards at the club, and as many screens at the bare front.
func StartProbes(t testing.TB, club, bare *server, n int) *Probes {
	t.Helper()
	process, _ := startProcess(t, asProbes+"=yes")
	p := &Probes{process, n}
	var fingerprints []string
	if err := p.ask(fmt.Sprint("keys ", n), &fingerprints); err != nil {
		t.Fatal(err)
	}
	codes := make([]string, n)
	for i, f := range fingerprints {
		code, err := club.code("board " + f + " momentum")
		if err != nil {
			t.Fatal(err)
		}
		codes[i] = code
	}
	p.visit("ours", club, codes)
	p.visit("bare", bare, codes)
	return p
}

// ProbeClub is StartProbes for a club that runs as a program of its own and listens at addr: each of the n plays a computer player
// there, from an address of its own.
func ProbeClub(t testing.TB, addr string, n int) *Probes {
	t.Helper()
	process, _ := startProcess(t, asProbes+"=yes")
	p := &Probes{process, n}
	if err := p.ask(fmt.Sprint("keys ", n), new([]string)); err != nil {
		t.Fatal(err)
	}
	var failure string
	if err := p.ask("club "+addr, &failure); err != nil || failure != fmt.Sprint(nil) {
		t.Fatalf("the club: %v, %s", err, failure)
	}
	p.visit("bare", startServer(t, Bare), make([]string, n))
	return p
}

func (p *Probes) visit(front string, s *server, codes []string) {
	p.t.Helper()
	var failure string
	for i, code := range codes {
		codes[i] = cmp.Or(code, "-")
	}
	err := p.ask(fmt.Sprint(front, " ", s.addr, " ", strings.Join(codes, " ")), &failure)
	if err != nil || failure != fmt.Sprint(nil) {
		p.t.Fatalf("%s: %v, %s", front, err, failure)
	}
}

// Typing presses a number of keys in each terminal, with the time between from one to the next.
func (p *Probes) Typing(keys int, between time.Duration) (d Delay) {
	p.t.Helper()
	if err := p.ask(fmt.Sprint("type ", keys, " ", between), &d); err != nil {
		p.t.Fatal(err)
	}
	return d
}

// Leave has all probes hang up.
func (p *Probes) Leave() {
	_ = p.In.Close() // the process may have ended already
	_ = p.Wait()
}

// serveProbes answers questions, one a line, until their input ends:
//
//	keys N                     makes N keys and gives their fingerprints
//	ours ADDRESS CODE...       goes to these boards of the club, one with each key
//	bare ADDRESS CODE...       goes to a bare front as often
//	club ADDRESS               opens a match at a club with each key, each from another address, and goes to it
//	type N TIME                presses N keys in each terminal, with TIME from one to the next: gives a Delay
func serveProbes(questions io.Reader, to io.Writer) error {
	var keys []gossh.Signer
	here := make(map[string][]*Terminal)
	answers := json.NewEncoder(to)
	fmt.Fprintln(to, "ready")
	for lines := bufio.NewScanner(questions); lines.Scan(); {
		words := strings.Fields(lines.Text())
		var a any
		switch words[0] {
		case "keys":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				return err
			}
			var fingerprints []string
			for range n {
				key, err := makeKey()
				if err != nil {
					return err
				}
				keys, fingerprints = append(keys, key), append(fingerprints, Fingerprint(key))
			}
			a = fingerprints
		case "type":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				return err
			}
			between, err := time.ParseDuration(words[2])
			if err != nil {
				return err
			}
			d, err := typedSideBySide(here, n, between)
			if err != nil {
				return err
			}
			a = d
		case "club":
			all, err := atOwnBoards(words[1], keys)
			here["ours"] = all
			a = fmt.Sprint(err)
		default:
			all, err := atBoards(words[1], keys, words[2:])
			here[words[0]] = all
			a = fmt.Sprint(err)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
	for _, all := range here {
		leave(all)
	}
	return nil
}

// atBoards opens a terminal for each of the boards with these codes.
func atBoards(addr string, keys []gossh.Signer, codes []string) ([]*Terminal, error) {
	s := &server{addr: addr}
	all := make([]*Terminal, len(codes))
	return all, InTurn(len(codes), callers, func(i int) error {
		v, err := s.visit(keys[i], "watch "+codes[i], Usual)
		if err != nil {
			return err
		}
		v.conn.Forever()
		all[i] = v
		return v.Until(footer)
	})
}

// atOwnBoards has the owner of each key play a computer player at a club, from an address of their own.
func atOwnBoards(addr string, keys []gossh.Signer) ([]*Terminal, error) {
	all := make([]*Terminal, len(keys))
	return all, InTurn(len(keys), callers, func(i int) error {
		l, err := Caller{Key: keys[i], User: fmt.Sprint("player-", i), From: netip.AddrFrom4([4]byte{198, 18, byte(i), 1})}.Call(addr)
		if err != nil {
			return err
		}
		l.Forever()
		out, status, err := l.Run("new momentum --vs random --side first --json")
		var opened struct{ Code string }
		if err == nil {
			err = json.Unmarshal([]byte(out), &opened)
		}
		if err != nil || status != 0 {
			return fmt.Errorf("status %d, %w: %s", status, err, out)
		}
		if all[i], err = l.Screen("watch "+opened.Code, Usual); err != nil {
			return err
		}
		return all[i].Until(footer)
	})
}

func typedSideBySide(here map[string][]*Terminal, keys int, between time.Duration) (d Delay, err error) {
	var bare error
	var typing sync.WaitGroup
	typing.Go(func() { d.Bare, bare = typed(here["bare"], keys, between, acrossBoard) })
	d.Ours, err = typed(here["ours"], keys, between, acrossBoard)
	typing.Wait()
	if err == nil {
		err = bare
	}
	return d, err
}
