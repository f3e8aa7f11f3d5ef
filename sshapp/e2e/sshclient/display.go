package sshclient

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

// A Display is the terminal of a program in a test: an emulator that shows the program's output, and answers
// it as a terminal does.
type Display struct {
	T    testing.TB
	Name string // of the player

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

// NewDisplay returns the display of a player. Nothing is connected to it.
func NewDisplay(t testing.TB, name string, w, h int) *Display {
	d := &Display{T: t, Name: name, screen: vt.NewEmulator(w, h), more: make(chan struct{})}
	d.screen.SetCallbacks(vt.Callbacks{ // with the lock held
		Title: func(s string) { d.title = s }, Bell: func() { d.bells++ }, CursorVisibility: func(v bool) { d.hidden = !v },
		EnableMode:  func(m ansi.Mode) { d.drawing = d.drawing || m == ansi.ModeSynchronizedOutput },
		DisableMode: func(m ansi.Mode) { d.drawing = d.drawing && m != ansi.ModeSynchronizedOutput },
	})
	return d
}

// Connect shows what a program writes and tells it what the terminal answers, until it writes no more.
func (d *Display) Connect(from io.Reader, to io.Writer) {
	d.work.Go(func() { d.show(from) })
	d.work.Go(func() { _, _ = io.Copy(to, d.screen) })
}

// Join waits until the program that is connected writes no more.
func (d *Display) Join() { d.work.Wait() }

func (d *Display) show(from io.Reader) {
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

// wait waits until done, which is called whenever there may be news, with the lock held. It returns what the screen shows
// then, and reports whether done was true in time.
func (d *Display) wait(done func(screen string) bool) (screen string, ok bool) {
	ctx, cancel := context.WithTimeout(d.T.Context(), Patience)
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

// Until waits until a test likes what it sees, and returns that. It sees whole frames, as a player does.
func (d *Display) Until(what string, likes func(screen string) bool) string {
	d.T.Helper()
	liked := false
	screen, ok := d.wait(func(screen string) bool {
		liked = !d.drawing && likes(screen)
		return liked || d.ended
	})
	switch {
	case !ok:
		d.T.Fatalf("%s has not seen %s in time:\n%s", d.Name, what, screen)
	case !liked:
		d.T.Fatalf("%s waits for %s, and the program has ended:\n%s", d.Name, what, screen)
	}
	return screen
}

// Shows waits until all the words are on the screen.
func (d *Display) Shows(words ...string) string {
	d.T.Helper()
	return d.Until(strings.Join(words, " + "), func(screen string) bool {
		for _, w := range words {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// Loses waits until words are gone from the screen.
func (d *Display) Loses(words string) {
	d.T.Helper()
	d.Until("no "+words, func(screen string) bool { return !strings.Contains(screen, words) })
}

// Calls waits until the terminal has rung its bell and its title has "your move".
func (d *Display) Calls() {
	d.T.Helper()
	if screen, ok := d.wait(func(string) bool { return d.bells > 0 && strings.Contains(d.title, "your move") }); !ok {
		d.T.Fatalf("%s is not called: %d bells, the title is %q\n%s", d.Name, d.bells, d.title, screen)
	}
}

// Finds waits until the screen matches, and returns what the group of the expression matched.
func (d *Display) Finds(expression string) string {
	d.T.Helper()
	r := regexp.MustCompile("(?m)" + expression)
	screen := d.Until(expression, r.MatchString)
	return r.FindStringSubmatch(screen)[1]
}

// text is the screen as lines without blanks at their ends. The caller holds the lock.
func (d *Display) text() string {
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

// Cursor returns the place of the terminal's cursor.
func (d *Display) Cursor() (x, y int) {
	d.T.Helper()
	d.Until("a cursor", func(string) bool {
		at := d.screen.CursorPosition()
		x, y = at.X, at.Y
		return true
	})
	return x, y
}

// CursorLeaves waits until the terminal's cursor is at another place.
func (d *Display) CursorLeaves(x, y int) {
	d.T.Helper()
	d.Until("the cursor elsewhere", func(string) bool {
		at := d.screen.CursorPosition()
		return at.X != x || at.Y != y
	})
}

// Next waits for something drawn after a time, and returns when it came.
func (d *Display) Next(after time.Time) (at time.Time) {
	d.T.Helper()
	screen, ok := d.wait(func(string) bool {
		at = d.changed
		return at.After(after)
	})
	if !ok {
		d.T.Fatalf("%s sees nothing new:\n%s", d.Name, screen)
	}
	return at
}

// Gone waits until the program writes no more.
func (d *Display) Gone() {
	d.T.Helper()
	if screen, ok := d.wait(func(string) bool { return d.ended }); !ok {
		d.T.Fatalf("%s: the client does not end:\n%s", d.Name, screen)
	}
}
