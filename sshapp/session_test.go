package sshapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/terminal"
)

// Payloads of RFC 4254, as a client writes them.
type (
	ptyRequest struct {
		Term                      string
		Columns, Rows, Wide, High uint32
		Modes                     string
	}
	windowChange struct{ Columns, Rows, Wide, High uint32 }
	variable     struct{ Name, Value string }
	oneString    struct{ Text string }
)

func TestExit(t *testing.T) {
	tests := []struct {
		name string
		h    handlerFunc
		want result
	}{
		{"returned", func(ssh.Session) int { return 0 }, result{"", "", 0}},
		{"returned 2", func(ssh.Session) int { return 2 }, result{"", "", 2}},
		{"too large", func(ssh.Session) int { return 256 + 7 }, result{"", "", 7}},
		{"both streams", func(s ssh.Session) int {
			_, _ = io.WriteString(s, "out")
			_, _ = io.WriteString(s.Stderr(), "err")
			return 1
		}, result{"out", "err", 1}},
		{"by Exit, the first counts", func(s ssh.Session) int { _ = s.Exit(3); _ = s.Exit(4); return 5 }, result{"", "", 3}},
		{"closed, then returned", func(s ssh.Session) int { _ = s.Close(); _ = s.Close(); return 6 }, result{"", "", 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := startServer(t, tt.h, nil)
			if got := run(t, ts.dial(), "x"); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLongWrite(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<14) // 256 KiB: many chunks
	ts := startServer(t, func(s ssh.Session) int {
		if n, err := s.Write(want); n != len(want) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		return 0
	}, nil)
	if got := run(t, ts.dial(), "x"); got.out != string(want) || got.status != 0 {
		t.Errorf("%d bytes arrived, status %d; want %d bytes as they were sent", len(got.out), got.status, len(want))
	}
}

// TestInput: what the client types arrives whole, and its end is not the end of the session.
func TestInput(t *testing.T) {
	want := strings.Repeat("a line of a script\n", 1<<12)
	ts := startServer(t, func(s ssh.Session) int {
		if n, err := s.Read(nil); n != 0 || err != nil {
			t.Errorf("Read of nothing = %d, %v", n, err)
		}
		got, err := io.ReadAll(s)
		if err != nil || string(got) != want {
			t.Errorf("read %d bytes, %v; want the %d that were sent", len(got), err, len(want))
		}
		if err := s.Context().Err(); err != nil {
			t.Errorf("after the end of input the session has ended: %v", err)
		}
		_, _ = fmt.Fprint(s, len(got))
		return 0
	}, nil)
	s, err := ts.dial().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s.Stdin = strings.NewReader(want)
	if out, err := s.Output("x"); string(out) != fmt.Sprint(len(want)) || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestCommand(t *testing.T) {
	got := make(chan [2]string, 1)
	ts := startServer(t, func(s ssh.Session) int {
		got <- [2]string{s.RawCommand(), strings.Join(s.Command(), "|")}
		return 0
	}, nil)
	c := ts.dial()
	for _, tt := range []struct{ line, words string }{
		{"", ""}, {"show ABC234", "show|ABC234"}, {`  two  spaces; 'a b'`, "two|spaces;|a b"}, {"a \x00 \"quoted", "a|\x00|quoted"},
		{strings.Repeat("x", 4<<10), strings.Repeat("x", 4<<10)},
	} {
		run(t, c, tt.line)
		if have := receive(t, got, "session"); have != [2]string{tt.line, tt.words} {
			t.Errorf("RawCommand and Command = %.20q; want %.20q, %.20q", have, tt.line, tt.words)
		}
	}
	ch := channel(t, c)
	ask(t, ch, "exec", oneString{""})
	if have := receive(t, got, "session"); have != [2]string{" ", ""} {
		t.Errorf("RawCommand and Command of an empty command = %q; want a line of no words, which is no shell", have)
	}
	object := `{"error":{"code":"usage","message":"A command has at most 4096 bytes."}}` + "\n"
	if have, want := run(t, c, strings.Repeat("x", 4<<10)+" --json"), (result{object, "A command has at most 4096 bytes.\n", 1}); have != want {
		t.Errorf("too long a command of a script gives %+v, want %+v", have, want)
	}
	if have, want := run(t, c, strings.Repeat("x", 4<<10+1)), (result{"", "A command has at most 4096 bytes.\n", 1}); have != want {
		t.Errorf("a long command gives %+v, want %+v", have, want)
	}
	german := run(t, c, strings.Repeat("x", 4<<10+1), "LANG=de_DE.UTF-8")
	if want := (result{"", "Ein Befehl hat höchstens 4096 Bytes.\n", 1}); german != want {
		t.Errorf("a long command in German gives %+v, want %+v", german, want)
	}
	if len(got) > 0 {
		t.Error("a long command was served")
	}
}

func TestPtyAndCommandTogether(t *testing.T) {
	tests := []struct{ name, term, want string }{
		{"plain", "xterm-256color", "xterm-256color"},
		{"unset", "", ""},
		{"escape sequence", "\x1b[2J", ""},
		{"path", "../../etc/passwd", ""},
		{"long", strings.Repeat("x", 65), ""},
	}
	got := make(chan string, 1)
	ts := startServer(t, func(s ssh.Session) int {
		pty, _, ok := s.Pty()
		got <- fmt.Sprint(pty.Term, " ", ok, " ", s.RawCommand())
		return 0
	}, nil)
	c := ts.dial()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ch := channel(t, c)
			if !ask(t, ch, "pty-req", ptyRequest{tt.term, 80, 24, 0, 0, "\x00"}) {
				t.Error("pty refused")
			}
			if ask(t, ch, "pty-req", ptyRequest{"other", 80, 24, 0, 0, ""}) {
				t.Error("a second pty was given")
			}
			ask(t, ch, "exec", oneString{"join ABC234"})
			if have, want := receive(t, got, "session"), tt.want+" true join ABC234"; have != want {
				t.Errorf("session %q, want %q", have, want)
			}
		})
	}
}

func TestEnv(t *testing.T) {
	got := make(chan []string, 1)
	ts := startServer(t, func(s ssh.Session) int { got <- s.Environ(); return 0 }, func(c *Config) { c.bounds = bounds{envVars: 6, envBytes: 100} })
	tests := []struct {
		name string
		set  []variable
		want []string
		took int
	}{
		{"none", nil, []string{}, 0},
		{"known names", []variable{{"LANG", "pl_PL.UTF-8"}, {"LC_ALL", "C"}, {"COLORTERM", "truecolor"}, {"NO_COLOR", ""}},
			[]string{"LANG=pl_PL.UTF-8", "LC_ALL=C", "COLORTERM=truecolor", "NO_COLOR="}, 4},
		{"other names", []variable{{"PATH", "/bin"}, {"LD_PRELOAD", "x"}, {"LC_", "x"}, {"LC_all", "x"}, {"LANG=x", "y"}, {"", "x"}, {"LANG\n", "x"}}, []string{}, 0},
		{"bad values", []variable{{"LANG", "a\x1b[2J"}, {"LANG", "a\nb"}, {"LANG", "\xff"}, {"LANG", "a\x00"}}, []string{}, 0},
		{"the same again", []variable{{"LANG", "a"}, {"TERM", "b"}, {"LANG", "c"}}, []string{"TERM=b", "LANG=c"}, 3},
		{"too many", []variable{{"LC_A", ""}, {"LC_B", ""}, {"LC_C", ""}, {"LC_D", ""}, {"LC_E", ""}, {"LC_F", ""}, {"LC_G", ""}},
			[]string{"LC_A=", "LC_B=", "LC_C=", "LC_D=", "LC_E=", "LC_F="}, 6},
		{"too long", []variable{{"LANG", strings.Repeat("x", 95)}, {"LC_A", ""}, {"LANG", strings.Repeat("y", 96)}},
			[]string{"LANG=" + strings.Repeat("x", 95)}, 1},
		{"endless", slices.Repeat([]variable{{"LANG", "x"}}, 500), []string{"LANG=x"}, 500},
	}
	c := ts.dial()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ch := channel(t, c)
			took := 0
			for _, v := range tt.set {
				if ask(t, ch, "env", v) {
					took++
				}
			}
			ask(t, ch, "shell", nil)
			if ok, err := ch.SendRequest("env", true, gossh.Marshal(variable{"LANG", "late"})); ok && err == nil {
				t.Error("a variable was taken after the shell had started")
			}
			if have := receive(t, got, "session"); !slices.Equal(have, tt.want) || took != tt.took {
				t.Errorf("took %d, Env = %q; want %d, %q", took, have, tt.took, tt.want)
			}
		})
	}
}

