package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/e2e/program"
	"ludoteca/sshapp/e2e/sshclient"
)

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
	c, err := sshclient.Dial(addr, name, signer)
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
	case <-time.After(sshclient.Patience):
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
	case <-time.After(sshclient.Patience):
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
	ana, err := sshclient.Dial(club.addr, "ana", sshclient.NewSigner(t))
	if err != nil {
		t.Fatal(err)
	}
	defer ana.Close()
	out, err := sshclient.Ask(ana, "new 4mation")
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
			signer = sshclient.NewSigner(t)
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
	if err := club.Signal(syscall.SIGTERM); err != nil {
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
	if err := club.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = club.Wait()
	if code := club.State().ExitCode(); code != statusRefused || !strings.Contains(club.Stderr(), "stopping takes too long") {
		t.Errorf("status %d\n%s", code, club.Stderr())
	}
}

// TestSecondSignal ends a club that is stopping at once.
func TestSecondSignal(t *testing.T) {
	club := startClub(t, t.TempDir(), "--going-down=1h", "--stop-timeout=1h")
	freeze(t, club.addr)
	if err := club.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it has begun to stop
		conn, err := net.Dial("tcp", club.addr)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	if err := club.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = club.Wait()
	if ws := club.State().Sys().(syscall.WaitStatus); !ws.Signaled() || ws.Signal() != syscall.SIGTERM {
		t.Errorf("the club ended with %v", club.State())
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
			if err := club.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
		club.stopBy(t, syscall.SIGHUP)
	})
	t.Run("ignored at start", func(t *testing.T) {
		club := start(t, exec.Command("sh", append([]string{"-c", `trap '' HUP; exec "$0" "$@"`}, program.Serve(t, programPath(t), t.TempDir()).Args...)...))
		v := openFullScreen(t, club.addr, "guest", nil, "")
		v.isDrawn(t)
		if err := club.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		again := openFullScreen(t, club.addr, "guest", nil, "")
		again.isDrawn(t)
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", club.Pid())); err == nil { // a club that stops may still draw
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
