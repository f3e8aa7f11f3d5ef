package sshapp

import (
	"errors"
	"net"
	"net/netip"
	"sync"

	"github.com/pires/go-proxyproto"
)

// Behind a proxy
//
// A proxy speaks for its clients: it begins each connection with a header of the PROXY protocol, version 1 or 2, that says
// who comes. Only connections from the networks of trusted proxies may, and must, begin with one. Everybody else is who he
// is: a header from him is no SSH, and ends the connection.
//
// The limits by address need to know who comes before anything else happens, but the one who accepts connections must
// wait for nobody. So each header is awaited in a goroutine of its own, up to Limits.ProxyHeader, and at most
// Limits.Unauth of them at a time.
//
//	accept --from a proxy--> header --+--> Accept (the door's own)
//	       --from others--------------+

// BehindProxies returns a listener for Serve that takes the word of proxies in the networks from for who their clients are. It
// accepts from l at once; its Close ends that.
func (d *Server) BehindProxies(l net.Listener, from []netip.Prefix) net.Listener {
	p := &proxied{
		Listener: l, door: d, from: from,
		ready: make(chan arrival), closing: make(chan struct{}), waiting: make(map[net.Conn]struct{}),
	}
	p.running.Go(p.run)
	return p
}

// proxied is a listener behind proxies.
type proxied struct {
	net.Listener
	door    *Server
	from    []netip.Prefix
	ready   chan arrival
	closing chan struct{}  // closed by Close
	running sync.WaitGroup // run, and the readers of headers

	mu      sync.Mutex            // guards what follows
	waiting map[net.Conn]struct{} // for their header, or to be accepted after it; nil when closed
}

// arrival is what Accept returns.
type arrival struct {
	conn net.Conn
	err  error
}

// Accept returns the next connection whose address is known.
func (p *proxied) Accept() (net.Conn, error) {
	select {
	case a := <-p.ready:
		return a.conn, a.err
	case <-p.closing:
		return nil, net.ErrClosed
	}
}

// Close ends accepting, and the connections that have not been accepted.
func (p *proxied) Close() error {
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

// run accepts until the listener is closed. Whatever fails is told to the one who calls Accept, in whose hands it is to wait.
func (p *proxied) run() {
	for {
		conn, err := p.Listener.Accept()
		if err == nil && p.trusts(remoteOf(conn).Addr()) {
			p.expect(conn)
			continue
		}
		if !p.hand(arrival{conn, err}) || errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// trusts says whether an address is that of a proxy.
func (p *proxied) trusts(addr netip.Addr) bool {
	addr = addr.WithZone("")
	for _, network := range p.from {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// hand gives the one who calls Accept what has arrived; false when the listener is closed.
func (p *proxied) hand(a arrival) bool {
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

// expect waits for the header of a proxy's connection, beside everything else.
func (p *proxied) expect(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.waiting == nil:
		_ = conn.Close()
		return
	case len(p.waiting) >= p.door.limits.Unauth:
		p.door.refused(remoteOf(conn), tooManyProxied)
		_ = conn.Close()
		return
	}
	p.waiting[conn] = struct{}{}
	p.running.Go(func() {
		defer p.forget(conn)
		if named, ok := p.named(conn); ok {
			p.hand(arrival{named, nil})
		}
	})
}

func (p *proxied) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, conn)
}

// named reads the header, and returns the connection as the client's own. One without a header, or with one that names no
// TCP address, is closed.
func (p *proxied) named(conn net.Conn) (net.Conn, bool) {
	c := proxyproto.NewConn(socketOf(conn), proxyproto.WithPolicy(proxyproto.REQUIRE), proxyproto.SetReadHeaderTimeout(p.door.limits.ProxyHeader))
	if c.ProxyHeader() != nil {
		if _, tcp := c.RemoteAddr().(*net.TCPAddr); tcp {
			return c, true
		}
	}
	select {
	case <-p.closing: // closed by us
	default:
		p.door.refused(remoteOf(conn), noProxyHeader) // first: whoever sees the end finds the reason in the log
	}
	_ = conn.Close()
	return nil, false
}
