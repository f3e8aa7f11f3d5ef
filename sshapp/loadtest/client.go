//go:build linux

package loadtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
	gossh "golang.org/x/crypto/ssh"
)

// Patience is the time that a test waits for an expected event. It only ends a hanging test and never measures anything.
const Patience = 90 * time.Second

// Payloads of RFC 4254, as a client writes them.
type (
	ptyRequest struct {
		Term                      string
		Columns, Rows, Wide, High uint32
		Modes                     string
	}
	windowChange struct{ Columns, Rows, Wide, High uint32 }
	variable     struct{ Name, Value string }
	oneString    struct{ Text string }
)

// Fingerprint returns the fingerprint by which the club knows a key.
func Fingerprint(key gossh.Signer) string { return gossh.FingerprintSHA256(key.PublicKey()) }

// NewKey makes a key.
func NewKey(t testing.TB) gossh.Signer {
	t.Helper()
	key, err := makeKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func makeKey() (gossh.Signer, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return gossh.NewSignerFromKey(private)
}

// A Connection is a signed-in SSH connection. All traffic on it must be done before its deadline.
type Connection struct {
	gossh.Conn
	Answered <-chan struct{} // closed once the client has answered a request of the server, such as a keepalive
	ended    <-chan struct{} // closed when the connection has ended
	tcp      *tcpConn
}

// A tcpConn is a TCP connection that can be left unread: what comes stays in the buffers of both sides, until they are full.
type tcpConn struct {
	*net.TCPConn
	unread atomic.Bool
	closed chan struct{}
	once   sync.Once
}

// smallBuffer is the size of the smallest buffers that the system gives, in bytes.
const smallBuffer = 4 << 10

// dial opens a connection. One with small is left little unread: the buffer that receives is as small as can be, and so the network takes little of
// what the other side writes.
func dial(addr string, small bool) (*tcpConn, error) {
	var d net.Dialer
	if small {
		d.Control = func(_, _ string, c syscall.RawConn) (err error) { // before it connects: then the window stays small
			failed := c.Control(func(fd uintptr) {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, smallBuffer)
			})
			return errors.Join(failed, err)
		}
	}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &tcpConn{TCPConn: c.(*net.TCPConn), closed: make(chan struct{})}, nil
}

// leaveUnread takes nothing any more.
func (w *tcpConn) leaveUnread() {
	w.unread.Store(true)
	_ = w.SetReadBuffer(smallBuffer) // fails only on a closed connection
}

// Read blocks until Close once the connection is left unread.
func (w *tcpConn) Read(p []byte) (int, error) {
	if w.unread.Load() {
		<-w.closed
	}
	return w.TCPConn.Read(p)
}

// Close also ends a blocked Read.
func (w *tcpConn) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.TCPConn.Close()
}

// A Caller is a user who connects to the club.
type Caller struct {
	Key  gossh.Signer // nil is a guest
	User string       // the SSH user name
	From netip.Addr   // the address that a header of the PROXY protocol claims; the zero value: there is no header

	AnswerAfter time.Duration // how long the client takes to answer a keepalive
	SmallBuffer bool          // little of what the club sends is under way at a time
}

// Dial opens a TCP connection and sends nothing but the PROXY header, if there is one.
func (c Caller) Dial(addr string) (net.Conn, error) { return c.dial(addr) }

func (c Caller) dial(addr string) (*tcpConn, error) {
	tcp, err := dial(addr, c.SmallBuffer)
	if err != nil || !c.From.IsValid() {
		return tcp, err
	}
	to := netip.MustParseAddr("192.0.2.1")
	if !c.From.Is4() {
		to = netip.MustParseAddr("2001:db8::1")
	}
	header := proxyproto.HeaderProxyFromAddrs(2, net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.From, 40000)),
		net.TCPAddrFromAddrPort(netip.AddrPortFrom(to, 22)))
	if _, err := header.WriteTo(tcp); err != nil {
		_ = tcp.Close()
		return nil, err
	}
	return tcp, nil
}

// call signs in, as a guest without a key.
func (s *server) call(key gossh.Signer) (*Connection, error) {
	return Caller{Key: key, User: "ana"}.Call(s.addr)
}

