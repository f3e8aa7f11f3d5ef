package cli

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/hostkeys/hostkeystest"
)

// patience is the time that a test waits for an expected event, even on the slowest machine.
const patience = 90 * time.Second

// patient returns environment variables with which no client is too slow for a club, unless the flags of a test set other limits.
func patient() []string {
	return []string{"LUDOTECA_LOGIN_GRACE=10m", "LUDOTECA_REQUEST_GRACE=10m", "LUDOTECA_PROXY_HEADER=10m", "LUDOTECA_WRITE_STALL=10m",
		"LUDOTECA_GOING_DOWN=5m", "LUDOTECA_STOP_TIMEOUT=5m"}
}

// guest is the name of a player without a key.
const guest = "guest"

// liveClub is a club in a process of its own.
type liveClub struct {
	t    testing.TB
	cmd  *exec.Cmd
	addr string
	log  bytes.Buffer
	logs sync.WaitGroup
}

func startClub(t testing.TB, data string, flags ...string) *liveClub {
	t.Helper()
	hostkeystest.Give(t, data)
	c := &liveClub{t: t}
	c.cmd = exec.Command(os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0", "--data", data}, flags...)...)
	c.cmd.Env = append(append(patient(), os.Environ()...), asProgram+"=1")
	c.start()
	return c
}

// start starts the command and waits for the line that invites people.
func (c *liveClub) start() {
	c.t.Helper()
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	errs, err := c.cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.logs.Go(func() { _, _ = io.Copy(&c.log, errs) })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		c.logs.Wait()
		_ = c.cmd.Wait()
		c.t.Fatalf("the club did not start: %s", c.log.String())
	}
	c.addr = "127.0.0.1:" + strings.Fields(lines.Text())[2]
	c.t.Cleanup(c.kill)
}

// stop ends the club as systemd does, and waits until it is gone.
func (c *liveClub) stop(t *testing.T) {
	t.Helper()
	c.stopBy(t, syscall.SIGTERM)
}

// stopBy ends the club with a signal, and waits until it is gone.
func (c *liveClub) stopBy(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	c.logs.Wait()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the club ended with %v\n%s", err, c.log.String())
	}
}

// kill ends the club with SIGKILL.
func (c *liveClub) kill() {
	if c.cmd.ProcessState != nil {
		return
	}
	_ = c.cmd.Process.Kill()
	c.logs.Wait()
	_ = c.cmd.Wait()
	if strings.Contains(c.log.String(), "level=ERROR") {
		c.t.Errorf("the club complains:\n%s", c.log.String())
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
