package program

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func shell(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }

// TestStart: a process is ready at its line, and says how it ended.
func TestStart(t *testing.T) {
	p, err := Start(shell("echo one; echo all ready; echo bad >&2; read line; exit 3"), "ready")
	if err != nil {
		t.Fatal(err)
	}
	if p.Ready != "all ready" || !p.Running() {
		t.Errorf("it says %q, running %v", p.Ready, p.Running())
	}
	if err := p.In.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Wait(); err == nil || p.State().ExitCode() != 3 || p.Running() || p.Stderr() != "bad\n" {
		t.Errorf("it ended with %v, %v, running %v, and said %q", err, p.State(), p.Running(), p.Stderr())
	}
	p.Kill() // again is as good
	if _, err := Start(shell("echo one; echo what is wrong >&2; exit 1"), "ready"); err == nil || !strings.Contains(err.Error(), "what is wrong") {
		t.Errorf("a program that doesn't start: %v", err)
	}
}

// TestTerminate: SIGTERM ends a process, and one that ignores it ends all the same.
func TestTerminate(t *testing.T) {
	p, err := Start(shell("trap 'exit 0' TERM; echo ready; while :; do read line; done"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.In.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Terminate(time.Minute); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if p, err = Start(shell("trap '' TERM; echo ready; exec cat"), ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Terminate(time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end") || p.Running() {
		t.Errorf("SIGTERM ignored: %v", err)
	}
}

func TestAddress(t *testing.T) {
	if got, err := Address("ssh -p 2222 localhost"); err != nil || got != "127.0.0.1:2222" {
		t.Errorf("the address is %q, %v", got, err)
	}
	for _, line := range []string{"", "ssh localhost", "level=ERROR -p 22 x"} {
		if got, err := Address(line); err == nil {
			t.Errorf("%q gives %q", line, got)
		}
	}
}
