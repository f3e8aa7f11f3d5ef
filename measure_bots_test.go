package main

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
)

// BenchmarkKeysBesideMasters measures how long a key takes to its own screen, in a quiet club and beside a hundred matches
// in which people who answer at once play the strongest computer player; and how long these wait for its replies.
func BenchmarkKeysBesideMasters(b *testing.B) {
	for _, matches := range []int{0, 100} {
		b.Run(fmt.Sprintf("masters=%d", matches), func(b *testing.B) {
			club := startClub(b, b.TempDir(), "--max-sessions=1000")
			clients := bothPlayers(b, club.addr)
			m := newBenchMatch(b, clients)
			defer m.close()
			crowd := newCrowd(b, club.addr, matches)
			crowd.waitForReplies(b)
			var took []time.Duration
			for b.Loop() {
				<-time.After(rest)
				sent := time.Now()
				m.screens[0].types([]string{left, right}[len(took)%2])
				took = append(took, m.screens[0].next(sent).Sub(sent))
			}
			quantiles(b, took)
			replies := crowd.end()
			if matches > 0 {
				b.ReportMetric(replies[len(replies)/2].Seconds(), "reply-p50-s")
				b.ReportMetric(replies[len(replies)-1].Seconds(), "reply-max-s")
				b.ReportMetric(float64(len(replies)), "replies")
			}
		})
	}
}

// A crowd is people who play the strongest computer player, each on a connection of his own, and answer at once.
type crowd struct {
	people int
	stop   context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex // guards what follows
	replies []time.Duration
	firsts  int // people who have had a reply
	failed  error
}

func newCrowd(b *testing.B, addr string, people int) *crowd {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	c := &crowd{people: people, stop: stop}
	for i := range people {
		name := fmt.Sprintf("member-%d", i)
		client := mustDial(b, addr, name, newSigner(b))
		game := []string{"momentum", "petteia", "tanks"}[i%3]
		out, err := ask(client, "new "+game+" --vs master --side first --json")
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
func (c *crowd) play(ctx context.Context, client *gossh.Client, code string, seed uint64) error {
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
		if _, err := ask(client, "move "+code+" "+m.Legal[random.N(len(m.Legal))]); err != nil {
			return err
		}
		moved = time.Now()
	}
}

func (c *crowd) note(took time.Duration, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replies = append(c.replies, took)
	if first {
		c.firsts++
	}
}

// waitForReplies waits until a tenth of the crowd has had a reply: then all wait for one.
func (c *crowd) waitForReplies(b *testing.B) {
	b.Helper()
	ticks := time.NewTicker(rest)
	defer ticks.Stop()
	for range ticks.C {
		c.mu.Lock()
		enough, failed := c.firsts >= c.people/10, c.failed
		c.mu.Unlock()
		if failed != nil {
			b.Fatal(failed)
		}
		if enough {
			return
		}
	}
}

// end has everybody leave, and returns how long the replies took, sorted.
func (c *crowd) end() []time.Duration {
	c.stop()
	c.work.Wait()
	slices.Sort(c.replies)
	return c.replies
}
