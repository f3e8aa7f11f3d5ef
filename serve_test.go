package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/spf13/pflag"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/hostkeys"
	"ludoteca/hostkeys/hostkeystest"
	"ludoteca/lobby"
	"ludoteca/lobby/attempts"
	"ludoteca/lobby/names"
	"ludoteca/sshapp"
	"ludoteca/storage"
)

// TestNobodyIsCalledLikeALevel: a player can't take the name of a computer player.
func TestNobodyIsCalledLikeALevel(t *testing.T) {
	all := levels(catalog.All())
	if len(all) < 2 {
		t.Fatalf("only %d levels", len(all))
	}
	for _, l := range all {
		for _, name := range []string{l.ID, l.Name} {
			var wrong *names.Error
			if _, _, err := names.Check(name); !errors.As(err, &wrong) || wrong.Problem != names.Reserved {
				t.Errorf("a player could be called %s: %v", name, err)
			}
		}
	}
}

// TestStoppedWhileOpening: a signal that comes before the club is open ends it as cleanly as any other.
func TestStoppedWhileOpening(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	status := run(ctx, process{
		args:  []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()},
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		env:  func(string) (string, bool) { return "", false },
		exit: func(status int) { t.Errorf("it ends with %d", status) }, games: catalog.All(),
	})
	if status != statusDone || out.Len() > 0 {
		t.Errorf("status %d, it says %q\n%s", status, out.String(), errs.String())
	}
}

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
			for line := range strings.Lines(club.log.String()) {
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

// TestClubHasAllLevels: the club has each computer player of each game, with its rating there, and asks the ones that search for their
// opinion.
func TestClubHasAllLevels(t *testing.T) {
	all := levels(catalog.All())
	for _, g := range catalog.All() {
		for _, want := range bot.Levels(g) {
			i := slices.IndexFunc(all, func(l lobby.Level) bool { return l.ID == want.ID })
			if i < 0 {
				t.Errorf("the club does not know %s of %s", want.ID, g.About().ID)
				continue
			}
			_, thinks := want.Player.(bot.Thinker)
			if got := all[i]; got.Name != want.Name || got.Sentence != want.Sentence || got.Ratings[g.About().ID] != want.Rating || thinks != (got.Think != nil) {
				t.Errorf("%s of %s is %+v, want %+v", want.ID, g.About().ID, got, want)
			}
		}
	}
	if last := all[len(all)-1]; last.ID != "master" {
		t.Errorf("the last is %s, but the strongest gives the hints", last.ID)
	}
}

// TestThoughtsAreTold holds that the club hears of a loss what the search has proven.
func TestThoughtsAreTold(t *testing.T) {
	found := bot.Thought{Move: "d4", Value: 31, Plies: -4, Proven: true}
	if got := decision(found); got.Move != "d4" || !got.Ahead || got.Value != 31 || got.Plies != -4 || !got.Proven || got.Drawn {
		t.Errorf("of %+v it hears %+v", found, got)
	}
}

// TestFirstStartMakesHostKeys: a new club has both kinds of host key, and serves the same after a restart. A club that has the Ed25519 key
// alone, as older ones do, stays so.
func TestFirstStartMakesHostKeys(t *testing.T) {
	start := func(data string) (*liveClub, error) {
		c := &liveClub{t: t, cmd: exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--data", data)}
		c.cmd.Env = append(append(patient(), os.Environ()...), asProgram+"=1")
		c.start()
		client, err := gossh.Dial("tcp", c.addr, &gossh.ClientConfig{
			User: guest, HostKeyAlgorithms: []string{gossh.KeyAlgoRSASHA512}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
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
		logs = append(logs, regexp.MustCompile(`hostkey="SHA256:\S+ SHA256:\S+" new_hostkey=\w+`).FindString(club.log.String()))
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

// asService starts the club as systemd does, with sockets handed over and more environment.
func asService(t *testing.T, data string, sockets []net.Listener, env []string, flags ...string) *liveClub {
	t.Helper()
	hostkeystest.Give(t, data)
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

// TestRestartRefusesNobody: with a socket of systemd's, a client that connects while the club is down waits for the next start.
// The restarted club knows its player.
func TestRestartRefusesNobody(t *testing.T) {
	first, second, meters := listenLocal(t), listenLocal(t), listenLocal(t)
	sockets, names := []net.Listener{first, meters, second}, []string{"LISTEN_FDNAMES=ssh:metrics:ssh"}
	data, key := t.TempDir(), newSigner(t)

	club := asService(t, data, sockets, names)
	if club.addr != first.Addr().String() {
		t.Errorf("the club invites people to %s, not to %s", club.addr, first.Addr())
	}
	for _, l := range []net.Listener{first, second} {
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
	out, err := ask(client, "whoami")
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
	if c, err := dial(other.addr, "guest", nil); err != nil {
		t.Error(err)
	} else {
		_ = c.Close()
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
}

// fullScreen is a session with a terminal, as the test sees it.
type fullScreen struct {
	session *gossh.Session
	drawn   chan struct{} // closed when there is something on the alternate screen
	over    chan error    // what Wait returned, once all output is here
	out     bytes.Buffer  // to be read after over
}

// openFullScreen signs in, as a guest without a signer, and opens the club.
func openFullScreen(t *testing.T, addr, name string, signer gossh.Signer, command string) *fullScreen {
	t.Helper()
	c, err := dial(addr, name, signer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return startFullScreen(t, c, command)
}

func startFullScreen(t *testing.T, c *gossh.Client, command string) *fullScreen {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	f := &fullScreen{session: s, drawn: make(chan struct{}), over: make(chan error, 1)}
	if _, err := s.StdinPipe(); err != nil { // or the input would end at once
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RequestPty("xterm-256color", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	if command == "" {
		err = s.Shell()
	} else {
		err = s.Start(command)
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the session
		f.read(out)
		f.over <- s.Wait()
	}()
	return f
}

func (f *fullScreen) read(out io.Reader) {
	seen := false
	buf := make([]byte, 16<<10)
	for {
		n, err := out.Read(buf)
		f.out.Write(buf[:n])
		if !seen && bytes.Contains(f.out.Bytes(), []byte("\x1b[?1049h")) && bytes.Contains(f.out.Bytes(), []byte("Ludoteca")) {
			seen = true
			close(f.drawn)
		}
		if err != nil {
			return
		}
	}
}

// isDrawn waits until there is something on the screen.
func (f *fullScreen) isDrawn(t *testing.T) {
	t.Helper()
	select {
	case <-f.drawn:
	case <-time.After(patience):
		t.Fatal("nothing is drawn")
	}
}

// modeChange is a sequence that sets or resets private modes of a terminal.
var modeChange = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// modes returns what the private modes of a terminal are after it was sent this.
func modes(sent []byte) map[string]bool {
	on := make(map[string]bool)
	for _, m := range modeChange.FindAllSubmatch(sent, -1) {
		for mode := range strings.SplitSeq(string(m[1]), ";") {
			on[mode] = string(m[2]) == "h"
		}
	}
	return on
}

// check holds that the terminal is as it was before, with the farewell on it, and that there was a status.
func (f *fullScreen) check(t *testing.T, name, words string) {
	t.Helper()
	var err error
	select {
	case err = <-f.over:
	case <-time.After(patience):
		t.Fatalf("%s: the session never ends", name)
	}
	if exit, ok := errors.AsType[*gossh.ExitError](err); !ok || exit.ExitStatus() != statusRefused {
		t.Errorf("%s: the session ends with %v, want status 1", name, err)
	}
	for mode, on := range modes(f.out.Bytes()) {
		if want := mode == "25" || mode == "7"; on != want {
			t.Errorf("%s: mode %s is left %v", name, mode, on)
		}
	}
	screen, alt, hidden := vt.NewEmulator(80, 24), false, false
	screen.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { alt = on },
		CursorVisibility: func(visible bool) { hidden = !visible },
	})
	_, _ = screen.Write(f.out.Bytes()) // the club asks terminals nothing, so there are no answers to take
	text := screen.String()
	if alt || hidden || !strings.Contains(text, words) || strings.Contains(text, "Ludoteca") {
		t.Errorf("%s: alternate screen %v, cursor hidden %v, and it shows\n%s", name, alt, hidden, text)
	}
}

// TestTerminalsAreRestored: SIGTERM gives fifty people their terminals back, with a word and a status, wherever in the club
// they are, and ends the program.
func TestTerminalsAreRestored(t *testing.T) {
	const people = 50
	club := startClub(t, t.TempDir())
	ana, err := dial(club.addr, "ana", newSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	out, err := ask(ana, "new 4mation")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`\b[2-9A-Z]{6}\b`).FindString(string(out))
	places := []struct {
		name    string
		key     bool
		command string
	}{{"the lobby", false, ""}, {"the form of a first visit", true, ""}, {"a board", false, "watch " + code}}
	var visits [people]*fullScreen
	for i := range visits {
		p := places[i%len(places)]
		var signer gossh.Signer
		if p.key {
			signer = newSigner(t)
		}
		visits[i] = openFullScreen(t, club.addr, "guest", signer, p.command)
	}
	for _, v := range visits {
		v.isDrawn(t)
	}
	began := time.Now()
	club.stop(t)
	t.Logf("%d full screens: gone %v after SIGTERM", people, time.Since(began).Round(time.Millisecond))
	for i, v := range visits {
		v.check(t, places[i%len(places)].name, "The club is closing for a moment.")
	}
}

// A frozen is a connection whose client stops reading at some moment.
type frozen struct {
	net.Conn
	ice    atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (f *frozen) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	if f.ice.Load() {
		<-f.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (f *frozen) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.Conn.Close()
}

// freeze opens the club's full screen, and reads nothing any more.
func freeze(t *testing.T, addr string) {
	t.Helper()
	raw, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	conn := &frozen{Conn: raw, closed: make(chan struct{})}
	t.Cleanup(func() { _ = conn.Close() })
	c, channels, requests, err := gossh.NewClientConn(conn, addr, &gossh.ClientConfig{
		User: "guest", HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
		Auth: []gossh.AuthMethod{gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })},
	})
	if err != nil {
		t.Fatal(err)
	}
	startFullScreen(t, gossh.NewClient(c, channels, requests), "").isDrawn(t)
	conn.ice.Store(true)
}

// TestFrozenClientsHoldUpNobody: while the closing club waits for clients that read nothing, all others get their terminals back as
// usual.
func TestFrozenClientsHoldUpNobody(t *testing.T) {
	club := startClub(t, t.TempDir(), "--going-down=1h", "--stop-timeout=1h")
	for range 3 {
		freeze(t, club.addr)
	}
	v := openFullScreen(t, club.addr, "guest", nil, "")
	v.isDrawn(t)
	if err := club.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	v.check(t, "the lobby", "The club is closing for a moment.")
}

// TestFrozenClientsAreCut: clients that read nothing get the time they have and no more, and then the club ends well.
func TestFrozenClientsAreCut(t *testing.T) {
	club := startClub(t, t.TempDir(), "--going-down=300ms")
	for range 3 {
		freeze(t, club.addr)
	}
	club.stop(t)
}

// TestStopTimeout ends a club whatever holds it up, and says so.
func TestStopTimeout(t *testing.T) {
	club := startClub(t, t.TempDir(), "--going-down=1h", "--stop-timeout=300ms")
	freeze(t, club.addr)
	if err := club.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	club.logs.Wait()
	_ = club.cmd.Wait()
	if code := club.cmd.ProcessState.ExitCode(); code != statusRefused || !strings.Contains(club.log.String(), "stopping takes too long") {
		t.Errorf("status %d\n%s", code, club.log.String())
	}
}

// TestSecondSignal ends a club that is stopping at once.
func TestSecondSignal(t *testing.T) {
	club := startClub(t, t.TempDir(), "--going-down=1h", "--stop-timeout=1h")
	freeze(t, club.addr)
	if err := club.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it has begun to stop
		conn, err := net.Dial("tcp", club.addr)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	if err := club.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	club.logs.Wait()
	_ = club.cmd.Wait()
	if ws := club.cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGTERM {
		t.Errorf("the club ended with %v", club.cmd.ProcessState)
	}
}

// TestHangup: SIGHUP ends the club as cleanly as SIGTERM does, and a club under nohup doesn't hear it.
func TestHangup(t *testing.T) {
	t.Run("from the terminal", func(t *testing.T) {
		club := startClub(t, t.TempDir())
		v := openFullScreen(t, club.addr, "guest", nil, "")
		v.isDrawn(t)
		club.stopBy(t, syscall.SIGHUP)
		v.check(t, "the lobby", "The club is closing for a moment.")
	})
	t.Run("again while stopping", func(t *testing.T) {
		club := startClub(t, t.TempDir(), "--going-down=300ms")
		freeze(t, club.addr)
		for range 3 {
			if err := club.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
		club.stopBy(t, syscall.SIGHUP)
	})
	t.Run("ignored at start", func(t *testing.T) {
		club, data := &liveClub{t: t}, t.TempDir()
		hostkeystest.Give(t, data)
		club.cmd = exec.Command("sh", "-c", `trap '' HUP; exec "$@"`, "sh", os.Args[0], "serve", "--listen", "127.0.0.1:0", "--data", data)
		club.cmd.Env = append(append(patient(), os.Environ()...), asProgram+"=1")
		club.start()
		v := openFullScreen(t, club.addr, "guest", nil, "")
		v.isDrawn(t)
		if err := club.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		again := openFullScreen(t, club.addr, "guest", nil, "")
		again.isDrawn(t)
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", club.cmd.Process.Pid)); err == nil { // a club that stops may still draw
			const ignored, hangup = "SigIgn:\t", uint64(1) << (syscall.SIGHUP - 1)
			_, signals, _ := strings.Cut(string(state), ignored)
			signals, _, _ = strings.Cut(signals, "\n")
			if set, err := strconv.ParseUint(signals, 16, 64); err != nil || set&hangup == 0 {
				t.Errorf("the club ignores the signals %q no longer, %v", signals, err)
			}
		}
		club.stop(t)
	})
}

// TestLog: a line for each connection says who it was, by fingerprint, from where and why it ended; and nothing that
// people say, play or ask for is in the log.
func TestLog(t *testing.T) {
	club := startClub(t, t.TempDir(), "--proxy-from", "127.0.0.0/8")
	key := newSigner(t)
	connect := func(from string, auth gossh.AuthMethod) *gossh.Client {
		t.Helper()
		conn, err := net.Dial("tcp", club.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "PROXY TCP4 "+from+" 203.0.113.9 4711 22\r\n"); err != nil {
			t.Fatal(err)
		}
		c, channels, requests, err := gossh.NewClientConn(conn, club.addr, &gossh.ClientConfig{
			User: "privateuser", Auth: []gossh.AuthMethod{auth}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a club of our own
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return gossh.NewClient(c, channels, requests)
	}
	ana := connect("192.0.2.7", gossh.PublicKeys(key))
	try := func(line string) string {
		out, _ := ask(ana, line) // a refusal is as good
		return string(out)
	}
	try("name privatename")
	code := regexp.MustCompile(`\b[2-9A-Z]{6}\b`).FindString(try("new 4mation cols=9 --vs random --side first"))
	try("move " + code + " d4")
	try("move " + code + " privatemove")
	try("show ABCDEF")
	try("privatecommand")
	try("record " + code)
	guest := connect("192.0.2.8", gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil }))
	_, _ = ask(guest, "show "+code)
	stranger, err := net.Dial("tcp", club.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stranger, "GET /private HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stranger) // until the club closes it
	_ = ana.Close()
	club.stop(t)

	log := club.log.String()
	var ended []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `msg="connection ended"`) {
			ended = append(ended, line)
			if !strings.Contains(line, " reason=left ") && !strings.Contains(line, " reason=going-down ") {
				t.Errorf("a connection ended for another reason: %s", line)
			}
		}
	}
	if len(ended) != 2 {
		t.Errorf("%d lines about connections that ended, want 2:\n%s", len(ended), log)
	}
	for _, want := range []string{
		"fingerprint=" + gossh.FingerprintSHA256(key.PublicKey()), "remote=192.0.2.7:4711", "remote=192.0.2.8:4711",
		"guest=true", "reason=proxy-header",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	public := strings.Fields(string(gossh.MarshalAuthorizedKey(key.PublicKey())))[1]
	for _, secret := range []string{code, "private", "4mation", "fourmation", "d4\n", "ABCDEF", public, "level=ERROR"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log says %q:\n%s", secret, log)
		}
	}
}

// here is this program with arguments and an environment, and what it printed.
type here struct {
	args        []string
	env         map[string]string
	in          string
	out, errs   bytes.Buffer
	exitedEarly []int
}

func (h *here) run(t *testing.T) (status int) {
	t.Helper()
	var vars []string
	for name, value := range h.env {
		vars = append(vars, name+"="+value)
	}
	return run(t.Context(), process{
		args: h.args, stdin: strings.NewReader(h.in), stdout: &h.out, stderr: &h.errs, vars: vars,
		env:   func(name string) (string, bool) { v, ok := h.env[name]; return v, ok },
		exit:  func(status int) { h.exitedEarly = append(h.exitedEarly, status) },
		games: catalog.All(),
	})
}

// TestEveryFlag: each flag has an environment variable of its name, sets its own field and no other one by either of them,
// the command line wins, and help lists it with its default.
func TestEveryFlag(t *testing.T) {
	h := &here{args: []string{"serve", "--help"}}
	if status := h.run(t); status != statusDone {
		t.Fatalf("serve --help gives %d", status)
	}
	all := func(s *settings) []sshapp.Flag {
		return append(s.own(), s.limitFlags()...)
	}
	defaults := defaultSettings()
	for i, f := range all(&defaults) {
		t.Run(f.Name, func(t *testing.T) {
			if want := "LUDOTECA_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); f.Env != want {
				t.Errorf("environment variable %s, want %s", f.Env, want)
			}
			fromOutside, fromLine, want := another(f.Ptr)
			for _, how := range []string{"environment", "command line"} {
				s := defaultSettings()
				flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
				names := s.flags(flags)
				env := map[string]string{f.Env: fromOutside}
				if how == "command line" {
					env[f.Env] = fromLine
					if err := flags.Parse([]string{"--" + f.Name + "=" + fromOutside}); err != nil {
						t.Fatal(err)
					}
				}
				p := process{env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
				if err := fromEnv(p, flags, names); err != nil {
					t.Fatal(err)
				}
				for j, g := range all(&s) {
					got, unchanged := reflect.ValueOf(g.Ptr).Elem().Interface(), reflect.ValueOf(all(&defaults)[j].Ptr).Elem().Interface()
					if i == j && !reflect.DeepEqual(got, want) {
						t.Errorf("%s: %v, want %v", how, got, want)
					}
					if i != j && !reflect.DeepEqual(got, unchanged) {
						t.Errorf("%s sets %s too", how, g.Name)
					}
				}
			}
			line := lineOf(h.out.String(), "--"+f.Name+" ")
			if !strings.Contains(line, f.Help) || !strings.Contains(line, "("+f.Env+")") {
				t.Errorf("help says %q", line)
			}
			if v := reflect.ValueOf(f.Ptr).Elem(); !v.IsZero() && !strings.Contains(line, "(default ") {
				t.Errorf("help names no default: %q", line)
			}
		})
	}
}

// another returns two values, as text, that are no default, and the first as a value.
func another(ptr any) (first, second string, want any) {
	switch ptr.(type) {
	case *string:
		return "other", "third", "other"
	case *[]string:
		return "a,b", "c", []string{"a", "b"}
	case *int:
		return "4711", "4712", 4711
	case *bool:
		return "true", "false", true
	case *byteSize:
		return "4711MiB", "4712k", byteSize(4711 << 20)
	case *time.Duration:
		return "4711s", "4712s", 4711 * time.Second
	}
	panic("a flag of an unknown type")
}

func lineOf(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}

// TestEveryLimitOfTheLobby has a flag.
func TestEveryLimitOfTheLobby(t *testing.T) {
	s := defaultSettings()
	named := map[any]bool{}
	for _, f := range s.clubLimits() {
		named[f.Ptr] = true
	}
	named[&s.club.KeepCasual] = true // --keep-casual, which may be 0
	fields := reflect.ValueOf(&s.club).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if !named[fields.Field(i).Addr().Interface()] {
			t.Errorf("no flag sets %s", name)
		}
	}
	if s.club != lobby.DefaultLimits() {
		t.Error("the limits of the lobby don't start at its own")
	}
}

func TestSettingsRefused(t *testing.T) {
	const key = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q"
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"workers", []string{"--bot-workers=-1"}, nil, "--bot-workers must not be negative"},
		{"a limit of nothing", []string{"--max-sessions=0"}, nil, "max-sessions must be more than 0"},
		{"a limit of the lobby", []string{"--max-offers=0"}, nil, "--max-offers must be more than 0"},
		{"a time of the lobby", []string{"--away-guest=-1s"}, nil, "--away-guest must be more than 0"},
		{"less than no time to keep", []string{"--keep-casual=-1s"}, nil, "--keep-casual must not be negative"},
		{"no time to stop", []string{"--stop-timeout=0"}, nil, "--stop-timeout must be more than 0"},
		{"a window too short", []string{"--new-accounts-window=1ns"}, nil, "new-accounts-window is too short"},
		{"an operator's name", []string{"--operator=ana"}, nil, "--operator"},
		{"an operator's MD5", []string{"--operator=MD5:00:11"}, nil, "--operator"},
		{"an operator, cut", []string{"--operator=" + key[:49]}, nil, "--operator"},
		{"an operator with more", []string{"--operator=" + key + "="}, nil, "--operator"},
		{"an operator of 31 bytes", []string{"--operator=SHA256:" + strings.Repeat("A", 42)}, nil, "--operator"}, // whole base64 both
		{"an operator of 33 bytes", []string{"--operator=SHA256:" + strings.Repeat("A", 44)}, nil, "--operator"},
		{"the second of two operators", nil, map[string]string{"LUDOTECA_OPERATOR": key + ",SHA256:x"}, `"SHA256:x"`},
		{"a proxy's name", []string{"--proxy-from=proxy.example.com"}, nil, "--proxy-from"},
		{"no such network", []string{"--proxy-from=192.0.2.0/33"}, nil, "--proxy-from"},
		{"metrics for all", []string{"--metrics=:9222"}, nil, "--metrics-public"},
		{"metrics for others", []string{"--metrics=192.0.2.1:9222"}, nil, "--metrics-public"},
		{"metrics nowhere", []string{"--metrics=nonsense"}, nil, "--metrics"},
		{"a word in the environment", nil, map[string]string{"LUDOTECA_MAX_SESSIONS": "many"}, "LUDOTECA_MAX_SESSIONS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"serve", "--listen=127.0.0.1:0", "--data", t.TempDir()}, tt.args...), env: tt.env}
			if status := h.run(t); status != statusUsage || !strings.Contains(h.errs.String(), tt.want) || h.out.Len() > 0 {
				t.Errorf("status %d, %q; want %d and words with %q", status, h.errs.String(), statusUsage, tt.want)
			}
		})
	}
}

// TestEmptyVariables: an environment file with a variable that has no value leaves the default in force, whatever the flag.
func TestEmptyVariables(t *testing.T) {
	s := defaultSettings()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	names := s.flags(flags)
	before := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = f.Value.String() })
	if err := fromEnv(process{env: func(string) (string, bool) { return "", true }}, flags, names); err != nil {
		t.Fatal(err)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if got := f.Value.String(); got != before[f.Name] || f.Changed {
			t.Errorf("--%s = %q, changed %v; want %q as before", f.Name, got, f.Changed, before[f.Name])
		}
	})
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.0/24": "192.0.2.0/24", "192.0.2.77/24": "192.0.2.0/24", "192.0.2.7": "192.0.2.7/32", "2001:db8::1": "2001:db8::1/128",
		"2001:db8::/32": "2001:db8::/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"::ffff:192.0.2.77/120": "192.0.2.0/24", "fe80::1%eth0": "fe80::1/128",
		"::ffff:0:0/96": "0.0.0.0/0", "::ffff:0:0/97": "0.0.0.0/1", "::ffff:0:0/95": "::fffe:0:0/95", // all IPv4 addresses, half of them, and no IPv4 network
	} {
		if got, err := parseNetwork(text); err != nil || got.String() != want {
			t.Errorf("parseNetwork(%s) = %v, %v; want %s", text, got, err, want)
		}
	}
}

