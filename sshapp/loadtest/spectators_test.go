//go:build linux

package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludoteca/games"
)

// The limits of the figures of TestSpectators.
const (
	seenP99   = 100 * time.Millisecond // from a move sent to seen, beside spectators who don't read
	seenTimes = 2.                     // that p99, as a multiple of the p99 beside spectators who all read
	grownBy   = 0.05                   // of the server's memory, from the second third of the time to the last
)

const (
	spectators     = 5  // of each match; the last one reads only in every other period
	watchedPeriods = 10 // of the measurement, alternately with readers only and with some spectators who don't read
)

// TestSpectators measures how long a move takes to the screens of the opponent and of the spectators, while one spectator in five never reads.
// That must not delay the others or make the server grow. LUDOTECA_SPECTATORS=200x10m has 200 matches played for ten minutes; without it
// there are two, for a moment, and no limit is checked.
func TestSpectators(t *testing.T) {
	matches, length, pace, full := 2, 3*time.Second, 300*time.Millisecond, false
	if n, d, ok := strings.Cut(os.Getenv("LUDOTECA_SPECTATORS"), "x"); ok {
		var err error
		if matches, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
		if length, err = time.ParseDuration(d); err != nil {
			t.Fatal(err)
		}
		pace, full = 3*time.Second, true
	}
	c := &watchedClub{club: startProgram(t, matches*(2+spectators)), pace: pace}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	c.ctx = ctx
	boards := make([]*watchedBoard, matches)
	each(t, matches, callers, func(i int) (err error) {
		boards[i], err = c.open(i)
		return err
	})
	var playing sync.WaitGroup
	ended := func(err error) {
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			end()
		}
	}
	for _, b := range boards {
		playing.Go(func() { ended(b.play()) })
		playing.Go(func() { ended(b.stall()) })
	}

	var seen [2]struct{ opponent, spectators []time.Duration } // beside readers alone, and beside some who don't read
	var memory []int                                           // KiB
	var cpu time.Duration
	for i := range watchedPeriods {
		unread := i % 2
		c.unread.Store(unread == 1)
		c.wait(length / watchedPeriods / 4) // all have noticed
		c.take()
		before := c.cpu()
		for range 3 {
			c.wait(length / watchedPeriods / 4)
			memory = append(memory, int(c.Memory("RssAnon")>>10))
		}
		cpu += c.cpu() - before
		opponent, others := c.take()
		seen[unread].opponent = append(seen[unread].opponent, opponent...)
		seen[unread].spectators = append(seen[unread].spectators, others...)
	}
	if !c.soon(func() bool { return c.moves.Load() > 0 && c.stalls.Load() > 0 || ctx.Err() != nil }) {
		t.Error("nothing happened")
	}
	end()
	playing.Wait()
	measuring := length * 3 / 4
	t.Logf("FIGURE %d matches with %d spectators each, %d moves in %v; %d times a spectator stopped reading; the server used %.2f processors, %.3f ms a move",
		matches, spectators, c.moves.Load(), length, c.stalls.Load(), cpu.Seconds()/measuring.Seconds(), cpu.Seconds()*1000/float64(max(c.moves.Load(), 1))*float64(length)/float64(measuring))
	for i, beside := range []string{"beside spectators who all read", "while one in five doesn't read"} {
		t.Logf("FIGURE from a move sent to seen, %s: by the opponent %s; by spectators %s", beside, spread(seen[i].opponent), spread(seen[i].spectators))
	}
	second, last := median(memory[len(memory)/3:2*len(memory)/3]), median(memory[2*len(memory)/3:])
	t.Logf("FIGURE the server's memory: %.1f MiB in the second third of the time, %.1f MiB in the last, at most %.1f MiB",
		float64(second)/1024, float64(last)/1024, float64(slices.Max(memory))/1024)
	if !full {
		return
	}
	for what, of := range map[string][2][]time.Duration{"opponent": {seen[0].opponent, seen[1].opponent}, "spectators": {seen[0].spectators, seen[1].spectators}} {
		alone, beside := p99(of[0]), p99(of[1])
		if len(of[1]) == 0 || beside > seenTimes*alone+1 || beside > seenP99.Seconds()*1000 {
			t.Errorf("%d moves are seen by the %s with a p99 of %.1f ms, and beside readers alone of %.1f ms", len(of[1]), what, beside, alone)
		}
	}
	if float64(last) > float64(second)*(1+grownBy) {
		t.Errorf("the server's memory has grown from %d to %d KiB", second, last)
	}
}

