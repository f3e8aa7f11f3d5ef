package clustertest

import (
	"net"
	"sync"
	"testing"
)

// A proxy passes traffic between a node and one server of the store. What it blocks arrives later, as in a network that loses packets for a
// while, unless the connections are reset.
type proxy struct {
	listener net.Listener
	to       endpoint
	all      sync.WaitGroup

	mu          sync.Mutex // guards what follows
	connections map[net.Conn]bool
	open        [2]chan struct{} // by direction; closed while traffic passes
	closed      bool
}

// The directions.
const (
	toStore = iota // requests
	toNode         // answers
)

func newProxy(t testing.TB, to endpoint) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, connections: make(map[net.Conn]bool)}
	for i := range p.open {
		p.open[i] = make(chan struct{})
		close(p.open[i])
	}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		l.Close()
		p.reset()
		p.setBlocked(false, false)
		p.all.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.serve(from) })
	}
}

func (p *proxy) serve(from net.Conn) {
	defer from.Close()
	if !p.track(from) {
		return
	}
	defer p.untrack(from)
	p.wait(toStore)
	to, err := net.Dial(p.to.network, p.to.address)
	if err != nil {
		return
	}
	defer to.Close()
	if !p.track(to) {
		return
	}
	defer p.untrack(to)
	var both sync.WaitGroup
	both.Go(func() { p.copy(to, from, toStore) })
	both.Go(func() { p.copy(from, to, toNode) })
	both.Wait()
}

// track adds a connection to the ones that reset closes. It returns false if the proxy is closed.
func (p *proxy) track(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections[c] = true
	return !p.closed
}

func (p *proxy) untrack(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.connections, c)
}

// wait waits until traffic may pass in a direction.
func (p *proxy) wait(direction int) {
	p.mu.Lock()
	open := p.open[direction]
	p.mu.Unlock()
	<-open
}

func (p *proxy) copy(to, from net.Conn, direction int) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.wait(direction)
		if _, e := to.Write(b[:n]); e != nil || err != nil {
			return
		}
	}
}

// setBlocked blocks or unblocks requests and answers.
func (p *proxy) setBlocked(requests, answers bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, blocked := range [2]bool{toStore: requests, toNode: answers} {
		through := true
		select {
		case <-p.open[i]:
		default:
			through = false
		}
		switch {
		case blocked && through && !p.closed:
			p.open[i] = make(chan struct{})
		case !blocked && !through:
			close(p.open[i])
		}
	}
}

// reset closes all connections. Blocked traffic is lost.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.connections {
		c.Close()
	}
}
