package terminal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
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
	gossh "golang.org/x/crypto/ssh"
)

// wishServer serves a chain of middlewares on a server made by Wish, and returns a connection to it.
func wishServer(t *testing.T, chain ...wish.Middleware) *gossh.Client {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	server, err := wish.NewServer(wish.WithMiddleware(chain...), func(s *ssh.Server) error { s.AddHostKey(signer); return nil })
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	client, err := gossh.Dial("tcp", listener.Addr().String(), &gossh.ClientConfig{User: "ana", HostKeyCallback: gossh.InsecureIgnoreHostKey()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// TestMiddleware runs models on a server that Wish makes, between two of its own middlewares.
func TestMiddleware(t *testing.T) {
	t.Cleanup(func() { leavesNothing(t) })
	var mu sync.Mutex
	var told []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf(format, args...))
	}
	models := func(s ssh.Session) (tea.Model, Options) {
		if s.RawCommand() == "echo" {
			return nil, Options{}
		}
		m := typist()
		typed := m.update
		m.update = func(msg tea.Msg) tea.Cmd {
			switch msg := msg.(type) {
			case tea.WindowSizeMsg:
				note("%dx%d", msg.Width, msg.Height)
			case tea.EnvMsg:
				note("%s %s", msg.Getenv("TERM"), msg.Getenv("LANG"))
			case tea.KeyPressMsg:
				if msg.String() == "p" {
					panic("on purpose")
				}
			}
			return typed(msg)
		}
		return m, Options{
			Farewell: func(err error) string { return fmt.Sprint("bye ", errors.Is(err, ErrPanic)) },
			OnPanic:  func(err *PanicError) { note("%v", err.Value) },
		}
	}
	called := make(chan struct{}, 1) // the next handler
	last := func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			if s.RawCommand() == "echo" {
				wish.Print(s, "echoed")
			}
			note("next")
			called <- struct{}{}
			next(s)
		}
	}
	client := wishServer(t, last, Middleware(models), elapsed.Middleware(), accesscontrol.Middleware("echo")) // the last is the first to be called

	tests := []struct {
		name     string
		command  string
		terminal bool
		keys     []string // each when the screen shows what is in shows
		shows    []string
		told     []string
		status   int
		output   string // some of what came in the end
	}{
		{name: "screens", terminal: true, keys: []string{"hé", "q"}, shows: []string{"typed:", "hé"},
			told: []string{"xterm-256color pt", "100x30", "120x40", "next"}, output: "bye false\r\n"},
		{name: "a panic", terminal: true, keys: []string{"p"}, shows: []string{"typed:"},
			told: []string{"xterm-256color pt", "100x30", "120x40", "on purpose", "next"}, status: 1, output: "bye true\r\n"},
		{name: "no terminal", told: []string{"next"}, status: 1, output: "no active terminal"},
		{name: "no model", command: "echo", told: []string{"next"}, output: "echoed"},
		{name: "refused by another middleware", command: "rm", status: 1, output: "Command is not allowed: rm"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mu.Lock()
			told = nil
			mu.Unlock()
			session, err := client.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			keys, _ := session.StdinPipe()
			output, _ := session.StdoutPipe()
			var complaints bytes.Buffer
			session.Stderr = &complaints
			if tt.terminal {
				_ = session.Setenv("LANG", "pt")
				if err := session.RequestPty("xterm-256color", 30, 100, nil); err != nil {
					t.Fatal(err)
				}
			}
			if tt.command != "" {
				err = session.Start(tt.command)
			} else {
				err = session.Shell()
			}
			if err != nil {
				t.Fatal(err)
			}
			seen := ""
			buf := make([]byte, 4096)
			for i, want := range tt.shows {
				for !strings.Contains(seen, want) {
					n, err := output.Read(buf)
					if seen += string(buf[:n]); err != nil {
						t.Fatalf("the output ended with %v before %q: %q", err, want, seen)
					}
				}
				seen = ""
				if i == 0 {
					_ = session.WindowChange(40, 120)
					for !strings.Contains(seen, "\x1b[2J") { // all is drawn anew
						n, err := output.Read(buf)
						if seen += string(buf[:n]); err != nil {
							t.Fatal(err)
						}
					}
				}
				_, _ = io.WriteString(keys, tt.keys[i])
			}
			rest, _ := io.ReadAll(output)
			status := 0
			var exit *gossh.ExitError
			if err := session.Wait(); errors.As(err, &exit) {
				status = exit.ExitStatus()
			} else if err != nil {
				t.Fatal(err)
			}
			if got := string(rest) + complaints.String(); status != tt.status || !strings.Contains(got, tt.output) {
				t.Errorf("status %d, output %q; want %d and %q in it", status, got, tt.status, tt.output)
			}
			if len(tt.told) > 0 {
				<-called
			}
			mu.Lock()
			defer mu.Unlock()
			if got, want := strings.Join(told, ", "), strings.Join(tt.told, ", "); got != want {
				t.Errorf("the model and the next handler were told %q, want %q", got, want)
			}
		})
	}
}

