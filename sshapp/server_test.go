package sshapp

import (
	"bytes"
	"context"
	"crypto/elliptic"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
)

// TestGoingDown: sessions hear of it, say goodbye, and give their status; then Serve returns.
func TestGoingDown(t *testing.T) {
	started, cause := make(chan struct{}, 2), make(chan error, 2)
	ts := startServer(t, func(s ssh.Session) int {
		started <- struct{}{}
		_, err := s.Read(make([]byte, 1))
		if err != ErrGoingDown {
			t.Errorf("Read = %v, want ErrGoingDown", err)
		}
		cause <- wantCause(s.Context(), ErrGoingDown)
		_, _ = io.WriteString(s, "goodbye")
		return 3
	}, nil)
	idle := ts.dial()
	silent := ts.dialTCP()
	var sessions [2]*gossh.Session
	var outs [2]bytes.Buffer
	for i := range sessions {
		s, err := ts.dial().NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.StdinPipe(); err != nil { // or the input would end at once
			t.Fatal(err)
		}
		s.Stdout = &outs[i]
		if err := s.Shell(); err != nil {
			t.Fatal(err)
		}
		sessions[i] = s
	}
	for range 2 {
		receive(t, started, "session")
	}
	if err := ts.close(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	for i, s := range sessions {
		if err := receive(t, cause, "cause"); err != nil {
			t.Error(err)
		}
		if status := statusOf(s.Wait()); status != 3 || outs[i].String() != "goodbye" {
			t.Errorf("a session gave %q and status %d, want goodbye and 3", outs[i].String(), status)
		}
	}
	_ = idle.Wait()
	readAll(t, silent)
	for _, line := range ts.log.wait(t, "connection ended", 4) {
		if line["reason"] != goingDown && line["reason"] != left {
			t.Errorf("a connection ended for %q", line["reason"])
		}
	}
	if _, err := ts.tryDial(); err == nil { // with the server's key: the port may be another program's by now
		t.Error("the port is still open")
	}
}

// TestGoingDownIsBounded: clients that read nothing and handlers that don't notice hold it up no longer than they may.
func TestGoingDownIsBounded(t *testing.T) {
	started := make(chan struct{})
	ts := startServer(t, func(s ssh.Session) int {
		close(started)
		for {
			if _, err := s.Write(make([]byte, 64<<10)); err != nil {
				return 0
			}
		}
	}, func(c *Config) { c.Limits.GoingDown = soon })
	c := ts.dial()
	ask(t, channel(t, c), "shell", nil)
	receive(t, started, "session")
	done := make(chan error, 1)
	go func() { done <- ts.close() }() // received below
	if err := receive(t, done, "end of Serve"); err != nil {
		t.Errorf("Serve = %v", err)
	}
	if got := ts.ended(); got != goingDown {
		t.Errorf("the connection ended for %q, want %q", got, goingDown)
	}
}

// TestNewSessionWhileGoingDown is refused in words.
func TestNewSessionWhileGoingDown(t *testing.T) {
	started, say := make(chan struct{}), make(chan struct{})
	ts := startServer(t, func(s ssh.Session) int {
		close(started)
		<-s.Context().Done()
		<-say
		return 0
	}, nil)
	c := ts.dial()
	ask(t, channel(t, c), "shell", nil)
	receive(t, started, "session")
	down := make(chan error, 1)
	go func() { down <- ts.close() }() // received below
	const words = "The club is closing just now. Please come back in a minute.\n"
	retry(t, func() bool { // until the port is closed
		conn, err := net.Dial("tcp", ts.addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	retry(t, func() bool { return run(t, c, "x") == result{"", words, 1} })
	close(say)
	if err := receive(t, down, "end of Serve"); err != nil {
		t.Errorf("Serve = %v", err)
	}
}

// TestStuckHandler: Serve doesn't wait for a handler that never returns, but reports it.
func TestStuckHandler(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := newConnections(t.Context(), srv)
		release := make(chan struct{})
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		c := newConnection(t.Context(), srv, ours)
		h.open[c] = struct{}{}
		h.serving.Go(func() { <-release })
		began := time.Now()
		if err := h.drain(); err == nil || !strings.Contains(err.Error(), "1 connections have sessions that don't end") {
			t.Errorf("drain = %v", err)
		}
		if took, want := time.Since(began), srv.limits.Load().GoingDown+stuckAfter; took != want {
			t.Errorf("a stuck handler was waited for %v, want %v", took, want)
		}
		close(release)
		h.serving.Wait()
	})
}

// TestServeFails when the listener is closed by someone else, and has ended what it had begun.
func TestServeFails(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	buf := make([]byte, 4)
	if _, err := io.ReadFull(conn, buf); err != nil || string(buf) != "SSH-" {
		t.Fatalf("the server says %q, %v", buf, err)
	}
	_ = l.Close()
	if err := receive(t, served, "end of Serve"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve = %v, want net.ErrClosed", err)
	}
	readAll(t, conn)
}

// TestReasonsAreCounted: every reason is one that the metrics know.
func TestReasonsAreCounted(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := append(RefusalReasons(), EndReasons()...)
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && len(spec.Values) == 1 {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "reason" {
				found++
				text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if !slices.Contains(known, text) {
					t.Errorf("%s (%q) is in no list of reasons", spec.Names[0].Name, text)
				}
			}
		}
		return true
	})
	if found < 18 {
		t.Errorf("only %d reasons found", found)
	}
}

