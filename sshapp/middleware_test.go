package sshapp

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	"charm.land/wish/v2/accesscontrol"
	"charm.land/wish/v2/elapsed"
	"charm.land/wish/v2/logging"
	wishrecover "charm.land/wish/v2/recover"
	"github.com/charmbracelet/colorprofile"
	"github.com/prometheus/client_golang/prometheus"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/command/lineedit"
	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/status"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/storagetest"
)

// TestWishMiddleware: middleware of the wish library works in the club's chain as anywhere else.
func TestWishMiddleware(t *testing.T) {
	var said lockedBuffer
	logger := log.New(&said, "", 0)
	breaks := func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			if s.RawCommand() == "help" {
				panic("a bug")
			}
			next(s)
		}
	}
	tests := []struct {
		name       string
		middleware wish.Middleware
		command    string
		out        string // a pattern
		status     int
		log        string // a pattern
	}{
		{"elapsed", elapsed.MiddlewareWithFormat("took %v\n"), "games", `(?s)^momentum .*\ntook [0-9.]+.?s\n$`, 0, ``},
		{"accesscontrol lets pass", accesscontrol.Middleware("games", "help"), "games", `^momentum `, 0, ``},
		{"accesscontrol refuses", accesscontrol.Middleware("games", "help"), "leaderboard", `^Command is not allowed: leaderboard\n$`, 1, ``},
		{"logging", logging.MiddlewareWithLogger(logger), "games", `^momentum `, 0,
			`(?s)^ada connect 127\.0\.0\.1:\d+ true \[games\]  0 0 SSH-2\.0-Go\n127\.0\.0\.1:\d+ disconnect `},
		{"recover", wishrecover.MiddlewareWithLogger(logger, breaks), "help", `^Ludoteca, a board-game club`, 0, `^panic: a bug\n`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			said.Reset()
			club := newClub(t, nil)
			ts := startServer(t, nil, func(c *Config) { c.Middleware = append(club.Middleware(), tt.middleware) })
			got := run(t, ts.dial(gossh.PublicKeys(newSigner(t))), tt.command)
			if !regexp.MustCompile(tt.out).MatchString(got.out) || got.status != tt.status {
				t.Errorf("%s gives %+v, want %s and status %d", tt.command, got, tt.out, tt.status)
			}
			if logged := said.String(); !regexp.MustCompile(tt.log).MatchString(logged) {
				t.Errorf("logged %q, want %s", logged, tt.log)
			}
		})
	}
}

// A lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}

// newClub is a club in memory, with the given limits.
func newClub(t *testing.T, change func(*ClubConfig)) *Club {
	t.Helper()
	l, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := ClubConfig{Lobby: l, Limits: DefaultLimits()}
	if change != nil {
		change(&cfg)
	}
	c, err := NewClub(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fakeSession is a session of which only its address and its sign-in are known.
type fakeSession struct {
	ssh.Session
	remote string
	who    Identity
}

func (s fakeSession) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.remote))
}

func (s fakeSession) Permissions() ssh.Permissions {
	return ssh.Permissions{Permissions: signIn{Identity: s.who}.permissions()}
}

