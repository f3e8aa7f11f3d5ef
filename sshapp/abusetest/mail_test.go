//go:build linux

package abusetest

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A mailServer is a mail server on loopback.
type mailServer struct {
	net.Listener

	mu      sync.Mutex
	refuses func(to string) bool // answers 4xx to mail for an address; nil: to none
	stalls  func(to string) bool // says nothing any more
	letters []mailLetter
	asked   int           // recipients named, refused ones included
	news    chan struct{} // closed when a letter has come
	over    chan struct{} // closed at the end of the test
}

// A mailLetter is a message with the address in the envelope.
type mailLetter struct{ to, text string }

// serveMail starts a mail server, and returns it with the flag for a club.
func serveMail(t testing.TB) (s *mailServer, flag string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = &mailServer{Listener: l, news: make(chan struct{}), over: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.talk(conn) })
		}
	})
	t.Cleanup(func() { close(s.over); _ = s.Close(); all.Wait() })
	return s, fmt.Sprintf("--smtp=smtp://%s?from=club@example.com", l.Addr())
}

// talk talks to one client, until it ends or the test does.
func (s *mailServer) talk(conn net.Conn) {
	ended := make(chan struct{})
	defer close(ended)
	defer conn.Close()
	go func() { // ends with the client
		select {
		case <-s.over:
			_ = conn.Close()
		case <-ended:
		}
	}()
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = fmt.Fprintf(conn, "%s\r\n", line) } // the next read says that the client is gone
	say("220 mail.example.com ready")
	var to []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.Fields(line + " -")[0]); verb {
		case "EHLO", "HELO":
			say("250 mail.example.com")
		case "RCPT":
			_, address, _ := strings.Cut(line, "<")
			address, _, _ = strings.Cut(address, ">")
			s.mu.Lock()
			s.asked++
			stalls, refuses := s.stalls != nil && s.stalls(address), s.refuses != nil && s.refuses(address)
			s.mu.Unlock()
			switch {
			case stalls:
				<-s.over
				return
			case refuses:
				say("450 not now")
			default:
				to = append(to, address)
				say("250 fine")
			}
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(line)
			}
			s.take(to, text.String())
			to = nil
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

// take keeps a letter.
func (s *mailServer) take(to []string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range to {
		s.letters = append(s.letters, mailLetter{address, text})
	}
	close(s.news)
	s.news = make(chan struct{})
}

// set sets to whom the server says nothing and whom it refuses from now on.
func (s *mailServer) set(stalls, refuses func(to string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls, s.refuses = stalls, refuses
}

// all returns the letters that have come.
func (s *mailServer) all() []mailLetter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.letters)
}

// code waits for a letter with a code to an address, and returns the code.
func (s *mailServer) code(t testing.TB, to string) string {
	t.Helper()
	for {
		s.mu.Lock()
		news, letters := s.news, slices.Clone(s.letters)
		s.mu.Unlock()
		for _, l := range letters {
			if _, rest, is := strings.Cut(l.text, "notify confirm "); is && l.to == to {
				return strings.TrimSpace(rest[:strings.IndexAny(rest, "\r\n")])
			}
		}
		select {
		case <-news:
		case <-t.Context().Done():
			t.Fatalf("no code comes to %s", to)
		}
	}
}
