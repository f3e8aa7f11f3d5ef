// Package mailtest has a mail server on a loopback port, for tests.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Letter is a message to one address, which is that of the envelope.
type Letter struct{ To, Text string }

// A Server is a mail server. Its fields are set before Serve. Any goroutine may use its methods.
type Server struct {
	Certificate *tls.Certificate  // nil: it offers no TLS
	Implicit    bool              // TLS from the first byte on
	Answers     map[string]string // by verb, in place of the usual ones
	Rude        func(c net.Conn)  // talks to each client in place of the server; nil: the server does

	listener net.Listener
	over     chan struct{} // closed at the end of the test

	mu      sync.Mutex           // guards what follows
	stalls  func(to string) bool // says nothing any more; nil: to none
	refuses func(to string) bool // refuses mail for now; nil: to none
	letters []Letter
	signIns []string
	news    chan struct{} // closed when a letter has come
}

// Serve serves until the test ends.
func (s *Server) Serve(t testing.TB) {
	t.Helper()
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.over, s.news = make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := s.listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(c) })
		}
	})
	t.Cleanup(func() { close(s.over); _ = s.listener.Close(); all.Wait() })
}

// Addr returns the address of the server.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Treat sets to which recipients the server says nothing any more, and which it refuses for now.
func (s *Server) Treat(stalls, refuses func(to string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls, s.refuses = stalls, refuses
}

// Letters returns the letters that have come.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.letters)
}

// SignIns returns with which names and passwords clients have signed in, quoted, and whether over TLS.
func (s *Server) SignIns() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.signIns)
}

// Wait waits until the letters that have come are those that a test waits for, and fails the test if it ends before. what names them.
func (s *Server) Wait(t testing.TB, what string, enough func([]Letter) bool) {
	t.Helper()
	for {
		s.mu.Lock()
		news, letters := s.news, slices.Clone(s.letters)
		s.mu.Unlock()
		if enough(letters) {
			return
		}
		select {
		case <-news:
		case <-t.Context().Done():
			t.Fatalf("%s: %d letters have come in all", what, len(letters))
		}
	}
}

// serve talks to one client, until the client ends or the test does.
func (s *Server) serve(c net.Conn) {
	ended := make(chan struct{})
	defer close(ended)
	defer c.Close()
	go func() { // ends with the client
		select {
		case <-s.over:
			_ = c.Close()
		case <-ended:
		}
	}()
	if s.Rude != nil {
		s.Rude(c)
		return
	}
	s.talk(c)
}

// talk speaks SMTP.
func (s *Server) talk(c net.Conn) {
	encrypted := s.Implicit
	if encrypted {
		c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*s.Certificate}})
	}
	in := bufio.NewReader(c)
	say := func(line string) { _, _ = fmt.Fprintf(c, "%s\r\n", line) } // the next read says that the client is gone
	say("220 mail.example.com ready")
	var to []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb := strings.ToUpper(strings.Fields(line + " -")[0])
		if answer, ok := s.Answers[verb]; ok {
			say(answer)
			continue
		}
		switch verb {
		case "EHLO", "HELO":
			say("250-mail.example.com")
			if s.Certificate != nil && !encrypted {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			say("220 go on")
			c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*s.Certificate}})
			in, encrypted = bufio.NewReader(c), true
		case "AUTH":
			fields := strings.Fields(line)
			b, _ := base64.StdEncoding.DecodeString(fields[len(fields)-1]) // what isn't base64 is not what the test wants
			s.mu.Lock()
			s.signIns = append(s.signIns, fmt.Sprintf("%q encrypted %v", b, encrypted))
			s.mu.Unlock()
			say("235 welcome")
		case "RCPT":
			_, address, _ := strings.Cut(line, "<")
			address, _, _ = strings.Cut(address, ">")
			s.mu.Lock()
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

// take keeps a letter to some addresses.
func (s *Server) take(to []string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range to {
		s.letters = append(s.letters, Letter{address, text})
	}
	close(s.news)
	s.news = make(chan struct{})
}
