package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/ugi/engine"
)

// A session is an engine that runs, and what it is sent and sends.
type session struct {
	t    *testing.T
	in   *io.PipeWriter
	out  <-chan string
	done <-chan error
	last string // the last line that was sent, for failures
}

// start starts an engine, which ends with the test.
func start(t *testing.T, s engine.Settings) *session {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	lines := make(chan string, 10_000) // as if it were a pipe of the system, which takes some lines that nobody reads yet
	go func() {
		for out := bufio.NewScanner(from); out.Scan(); {
			lines <- out.Text()
		}
		close(lines)
	}()
	go func() {
		err := engine.Serve(ctx, in, out, s)
		out.Close()
		done <- err
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		to.Close()
		from.Close()
		<-done
		for range lines { // until it is closed
		}
	})
	return &session{t: t, in: to, out: lines, done: done}
}

// settings returns the settings for a game with its options in words.
func settings(t *testing.T, game string, options ...string) engine.Settings {
	t.Helper()
	g, ok := games.Find(catalog.All(), game)
	if !ok {
		t.Fatalf("no game %q", game)
	}
	o, err := games.ParseOptions(g, options)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Settings{Game: g, Options: o, Seed: 1}
}

// send sends lines to the engine.
func (s *session) send(lines ...string) {
	s.t.Helper()
	for _, l := range lines {
		s.last = l
		if _, err := io.WriteString(s.in, l+"\n"); err != nil {
			s.t.Fatalf("send %q: %v", l, err)
		}
	}
}

// next returns the next line of the engine.
func (s *session) next() string {
	s.t.Helper()
	line, ok := <-s.out
	if !ok {
		s.t.Fatalf("the engine has ended after %q: %v", s.last, <-s.done)
	}
	return line
}

// want reads a line of the pattern. With skip, lines of info come before it that say how far a search is.
func (s *session) want(pattern string, skip bool) string {
	s.t.Helper()
	for {
		line := s.next()
		switch {
		case fits(line, pattern):
			return line
		case skip && strings.HasPrefix(line, "info ") && !strings.HasPrefix(line, "info string"):
			continue
		}
		s.t.Fatalf("after %q the engine sent\n%s\nwant\n%s", s.last, line, pattern)
	}
}

// move reads a bestmove, and infos before it.
func (s *session) move() games.Move {
	s.t.Helper()
	return games.Move(strings.TrimPrefix(s.want("bestmove *", true), "bestmove "))
}

// fits reports whether a line is of a pattern, in which a * at the end stands for any text.
func fits(line, pattern string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(line, start)
	}
	return line == pattern
}

// play sends and expects the lines of a script.
func (s *session) play(script []string) {
	s.t.Helper()
	skip := false
	for _, l := range script {
		switch {
		case l == "...":
			skip = true
		case strings.HasPrefix(l, "> "):
			s.send(l[2:])
		case strings.HasPrefix(l, "< "):
			s.want(l[2:], skip)
			skip = false
		default:
			s.t.Fatalf("a script can't have the line %q", l)
		}
	}
}

// scripts returns the sessions in a page: what they are started with, and their lines.
func scripts(t *testing.T, page string) (found [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for l := range strings.Lines(string(text)) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "```session "):
			found, inside = append(found, []string{strings.TrimPrefix(l, "```session ")}), true
		case strings.HasPrefix(l, "```"):
			inside = false
		case inside:
			found[len(found)-1] = append(found[len(found)-1], l)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no session", page)
	}
	return found
}

// TestPage does what the page says.
func TestPage(t *testing.T) {
	for i, script := range scripts(t, "../UGI.md") {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			words := strings.Fields(script[0])
			s := start(t, settings(t, words[0], words[1:]...))
			s.play(script[1:])
			if err := <-s.done; err != nil {
				t.Errorf("the engine ended with %v", err)
			}
		})
	}
}