// TestRefusedRequests: nothing but a terminal, a language and a session can be had, and asking for more does no harm.
func TestRefusedRequests(t *testing.T) {
	stay := make(chan struct{})
	ts := startServer(t, func(s ssh.Session) int {
		<-stay
		_, _ = io.WriteString(s, "served")
		return 0
	}, nil)
	c := ts.dial()
	ch := channel(t, c)
	requests := []struct {
		name    string
		payload any
	}{
		{"auth-agent-req@openssh.com", nil},
		{"x11-req", struct {
			Single         bool
			Protocol, Data string
			Screen         uint32
		}{true, "MIT-MAGIC-COOKIE-1", "00", 0}},
		{"subsystem", oneString{"sftp"}},
		{"signal", oneString{"TERM"}},
		{"break", struct{ Length uint32 }{500}},
		{"keepalive@openssh.com", nil},
		{"made-up@example.com", oneString{"anything"}},
		{"pty-req", oneString{"cut short"}},
		{"env", oneString{"cut short"}},
		{"exec", nil},
	}
	for _, before := range []bool{true, false} {
		for _, r := range requests {
			if ask(t, ch, r.name, r.payload) {
				t.Errorf("%s was granted (before the shell: %v)", r.name, before)
			}
		}
		if ask(t, ch, "shell", nil) != before {
			t.Errorf("a shell was granted: %v, want %v", !before, before)
		}
	}
	if ask(t, ch, "exec", oneString{"again"}) || ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""}) {
		t.Error("a command or a pty was granted after the shell")
	}
	for _, name := range []string{"tcpip-forward", "cancel-tcpip-forward", "streamlocal-forward@openssh.com", "no-more-sessions@openssh.com", "keepalive@openssh.com", "made-up"} {
		if ok, _, err := c.SendRequest(name, true, gossh.Marshal(struct {
			Addr string
			Port uint32
		}{"127.0.0.1", 0})); ok || err != nil {
			t.Errorf("global request %s: %v, %v; want it refused", name, ok, err)
		}
	}
	for _, kind := range []string{"direct-tcpip", "forwarded-tcpip", "direct-streamlocal@openssh.com", "x11", "auth-agent@openssh.com", "tun@openssh.com", ""} {
		_, _, err := c.OpenChannel(kind, make([]byte, 64))
		if refused, ok := errors.AsType[*gossh.OpenChannelError](err); !ok || refused.Reason != gossh.UnknownChannelType {
			t.Errorf("channel %q: %v, want it refused", kind, err)
		}
	}
	close(stay)
	if got := readAll(t, ch); got != "served" {
		t.Errorf("after all that the session gives %q", got)
	}
}

