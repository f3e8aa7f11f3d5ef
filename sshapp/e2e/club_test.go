package e2e

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
)

// patience is the time that a test waits for an expected event, even on the slowest machine.
const patience = 90 * time.Second

// guest is the name of a player without a key.
const guest = "guest"

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

func newSigner(t testing.TB) gossh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// dial connects with a key, or as a guest without one.
func dial(addr, name string, signer gossh.Signer) (*gossh.Client, error) {
	auth := gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })
	if signer != nil {
		auth = gossh.PublicKeys(signer)
	}
	return gossh.Dial("tcp", addr, &gossh.ClientConfig{
		User: name, Auth: []gossh.AuthMethod{auth}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own on loopback
	})
}

// mustDial is dial for a connection that stays as long as the test.
func mustDial(t testing.TB, addr, name string, signer gossh.Signer) *gossh.Client {
	t.Helper()
	c, err := dial(addr, name, signer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask runs one command and returns what it prints.
func ask(c *gossh.Client, command string) ([]byte, error) {
	s, err := c.NewSession()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var complaints bytes.Buffer
	s.Stderr = &complaints
	out, err := s.Output(command)
	if err != nil {
		err = fmt.Errorf("%w: %s", err, complaints.String())
	}
	return out, err
}
