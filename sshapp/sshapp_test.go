package sshapp

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	"go.uber.org/goleak"
	gossh "golang.org/x/crypto/ssh"
)

func TestMain(m *testing.M) {
	if os.Getenv(socketsChild) != "" {
		os.Exit(printSockets())
	}
	goleak.VerifyTestMain(settling{m})
}

// settling is a run of tests after which goroutines that are about to end are given the time to, however busy the machine.
type settling struct{ *testing.M }

func (s settling) Run() int {
	code := s.M.Run()
	for late := time.Now().Add(patience); code == 0 && goleak.Find() != nil && time.Now().Before(late); {
		continue // Find has waited
	}
	return code
}

// patience is the time that a test waits for an expected event. It only ends a hanging test and never measures anything.
const patience = time.Minute

// soon is a time limit that a test wants to run out.
const soon = 50 * time.Millisecond

// handlerFunc serves a session and returns its exit status.
type handlerFunc func(s ssh.Session) int

func (f handlerFunc) middleware() []wish.Middleware {
	return []wish.Middleware{func(ssh.Handler) ssh.Handler {
		return func(s ssh.Session) { _ = s.Exit(f(s)) }
	}}
}

// testServer is a server on a loopback port that lasts as long as its test.
type testServer struct {
	t     testing.TB
	addr  string
	log   *logbook
	key   gossh.PublicKey
	srv   *Server
	close func() error // goes down and returns what Serve did; only the first call does something
}

// patient are limits with which no client is too slow, or too fast for the place of its last session to be free again.
func patient() Limits {
	l := DefaultLimits()
	l.LoginGrace, l.RequestGrace, l.ProxyHeader, l.WriteStall, l.GoingDown = patience, patience, patience, patience, patience
	l.SessionsPerConnection = 100
	return l
}

// startServer starts a server with patient limits. change may alter the configuration; nil leaves it.
func startServer(t testing.TB, h handlerFunc, change func(*Config)) *testServer {
	t.Helper()
	return startServerOn(t, h, change, func(_ *Server, l net.Listener) net.Listener { return l })
}

// serveClub starts a server for a club.
func serveClub(t testing.TB, club *Club) *testServer {
	t.Helper()
	return startServer(t, nil, func(c *Config) { c.Middleware = club.Middleware() })
}

// startServerOn is startServer with something before the listener.
func startServerOn(t testing.TB, h handlerFunc, change func(*Config), before func(*Server, net.Listener) net.Listener) *testServer {
	t.Helper()
	host := newSigner(t)
	log := &logbook{added: make(chan struct{})}
	cfg := Config{HostKeys: []gossh.Signer{host}, Middleware: h.middleware(), Limits: patient(), Log: slog.New(log)}
	if change != nil {
		change(&cfg)
	}
	srv, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	behind := before(srv, l)
	go func() { served <- srv.Serve(ctx, behind) }()
	ts := &testServer{t: t, addr: l.Addr().String(), log: log, key: host.PublicKey(), srv: srv}
	ts.close = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() {
		if err := ts.close(); err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	return ts
}

func hostKeys(t testing.TB) []gossh.Signer { return []gossh.Signer{newSigner(t)} }

func newSigner(t testing.TB) gossh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signerOf(t, key)
}

func signerOf(t testing.TB, key any) gossh.Signer {
	t.Helper()
	s, err := gossh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asGuest signs in without a key, and fails on any prompt.
func asGuest(t testing.TB) gossh.AuthMethod {
	return gossh.KeyboardInteractive(func(name, instruction string, questions []string, _ []bool) ([]string, error) {
		if name != "" || instruction != "" || len(questions) > 0 {
			t.Errorf("a guest is asked %q %q %q", name, instruction, questions)
		}
		return nil, nil
	})
}

// config returns the configuration of a client that requires the server's host key.
func (ts *testServer) config(auth ...gossh.AuthMethod) *gossh.ClientConfig {
	return &gossh.ClientConfig{User: "ada", Auth: auth, HostKeyCallback: gossh.FixedHostKey(ts.key), Timeout: patience}
}

// dial signs in; without auth as a guest. The connection ends with the test.
func (ts *testServer) dial(auth ...gossh.AuthMethod) *gossh.Client {
	ts.t.Helper()
	c, err := ts.tryDial(auth...)
	if err != nil {
		ts.t.Fatalf("sign in: %v", err)
	}
	return c
}

// tryDial is dial where the server may hang up before the client knows that it is in.
func (ts *testServer) tryDial(auth ...gossh.AuthMethod) (*gossh.Client, error) {
	if len(auth) == 0 {
		auth = []gossh.AuthMethod{asGuest(ts.t)}
	}
	c, err := gossh.Dial("tcp", ts.addr, ts.config(auth...))
	if err == nil {
		ts.t.Cleanup(func() { _ = c.Close() }) // closed by the server more often than not
	}
	return c, err
}

// dialTCP opens a connection without saying anything.
func (ts *testServer) dialTCP() net.Conn {
	ts.t.Helper()
	c, err := net.Dial("tcp", ts.addr)
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		ts.t.Fatal(err)
	}
	return c
}

