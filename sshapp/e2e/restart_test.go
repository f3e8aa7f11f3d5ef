package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
)

// asService starts the club as systemd does, with sockets handed over and more environment.
func asService(t *testing.T, data string, sockets []net.Listener, env []string, flags ...string) *liveClub {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`}, program.Serve(t, programPath(t), data, flags...).Args...)...)
	for _, s := range sockets {
		f, err := s.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	return start(t, cmd, append(env, fmt.Sprint("LISTEN_FDS=", len(sockets)))...)
}

func listenLocal(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Timeout: sshclient.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRestartRefusesNobody: with a socket of systemd's, a client that connects while the club is down waits for the next start.
// The restarted club knows its player.
func TestRestartRefusesNobody(t *testing.T) {
	first, second, meters := listenLocal(t), listenLocal(t), listenLocal(t)
	sockets, names := []net.Listener{first, meters, second}, []string{"LISTEN_FDNAMES=ssh:metrics:ssh"}
	data, key := t.TempDir(), sshclient.NewSigner(t)

	club := asService(t, data, sockets, names)
	if club.addr != first.Addr().String() {
		t.Errorf("the club invites people to %s, not to %s", club.addr, first.Addr())
	}
	for _, l := range []net.Listener{first, second} {
		c, err := sshclient.Dial(l.Addr().String(), "ana", key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sshclient.Ask(c, "new 4mation"); err != nil {
			t.Error(err)
		}
		_ = c.Close()
	}
	if page := get(t, "http://"+meters.Addr().String()+"/metrics"); !strings.Contains(page, "\nludoteca_matches 2\n") {
		t.Errorf("the metrics don't say that there are 2 matches:\n%s", page)
	}
	for _, check := range []string{"/ready", "/live"} {
		if answer := get(t, "http://"+meters.Addr().String()+check); answer != "ok\n" {
			t.Errorf("%s says %q", check, answer)
		}
	}
	club.stop(t)

	conn, err := net.Dial("tcp", first.Addr().String())
	if err != nil {
		t.Fatalf("refused while the club is down: %v", err)
	}
	defer conn.Close()
	asService(t, data, sockets, names)
	c, channels, requests, err := gossh.NewClientConn(conn, club.addr, &gossh.ClientConfig{
		User: "ana", Auth: []gossh.AuthMethod{gossh.PublicKeys(key)}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
	})
	if err != nil {
		t.Fatalf("after the restart: %v", err)
	}
	client := gossh.NewClient(c, channels, requests)
	defer client.Close()
	out, err := sshclient.Ask(client, "whoami")
	if err != nil || !strings.HasPrefix(string(out), "ana, here since") {
		t.Errorf("after the restart the club says %q, %v", out, err)
	}
}

// TestSocketsOfOthers: the club doesn't touch sockets that systemd has opened for another process.
func TestSocketsOfOthers(t *testing.T) {
	l := listenLocal(t)
	club := asService(t, t.TempDir(), []net.Listener{l}, nil)
	if club.addr != l.Addr().String() {
		t.Errorf("the club listens on %s, want %s", club.addr, l.Addr())
	}
	club.stop(t)
	t.Setenv("LISTEN_FDS", "1")
	t.Setenv("LISTEN_PID", fmt.Sprint(os.Getpid())) // ours, not the club's
	other := startClub(t, t.TempDir())
	if c, err := sshclient.Dial(other.addr, "guest", nil); err != nil {
		t.Error(err)
	} else {
		_ = c.Close()
	}
}

// TestNotify: systemd hears when the club is open and when it begins to close.
func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer systemd.Close()
	if err := systemd.SetReadDeadline(time.Now().Add(sshclient.Patience)); err != nil {
		t.Fatal(err)
	}
	hears := func(want string) {
		t.Helper()
		buf := make([]byte, 100)
		n, err := systemd.Read(buf)
		if err != nil || string(buf[:n]) != want {
			t.Errorf("systemd hears %q, %v; want %q", buf[:n], err, want)
		}
	}
	t.Setenv("NOTIFY_SOCKET", path)
	club := startClub(t, t.TempDir())
	hears("READY=1")
	club.stop(t)
	hears("STOPPING=1")
	if strings.Contains(club.Stderr(), "systemd") {
		t.Errorf("the club complains:\n%s", club.Stderr())
	}
}
