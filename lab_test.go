package main

import (
	"bytes"
	"io"
	"os"
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
	cmd := exec.CommandContext(t.Context(), os.Args[0], "arena", "fourmation", "greedy", "random", "--games", "4")
	cmd.Env = append(os.Environ(), asProgram+"=1")
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

// TestReplaySaysWhyItFails holds that a replay that ends with 1 says so in one line on stderr, whatever stdout got.
func TestReplaySaysWhyItFails(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}} {
		h := &here{args: append([]string{"replay", "fourmation"}, flags...), in: "a1 b2\na1 d4\nz9\n"}
		status := h.run(t)
		if want := "ludoteca: not all games could be replayed: an illegal move in 2 of 3\n"; status != statusRefused || h.errs.String() != want {
			t.Errorf("replay %v: status %d, stderr %q; want %d and %q", flags, status, h.errs.String(), statusRefused, want)
		}
	}
	h := &here{args: []string{"replay", "fourmation"}, in: "a1 b2\n"}
	if status := h.run(t); status != statusDone || h.errs.Len() > 0 {
		t.Errorf("a good game: status %d, stderr %q", status, h.errs.String())
	}
}
