package terminal

import (
	"context"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ludoteca/sshapp/terminal/canvas"
)

func TestResizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []tea.WindowSizeMsg
		m := &probe{
			update: func(msg tea.Msg) tea.Cmd {
				if size, ok := msg.(tea.WindowSizeMsg); ok {
					sizes = append(sizes, size)
				}
				return nil
			},
			view: func() tea.View { return fullScreen(fmt.Sprint(sizes[len(sizes)-1])) },
		}
		resizes := make(chan Window)
		stats := new(Stats)
		c := startReading(t, t.Context(), m, Options{Window: Window{300, 80}, Resizes: resizes, Stats: stats})
		if got, want := c.line(5), strings.Repeat(" ", 30)+"{240 70}"; got != want {
			t.Errorf("in a window of 300x80 line 5 shows %q, want the canvas in the middle: %q", got, want)
		}
		c.pass(time.Second)
		for i := range 10_000 { // all at one moment; the sender never waits
			resizes <- Window{i, 1 + i%2}
		}
		resizes <- Window{50, 10}
		synctest.Wait()
		c.pass(resizeTime)
		if got, want := sizes[len(sizes)-1], (tea.WindowSizeMsg{Width: 50, Height: 10}); got != want {
			t.Errorf("the last size is %v, want %v", got, want)
		}
		if len(sizes) > 3 {
			t.Errorf("10,000 resizes at once reached the model as %d, want at most 2", len(sizes)-1)
		}
		if got := c.line(0); got != "{50 10}" {
			t.Errorf("the screen shows %q, want {50 10}", got)
		}
		close(resizes)
		c.conn.Close()
		c.end(ErrGone)
	})
}

// TestNothingTicks: a session at rest waits for nothing but its idle limit.
func TestNothingTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		go io.Copy(io.Discard, there)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := newDriver(here, Options{Idle: time.Hour})
		ended := make(chan error, 1)
		go func() { ended <- d.run(ctx, typist()) }()
		io.WriteString(there, "a\x1b") // a frame, and half a sequence
		time.Sleep(time.Minute)
		synctest.Wait() // the loop rests, and what belongs to it may be looked at
		if got, want := d.earliest(), d.idle.last.Add(time.Hour); !got.Equal(want) {
			t.Errorf("a session at rest wakes in %v, want when its idle limit is over, in %v", time.Until(got), time.Until(want))
		}
		d.idle.limit = 0
		if got := d.earliest(); !got.IsZero() {
			t.Errorf("without a limit a session at rest wakes in %v, want never", time.Until(got))
		}
		cancel()
		<-ended
		there.Close()
	})
}

func TestBellsAndRedraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &probe{
			update: func(msg tea.Msg) tea.Cmd {
				if key, ok := msg.(tea.KeyPressMsg); ok {
					return map[string]tea.Cmd{"b": RingBell, "r": tea.Raw("\a"), "x": tea.Raw("\x1bc"), "ctrl+l": tea.ClearScreen, "z": tea.Suspend}[key.String()]
				}
				return nil
			},
			view: func() tea.View { return fullScreen("page") },
		}
		c := startReading(t, t.Context(), m, Options{})
		tests := []struct{ name, keys, want string }{
			{"bell", "b", "\a"},
			{"bell the other way", "r", "\a"},
			{"three bells at one moment", "bbb", "\a"},
			{"raw escapes are not for models", "x", ""},
			{"nor is stopping the process", "z", ""},
			{"redraw", "\x0c", "\x1b[m\x1b[2J\x1b[1;1Hpage"},
		}
		for _, tt := range tests {
			c.pass(time.Second)
			before := c.frameCount()
			c.send(tt.keys)
			c.pass(time.Second)
			c.mu.Lock()
			got := strings.Join(c.frames[before:], "")
			c.mu.Unlock()
			if got != tt.want {
				t.Errorf("%s: the client got %q, want %q", tt.name, got, tt.want)
			}
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}

func TestModelAsksForTheSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		m := &probe{update: func(msg tea.Msg) tea.Cmd {
			switch msg := msg.(type) {
			case tea.WindowSizeMsg:
				if told++; msg.Width != 50 || msg.Height != 20 {
					t.Errorf("the model is told %v, want 50x20", msg)
				}
			case tea.KeyPressMsg:
				return tea.RequestWindowSize
			}
			return nil
		}}
		c := startReading(t, t.Context(), m, Options{Window: Window{50, 20}})
		c.send("x")
		if told != 2 {
			t.Errorf("the model was told its size %d times, want at the start and when it asked", told)
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}

