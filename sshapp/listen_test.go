package sshapp

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
)

// openProxied is openDoor behind proxies on the given networks.
func openProxied(t *testing.T, networks []string, change func(*Config)) *testServer {
	t.Helper()
	var from []netip.Prefix
	for _, n := range networks {
		from = append(from, netip.MustParsePrefix(n))
	}
	return startServerOn(t, handlerFunc(introspect), change, func(srv *Server, l net.Listener) net.Listener {
		return srv.BehindProxies(l, from)
	})
}

var loopback = []string{"127.0.0.0/8", "::1/128"}

// v2 is a binary header of the PROXY protocol: command 0 is LOCAL, 1 is PROXY.
func v2(command byte, family byte, addresses ...byte) string {
	header := append([]byte("\r\n\r\n\x00\r\nQUIT\n"), 0x20|command, family)
	return string(append(binary.BigEndian.AppendUint16(header, uint16(len(addresses))), addresses...))
}

// versionLine sends what a client would and returns the first line of the server's answer, "" if there is none.
func versionLine(t *testing.T, ts *testServer, begin string) string {
	t.Helper()
	conn := ts.dialTCP()
	if _, err := io.WriteString(conn, begin); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		t.Fatalf("no answer in %v", patience)
	}
	return strings.TrimSpace(line)
}

func TestProxyHeaders(t *testing.T) {
	const served, version = "SSH-2.0-Ludoteca", "SSH-2.0-client\r\n"
	tests := []struct {
		name, begin string
		want        string // the first line
		remote      string // in the log of the connection's end; * is any port of loopback
	}{
		{"version 1", "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n", served, "192.0.2.7:4711"},
		{"version 1, IPv6", "PROXY TCP6 2001:db8::7 2001:db8::9 4711 22\r\n", served, "[2001:db8::7]:4711"},
		{"version 1, unknown", "PROXY UNKNOWN\r\n", served, "*"},
		{"version 2", v2(1, 0x11, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22), served, "192.0.2.7:4711"},
		{"version 2 with something more", v2(1, 0x11, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22, 4, 0, 1, 0), served, "192.0.2.7:4711"},
		{"version 2, the proxy itself", v2(0, 0), served, "*"},
		{"IPv4 in IPv6", "PROXY TCP6 ::ffff:192.0.2.7 ::ffff:203.0.113.9 4711 22\r\n", served, "192.0.2.7:4711"},
		{"none", version, "", ""},
		{"a datagram", v2(1, 0x12, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22), "", ""},
		{"a unix socket", v2(1, 0x31, make([]byte, 216)...), "", ""},
		{"version 1, no address", "PROXY TCP4 somebody 203.0.113.9 4711 22\r\n", "", ""},
		{"version 1 without an end", "PROXY TCP4 " + strings.Repeat("9", 500), "", ""},
		{"version 2, cut", v2(1, 0x11, 192, 0, 2), "", ""},
		{"version 3", strings.Replace(v2(1, 0x11, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22), "\n\x21", "\n\x31", 1), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ts := openProxied(t, loopback, nil)
			if got := versionLine(t, ts, tt.begin); got != tt.want {
				t.Errorf("the server says %q, want %q", got, tt.want)
			}
			if tt.want == "" {
				if why := ts.log.wait(t, "refused", 1)[0]["reason"]; why != noProxyHeader {
					t.Errorf("refused for %v, want %v", why, noProxyHeader)
				}
				return
			}
			if err := ts.close(); err != nil {
				t.Error(err)
			}
			got := fmt.Sprint(ts.log.wait(t, "connection ended", 1)[0]["remote"])
			if tt.remote == "*" && strings.HasPrefix(got, "127.0.0.1:") {
				got = "*"
			}
			if got != tt.remote {
				t.Errorf("the connection came from %s, want %s", got, tt.remote)
			}
		})
	}
}

