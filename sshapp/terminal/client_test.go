package terminal

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// A client is the far end of a session under test: it reads frames into an emulator, or refuses to. Use it inside
// synctest.Test, which also fails when a goroutine of the session is left over.
type client struct {
	t      *testing.T
	conn   net.Conn
	result chan error

	mu     sync.Mutex
	frames []string
	emu    *vt.Emulator
}

// startReading runs m for a client that reads everything.
func startReading(t *testing.T, ctx context.Context, m tea.Model, o Options) *client {
	c := start(t, ctx, m, o)
	size := Clamp(o.Window)
	c.emu = vt.NewEmulator(max(size.Width, o.Window.Width), max(size.Height, o.Window.Height))
	go io.Copy(io.Discard, c.emu)
	go func() {
		defer c.emu.InputPipe().(io.Closer).Close() // ends the drain; Emulator.Close would race with it
		buf := make([]byte, 1<<20)
		for {
			n, err := c.conn.Read(buf)
			if n > 0 {
				c.mu.Lock()
				c.frames = append(c.frames, string(buf[:n]))
				c.emu.Write(buf[:n])
				c.mu.Unlock()
			}
			if err != nil {
				return
			}
		}
	}()
	synctest.Wait()
	return c
}

// start runs m for a client that reads nothing.
func start(t *testing.T, ctx context.Context, m tea.Model, o Options) *client {
	t.Helper()
	if o.Term == "" {
		o.Term = "xterm-256color"
	}
	server, conn := net.Pipe()
	c := &client{t: t, conn: conn, result: make(chan error, 1)}
	go func() { c.result <- Run(ctx, server, m, o) }()
	return c
}

// send types s and waits until the session has dealt with it.
func (c *client) send(s string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, s); err != nil {
		c.t.Fatalf("typing %q: %v", s, err)
	}
	synctest.Wait()
}

// pass lets time go by.
func (c *client) pass(d time.Duration) {
	time.Sleep(d) // the bubble's clock, not the world's
	synctest.Wait()
}

// end waits for Run to return and checks that it does so with want.
func (c *client) end(want error) error {
	c.t.Helper()
	err := <-c.result
	c.conn.Close()
	if !errors.Is(err, want) || want == nil && err != nil {
		c.t.Errorf("Run = %v, want %v", err, want)
	}
	return err
}

// shown returns the lines on the client's screen without blanks at their ends.
func (c *client) shown() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return screenLines(c.emu)
}

func (c *client) line(y int) string { return c.shown()[y] }

func (c *client) frameCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.frames)
}

func (c *client) lastFrame() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames[len(c.frames)-1]
}

func screenLines(emu *vt.Emulator) []string {
	lines := make([]string, emu.Height())
	for y := range lines {
		var b strings.Builder
		for x := range emu.Width() {
			switch cell := emu.CellAt(x, y); {
			case cell == nil || cell.Content == "" && cell.Width > 0:
				b.WriteByte(' ')
			default:
				b.WriteString(cell.Content)
			}
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// A probe is a model that shows its messages and calls its hooks.
type probe struct {
	init   func() tea.Cmd
	update func(tea.Msg) tea.Cmd
	view   func() tea.View
}

func (p *probe) Init() tea.Cmd {
	if p.init == nil {
		return nil
	}
	return p.init()
}

func (p *probe) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if p.update == nil {
		return p, nil
	}
	return p, p.update(msg)
}

func (p *probe) View() tea.View {
	if p.view == nil {
		return fullScreen("")
	}
	return p.view()
}

func fullScreen(text string) tea.View {
	v := tea.NewView(text)
	v.AltScreen = true
	return v
}

// typist is a model that shows what is typed; q quits.
func typist() *probe {
	var typed string
	return &probe{
		update: func(msg tea.Msg) tea.Cmd {
			switch msg := msg.(type) {
			case tea.KeyPressMsg:
				if msg.String() == "q" {
					return tea.Quit
				}
				typed += msg.String()
			case tea.PasteMsg:
				typed += "<" + msg.Content + ">"
			}
			return nil
		},
		view: func() tea.View { return fullScreen("typed: " + typed) },
	}
}
