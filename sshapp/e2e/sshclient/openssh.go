package sshclient

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Need fails a test if a program is not installed, or skips the test where the machine may lack that program.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
}

// Run runs a program that must succeed.
func Run(t testing.TB, folder, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// A Keyring is a folder with the key files of people, as their own programs made them.
type Keyring struct{ Folder string }

// NewKeyring returns an empty one. Its path is short: sockets in it have to fit in 100 bytes.
func NewKeyring(t testing.TB) Keyring {
	t.Helper()
	Need(t, "ssh", "ssh-keygen")
	folder, err := os.MkdirTemp("", "ludo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return Keyring{folder}
}

// Path returns the path of a file in the folder.
func (k Keyring) Path(name string) string { return filepath.Join(k.Folder, name) }

// Key returns the path of a player's private key, which is made at its first use.
func (k Keyring) Key(t testing.TB, name string) string {
	t.Helper()
	path := k.Path(name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	Run(t, k.Folder, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path)
	return path
}

// OpenSSH returns the arguments of ssh, without a command, for a player with a key alone: no configuration, agent or memory.
func (k Keyring) OpenSSH(t testing.TB, addr, name string) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-F", "none", "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "LogLevel=ERROR", "-o", "IdentityAgent=none", "-o", "IdentitiesOnly=yes"}
	if name == Guest {
		args = append(args, "-o", "PubkeyAuthentication=no")
	} else {
		args = append(args, "-i", k.Key(t, name))
	}
	return append(args, name+"@"+host)
}

// Visit opens the full screen in a window of 80x24 with OpenSSH's client. The words are its command.
func (k Keyring) Visit(t testing.TB, addr, name string, words ...string) *Terminal {
	t.Helper()
	return k.VisitIn(t, addr, name, 80, 24, []string{"TERM=xterm-256color", "LANG=en_GB.UTF-8"}, words...)
}

// VisitIn is Visit in a window of another size, with another environment.
func (k Keyring) VisitIn(t testing.TB, addr, name string, w, h int, env []string, words ...string) *Terminal {
	t.Helper()
	args := append([]string{"-tt", "-o", "SendEnv=LANG"}, k.OpenSSH(t, addr, name)...)
	return NewTerminal(t, name, w, h, env, "ssh", append(args, words...)...)
}
