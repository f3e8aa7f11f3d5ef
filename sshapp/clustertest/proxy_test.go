package clustertest

import (
	"net"
	"sync"
	"testing"
)

// A proxy stands between a node and one member of etcd. What it holds back goes on later, as in a network that loses packets for a
// while, unless the connections are reset.
type proxy struct {
	listener net.Listener
	to       string
	all      sync.WaitGroup

	mu          sync.Mutex // guards what follows
	connections map[net.Conn]bool
	through     [2]chan struct{} // of requests and of answers: closed while they go through
	closed      bool
}

// The directions.
const (
	requests = iota
	answers
)

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: to, connections: make(map[net.Conn]bool)}
	for i := range p.through {
		p.through[i] = make(chan struct{})
		close(p.through[i])
	}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		l.Close()
		p.reset()
		p.hold(false, false)
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
	if !p.keep(from) {
		return
	}
	defer p.forget(from)
	p.wait(requests)
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	if !p.keep(to) {
		return
	}
	defer p.forget(to)
	var both sync.WaitGroup
	both.Go(func() { p.copy(to, from, requests) })
	both.Go(func() { p.copy(from, to, answers) })
	both.Wait()
}

// keep remembers a connection, to be closed when the network is mended. It is false when the proxy is closed.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections[c] = true
	return !p.closed
}

func (p *proxy) forget(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.connections, c)
}

// wait returns when bytes go through in a direction.
func (p *proxy) wait(direction int) {
	p.mu.Lock()
	through := p.through[direction]
	p.mu.Unlock()
	<-through
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

// hold says whether requests and answers are held back from now on.
func (p *proxy) hold(theRequests, theAnswers bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, hold := range [2]bool{requests: theRequests, answers: theAnswers} {
		open := true
		select {
		case <-p.through[i]:
		default:
			open = false
		}
		switch {
		case hold && open && !p.closed:
			p.through[i] = make(chan struct{})
		case !hold && !open:
			close(p.through[i])
		}
	}
}

// reset ends all connections. What was held back is lost.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.connections {
		c.Close()
	}
}