// TestOrigin: addresses that are spared don't count.
func TestOrigin(t *testing.T) {
	c := newClub(t, nil)
	tests := []struct {
		remote string
		who    Identity
		want   origin.Origin
	}{
		{"192.0.2.1:9", Identity{Fingerprint: "SHA256:a"}, origin.Origin{Person: "SHA256:a", Addr: netip.MustParseAddr("192.0.2.1")}},
		{"[2001:db8::1]:9", Identity{Guest: true, ConnectionID: "X"}, origin.Origin{Person: "X", Addr: netip.MustParseAddr("2001:db8::1")}},
		{"127.0.0.1:9", Identity{Fingerprint: "SHA256:a", ConnectionID: "X"}, origin.Origin{Person: "SHA256:a"}},
		{"[::1]:9", Identity{Guest: true, ConnectionID: "X"}, origin.Origin{Person: "X"}},
	}
	for _, tt := range tests {
		s := fakeSession{remote: tt.remote, who: tt.who}
		if got := c.origin(s); got != tt.want {
			t.Errorf("origin of %s from %s = %v, want %v", tt.who.Fingerprint, tt.remote, got, tt.want)
		}
	}
	limits := DefaultLimits()
	limits.LimitLoopback = true
	if err := c.SetLimits(limits); err != nil {
		t.Fatal(err)
	}
	s := fakeSession{remote: "127.0.0.1:9", who: Identity{Fingerprint: "SHA256:a"}}
	if got := c.origin(s); got.Addr != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("origin from loopback with limits = %v", got)
	}
}

// TestOperator: only the configured keys get the status. A guest, who has no key, doesn't.
func TestOperator(t *testing.T) {
	operator, other := newSigner(t), newSigner(t)
	counts, screens := metrics.NewServer(RefusalReasons(), EndReasons()), new(terminal.Stats)
	for _, operators := range [][]string{{gossh.FingerprintSHA256(operator.PublicKey())}, {""}, nil} {
		c := newClub(t, func(cfg *ClubConfig) {
			cfg.Operators, cfg.Metrics, cfg.Screens = operators, counts, screens
			cfg.Status = func() status.Status { return status.Status{Sessions: 42} }
		})
		ts := serveClub(t, c)
		got := run(t, ts.dial(gossh.PublicKeys(operator)), "status")
		if named := len(operators) == 1 && operators[0] != ""; named != strings.Contains(got.out, "sessions          42") || named != (got.status == 0) {
			t.Errorf("operators %q: the operator's status is %+v", operators, got)
		}
		for name, auth := range map[string]gossh.AuthMethod{"another key": gossh.PublicKeys(other), "a guest": asGuest(t)} {
			if got := run(t, ts.dial(auth), "status"); got.status != 2 || got.out != "" || !strings.Contains(got.err, `There is no command "status"`) {
				t.Errorf("operators %q: the status for %s is %+v", operators, name, got)
			}
		}
	}
}

// TestLocaleOfCommands: commands and the prompt speak the language that the client's environment names, to people without an account.
func TestLocaleOfCommands(t *testing.T) {
	client := serveClub(t, newClub(t, func(*ClubConfig) {})).dial(asGuest(t))
	for _, tt := range []struct {
		environ []string
		answer  string // to whoami
		prompt  string
	}{
		{nil, "a guest: connect with a key", "play petteia begins a game"},
		{[]string{"LANG=fr_FR.UTF-8"}, "a guest: connect with a key", "play petteia begins a game"},
		{[]string{"LANG=pt_PT.UTF-8"}, "convidado: liga-te", "play petteia começa uma partida"},
		{[]string{"LANG=pt_PT.UTF-8", "LC_MESSAGES=de_DE.UTF-8"}, "Gast: Verbinde dich", "play petteia beginnt eine Partie"},
		{[]string{"LC_ALL=pt_PT.UTF-8", "LC_MESSAGES=de_DE.UTF-8"}, "convidado: liga-te", "play petteia começa uma partida"},
	} {
		if got := run(t, client, "whoami", tt.environ...); got.status != 0 || !strings.Contains(got.out, tt.answer) {
			t.Errorf("%v: whoami answers %+v, want %q", tt.environ, got, tt.answer)
		}
		if got := run(t, client, "", tt.environ...); !strings.Contains(got.err, tt.prompt) {
			t.Errorf("%v: the prompt says %+v, want %q", tt.environ, got, tt.prompt)
		}
	}
}

