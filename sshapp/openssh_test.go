package sshapp

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// openSSH runs the real client with nothing of the user's own configuration.
type openSSH struct {
	t      *testing.T
	server *testServer
	folder string
}

func newOpenSSH(t *testing.T, ts *testServer) *openSSH {
	t.Helper()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("no ssh client here")
	}
	c := &openSSH{t: t, server: ts, folder: t.TempDir()}
	host, port, err := net.SplitHostPort(ts.addr)
	if err != nil {
		t.Fatal(err)
	}
	c.write("known_hosts", fmt.Sprintf("[%s]:%s %s", host, port, gossh.MarshalAuthorizedKey(ts.key)))
	return c
}

func (c *openSSH) path(name string) string { return filepath.Join(c.folder, name) }

func (c *openSSH) write(name, content string) {
	c.t.Helper()
	if err := os.WriteFile(c.path(name), []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// key writes a new key pair and returns its fingerprint.
func (c *openSSH) key(name string) string {
	c.t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	block, err := gossh.MarshalPrivateKey(private, "test")
	if err != nil {
		c.t.Fatal(err)
	}
	key, err := gossh.NewPublicKey(public)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(name, string(pem.EncodeToMemory(block)))
	c.write(name+".pub", string(gossh.MarshalAuthorizedKey(key)))
	return gossh.FingerprintSHA256(key)
}

// command makes a call of ssh: options first, then, after "--", what to run.
func (c *openSSH) command(args ...string) *exec.Cmd {
	host, port, _ := net.SplitHostPort(c.server.addr)
	options, remote := args, []string(nil)
	for i, a := range args {
		if a == "--" {
			options, remote = args[:i], args[i+1:]
		}
	}
	all := []string{"-F", "/dev/null", "-p", port, "-l", "ada", "-o", "UserKnownHostsFile=" + c.path("known_hosts"),
		"-o", "StrictHostKeyChecking=yes", "-o", "IdentitiesOnly=yes", "-o", "IdentityFile=" + c.path("none"), "-o", "IdentityAgent=none"}
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	c.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "ssh", append(append(append(all, options...), host), remote...)...)
	cmd.Env = append(os.Environ(), "SSH_ASKPASS_REQUIRE=never")
	return cmd
}

func (c *openSSH) run(args ...string) result {
	c.t.Helper()
	cmd := c.command(args...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	return result{out.String(), complaints.String(), status}
}

func TestOpenSSH(t *testing.T) {
	ts := startServer(t, func(s ssh.Session) int {
		introspect(s)
		_, _, pty := s.Pty()
		_, _ = fmt.Fprintf(s, " %q pty=%v", s.RawCommand(), pty)
		return 7
	}, nil)
	c := newOpenSSH(t, ts)
	own, victim := c.key("own"), c.key("victim")
	if err := os.Remove(c.path("victim")); err != nil { // what is left is the public half
		t.Fatal(err)
	}
	tests := []struct {
		name, out string
		status    int
		args      []string
	}{
		{"guest", `guest ada "" pty=false`, 7, nil},
		{"guest with a command", `guest ada "show ABC234" pty=false`, 7, []string{"--", "show", "ABC234"}},
		{"guest with a terminal", `guest ada "watch" pty=true`, 7, []string{"-tt", "--", "watch"}},
		{"key", own + ` ada "" pty=false`, 7, []string{"-i", c.path("own")}},
		{"another user's public key, then none", `guest ada "" pty=false`, 7, []string{"-i", c.path("victim")}},
		{"another user's public key, then the own", own + ` ada "" pty=false`, 7, []string{"-i", c.path("victim"), "-i", c.path("own")}},
		{"agent forwarding asked for", own + ` ada "" pty=false`, 7, []string{"-A", "-i", c.path("own")}},
		{"X11 forwarding asked for", `guest ada "" pty=false`, 7, []string{"-X"}},
		{"environment", `guest ada "" pty=false`, 7, []string{"-o", "SetEnv=LANG=C PATH=/x"}},
		{"nothing but a password", "", 255, []string{"-o", "PreferredAuthentications=password"}},
		{"method none", "", 255, []string{"-o", "PreferredAuthentications=none"}},
		{"remote forwarding", "", 255, []string{"-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:1"}},
		{"standard input forwarded", "", 255, []string{"-W", "127.0.0.1:1"}},
		{"subsystem", "", 255, []string{"-s", "--", "sftp"}},
		{"weak cipher", "", 255, []string{"-o", "Ciphers=aes128-cbc"}},
		{"weak key exchange", "", 255, []string{"-o", "KexAlgorithms=ecdh-sha2-nistp256,diffie-hellman-group14-sha256"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := c.run(tt.args...)
			if got.out != tt.out || got.status != tt.status {
				t.Errorf("got %q and status %d, want %q and %d; it says:\n%s", got.out, got.status, tt.out, tt.status, got.err)
			}
			if strings.Contains(got.out, victim) {
				t.Error("taken for the owner of a key without proof")
			}
		})
	}
}

// TestOpenSSHSigAlgs: the client is told which signatures are taken, and nothing made with SHA-1 is among them.
func TestOpenSSHSigAlgs(t *testing.T) {
	ts := startServer(t, introspect, nil)
	c := newOpenSSH(t, ts)
	c.key("own")
	got := c.run("-v", "-i", c.path("own"))
	const want = "server-sig-algs=<ssh-ed25519,sk-ssh-ed25519@openssh.com,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521," +
		"sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256>"
	if !strings.Contains(got.err, want) {
		t.Errorf("ssh -v doesn't say %s:\n%s", want, got.err)
	}
}

// TestOpenSSHShared: sessions over a connection that ssh keeps. Each is served and leaves nothing behind; the one too many
// hears why.
func TestOpenSSHShared(t *testing.T) {
	ended := make(chan string, 8)
	ts := startServer(t, func(s ssh.Session) int {
		line := s.RawCommand()
		_, _ = io.WriteString(s, IdentityOf(s).ConnectionID)
		if line == "stay" {
			<-s.Context().Done()
			ended <- IdentityOf(s).ConnectionID
		}
		return 0
	}, func(c *Config) { c.Limits.SessionsPerConnection = 1 })
	c := newOpenSSH(t, ts)
	control := c.path("control")
	master := c.command("-M", "-S", control, "-o", "ControlPersist=no", "--", "stay")
	stdout, err := master.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 26)
	if _, err := io.ReadFull(stdout, id); err != nil {
		t.Fatal(err)
	}
	const words = "This connection has its 1 session already. Close it and try again.\n"
	retry(t, func() bool { _, err := os.Stat(control); return err == nil })
	if got := c.run("-S", control, "-o", "ControlMaster=no", "--", "more"); got.status != 1 || !strings.Contains(got.err, words) {
		t.Errorf("one session too many: %+v, want the words and status 1", got)
	}
	if err := master.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = master.Wait() // killed
	if got := receive(t, ended, "end of the session"); got != string(id) {
		t.Errorf("the session of %s ended, want the session of %s", got, id)
	}
}

// TestHostKeysOfOpenSSH: a client that knows the Ed25519 key is not warned of the RSA key beside it, and one that takes RSA alone gets in.
func TestHostKeysOfOpenSSH(t *testing.T) {
	host := rsaSigner(t, 3072)
	ts := startServer(t, introspect, func(c *Config) { c.HostKeys = append(c.HostKeys, host) })
	c := newOpenSSH(t, ts)
	if got := c.run("--", "x"); got.out != "guest ada" || strings.Contains(got.err, "host key") {
		t.Errorf("knowing the Ed25519 key: %+v", got)
	}
	address, port, _ := strings.Cut(ts.addr, ":")
	c.write("known_hosts", fmt.Sprintf("[%s]:%s %s", address, port, gossh.MarshalAuthorizedKey(host.PublicKey())))
	for _, algorithm := range []string{"rsa-sha2-512", "rsa-sha2-256"} {
		if got := c.run("-o", "HostKeyAlgorithms="+algorithm, "--", "x"); got.out != "guest ada" || got.status != 0 {
			t.Errorf("%s: %+v", algorithm, got)
		}
	}
	if got := c.run("-o", "HostKeyAlgorithms=ssh-rsa", "--", "x"); got.status != 255 || !strings.Contains(got.err, "no matching host key type") {
		t.Errorf("with SHA-1: %+v, want no connection", got)
	}
}

// TestSecurityKeyOfOpenSSH: a client whose security key signs without a touch prints why it is refused.
func TestSecurityKeyOfOpenSSH(t *testing.T) {
	ts := startServer(t, introspect, nil)
	c := newOpenSSH(t, ts)
	for flags, touched := range []bool{false, true} {
		key := securityKey(t, byte(flags))
		socket := c.path(fmt.Sprint("agent", flags))
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		var serving sync.WaitGroup
		serving.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_ = agent.ServeAgent(fidoAgent{key: key}, conn) // io.EOF at its end
				_ = conn.Close()
			}
		})
		// The first of several options counts.
		cmd := c.command("--", "x")
		cmd.Args = append([]string{cmd.Args[0], "-o", "IdentitiesOnly=no", "-o", "IdentityAgent=" + socket}, cmd.Args[1:]...)
		var out, told bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &told
		err = cmd.Run()
		if touched && (err != nil || out.String() != gossh.FingerprintSHA256(key.public)+" ada") {
			t.Errorf("touched: %v, %q\n%s", err, out.String(), told.String())
		}
		if !touched && (err == nil || out.Len() > 0 || !strings.Contains(told.String(), "the key must be touched")) {
			t.Errorf("not touched: %v, %q\n%s", err, out.String(), told.String())
		}
		_ = l.Close()
		serving.Wait()
	}
}