// TestClosedChannel: a client that closes a channel and keeps the connection, as OpenSSH's shared connections do, leaves
// nothing of the session behind.
func TestClosedChannel(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error)
	ts := startServer(t, func(s ssh.Session) int {
		if s.RawCommand() != "" {
			return 0
		}
		started <- struct{}{}
		_, err := s.Read(make([]byte, 1))
		ended <- errors.Join(err, wantCause(s.Context(), ErrClosed))
		return 0
	}, func(c *Config) { c.Limits.SessionsPerConnection = 1 })
	c := ts.dial()
	ch := channel(t, c)
	ask(t, ch, "shell", nil)
	receive(t, started, "session")
	if err := ch.Close(); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, ended, "end"); !errors.Is(err, ErrClosed) && !errors.Is(err, io.EOF) || errors.Is(err, errWrongCause) {
		t.Errorf("Read = %v", err)
	}
	readAll(t, ch)
	retry(t, func() bool { return serves(c) }) // the one place of the connection is free again
}

var errWrongCause = errors.New("wrong cause")

// wantCause waits for the end of ctx.
func wantCause(ctx context.Context, want error) error {
	<-ctx.Done()
	if got := context.Cause(ctx); got != want {
		return fmt.Errorf("%w: %v, want %v", errWrongCause, got, want)
	}
	return nil
}

// TestRemote: the address is the client's, and words to a terminal end as a terminal wants it.
func TestRemote(t *testing.T) {
	got := make(chan string, 1)
	ts := startServer(t, func(s ssh.Session) int { got <- addrPort(s.RemoteAddr()).String(); panic("a bug") }, nil)
	c := ts.dial()
	ch := channel(t, c)
	ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""})
	ask(t, ch, "shell", nil)
	if have, want := receive(t, got, "session"), c.LocalAddr().String(); have != want {
		t.Errorf("Remote = %s, want %s", have, want)
	}
	if words := readAll(t, ch.Stderr()); !strings.HasSuffix(words, "again.\r\n") {
		t.Errorf("words to a terminal: %q", words)
	}
}

func TestPanic(t *testing.T) {
	stay := make(chan struct{})
	ts := startServer(t, func(s ssh.Session) int {
		if line := s.RawCommand(); line == "stay" {
			_, _ = io.WriteString(s, "still ")
			<-stay
			_, _ = io.WriteString(s, "here")
			return 0
		}
		panic("a bug")
	}, nil)
	c := ts.dial()
	other, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	other.Stdout = &out
	if err := other.Start("stay"); err != nil {
		t.Fatal(err)
	}
	const words = "Something broke on our side, and this session ends. Please connect again.\n"
	if got, want := run(t, c, "x"), (result{"", words, 1}); got != want {
		t.Errorf("the session gives %+v, want %+v", got, want)
	}
	line := ts.log.wait(t, "panic in a session", 1)[0]
	if line["panic"] != "a bug" || !strings.Contains(line["stack"].(string), "TestPanic") {
		t.Errorf("logged %v, want the panic and where it was", line)
	}
	close(stay)
	if err := other.Wait(); err != nil || out.String() != "still here" {
		t.Errorf("the other session gave %q, %v", out.String(), err)
	}
}