func TestMouseOnTheCanvas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got, handled []string
		mode := tea.MouseModeAllMotion
		m := &probe{update: func(msg tea.Msg) tea.Cmd {
			if mouse, ok := msg.(tea.MouseMsg); ok {
				got = append(got, fmt.Sprintf("%T %d,%d", mouse, mouse.Mouse().X, mouse.Mouse().Y))
			}
			if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "n" {
				mode = tea.MouseModeNone
			}
			return nil
		}}
		m.view = func() tea.View {
			v := fullScreen("")
			v.MouseMode = mode
			v.OnMouse = func(msg tea.MouseMsg) tea.Cmd {
				handled = append(handled, msg.String())
				return func() tea.Msg { return nil }
			}
			return v
		}
		c := startReading(t, t.Context(), m, Options{Window: Window{260, 72}}) // ten columns and one row on each side
		c.send("\x1b[<0;11;2M" + "\x1b[<35;1;1M" + "\x1b[<35;30;30M\x1b[<35;31;30M\x1b[<35;32;30M" + "\x1b[<0;1;1M" + "\x1b[<0;260;72m")
		want := []string{"tea.MouseClickMsg 0,0", "tea.MouseMotionMsg 21,28", "tea.MouseReleaseMsg 239,69"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the model saw %q, want %q", got, want)
		}
		if len(handled) != len(want) {
			t.Errorf("the view's handler saw %q, want %d reports", handled, len(want))
		}
		c.pass(time.Second)
		c.send("n")
		c.send("\x1b[<0;11;2M")
		if len(got) != len(want) {
			t.Errorf("with the mouse off the model saw %q", got[len(want):])
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}

// scribe is a model that adds its content to what it is given.
type scribe struct{ *probe }

func (s scribe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s.probe.Update(msg)
	return s, nil
}

func (s scribe) AppendView(dst []byte) ([]byte, tea.View) {
	if len(dst) > 0 {
		panic("the room for the content isn't empty")
	}
	v := s.probe.View()
	dst = append(dst, v.Content...)
	v.Content = "nobody looks here"
	return dst, v
}

// A painter is a model that draws on the driver's canvas.
type painter struct{ *probe }

func (p painter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.probe.Update(msg)
	return p, cmd
}

func (p painter) Draw(c *canvas.Canvas) tea.View {
	if c.String() != strings.Repeat("\n", c.Bounds().Dy()-1) {
		panic("the canvas isn't cleared")
	}
	v := p.probe.View()
	c.Text(0, 0, canvas.Style{Attrs: canvas.Bold}, v.Content)
	v.Cursor = tea.NewCursor(3, 1)
	v.Content = "nobody looks here"
	return v
}

// TestDrawer: a model that draws gets a cleared canvas of its size for each frame, and its view's modes count.
func TestDrawer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startReading(t, t.Context(), painter{typist()}, Options{Window: Window{12, 5}})
		for i, key := range []string{"h", "é", "漢", "x"} {
			c.pass(frameTime)
			c.send(key)
			if got, want := c.line(0), "typed: "+[]string{"h", "hé", "hé漢", "hé漢x"}[i]; got != want {
				t.Errorf("after %q the screen shows %q, want %q", key, got, want)
			}
		}
		if at := c.emu.CursorPosition(); at.X != 3 || at.Y != 1 || !c.emu.IsAltScreen() {
			t.Errorf("the cursor is at %v, alternate screen %t; want 3,1 in the alternate screen", at, c.emu.IsAltScreen())
		}
		if cell := c.emu.CellAt(0, 0); cell.Style.Attrs != uv.AttrBold {
			t.Errorf("the first cell is %+v, want it bold", cell)
		}
		c.send("q")
		c.end(nil)
	})
}

// TestContentIsWritten: a model may write its content instead of returning it, and each frame is its own.
func TestContentIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startReading(t, t.Context(), scribe{typist()}, Options{Window: Window{40, 5}})
		for i, key := range []string{"h", "é", "\x1b[A", "漢", "\x1b[200~long\x1b[201~", "x", "y"} {
			c.pass(frameTime)
			c.send(key)
			if got, want := c.line(0), "typed: "+[]string{"h", "hé", "héup", "héup漢", "héup漢<long>", "héup漢<long>x", "héup漢<long>xy"}[i]; got != want {
				t.Errorf("after %q the screen shows %q, want %q", key, got, want)
			}
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}