// TestProxyHeaderOfStrangers: for a client that is no proxy the network's address counts; a header from it is no SSH.
func TestProxyHeaderOfStrangers(t *testing.T) {
	ts := openProxied(t, []string{"192.0.2.0/24"}, nil)
	if got := run(t, ts.dial(), "who"); got.status != 0 {
		t.Errorf("a client without a header got %+v", got)
	}
	for _, header := range []string{"PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n", v2(1, 0x11, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22)} {
		conn := ts.dialTCP()
		if _, err := io.WriteString(conn, header+"SSH-2.0-client\r\n"); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, conn) // the version, and the end or an error
	}
	if err := ts.close(); err != nil {
		t.Error(err)
	}
	for _, line := range ts.log.wait(t, "a connection begins with a header of the PROXY protocol, but its address is not one of --proxy-from", 2) {
		if remote := line["remote"].(netip.AddrPort); !remote.Addr().IsLoopback() {
			t.Errorf("the warning names %v", remote)
		}
	}
	headers := 0
	for _, line := range ts.log.wait(t, "connection ended", 3) {
		if line["reason"] == untrustedProxy {
			headers++
		}
		if remote := line["remote"].(netip.AddrPort); !remote.Addr().IsLoopback() {
			t.Errorf("a stranger passes for %v", remote)
		}
	}
	if headers != 2 {
		t.Errorf("%d connections ended for their header, want 2", headers)
	}
}

// TestFirstBytes: a connection begins with a header of the PROXY protocol when a signature of it is whole, however it is cut, and at the very
// beginning alone.
func TestFirstBytes(t *testing.T) {
	binary := proxySignature2 + "!"
	for begin, want := range map[string]bool{
		"PROXY TCP4": true, binary: true, "PROXY": false, "SSH-2.0-PROXY ": false, "\r\nSSH-2.0-x\r\n": false, "xPROXY ": false, "PROXX PROXY ": false,
	} {
		for _, size := range []int{1, 3, 100} {
			c, got := &connection{first: []byte{}}, false
			for rest := []byte(begin); len(rest) > 0 && !got; rest = rest[min(size, len(rest)):] {
				got = c.beginsAsProxied(rest[:min(size, len(rest))])
			}
			if got != want {
				t.Errorf("%q in pieces of %d bytes: %v, want %v", begin, size, got, want)
			}
		}
	}
}

// TestHeaderInPieces: a header arrives in as many pieces as the network likes, and what comes after it is the client's.
func TestHeaderInPieces(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: patient(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	p := &proxyListener{server: srv}
	for name, header := range map[string]string{
		"version 1": "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n",
		"version 2": v2(1, 0x11, 192, 0, 2, 7, 203, 0, 113, 9, 0x12, 0x67, 0, 22),
	} {
		for cut := 1; cut < len(header); cut += 3 {
			ours, theirs := net.Pipe() // each Write is read by itself
			go func() {
				for _, piece := range []string{header[:cut], header[cut:], "SSH-2.0-client\r\n"} {
					_, _ = io.WriteString(theirs, piece)
				}
				_ = theirs.Close()
			}()
			client, ok := p.readHeader(ours)
			if !ok || client.RemoteAddr().String() != "192.0.2.7:4711" {
				t.Errorf("%s, cut after %d bytes: header %v", name, cut, ok)
			} else if rest := readAll(t, client); rest != "SSH-2.0-client\r\n" {
				t.Errorf("%s, cut after %d bytes: then comes %q", name, cut, rest)
			}
			_ = ours.Close()
		}
	}
}

// A listOf is a listener at an address that accepts clients from some addresses in turn.
type listOf struct {
	at      net.Addr
	clients []string
}

func (l *listOf) Addr() net.Addr { return l.at }
func (l *listOf) Close() error   { return nil }

func (l *listOf) Accept() (net.Conn, error) {
	if len(l.clients) == 0 {
		return nil, net.ErrClosed
	}
	from := netip.MustParseAddr(l.clients[0])
	l.clients = l.clients[1:]
	return connFrom{nil, from}, nil
}

// TestOnlyLocal: a public club logs one warning if all its clients come from the machine itself.
func TestOnlyLocal(t *testing.T) {
	everywhere := &net.TCPAddr{IP: net.IPv6unspecified, Port: 22}
	local := slices.Repeat([]string{"127.0.0.1", "::1"}, manyLocal)
	for _, tt := range []struct {
		name    string
		at      net.Addr
		clients []string
		want    int // warnings
	}{
		{"all are local", everywhere, local, 1},
		{"too few to tell", everywhere, local[:manyLocal-1], 0},
		{"one comes from elsewhere", everywhere, append([]string{"127.0.0.1", "192.0.2.1"}, local...), 0},
	} {
		log := &logbook{added: make(chan struct{})}
		l := &publicListener{Listener: &listOf{tt.at, tt.clients}, log: slog.New(log)}
		for err := error(nil); err == nil; {
			_, err = l.Accept()
		}
		if got := len(log.lines); got != tt.want {
			t.Errorf("%s: %d warnings, want %d", tt.name, got, tt.want)
		}
	}
	for at, want := range map[string]bool{"127.0.0.1:22": false, "[::1]:22": false, "0.0.0.0:22": true, "[::]:22": true, "192.0.2.1:22": true} {
		if got := isPublic(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at))); got != want {
			t.Errorf("isPublic(%s) = %v", at, got)
		}
	}
}

