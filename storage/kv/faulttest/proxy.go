package faulttest

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy stands between stores and a server.
type Proxy struct {
	listener net.Listener
	network  string
	to       string
	all      sync.WaitGroup

	mu          sync.Mutex
	connections []net.Conn
	delay       time.Duration // before each answer is passed on
	asks        chan struct{} // closed while requests go through
	answers     chan struct{} // closed while answers go through
}

// NewProxy starts a proxy to a server. It ends with the test.
func NewProxy(t testing.TB, network, address string) *Proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, network: network, to: address, asks: make(chan struct{}), answers: make(chan struct{})}
	close(p.asks)
	close(p.answers)
	p.all.Go(p.accept)
	t.Cleanup(func() {
		p.Hold(false, false)
		p.Close()
		p.all.Wait()
	})
	return p
}

// Address returns where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

func (p *Proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		onward, err := net.Dial(p.network, p.to)
		if err != nil {
			from.Close()
			continue
		}
		p.mu.Lock()
		p.connections = append(p.connections, from, onward)
		p.mu.Unlock()
		p.all.Go(func() { p.copy(onward, from, &p.asks) })
		p.all.Go(func() { p.copy(from, onward, &p.answers) })
	}
}

func (p *Proxy) copy(to io.WriteCloser, from io.Reader, open *chan struct{}) {
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		through, delay := *open, p.delay
		p.mu.Unlock()
		<-through
		if open == &p.answers {
			Wait(delay)
		}
		if _, e := to.Write(b[:n]); e != nil || err != nil {
			return
		}
	}
}

// Hold holds requests and answers back from now on, or lets them through.
func (p *Proxy) Hold(asks, answers bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set := func(through *chan struct{}, hold bool) {
		open := true
		select {
		case <-*through:
		default:
			open = false
		}
		switch {
		case hold && open:
			*through = make(chan struct{})
		case !hold && !open:
			close(*through)
		}
	}
	set(&p.asks, asks)
	set(&p.answers, answers)
}

// Leave keeps the requests that are held back now, which go through once release is called, and lets later ones through.
func (p *Proxy) Leave() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.asks
	p.asks = make(chan struct{})
	close(p.asks)
	return func() { close(held) }
}

// Delay has each answer wait so long from now on.
func (p *Proxy) Delay(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = by
}

// Cut closes all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.connections {
		c.Close()
	}
	p.connections = nil
}

// Close closes all connections, and takes no more.
func (p *Proxy) Close() {
	p.listener.Close()
	p.Cut()
}