// A fidoAgent is an agent with one security key.
type fidoAgent struct {
	agent.Agent
	key *fidoSigner
}

func (a fidoAgent) List() ([]*agent.Key, error) {
	return []*agent.Key{{Format: a.key.public.Type(), Blob: a.key.public.Marshal(), Comment: "test"}}, nil
}

func (a fidoAgent) Sign(_ gossh.PublicKey, data []byte) (*gossh.Signature, error) {
	return a.key.Sign(nil, data)
}

// TestOtherClients: PuTTY's and dropbear's, as guests. Both ask nothing and get in, and take the Ed25519 key of two kinds.
func TestOtherClients(t *testing.T) {
	ts := startServer(t, introspect, func(c *Config) { c.HostKeys = append(c.HostKeys, rsaSigner(t, 3072)) })
	host, port, err := net.SplitHostPort(ts.addr)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
	}{
		{"plink", []string{"-batch", "-ssh", "-P", port, "-l", "ada", "-hostkey", gossh.FingerprintSHA256(ts.key), host, "x"}},
		{"dbclient", []string{"-y", "-y", "-p", port, "-l", "ada", host, "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, err := exec.LookPath(tt.name)
			if err != nil {
				t.Skip("not installed")
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, path, tt.args...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			var out, complaints bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &complaints
			if err := cmd.Run(); err != nil || out.String() != "guest ada" {
				t.Errorf("%v: %q; it says:\n%s", err, out.String(), complaints.String())
			}
		})
	}
}