// TestProxiedSession: SSH goes on behind the header, and the session knows the client's address.
func TestProxiedSession(t *testing.T) {
	remote := make(chan netip.AddrPort, 1)
	ts := startServerOn(t, func(s ssh.Session) int { remote <- addrPort(s.RemoteAddr()); return 7 }, nil, func(srv *Server, l net.Listener) net.Listener {
		return srv.BehindProxies(l, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")})
	})
	conn := ts.dialTCP()
	if _, err := io.WriteString(conn, "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n"); err != nil {
		t.Fatal(err)
	}
	c, channels, requests, err := gossh.NewClientConn(conn, ts.addr, ts.config(asGuest(t)))
	if err != nil {
		t.Fatal(err)
	}
	client := gossh.NewClient(c, channels, requests)
	defer func() { _ = client.Close() }()
	if got := run(t, client, "x"); got.status != 7 {
		t.Errorf("the session gave %+v, want status 7", got)
	}
	if got := receive(t, remote, "session"); got != netip.MustParseAddrPort("192.0.2.7:4711") {
		t.Errorf("the session comes from %v", got)
	}
}

// TestProxiedLimits count the address in the header, before the version line.
func TestProxiedLimits(t *testing.T) {
	ts := openProxied(t, loopback, func(c *Config) {
		c.Limits.NewPerAddress, c.Limits.NewWindow, c.Limits.NewBurst = 1, time.Hour, 2
	})
	const busy = "Too many new connections from your address. Please wait a few seconds."
	for i, want := range []string{"SSH-2.0-Ludoteca", "SSH-2.0-Ludoteca", busy, busy} {
		if got := versionLine(t, ts, "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n"); got != want {
			t.Errorf("connection %d of 192.0.2.7: %q, want %q", i+1, got, want)
		}
	}
	if got := versionLine(t, ts, "PROXY TCP4 192.0.2.8 203.0.113.9 4711 22\r\n"); got != "SSH-2.0-Ludoteca" {
		t.Errorf("192.0.2.8 gets %q", got)
	}
	if got := versionLine(t, ts, "PROXY TCP6 ::ffff:192.0.2.7 ::ffff:203.0.113.9 4711 22\r\n"); got != busy {
		t.Errorf("192.0.2.7 written as IPv6 gets %q", got)
	}
}

// TestProxyBlocksNobody: connections that wait for their header, even as many as are allowed, block no other, and each ends
// when its time is over.
func TestProxyBlocksNobody(t *testing.T) {
	counts := metrics.NewServer(RefusalReasons(), EndReasons())
	ts := openProxied(t, []string{"127.0.0.1/32"}, func(c *Config) {
		c.Limits.Unauth, c.Limits.ProxyHeader, c.Metrics = 3, soon, counts
	})
	var silent []net.Conn
	for range 3 {
		silent = append(silent, ts.dialTCP())
	}
	for _, conn := range silent {
		if text := readAll(t, conn); text != "" {
			t.Errorf("a connection without a header was told %q", text)
		}
	}
	for _, line := range ts.log.wait(t, "refused", 3) {
		if line["reason"] != noProxyHeader {
			t.Errorf("refused for %v", line["reason"])
		}
	}
	// Again, since on a busy machine a header may be late.
	retry(t, func() bool {
		return versionLine(t, ts, "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n") == "SSH-2.0-Ludoteca"
	})
}

// TestTooManyProxied: beyond the bound, the connection that has waited longest for its header is closed, and one with a header
// is served at once, however many are silent.
func TestTooManyProxied(t *testing.T) {
	ts := openProxied(t, []string{"127.0.0.1/32"}, func(c *Config) { c.Limits.Unauth, c.Limits.ProxyHeader = 2, time.Hour })
	silent := []net.Conn{ts.dialTCP(), ts.dialTCP(), ts.dialTCP()}
	if text := readAll(t, silent[0]); text != "" { // the third one takes its place
		t.Errorf("a connection without a header was told %q", text)
	}
	if got := versionLine(t, ts, "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n"); got != "SSH-2.0-Ludoteca" {
		t.Errorf("a client beside silent ones gets %q", got)
	}
	readAll(t, silent[1])
	for _, line := range ts.log.wait(t, "refused", 2) {
		if line["reason"] != tooManyProxied {
			t.Errorf("refused for %v, want %v", line["reason"], tooManyProxied)
		}
	}
	if err := ts.close(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	readAll(t, silent[2])
}

// TestProxiedPenalties: behind a proxy the clients earn penalties, not the proxy.
func TestProxiedPenalties(t *testing.T) {
	ts := openProxied(t, loopback, func(c *Config) { c.Limits.LimitLoopback, c.Limits.NewBurst = true, 100 })
	const rude, polite = "PROXY TCP4 192.0.2.7 203.0.113.9 4711 22\r\n", "PROXY TCP4 198.51.100.8 203.0.113.9 4711 22\r\n"
	for i := range 50 { // each ends without a key exchange, and earns a second: more than 15 are too many, and on a slow machine some run out
		conn := ts.dialTCP()
		if _, err := io.WriteString(conn, rude); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "SSH-2.0-") {
			break
		}
		_ = conn.Close()
		ts.log.wait(t, "connection ended", i+1)
	}
	if why := ts.log.wait(t, "refused", 1)[0]["reason"]; why != penalised {
		t.Errorf("a client that never signs in is refused for %v, want %v", why, penalised)
	}
	if got := versionLine(t, ts, polite); got != "SSH-2.0-Ludoteca" {
		t.Errorf("another client of the same proxy gets %q", got)
	}
}

// brokenListener fails once, then works.
type brokenListener struct {
	net.Listener
	once sync.Once
}

func (l *brokenListener) Accept() (net.Conn, error) {
	var err error
	l.once.Do(func() { err = errors.New("out of descriptors") })
	if err != nil {
		return nil, err
	}
	return l.Listener.Accept()
}

// TestProxiedAccept: errors reach the caller of Accept, Close ends everything, and may be called again.
func TestProxiedAccept(t *testing.T) {
	srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := srv.BehindProxies(&brokenListener{Listener: raw}, nil)
	if _, err := l.Accept(); err == nil || err.Error() != "out of descriptors" {
		t.Errorf("Accept = %v", err)
	}
	conn, err := net.Dial("tcp", raw.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	served, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = served.Close()
	if err := l.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Close again = %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after Close = %v", err)
	}
}

// floodedListener always has the next connection, from a client that has gone already, until there have been many.
type floodedListener struct {
	accepted atomic.Int64
	once     sync.Once
	closed   chan struct{}
}

const flood = 1000

func (l *floodedListener) Accept() (net.Conn, error) {
	if l.accepted.Load() == flood {
		<-l.closed
		return nil, net.ErrClosed
	}
	l.accepted.Add(1)
	client, conn := net.Pipe()
	return conn, client.Close()
}

func (l *floodedListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *floodedListener) Addr() net.Addr { return &net.TCPAddr{} }

// TestAcceptRate: however many connections come, they are taken in at a rate, and all of them.
func TestAcceptRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := New(Config{HostKeys: hostKeys(t), Limits: DefaultLimits(), Middleware: handlerFunc(stayOrGo).middleware()})
		if err != nil {
			t.Fatal(err)
		}
		l := &floodedListener{closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- srv.ServeAll(ctx, []net.Listener{l}, nil) }()
		synctest.Wait()
		if n := l.accepted.Load(); n == 0 || n > acceptBurst+1 {
			t.Errorf("%d connections are taken in at once, want %d", n, acceptBurst+1)
		}
		time.Sleep(flood * time.Second / acceptRate) // on one core
		synctest.Wait()
		if n := l.accepted.Load(); n != flood {
			t.Errorf("%d of %d connections are taken in", n, flood)
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// socketsChild is the environment variable that makes this program one that systemd starts: it prints the sockets that it got.
const socketsChild = "SSHAPP_TEST_SOCKETS"

func printSockets() (status int) {
	sockets, err := SystemdSockets(os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, l := range sockets.SSH {
		fmt.Println("ssh", l.Addr())
	}
	if sockets.Metrics != nil {
		fmt.Println("metrics", sockets.Metrics.Addr())
	}
	if err := sockets.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// TestSystemdSockets: what systemd hands over must be TCP sockets that listen; sockets for another process are left alone.
func TestSystemdSockets(t *testing.T) {
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	unix, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	a, b, c := listen(), listen(), listen()
	const own = "LISTEN_PID=$$ "
	tests := []struct {
		name    string
		before  string // in front of the command of a shell
		sockets []net.Listener
		env     string
		want    string
		status  int
	}{
		{"none", own, nil, "", "", 0},
		{"one", own, []net.Listener{a}, "", "ssh " + a.Addr().String() + "\n", 0},
		{"three, one for metrics", own, []net.Listener{a, b, c}, "LISTEN_FDNAMES=ssh:metrics:ssh",
			fmt.Sprintf("ssh %s\nssh %s\nmetrics %s\n", a.Addr(), c.Addr(), b.Addr()), 0},
		{"fewer names than sockets", own, []net.Listener{a, b}, "LISTEN_FDNAMES=metrics",
			fmt.Sprintf("ssh %s\nmetrics %s\n", b.Addr(), a.Addr()), 0},
		{"another process's", "LISTEN_PID=1 ", []net.Listener{a}, "", "", 0},
		{"nobody's", "", []net.Listener{a}, "", "", 0},
		{"one is missing", own, []net.Listener{a}, "LISTEN_FDS=2", "socket 2 of systemd", 1},
		{"a unix socket", own, []net.Listener{unix}, "", "of type unix, want TCP", 1},
		{"two for metrics", own, []net.Listener{a, b}, "LISTEN_FDNAMES=metrics:metrics", "two sockets for metrics", 1},
		{"no number", own, nil, "LISTEN_FDS=many", `LISTEN_FDS is "many"`, 1},
		{"too many", own, nil, "LISTEN_FDS=1000000", `LISTEN_FDS is "1000000"`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", tt.before+`exec "$0"`, os.Args[0])
			cmd.Env = append(os.Environ(), socketsChild+"=1", fmt.Sprint("LISTEN_FDS=", len(tt.sockets)), tt.env)
			for _, s := range tt.sockets {
				f, err := s.(interface{ File() (*os.File, error) }).File()
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			}
			out, err := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != tt.status {
				t.Errorf("status %d, want %d: %v", status, tt.status, err)
			}
			if got := string(out); tt.status == 0 && got != tt.want || !strings.Contains(got, tt.want) {
				t.Errorf("it prints %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNotifySystemd: systemd hears the states of a service that it wants to hear of.
func TestNotifySystemd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	systemd, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer systemd.Close()
	if err := systemd.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	at := func(path string) Environment {
		return func(name string) (string, bool) { return path, name == "NOTIFY_SOCKET" && path != "" }
	}
	if err := NotifySystemd(at(path), "READY=1"); err != nil {
		t.Error(err)
	}
	buf := make([]byte, 100)
	if n, err := systemd.Read(buf); err != nil || string(buf[:n]) != "READY=1" {
		t.Errorf("systemd hears %q, %v", buf[:n], err)
	}
	if err := NotifySystemd(at(""), "READY=1"); err != nil {
		t.Errorf("without systemd: %v", err)
	}
	if err := NotifySystemd(at(path+"x"), "READY=1"); err == nil {
		t.Error("a socket that isn't there was told")
	}
}