// TestSessionOfTheLibrary: what middleware may ask of any ssh.Session.
func TestSessionOfTheLibrary(t *testing.T) {
	type asked struct {
		user, remote, local, version, subsystem string
		key                                     gossh.PublicKey
		emulated, replied                       bool
		requestErr, exitErr                     error
	}
	got := make(chan asked, 1)
	ts := startServer(t, func(s ssh.Session) int {
		a := asked{
			user: s.User(), remote: s.RemoteAddr().String(), local: s.LocalAddr().String(), version: s.Context().ClientVersion(),
			subsystem: s.Subsystem(), key: s.PublicKey(), emulated: s.EmulatedPty(),
		}
		s.Signals(nil)
		s.Break(nil)
		if n, err := s.Stderr().Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("Read of stderr = %d, %v, want io.EOF", n, err)
		}
		a.replied, a.requestErr = s.SendRequest("made-up", true, nil)
		_, _ = io.WriteString(s, "one\ntwo\r\n")
		_, _ = io.WriteString(s.Stderr(), "three\n")
		if err := s.CloseWrite(); err != nil {
			t.Errorf("CloseWrite = %v", err)
		}
		_ = s.Exit(3)
		a.exitErr = s.Exit(4)
		got <- a
		return 0
	}, nil)
	key := newSigner(t)
	for _, tt := range []struct {
		name string
		auth gossh.AuthMethod
		pty  bool
		out  string
	}{
		{"a key", gossh.PublicKeys(key), false, "one\ntwo\r\nthree\n"},
		{"a certificate and a terminal", gossh.PublicKeys(certified(t, key, gossh.UserCert)), true, "one\r\ntwo\r\nthree\r\n"},
		{"a guest", asGuest(t), false, "one\ntwo\r\nthree\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := ts.dial(tt.auth)
			ch := channel(t, c)
			if tt.pty {
				ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""})
			}
			ask(t, ch, "shell", nil)
			out := readAll(t, ch)
			out += readAll(t, ch.Stderr())
			if out != tt.out {
				t.Errorf("written %q, want %q", out, tt.out)
			}
			a := receive(t, got, "session")
			if a.user != "ada" || a.remote != c.LocalAddr().String() || a.local != c.RemoteAddr().String() || a.version != "SSH-2.0-Go" || a.subsystem != "" {
				t.Errorf("the session is of %q at %s, to %s, with %s, subsystem %q", a.user, a.remote, a.local, a.version, a.subsystem)
			}
			if guest := tt.name == "a guest"; guest != (a.key == nil) || !guest && !bytes.Equal(a.key.Marshal(), key.PublicKey().Marshal()) {
				t.Errorf("PublicKey = %v", a.key)
			}
			if a.emulated != tt.pty || a.replied || a.requestErr != nil || a.exitErr != ErrClosed {
				t.Errorf("EmulatedPty %v, SendRequest %v, %v, second Exit %v", a.emulated, a.replied, a.requestErr, a.exitErr)
			}
		})
	}
}

// TestRequestWithoutAnswer: a client that doesn't answer a request holds up its session no longer than until it ends.
func TestRequestWithoutAnswer(t *testing.T) {
	ended := make(chan error, 1)
	ts := startServer(t, func(s ssh.Session) int {
		_, err := s.SendRequest("made-up", true, nil)
		ended <- err
		_, err = s.SendRequest("made-up", true, nil)
		ended <- err
		return 0
	}, nil)
	ch, requests, err := ts.dial().OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, ch, "shell", nil)
	if r := receive(t, requests, "request"); r.Type != "made-up" || !r.WantReply {
		t.Errorf("the server asks %q, reply wanted %v", r.Type, r.WantReply)
	}
	if err := ch.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := receive(t, ended, "end of SendRequest"); err != ErrClosed {
			t.Errorf("SendRequest = %v, want ErrClosed", err)
		}
	}
}

// TestStatusWithoutExit: a chain that returns without a status has done what was asked.
func TestStatusWithoutExit(t *testing.T) {
	ts := startServer(t, nil, func(c *Config) {
		c.Middleware = []wish.Middleware{func(ssh.Handler) ssh.Handler { return func(ssh.Session) {} }}
	})
	if got := run(t, ts.dial(), "x"); got != (result{}) {
		t.Errorf("got %+v, want nothing and status 0", got)
	}
}

