package terminal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

func TestClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := new(Stats)
		ticks := 0
		m := &probe{}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tick := func() tea.Msg {
			select {
			case <-time.After(100 * time.Millisecond):
				return "tick"
			case <-ctx.Done(): // as every command must
				return nil
			}
		}
		m.init = func() tea.Cmd { return tick }
		m.update = func(msg tea.Msg) tea.Cmd {
			if msg == "tick" {
				ticks++
				return tick
			}
			return nil
		}
		m.view = func() tea.View { return fullScreen(fmt.Sprint("ticks: ", ticks)) }
		stuck := start(t, t.Context(), m, Options{Stats: stats})
		other := startReading(t, t.Context(), typist(), Options{})
		begin := time.Now()
		other.pass(time.Second)
		other.send("x")
		if got := other.line(0); got != "typed: x" {
			t.Errorf("beside a client that doesn't read another one sees %q, want %q", got, "typed: x")
		}
		stuck.end(ErrStalled)
		if got := time.Since(begin); got != defaultStall {
			t.Errorf("the session ended after %v, want %v", got, defaultStall)
		}
		if ticks < 190 {
			t.Errorf("the model of a client that doesn't read was updated %d times in 20 s, want about 200: it must not wait", ticks)
		}
		if stats.Stalls.Load() != 1 || stats.Frames.Load() > 1 {
			t.Errorf("Stalls = %d, Frames = %d, want 1 and at most 1", stats.Stalls.Load(), stats.Frames.Load())
		}
		other.send("q")
		other.end(nil)
	})
}

func TestSlowClientGetsTheNewestFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := &probe{
			update: func(msg tea.Msg) tea.Cmd {
				if _, ok := msg.(tea.KeyPressMsg); ok {
					n++
				}
				return nil
			},
			view: func() tea.View { return fullScreen(fmt.Sprintf("%05d", n)) },
		}
		c := start(t, t.Context(), m, Options{})
		buf := make([]byte, 1<<16)
		c.conn.Read(buf) // the first frame
		for range 30 {
			c.pass(frameTime)
			c.send("x")
		}
		var got []string
		for range 2 {
			c.pass(time.Second)
			size, _ := c.conn.Read(buf)
			got = append(got, string(buf[:size]))
		}
		want := []string{"\x1b[1;5H1", "\x1b[1;4H30"}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("after 30 changes a slow client reads %q, want %q: the frame under way and the newest", got, want)
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}

func TestUnreadFarewellIsGivenUp(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: defaultRestoreTime, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := start(t, ctx, typist(), Options{RestoreTime: given, Stall: time.Hour})
			synctest.Wait()
			begin := time.Now()
			cancel()
			c.end(context.Canceled)
			if got := time.Since(begin); got != want {
				t.Errorf("a client that doesn't read held the end up for %v, want %v", got, want)
			}
		})
	}
}

func TestKeysDontWaitForTheRenderer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renderer := NewRenderer(1)
		ctx, cancel := context.WithCancel(t.Context())
		m := typist()
		m.init = func() tea.Cmd {
			return func() tea.Msg { <-time.After(time.Second); return tea.PasteMsg{Content: "news"} }
		}
		c := startReading(t, ctx, m, Options{Renderer: renderer})
		leave := occupy(renderer)
		c.pass(2 * time.Second)
		c.send("x")
		if got, want := c.line(0), "typed: x"; got != want {
			t.Errorf("while the renderer has no place the screen shows %q, want %q: the key, not the news", got, want)
		}
		leave()
		c.pass(frameTime)
		if got, want := c.line(0), "typed: x<news>"; got != want {
			t.Errorf("when the renderer has a place the screen shows %q, want %q", got, want)
		}
		leave = occupy(renderer)
		defer leave()
		c.pass(time.Hour) // the next alarm is due
		cancel()
		c.end(context.Canceled)
	})
}

// occupy takes a place of the renderer until it is left.
func occupy(r *Renderer) (leave func()) {
	r.places <- struct{}{}
	return func() { <-r.places }
}

// TestScreensWaitForTheRenderer: a first screen, and a new size, are drawn when the renderer has a place. A session that ends before
// that restores its terminal all the same.
func TestScreensWaitForTheRenderer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renderer := NewRenderer(1)
		size := ""
		model := func() *probe {
			return &probe{
				update: func(msg tea.Msg) tea.Cmd {
					if s, ok := msg.(tea.WindowSizeMsg); ok {
						size = fmt.Sprint(s.Width)
					}
					return nil
				},
				view: func() tea.View { return fullScreen(size) },
			}
		}
		free := occupy(renderer)
		resizes := make(chan Window)
		c := startReading(t, t.Context(), model(), Options{Renderer: renderer, Resizes: resizes})
		if n := c.frameCount(); n > 0 {
			t.Errorf("%d frames before there is a place", n)
		}
		free()
		synctest.Wait()
		if got := c.line(0); got != "80" {
			t.Errorf("the first screen shows %q, want 80", got)
		}

		c.pass(time.Second)
		free = occupy(renderer)
		resizes <- Window{60, 20}
		c.pass(time.Second)
		c.send("a")
		if got := c.line(0); got != "80" {
			t.Errorf("while the renderer has no place, after a key, the screen shows %q, want 80", got)
		}
		free()
		synctest.Wait()
		c.pass(frameTime)
		if got := c.line(0); got != "60" {
			t.Errorf("when the renderer has a place the screen shows %q, want 60", got)
		}

		free = occupy(renderer)
		ctx, cancel := context.WithCancel(t.Context())
		gone := startReading(t, ctx, model(), Options{Renderer: renderer})
		cancel()
		gone.end(context.Canceled)
		free()
		synctest.Wait()
		c.conn.Close()
		c.end(ErrGone)
	})
}

// TestBusyModelStalls: a model that is never quiet doesn't keep the driver from seeing that its client has stalled.
func TestBusyModelStalls(t *testing.T) {
	m := &probe{}
	again := func() tea.Msg { return "again" }
	m.init = func() tea.Cmd { return again }
	m.update = func(msg tea.Msg) tea.Cmd {
		if msg == "again" {
			return again
		}
		return nil
	}
	here, there := net.Pipe()
	defer there.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := Run(ctx, here, m, Options{Stall: 50 * time.Millisecond}); !errors.Is(err, ErrStalled) {
		t.Errorf("Run = %v, want %v", err, ErrStalled)
	}
}
