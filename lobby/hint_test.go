package lobby

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"ludoteca/games"
	"ludoteca/storage"
)

// wise is a level that looks ahead, tells when it begins, and goes on when it is let.
type wise struct {
	begun chan struct{}
	goOn  chan error // what comes of it
	times atomic.Int64
}

func newWise() *wise { return &wise{begun: make(chan struct{}), goOn: make(chan error)} }

func (w *wise) level() Level {
	return Level{ID: "wise", Name: "Sapiens", Think: func(ctx context.Context, p games.Position, _ *games.Random) (Decision, error) {
		w.times.Add(1)
		select {
		case w.begun <- struct{}{}:
		case <-ctx.Done():
			return Decision{}, context.Canceled
		}
		select {
		case err := <-w.goOn:
			legal := p.Legal()
			return Decision{Move: legal[len(legal)-1], Ahead: true, Value: 50, Plies: 5, Proven: true}, err
		case <-ctx.Done():
			return Decision{}, context.Canceled
		}
	}}
}

// adviced is a club with a simple level and a wise one, and ana at a board against the simple one.
func adviced(t *testing.T) (*club, *wise, *Seat) {
	w := newWise()
	c := newClub(t, func(cfg *Config) { cfg.Levels = []Level{firstLegal, w.level(), brokenLevel} })
	return c, w, c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Side: PlayFirst, Bot: "first"}).ID)
}

// asked is a hint that somebody waits for.
type asked struct {
	hint Hint
	err  error
}

func askHint(s *Seat) <-chan asked {
	got := make(chan asked, 1)
	go func() {
		h, err := s.Hint(context.Background())
		got <- asked{h, err}
	}()
	return got
}

func TestHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := adviced(t)
		got := askHint(a)
		<-w.begun
		if _, err := a.Hint(t.Context()); !errors.Is(err, ErrHinting) {
			t.Errorf("a second one at the same time: %v", err)
		}
		if v := c.now(a); v.Helped != (storage.Help{}) {
			t.Errorf("helped before there is a hint: %+v", v.Helped)
		}
		w.goOn <- nil
		h := <-got
		if h.err != nil || h.hint.Move != "g7" || !h.hint.Proven || h.hint.Plies != 5 || h.hint.Ply != 0 {
			t.Fatalf("%+v, %v", h.hint, h.err)
		}
		log, err := c.store.Log(t.Context(), a.ID())
		if err != nil || log[len(log)-1].Kind != storage.Helped || log[len(log)-1].Move != "" {
			t.Errorf("the log ends with %+v, %v", log[len(log)-1], err)
		}
		if again, err := a.Hint(t.Context()); err != nil || again.Move != h.hint.Move || w.times.Load() != 1 {
			t.Errorf("asked again: %+v, %v, after thinking %d times", again, err, w.times.Load())
		}
		if v := c.now(a); v.Helped != (storage.Help{Hints: 1}) {
			t.Errorf("helped %+v", v.Helped)
		}
		if err := a.Move(t.Context(), h.hint.Move, 0); err != nil {
			t.Fatal(err)
		}
		c.until(a, plies(2))
		got = askHint(a)
		<-w.begun
		w.goOn <- nil
		if h := <-got; h.err != nil || h.hint.Ply != 2 {
			t.Errorf("the next: %+v, %v", h.hint, h.err)
		}
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f, err := c.Record(t.Context(), a.ID()); err != nil || f.Helped != (storage.Help{Hints: 2}) {
			t.Errorf("the record: %+v, %v", f, err)
		}
		_, err = a.Hint(t.Context())
		wantErr(t, "after the end", err, ErrOver)
	})
}

// Nobody sees a hint before it is on disk that there was one; one that can't be written is not given.
func TestHintIsWrittenFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := adviced(t)
		disk, writing := make(chan struct{}), make(chan struct{})
		c.store.set(func([]storage.Event) error {
			close(writing)
			<-disk
			return storage.ErrCommit
		}, nil, nil)
		got := askHint(a)
		<-w.begun
		w.goOn <- nil
		<-writing
		select {
		case h := <-got:
			t.Errorf("the hint was seen before it was written: %+v", h)
		default:
		}
		close(disk)
		if h := <-got; !errors.Is(h.err, ErrBusy) || h.hint.Move != "" {
			t.Errorf("the hint was not written, but is %+v, %v", h.hint, h.err)
		}
		if v := c.now(a); v.Helped != (storage.Help{}) {
			t.Errorf("helped %+v", v.Helped)
		}
	})
}

// What the match has left behind needs no hint.
func TestHintComesTooLate(t *testing.T) {
	for _, tt := range []struct {
		name string
		act  func(t *testing.T, c *club, s *Seat) error
		want error
	}{
		{"a move", func(t *testing.T, _ *club, s *Seat) error { return s.Move(t.Context(), "d4", 0) }, ErrLate},
		{"the end", func(t *testing.T, _ *club, s *Seat) error { return s.Resign(t.Context()) }, ErrLate},
		{"the club closes", func(_ *testing.T, c *club, _ *Seat) error { return c.Close() }, ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, w, a := adviced(t)
				got := askHint(a)
				<-w.begun
				if err := tt.act(t, c, a); err != nil {
					t.Fatal(err)
				}
				if h := <-got; !errors.Is(h.err, tt.want) {
					t.Errorf("the hint is %+v, %v; want %v", h.hint, h.err, tt.want)
				}
			})
		})
	}
}

func TestNoHintOutOfTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWise()
		c := newClub(t, func(cfg *Config) { cfg.Levels = []Level{w.level()} })
		a := c.seat(c.ana, c.open(c.ana, Spec{Game: "fourmation", Side: PlaySecond, Bot: "wise"}).ID)
		<-w.begun
		_, err := a.Hint(t.Context())
		wantErr(t, "while the other thinks", err, ErrNotYourTurn)
		if err := a.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A level that fails gives no hint, marks nobody as helped and leaves the match as it is.
func TestBrokenHint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := adviced(t)
		got := askHint(a)
		<-w.begun
		w.goOn <- errors.New("out of order")
		if h := <-got; h.err == nil {
			t.Errorf("got %+v", h.hint)
		}
		if v := c.now(a); v.Over || v.Helped != (storage.Help{}) {
			t.Errorf("over %v, helped %+v", v.Over, v.Helped)
		}
		got = askHint(a)
		<-w.begun
		w.goOn <- nil
		if h := <-got; h.err != nil {
			t.Errorf("asked again: %v", h.err)
		}
	})
}

// After a restart the same position is not counted twice.
func TestHintAfterRestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, w, a := adviced(t)
		for range 2 {
			got := askHint(a)
			<-w.begun
			w.goOn <- nil
			if h := <-got; h.err != nil {
				t.Fatal(h.err)
			}
			if v := c.now(a); v.Helped != (storage.Help{Hints: 1}) {
				t.Errorf("helped %+v", v.Helped)
			}
			c.Close()
			c = reopen(t, c.store, func(cfg *Config) { cfg.Levels = []Level{firstLegal, w.level()} })
			a = c.seat(c.ana, a.ID())
		}
	})
}