// TestGoodSettings: operators and networks may be several, in either way.
func TestGoodSettings(t *testing.T) {
	const a, b = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q", "SHA256:yuHnMrRsZn7R4nufclgnWvJB0rz9YuB7UYZARx26rz4"
	s := defaultSettings()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	names := s.flags(flags)
	if err := flags.Parse([]string{"--operator", a, "--operator", b}); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) {
		return "192.0.2.0/24,2001:db8::1", name == "LUDOTECA_PROXY_FROM"
	}
	if err := fromEnv(process{env: env}, flags, names); err != nil {
		t.Fatal(err)
	}
	if err := s.check(os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.operators, s.proxies) != "["+a+" "+b+"] [192.0.2.0/24 2001:db8::1/128]" {
		t.Errorf("got %v and %v", s.operators, s.proxies)
	}
}

// TestLimitsOfTheClub: what a flag says is what people meet.
func TestLimitsOfTheClub(t *testing.T) {
	t.Setenv("LUDOTECA_MAX_MATCHES_PLAYER", "3")
	club := startClub(t, t.TempDir(), "--max-offers=2", "--new-accounts=1", "--limit-loopback", "--new-connections-burst=50")
	ana, err := dial(club.addr, "ana", newSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	try := func(line, want string) {
		t.Helper()
		out, err := ask(ana, line)
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
		if _, err = ask(ana, "show AAAAAA"); err != nil && strings.Contains(err.Error(), "Wait") {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "Wait") {
		t.Errorf("after many wrong codes: %v", err)
	}
	rui, err := dial(club.addr, "rui", newSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer rui.Close()
	if _, err := ask(rui, "name rui"); err == nil || !strings.Contains(err.Error(), "Too many new names from your address") {
		t.Errorf("the second new account: %v", err)
	}
}

// TestEndLate ends a program that takes too long to stop, and none that stops in time or was not told to.
func TestEndLate(t *testing.T) {
	tests := []struct {
		name       string
		told       bool
		stopsAfter time.Duration
		want       bool
	}{
		{"in time", true, 29 * time.Second, false},
		{"late", true, 31 * time.Second, true},
		{"not told", false, time.Hour, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			ctx, tell := context.WithCancel(t.Context())
			defer tell()
			ended := false
			stop := endLate(ctx, 30*time.Second, func() { ended = true })
			if tt.told {
				tell()
			}
			<-time.After(tt.stopsAfter)
			if stop(); ended != tt.want {
				t.Errorf("ended %v, want %v", ended, tt.want)
			}
		})
	}
}

// bubble is a subtest with a clock of its own.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// TestFormerOperatorFlag: --keeper and LUDOTECA_KEEPER, from before the flag was called --operator, name no operator. A start warns of
// them, and help doesn't list them.
func TestFormerOperatorFlag(t *testing.T) {
	const a, b = "SHA256:ZmFgXS/16SeSMRFPO9EgRWP5fFwlv7JGpSO4bBbBL1Q", "SHA256:yuHnMrRsZn7R4nufclgnWvJB0rz9YuB7UYZARx26rz4"
	tests := []struct {
		name  string
		args  []string
		env   map[string]string
		want  string // the operators
		warns bool
	}{
		{"the former flag", []string{"--keeper", a}, nil, "[]", true},
		{"the former flag, without a fingerprint", []string{"--keeper", "ana"}, nil, "[]", true},
		{"both flags", []string{"--keeper", b, "--operator", a}, nil, "[" + a + "]", true},
		{"the former variable", nil, map[string]string{"LUDOTECA_KEEPER": a + "," + b}, "[]", true},
		{"both variables", nil, map[string]string{"LUDOTECA_KEEPER": b, "LUDOTECA_OPERATOR": a}, "[" + a + "]", true},
		{"neither", []string{"--operator", a}, nil, "[" + a + "]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &here{args: append([]string{"serve", "--check", "--data", filepath.Join(t.TempDir(), "none")}, tt.args...), env: tt.env}
			status := h.run(t)
			if warns := strings.Contains(h.errs.String(), "has no effect any more\" flag=--keeper variable=LUDOTECA_KEEPER"); status != 0 || warns != tt.warns {
				t.Errorf("status %d, and the log says %q; want a warning: %t", status, h.errs.String(), tt.warns)
			}
			var got string
			for row := range strings.Lines(h.out.String()) {
				if cells := strings.Fields(row); len(cells) > 1 && cells[0] == "operator" {
					got = cells[1]
				}
			}
			if got != tt.want {
				t.Errorf("operators are %q, want %q", got, tt.want)
			}
		})
	}
	h := &here{args: []string{"serve", "--help"}}
	if status := h.run(t); status != 0 || strings.Contains(h.out.String(), "keeper") {
		t.Errorf("help, with status %d, lists the former flag", status)
	}
}

// TestHelpWhenNothingOpens: who starts a club reads what to do about a damaged store, or a folder of another user.
func TestHelpWhenNothingOpens(t *testing.T) {
	other := errors.New("no room")
	for _, tt := range []struct {
		name   string
		err    error
		onEtcd bool
		want   string
	}{
		{"damaged", storage.ErrDamaged, false, "ludoteca salvage data/ludoteca.db NEW.db"},
		{"damaged on etcd", storage.ErrDamaged, true, "ludoteca move-store"},
		{"of another user", &fs.PathError{Op: "open", Path: "data/ludoteca.db", Err: syscall.EACCES}, false,
			fmt.Sprintf("chown -R %d:%d data", os.Getuid(), os.Getgid())},
		{"something else", other, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := openHelp(tt.err, "data", tt.onEtcd)
			if !errors.Is(got, tt.err) || !strings.Contains(got.Error(), tt.want) || tt.want == "" && got != other {
				t.Errorf("%q, want words with %q", got, tt.want)
			}
		})
	}
}

