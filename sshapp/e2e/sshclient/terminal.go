package sshclient

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A Terminal is a program in a pty of its own.
type Terminal struct {
	*Display
	cmd *exec.Cmd
	tty *os.File
}

// NewTerminal starts a program with env in place of the variables that describe a terminal and a language.
func NewTerminal(t testing.TB, name string, w, h int, env []string, program string, args ...string) *Terminal {
	t.Helper()
	c := &Terminal{Display: NewDisplay(t, name, w, h), cmd: exec.Command(program, args...)}
	c.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	tty, err := pty.StartWithSize(c.cmd, size(w, h))
	if err != nil {
		t.Fatal(err)
	}
	c.tty = tty
	c.Connect(tty, tty)
	t.Cleanup(c.close)
	return c
}

func size(w, h int) *pty.Winsize { return &pty.Winsize{Cols: uint16(w), Rows: uint16(h)} }

// close ends the program, as closing a terminal's window does.
func (c *Terminal) close() {
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	c.Join()
	_ = c.tty.Close()
}

// Types types text or the sequences of keys.
func (c *Terminal) Types(keys ...string) {
	c.T.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(c.tty, k); err != nil {
			c.T.Fatalf("%s types %q: %v", c.Name, k, err)
		}
	}
}

// Clicks presses and lets go of the left mouse button.
func (c *Terminal) Clicks(x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screen.SendMouse(vt.MouseClick{X: x, Y: y, Button: vt.MouseLeft})
	c.screen.SendMouse(vt.MouseRelease{X: x, Y: y, Button: vt.MouseLeft})
}

// Resize makes the window smaller or larger.
func (c *Terminal) Resize(w, h int) {
	c.T.Helper()
	c.mu.Lock()
	c.screen.Resize(w, h)
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, size(w, h)); err != nil {
		c.T.Fatal(err)
	}
}

// Exits waits until the program has ended by itself, with a status.
func (c *Terminal) Exits(status int) {
	c.T.Helper()
	c.Gone()
	err := c.cmd.Wait()
	c.Join()
	_ = c.tty.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || c.cmd.ProcessState.ExitCode() != status {
		c.T.Errorf("%s: the client ended with %v, want status %d", c.Name, err, status)
	}
}

// Quits leaves the club, which must leave the terminal as it was.
func (c *Terminal) Quits() {
	c.T.Helper()
	c.Types("q")
	c.Exits(0)
	if c.screen.IsAltScreen() || c.hidden {
		c.T.Errorf("%s: the terminal was left in its alternate screen (%v) or without a cursor (%v)",
			c.Name, c.screen.IsAltScreen(), c.hidden)
	}
}