// A stubborn is a session whose client doesn't close its channel. Read ends with the connection.
type stubborn struct {
	ssh.Session
	ctx  ssh.Context
	over chan struct{}
}

func (s stubborn) Context() ssh.Context { return s.ctx }
func (s stubborn) Environ() []string    { return nil }
func (s stubborn) Exit(int) error       { return nil }
func (s stubborn) Pty() (ssh.Pty, <-chan ssh.Window, bool) {
	return ssh.Pty{Term: "xterm"}, nil, true
}
func (s stubborn) Write(p []byte) (int, error) { return len(p), nil }
func (s stubborn) Read([]byte) (int, error)    { <-s.over; return 0, io.EOF }

type stubbornContext struct {
	ssh.Context
	base context.Context
	conn io.Closer
}

func (c stubbornContext) Deadline() (time.Time, bool) { return c.base.Deadline() }
func (c stubbornContext) Done() <-chan struct{}       { return c.base.Done() }
func (c stubbornContext) Err() error                  { return c.base.Err() }
func (c stubbornContext) Value(key any) any {
	if key == ssh.ContextKeyConn {
		return c.conn
	}
	return c.base.Value(key)
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// TestChannelThatStaysOpen: a client that doesn't close its channel after the end loses its connection.
func TestChannelThatStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stubborn{over: make(chan struct{})}
		s.ctx = stubbornContext{base: t.Context(), conn: closerFunc(func() error { close(s.over); return nil })}
		m := &probe{init: func() tea.Cmd { return tea.Quit }}
		begin := time.Now()
		Middleware(func(ssh.Session) (tea.Model, Options) { return m, Options{} })(func(ssh.Session) {})(s)
		if got := time.Since(begin); got != closeTime {
			t.Errorf("it took %v, want %v", got, closeTime)
		}
	})
}

// A sized is a session whose window has a size from the beginning, and whose client leaves when leave is closed.
type sized struct {
	stubborn
	sizes chan ssh.Window
	leave chan struct{}
}

func (s sized) Pty() (ssh.Pty, <-chan ssh.Window, bool) {
	return ssh.Pty{Term: "xterm", Window: ssh.Window{Width: 100, Height: 30}}, s.sizes, true
}
func (s sized) Read([]byte) (int, error) { <-s.leave; return 0, io.EOF }

// TestFirstSize: the model is told once of the size that the window has at first, although that also comes with the later ones.
func TestFirstSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sized{stubborn{over: make(chan struct{})}, make(chan ssh.Window, 1), make(chan struct{})}
		s.ctx = stubbornContext{base: t.Context(), conn: closerFunc(func() error { return nil })}
		s.sizes <- ssh.Window{Width: 100, Height: 30}
		var told []Window
		m := &probe{update: func(msg tea.Msg) tea.Cmd {
			if size, ok := msg.(tea.WindowSizeMsg); ok {
				told = append(told, Window(size))
			}
			return nil
		}}
		var running sync.WaitGroup
		running.Go(func() {
			Middleware(func(ssh.Session) (tea.Model, Options) { return m, Options{} })(func(ssh.Session) {})(s)
		})
		time.Sleep(time.Second) // the bubble's clock
		synctest.Wait()
		s.sizes <- ssh.Window{Width: 120, Height: 40}
		time.Sleep(time.Second)
		synctest.Wait()
		if want := []Window{{100, 30}, {120, 40}}; !slices.Equal(told, want) {
			t.Errorf("the model was told %v, want %v", told, want)
		}
		close(s.leave)
		running.Wait()
	})
}

// A stubbornRunner is a stubborn session that runs the reader and the writer itself.
type stubbornRunner struct {
	stubborn
	running *sync.WaitGroup
	ran     *int
}

func (s stubbornRunner) Go(f func(io.ReadWriter)) {
	*s.ran++
	s.running.Go(func() { f(s) })
}

// TestSessionThatIsARunner: the middleware has it run the reader and the writer, and returns before these have ended.
func TestSessionThatIsARunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stubbornRunner{stubborn{over: make(chan struct{})}, new(sync.WaitGroup), new(int)}
		s.ctx = stubbornContext{base: t.Context(), conn: closerFunc(func() error { t.Error("the connection is closed"); return nil })}
		m := &probe{init: func() tea.Cmd { return tea.Quit }}
		begin := time.Now()
		Middleware(func(ssh.Session) (tea.Model, Options) { return m, Options{} })(func(ssh.Session) {})(s)
		if took := time.Since(begin); took != 0 || *s.ran != 2 {
			t.Errorf("it took %v and the session ran %d goroutines, want 0 and 2", took, *s.ran)
		}
		time.Sleep(2 * closeTime) // the bubble's clock, not the world's
		close(s.over)
		s.running.Wait()
	})
}
