package terminal

import (
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
	chunks  chan []byte
	frames  chan []byte
	written chan error
	closed  int
}

func (m *mailbox) Chunks() <-chan []byte { return m.chunks }
func (m *mailbox) Start(p []byte)        { m.frames <- p }
func (m *mailbox) Written() <-chan error { return m.written }
func (m *mailbox) Close() error          { m.closed++; return nil }

// TestCarrier: a session that has goroutines of its own gets pieces of a bounded size, the next one when it has answered.
func TestCarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mailbox{chunks: make(chan []byte), frames: make(chan []byte, 10), written: make(chan error, 1)}
		model := typist()
		model.view = func() tea.View { return fullScreen(strings.Repeat(strings.Repeat("\x1b[1mx\x1b[my", 120)+"\n", 70)) }
		ended := make(chan error, 1)
		go func() {
			ended <- Run(t.Context(), m, model, Options{Term: "xterm", Window: Window{240, 70}, Stall: time.Second})
		}()
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
			m.written <- nil
		}
		m.chunks <- []byte("q")
		synctest.Wait()
		if got := string(<-m.frames); !strings.HasPrefix(got, neutral) {
			t.Errorf("the last frame is %q, want one that restores the terminal", got)
		}
		m.written <- nil
		if err := <-ended; err != nil || m.closed != 1 {
			t.Errorf("Run = %v and closed the session %d times, want nil and once", err, m.closed)
		}
	})
}

// TestCarrierThatHasEnded isn't waited for.
func TestCarrierThatHasEnded(t *testing.T) {
	for _, answered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := &mailbox{chunks: make(chan []byte), frames: make(chan []byte, 10), written: make(chan error, 1)}
			ended := make(chan error, 1)
			begin := time.Now()
			go func() { ended <- Run(t.Context(), m, typist(), Options{Parting: time.Hour, Stall: time.Hour}) }()
			synctest.Wait()
			if answered {
				m.written <- nil
				synctest.Wait()
			}
			close(m.written)
			if err := <-ended; !errors.Is(err, ErrGone) {
				t.Errorf("Run = %v, want %v", err, ErrGone)
			}
			if got := time.Since(begin); got != 0 || len(m.frames) != 1 {
				t.Errorf("it was waited for %v, and began %d frames; want no time, and the first", got, len(m.frames))
			}
		})
	}
}
