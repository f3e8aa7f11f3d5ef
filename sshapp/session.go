package sshapp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"charm.land/ssh"
	"charm.land/wish/v2"
	shlex "github.com/anmitsu/go-shlex"
	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/command"
	"ludoteca/sshapp/terminal"
	"ludoteca/sshapp/wording"
)

// Why the context of a session ends. context.Cause tells them apart.
var (
	// ErrClosed means that the session is over: the client closed it, its connection ended, or Close or Exit was called.
	ErrClosed = errors.New("sshapp: session closed")
	// ErrGoingDown means that the server stops. Writing still works for Limits.GoingDown.
	ErrGoingDown = errors.New("sshapp: the server is going down")
)

// A session is one channel of one client that asked for a shell, a command or a subsystem, with everything about it bounded. To
// middleware it is the library's ssh.Session, with these differences:
//
//   - Read and Write return no later than the session ends, although x/crypto's channels hang until the client closes the
//     channel too or its connection ends. Then it is readLoop and writeLoop that hang, and the session keeps its place until
//     they have ended, or as a half-closed one.
//   - Context ends with the session, and when the server goes down; its cause is ErrClosed or ErrGoingDown.
//   - The terminal's name, its window and the environment are what the server accepts of what the client says.
//   - There are no signals, breaks, terminal modes or agent, and no subsystems but Config.Subsystems.
//
// Three goroutines serve a session beside its handler's. readLoop and writeLoop begin with the first Read and Write. Screens need
// neither: the driver has a reader and a writer of its own, which Go runs on the channel.
//
//	client ==requests==> run ---------------> exit status, close
//	       ==data======> readLoop --chunk--> Read    (middleware)
//	       <=data======= writeLoop <-chunk-- Write   (middleware)
//
// Its methods may be called by any goroutine, Read by one at a time.
type session struct {
	channel    gossh.Channel
	conn       *gossh.ServerConn
	identity   Identity
	limits     *Limits
	bounds     bounds
	subsystems []string // that it may ask for
	ctx        sessionContext
	cancel     context.CancelCauseFunc

	// Set before it is served.
	refusal    func(wording.Words) string // words that are all this session gets; nil if it is served
	refusedFor error                      // why; nil if what the client asked for is wrong
	started    func()                     // called when there is something to serve
	ended      func()                     // called when it is over, before the client is told
	tooSlow    func()                     // called when the client takes longer than bounds.linger to close a channel that the server has closed
	stalled    func()                     // called when the client takes too little of what Write writes
	active     func()                     // called when the client has typed something
	left       func()                     // called when the client has closed the channel before the session was done

	working sync.WaitGroup // all goroutines of the session but run, which waits for them
	over    chan struct{}  // closed when nothing more is read or written
	endOnce sync.Once
	exited  atomic.Bool
	exit    chan int // the exit status, once it is known

	input chan []byte // from readLoop; closed at the client's end of file; nil before the first Read
	rest  []byte      // what Read has left of the last chunk

	writing chan struct{}     // full while something is written; guards the four below
	writes  chan writeRequest // to writeLoop; nil before the first Write
	written chan error        // the answer to each
	outbox  []byte            // a copy of what is written, which may be under way when Write returns early
	behind  time.Duration     // how much longer than at leastRate the client took for what Write has written

	resizes chan ssh.Window // holds the newest size only

	mu        sync.Mutex // guards what follows
	pty       ssh.Pty
	hasPty    bool
	env       []string
	command   string
	subsystem string
}

var (
	_ ssh.Session     = (*session)(nil)
	_ terminal.Runner = (*session)(nil)
)

// A writeRequest is what writeLoop is to write, and where.
type writeRequest struct {
	to io.Writer
	p  []byte
}

// A sessionContext is the library's context of a connection, except that it ends with a session.
type sessionContext struct {
	ssh.Context
	session context.Context
}

func (c sessionContext) Deadline() (time.Time, bool) { return c.session.Deadline() }
func (c sessionContext) Done() <-chan struct{}       { return c.session.Done() }
func (c sessionContext) Err() error                  { return c.session.Err() }

// Value looks in the session's context first, so that context.Cause finds the session's cause.
func (c sessionContext) Value(key any) any {
	if v := c.session.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
}

