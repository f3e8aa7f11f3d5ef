package terminal

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestFloodIsHeldBack: what comes without end is thrown away, and no faster than at some 2 MB a second.
func TestFloodIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const enough = 100 << 20 // bytes, in case nothing holds the client back
		stats := new(Stats)
		flood := &endlessKeys{left: enough, over: make(chan struct{})}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := Run(ctx, flood, &probe{}, Options{Stats: stats}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v, want the end of its context", err)
		}
		if got, most := stats.Keys.Load(), int64(InputBurst+InputRate); got < InputBurst || got > most {
			t.Errorf("%d bytes were taken in a second, want %d to %d", got, InputBurst, most)
		}
		if got, most := stats.Dropped.Load(), int64(dropRate); got < most/2 || got > most+most/4 {
			t.Errorf("%d bytes were thrown away in a second, want about %d", got, most)
		}
	})
}

// endlessKeys is a client that never stops to type, and reads everything.
type endlessKeys struct {
	left int
	over chan struct{}
}

func (e *endlessKeys) Read(p []byte) (int, error) {
	if e.left < len(p) {
		<-e.over
		return 0, io.EOF
	}
	e.left -= len(p)
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func (e *endlessKeys) Write(p []byte) (int, error) { return len(p), nil }

func (e *endlessKeys) Close() error { close(e.over); return nil }

// TestInputRate: the burst passes at once, then InputRate bytes a second, and no more than the burst after a pause.
func TestInputRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usual := newReader(Options{}, new(Stats))
		for _, tt := range []struct {
			name  string
			pause time.Duration
			n     int
			want  int
		}{
			{"the burst", 0, 10_000, 10_000},
			{"what is left of it", 0, 10_000, InputBurst - 10_000},
			{"nothing is left", 0, 512, 0},
			{"half a second's worth", 500 * time.Millisecond, 10_000, InputRate / 2},
			{"after an hour no more than the burst", time.Hour, 100_000, InputBurst},
		} { // one after the other, on one reader
			time.Sleep(tt.pause)
			if got := usual.take(tt.n); got != tt.want {
				t.Errorf("%s: %d of %d bytes pass, want %d", tt.name, got, tt.n, tt.want)
			}
		}
		few := newReader(Options{InputRate: 10, InputBurst: 100}, new(Stats))
		first := few.take(1000)
		time.Sleep(time.Second)
		if second := few.take(1000); first != 100 || second != 10 {
			t.Errorf("%d bytes pass at once and %d after a second, want 100 and 10", first, second)
		}
	})
}

// TestReadErrors: a session that never reads anything is taken for gone, and so is one that fails with its last bytes.
func TestReadErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, read := range map[string]func(p []byte) (int, error){
			"nothing, for ever": func([]byte) (int, error) { return 0, nil },
			"a key and the end": func(p []byte) (int, error) { return copy(p, "x"), io.EOF },
		} {
			stats := new(Stats)
			if err := Run(t.Context(), readerOnly{read}, typist(), Options{Stats: stats}); !errors.Is(err, ErrGone) {
				t.Errorf("%s: Run = %v, want %v", name, err, ErrGone)
			}
			if got := stats.Keys.Load(); (got == 1) != (name == "a key and the end") {
				t.Errorf("%s: %d keys reached the model", name, got)
			}
		}
	})
}

type readerOnly struct{ read func([]byte) (int, error) }

func (r readerOnly) Read(p []byte) (int, error)  { return r.read(p) }
func (r readerOnly) Write(p []byte) (int, error) { return len(p), nil }
func (r readerOnly) Close() error                { return nil }