// TestThrottledInput: the plain prompt loses nothing of what comes too fast; it takes its time.
func TestThrottledInput(t *testing.T) {
	const text = "0123456789"
	synctest.Test(t, func(t *testing.T) {
		s := &session{input: make(chan []byte), ctx: sessionContext{session: t.Context()}}
		go func() { // ends when all is read
			defer close(s.input)
			for range 30 {
				s.input <- []byte(text)
			}
		}()
		p := newThrottledReader(s, inputBounds{rate: 10, burst: 100}, "\n")
		began, got := time.Now(), 0
		for {
			n, err := p.Read(make([]byte, 1000))
			if got += n; err != nil {
				break
			}
		}
		if got != 30*len(text) {
			t.Errorf("%d bytes came through, want %d", got, 30*len(text))
		}
		// A hundred at once, then ten a second; the last ones are let in when they are begun to be read.
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("300 bytes took %v, want 20s", took)
		}
	})
}

// TestLongLineThrottled: the rest of a line that is too long comes faster than what the line mode looks at, and the next line doesn't.
func TestLongLineThrottled(t *testing.T) {
	tests := []struct {
		name, lineEnd, typed string
		counts               int
	}{
		{"short lines", "\n", strings.Repeat("0123456\n", 1000), 8000},
		{"a long line", "\n", strings.Repeat("x", lineedit.MaxLine+1+640), lineedit.MaxLine + 1 + 10},
		{"and a short one", "\n", strings.Repeat("x", lineedit.MaxLine+1+640) + "\nhelp\n", lineedit.MaxLine + 1 + 10 + 6},
		{"a terminal's enter", "\r\n", strings.Repeat("x", lineedit.MaxLine+1+640) + "\rhelp\r", lineedit.MaxLine + 1 + 10 + 6},
		{"no end of a line in a pipe", "\n", strings.Repeat("x\r", lineedit.MaxLine), lineedit.MaxLine + 1 + (lineedit.MaxLine-1)/restFactor + 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := throttledReader{lineEnd: tt.lineEnd}
			if got := r.cost([]byte(tt.typed)); got != tt.counts {
				t.Errorf("%d bytes count as %d, want %d", len(tt.typed), got, tt.counts)
			}
		})
	}
}

// TestIdle: a session without keys ends as idle, at the full screen and at the plain prompt. Input that is no key doesn't prolong it and
// isn't punished. The pings that OpenSSH sends every 20 ms to hide keystroke times don't reach a session: x/crypto/ssh answers them below
// all channels.
func TestIdle(t *testing.T) {
	club := newClub(t, func(c *ClubConfig) { c.Limits.IdleLobby = 4 * soon })
	ts := serveClub(t, club)
	for _, pty := range []bool{true, false} {
		c := ts.dial()
		ch := channel(t, c)
		if pty {
			ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
		}
		ask(t, ch, "shell", nil)
		stop := make(chan struct{})
		sending := make(chan struct{})
		go func() { // ends with the session
			defer close(sending)
			tick := time.NewTicker(soon / 2)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C: // a report that the window has the focus is no key, and half a line is none either
					_, err := ch.Write([]byte("\x1b[I"))
					if err == nil {
						_, err = ch.SendRequest("ping@openssh.com", true, nil)
					}
					if err == nil {
						_, err = ch.SendRequest("window-change", false, gossh.Marshal(windowChange{Columns: 80, Rows: 24}))
					}
					if err == nil {
						_, _, err = c.SendRequest("keepalive@openssh.com", true, nil)
					}
					if err != nil {
						return
					}
				}
			}
		}()
		text := readAll(t, ch)
		if !pty {
			text = readAll(t, ch.Stderr())
		}
		close(stop)
		<-sending
		if !strings.Contains(text, "You were away for a long time, so the club") {
			t.Errorf("pty %v: the session ends with %q", pty, text)
		}
		if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
			t.Errorf("pty %v: the connection has ended as well: %v", pty, err)
		}
	}
}

