package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience is how long anything that a test waits for may take, on the slowest machine.
const patience = 90 * time.Second

// patient are environment variables with which no client is too slow for a club, unless a test's flags say otherwise.
func patient() []string {
	return []string{"LUDOTECA_LOGIN_GRACE=10m", "LUDOTECA_REQUEST_GRACE=10m", "LUDOTECA_PROXY_HEADER=10m", "LUDOTECA_WRITE_STALL=10m",
		"LUDOTECA_GOING_DOWN=5m", "LUDOTECA_STOP_TIMEOUT=5m"}
}

// needPrograms fails, or skips where the machine may do without them, a test whose clients are not installed.
func needPrograms(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

// keyring is a folder with the key files of people, as their own programs made them.
type keyring struct{ folder string }

// newKeyring returns an empty one. Its path is short: sockets in it have to fit in 100 bytes.
func newKeyring(t testing.TB) keyring {
	t.Helper()
	needPrograms(t, "ssh", "ssh-keygen")
	folder, err := os.MkdirTemp("", "ludo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return keyring{folder}
}

func (k keyring) path(name string) string { return filepath.Join(k.folder, name) }

// key is the path of somebody's private key, which is made at its first use.
func (k keyring) key(t testing.TB, name string) string {
	t.Helper()
	path := k.path(name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	mustRun(t, k.folder, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path)
	return path
}

// mustRun runs a program that must succeed.
func mustRun(t testing.TB, folder, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// output runs a program with some more environment, and returns what it printed and its status.
func output(t testing.TB, env []string, program string, args ...string) (out, complaints string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %v: %v", program, args, err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// guest is the name of whoever has no key.
const guest = "guest"

// openSSH are the arguments of ssh, without a command, for somebody with his key alone: no configuration, agent or memory.
func (k keyring) openSSH(t testing.TB, addr, name string) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-F", "none", "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "LogLevel=ERROR", "-o", "IdentityAgent=none", "-o", "IdentitiesOnly=yes"}
	if name == guest {
		args = append(args, "-o", "PubkeyAuthentication=no")
	} else {
		args = append(args, "-i", k.key(t, name))
	}
	return append(args, name+"@"+host)
}