// FuzzRequests sends any requests in any order: whatever they hold, what the session keeps of them stays within its bounds.
func FuzzRequests(f *testing.F) {
	f.Add("pty-req", gossh.Marshal(ptyRequest{"xterm", 80, 24, 0, 0, "\x00"}), "window-change", gossh.Marshal(windowChange{1 << 31, 0, 0, 0}))
	f.Add("env", gossh.Marshal(variable{"LANG", "pl_PL.UTF-8"}), "exec", gossh.Marshal(oneString{"show ABC234"}))
	f.Add("env", gossh.Marshal(variable{"LANG", "\x1b"}), "shell", []byte{})
	f.Add("subsystem", gossh.Marshal(oneString{"sftp"}), "pty-req", []byte{0, 0, 0, 200})
	limits := DefaultLimits()
	small := bounds{envVars: 2, envBytes: 40, commandBytes: 20}
	f.Fuzz(func(t *testing.T, first string, firstPayload []byte, second string, secondPayload []byte) {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := &session{limits: &limits, bounds: small, ctx: sessionContext{session: ctx}, cancel: cancel, resizes: make(chan ssh.Window, 1)}
		serving := false
		for i := range 4 {
			r := &gossh.Request{Type: first, Payload: firstPayload}
			if i%2 == 1 {
				r = &gossh.Request{Type: second, Payload: secondPayload}
			}
			start, reply := s.answer(r, serving)
			if start && (serving || !reply || r.Type != "shell" && r.Type != "exec") {
				t.Fatalf("%s starts a session: serving %v, reply %v", r.Type, serving, reply)
			}
			serving = serving || start
			checkBounds(t, s)
		}
	})
}

func checkBounds(t *testing.T, s *session) {
	t.Helper()
	pty, resizes, ok := s.Pty()
	size := pty.Window
	sizes := []ssh.Window{size}
	select {
	case size = <-resizes:
		sizes = append(sizes, size)
	default:
	}
	for _, w := range sizes {
		if ok && (w.Width < 1 || w.Height < 1 || w.Width > maxSide || w.Height > maxSide) {
			t.Fatalf("size %v", w)
		}
	}
	if !printable(pty.Term) || len(pty.Term) > 64 {
		t.Fatalf("terminal %q", pty.Term)
	}
	env := s.Environ()
	if len(env) > s.bounds.envVars || len(strings.Join(env, "")) > s.bounds.envBytes || slices.ContainsFunc(env, func(v string) bool { return !printable(v) }) {
		t.Fatalf("environment %q", env)
	}
	if line := s.RawCommand(); len(line) > s.bounds.commandBytes {
		t.Fatalf("command %q", line)
	}
}

func TestWindowSizes(t *testing.T) {
	const huge = 1<<32 - 1
	tests := []struct {
		columns, rows uint32
		want          ssh.Window
	}{
		{80, 24, ssh.Window{Width: 80, Height: 24}},
		{0, 0, ssh.Window{Width: 80, Height: 24}},
		{1, 1, ssh.Window{Width: 1, Height: 1}},
		{200, 0, ssh.Window{Width: 200, Height: 24}},
		{0, 300, ssh.Window{Width: 80, Height: 300}},
		{300, 100, ssh.Window{Width: 300, Height: 100}},
		{4096, 4097, ssh.Window{Width: 4096, Height: 4096}},
		{20000, 20000, ssh.Window{Width: 4096, Height: 4096}},
		{huge, huge, ssh.Window{Width: 4096, Height: 4096}},
		{1 << 31, 1 << 31, ssh.Window{Width: 4096, Height: 4096}},
	}
	seen, ended := make(chan ssh.Window), make(chan struct{}, len(tests))
	ts := startServer(t, func(s ssh.Session) int {
		defer func() { ended <- struct{}{} }()
		pty, resizes, ok := s.Pty()
		if !ok {
			t.Error("no pty")
		}
		for w := pty.Window; ; {
			select {
			case seen <- w:
			case <-s.Context().Done():
				return 0
			}
			select {
			case w = <-resizes:
			case <-s.Context().Done():
				return 0
			}
		}
	}, nil)
	c := ts.dial()
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%dx%d", tt.columns, tt.rows), func(t *testing.T) {
			ch := channel(t, c)
			defer func() { // the next case must not receive this one's size, which the session may be sending again
				_ = ch.Close()
				receive(t, ended, "end of the session")
			}()
			if !ask(t, ch, "pty-req", ptyRequest{"xterm", tt.columns, tt.rows, huge, huge, ""}) || !ask(t, ch, "shell", nil) {
				t.Fatal("pty or shell refused")
			}
			if got := receive(t, seen, "size"); got != tt.want {
				t.Errorf("first size %v, want %v", got, tt.want)
			}
			if !ask(t, ch, "window-change", windowChange{tt.columns, tt.rows, huge, huge}) {
				t.Error("window change refused")
			}
			if got := receive(t, seen, "later size"); got != tt.want {
				t.Errorf("later size %v, want %v", got, tt.want)
			}
		})
	}
}

