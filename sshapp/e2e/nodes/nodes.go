// Package nodes runs the program for tests of stores: its commands, nodes of a club, and the people who play on them.
package nodes

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ludoteca/sshapp/e2e/program"
)

// Command returns a command of the program that is not started.
func Command(t *testing.T, words ...string) *exec.Cmd {
	t.Helper()
	return patient(exec.Command(program.Build(t, program.Path), words...))
}

// patient gives the program an environment with which no client is too slow.
func patient(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), program.Patient()...)
	return cmd
}

// MustRun runs a command that must succeed, and returns what it prints.
func MustRun(t *testing.T, words ...string) string {
	t.Helper()
	cmd := Command(t, words...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s", words, err, complaints.String())
	}
	return string(out)
}

// MustFail runs a command that must fail with one line on stderr that contains want.
func MustFail(t *testing.T, want string, words ...string) {
	t.Helper()
	cmd := Command(t, words...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	text := complaints.String()
	if err == nil || len(out) > 0 || strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
		t.Errorf("%q: %v, %s%q; want words with %q", words, err, out, text, want)
	}
}

// A Node is a running program.
type Node struct {
	t       *testing.T
	process *program.Process
	addr    string
}

// Serve starts a node with its data folder. It ends with the test, or when the caller stops or kills it.
func Serve(t *testing.T, data string, flags ...string) *Node {
	t.Helper()
	p, addr := program.StartClub(t, patient(program.Serve(t, program.Build(t, program.Path), data, flags...)))
	n := &Node{t, p, addr}
	t.Cleanup(n.Kill)
	return n
}

// Kill ends the node at once, if it runs.
func (n *Node) Kill() {
	n.t.Helper()
	if n.process.Running() {
		n.process.Kill()
		n.check()
	}
}

// slowStop is the time that a node has to stop before it prints the stacks of its goroutines and ends.
const slowStop = 90 * time.Second

// Stop has the node end in order, if it runs.
func (n *Node) Stop() {
	n.t.Helper()
	if n.process.Running() {
		if err := n.process.Terminate(slowStop); err != nil {
			n.t.Errorf("the club ended with %v\n%s", err, n.Stderr())
		}
		n.check()
	}
}

// Stderr returns what the node has logged.
func (n *Node) Stderr() string { return n.process.Stderr() }

// check fails the test if the node has logged an error.
func (n *Node) check() {
	n.t.Helper()
	if strings.Contains(n.Stderr(), "level=ERROR") {
		n.t.Errorf("the club complains:\n%s", n.Stderr())
	}
}