// Call opens a connection and signs in.
func (c Caller) Call(addr string) (*Connection, error) {
	tcp, err := c.dial(addr)
	if err != nil {
		return nil, err
	}
	_ = tcp.SetDeadline(time.Now().Add(Patience)) // fails only on a closed connection
	auth := gossh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })
	if c.Key != nil {
		auth = gossh.PublicKeys(c.Key)
	}
	conn, channels, requests, err := gossh.NewClientConn(tcp, addr, &gossh.ClientConfig{
		User: c.User, Auth: []gossh.AuthMethod{auth}, HostKeyCallback: gossh.InsecureIgnoreHostKey(), // a server of our own on loopback
	})
	if err != nil {
		_ = tcp.Close()
		return nil, err
	}
	answered, ended := make(chan struct{}), make(chan struct{})
	go c.answer(requests, answered) // both end with the connection
	go func() {
		defer close(ended)
		for c := range channels {
			_ = c.Reject(gossh.Prohibited, "")
		}
	}()
	return &Connection{conn, answered, ended, tcp}, nil
}

// answer refuses the requests of the server, as clients refuse keepalives, and closes answered after the first answer.
func (c Caller) answer(requests <-chan *gossh.Request, answered chan<- struct{}) {
	first := sync.OnceFunc(func() { close(answered) })
	for r := range requests {
		if !r.WantReply {
			continue
		}
		Pause(c.AnswerAfter)
		_ = r.Reply(false, nil) // fails only on a closed connection
		first()
	}
}

// Forever removes the deadline.
func (l *Connection) Forever() *Connection {
	_ = l.tcp.SetDeadline(time.Time{})
	return l
}

// LeaveUnread stops reading from the connection.
func (l *Connection) LeaveUnread() { l.tcp.leaveUnread() }

// cut ends the connection without a word: what is under way is lost.
func (l *Connection) cut() {
	_ = l.tcp.SetLinger(0)
	_ = l.tcp.Close()
	_ = l.Conn.Wait()
}

// A Terminal is a session with a screen. It counts its output, and keeps the newest part of it.
type Terminal struct {
	gossh.Channel
	conn *Connection

	status atomic.Int32  // exit status, -1 before there is one
	heard  chan struct{} // closed when the server sends no more requests: the exit status has come, if it comes
	over   chan struct{} // closed when all has been read and heard

	mu      sync.Mutex // guards what follows
	kept    []byte
	dropped bool // nothing is kept
	most    int  // how much is kept, if more than maxKept
	bytes   int64
	sent    time.Time // of the key that waits for an answer; zero is none
	answer  func(time.Duration)
	news    chan struct{} // closed when output comes; nil while no caller waits for it
}

// maxKept is the number of bytes of output that a terminal keeps at least. It keeps at most twice as many.
const maxKept = 128 << 10

// channel opens a session channel without a request. Unlike OpenChannel alone, it also returns when the connection ends: if the connection
// drops its channels just before the new one is added, OpenChannel waits for ever.
func (l *Connection) channel() (*Terminal, error) {
	type opening struct {
		channel  gossh.Channel
		requests <-chan *gossh.Request
		err      error
	}
	opened := make(chan opening, 1)
	go func() { // ends with OpenChannel, or with the process
		ch, requests, err := l.OpenChannel("session", nil)
		opened <- opening{ch, requests, err}
	}()
	var o opening
	select {
	case o = <-opened:
	case <-l.ended:
		return nil, net.ErrClosed
	}
	if o.err != nil {
		return nil, o.err
	}
	ch, requests := o.channel, o.requests
	t := &Terminal{Channel: ch, conn: l, heard: make(chan struct{}), over: make(chan struct{})}
	t.status.Store(-1)
	go func() { // ends with the channel
		defer close(t.heard)
		for r := range requests {
			if status := struct{ Status uint32 }{}; r.Type == "exit-status" && gossh.Unmarshal(r.Payload, &status) == nil {
				t.status.Store(int32(status.Status))
			}
			if r.WantReply {
				_ = r.Reply(false, nil)
			}
		}
	}()
	return t, nil
}

// A size is the size of a terminal, in cells.
type size struct{ width, height uint32 }

// Usual is the size of most terminals.
var Usual = size{80, 24}

// Screen opens a terminal with the screen of command, or with the lobby if that is "", and reads its output.
func (l *Connection) Screen(command string, z size) (*Terminal, error) {
	t, err := l.channel()
	if err != nil {
		return nil, err
	}
	if ok, err := t.request("pty-req", ptyRequest{"xterm-256color", z.width, z.height, 0, 0, ""}); err != nil || !ok {
		return nil, fmt.Errorf("pty-req: %v, %w", ok, err)
	}
	return t, t.begin(command)
}

// begin asks for a command, or the shell, and reads from then on.
func (t *Terminal) begin(command string) error {
	kind, payload := "shell", any(nil)
	if command != "" {
		kind, payload = "exec", oneString{command}
	}
	ok, err := t.request(kind, payload)
	if err != nil || !ok {
		return fmt.Errorf("%s: %v, %w", kind, ok, err)
	}
	go t.read()
	return nil
}