// TestWindowChangesNeverWait: the session takes new sizes before the shell request, and while they aren't read. Only the newest counts.
func TestWindowChangesNeverWait(t *testing.T) {
	read, sizes := make(chan struct{}), make(chan ssh.Window, 3)
	ts := startServer(t, func(s ssh.Session) int {
		pty, resizes, _ := s.Pty()
		sizes <- pty.Window
		<-read
		sizes <- <-resizes
		pty, _, _ = s.Pty()
		sizes <- pty.Window
		return 0
	}, nil)
	ch := channel(t, ts.dial())
	if ask(t, ch, "window-change", windowChange{10, 10, 0, 0}) {
		t.Error("a window change without a pty was taken")
	}
	ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""})
	for range 100 {
		ask(t, ch, "window-change", windowChange{50, 20, 0, 0})
	}
	ask(t, ch, "shell", nil)
	if got, want := receive(t, sizes, "size"), (ssh.Window{Width: 50, Height: 20}); got != want {
		t.Errorf("first size %v, want %v", got, want)
	}
	for i := range uint32(100) {
		ask(t, ch, "window-change", windowChange{100 + i, 30, 0, 0})
	}
	close(read)
	for range 2 {
		if got, want := receive(t, sizes, "size"), (ssh.Window{Width: 199, Height: 30}); got != want {
			t.Errorf("the size read late is %v, want %v", got, want)
		}
	}
}

// TestStoppedReader: a client that takes nothing of a session blocks neither its other sessions nor Close.
func TestStoppedReader(t *testing.T) {
	wrote, closed := make(chan error, 1), make(chan ssh.Session, 1)
	ts := startServer(t, func(s ssh.Session) int {
		if line := s.RawCommand(); line != "flood" {
			_, _ = io.Copy(s, s)
			return 0
		}
		closed <- s
		page := make([]byte, 64<<10)
		for {
			if _, err := s.Write(page); err != nil {
				wrote <- err
				return 0
			}
		}
	}, nil)
	c := ts.dial()
	ask(t, channel(t, c), "exec", oneString{"flood"}) // never read: the window closes after 2 MiB
	echo := run2(t, c)
	echo("the other session goes on")
	s := receive(t, closed, "session")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := receive(t, wrote, "end of Write"); err != ErrClosed {
		t.Errorf("Write = %v, want ErrClosed", err)
	}
	if _, err := s.Write([]byte("x")); err != ErrClosed {
		t.Errorf("Write after Close = %v, want ErrClosed", err)
	}
	if _, err := s.Read(make([]byte, 1)); err != ErrClosed {
		t.Errorf("Read after Close = %v, want ErrClosed", err)
	}
	echo("and on")
}

// run2 starts an echo and returns a function that uses it.
func run2(t *testing.T, c *gossh.Client) func(line string) {
	t.Helper()
	ch := channel(t, c)
	ask(t, ch, "exec", oneString{"echo"})
	return func(line string) {
		t.Helper()
		if _, err := io.WriteString(ch, line); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(line))
		if _, err := io.ReadFull(ch, got); err != nil || string(got) != line {
			t.Fatalf("echo of %q: %q, %v", line, got, err)
		}
	}
}