// page returns the lines of a registry's metrics that begin with one of the names.
func page(t *testing.T, reg *prometheus.Registry, names ...string) string {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	var found []string
	for line := range strings.Lines(w.Body.String()) {
		for _, n := range names {
			if strings.HasPrefix(line, n+" ") || strings.HasPrefix(line, n+"{") {
				found = append(found, line)
			}
		}
	}
	return strings.Join(found, "")
}

// TestServerCounts: what happens to connections is counted, by reason.
func TestServerCounts(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := metrics.New(reg, RefusalReasons(), EndReasons())
	ts := startServer(t, func(s ssh.Session) int {
		switch line := s.RawCommand(); line {
		case "panic":
			panic("on purpose")
		case "stay":
			_, _ = io.WriteString(s, "here")
			<-s.Context().Done()
		}
		return 0
	}, func(c *Config) { c.Metrics, c.Limits.SessionsPerConnection = m.Server, 1 })

	broken := ts.dial()
	run(t, broken, "panic")
	_ = broken.Close()
	ts.log.wait(t, "connection ended", 1)
	guest := ts.dial()
	stay, err := guest.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := stay.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stay.Start("stay"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	run(t, guest, "one too many")
	if got, want := ts.srv.Load(), (Load{Connections: 1, Sessions: 1}); got != want {
		t.Errorf("Load = %+v, want %+v", got, want)
	}
	_ = guest.Close()
	ts.log.wait(t, "connection ended", 2)
	_ = ts.dial(gossh.PublicKeys(newSigner(t))).Close()
	ts.log.wait(t, "connection ended", 3)
	_ = ts.dialTCP().Close()
	ts.log.wait(t, "connection ended", 4)

	const want = `ludoteca_connections_ended_total{reason="handshake-failed"} 1
ludoteca_connections_ended_total{reason="left"} 3
ludoteca_connections_total 4
ludoteca_handshakes_total 3
ludoteca_refusals_total{reason="connection-sessions"} 1
ludoteca_session_panics_total 1
ludoteca_sign_in_seconds_count 3
ludoteca_sign_ins_total{as="guest"} 2
ludoteca_sign_ins_total{as="key"} 1
`
	var got []string
	for line := range strings.Lines(page(t, reg, "ludoteca_connections_ended_total", "ludoteca_connections_total", "ludoteca_handshakes_total",
		"ludoteca_refusals_total", "ludoteca_session_panics_total", "ludoteca_sign_in_seconds_count", "ludoteca_sign_ins_total")) {
		if !strings.HasSuffix(line, " 0\n") {
			got = append(got, line)
		}
	}
	if strings.Join(got, "") != want {
		t.Errorf("counted\n%swant\n%s", strings.Join(got, ""), want)
	}
	for line := range strings.Lines(page(t, reg, "ludoteca_network_bytes_total")) {
		if strings.HasSuffix(line, " 0\n") {
			t.Errorf("no bytes counted: %s", line)
		}
	}
	if got := ts.srv.Load(); got != (Load{}) {
		t.Errorf("Load = %+v after all have left", got)
	}
}

func TestNewRefuses(t *testing.T) {
	good := Config{HostKeys: hostKeys(t), Middleware: handlerFunc(introspect).middleware(), Limits: DefaultLimits()}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no middleware", func(c *Config) { c.Middleware = nil }, "no middleware"},
		{"no key", func(c *Config) { c.HostKeys = nil }, "no host key"},
		{"a key of another type", func(c *Config) { c.HostKeys = append(hostKeys(t), ecdsaSigner(t, elliptic.P256())) }, `type "ecdsa-sha2-nistp256"`},
		{"RSA alone", func(c *Config) { c.HostKeys = []gossh.Signer{rsaSigner(t, 2048)} }, "no Ed25519 host key"},
		{"no limits", func(c *Config) { c.Limits = Limits{} }, "must be more than 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := good
			tt.change(&cfg)
			if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New = %v, want an error that says %s", err, tt.want)
			}
		})
	}
}