// A result holds the output and the exit status of a session.
type result struct {
	out, err string
	status   int // -1 when the server gave none
}

// run asks for a command, or for a shell when it is empty, and waits for the end.
func run(t testing.TB, c *gossh.Client, command string, environ ...string) result {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatalf("open a session: %v", err)
	}
	defer func() { _ = s.Close() }()
	var out, complaints bytes.Buffer
	s.Stdout, s.Stderr = &out, &complaints
	for _, variable := range environ {
		key, value, _ := strings.Cut(variable, "=")
		if err := s.Setenv(key, value); err != nil {
			t.Fatalf("set %s: %v", variable, err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		if command == "" {
			ended <- errors.Join(s.Shell(), s.Wait())
		} else {
			ended <- s.Run(command)
		}
	}()
	err = receive(t, ended, "end of the session")
	return result{out.String(), complaints.String(), statusOf(err)}
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*gossh.ExitError](err); ok {
		return exit.ExitStatus()
	}
	return -1
}

// channel opens a session channel and drops its requests, for tests that send their own.
func channel(t testing.TB, c gossh.Conn) gossh.Channel {
	t.Helper()
	ch, reqs, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatalf("open a channel: %v", err)
	}
	go gossh.DiscardRequests(reqs)
	return ch
}

// ask sends a request and returns the answer.
func ask(t testing.TB, ch gossh.Channel, request string, payload any) bool {
	t.Helper()
	var raw []byte
	if payload != nil {
		raw = gossh.Marshal(payload)
	}
	ok, err := ch.SendRequest(request, true, raw)
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return ok
}

// receive takes a value from c, or fails after a time without one.
func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s in %v", what, patience)
		panic("unreachable")
	}
}

// readAll reads to the end, which a closed connection is too.
func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		t.Fatalf("not closed in %v", patience)
	}
	return string(text)
}

// logbook is a slog.Handler that keeps what is logged.
type logbook struct {
	mu    sync.Mutex
	lines []map[string]any
	added chan struct{} // closed, and made anew, with each line
}

func (b *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (b *logbook) WithAttrs([]slog.Attr) slog.Handler       { panic("not used") }
func (b *logbook) WithGroup(string) slog.Handler            { panic("not used") }

func (b *logbook) Handle(_ context.Context, r slog.Record) error {
	line := map[string]any{"msg": r.Message, "level": r.Level}
	r.Attrs(func(a slog.Attr) bool { line[a.Key] = a.Value.Any(); return true })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line)
	close(b.added)
	b.added = make(chan struct{})
	return nil
}

// wait returns the n lines with that message, once there are as many.
func (b *logbook) wait(t testing.TB, msg string, n int) []map[string]any {
	t.Helper()
	late := time.After(patience)
	for {
		b.mu.Lock()
		added := b.added
		b.mu.Unlock()
		if found := b.find(msg); len(found) >= n {
			return found
		}
		select {
		case <-added:
		case <-late:
			t.Fatalf("%d lines %q in %v, want %d", len(b.find(msg)), msg, patience, n)
		}
	}
}

func (b *logbook) find(msg string) []map[string]any {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []map[string]any
	for _, l := range b.lines {
		if l["msg"] == msg {
			found = append(found, l)
		}
	}
	return found
}

// ended returns the reason of the one connection that has ended.
func (ts *testServer) ended() reason {
	ts.t.Helper()
	return ts.log.wait(ts.t, "connection ended", 1)[0]["reason"].(reason)
}
