package terminal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// mailbox is a session that carries by itself.
type mailbox struct {
	Session // none: nobody reads or writes
	carries chan Receiver
	frames  chan []byte
	closed  int
}

func newMailbox() *mailbox {
	return &mailbox{carries: make(chan Receiver, 1), frames: make(chan []byte, 10)}
}

func (m *mailbox) Carry(r Receiver) { m.carries <- r }
func (m *mailbox) Start(p []byte)   { m.frames <- p }
func (m *mailbox) Close() error     { m.closed++; return nil }

// TestCarrier: a session that has goroutines of its own gets pieces of a bounded size, the next one when it has answered.
func TestCarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		model := typist()
		model.view = func() tea.View { return fullScreen(strings.Repeat(strings.Repeat("\x1b[1mx\x1b[my", 120)+"\n", 70)) }
		ended := make(chan error, 1)
		go func() {
			ended <- Run(t.Context(), m, model, Options{Term: "xterm", Window: Window{240, 70}, Stall: time.Second})
		}()
		r := <-m.carries
		var frame string
		for !strings.HasSuffix(frame, syncEnd) {
			synctest.Wait()
			if len(m.frames) != 1 {
				t.Fatalf("%d pieces are under way at once, want 1", len(m.frames))
			}
			p := <-m.frames
			if len(p) > maxWriteBytes {
				t.Errorf("a piece has %d bytes, want at most %d", len(p), maxWriteBytes)
			}
			frame += string(p)
			time.Sleep(time.Second - 1) // nearly too slow
			r.Written(nil)
		}
		r.Typed([]byte("q"))
		synctest.Wait()
		if got := string(<-m.frames); !strings.HasPrefix(got, neutral) {
			t.Errorf("the last frame is %q, want one that restores the terminal", got)
		}
		r.Written(nil)
		if err := <-ended; err != nil || m.closed != 1 {
			t.Errorf("Run = %v and closed the session %d times, want nil and once", err, m.closed)
		}
	})
}

// TestKeyIsAnsweredWhereItIsRead: a key needs no other goroutine than the one that brings it, which also gets the reply.
func TestKeyIsAnsweredWhereItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, m, typist(), Options{Term: "xterm"}) }()
		r := <-m.carries
		synctest.Wait()
		<-m.frames
		r.Written(nil)
		time.Sleep(frameTime)
		if reply := string(r.Typed([]byte("x"))); !strings.Contains(reply, "x") {
			t.Errorf("the reply is %q, want x in it", reply)
		}
		reply := r.Typed([]byte("y")) // while it is under way
		time.Sleep(frameTime)
		if len(reply)+len(m.frames) != 0 {
			t.Error("two frames are under way at once")
		}
		r.Written(nil)
		if len(m.frames) != 1 {
			t.Error("the newest frame doesn't follow the one that was under way")
		}
		cancel()
		<-ended
		before := len(m.frames)
		reply = r.Typed([]byte("z")) // too late
		r.Written(nil)
		r.HungUp()
		if len(reply) != 0 || len(m.frames) != before {
			t.Error("something is written after the end")
		}
	})
}

// TestCarrierThatHasEnded isn't waited for.
func TestCarrierThatHasEnded(t *testing.T) {
	for _, answered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := newMailbox()
			ended := make(chan error, 1)
			begin := time.Now()
			go func() { ended <- Run(t.Context(), m, typist(), Options{Parting: time.Hour, Stall: time.Hour}) }()
			r := <-m.carries
			synctest.Wait()
			if answered {
				r.Written(nil)
			}
			r.Written(errors.New("closed"))
			if err := <-ended; !errors.Is(err, ErrGone) {
				t.Errorf("Run = %v, want %v", err, ErrGone)
			}
			if got := time.Since(begin); got != 0 || len(m.frames) != 1 {
				t.Errorf("it was waited for %v, and began %d frames; want no time, and the first", got, len(m.frames))
			}
		})
	}
}
