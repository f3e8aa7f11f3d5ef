package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/hostkeys"
	"ludoteca/hostkeys/hostkeystest"
	"ludoteca/lobby/attempts"
	"ludoteca/sshapp/e2e/sshclient"
)

// TestDataFolderOfOthers: a data folder that others can open is kept, and the log says so in one line. One that the club makes
// is its owner's alone.
func TestDataFolderOfOthers(t *testing.T) {
	parent := t.TempDir()
	tests := []struct {
		name string
		mode os.FileMode // 0: there is none yet
		want string      // the mode in the warning; "" for no warning
	}{
		{"new", 0, ""},
		{"private", 0o700, ""},
		{"readable by all", 0o755, "mode=0755"},
		{"readable by the group", 0o740, "mode=0740"},
		{"writable by others", 0o702, "mode=0702"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := filepath.Join(parent, strings.ReplaceAll(tt.name, " ", "-"))
			want := os.FileMode(0o700)
			if tt.mode != 0 {
				want = tt.mode
				if err := errors.Join(os.Mkdir(data, 0o700), os.Chmod(data, tt.mode)); err != nil {
					t.Fatal(err)
				}
			}
			club := startClub(t, data)
			club.stop(t)
			var warnings []string
			for line := range strings.Lines(club.Stderr()) {
				if strings.Contains(line, "level=WARN") && strings.Contains(line, "data folder") {
					warnings = append(warnings, line)
				}
			}
			switch {
			case tt.want == "" && len(warnings) > 0,
				tt.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], tt.want) || !strings.Contains(warnings[0], data)):
				t.Errorf("the log warns %q", warnings)
			}
			if info, err := os.Stat(data); err != nil || info.Mode().Perm() != want {
				t.Errorf("the folder is %v, %v; want %v", info.Mode(), err, want)
			}
		})
	}
}

// TestFirstStartMakesHostKeys: a new club has both kinds of host key, and serves the same after a restart. A club that has the Ed25519 key
// alone, as older ones do, stays so.
func TestFirstStartMakesHostKeys(t *testing.T) {
	start := func(data string) (*liveClub, error) {
		c := start(t, exec.Command(programPath(t), "serve", "--listen", "127.0.0.1:0", "--data", data)) // which makes its host keys itself
		client, err := gossh.Dial("tcp", c.addr, &gossh.ClientConfig{
			User: sshclient.Guest, HostKeyAlgorithms: []string{gossh.KeyAlgoRSASHA512}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
			Auth: []gossh.AuthMethod{gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })},
		})
		if err == nil {
			_ = client.Close()
		}
		return c, err
	}
	data := t.TempDir()
	var logs []string
	for range 2 {
		club, err := start(data)
		if err != nil {
			t.Errorf("with the RSA key: %v", err)
		}
		club.stop(t)
		logs = append(logs, regexp.MustCompile(`hostkey="SHA256:\S+ SHA256:\S+" new_hostkey=\w+`).FindString(club.Stderr()))
	}
	if strings.Replace(logs[0], "=true", "=false", 1) != logs[1] || logs[0] == logs[1] {
		t.Errorf("the log says %q, and after a restart %q", logs[0], logs[1])
	}
	data = t.TempDir()
	hostkeystest.Give(t, data)
	club, err := start(data)
	if err == nil {
		t.Error("a club with an Ed25519 key alone serves an RSA key")
	}
	club.stop(t)
	if _, err := os.Stat(filepath.Join(data, hostkeys.RSAFileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has made one: %v", err)
	}
}

// TestLimitsOfTheClub: what a flag says is what people meet.
func TestLimitsOfTheClub(t *testing.T) {
	t.Setenv("LUDOTECA_MAX_MATCHES_PLAYER", "3")
	club := startClub(t, t.TempDir(), "--max-offers=2", "--new-accounts=1", "--limit-loopback", "--new-connections-burst=50")
	ana, err := sshclient.Dial(club.addr, "ana", sshclient.NewSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	try := func(line, want string) {
		t.Helper()
		out, err := sshclient.Ask(ana, line)
		if got := fmt.Sprint(string(out), err); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want words with %q", line, got, want)
		}
	}
	try("new 4mation", "<nil>")
	try("new 4mation", "<nil>")
	try("new 4mation", "too many matches")
	try("new 4mation --vs random", "<nil>")
	try("new 4mation --vs random", "too many matches")
	for range attempts.MaxWrongCodes {
		try("show AAAAAA", "Nobody here knows")
	}
	for range 100 { // time has earned a few more wrong codes
		if _, err = sshclient.Ask(ana, "show AAAAAA"); err != nil && strings.Contains(err.Error(), "Wait") {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "Wait") {
		t.Errorf("after many wrong codes: %v", err)
	}
	rui, err := sshclient.Dial(club.addr, "rui", sshclient.NewSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer rui.Close()
	if _, err := sshclient.Ask(rui, "name rui"); err == nil || !strings.Contains(err.Error(), "Too many new names from your address") {
		t.Errorf("the second new account: %v", err)
	}
}
