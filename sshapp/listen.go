package sshapp

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/pires/go-proxyproto"
	"golang.org/x/time/rate"
)

// An Environment looks a variable up, as os.LookupEnv does.
type Environment func(name string) (value string, set bool)

// Sockets holds the listeners for SSH and, if there is one, the listener for metrics.
type Sockets struct {
	SSH     []net.Listener
	Metrics net.Listener // nil: there are no metrics
}

// metricsSocket is the name of the one socket that systemd may hand over for metrics; all others are for SSH.
const metricsSocket = "metrics"

// firstDescriptor is the first descriptor that systemd hands over, and maxDescriptors how many are accepted; see
// sd_listen_fds(3).
const (
	firstDescriptor = 3
	maxDescriptors  = 64
)

// SystemdSockets returns the sockets that systemd has opened for this process, according to its environment. There may be none.
func SystemdSockets(env Environment) (*Sockets, error) {
	s := &Sockets{}
	pid, _ := env("LISTEN_PID")
	count, _ := env("LISTEN_FDS")
	if pid != strconv.Itoa(os.Getpid()) || count == "" {
		return s, nil // what is there is for another process
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > maxDescriptors {
		return nil, fmt.Errorf("LISTEN_FDS is %q, which is no number of sockets", count)
	}
	list, _ := env("LISTEN_FDNAMES")
	names := strings.Split(list, ":")
	for i := range n {
		l, err := listenerOf(firstDescriptor + i)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("socket %d of systemd: %w", i+1, err), s.Close())
		}
		switch {
		case i >= len(names) || names[i] != metricsSocket:
			s.SSH = append(s.SSH, l)
		case s.Metrics == nil:
			s.Metrics = l
		default:
			return nil, errors.Join(errors.New("systemd hands over two sockets for metrics"), l.Close(), s.Close())
		}
	}
	return s, nil
}

// listenerOf makes a listener of a descriptor, which it takes over.
func listenerOf(fd int) (net.Listener, error) {
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, errors.New("there is none")
	}
	defer f.Close() // the listener has a copy
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("it can't be listened on: %w", err)
	}
	if _, ok := l.(*net.TCPListener); !ok {
		return nil, errors.Join(fmt.Errorf("it is of type %s, want TCP", l.Addr().Network()), l.Close())
	}
	return l, nil
}