// Run runs a command without a terminal and returns what it printed, complaints included, and its exit status.
func (l *Connection) Run(command string) (out string, status int, err error) {
	t, err := l.channel()
	if err != nil {
		return "", 0, err
	}
	defer t.Close()
	t.most = 64 << 20
	if err := t.begin(command); err != nil {
		return "", 0, err
	}
	<-t.over
	return t.Shown(), int(t.status.Load()), nil
}

// Start starts a command without a terminal.
func (l *Connection) Start(command string) (*Terminal, error) {
	t, err := l.channel()
	if err != nil {
		return nil, err
	}
	if err := t.begin(command); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

// Prompt opens a session without a terminal or a command.
func (l *Connection) Prompt() (*Terminal, error) { return l.Start("") }

// request sends a request and waits for the answer.
func (t *Terminal) request(kind string, payload any) (bool, error) {
	var raw []byte
	if payload != nil {
		raw = gossh.Marshal(payload)
	}
	return t.SendRequest(kind, true, raw)
}

// resize tells a new size and waits for nothing.
func (t *Terminal) resize(z size) error {
	_, err := t.SendRequest("window-change", false, gossh.Marshal(windowChange{z.width, z.height, 0, 0}))
	return err
}

// read takes what comes until the channel's end.
func (t *Terminal) read() {
	defer close(t.over)
	var errors sync.WaitGroup
	errors.Go(func() { t.take(t.Stderr()) })
	t.take(t.Channel)
	errors.Wait()
	<-t.heard
}

func (t *Terminal) take(from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		now := time.Now()
		t.mu.Lock()
		t.bytes += int64(n)
		if !t.dropped {
			t.kept = append(t.kept, buf[:n]...)
		}
		if most := max(t.most, maxKept); len(t.kept) > 2*most {
			t.kept = append(t.kept[:0], t.kept[len(t.kept)-most:]...)
		}
		if !t.sent.IsZero() && n > 0 {
			if t.answer != nil {
				t.answer(now.Sub(t.sent))
			}
			t.sent = time.Time{}
		}
		if t.news != nil {
			close(t.news)
			t.news = nil
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Press types a key, and starts measuring the time to its answer.
func (t *Terminal) Press(key string) error {
	t.mu.Lock()
	t.sent = time.Now()
	t.mu.Unlock()
	_, err := io.WriteString(t, key)
	return err
}

// Expect starts measuring the time to the next output, as Press does, after an act of another user.
func (t *Terminal) Expect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = time.Now()
}

// answered has f called with the time that each answer takes to begin. nil calls nothing.
func (t *Terminal) answered(f func(time.Duration)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer = f
}

// received returns how many bytes have come.
func (t *Terminal) received() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// Shown returns the newest output.
func (t *Terminal) Shown() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// Forget drops the output so far, so that Until looks only at later output.
func (t *Terminal) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = t.kept[:0]
}

// Discard keeps no output from now on. It makes the client cost next to nothing if no test looks at its screen.
func (t *Terminal) Discard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.dropped = nil, true
}

var errNotShown = errors.New("did not come")

// Until waits until want is in the output since the last call.
func (t *Terminal) Until(want string) error {
	late := time.NewTimer(Patience)
	defer late.Stop()
	for {
		t.mu.Lock()
		if t.news == nil {
			t.news = make(chan struct{})
		}
		at, news := bytes.Index(t.kept, []byte(want)), t.news
		if at >= 0 {
			t.kept = append(t.kept[:0], t.kept[at+len(want):]...)
		}
		t.mu.Unlock()
		if at >= 0 {
			return nil
		}
		select {
		case <-news:
		case <-t.over:
			return fmt.Errorf("%q %w: the session has ended with status %d after %.200q", want, errNotShown, t.status.Load(), t.Shown())
		case <-late.C:
			return fmt.Errorf("%q %w in %v", want, errNotShown, Patience)
		}
	}
}

// visit signs in and opens a terminal that shows its first screen.
func (s *server) visit(key gossh.Signer, command string, z size) (*Terminal, error) {
	l, err := s.call(key)
	if err != nil {
		return nil, err
	}
	t, err := l.Screen(command, z)
	if err == nil {
		err = t.Until(altScreen)
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return t, nil
}

const (
	altScreen  = "\x1b[?1049h"
	mainScreen = "\x1b[?1049l"
	showCursor = "\x1b[?25h"
)
