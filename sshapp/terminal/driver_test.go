package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"ludoteca/sshapp/terminal/canvas"
)

func TestClamp(t *testing.T) {
	tests := []struct {
		name     string
		in, want Window
	}{
		{"unknown", Window{0, 0}, Window{80, 24}},
		{"negative", Window{-1, -70}, Window{80, 24}},
		{"one side unknown", Window{0, 50}, Window{80, 50}},
		{"tiny", Window{1, 1}, Window{1, 1}},
		{"usual", Window{100, 40}, Window{100, 40}},
		{"largest", Window{240, 70}, Window{240, 70}},
		{"absurd", Window{20000, 20000}, Window{240, 70}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clamp(tt.in); got != tt.want {
				t.Errorf("Clamp(%v) = %v, want %v", tt.in, got, tt.want)
			}
		})
	}
}

func TestKeysReachTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := new(Stats)
		c := startReading(t, t.Context(), typist(), Options{Window: Window{40, 5}, Stats: stats})
		if got := c.line(0); got != "typed:" {
			t.Errorf("the first frame shows %q, want %q", got, "typed:")
		}
		c.pass(frameTime)
		for _, key := range []string{"h", "i", "\x1b[A"} {
			before := c.frameCount()
			c.send(key)
			if got := c.frameCount() - before; got != 1 {
				t.Errorf("%q after a pause drew %d frames at once, want 1", key, got)
			}
			c.pass(frameTime)
		}
		if got, want := c.line(0), "typed: hiup"; got != want {
			t.Errorf("the screen shows %q, want %q", got, want)
		}
		c.send("q")
		c.end(nil)
		if got := stats.Keys.Load(); got != 4 {
			t.Errorf("Keys = %d, want 4", got)
		}
	})
}

func TestTheModelIsToldOnceBeforeItsFirstView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		views := 0
		profile := colorprofile.ANSI
		m := &probe{
			init: func() tea.Cmd { return func() tea.Msg { return "from init" } },
			update: func(msg tea.Msg) tea.Cmd {
				if env, ok := msg.(tea.EnvMsg); ok {
					msg = env.Getenv("TERM") + " " + env.Getenv("LANG")
				}
				told = append(told, fmt.Sprintf("%v, %d views before", msg, views))
				return nil
			},
			view: func() tea.View { views++; return fullScreen("x") },
		}
		c := startReading(t, t.Context(), m, Options{
			Term: "xterm", Env: []string{"LANG=pt_PT.UTF-8"}, Window: Window{20000, 0}, Profile: &profile,
		})
		c.pass(time.Minute)
		want := []string{"ANSI, 0 views before", "xterm pt_PT.UTF-8, 0 views before", "{240 24}, 0 views before", "from init, 1 views before"}
		if !reflect.DeepEqual(told, want) {
			t.Errorf("the model was told %q, want %q", told, want)
		}
		if views != 2 {
			t.Errorf("a minute without changes after two updates made %d views, want 2", views)
		}
		c.conn.Close()
		c.end(ErrGone)
	})
}

func TestUpdatesWithinAFrameShareIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := new(Stats)
		c := startReading(t, t.Context(), typist(), Options{Window: Window{40, 5}, Stats: stats})
		c.pass(time.Second)
		before := c.frameCount()
		for range 10 {
			c.send("x")
		}
		if got := c.frameCount() - before; got != 1 {
			t.Errorf("ten keys at one moment drew %d frames at once, want 1", got)
		}
		c.pass(frameTime)
		if got := c.frameCount() - before; got != 2 {
			t.Errorf("ten keys at one moment drew %d frames, want 2: the first and all others", got)
		}
		if got, want := c.line(0), "typed: xxxxxxxxxx"; got != want {
			t.Errorf("the screen shows %q, want %q", got, want)
		}
		if got := stats.Coalesced.Load(); got != 9 {
			t.Errorf("Coalesced = %d, want 9", got)
		}
		c.send("q")
		c.end(nil)
	})
}

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := typist()
		m.view = func() tea.View { return fullScreen("always the same") }
		c := startReading(t, t.Context(), m, Options{})
		c.pass(time.Second)
		before := c.frameCount()
		for range 5 {
			c.send("x")
			c.pass(time.Second)
		}
		if got := c.frameCount() - before; got != 0 {
			t.Errorf("five keys that change nothing drew %d frames, the last %q", got, c.lastFrame())
		}
		c.send("q")
		c.end(nil)
	})
}

// TestInlineModelLeavesItsLastView: what a model without the alternate screen shows when it quits stays on the terminal.
func TestInlineModelLeavesItsLastView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := "working"
		m := &probe{
			update: func(msg tea.Msg) tea.Cmd {
				if _, ok := msg.(tea.KeyPressMsg); ok {
					said = "done"
					return tea.Quit
				}
				return nil
			},
			view: func() tea.View { return tea.NewView(said) },
		}
		c := startReading(t, t.Context(), m, Options{Window: Window{40, 5}})
		c.send("x")
		c.end(nil)
		synctest.Wait()
		if got := c.frames[len(c.frames)-2]; !strings.Contains(got, "done") { // the last one restores the terminal
			t.Errorf("before the last frame came %q, want %q in it", got, "done")
		}
	})
}

