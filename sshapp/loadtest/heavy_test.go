//go:build linux

package loadtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestHeavyCommands has many people ask for long answers again and again. Every answer comes whole, and meanwhile the keys of others are
// answered. LUDOTECA_ABUSE=1 has fifty people ask for twenty seconds; the test logs how long the keys of others took.
func TestHeavyCommands(t *testing.T) {
	people, finished, plies, length := 8, 250, 50, 500*time.Millisecond
	typists, rounds := 5, 6
	if os.Getenv("LUDOTECA_ABUSE") == "1" {
		people, finished, plies, length = 50, 5000, 50, 20*time.Second
		typists, rounds = 20, 0
	}
	s, bare := startServer(t, Ours), startServer(t, Bare)
	code, err := s.code(fmt.Sprint("finished ", finished))
	if err != nil {
		t.Fatal(err)
	}
	others := StartProbes(t, s, bare, typists)
	keys := int(length / betweenKeys)
	quiet := others.Typing(keys, betweenKeys)

	questions := []question{
		{"history --limit 1000000 --json", finished},
		{"history --limit 1000000", finished},
		{"show --json " + code, 1},
		{"record " + code, plies},
		{"leaderboard --json", 0},
		{"record --json " + code, 1},
	}
	var stop atomic.Bool
	asked := make(chan error, 1)
	var answers atomic.Int64
	go func() { // ends before the test does
		asked <- InTurn(people, people, func(i int) error {
			key, err := makeKey()
			if err != nil {
				return err
			}
			c, err := s.call(key)
			if err != nil {
				return err
			}
			defer c.cut()
			for n := i; n < i+rounds || !stop.Load(); n++ { // with six rounds each person asks every question
				if err := c.Forever().ask(questions[n%len(questions)]); err != nil {
					return err
				}
				answers.Add(1)
			}
			return nil
		})
	}()
	before := s.cpu()
	busy := others.Typing(keys, betweenKeys)
	used := s.cpu() - before
	stop.Store(true)
	if err := <-asked; err != nil {
		t.Error(err)
	}
	others.Leave()
	s.stop()
	t.Logf("%d people had %d long answers; the server had a processor for %v of %v", people, answers.Load(), used.Round(time.Millisecond), length)
	for _, d := range []struct {
		when string
		Delay
	}{{"in quiet", quiet}, {"meanwhile", busy}} {
		t.Logf("keys %s: ours p50 %.2f ms, p99 %.2f ms; bare p50 %.2f ms, p99 %.2f ms", d.when,
			Percentile(d.Ours, 50), Percentile(d.Ours, 99), Percentile(d.Bare, 50), Percentile(d.Bare, 99))
		if len(d.Ours) == 0 || len(d.Bare) == 0 || !slices.IsSorted(d.Ours) {
			t.Errorf("keys %s were not measured", d.when)
		}
	}
}

// A question is a command with the number of lines of its answer: exact for a history, else a minimum.
type question struct {
	command string
	lines   int
}

// ask runs a command and checks that its answer is whole.
func (l *Connection) ask(q question) error {
	v, err := l.channel()
	if err != nil {
		return err
	}
	defer v.Close()
	if ok, err := v.request("exec", oneString{q.command}); err != nil || !ok {
		return fmt.Errorf("%s: %v, %w", q.command, ok, err)
	}
	complaints := make(chan string, 1)
	go func() { // ends with the channel
		words, _ := io.ReadAll(io.LimitReader(v.Stderr(), 1<<10))
		complaints <- string(words)
	}()
	lines, err := countLines(v)
	if err != nil {
		return err
	}
	<-v.heard
	switch status := v.status.Load(); {
	case status != 0:
		return fmt.Errorf("%s: status %d, %s", q.command, status, <-complaints)
	case lines < q.lines || strings.HasPrefix(q.command, "history") && lines != q.lines:
		return fmt.Errorf("%s: %d lines, want %d", q.command, lines, q.lines)
	}
	return nil
}

func countLines(r io.Reader) (n int, err error) {
	for buf := make([]byte, 32<<10); ; {
		k, err := r.Read(buf)
		for _, b := range buf[:k] {
			if b == '\n' {
				n++
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
