package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// terminal is a program in a pty of its own.
type terminal struct {
	*display
	cmd *exec.Cmd
	tty *os.File
}

// newTerminal starts a program with env in place of the variables that describe a terminal and a language.
func newTerminal(t *testing.T, name string, w, h int, env []string, program string, args ...string) *terminal {
	t.Helper()
	c := &terminal{display: newDisplay(t, name, w, h), cmd: exec.Command(program, args...)}
	c.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	tty, err := pty.StartWithSize(c.cmd, size(w, h))
	if err != nil {
		t.Fatal(err)
	}
	c.tty = tty
	c.connect(tty, tty)
	t.Cleanup(c.close)
	return c
}

func size(w, h int) *pty.Winsize { return &pty.Winsize{Cols: uint16(w), Rows: uint16(h)} }

// close ends the program, as closing a terminal's window does.
func (c *terminal) close() {
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	c.work.Wait()
	_ = c.tty.Close()
}

// types types text or the sequences of keys.
func (c *terminal) types(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(c.tty, k); err != nil {
			c.t.Fatalf("%s types %q: %v", c.name, k, err)
		}
	}
}

// What keys send.
const (
	enter = "\r"
	esc   = "\x1b"
	tab   = "\t"
	up    = "\x1b[A"
	down  = "\x1b[B"
	right = "\x1b[C"
	left  = "\x1b[D"
	ctrlC = "\x03"
)

// clicks presses and lets go of the left mouse button.
func (c *terminal) clicks(x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screen.SendMouse(vt.MouseClick{X: x, Y: y, Button: vt.MouseLeft})
	c.screen.SendMouse(vt.MouseRelease{X: x, Y: y, Button: vt.MouseLeft})
}

// resize makes the window smaller or larger.
func (c *terminal) resize(w, h int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(w, h)
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, size(w, h)); err != nil {
		c.t.Fatal(err)
	}
}

// exits waits until the program has ended by itself, with a status.
func (c *terminal) exits(status int) {
	c.t.Helper()
	if screen, ok := c.wait(func(string) bool { return c.ended }); !ok {
		c.t.Fatalf("%s: the client does not end:\n%s", c.name, screen)
	}
	err := c.cmd.Wait()
	c.work.Wait()
	_ = c.tty.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || c.cmd.ProcessState.ExitCode() != status {
		c.t.Errorf("%s: the client ended with %v, want status %d", c.name, err, status)
	}
}

// quits leaves the club, which must leave the terminal as it was.
func (c *terminal) quits() {
	c.t.Helper()
	c.types("q")
	c.exits(0)
	if c.screen.IsAltScreen() || c.hidden {
		c.t.Errorf("%s: the terminal was left in its alternate screen (%v) or without a cursor (%v)",
			c.name, c.screen.IsAltScreen(), c.hidden)
	}
}