// newSession makes a session of an accepted channel; run serves it.
func newSession(c *connection, conn *gossh.ServerConn, channel gossh.Channel, parent ssh.Context) *session {
	ctx, cancel := context.WithCancelCause(c.ctx)
	return &session{
		channel: channel, conn: conn, identity: signInOf(conn.Permissions).Identity, limits: c.server.limits.Load(), bounds: c.server.bounds, subsystems: c.server.subsystems,
		ctx: sessionContext{parent, ctx}, cancel: cancel,
		started: func() {}, ended: func() {}, tooSlow: func() {}, stalled: func() {}, active: func() {}, left: func() {},
		over: make(chan struct{}), exit: make(chan int, 1),
		writing: make(chan struct{}, 1), resizes: make(chan ssh.Window, 1),
	}
}

// run answers the channel's requests until both sides have closed it, and serves the session with h in between. It never
// waits for h or for data, so the connection's other channels go on.
func (s *session) run(requests <-chan *gossh.Request, h ssh.Handler) {
	defer s.working.Wait()
	defer s.end(ErrClosed)
	grace := time.NewTimer(s.limits.RequestGrace)
	defer grace.Stop()
	serving, closed := false, false
	start := func() {
		serving = true
		grace.Stop()
		s.working.Go(func() { s.serve(h) })
	}
	for {
		select {
		case req, ok := <-requests:
			if !ok {
				if !closed {
					s.left()
				}
				return
			}
			wanted, reply := s.answer(req, serving)
			_ = req.Reply(reply, nil) // failing means that the connection ends, and requests with it
			if wanted {
				s.started()
				start()
			}
		case status := <-s.exit:
			closed = true
			s.ended()
			s.close(status)
			grace.Reset(s.bounds.linger)
		case <-grace.C:
			if closed {
				s.tooSlow()
				continue
			}
			s.refusal = func(say wording.Words) string { return say.T("You asked for neither a shell nor a command.") }
			start()
		}
	}
}

// serve runs the handler, or says why there is none to run.
func (s *session) serve(h ssh.Handler) {
	if s.refusal != nil {
		words := s.refusal(wording.FromLocale(s.Environ()))
		_, _ = s.Write(command.Unread(s.RawCommand(), s.refusedFor, words)) // failing means that the client is gone
		wish.Errorln(s, words)
		_ = s.Exit(1)
		return
	}
	h(s)
	_ = s.Exit(0) // unless there is a status already
}

// close tells the client the exit status and that the channel is done with.
func (s *session) close(status int) {
	s.end(ErrClosed)
	_, _ = s.channel.SendRequest("exit-status", false, gossh.Marshal(struct{ Status uint32 }{uint32(status)}))
	_ = s.channel.Close() // EOF when the client was faster
}

// end ends reading, writing and the context.
func (s *session) end(cause error) {
	s.endOnce.Do(func() {
		s.cancel(cause) // first: a caller that finds nothing is written any more can ask why
		close(s.over)
	})
}

// Go runs f in a goroutine that the session waits for. f reads and writes the channel itself, which may hang until the client
// closes it too or its connection ends. What f writes stays as it is and is never mixed with what Write does. Read gets nothing
// that f has read.
func (s *session) Go(f func(io.ReadWriter)) { s.working.Go(func() { f(direct{s}) }) }

// direct is a session's channel for readers and writers that may block.
type direct struct{ s *session }

func (d direct) Read(p []byte) (int, error) {
	n, err := d.s.channel.Read(p)
	if n > 0 {
		d.s.active()
	}
	return n, err
}

func (d direct) Write(p []byte) (int, error) {
	if err := d.s.beginWrite(); err != nil {
		return 0, err
	}
	defer d.s.endWrite()
	return d.s.channel.Write(p)
}

// beginWrite waits for its turn, but no longer than the session lasts: x/crypto mixes up what is written at the same time. The error
// is ErrClosed.
func (s *session) beginWrite() error {
	select {
	case s.writing <- struct{}{}:
	case <-s.over:
		return ErrClosed
	}
	select {
	case <-s.over:
		s.endWrite()
		return ErrClosed
	default:
		return nil
	}
}

func (s *session) endWrite() { <-s.writing }