// TestFewFiles: the log warns where fewer files may be open than there may be connections.
func TestFewFiles(t *testing.T) {
	for _, tt := range []struct {
		files       uint64
		connections int
		warns       bool
	}{{1024, 1500, true}, {1563, 1500, true}, {1564, 1500, false}, {math.MaxUint64, 1500, false}} {
		var log bytes.Buffer
		warnOfFewFiles(slog.New(slog.NewTextHandler(&log, nil)), tt.files, tt.connections)
		if strings.Contains(log.String(), "ulimit -n") != tt.warns {
			t.Errorf("%d files for %d connections: %q", tt.files, tt.connections, &log)
		}
	}
	if openFiles() < otherFiles {
		t.Errorf("%d files may be open, and the tests run", openFiles())
	}
}

// TestProxyWithoutAddress: the log warns when the address that people are told doesn't lead through the proxy.
func TestProxyWithoutAddress(t *testing.T) {
	const proxy, etcd, public = "--proxy-from=192.0.2.10", "--store=etcd://127.0.0.1:2379", "--public-address=play.example.com"
	for _, tt := range []struct {
		args  []string
		warns bool
	}{
		{nil, false},
		{[]string{public}, false},
		{[]string{proxy}, true},
		{[]string{etcd}, true},
		{[]string{proxy, etcd}, true},
		{[]string{proxy, public}, false},
		{[]string{etcd, public}, false},
	} {
		s := defaultSettings()
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.flags(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if err := s.check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s.warnOfNoAddress(slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Contains(log.String(), "--public-address") != tt.warns {
			t.Errorf("with %q the log says %q", tt.args, &log)
		}
	}
}

// TestPublicAddress: the address that people are told is the flag's, or follows from the listener; anything that a shell would read is refused.
func TestPublicAddress(t *testing.T) {
	machine := addressOf(&net.TCPAddr{IP: net.IPv4zero, Port: 1}).Host
	for _, tt := range []struct {
		flag, listens, want, pasted string
	}{
		{"", "127.0.0.1:2222", "ssh -p 2222 localhost", "ssh -p 2222 localhost"},
		{"", "[::1]:22", "ssh localhost", "ssh localhost"},
		{"", "0.0.0.0:2222", "ssh -p 2222 " + machine, "ssh -p 2222 localhost"},
		{"", "192.0.2.7:22", "ssh 192.0.2.7", "ssh 192.0.2.7"},
		{"", "[2001:db8::7]:2222", "ssh -p 2222 2001:db8::7", "ssh -p 2222 2001:db8::7"},
		{"play.example.com", "0.0.0.0:2222", "ssh play.example.com", "ssh play.example.com"},
		{"play.example.com:2200", "0.0.0.0:2222", "ssh -p 2200 play.example.com", "ssh -p 2200 play.example.com"},
		{"[2001:db8::7]", "0.0.0.0:2222", "ssh 2001:db8::7", "ssh 2001:db8::7"},
	} {
		s := defaultSettings()
		s.public = tt.flag
		if err := s.check(func(string) (string, bool) { return "", false }); err != nil {
			t.Fatal(err)
		}
		at, err := net.ResolveTCPAddr("tcp", tt.listens)
		if err != nil {
			t.Fatal(err)
		}
		if got, pasted := s.addressAt(at).SSH(""), s.invitation(at); got != tt.want || pasted != tt.pasted {
			t.Errorf("%q, listening on %s: %q, here %q; want %q, %q", tt.flag, tt.listens, got, pasted, tt.want, tt.pasted)
		}
	}
	for _, bad := range []string{"$(id)", "a;b", "-oProxyCommand=x", "a b", "a:0", "a:65536", "a:x", "a:", "2001:db8::7", "[::1", "[a]", "[fe80::1%eth0]", "[127.0.0.1]", "a..b", ".", "ana@host", "a\n", "m\u00fcnchen.de"} {
		s := defaultSettings()
		s.public = bad
		if err := s.check(func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), "--public-address") {
			t.Errorf("--public-address %q: %v", bad, err)
		}
	}
}
