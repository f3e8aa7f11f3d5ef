package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludoteca/sshapp/e2e/sshclient"

	gossh "golang.org/x/crypto/ssh"
)

// An sshClient is a client with which people come.
type sshClient struct {
	name  string
	needs []string
	lang  bool   // it can tell the other side a language
	unset string // the terminal that it tells of where TERM is unset
	as    func(t *testing.T, keys sshclient.Keyring, addr, name string) (args []string)
}

// programs are the clients. Each is started by arguments for a pty, or without one if -T is put before them.
var programs = []sshClient{
	{"ssh", []string{"ssh"}, true, "", func(t *testing.T, keys sshclient.Keyring, addr, name string) []string {
		return append([]string{"-o", "SendEnv=LANG"}, keys.OpenSSH(t, addr, name)...)
	}},
	{"plink", []string{"plink", "puttygen"}, true, "xterm", plinkAs},
	{"dbclient", []string{"dbclient", "dropbearconvert"}, false, "vt100", dbclientAs},
}

// plinkAs is PuTTY's client. It knows the club by its key, given on the command line.
func plinkAs(t *testing.T, keys sshclient.Keyring, addr, name string) []string {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	key := keys.Path(name + ".ppk")
	sshclient.Run(t, keys.Folder, "puttygen", keys.Key(t, name), "-O", "private", "-o", key)
	return []string{"-batch", "-load", "club", "-P", port, "-l", name, "-i", key, "-hostkey", hostKeyOf(t, addr)}
}

