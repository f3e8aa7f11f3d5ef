package terminal

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A mailbox is a session whose client reads a frame piece by piece. Texts sent to keys are its input.
type mailbox struct {
	pieces chan string // what is being written
	taken  chan error  // ends the Write
	keys   chan string
	closed int
}

func newMailbox() *mailbox {
	return &mailbox{pieces: make(chan string), taken: make(chan error), keys: make(chan string)}
}

func (m *mailbox) Read(p []byte) (int, error) {
	keys, ok := <-m.keys
	if !ok {
		return 0, io.EOF
	}
	return copy(p, keys), nil
}

func (m *mailbox) Write(p []byte) (int, error) {
	m.pieces <- string(p)
	if err := <-m.taken; err != nil {
		return 0, err
	}
	return len(p), nil
}

func (m *mailbox) Close() error {
	m.closed++
	close(m.keys)
	return nil
}

// TestPieces: a large frame goes out in pieces of a bounded size, each of which gets the whole stall limit.
func TestPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		model := typist()
		model.view = func() tea.View { return fullScreen(strings.Repeat(strings.Repeat("\x1b[1mx\x1b[my", 120)+"\n", 70)) }
		stats := new(Stats)
		ended := make(chan error, 1)
		go func() {
			ended <- Run(t.Context(), m, model, Options{Term: "xterm", Window: Window{240, 70}, Stall: time.Second, Stats: stats})
		}()
		var frame string
		pieces := 0
		for !strings.HasSuffix(frame, syncEnd) {
			p := <-m.pieces
			if len(p) > maxWriteBytes {
				t.Errorf("a piece has %d bytes, want at most %d", len(p), maxWriteBytes)
			}
			frame += p
			pieces++
			time.Sleep(time.Second - 1) // nearly too slow
			m.taken <- nil
		}
		if pieces < 3 || stats.Frames.Load() != 1 {
			t.Errorf("%d frames in %d pieces, want one in several", stats.Frames.Load(), pieces)
		}
		synctest.Wait()
		if got, want := stats.Bytes.Load(), int64(len(frame)); got != want {
			t.Errorf("Bytes = %d, want %d", got, want)
		}
		m.keys <- "q"
		if got := <-m.pieces; !strings.HasPrefix(got, neutral) {
			t.Errorf("the last frame is %q, want one that restores the terminal", got)
		}
		m.taken <- nil
		if err := <-ended; err != nil || m.closed != 1 {
			t.Errorf("Run = %v and closed the session %d times, want nil and once", err, m.closed)
		}
	})
}

// TestWriteErrors: a session that can't be written to any more has ended, and isn't waited for.
func TestWriteErrors(t *testing.T) {
	for _, name := range []string{"the first frame", "a later one", "the last one"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMailbox()
				ended := make(chan error, 1)
				begin := time.Now()
				go func() { ended <- Run(t.Context(), m, typist(), Options{RestoreTime: time.Hour, Stall: time.Hour}) }()
				<-m.pieces
				want := ErrGone
				switch name {
				case "a later one":
					m.taken <- nil
					m.keys <- "x"
					<-m.pieces
				case "the last one":
					m.taken <- nil
					m.keys <- "q"
					<-m.pieces
					want = nil
				}
				m.taken <- errors.New("closed")
				if err := <-ended; !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("Run = %v, want %v", err, want)
				}
				if got := time.Since(begin); got > frameTime {
					t.Errorf("it was waited for %v, want no time", got)
				}
			})
		})
	}
}

// TestLastFrameFollowsTheOneUnderWay: the terminal is restored in one piece, after the frame that was being written.
func TestLastFrameFollowsTheOneUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), m, typist(), Options{Term: "xterm"}) }()
		first := <-m.pieces
		m.keys <- "xyz"
		m.keys <- "q"
		synctest.Wait()
		m.taken <- nil
		last := <-m.pieces
		m.taken <- nil
		if !strings.Contains(first, "typed:") || !strings.HasPrefix(last, neutral) {
			t.Errorf("the client got %q and then %q, want a frame and what restores the terminal", first, last)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}