// TestPasteAndRateReachTheDriver: the full screen has the server's bounds.
func TestPasteAndRateReachTheDriver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bounds inputBounds
		send   string
		least  int64 // bytes dropped
	}{
		{"as usual", inputBounds{}, "\x1b[200~" + strings.Repeat("x", 500) + "\x1b[201~", 0},
		{"a paste", inputBounds{pasteBytes: 10}, "\x1b[200~" + strings.Repeat("x", 500) + "\x1b[201~", 490},
		{"a flood", inputBounds{rate: 1, burst: 100}, strings.Repeat("x", 1000), 850},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screens := new(terminal.Stats)
			club := newClub(t, func(c *ClubConfig) {
				c.Screens, c.input = screens, tt.bounds
			})
			ts := serveClub(t, club)
			ch := channel(t, ts.dial(gossh.PublicKeys(newSigner(t)))) // to the form that asks for a name
			ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
			ask(t, ch, "shell", nil)
			if _, err := ch.Write([]byte(tt.send)); err != nil {
				t.Fatal(err)
			}
			done := func() bool {
				if tt.least == 0 {
					return screens.Keys.Load() == 1 // the whole paste is one
				}
				return screens.Dropped.Load() >= tt.least
			}
			retry(t, done)
			if got := screens.Dropped.Load(); tt.least == 0 && got > 0 {
				t.Errorf("%d bytes were dropped", got)
			}
		})
	}
}

// TestSessionsCounted by what they asked for.
func TestSessionsCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	club := newClub(t, func(c *ClubConfig) { c.Metrics, c.Screens = m.Server, m.Screens })
	ts := serveClub(t, club)
	c := ts.dial()
	run(t, c, "games")
	run(t, c, "help")
	run(t, c, "") // its input ends at once
	ch := channel(t, c)
	ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
	ask(t, ch, "shell", nil)
	if _, err := ch.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	readAll(t, ch)
	const want = `ludoteca_sessions_total{kind="command"} 2
ludoteca_sessions_total{kind="files"} 0
ludoteca_sessions_total{kind="prompt"} 1
ludoteca_sessions_total{kind="screen"} 1
`
	if got := page(t, reg, "ludoteca_sessions_total"); got != want {
		t.Errorf("counted\n%swant\n%s", got, want)
	}
	if m.Screens.Keys.Load() != 1 || m.Screens.Frames.Load() == 0 {
		t.Errorf("%d keys and %d frames counted", m.Screens.Keys.Load(), m.Screens.Frames.Load())
	}
}

// loud is a screen that never rests: each of its pages differs from the one before in every cell.
type loud struct{ page int }

func (m *loud) Init() tea.Cmd { return func() tea.Msg { return nextPage{} } }

type nextPage struct{}

func (m *loud) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case nextPage:
		m.page++
		return m, m.Init()
	case tea.KeyPressMsg:
		if msg.String() == "p" {
			panic("on purpose")
		}
	}
	return m, nil
}

func (m *loud) View() tea.View {
	var page strings.Builder
	for i := range terminal.MaxWidth * terminal.MaxHeight {
		fmt.Fprintf(&page, "\x1b[38;2;%d;%d;%dmx", m.page%251, i%251, i/251)
		if i%terminal.MaxWidth == terminal.MaxWidth-1 {
			page.WriteByte('\n')
		}
	}
	v := tea.NewView(page.String())
	v.AltScreen = true
	return v
}

