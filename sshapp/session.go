package sshapp

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"sync"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/metrics"
	"ludoteca/sshapp/terminal"
)

// A Session is one channel of one client that asked for a shell or a command, with everything about it bounded. It is
// served by one Handler. Its methods may be called from any goroutine, Read from one at a time.
//
// Four goroutines carry a session, all of which have ended before its place is given to someone else:
//
//	client ==requests==> run ---------> exit status, close
//	       ==data======> pump --chunk-> Read, or the terminal driver     (Handler)
//	       <=data======= relay <-chunk- Write, or the terminal driver    (Handler)
//
// Read and Write hang no longer than until the session ends, although x/crypto's channels do: it is pump and relay that
// are left hanging then, until the client closes the channel too or its connection ends. The terminal driver does without Read
// and Write (carry.go): pump and relay call it, since each goroutine more on a key's way would cost more than the key.
type Session struct {
	ch       gossh.Channel
	identity Identity
	remote   netip.AddrPort
	limits   *Limits
	log      *slog.Logger
	metrics  *metrics.Door
	ctx      context.Context
	cancel   context.CancelCauseFunc

	// Set before it is served.
	refusal string // words that are all this session gets
	started func() // called when there is something to serve
	ended   func() // called when it is over, before the client is told
	tooSlow func() // called when the client takes longer than Limits.Linger to close a channel that we have closed

	over    chan struct{} // closed when nothing more is read or written
	endOnce sync.Once
	exit    chan int // the exit status, once it is known

	receiver terminal.Receiver // set before carried is closed
	carried  chan struct{}     // closed when pump and relay work for receiver
	served   chan struct{}     // closed when the Handler has returned

	input chan []byte // from pump; closed at the client's end of file
	rest  []byte      // what Read has left of the last chunk

	turn   chan struct{} // held by the Write that waits for relay, with its own copy in outbox
	outbox []byte
	work   chan errand // for relay ...
	sent   chan error  // ... which answers here
	silent sync.Once   // closes sent

	relieve chan struct{} // for relay: pump's write hangs, and it is to be pump
	lookout *lookout      // that says so
	hanging hanging       // belongs to lookout

	resizes chan terminal.Window

	mu      sync.Mutex // guards what follows
	term    string
	window  terminal.Window
	pty     bool
	env     []string
	command string
	exec    bool
}

// Identity says who a connection is. It is made from what the client proved, and never changes.
type Identity struct {
	// Fingerprint is the SHA-256 fingerprint ("SHA256:...") of the key that signed for this connection; of a
	// certificate, of the key in it. It is empty for guests.
	Fingerprint string
	// Guest is true for a connection that signed in without a key.
	Guest bool
	// User is the SSH user name, a wish of the client: 1 to 64 bytes of printable UTF-8, or empty.
	User string
	// ConnectionID is random and unlike that of any other connection; all sessions of a connection share it.
	ConnectionID string
}

// Identity returns who the client is.
func (s *Session) Identity() Identity { return s.identity }

// Remote returns the client's address; it is the zero AddrPort when the network has no such addresses.
func (s *Session) Remote() netip.AddrPort { return s.remote }

// Context ends when the session or its connection does, and when the server goes down; its cause is ErrClosed or
// ErrGoingDown.
func (s *Session) Context() context.Context { return s.ctx }

// Pty returns the terminal that the client asked for: its name (possibly empty), its newest size, and later sizes. Each side
// of a size is 1 to 4096 cells, one that the client doesn't know that of 80x24; the driver draws on a part of a large window
// (terminal.Clamp). resizes holds only the newest size and is never closed. ok is false when the client has no terminal. A
// client may ask for a terminal together with a command.
func (s *Session) Pty() (term string, first terminal.Window, resizes <-chan terminal.Window, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term, s.window, s.resizes, s.pty
}

// Env returns the client's environment as NAME=value, without TERM of the terminal. Names are those that describe a terminal
// or a language, values are printable UTF-8.
func (s *Session) Env() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.env)
}

// Command returns the command line exactly as the client sent it; ok is false when it asked for a shell.
func (s *Session) Command() (line string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.command, s.exec
}

// Read returns what the client typed. The error is io.EOF after the client closed its side, and the cause of Context after
// that ended.
func (s *Session) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.rest) == 0 {
		select {
		case chunk, ok := <-s.input:
			if !ok && s.ctx.Err() != nil {
				return 0, context.Cause(s.ctx)
			}
			if !ok {
				return 0, io.EOF
			}
			s.rest = chunk
		case <-s.ctx.Done():
			return 0, context.Cause(s.ctx)
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Write sends p to the client and returns when the network has it. It waits for a slow client until the session is closed,
// and holds up nobody else.
func (s *Session) Write(p []byte) (int, error) { return s.write(s.ch, p) }

// Stderr returns a writer for complaints; it works like Write.
func (s *Session) Stderr() io.Writer { return errorStream{s} }

// Exit ends the session with a status, 0 to 255. The first status counts.
func (s *Session) Exit(status int) {
	select {
	case s.exit <- status & 0xff:
	default:
	}
	s.end(ErrClosed)
}

// Close ends reading and writing, hanging calls included, and Context. The client hears of it when the Handler returns, and
// gets the status that this returns. Close never waits and always returns nil.
func (s *Session) Close() error {
	s.end(ErrClosed)
	return nil
}

func (s *Session) end(cause error) {
	s.endOnce.Do(func() {
		s.cancel(cause) // first: whoever finds that nothing is written any more can ask why
		close(s.over)
	})
}

type errorStream struct{ s *Session }

func (e errorStream) Write(p []byte) (int, error) { return e.s.write(e.s.ch.Stderr(), p) }

// maxChunk is the largest piece given to the relay at once, in bytes: the channel keeps a buffer of that size.
const maxChunk = 8 << 10

func (s *Session) write(to io.Writer, p []byte) (n int, err error) {
	for len(p) > 0 {
		chunk := p[:min(len(p), maxChunk)]
		if err := s.writeChunk(to, chunk); err != nil {
			return n, err
		}
		n, p = n+len(chunk), p[len(chunk):]
	}
	return n, nil
}

func (s *Session) writeChunk(to io.Writer, chunk []byte) error {
	select {
	case <-s.over:
		return ErrClosed
	default:
	}
	select {
	case <-s.over:
		return ErrClosed
	case s.turn <- struct{}{}:
	}
	defer func() { <-s.turn }() // after the end it doesn't matter who holds it: nobody writes any more
	s.outbox = append(s.outbox[:0], chunk...)
	select {
	case <-s.over:
		return ErrClosed
	case s.work <- errand{to, s.outbox}:
	}
	select {
	case <-s.over:
		return ErrClosed
	case err, ok := <-s.sent:
		if !ok {
			return ErrClosed
		}
		return err
	}
}