// puttyHome is a home folder with a saved session, from which PuTTY takes what to tell the other side.
func puttyHome(t *testing.T, term, lang string) string {
	t.Helper()
	home := t.TempDir()
	sessions := filepath.Join(home, ".putty", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	session := "HostName=127.0.0.1\nProtocol=ssh\nEnvironment=LANG=" + lang + "\n"
	if term != "" {
		session += "TerminalType=" + term + "\n"
	}
	if err := os.WriteFile(filepath.Join(sessions, "club"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// dbclientAs is dropbear's client.
func dbclientAs(t *testing.T, keys sshclient.Keyring, addr, name string) []string {
	t.Helper()
	host, port, _ := net.SplitHostPort(addr)
	key := keys.Path(name + ".dropbear")
	sshclient.Run(t, keys.Folder, "dropbearconvert", "openssh", "dropbear", keys.Key(t, name), key)
	return []string{"-y", "-y", "-p", port, "-i", key, name + "@" + host}
}

// hostKeyOf is the fingerprint of the club's key.
func hostKeyOf(t *testing.T, addr string) (fingerprint string) {
	t.Helper()
	c, err := gossh.Dial("tcp", addr, &gossh.ClientConfig{
		User: sshclient.Guest, Auth: []gossh.AuthMethod{gossh.KeyboardInteractive(
			func(string, string, []string, []bool) ([]string, error) { return nil, nil })},
		HostKeyCallback: func(_ string, _ net.Addr, key gossh.PublicKey) error {
			fingerprint = gossh.FingerprintSHA256(key)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	return fingerprint
}

// TestPrograms comes with every client, from every kind of terminal, and plays two moves: one there, one by a command.
func TestPrograms(t *testing.T) {
	t.Parallel()
	keys, club := sshclient.NewKeyring(t), startClub(t, t.TempDir(), "--max-matches-new=100") // a match for each client and terminal
	rui, err := sshclient.Dial(club.addr, "rui", sshclient.NewSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer rui.Close()
	if _, err := sshclient.Ask(rui, "name rui"); err != nil {
		t.Fatal(err)
	}
	kinds := []struct{ name, term, lang, shows string }{
		{"utf-8", "xterm-256color", "en_US.UTF-8", "┌───┬"},
		{"ascii", "xterm-256color", "C", "+---+"},
		{"linux", "linux", "en_GB.UTF-8", "┌───┬"},
		{"vt100", "vt100", "en_GB.UTF-8", "+---+"},
		{"dumb", "dumb", "en_GB.UTF-8", ""},
		{"unset", "", "en_GB.UTF-8", ""},
	}
	t.Run("all", func(t *testing.T) {
		for _, p := range programs {
			for _, kind := range kinds {
				switch {
				case kind.term == "" && strings.HasPrefix(p.unset, "vt"):
					kind.shows = "+---+"
				case kind.term == "" && p.unset != "":
					kind.shows = "┌───┬"
				}
				if p.lang || kind.lang != "C" {
					t.Run(p.name+"/"+kind.name, func(t *testing.T) {
						t.Parallel()
						sshclient.Need(t, p.needs...)
						v := visitor{program: p, name: p.name + "-" + kind.name, keys: keys, addr: club.addr}
						v.env = []string{"LANG=" + kind.lang, "HOME=" + puttyHome(t, kind.term, kind.lang)}
						if kind.term != "" {
							v.env = append(v.env, "TERM="+kind.term)
						}
						v.plays(t, rui, kind.shows)
					})
				}
			}
		}
	})
}

// visitor is a player with a client at a terminal.
type visitor struct {
	program sshClient
	name    string
	keys    sshclient.Keyring
	addr    string
	env     []string
}

// plays joins a match of rui's and makes the first move in the full screen, which shows some frame of a board, or at the
// prompt if that is "". The third move is made by a command.
func (v visitor) plays(t *testing.T, rui *gossh.Client, frame string) {
	code := newMatch(t, rui)
	args := v.program.as(t, v.keys, v.addr, v.name)
	c := &terminal{sshclient.NewTerminal(t, v.name, 80, 24, v.env, v.program.name, append([]string{"-t"}, args...)...)}
	if frame != "" {
		c.signsUp()
		c.joins(code)
		screen := c.Shows(frame, "your move")
		if ascii := strings.HasPrefix(frame, "+"); ascii != isASCII(screen) {
			t.Errorf("the screen is ASCII: %v, want %v\n%s", !ascii, ascii, screen)
		}
		c.plays("c3")
		c.Types(ctrlC) // asks
		c.Shows("Leave? ctrl+c once more.")
		c.Types(ctrlC)
		c.Exits(0)
	} else {
		c.Shows("Ludoteca. play petteia begins", "ludoteca>")
		c.Types("join " + code + enter)
		c.Shows("Your move.", "fourmation>")
		c.Types("c3" + enter)
		c.Shows("You place a piece on c3.")
		c.Types("quit" + enter)
		c.Exits(0)
	}
	if _, err := sshclient.Ask(rui, "move "+code+" d4"); err != nil {
		t.Fatal(err)
	}
	out, complaints, status := output(t, v.env, v.program.name, append(append([]string{"-T"}, args...), "move", code, "c4")...)
	if status != 0 || !strings.Contains(out, "waiting for rui") {
		t.Errorf("a move by command: status %d\n%s%s", status, out, complaints)
	}
	var now shown
	if out, err := sshclient.Ask(rui, "show "+code+" --json"); err != nil || json.Unmarshal(out, &now) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !slices.Equal(now.Moves, []string{"c3", "d4", "c4"}) {
		t.Errorf("the moves are %v, want c3 d4 c4", now.Moves)
	}
}

// newMatch opens a match of 4Mation in which the other side begins, and returns its code.
func newMatch(t *testing.T, c *gossh.Client) string {
	t.Helper()
	out, err := sshclient.Ask(c, "new 4mation --side second --json")
	var opened struct{ Code string }
	if err != nil || json.Unmarshal(out, &opened) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return opened.Code
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 126 })
}

// output runs a program with some more environment, and returns what it printed and its status.
func output(t testing.TB, env []string, program string, args ...string) (out, complaints string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), sshclient.Patience)
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

// shell is a player's shell, from which they give the club commands over one connection.
type shell struct {
	t    *testing.T
	name string
	args []string // of ssh, up to the command
}

// newShell returns the shell of a player with a key of their own, or of a guest. Its first command makes the connection.
func newShell(t *testing.T, keys sshclient.Keyring, addr, name string) *shell {
	t.Helper()
	f, err := os.CreateTemp(keys.Folder, "s*")
	if err != nil {
		t.Fatal(err)
	}
	socket := f.Name()
	_, _ = f.Close(), os.Remove(socket)
	control := []string{"-T", "-o", "ControlMaster=auto", "-o", "ControlPath=" + socket, "-o", "ControlPersist=yes"}
	s := &shell{t: t, name: name, args: append(control, keys.OpenSSH(t, addr, name)...)}
	t.Cleanup(func() { _ = exec.Command("ssh", append([]string{"-O", "exit"}, s.args...)...).Run() }) // there may be none
	return s
}

// try runs a command, and returns what it printed and its status.
func (s *shell) try(command ...string) (out, complaints string, status int) {
	s.t.Helper()
	return output(s.t, nil, "ssh", append(s.args[:len(s.args):len(s.args)], command...)...)
}

// newcomer matches the output of a command on stderr: nothing, or that the player has an account now.
var newcomer = regexp.MustCompile(`^(You are \S+ here now\. Your recovery code is ([2-9A-Z]{4}-){5}[2-9A-Z]{4}\. .*\n)?$`)

// does runs a command that must succeed.
func (s *shell) does(command ...string) string {
	s.t.Helper()
	out, complaints, status := s.try(command...)
	if status != 0 || !newcomer.MatchString(complaints) {
		s.t.Fatalf("%s: %v: status %d\n%s%s", s.name, command, status, out, complaints)
	}
	return out
}

// lines runs a command that prints JSON, and returns its lines.
func (s *shell) lines(command ...string) []map[string]any {
	s.t.Helper()
	all := []map[string]any{}
	for line := range strings.Lines(s.does(append(command, "--json")...)) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			s.t.Fatalf("%s: %v: %v in %q", s.name, command, err, line)
		}
		all = append(all, object)
	}
	return all
}

// line runs a command that prints one line of JSON.
func (s *shell) line(command ...string) map[string]any {
	s.t.Helper()
	all := s.lines(command...)
	if len(all) != 1 {
		s.t.Fatalf("%s: %v prints %d lines: %v", s.name, command, len(all), all)
	}
	return all[0]
}