// TestTroublesOfScreensAreCounted: a screen that panics, a client that stops reading, and changes that share a frame.
func TestTroublesOfScreensAreCounted(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	ts := startServer(t, func(s ssh.Session) int {
		pty, _, _ := s.Pty()
		profile := colorprofile.TrueColor
		o := terminal.Options{Term: pty.Term, Window: terminal.Window{Width: pty.Window.Width, Height: pty.Window.Height}, Profile: &profile, Stats: m.Screens}
		if line := s.RawCommand(); line == "stall" {
			o.Stall = soon
		}
		if terminal.Run(s.Context(), s, &loud{}, o) != nil {
			return 1
		}
		return 0
	}, nil)
	open := func(command string) gossh.Channel {
		ch := channel(t, ts.dial())
		ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: terminal.MaxWidth, Rows: terminal.MaxHeight})
		ask(t, ch, "exec", oneString{command})
		return ch
	}
	open("stall") // its output is never read
	panicky := open("panic")
	if _, err := panicky.Write([]byte("p")); err != nil {
		t.Fatal(err)
	}
	readAll(t, panicky)
	counted := func(name string) bool {
		line := page(t, reg, name)
		return line != "" && !strings.HasSuffix(line, " 0\n")
	}
	for _, name := range []string{"ludoteca_screen_panics_total", "ludoteca_stalls_total", "ludoteca_frames_coalesced_total"} {
		retry(t, func() bool { return counted(name) })
	}
	const want = "ludoteca_screen_panics_total 1\nludoteca_stalls_total 1\n"
	if got := page(t, reg, "ludoteca_screen_panics_total", "ludoteca_stalls_total"); got != want {
		t.Errorf("counted\n%swant\n%s", got, want)
	}
}

// TestEndOfInput: a client that closes its input and reads on is told why the screens end, in its language.
func TestEndOfInput(t *testing.T) {
	ts := serveClub(t, newClub(t, func(*ClubConfig) {}))
	s, err := ts.dial(gossh.PublicKeys(newSigner(t))).NewSession() // to the form that asks for a name
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := errors.Join(s.Setenv("LANG", "de_DE.UTF-8"), s.RequestPty("xterm", 24, 80, nil)); err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	s.Stdout, s.Stdin = &screen, strings.NewReader(strings.Repeat("x", 100_000))
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	if err := receive(t, ended, "end of the screens"); err == nil {
		t.Error("the session ends with status 0")
	}
	if !strings.Contains(screen.String(), "Dein Terminal sendet keine Tasten mehr") {
		t.Errorf("the screens end without a word: %q", screen.String())
	}
}

// TestFarewell: the message when the program stops tells whether the club is closed, or goes on at other nodes.
func TestFarewell(t *testing.T) {
	for closing, want := range map[error]string{lobby.ErrClosed: "come back soon", lobby.ErrNodeCloses: "Connect again"} {
		for _, err := range []error{ErrGoingDown, lobby.ErrClosed, closing} {
			if got := farewell(wording.Words{}, err, closing); !strings.Contains(got, want) {
				t.Errorf("after %v, when the program stops because of %v: %q, want words with %q", err, closing, got, want)
			}
		}
	}
}

// TestWordWrapper: lines are broken between words, unless they belong to a table, to a script, or fit.
func TestWordWrapper(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"what fits", "one two\n", "one two\n"},
		{"a long line", "one two three four five six\n", "one two three four\nfive six\n"},
		{"several, the last unfinished", "a\none two three four five six\nlast", "a\none two three four\nfive six\nlast"},
		{"for scripts", `{"a": "one two three four five"}` + "\n", `{"a": "one two three four five"}` + "\n"},
		{"of a table", "  one two three four five six\n", "  one two three four five six\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			n, err := wordWrapper{&out, func() int { return 20 }}.Write([]byte(tt.in))
			if out.String() != tt.want || n != len(tt.in) || err != nil {
				t.Errorf("%q, %d, %v; want %q", out.String(), n, err, tt.want)
			}
		})
	}
}

// TestWordWrapperFollows: lines are as long as the terminal is wide now.
func TestWordWrapperFollows(t *testing.T) {
	var out strings.Builder
	width := 20
	w := wordWrapper{&out, func() int { return width }}
	for _, width = range []int{20, 40, 25} {
		fmt.Fprintln(w, "one two three four five six")
	}
	if want := "one two three four\nfive six\none two three four five six\none two three four five\nsix\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
