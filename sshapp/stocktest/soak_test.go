//go:build linux

package stocktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"
)

// A soak is a club in full swing, for a while.
type soak struct {
	t      *testing.T
	server *server
	ctx    context.Context // ends when it is time to stop
	moves  atomic.Int64    // made and found again
	visits atomic.Int64    // of those who come and go
	pace   time.Duration   // between a player's moves, about
	length time.Duration   // of it all
}

// TestSoak has many people play, watch, resize, stall and drop out at the same time. No move is lost, every key is answered,
// and the server doesn't grow. LUDOTECA_SOAK says how long, with 500 of them; otherwise there are 20, for a short while.
func TestSoak(t *testing.T) {
	sessions, length, pace, short := 20, 4*time.Second, 50*time.Millisecond, true
	if d, err := time.ParseDuration(os.Getenv("LUDOTECA_SOAK")); err == nil {
		sessions, length, pace, short = 500, d, time.Second, false
	}
	s := startServer(t, "ours")
	k := &soak{t: t, server: s, pace: pace, length: length}
	h := &host{server: s, patience: patience}
	if err := h.polite(); err != nil { // what is made once is there
		t.Fatal(err)
	}
	before, files := s.mustState(), s.descriptors()
	others := crowd(t, s, sessions/10, true, usual) // who only move their cursors, and by whom the server is measured
	alone := typing(t, others, max(1, int(min(length/20, 20*time.Second)/betweenKeys)))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	k.ctx = ctx
	var all sync.WaitGroup
	all.Go(func() {
		defer cancel()
		rest(length)
		h.soon(k.happened) // a busy machine takes longer
	})
	role := func(n int, live func() error) {
		for range n {
			all.Go(func() {
				rest(rand.N(length / 20)) // all at once would be too many for the door
				if err := live(); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
	}
	role(sessions/5, k.play)     // two sessions each
	role(sessions/5/4, k.follow) // four sessions each
	role(sessions/10, k.resize)
	role(sessions/10, k.stall)
	role(sessions/10, k.drop)
	var watched samples
	all.Go(func() { watched.take(k) })
	periods := k.measure(others)
	all.Wait()
	t.Logf("had a processor for: the server %v; the clients %v", turnsOf(s.cmd.Process.Pid), turnsOf(os.Getpid()))
	leave(others)
	if !h.soon(func() bool { return s.mustState().visiting() <= before.visiting() && s.descriptors() <= files }) {
		t.Errorf("all have left: %+v, %d files; before they came: %+v, %d files", s.mustState(), s.descriptors(), before, files)
	}
	if err := s.terminate(); err != nil {
		t.Error(err)
	}

	k.tell(alone, periods)
	if watched.tell(t); !short {
		watched.check(t)
	}
	if !k.happened() {
		t.Error("nothing happened")
	}
}

func (k *soak) happened() bool { return k.moves.Load() > 0 && k.visits.Load() > 0 }

// tell logs what happened, and how long the keys of others took, alone and in each period of it.
func (k *soak) tell(alone []time.Duration, periods [][]time.Duration) {
	k.t.Logf("%d moves, %d visits of those who come and go", k.moves.Load(), k.visits.Load())
	k.t.Logf("keys of others: p50 %.2f ms, p99 %.2f ms while they are alone", percentile(alone, 50), percentile(alone, 99))
	for _, p := range periods {
		k.t.Logf("keys of others: p50 %.2f ms, p99 %.2f ms, at most %.0f ms of %d", percentile(p, 50), percentile(p, 99), percentile(p, 100), len(p))
	}
}

// measure lets the others type until the time is over, in four periods.
func (k *soak) measure(others []*terminal) (periods [][]time.Duration) {
	for range 4 {
		periods = append(periods, typing(k.t, others, max(1, int(k.length/4/betweenKeys))))
	}
	return periods
}

// pause waits about that long. The error says that it is time to stop.
func (k *soak) pause(d time.Duration) error {
	select {
	case <-time.After(d/2 + rand.N(d)):
		return nil
	case <-k.ctx.Done():
		return k.ctx.Err()
	}
}

// over reports whether it is time to stop.
func (k *soak) over() bool { return k.ctx.Err() != nil }

var soakGames = []string{"momentum", "petteia", "4mation", "flugelrad"}

// play has two people play one match after the other, with the keyboard, until it is time to stop.
func (k *soak) play() error {
	var keys [2]gossh.Signer
	var lines [2]*line
	for i := range keys {
		keys[i] = newKey(k.t)
	}
	for i := range keys {
		l, err := k.server.call(keys[i])
		if err != nil {
			return err
		}
		defer l.Close()
		lines[i] = l.forever()
	}
	for !k.over() {
		game := soakGames[rand.N(len(soakGames))]
		code, err := k.server.code(fmt.Sprint("match ", fingerprint(keys[0]), " ", fingerprint(keys[1]), " ", game))
		if err != nil {
			return err
		}
		if err := k.playMatch(code, lines); err != nil {
			return fmt.Errorf("%s %s: %w", game, code, err)
		}
	}
	return nil
}

// playMatch plays to the end of the match or of the time, and holds the match to all moves that were made.
func (k *soak) playMatch(code string, lines [2]*line) error {
	var players [2]*terminal
	for i, l := range lines {
		v, err := l.screen("watch "+code, usual)
		if err != nil {
			return err
		}
		defer v.Close()
		if err := v.until(code); err != nil {
			return err
		}
		players[i] = v
	}
	var made []string
	for {
		now, err := k.stand(code)
		if err != nil {
			return err
		}
		if len(now.Moves) != len(made) {
			return fmt.Errorf("after %d moves there are %d", len(made), len(now.Moves))
		}
		for i, m := range now.Moves {
			if string(m) != made[i] {
				return fmt.Errorf("move %d was %s and is %s", i+1, made[i], m)
			}
		}
		if now.Over || k.over() {
			return nil
		}
		mover := players[now.Turn]
		if len(made) > 0 {
			if err := mover.until("\a"); err != nil {
				return fmt.Errorf("the bell after move %d: %w", len(made), err)
			}
		}
		if k.pause(k.pace) != nil {
			return nil
		}
		m := string(now.Legal[rand.N(len(now.Legal))])
		players[now.Turn.Other()].forget()
		if _, err := io.WriteString(mover, m+"\r"); err != nil {
			return err
		}
		if err := k.made(code, len(made)+1); err != nil {
			return fmt.Errorf("%s as move %d: %w: %q", m, len(made)+1, err, mover.shown())
		}
		made = append(made, m)
		k.moves.Add(1)
	}
}

// made waits until so many moves have been made.
func (k *soak) made(code string, plies int) error {
	late := time.After(patience)
	for {
		now, err := k.stand(code)
		if err != nil || len(now.Moves) >= plies {
			return err
		}
		select {
		case <-late:
			return errors.New("the move is lost")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (k *soak) stand(code string) (now stand, err error) {
	if err = k.server.ask("moves "+code, &now); err == nil && now.Err != "" {
		err = errors.New(now.Err)
	}
	return now, err
}

// follow has guests watch one match after the other.
func (k *soak) follow() error {
	for !k.over() {
		if err := k.followMatch(); err != nil {
			return err
		}
	}
	return nil
}

// followMatch has four guests on one connection watch a match whose moves come fast.
func (k *soak) followMatch() error {
	key := newKey(k.t)
	code, err := k.server.code("board " + fingerprint(key) + " momentum")
	if err != nil {
		return err
	}
	l, err := k.server.call(nil)
	if err != nil {
		return err
	}
	defer l.Close()
	l.forever()
	for range 4 {
		v, err := l.screen("watch "+code, usual)
		if err != nil {
			return err
		}
		if err := v.until(code); err != nil {
			return err
		}
	}
	player, err := k.server.visit(key, "watch "+code, usual)
	if err != nil {
		return err
	}
	defer player.line.Close()
	player.line.forever()
	for !k.over() {
		now, err := k.stand(code)
		if err != nil {
			return err
		}
		if now.Over {
			return nil
		}
		if _, err := io.WriteString(player, string(now.Legal[rand.N(len(now.Legal))])+"\r"); err != nil {
			return err
		}
		_ = k.pause(k.pace / 2)
	}
	return nil
}

// resize drags the corner of a window about.
func (k *soak) resize() error {
	v, err := k.server.visit(nil, "", usual)
	if err != nil {
		return err
	}
	defer v.line.Close()
	v.line.forever()
	for k.pause(100*time.Millisecond) == nil {
		if err := v.resize(size{rand.N[uint32](300), rand.N[uint32](100)}); err != nil {
			return err
		}
	}
	return nil
}

// stall opens the lobby, types and resizes, and never reads, half a minute at a time.
func (k *soak) stall() error {
	for !k.over() {
		l, err := k.server.call(nil)
		if err != nil {
			return err
		}
		v, err := l.forever().channel()
		if err != nil {
			return err
		}
		_, err = v.request("pty-req", ptyRequest{"xterm-256color", 200, 50, 0, 0, ""})
		if err == nil {
			_, err = v.request("shell", nil)
		}
		for i := uint32(0); i < 600 && err == nil && !k.over(); i++ {
			if v.resize(size{200 + i%2, 50}) != nil {
				break // the server has hung up
			}
			_ = k.pause(50 * time.Millisecond)
		}
		l.cut()
		if err != nil {
			return err
		}
	}
	return nil
}

// drop comes and leaves rudely.
func (k *soak) drop() error {
	for k.pause(2*k.pace) == nil {
		if err := rudeWays[rand.N(len(rudeWays))].visit(k.server); err != nil {
			return err
		}
		k.visits.Add(1)
	}
	return nil
}

// samples are what the server process held, at times.
type samples struct {
	goroutines, files []int
	live, resident    []int64
}

// take looks at the server some twenty times.
func (w *samples) take(k *soak) {
	tick := time.NewTicker(k.length / 20)
	defer tick.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-tick.C:
		}
		var now state
		if err := k.server.ask("glance", &now); err != nil {
			k.t.Error(err)
			return
		}
		if len(w.live)%5 == 4 {
			k.server.heap(fmt.Sprint("soak", len(w.live)+1))
		}
		w.goroutines, w.files = append(w.goroutines, now.Goroutines), append(w.files, k.server.descriptors())
		w.live, w.resident = append(w.live, now.Live>>10), append(w.resident, k.server.memory("RssAnon")>>10)
	}
}

func (w *samples) tell(t *testing.T) {
	t.Logf("goroutines %v", w.goroutines)
	t.Logf("descriptors %v", w.files)
	t.Logf("live heap, KiB %v", w.live)
	t.Logf("resident, KiB %v", w.resident)
}

// check wants the last quarter to be like the second one, when all had come. In a short time they may still be coming.
func (w *samples) check(t *testing.T) {
	n := len(w.goroutines) / 4
	if n == 0 {
		t.Fatal("the server was looked at too seldom")
	}
	noMore := func(what string, early, late, slack int64) {
		if late > early+early/5+slack {
			t.Errorf("%s grew from %d to %d", what, early, late)
		}
	}
	last := len(w.goroutines) - n
	noMore("goroutines", int64(slices.Max(w.goroutines[n:2*n])), int64(slices.Max(w.goroutines[last:])), 50)
	noMore("descriptors", int64(slices.Max(w.files[n:2*n])), int64(slices.Max(w.files[last:])), 20)
	noMore("the live heap, KiB,", slices.Max(w.live[n:2*n]), slices.Max(w.live[last:]), 8<<10)
}
