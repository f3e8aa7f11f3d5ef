package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ludoteca/sshapp/e2e/program"
)

// The exit statuses of the program.
const (
	statusDone    = 0
	statusRefused = 1
)

// storeName is the name of the store in the data folder.
const storeName = "ludoteca.db"

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

// programPath returns the path of the program.
func programPath(t testing.TB) string {
	t.Helper()
	return program.Build(t, program.Path+"/sshapp/e2e/testprogram", program.Checked)
}

// here is the program with arguments and an environment, and what it printed.
type here struct {
	args      []string
	env       map[string]string
	out, errs bytes.Buffer
}

func (h *here) run(t testing.TB) (status int) {
	t.Helper()
	cmd := exec.Command(programPath(t), h.args...)
	cmd.Env = os.Environ()
	for name, value := range h.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdout, cmd.Stderr = &h.out, &h.errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode()
}

// liveClub is a club in a process of its own.
type liveClub struct {
	*program.Process
	t    testing.TB
	addr string
}

// startClub starts a club with a data folder. It ends with the test.
func startClub(t testing.TB, data string, flags ...string) *liveClub {
	t.Helper()
	return start(t, program.Serve(t, programPath(t), data, flags...))
}

// start starts a command that serves a club for patient clients, with more environment than that of the command or of this process.
func start(t testing.TB, cmd *exec.Cmd, env ...string) *liveClub {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = slices.Concat(program.Patient(), cmd.Env, env)
	p, addr := program.StartClub(t, cmd)
	c := &liveClub{p, t, addr}
	t.Cleanup(c.kill)
	return c
}

// stop ends the club as systemd does, and waits until it is gone.
func (c *liveClub) stop(t *testing.T) {
	t.Helper()
	c.stopBy(t, syscall.SIGTERM)
}

// stopBy ends the club with a signal, and waits until it is gone.
func (c *liveClub) stopBy(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := c.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the club ended with %v\n%s", err, c.Stderr())
	}
}

// kill ends the club with SIGKILL.
func (c *liveClub) kill() {
	if !c.Running() {
		return
	}
	c.Kill()
	if strings.Contains(c.Stderr(), "level=ERROR") {
		c.t.Errorf("the club complains:\n%s", c.Stderr())
	}
}
