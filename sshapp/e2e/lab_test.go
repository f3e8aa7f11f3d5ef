package e2e

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestArenaOnTerminal runs the arena with its complaints going to a terminal, which then sees how it goes; the score goes to
// the standard output alone.
func TestArenaOnTerminal(t *testing.T) {
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	var score bytes.Buffer
	cmd := exec.CommandContext(t.Context(), programPath(t), "arena", "fourmation", "greedy", "random", "--games", "4")
	cmd.Stdout, cmd.Stderr = &score, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	shown, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, shown)
	}
	if !strings.HasPrefix(string(shown), "\r1 of 4, ") || strings.ContainsAny(string(shown), "\n\x1b") {
		t.Errorf("the terminal got %q", shown)
	}
	if !strings.HasPrefix(score.String(), "4Mation ") || strings.Contains(score.String(), " of 4,") {
		t.Errorf("the score is %q", &score)
	}
}