// Close closes the sockets that are still open.
func (s *Sockets) Close() error {
	closers := make([]io.Closer, 0, len(s.SSH)+1)
	for _, l := range s.SSH {
		closers = append(closers, l)
	}
	if s.Metrics != nil {
		closers = append(closers, s.Metrics)
	}
	var failed error
	for _, c := range closers {
		if err := c.Close(); !errors.Is(err, net.ErrClosed) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// NotifySystemd tells systemd the state of the service, such as READY=1, if NOTIFY_SOCKET is set; see sd_notify(3).
func NotifySystemd(env Environment, state string) error {
	path, _ := env("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // an @ in front is understood
	if err != nil {
		return fmt.Errorf("systemd can't be told %s: %w", state, err)
	}
	_, err = io.WriteString(conn, state)
	return errors.Join(err, conn.Close())
}

// ServeAll serves all listeners until ctx ends or one of them fails, which ends the others. If proxies are networks, they are
// listeners BehindProxies.
func (s *Server) ServeAll(ctx context.Context, listeners []net.Listener, proxies []netip.Prefix) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(listeners))
	var serving sync.WaitGroup
	for i, l := range listeners {
		l = newPacedListener(l)
		if len(proxies) > 0 {
			l = s.BehindProxies(l, proxies)
		}
		if isPublic(l.Addr()) {
			l = &publicListener{Listener: l, log: s.log}
		}
		serving.Go(func() {
			defer cancel()
			errs[i] = s.Serve(ctx, l)
		})
	}
	serving.Wait()
	return errors.Join(errs...)
}

// A pacedListener takes connections in at a rate that leaves time for keys in between: what is refused at once costs a tenth of a
// millisecond, and four hundred clients that come back five times a second did so all at once, up to three hundred goroutines
// before whatever a key woke. Those that come faster wait in the queue of the system.
type pacedListener struct {
	net.Listener
	rate *rate.Limiter
}

// The rate of a pacedListener, for each core that serves. A few may come at once.
const (
	acceptRate  = 500
	acceptBurst = 8
)

func newPacedListener(l net.Listener) *pacedListener {
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	return &pacedListener{l, rate.NewLimiter(rate.Limit(acceptRate*cores), acceptBurst)}
}

// Accept returns the next connection when the rate allows it.
func (p *pacedListener) Accept() (net.Conn, error) {
	conn, err := p.Listener.Accept()
	_ = p.rate.Wait(context.Background()) // for two milliseconds at most
	return conn, err
}

// A publicListener warns if all connections come from the machine itself: they come through a proxy then, and limits by address have no
// effect.
type publicListener struct {
	net.Listener
	log   *slog.Logger
	local int  // connections from loopback, as long as there are no others
	told  bool // or there is nothing to tell
}

// manyLocal is the number of connections in a row from loopback that causes a warning.
const manyLocal = 10

// isPublic reports whether connections from other machines can come to an address.
func isPublic(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// Accept accepts a connection from the listener. Only one goroutine calls it.
func (p *publicListener) Accept() (net.Conn, error) {
	conn, err := p.Listener.Accept()
	if err != nil || p.told {
		return conn, err
	}
	p.local++
	if !addrPort(conn.RemoteAddr()).Addr().IsLoopback() {
		p.told = true
	} else if p.local == manyLocal {
		p.told = true
		p.log.Warn("the club listens publicly, and all connections come from this machine: limits by address hold for nobody. A proxy must say whose"+
			" connections they are, with a header of the PROXY protocol; see --proxy-from", "listen", p.Addr(), "connections", p.local)
	}
	return conn, err
}

// Behind a proxy
//
// A proxy speaks for its clients: it begins each connection with a header of the PROXY protocol, version 1 or 2, that names
// the client. Only connections from the networks of trusted proxies may, and must, begin with one. For all others the network's
// address counts: a header from them is no SSH, ends the connection (untrustedProxy), and the log names the address.
//
// The limits by address need the client's address before anything else happens, but Accept must wait for no client. So each
// header is awaited in a goroutine of its own, up to Limits.ProxyHeader, and at most Limits.Unauth of them at a time: one more, and
// the connection that has waited longest is closed. A proxy sends the header with its first packet, so waiting connections don't come
// from working proxies, and closing them shuts no client out. Penalties and random early drop apply after the header, to the client's address.
//
//	accept --from a proxy--> header --+--> Accept (the server's own)
//	       --from others--------------+

// BehindProxies returns a listener for Serve that takes the addresses of clients from the headers of proxies in the networks trusted. It
// accepts from l at once, until it is closed.
func (s *Server) BehindProxies(l net.Listener, trusted []netip.Prefix) net.Listener {
	p := &proxyListener{
		Listener: l, server: s, trusted: trusted,
		ready: make(chan accepted), closing: make(chan struct{}), waiting: make(map[net.Conn]*list.Element), silent: list.New(),
	}
	p.running.Go(p.run)
	return p
}

// proxyListener is a listener behind proxies.
type proxyListener struct {
	net.Listener
	server  *Server
	trusted []netip.Prefix
	ready   chan accepted
	closing chan struct{}  // closed by Close
	running sync.WaitGroup // run, and the readers of headers

	mu      sync.Mutex                 // guards what follows
	waiting map[net.Conn]*list.Element // for their header, with the place in silent, or to be accepted after it; nil when closed
	silent  *list.List                 // of net.Conn: connections that wait for their header, the longest wait first
}

// accepted holds the results of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// Accept returns the next connection whose address is known.
func (p *proxyListener) Accept() (net.Conn, error) {
	select {
	case a := <-p.ready:
		return a.conn, a.err
	case <-p.closing:
		return nil, net.ErrClosed
	}
}

// Close ends accepting, and closes the connections that have not been accepted.
func (p *proxyListener) Close() error {
	p.mu.Lock()
	if p.waiting == nil {
		p.mu.Unlock()
		return net.ErrClosed
	}
	close(p.closing)
	err := p.Listener.Close()
	for conn := range p.waiting {
		_ = conn.Close()
	}
	p.waiting = nil
	p.mu.Unlock()
	p.running.Wait()
	return err
}

// run accepts until the listener is closed. Errors go to the caller of Accept, which decides whether to wait.
func (p *proxyListener) run() {
	for {
		conn, err := p.Listener.Accept()
		if err == nil && p.trusts(addrPort(conn.RemoteAddr()).Addr()) {
			p.expect(conn)
			continue
		}
		if !p.deliver(accepted{conn, err}) || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// trusts reports whether an address belongs to a trusted proxy.
func (p *proxyListener) trusts(addr netip.Addr) bool {
	addr = addr.WithZone("")
	for _, network := range p.trusted {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// deliver hands a connection or an error to Accept; false when the listener is closed.
func (p *proxyListener) deliver(a accepted) bool {
	select {
	case p.ready <- a:
		return true
	case <-p.closing:
		if a.conn != nil {
			_ = a.conn.Close()
		}
		return false
	}
}

// expect waits for the header of a proxy's connection in a goroutine of its own.
func (p *proxyListener) expect(conn net.Conn) {
	most := p.server.limits.Load().Unauth
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.waiting == nil:
		_ = conn.Close()
		return
	case len(p.waiting)-p.silent.Len() >= most: // Accept isn't called
		p.refuse(conn, tooManyProxied)
		return
	case p.silent.Len() >= most:
		longest := p.silent.Remove(p.silent.Front()).(net.Conn)
		delete(p.waiting, longest)
		p.refuse(longest, tooManyProxied)
	}
	p.waiting[conn] = p.silent.PushBack(conn)
	p.running.Go(func() {
		client, ok := p.readHeader(conn)
		if !p.heard(conn) {
			return // it has been closed
		}
		defer p.forget(conn)
		if !ok {
			p.refuse(conn, noProxyHeader)
			return
		}
		p.deliver(accepted{client, nil})
	})
}

// refuse closes a connection. A client that sees the end finds the reason in the log.
func (p *proxyListener) refuse(conn net.Conn, why reason) {
	p.server.refused(addrPort(conn.RemoteAddr()), why)
	_ = conn.Close()
}

// heard records that a connection no longer waits for its header. It returns false if the connection has been closed meanwhile.
func (p *proxyListener) heard(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	place, ok := p.waiting[conn]
	if ok {
		p.silent.Remove(place)
		p.waiting[conn] = nil
	}
	return ok
}

func (p *proxyListener) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, conn)
}

// readHeader reads the header, and returns the connection as the client's own; ok is false for one without a header, or with one that
// names no TCP address.
func (p *proxyListener) readHeader(conn net.Conn) (client net.Conn, ok bool) {
	boundSendBuffer(conn)
	c := proxyproto.NewConn(&wholeHeader{Conn: conn}, proxyproto.WithPolicy(proxyproto.REQUIRE), proxyproto.SetReadHeaderTimeout(p.server.limits.Load().ProxyHeader))
	if c.ProxyHeader() == nil {
		return nil, false
	}
	_, ok = c.RemoteAddr().(*net.TCPAddr)
	return c, ok
}

// The beginnings of headers of the PROXY protocol, versions 1 and 2, and the maximum length of a header of version 1, in bytes.
const (
	proxySignature1 = "PROXY "
	proxySignature2 = "\r\n\r\n\x00\r\nQUIT\n"
	maxProxyLine    = 107
)

// A wholeHeader is a connection whose first Read waits for the whole header of version 1, however the network fragments it. The parser needs it
// in one piece.
type wholeHeader struct {
	net.Conn
	begun bool
}

// Read reads the whole header of version 1, if the connection begins with one and p has room for it.
func (w *wholeHeader) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if w.begun || len(p) < maxProxyLine {
		w.begun = true
		return n, err
	}
	w.begun = true
	for err == nil && n < maxProxyLine && beginAlike(p[:n], proxySignature1) && !bytes.ContainsRune(p[:n], '\n') {
		var more int
		more, err = w.Conn.Read(p[n:])
		n += more
	}
	return n, err
}

// beginAlike reports whether one of both begins with the other.
func beginAlike(p []byte, signature string) bool {
	n := min(len(p), len(signature))
	return string(p[:n]) == signature[:n]
}