// readLoop takes data from the channel. It uses two buffers in turn: Read asks for the second only when it is done with the
// first.
func (s *session) readLoop() {
	defer close(s.input)
	var buffers [2][1 << 10]byte
	for i := 0; ; i ^= 1 {
		n, err := s.channel.Read(buffers[i][:])
		if n > 0 {
			s.active()
			select {
			case s.input <- buffers[i][:n]:
			case <-s.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Read returns what the client typed. The error is io.EOF after the client closed its side, and the cause of Context after
// that ended.
func (s *session) Read(p []byte) (int, error) { return s.ReadUntil(s.ctx, p) }

// ReadUntil is Read, but ends with the cause of ctx as soon as that has ended too.
func (s *session) ReadUntil(ctx context.Context, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(s.rest) == 0 {
		if s.ctx.Err() != nil {
			return 0, context.Cause(s.ctx)
		}
		if s.input == nil {
			s.input = make(chan []byte)
			s.working.Go(s.readLoop)
		}
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
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// writeLoop does the writing, so that a Write that hangs can be left behind.
func (s *session) writeLoop() {
	for {
		select {
		case <-s.over:
			return
		case w := <-s.writes:
			_, err := w.to.Write(w.p)
			s.written <- err // has room: there is one request at a time
		}
	}
}

// maxChunk is the largest piece given to writeLoop at once, in bytes: the channel keeps a buffer of that size.
const maxChunk = 8 << 10

// leastRate is the slowest that a client may read, in bytes a second.
const leastRate = 1 << 10

// Write sends p to the client and returns when the network has it. It waits for a slow client, and blocks no other session. A client that
// falls behind leastRate by Limits.WriteStall loses the session, and its connection: one that leaves the window of its channel closed, too,
// on which the network never stalls. With a terminal a line feed becomes a carriage return and a line feed, since clients switch their
// own conversion off. The error is ErrClosed.
func (s *session) Write(p []byte) (int, error) { return s.write(s.channel, p) }

// Stderr returns the stream for complaints; writing to it works like Write, and there is nothing to read.
func (s *session) Stderr() io.ReadWriter { return errorStream{s} }

type errorStream struct{ s *session }

func (e errorStream) Read([]byte) (int, error)    { return 0, io.EOF }
func (e errorStream) Write(p []byte) (int, error) { return e.s.write(e.s.channel.Stderr(), p) }

func (s *session) write(to io.Writer, p []byte) (n int, err error) {
	s.mu.Lock()
	pty := s.hasPty
	s.mu.Unlock()
	if err := s.beginWrite(); err != nil {
		return 0, err
	}
	defer s.endWrite()
	if s.writes == nil {
		s.writes, s.written = make(chan writeRequest, 1), make(chan error, 1)
		s.working.Go(s.writeLoop)
	}
	for len(p) > 0 {
		chunk := p[:min(len(p), maxChunk)]
		if err := s.writeChunk(to, chunk, pty); err != nil {
			return n, err
		}
		n, p = n+len(chunk), p[len(chunk):]
	}
	return n, nil
}

// writeChunk has writeLoop write a copy of chunk, and waits for it until the session ends or the client has stalled, which ends it.
// From then on nothing is written, so the copy stays as it is while writeLoop may still use it. The caller holds writing.
func (s *session) writeChunk(to io.Writer, chunk []byte, pty bool) error {
	select {
	case <-s.over:
		return ErrClosed
	default:
	}
	s.outbox = append(s.outbox[:0], chunk...)
	if pty {
		s.outbox = withCarriageReturns(s.outbox)
	}
	began, due := time.Now(), time.Duration(len(s.outbox))*time.Second/leastRate
	stall := time.NewTimer(due + s.limits.WriteStall - s.behind)
	defer stall.Stop()
	s.writes <- writeRequest{to, s.outbox} // has room: there is one request at a time
	select {
	case <-s.over:
		return ErrClosed
	case err := <-s.written:
		if err != nil {
			return ErrClosed // the channel says EOF, whatever happened
		}
		s.behind = max(0, s.behind+time.Since(began)-due)
		return nil
	case <-stall.C:
		s.stalled() // first: the session ends because its line is as good as dead
		s.end(ErrClosed)
		return ErrClosed
	}
}

// withCarriageReturns puts a carriage return before each line feed that has none. It returns p itself if all have one.
func withCarriageReturns(p []byte) []byte {
	if bytes.Count(p, []byte("\n")) == bytes.Count(p, []byte("\r\n")) {
		return p
	}
	p = bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
	return bytes.ReplaceAll(p, []byte("\r\r\n"), []byte("\r\n"))
}

// Exit ends the session with a status, of which the lowest 8 bits count. The first status counts; for later ones the error is
// ErrClosed.
func (s *session) Exit(status int) error {
	if !s.exited.CompareAndSwap(false, true) {
		return ErrClosed
	}
	s.exit <- status & 0xff // has room
	s.end(ErrClosed)
	return nil
}

// Close ends reading and writing, hanging calls included, and Context. The client hears of it when the handler has returned.
// Close never waits and always returns nil.
func (s *session) Close() error {
	s.end(ErrClosed)
	return nil
}

// CloseWrite tells the client that nothing more is written.
func (s *session) CloseWrite() error { return s.channel.CloseWrite() }

// SendRequest sends a request to the client. It waits for an answer until the session ends. The error is ErrClosed.
func (s *session) SendRequest(name string, wantReply bool, payload []byte) (bool, error) {
	select {
	case <-s.over:
		return false, ErrClosed
	default:
	}
	var answer bool
	var err error
	answered := make(chan struct{})
	s.working.Go(func() { // ends with the channel at the latest, as readLoop does
		defer close(answered)
		answer, err = s.channel.SendRequest(name, wantReply, payload)
	})
	select {
	case <-answered:
		if err != nil {
			err = ErrClosed
		}
		return answer, err
	case <-s.over:
		return false, ErrClosed
	}
}

// User returns the SSH user name as the client sent it. It is a wish and may hold anything; Identity has one that can be shown.
func (s *session) User() string { return s.conn.User() }

// RemoteAddr returns the client's address, also behind a proxy.
func (s *session) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// LocalAddr returns the server's address.
func (s *session) LocalAddr() net.Addr { return s.conn.LocalAddr() }

// PublicKey returns the key that the client proved to have; of a certificate, the key in it. It is nil for guests.
func (s *session) PublicKey() ssh.PublicKey {
	if key := signInOf(s.conn.Permissions).key; key != nil {
		return key
	}
	return nil
}

// Permissions returns the permissions of the sign-in.
func (s *session) Permissions() ssh.Permissions {
	return ssh.Permissions{Permissions: s.conn.Permissions}
}

// Context ends when the session or its connection does, and when the server goes down.
func (s *session) Context() ssh.Context { return s.ctx }

// EmulatedPty reports whether Write treats line feeds as a terminal does.
func (s *session) EmulatedPty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasPty
}

// Pty returns the terminal that the client asked for: its name (possibly empty), its newest size, and sizes as they come. Each
// side of a size is 1 to 4096 cells; a side that the client doesn't know has the size of an 80x24 terminal. The channel holds only the
// newest size, the first included, and is never closed. ok is false when the client has no terminal. A client may ask for a terminal
// together with a command.
func (s *session) Pty() (pty ssh.Pty, sizes <-chan ssh.Window, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pty, s.resizes, s.hasPty
}

// Environ returns the client's environment as NAME=value, without TERM of the terminal. It has only names that describe a
// terminal or a language. Values are printable UTF-8.
func (s *session) Environ() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.env)
}

// RawCommand returns the command line as the client sent it, "" if it asked for a shell.
func (s *session) RawCommand() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.command
}

// Command returns the words of the command line, none if the client asked for a shell.
func (s *session) Command() []string {
	words, _ := shlex.Split(s.RawCommand(), true)
	return words
}

// Subsystem returns the subsystem that the client asked for, one of Config.Subsystems; "" for a shell or a command.
func (s *session) Subsystem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subsystem
}

// Signals does nothing: the server takes no signals.
func (s *session) Signals(chan<- ssh.Signal) {}

// Break does nothing: the server takes no breaks.
func (s *session) Break(chan<- bool) {}

// answer handles one request. start is true if the session is to be served now; reply is the answer to the request. Once the
// session is served, only its window can change.
func (s *session) answer(req *gossh.Request, serving bool) (start, reply bool) {
	if serving {
		return false, req.Type == "window-change" && s.resize(req.Payload)
	}
	switch req.Type {
	case "pty-req":
		return false, s.allocate(req.Payload)
	case "window-change":
		return false, s.resize(req.Payload)
	case "env":
		return false, s.setenv(req.Payload)
	case "shell":
		return true, true
	case "exec":
		ok := s.execute(req.Payload)
		return ok, ok
	case "subsystem":
		ok := s.useSubsystem(req.Payload)
		return ok, ok
	}
	// Everything else is refused: agents, X11, signals, breaks and what is yet to be invented.
	return false, false
}

func (s *session) allocate(payload []byte) bool {
	var req struct {
		Term                      string
		Columns, Rows, Wide, High uint32
		Modes                     string
	}
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasPty {
		return false
	}
	s.hasPty = true
	if termName.MatchString(req.Term) {
		s.pty.Term = req.Term
	}
	s.setWindow(req.Columns, req.Rows)
	return true
}

// termName matches valid names of terminals. An invalid name counts as none.
var termName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+._-]{0,63}$`)

func (s *session) resize(payload []byte) bool {
	var req struct{ Columns, Rows, Wide, High uint32 }
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.hasPty {
		return false
	}
	s.setWindow(req.Columns, req.Rows)
	return true
}

// setWindow keeps the newest size for the middleware, and never waits for it. The caller holds mu.
func (s *session) setWindow(columns, rows uint32) {
	s.pty.Window = window(columns, rows)
	select {
	case <-s.resizes: // the older one, still unread
	default:
	}
	s.resizes <- s.pty.Window // has room: this is the only sender
}

// maxSide bounds each side of a window, in cells. No terminal is larger; what fits on it is the driver's to say.
const maxSide = 4096

// window returns the size of a client's terminal within the server's bounds. A side of 0 cells, which means unknown, becomes that side of 80x24.
func window(columns, rows uint32) ssh.Window {
	unknown := terminal.Clamp(terminal.Window{})
	side := func(cells uint32, otherwise int) int {
		if cells == 0 {
			return otherwise
		}
		return int(min(cells, maxSide))
	}
	return ssh.Window{Width: side(columns, unknown.Width), Height: side(rows, unknown.Height)}
}

// setenv keeps a variable that is allowed, in place of an older one of that name.
func (s *session) setenv(payload []byte) bool {
	var req struct{ Name, Value string }
	if gossh.Unmarshal(payload, &req) != nil || !envName.MatchString(req.Name) || !printable(req.Value) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, size := make([]string, 0, len(s.env)+1), 0
	for _, v := range s.env {
		if !strings.HasPrefix(v, req.Name+"=") {
			kept, size = append(kept, v), size+len(v)
		}
	}
	added := req.Name + "=" + req.Value
	if len(kept) >= s.bounds.envVars || size+len(added) > s.bounds.envBytes {
		return false
	}
	s.env = append(kept, added)
	return true
}

// envName matches the variables that the club uses: the language, the encoding, and the abilities of the terminal.
var envName = regexp.MustCompile(
	`^(LANG|LANGUAGE|LC_[A-Z]{1,16}|TERM|COLORTERM|COLORFGBG|NO_COLOR|CLICOLOR|CLICOLOR_FORCE|TERM_PROGRAM|TERM_PROGRAM_VERSION)$`)

func (s *session) execute(payload []byte) bool {
	var req struct{ Command string }
	if gossh.Unmarshal(payload, &req) != nil {
		return false
	}
	if len(req.Command) > s.bounds.commandBytes {
		s.refusal = func(say wording.Words) string { return say.T("A command has at most %d bytes.", s.bounds.commandBytes) }
	}
	if req.Command == "" {
		req.Command = " " // of no words, but not the shell that an empty one means to the library
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.command = req.Command
	return true
}

// useSubsystem reports whether a session may have the subsystem that it asks for. One with a terminal, in which line feeds aren't what they are,
// may not.
func (s *session) useSubsystem(payload []byte) bool {
	var req struct{ Name string }
	if gossh.Unmarshal(payload, &req) != nil || !slices.Contains(s.subsystems, req.Name) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasPty {
		return false
	}
	s.subsystem = req.Name
	return true
}

// printable is true for valid UTF-8 without control characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
