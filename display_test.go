package main

import (
	"context"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// display is what somebody sees of a program before a test's eyes: an emulator shows what the program writes, and answers
// it as a terminal would.
type display struct {
	t    testing.TB
	name string // of whoever sits there
	work sync.WaitGroup

	mu      sync.Mutex // guards what follows
	screen  *vt.Emulator
	title   string
	bells   int
	hidden  bool          // the cursor
	drawing bool          // a frame is under way: the program has begun it and not yet ended it
	ended   bool          // the program writes no more
	changed time.Time     // when the program last wrote
	more    chan struct{} // closed, and replaced, whenever any of it may have changed
}

func newDisplay(t testing.TB, name string, w, h int) *display {
	d := &display{t: t, name: name, screen: vt.NewEmulator(w, h), more: make(chan struct{})}
	d.screen.SetCallbacks(vt.Callbacks{ // with the lock held
		Title: func(s string) { d.title = s }, Bell: func() { d.bells++ }, CursorVisibility: func(v bool) { d.hidden = !v },
		EnableMode:  func(m ansi.Mode) { d.drawing = d.drawing || m == ansi.ModeSynchronizedOutput },
		DisableMode: func(m ansi.Mode) { d.drawing = d.drawing && m != ansi.ModeSynchronizedOutput },
	})
	return d
}

// connect shows what a program writes and tells it what the terminal answers, until it writes no more.
func (d *display) connect(from io.Reader, to io.Writer) {
	d.work.Go(func() { d.show(from) })
	d.work.Go(func() { _, _ = io.Copy(to, d.screen) })
}

func (d *display) show(from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		now := time.Now()
		d.mu.Lock()
		_, _ = d.screen.Write(buf[:n]) // never fails while open
		d.ended, d.changed = err != nil, now
		close(d.more)
		d.more = make(chan struct{})
		d.mu.Unlock()
		if err != nil {
			// Closing the emulator instead would race with its reader.
			_ = d.screen.InputPipe().(io.Closer).Close()
			return
		}
	}
}

// wait waits until done, which is called whenever there may be news, with the lock held. It says what the screen shows
// then, and whether done was true in time.
func (d *display) wait(done func(screen string) bool) (screen string, ok bool) {
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	for {
		d.mu.Lock()
		screen, more := d.text(), d.more
		ok := done(screen)
		d.mu.Unlock()
		if ok {
			return screen, true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return screen, false
		}
	}
}

// until waits until a test likes what it sees, and returns that. It sees whole frames, as somebody at a terminal does.
func (d *display) until(what string, likes func(screen string) bool) string {
	d.t.Helper()
	liked := false
	screen, ok := d.wait(func(screen string) bool {
		liked = !d.drawing && likes(screen)
		return liked || d.ended
	})
	switch {
	case !ok:
		d.t.Fatalf("%s waits in vain for %s:\n%s", d.name, what, screen)
	case !liked:
		d.t.Fatalf("%s waits for %s, and the program has ended:\n%s", d.name, what, screen)
	}
	return screen
}

// shows waits until all the words are on the screen.
func (d *display) shows(words ...string) string {
	d.t.Helper()
	return d.until(strings.Join(words, " + "), func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// loses waits until words are gone from the screen.
func (d *display) loses(words string) {
	d.t.Helper()
	d.until("no "+words, func(screen string) bool { return !strings.Contains(screen, words) })
}

// calls waits until the terminal has rung its bell and its title says whose move it is.
func (d *display) calls() {
	d.t.Helper()
	if screen, ok := d.wait(func(string) bool { return d.bells > 0 && strings.Contains(d.title, "your move") }); !ok {
		d.t.Fatalf("%s is not called: %d bells, the title is %q\n%s", d.name, d.bells, d.title, screen)
	}
}

// finds waits until the screen matches, and returns what the group of the expression matched.
func (d *display) finds(expression string) string {
	d.t.Helper()
	r := regexp.MustCompile("(?m)" + expression)
	screen := d.until(expression, r.MatchString)
	return r.FindStringSubmatch(screen)[1]
}

// text is the screen as lines without blanks at their ends. The caller holds the lock.
func (d *display) text() string {
	var b strings.Builder
	for y := range d.screen.Height() {
		var line strings.Builder
		for x := range d.screen.Width() {
			switch cell := d.screen.CellAt(x, y); {
			case cell == nil || cell.Content == "" && cell.Width > 0:
				line.WriteByte(' ')
			default:
				line.WriteString(cell.Content)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// cursor is where the terminal's cursor stands.
func (d *display) cursor() (x, y int) {
	d.t.Helper()
	d.until("a cursor", func(string) bool {
		at := d.screen.CursorPosition()
		x, y = at.X, at.Y
		return true
	})
	return x, y
}
