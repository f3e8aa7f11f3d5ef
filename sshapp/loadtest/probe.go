//go:build linux

package loadtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// asProbes is the environment variable that turns the test binary into probes.
const asProbes = "LUDOTECA_LOADTEST_PROBES"

// Probes are people who only move their cursors, some at the club and as many at a bare front, all at the same moments. They
// have a process of their own: in that of the rude clients they would wait for these, and the server would be blamed. What the
// keys take at the bare front, which never changes, is what the machine makes of them.
type probes struct {
	*process
	n int // at each of the two
}

// A delay is how long the answers to keys took to begin, in order: at the club and at the bare front.
type delay struct{ Ours, Bare []time.Duration }

// startProbes opens n boards at the club, and as many screens at the bare front.
func startProbes(t testing.TB, club, bare *server, n int) *probes {
	t.Helper()
	process, _ := startProcess(t, asProbes+"=yes")
	p := &probes{process, n}
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

func (p *probes) visit(front string, s *server, codes []string) {
	p.t.Helper()
	var failure string
	err := p.ask(fmt.Sprint(front, " ", s.addr, " ", strings.Join(codes, " ")), &failure)
	if err != nil || failure != fmt.Sprint(nil) {
		p.t.Fatalf("%s: %v, %s", front, err, failure)
	}
}

// typing presses so many keys in each terminal, one after the other in that time.
func (p *probes) typing(keys int, between time.Duration) (d delay) {
	p.t.Helper()
	if err := p.ask(fmt.Sprint("type ", keys, " ", between), &d); err != nil {
		p.t.Fatal(err)
	}
	return d
}

// leave has all hang up.
func (p *probes) leave() {
	_ = p.in.Close() // the process may have ended already
	<-p.ended
}

// serveProbes answers questions, one a line, until nobody can ask any more:
//
//	keys N                     makes as many keys and gives their fingerprints
//	ours ADDRESS CODE...       goes to these boards of the club, one with each key
//	bare ADDRESS CODE...       goes to a bare front as often
//	type N TIME                presses as many keys in each terminal, in that time from one to the next: a delay
func serveProbes(questions io.Reader, to io.Writer) error {
	var keys []gossh.Signer
	here := make(map[string][]*terminal)
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
				keys, fingerprints = append(keys, key), append(fingerprints, fingerprint(key))
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
func atBoards(addr string, keys []gossh.Signer, codes []string) ([]*terminal, error) {
	s := &server{addr: addr}
	all := make([]*terminal, len(codes))
	return all, inTurn(len(codes), callers, func(i int) error {
		v, err := s.visit(keys[i], "watch "+codes[i], usual)
		if err != nil {
			return err
		}
		v.conn.forever()
		all[i] = v
		return v.until(footer)
	})
}

func typedSideBySide(here map[string][]*terminal, keys int, between time.Duration) (d delay, err error) {
	var bare error
	var typing sync.WaitGroup
	typing.Go(func() { d.Bare, bare = typed(here["bare"], keys, between) })
	d.Ours, err = typed(here["ours"], keys, between)
	typing.Wait()
	if err == nil {
		err = bare
	}
	return d, err
}
