//go:build linux

package abusetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ludoteca/sshapp/loadtest"
)

// signIn holds the places for connections that sign in with silent ones, from a few addresses, and has newcomers come meanwhile.
func signIn(w *world) {
	addresses, newcomers := w.of(6, 21), w.of(20, 100)
	c := w.start(fmt.Sprint("--max-unauth=", w.of(60, 200)))
	ctx, stop := context.WithCancel(w.Context())
	ended := c.silence(ctx, addresses)
	var mu sync.Mutex
	var took []time.Duration
	var turnedAway count
	arrive := func(i int) error {
		began := time.Now()
		p, err := c.signIn(fmt.Sprint("newperson-", i), v4(200, i, 1))
		if err == nil {
			_, err = p.ask("whoami")
			_ = p.Close()
		}
		if err != nil {
			turnedAway.one()
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(began))
		return nil
	}
	if w.full {
		var here sync.WaitGroup
		for i := range newcomers {
			here.Go(func() { _ = arrive(i) })
			loadtest.Pause(100 * time.Millisecond)
		}
		here.Wait()
	} else {
		_ = loadtest.InTurn(newcomers, 1, arrive)
	}
	stop()
	ended()
	slices.Sort(took)
	soon := 0
	for _, d := range took {
		if d <= 3*time.Second {
			soon++
		}
	}
	w.figure("sign-in slots: %d of %d newcomers in within 3 s, %d turned away; p50 %.0f ms, p99 %.0f ms", soon, newcomers,
		turnedAway.Load(), loadtest.Percentile(took, 50), loadtest.Percentile(took, 99))
	if in := len(took); 100*in < 95*newcomers || w.full && 100*soon < 95*newcomers {
		w.Errorf("beside silent connections from %d addresses %d of %d newcomers get in, %d of them within 3 s", addresses, in, newcomers, soon)
	}
}

// silence has addresses, each in a /24 of its own, hold as many silent connections as they get, until ctx ends. It returns when all
// have tried, and ended waits until they are gone.
func (c *club) silence(ctx context.Context, addresses int) (ended func()) {
	const each = 20
	var begun, all sync.WaitGroup
	begun.Add(addresses * each)
	for i := range addresses * each {
		all.Go(func() {
			first := sync.OnceFunc(begun.Done)
			defer first()
			again := time.NewTicker(200 * time.Millisecond)
			defer again.Stop()
			for ctx.Err() == nil {
				conn, err := loadtest.Caller{From: v4(210, i%addresses, 1)}.Dial(c.addr)
				if err != nil {
					return // the club is gone
				}
				hangUp := context.AfterFunc(ctx, func() { _ = conn.Close() })
				for buf := make([]byte, 1024); err == nil; first() { // its version comes, or nothing, and then the end
					_, err = conn.Read(buf)
				}
				hangUp()
				_ = conn.Close()
				select {
				case <-again.C:
				case <-ctx.Done():
				}
			}
		})
	}
	begun.Wait()
	return all.Wait
}