// BenchmarkEcho is a key's way to a session and back over loopback.
func BenchmarkEcho(b *testing.B) {
	ts := startServer(b, func(s ssh.Session) int { _, _ = io.Copy(s, s); return 0 }, nil)
	ch := channel(b, ts.dial())
	ask(b, ch, "shell", nil)
	key := []byte("x")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ch.Write(key); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(ch, key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignIn is a whole connection: key exchange, sign-in as a guest, a session and its end. The client's work is in it.
func BenchmarkSignIn(b *testing.B) {
	ts := startServer(b, func(ssh.Session) int { return 0 }, nil)
	for b.Loop() {
		c, err := gossh.Dial("tcp", ts.addr, ts.config(asGuest(b)))
		if err != nil {
			b.Fatal(err)
		}
		if got := run(b, c, ""); got.status != 0 {
			b.Fatal(got)
		}
		_ = c.Close()
	}
}

// BenchmarkIdleSession measures what a session costs that does nothing, its client in the same process included.
func BenchmarkIdleSession(b *testing.B) {
	const sessions = 100
	ts := startServer(b, stayOrGo, nil)
	for b.Loop() {
		before := heapInUse()
		clients := make([]*gossh.Client, sessions)
		for i := range clients {
			clients[i] = ts.dial()
			ask(b, channel(b, clients[i]), "exec", oneString{"stay"})
		}
		b.ReportMetric(float64(heapInUse()-before)/sessions, "B/session")
		for _, c := range clients {
			_ = c.Close()
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// TestReadWhileWriteHangs: what a client types is read while it leaves what was written unread, and when it leaves, Write ends.
func TestReadWhileWriteHangs(t *testing.T) {
	typed, wrote := make(chan string), make(chan error, 1)
	ts := startServer(t, func(s ssh.Session) int {
		var writing sync.WaitGroup
		defer writing.Wait()
		writing.Go(func() {
			_, err := s.Write(make([]byte, 8<<20)) // more than the window of 2 MiB
			wrote <- err
		})
		buf := make([]byte, 100)
		for {
			n, err := s.Read(buf)
			if err != nil {
				return 0
			}
			typed <- string(buf[:n])
		}
	}, nil)
	for _, tt := range []struct {
		name  string
		leave func(c *gossh.Client, ch gossh.Channel) error
	}{
		{"closes the channel", func(_ *gossh.Client, ch gossh.Channel) error { return ch.Close() }},
		{"closes the connection", func(c *gossh.Client, _ gossh.Channel) error { return c.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := ts.dial()
			ch := channel(t, c)
			ask(t, ch, "shell", nil)
			if _, err := io.ReadFull(ch, make([]byte, 1)); err != nil { // it is writing
				t.Fatal(err)
			}
			for _, key := range []string{"one", "two", "three"} {
				if _, err := io.WriteString(ch, key); err != nil {
					t.Fatal(err)
				}
				if got := receive(t, typed, "keys"); got != key {
					t.Errorf("typed %q, want %q", got, key)
				}
			}
			if err := tt.leave(c, ch); err != nil {
				t.Fatal(err)
			}
			if err := receive(t, wrote, "end of Write"); err != ErrClosed {
				t.Errorf("Write = %v, want ErrClosed", err)
			}
		})
	}
}

// TestExitEndsReadAndWrite: the session ends for its handler although the client doesn't close the channel: what hangs returns,
// and the exit status is sent.
func TestExitEndsReadAndWrite(t *testing.T) {
	ended := make(chan error, 2)
	ts := startServer(t, func(s ssh.Session) int {
		var hanging sync.WaitGroup
		hanging.Go(func() {
			_, err := s.Write(make([]byte, 8<<20))
			ended <- err
		})
		hanging.Go(func() {
			buf := make([]byte, 1)
			_, err := io.ReadFull(s, buf) // one key signals that both hang
			if err == nil {
				_ = s.Exit(5)
				_, err = s.Read(buf)
			}
			ended <- err
		})
		hanging.Wait()
		return 0
	}, nil)
	ch, requests, err := ts.dial().OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, ch, "shell", nil)
	if _, err := io.ReadFull(ch, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(ch, "x"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := receive(t, ended, "end of Read and Write"); err != ErrClosed {
			t.Errorf("%v, want ErrClosed", err)
		}
	}
	var status struct{ Status uint32 }
	if r := receive(t, requests, "exit status"); r.Type != "exit-status" || gossh.Unmarshal(r.Payload, &status) != nil || status.Status != 5 {
		t.Errorf("the server says %s %d, want exit-status 5", r.Type, status.Status)
	}
}

// TestGo: what Go runs reads and writes the channel as it is, in turn with Write. While it hangs the session can end, and Write
// with it; it ends with the channel.
func TestGo(t *testing.T) {
	const pieces, size = 20, 100_000 // each takes several packets
	wrote, ended := make(chan error, 1), make(chan struct{}, 2)
	ts := startServer(t, func(s ssh.Session) int {
		own := s.(terminal.Runner)
		typed := make(chan byte)
		own.Go(func(from io.ReadWriter) {
			defer func() { ended <- struct{}{} }()
			for key := make([]byte, 1); ; {
				if _, err := from.Read(key); err != nil {
					return
				}
				typed <- key[0]
			}
		})
		key := <-typed
		own.Go(func(to io.ReadWriter) {
			defer func() { ended <- struct{}{} }()
			for range pieces {
				if _, err := to.Write(bytes.Repeat([]byte{key}, size)); err != nil {
					t.Errorf("Write = %v", err)
				}
			}
			_, _ = to.Write([]byte("\n"))
			typed <- 0
			_, _ = to.Write(make([]byte, 8<<20)) // more than the window of 2 MiB
		})
		for range pieces {
			if _, err := s.Write(bytes.Repeat([]byte("b"), size)); err != nil {
				t.Errorf("Write = %v", err)
			}
		}
		<-typed
		<-typed // from here on it hangs
		var writing sync.WaitGroup
		defer writing.Wait()
		writing.Go(func() {
			_, err := s.Write(make([]byte, 8<<20))
			wrote <- err
		})
		_ = s.Exit(4)
		return 0
	}, nil)
	ch, requests, err := ts.dial().OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""})
	ask(t, ch, "shell", nil)
	if _, err := io.WriteString(ch, "a"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 2*pieces*size+1)
	if _, err := io.ReadFull(ch, got); err != nil {
		t.Fatal(err)
	}
	if as, bs, ends := bytes.Count(got, []byte("a")), bytes.Count(got, []byte("b")), bytes.Count(got, []byte("\n")); as != pieces*size || bs != pieces*size || ends != 1 {
		t.Errorf("%d times a, %d times b, %d line feeds came; want %d, %[4]d, 1", as, bs, ends, pieces*size)
	}
	for rest := got; len(rest) > 0; {
		run := len(rest) - len(bytes.TrimLeft(rest, string(rest[:1])))
		if rest[0] != '\n' && run%size != 0 {
			t.Fatalf("%d times %c in a row: pieces are mixed", run, rest[0])
		}
		rest = rest[run:]
	}
	if _, err := io.ReadFull(ch, got[:1]); err != nil { // the long ones begin
		t.Fatal(err)
	}
	if _, err := io.WriteString(ch, "x"); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, wrote, "end of Write"); err != ErrClosed {
		t.Errorf("Write = %v, want ErrClosed", err)
	}
	if r := receive(t, requests, "exit status"); r.Type != "exit-status" {
		t.Errorf("the server says %s, want exit-status", r.Type)
	}
	for range 2 { // the client closes the channel when it hears that the server does
		receive(t, ended, "end of what Go runs")
	}
}

// A slowChannel is the channel of a client that reads rate bytes a second. 0 means that it never reads.
type slowChannel struct {
	gossh.Channel
	rate   int
	closed chan struct{}
}

func (c *slowChannel) Stderr() io.ReadWriter { return c }

func (c *slowChannel) Write(p []byte) (int, error) {
	var read <-chan time.Time
	if c.rate > 0 {
		read = time.After(time.Duration(len(p)) * time.Second / time.Duration(c.rate))
	}
	select {
	case <-read:
		return len(p), nil
	case <-c.closed:
		return 0, io.EOF
	}
}

// TestSlowReader: a client that reads nothing, or hardly anything, loses its session and its connection; one that is merely slow gets everything.
func TestSlowReader(t *testing.T) {
	for _, tt := range []struct {
		name string
		rate int           // bytes a second that the client reads
		took time.Duration // for 256 KiB, or until the end
		lost bool
	}{
		{"nothing", 0, 21 * time.Second, true},      // the stall limit, and the time for a KiB
		{"too slowly", 480, 38 * time.Second, true}, // 17 times more than two seconds for a KiB, and less than that for the next
		{"at the lowest rate", leastRate, 256 * time.Second, false},
		{"at four times that", 4 * leastRate, 64 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, stream := range []string{"answer", "complaints"} {
				synctest.Test(t, func(t *testing.T) {
					limits := DefaultLimits()
					stalled := 0
					ctx, cancel := context.WithCancelCause(t.Context())
					ch := &slowChannel{rate: tt.rate, closed: make(chan struct{})}
					s := &session{
						channel: ch, limits: &limits, ctx: sessionContext{session: ctx}, cancel: cancel, stalled: func() { stalled++; close(ch.closed) },
						over: make(chan struct{}), writing: make(chan struct{}, 1),
					}
					to := io.Writer(s)
					if stream == "complaints" {
						to = s.Stderr()
					}
					began := time.Now()
					var err error
					for i := 0; i < 256 && err == nil; i++ { // many small writes are no way around it
						_, err = to.Write(make([]byte, 1<<10))
					}
					if (err == ErrClosed) != tt.lost || (stalled > 0) != tt.lost || (ctx.Err() != nil) != tt.lost {
						t.Errorf("%s: Write = %v after %v, stalled %d times, context: %v", stream, err, time.Since(began), stalled, ctx.Err())
					}
					if took := time.Since(began); took != tt.took {
						t.Errorf("%s: it took %v, want %v", stream, took, tt.took)
					}
					s.end(ErrClosed)
					s.working.Wait()
				})
			}
		})
	}
}

// TestStalledReader: a client that leaves the window of its channel closed loses its connection, whatever kind of session that is.
func TestStalledReader(t *testing.T) {
	ts := startServer(t, func(s ssh.Session) int {
		_, _ = s.Write(make([]byte, 2<<20)) // the whole window
		for {
			if _, err := s.Write(make([]byte, 1)); err != nil {
				return 0
			}
		}
	}, func(cfg *Config) { cfg.Limits.WriteStall = soon })
	ask(t, channel(t, ts.dial()), "exec", oneString{"flood"})
	if got := ts.ended(); got != writeStalled {
		t.Errorf("the connection ends for %q, want %q", got, writeStalled)
	}
}
