package sshapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	gossh "golang.org/x/crypto/ssh"
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
		{"returned", func(*Session) int { return 0 }, result{"", "", 0}},
		{"returned 2", func(*Session) int { return 2 }, result{"", "", 2}},
		{"too large", func(*Session) int { return 256 + 7 }, result{"", "", 7}},
		{"both streams", func(s *Session) int {
			_, _ = io.WriteString(s, "out")
			_, _ = io.WriteString(s.Stderr(), "err")
			return 1
		}, result{"out", "err", 1}},
		{"by Exit, the first counts", func(s *Session) int { s.Exit(3); s.Exit(4); return 5 }, result{"", "", 3}},
		{"closed, then returned", func(s *Session) int { _ = s.Close(); _ = s.Close(); return 6 }, result{"", "", 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := openDoor(t, tt.h, nil)
			if got := run(t, d.dial(), "x"); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestLongWrite(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<14) // 256 KiB: many chunks
	d := openDoor(t, func(s *Session) int {
		if n, err := s.Write(want); n != len(want) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
		return 0
	}, nil)
	if got := run(t, d.dial(), "x"); got.out != string(want) || got.status != 0 {
		t.Errorf("%d bytes arrived, status %d; want %d bytes as they were sent", len(got.out), got.status, len(want))
	}
}

// TestInput: what the client types arrives whole, and its end is not the end of the session.
func TestInput(t *testing.T) {
	want := strings.Repeat("a line of a script\n", 1<<12)
	d := openDoor(t, func(s *Session) int {
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
	s, err := d.dial().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s.Stdin = strings.NewReader(want)
	if out, err := s.Output("x"); string(out) != fmt.Sprint(len(want)) || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestCommand(t *testing.T) {
	type command struct {
		line string
		exec bool
	}
	got := make(chan command, 1)
	d := openDoor(t, func(s *Session) int {
		line, exec := s.Command()
		got <- command{line, exec}
		return 0
	}, nil)
	c := d.dial()
	for _, want := range []command{{"", false}, {"show ABC234", true}, {"  two  spaces; \x00 \"quoted", true}, {strings.Repeat("x", 4<<10), true}} {
		run(t, c, want.line)
		if have := receive(t, got, "session"); have != want {
			t.Errorf("Command = %.20q, %v; want %.20q, %v", have.line, have.exec, want.line, want.exec)
		}
	}
	if have, want := run(t, c, strings.Repeat("x", 4<<10+1)), (result{"", "A command has at most 4096 bytes.\n", 1}); have != want {
		t.Errorf("a long command gives %+v, want %+v", have, want)
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
	d := openDoor(t, func(s *Session) int {
		term, _, _, pty := s.Pty()
		line, exec := s.Command()
		got <- fmt.Sprint(term, " ", pty, " ", line, " ", exec)
		return 0
	}, nil)
	c := d.dial()
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
			if have, want := receive(t, got, "session"), tt.want+" true join ABC234 true"; have != want {
				t.Errorf("session %q, want %q", have, want)
			}
		})
	}
}

func TestEnv(t *testing.T) {
	got := make(chan []string, 1)
	d := openDoor(t, func(s *Session) int { got <- s.Env(); return 0 }, func(c *Config) { c.Limits.EnvVars = 6; c.Limits.EnvBytes = 100 })
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
	c := d.dial()
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

// TestRefusedRequests: nothing but a terminal, a language and a session can be had, and asking for more harms nobody.
func TestRefusedRequests(t *testing.T) {
	stay := make(chan struct{})
	d := openDoor(t, func(s *Session) int {
		<-stay
		_, _ = io.WriteString(s, "served")
		return 0
	}, nil)
	c := d.dial()
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
	d := openDoor(t, func(s *Session) int {
		if _, exec := s.Command(); exec {
			return 0
		}
		started <- struct{}{}
		_, err := s.Read(make([]byte, 1))
		ended <- errors.Join(err, wantCause(s.Context(), ErrClosed))
		return 0
	}, func(c *Config) { c.Limits.SessionsPerConnection = 1 })
	c := d.dial()
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
	d := openDoor(t, func(s *Session) int { got <- s.Remote().String(); panic("a bug") }, nil)
	c := d.dial()
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
	d := openDoor(t, func(s *Session) int {
		if line, _ := s.Command(); line == "stay" {
			_, _ = io.WriteString(s, "still ")
			<-stay
			_, _ = io.WriteString(s, "here")
			return 0
		}
		panic("a bug")
	}, nil)
	c := d.dial()
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
	line := d.log.wait(t, "panic in a session", 1)[0]
	if line["panic"] != "a bug" || !strings.Contains(line["stack"].(string), "TestPanic") {
		t.Errorf("logged %v, want the panic and where it was", line)
	}
	close(stay)
	if err := other.Wait(); err != nil || out.String() != "still here" {
		t.Errorf("the other session gave %q, %v", out.String(), err)
	}
}

// TestCarryAfterTheEnd: whoever works as the terminal driver does hears of the session's end, before or after it, and can start
// what he likes.
func TestCarryAfterTheEnd(t *testing.T) {
	tests := []struct {
		name string
		late bool // the session has ended before it is carried
	}{{"before", false}, {"after", true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hears := newListener()
			d := openDoor(t, func(s *Session) int {
				if tt.late {
					<-s.Context().Done()
				}
				s.Carry(hears)
				s.Start([]byte("here"))
				<-s.Context().Done()
				<-hears.silent
				s.Start([]byte("too late"))
				s.Start([]byte("once more"))
				s.Start([]byte("and again"))
				<-hears.hungUp
				return 0
			}, nil)
			c := d.dial()
			ch := channel(t, c)
			ask(t, ch, "shell", nil)
			if !tt.late {
				if _, err := io.WriteString(ch, "typed"); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(ch, make([]byte, len("here"))); err != nil {
					t.Fatal(err)
				}
				if got := receive(t, hears.typed, "keys"); got != "typed" {
					t.Errorf("typed: %q", got)
				}
				receive(t, hears.written, "answer")
			}
			_ = c.Close()
			receive(t, hears.silent, "end of writing")
			receive(t, hears.hungUp, "end of reading")
		})
	}
}

// A listener takes note of what a carrier tells.
type listener struct {
	typed   chan string
	written chan struct{}
	once    sync.Once
	silent  chan struct{} // closed when nothing more is written
	hungUp  chan struct{} // closed when nothing more is typed
}

func newListener() *listener {
	return &listener{
		typed: make(chan string, 1), written: make(chan struct{}, 1), silent: make(chan struct{}), hungUp: make(chan struct{}),
	}
}

func (l *listener) Typed(chunk []byte) []byte { l.typed <- string(chunk); return nil }
func (l *listener) HungUp()                   { close(l.hungUp) }

func (l *listener) Written(err error) {
	if err != nil {
		l.once.Do(func() { close(l.silent) }) // of the piece under way, and of all
		return
	}
	l.written <- struct{}{}
}