// TestWaysToEnd ends sessions in every way there is. Each must restore the terminal of a client that reads.
func TestWaysToEnd(t *testing.T) {
	errUpstairs := errors.New("the server goes down")
	panicky := func() *probe {
		return &probe{update: func(msg tea.Msg) tea.Cmd {
			if key, ok := msg.(tea.KeyPressMsg); ok {
				switch key.String() {
				case "u":
					panic("in update")
				case "c":
					return func() tea.Msg { panic("in a command") }
				case "b":
					return tea.Batch(func() tea.Msg { return nil }, func() tea.Msg { panic("in a batch") })
				case "s":
					return tea.Sequence(func() tea.Msg { return nil }, tea.Batch(func() tea.Msg { panic("in a sequence") }, tea.ClearScreen))
				}
			}
			return nil
		}}
	}
	panicInView := panicky()
	views := 0
	panicInView.view = func() tea.View {
		if views++; views > 1 {
			panic("in view")
		}
		return fullScreen("fine so far")
	}
	tests := []struct {
		name   string
		model  tea.Model
		idle   time.Duration
		do     func(*client, context.CancelCauseFunc)
		want   error
		panics string
	}{
		{name: "quit", model: typist(), do: func(c *client, _ context.CancelCauseFunc) { c.send("q") }},
		{name: "a key right after quit", model: typist(), do: func(c *client, _ context.CancelCauseFunc) { c.send("qqqqxxx\x1b[A\x1b") }},
		{name: "cancelled", model: typist(), want: errUpstairs, do: func(c *client, cancel context.CancelCauseFunc) { cancel(errUpstairs) }},
		{name: "idle", model: typist(), want: ErrIdle, idle: time.Minute, do: func(c *client, _ context.CancelCauseFunc) { c.pass(time.Minute) }},
		{name: "panic in update", model: panicky(), want: ErrPanic, panics: "in update", do: func(c *client, _ context.CancelCauseFunc) { c.send("u") }},
		{name: "panic in a command", model: panicky(), want: ErrPanic, panics: "in a command", do: func(c *client, _ context.CancelCauseFunc) { c.send("c") }},
		{name: "panic in a batch", model: panicky(), want: ErrPanic, panics: "in a batch", do: func(c *client, _ context.CancelCauseFunc) { c.send("b") }},
		{name: "panic in a sequence", model: panicky(), want: ErrPanic, panics: "in a sequence", do: func(c *client, _ context.CancelCauseFunc) { c.send("s") }},
		{name: "panic in view", model: panicInView, want: ErrPanic, panics: "in view", do: func(c *client, _ context.CancelCauseFunc) { c.pass(time.Second); c.send("x") }},
		{name: "panic in init", model: &probe{init: func() tea.Cmd { panic("in init") }}, want: ErrPanic, panics: "in init", do: func(*client, context.CancelCauseFunc) {}},
		{name: "interrupt", model: &probe{update: func(msg tea.Msg) tea.Cmd { return tea.Interrupt }}, want: tea.ErrInterrupted, do: func(*client, context.CancelCauseFunc) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var farewell error
				panics := 0
				c := startReading(t, ctx, tt.model, Options{Idle: tt.idle, OnPanic: func(*PanicError) { panics++ }, Farewell: func(err error) string {
					farewell = err
					return "see you\nsoon\n"
				}})
				tt.do(c, cancel)
				err := c.end(tt.want)
				synctest.Wait()
				if farewell != err {
					t.Errorf("Farewell was told %v, Run returned %v", farewell, err)
				}
				if got := c.lastFrame(); !strings.HasPrefix(got, neutral) || !strings.HasSuffix(got, "\x1b[?7h\x1b[?25hsee you\r\nsoon\r\n") {
					t.Errorf("the last frame is %q, want one that restores the terminal and takes leave", got)
				}
				if c.emu.IsAltScreen() {
					t.Error("the terminal is left in the alternate screen")
				}
				var panicked *PanicError
				if (panics == 1) != (tt.panics != "") {
					t.Errorf("OnPanic was told %d times", panics)
				}
				if errors.As(err, &panicked) != (tt.panics != "") {
					t.Fatalf("Run = %v, want a panic: %t", err, tt.panics != "")
				}
				if tt.panics != "" && (panicked.Value != tt.panics || !strings.Contains(string(panicked.Stack), "driver_test.go")) {
					t.Errorf("the panic is %v with the stack\n%s\nwant %q and a stack of this file", panicked.Value, panicked.Stack, tt.panics)
				}
			})
		})
	}
}

func TestPanicAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan *PanicError, 1)
		release := make(chan struct{})
		m := &probe{update: func(msg tea.Msg) tea.Cmd {
			if _, ok := msg.(tea.KeyPressMsg); ok {
				return tea.Batch(tea.Quit, func() tea.Msg { <-release; panic("too late") })
			}
			return nil
		}}
		c := startReading(t, t.Context(), m, Options{OnPanic: func(err *PanicError) { late <- err }})
		c.send("x")
		c.end(nil)
		close(release)
		if got := (<-late).Value; got != "too late" {
			t.Errorf("OnPanic was told %v, want %q", got, "too late")
		}
	})
}

func TestIdleCountsPresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startReading(t, t.Context(), typist(), Options{Idle: time.Minute})
		begin := time.Now()
		c.pass(50 * time.Second)
		c.send("x")
		c.pass(50 * time.Second)
		c.send("\x1b[I\x1b]11;rgb:0/0/0\a\x1b[<35;3;3M") // focus, a colour, a mouse that moves: no keys
		c.end(ErrIdle)
		if got, want := time.Since(begin), 110*time.Second; got != want {
			t.Errorf("the session ended after %v, want %v", got, want)
		}
	})
}

// patient is a model with an idle limit of its own.
type patient struct {
	*probe
	limit *time.Duration
}

func (p patient) IdleLimit() time.Duration { return *p.limit }
func (p patient) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.probe.Update(msg)
	return p, nil
}

func TestModelChangesTheIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := 10 * time.Second
		m := patient{limit: &limit, probe: &probe{update: func(msg tea.Msg) tea.Cmd {
			if key, ok := msg.(tea.KeyPressMsg); ok {
				limit = map[string]time.Duration{"b": 6 * time.Hour, "n": 0, "l": 30 * time.Second}[key.String()]
			}
			return nil
		}}}
		c := startReading(t, t.Context(), m, Options{Idle: time.Second})
		c.pass(9 * time.Second)
		c.send("b") // a match runs
		c.pass(5 * time.Hour)
		c.send("n") // never
		c.pass(48 * time.Hour)
		c.send("l") // back in the lobby
		begin := time.Now()
		c.end(ErrIdle)
		if got := time.Since(begin); got != 30*time.Second {
			t.Errorf("the session ended %v after the last key, want 30s", got)
		}
	})
}

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
		d := newDriver(Options{Idle: time.Hour})
		ended := make(chan error, 1)
		go func() { ended <- d.run(ctx, here, typist()) }()
		io.WriteString(there, "a\x1b") // a frame, and half a sequence
		time.Sleep(time.Minute)
		synctest.Wait() // the loop rests, and what belongs to it may be looked at
		if got, want := d.earliest(), d.pressed.Add(time.Hour); !got.Equal(want) {
			t.Errorf("a session at rest wakes in %v, want when its idle limit is over, in %v", time.Until(got), time.Until(want))
		}
		d.idleLimit = 0
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
	v.Content = "not looked at"
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

// An ownRunner is a transport that runs the reader and the writer itself, on a connection that its Close leaves open.
type ownRunner struct {
	t       *testing.T
	conn    io.ReadWriter
	running *sync.WaitGroup
}

func (r ownRunner) Go(f func(io.ReadWriter)) { r.running.Go(func() { f(r.conn) }) }
func (r ownRunner) Close() error             { return nil }

func (r ownRunner) Read([]byte) (int, error) {
	r.t.Error("Read of a Runner is called beside Go")
	return 0, io.EOF
}

func (r ownRunner) Write(p []byte) (int, error) {
	r.t.Error("Write of a Runner is called beside Go")
	return len(p), nil
}

// TestRunner: a transport that runs the reader and the writer itself waits for them, and Run doesn't.
func TestRunner(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads bool
		want  error
	}{
		{"the reader hangs", true, nil},
		{"both hang", false, ErrStalled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := net.Pipe()
				transport := ownRunner{t, server, new(sync.WaitGroup)}
				shown := make(chan string, 1)
				if tt.reads {
					go func() {
						all, _ := io.ReadAll(client)
						shown <- string(all)
					}()
				}
				result := make(chan error, 1)
				go func() { result <- Run(t.Context(), transport, typist(), Options{Window: Window{40, 5}}) }()
				if tt.reads {
					if _, err := io.WriteString(client, "xq"); err != nil {
						t.Fatal(err)
					}
				}
				if err := <-result; !errors.Is(err, tt.want) {
					t.Errorf("Run = %v, want %v", err, tt.want)
				}
				ended := make(chan struct{})
				go func() {
					transport.running.Wait()
					close(ended)
				}()
				synctest.Wait()
				select {
				case <-ended:
					t.Error("nothing hung when Run returned")
				default:
				}
				_ = server.Close()
				<-ended
				if tt.reads && !strings.Contains(<-shown, "typed:") {
					t.Error("no frame was written")
				}
			})
		})
	}
}
