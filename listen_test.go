package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp"
	"ludoteca/sshapp/status"
)

// asService starts the club as systemd does, with sockets handed over and more environment.
func asService(t *testing.T, data string, sockets []net.Listener, env []string, flags ...string) *liveClub {
	t.Helper()
	words := append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0], "serve", "--listen", "127.0.0.1:0", "--data", data}, flags...)
	c := &liveClub{t: t, cmd: exec.Command("sh", words...)}
	c.cmd.Env = append(append(patient(), os.Environ()...), asProgram+"=1", fmt.Sprint("LISTEN_FDS=", len(sockets)))
	c.cmd.Env = append(c.cmd.Env, env...)
	for _, s := range sockets {
		f, err := s.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.cmd.ExtraFiles = append(c.cmd.ExtraFiles, f)
	}
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
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.logs.Wait()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the club ended with %v\n%s", err, c.log.String())
	}
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
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
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

// TestRestartRefusesNobody: with a socket of systemd's, whoever comes while the club is down waits for the next one, which
// knows him.
func TestRestartRefusesNobody(t *testing.T) {
	door, second, meters := listenLocal(t), listenLocal(t), listenLocal(t)
	sockets, names := []net.Listener{door, meters, second}, []string{"LISTEN_FDNAMES=ssh:metrics:ssh"}
	data, key := t.TempDir(), newSigner(t)

	club := asService(t, data, sockets, names)
	if club.addr != door.Addr().String() {
		t.Errorf("the club invites people to %s, not to %s", club.addr, door.Addr())
	}
	for _, l := range []net.Listener{door, second} {
		c, err := dial(l.Addr().String(), "ana", key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(c, "new 4mation"); err != nil {
			t.Error(err)
		}
		_ = c.Close()
	}
	if page := get(t, "http://"+meters.Addr().String()+"/metrics"); !strings.Contains(page, "\nludoteca_matches 2\n") {
		t.Errorf("the metrics don't say that there are 2 matches:\n%s", page)
	}
	club.stop(t)

	conn, err := net.Dial("tcp", door.Addr().String())
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
	out, err := ask(client, "whoami")
	if err != nil || !strings.HasPrefix(string(out), "ana, here since") {
		t.Errorf("after the restart the club says %q, %v", out, err)
	}
}

// TestSocketsOfOthers are left alone: those that are meant for another process.
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
	if c, err := dial(other.addr, "guest", nil); err != nil {
		t.Error(err)
	} else {
		_ = c.Close()
	}
}

// TestBadSockets: what systemd hands over must be TCP sockets that listen.
func TestBadSockets(t *testing.T) {
	unix, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	tests := []struct {
		name    string
		sockets []net.Listener
		env     string
		want    string
	}{
		{"one is missing", []net.Listener{listenLocal(t)}, "LISTEN_FDS=2", "socket 2 of systemd"},
		{"a unix socket", []net.Listener{unix}, "", "of type unix, want TCP"},
		{"two for metrics", []net.Listener{listenLocal(t), listenLocal(t)}, "LISTEN_FDNAMES=metrics:metrics", "two sockets for metrics"},
		{"no number", nil, "LISTEN_FDS=many", `LISTEN_FDS is "many"`},
		{"too many", nil, "LISTEN_FDS=1000000", `LISTEN_FDS is "1000000"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve --listen 127.0.0.1:0 --data "$1"`, os.Args[0], t.TempDir())
			cmd.Env = append(os.Environ(), asProgram+"=1", fmt.Sprint("LISTEN_FDS=", len(tt.sockets)), tt.env)
			for _, s := range tt.sockets {
				f, err := s.(interface{ File() (*os.File, error) }).File()
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			}
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != statusRefused || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v: %q, want status 1 and words with %q", err, out, tt.want)
			}
		})
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
	if err := systemd.SetReadDeadline(time.Now().Add(patience)); err != nil {
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
	if strings.Contains(club.log.String(), "systemd") {
		t.Errorf("the club complains:\n%s", club.log.String())
	}

	if err := sshapp.NotifySystemd(func(string) (string, bool) { return "", false }, "READY=1"); err != nil {
		t.Errorf("without systemd: %v", err)
	}
	if err := sshapp.NotifySystemd(func(string) (string, bool) { return path + "x", true }, "READY=1"); err == nil {
		t.Error("a socket that isn't there was told")
	}
}

// TestStatus: the operator on the machine and the operator far away see the same club.
func TestStatus(t *testing.T) {
	data, operator := t.TempDir(), newSigner(t)
	club := startClub(t, data, "--operator", gossh.FingerprintSHA256(operator.PublicKey()))
	c, err := dial(club.addr, "ana", operator)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := ask(c, "new 4mation --vs random --side first"); err != nil {
		t.Fatal(err)
	}
	near := func() (now status.Status) {
		t.Helper()
		h := &here{args: []string{"status", "--json", "--data", data}}
		if code := h.run(t); code != statusDone || json.Unmarshal(h.out.Bytes(), &now) != nil {
			t.Fatalf("ludoteca status: %d %q %q", code, h.out.String(), h.errs.String())
		}
		return now
	}
	// A session is counted until a moment after its client has heard the answer.
	quiet := func() (now status.Status) {
		t.Helper()
		for late := time.Now().Add(patience); time.Now().Before(late); {
			if now = near(); now.Sessions == 0 {
				return now
			}
		}
		t.Fatalf("a session stays: %+v", now)
		return now
	}
	quiet()
	var far status.Status
	out, err := ask(c, "status --json")
	if err != nil || json.Unmarshal(out, &far) != nil {
		t.Fatalf("ssh HOST status: %q, %v", out, err)
	}
	after := quiet()
	if far.Connections != 1 || far.Sessions != 1 || after.Connections != 1 {
		t.Errorf("from afar %+v, from near %+v", far, after)
	}
	if far.Matches != 1 || after.Matches != 1 || !after.Since.Equal(far.Since) || after.StoreBytes < 4096 || after.StoreWrite.Max <= 0 {
		t.Errorf("from afar %+v, from near %+v", far, after)
	}
	h := &here{args: []string{"status"}, env: map[string]string{"LUDOTECA_DATA": data}}
	if code := h.run(t); code != statusDone || !strings.Contains(h.out.String(), "matches           1 unfinished") {
		t.Errorf("ludoteca status: %d %q %q", code, h.out.String(), h.errs.String())
	}
	club.kill()
	h = &here{args: []string{"status", "--data", data}}
	if code := h.run(t); code != statusRefused || !strings.Contains(h.errs.String(), "no club is running") {
		t.Errorf("status of a club that is down: %d %q", code, h.errs.String())
	}
}

func TestListenMetrics(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0"} {
		if here, err := net.Listen("tcp", addr); err != nil {
			t.Logf("this machine has no %s: %v", addr, err)
			continue
		} else {
			_ = here.Close()
		}
		s := settings{metrics: addr}
		l, err := listenMetrics(&s)
		if err != nil {
			t.Errorf("--metrics %s: %v", addr, err)
			continue
		}
		_ = l.Close()
	}
	s := settings{metrics: ":0", metricsPublic: true}
	l, err := listenMetrics(&s)
	if err != nil {
		t.Fatalf("--metrics-public: %v", err)
	}
	_ = l.Close()
	taken := listenLocal(t)
	s = settings{metrics: taken.Addr().String()}
	if _, err := listenMetrics(&s); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a taken port: %v", err)
	}
}