// A watchedClub is a club in which people play in front of spectators.
type watchedClub struct {
	*club
	ctx    context.Context // ends when it is time to stop
	pace   time.Duration   // between the moves of a match, about
	unread atomic.Bool     // the last spectator of each match doesn't read
	moves  atomic.Int64
	stalls atomic.Int64 // how often a spectator has stopped to read

	mu                   sync.Mutex // guards what follows
	opponent, spectators []time.Duration
}

// wait returns after a time, or when it is time to stop.
func (c *watchedClub) wait(d time.Duration) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-late.C:
	case <-c.ctx.Done():
	}
}

// take returns how long moves took to be seen since it was called last.
func (c *watchedClub) take() (opponent, spectators []time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	opponent, spectators = c.opponent, c.spectators
	c.opponent, c.spectators = nil, nil
	return opponent, spectators
}

// A watchedBoard is a match with its players and spectators.
type watchedBoard struct {
	club    *watchedClub
	code    string
	pos     games.Position
	players [2]*Terminal
	readers []*Terminal
}

// watchedOptions make a match at random last for longer than any measurement.
var watchedOptions = games.Options{"captures_to_win": 12, "quiet_limit": 1000, "repetition": 0}

// open has two people begin a match, and those spectators come who always read.
func (c *watchedClub) open(number int) (*watchedBoard, error) {
	pos, err := start("petteia", watchedOptions)
	if err != nil {
		return nil, err
	}
	var players [2]*seatedPlayer
	for i := range players {
		key, err := makeKey()
		if err != nil {
			return nil, err
		}
		if players[i], err = c.player(key, fmt.Sprint("player-", number, "-", i)); err != nil {
			return nil, err
		}
	}
	b := &watchedBoard{club: c, pos: pos}
	words := []string{"petteia"}
	for key, value := range watchedOptions {
		words = append(words, fmt.Sprint(key, "=", value))
	}
	if b.code, err = begin(players[0], players[1], strings.Join(words, " ")); err != nil {
		return nil, err
	}
	for i, p := range players {
		if b.players[i], err = p.atBoard(b.code); err != nil {
			return nil, err
		}
		b.players[i].answered(c.seenBy(&c.opponent))
	}
	for range spectators - 1 {
		v, err := c.spectator(b.code, Usual)
		if err != nil {
			return nil, err
		}
		v.Discard()
		v.answered(c.seenBy(&c.spectators))
		b.readers = append(b.readers, v)
	}
	return b, nil
}

func (c *watchedClub) seenBy(list *[]time.Duration) func(time.Duration) {
	return func(d time.Duration) {
		c.mu.Lock()
		defer c.mu.Unlock()
		*list = append(*list, d)
	}
}

// play plays until it is time to stop. The match has no clock, so what comes to the others after a move has been sent shows the move; it is
// rarely, in the same moment, that a spectator has come or gone.
func (b *watchedBoard) play() error {
	c := b.club
	for c.wait(c.pace/2 + rand.N(c.pace)); c.ctx.Err() == nil; c.wait(c.pace/2 + rand.N(c.pace)) {
		legal := b.pos.Legal()
		if len(legal) == 0 {
			return fmt.Errorf("match %s is over: %+v", b.code, b.pos.Result())
		}
		m := legal[rand.N(len(legal))]
		next, err := b.pos.Play(m)
		if err != nil {
			return err
		}
		mover, other := b.players[b.pos.Turn()], b.players[b.pos.Turn().Other()]
		other.Forget()
		for _, v := range append(slices.Clone(b.readers), other) {
			v.Expect()
		}
		if _, err := io.WriteString(mover, string(m)+"\r"); err != nil {
			return err
		}
		if err := other.Until("\a"); err != nil { // the bell
			return fmt.Errorf("match %s: %s: %w: %.500q", b.code, m, err, mover.Shown())
		}
		b.pos = next
		c.moves.Add(1)
	}
	return nil
}

// stall runs the last spectator. In every other period they read nothing, in a large window whose size changes, so that the line is
// soon full. When the club has hung up, they come back.
func (b *watchedBoard) stall() error {
	c := b.club
	for c.ctx.Err() == nil {
		v, err := c.spectator(b.code, size{200, 50})
		if err != nil {
			return err
		}
		v.Discard()
		for !c.unread.Load() && c.ctx.Err() == nil {
			c.wait(c.pace / 10)
		}
		v.conn.tcp.leaveUnread()
		c.stalls.Add(1)
		for i := uint32(0); c.unread.Load() && c.ctx.Err() == nil; i++ {
			if err := v.resize(size{200 + i%2, 50}); err != nil {
				break // the club has hung up
			}
			c.wait(c.pace / 3)
		}
		v.conn.cut()
	}
	if errors.Is(c.ctx.Err(), context.Canceled) {
		return nil
	}
	return c.ctx.Err()
}
