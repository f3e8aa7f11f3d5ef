package terminal

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"
)

// channelSession is a session over a real SSH channel. Closing a channel doesn't end a Write that waits for the other
// side to read, so it closes the connection under it as well.
type channelSession struct {
	ssh.Channel
	conn io.Closer
}

func (s channelSession) Close() error {
	return errors.Join(s.Channel.Close(), s.conn.Close())
}

// serveOne accepts one connection and runs m for its first session. The result of Run comes out of the channel.
func serveOne(t *testing.T, ctx context.Context, m tea.Model, o Options) (addr string, result <-chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(signer)
	results := make(chan error, 1)
	go func() { results <- serve(ctx, listener, config, m, o) }()
	return listener.Addr().String(), results
}

func serve(ctx context.Context, listener net.Listener, config *ssh.ServerConfig, m tea.Model, o Options) error {
	tcp, err := listener.Accept()
	if err != nil {
		return err
	}
	conn, channels, requests, err := ssh.NewServerConn(tcp, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	accepted, ok := <-channels
	if !ok {
		return io.EOF
	}
	channel, asks, err := accepted.Accept()
	if err != nil {
		return err
	}
	resizes := make(chan Window, 1)
	go func() { // never waits, as the SSH server doesn't: unread requests would hold up the channel's data
		for ask := range asks {
			if ask.Type == "window-change" {
				select {
				case <-resizes: // the older one, still unread
				default:
				}
				resizes <- Window{int(binary.BigEndian.Uint32(ask.Payload)), int(binary.BigEndian.Uint32(ask.Payload[4:]))}
			}
			if ask.WantReply {
				ask.Reply(true, nil)
			}
		}
	}()
	o.Term, o.Resizes = "xterm-256color", resizes
	return Run(ctx, channelSession{channel, conn}, m, o)
}

// An sshClient has a connection and one session. Its output stays unread unless a test reads it.
type sshClient struct {
	*ssh.Client
	channel ssh.Channel
}

func dialSession(t *testing.T, addr string) sshClient {
	t.Helper()
	client, err := ssh.Dial("tcp", addr, &ssh.ClientConfig{User: "ana", HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	channel, requests, err := client.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	return sshClient{client, channel}
}

func (v sshClient) resize(width, height uint32) error {
	_, err := v.channel.SendRequest("window-change", false, ssh.Marshal(struct{ W, H, X, Y uint32 }{width, height, 0, 0}))
	return err
}

// until reads until the client's output holds want.
func (v sshClient) until(t *testing.T, want string) {
	t.Helper()
	var seen strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), want) {
		n, err := v.channel.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			t.Fatalf("reading ended with %v before %q came; there was %q", err, want, seen.String())
		}
	}
}

// patience ends a test that hangs. It measures nothing.
const patience = time.Minute

// ended waits for the result of Run.
func ended(t *testing.T, result <-chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(patience):
		t.Fatalf("Run goes on after %v", patience)
		panic("unreachable")
	}
}

// leavesNothing holds that the test has left no goroutine behind. Some end in their own time, on a busy machine a while after
// the connection.
func leavesNothing(t *testing.T) {
	t.Helper()
	for late := time.Now().Add(patience); goleak.Find() != nil && time.Now().Before(late); {
		continue // Find has waited
	}
	goleak.VerifyNone(t)
}

// TestRudeClients has the manners that a stock Bubble Tea program over SSH doesn't survive. After each the session has
// ended for the right reason and left no goroutine behind.
func TestRudeClients(t *testing.T) {
	tests := []struct {
		name  string
		do    func(*testing.T, sshClient)
		reads bool // everything, in the background
		stall time.Duration
		want  error
	}{
		{name: "a key right after quit", reads: true, do: func(t *testing.T, v sshClient) {
			io.WriteString(v.channel, "q")
			io.WriteString(v.channel, "x")
			io.WriteString(v.channel, strings.Repeat("y", 5000))
		}},
		{name: "cut with keys in flight", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) {
			for range 100 {
				io.WriteString(v.channel, "xyz\x1b[A")
			}
			v.Close()
		}},
		{name: "channel closed, connection kept", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) {
			io.WriteString(v.channel, "x")
			v.channel.Close()
		}},
		{name: "end of input", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) { v.channel.CloseWrite() }},
		{name: "never reads", want: ErrStalled, stall: 100 * time.Millisecond, do: func(t *testing.T, v sshClient) {
			for i := uint32(0); v.resize(200+i%2, 70) == nil; i++ { // each makes a frame, until the server hangs up
			}
		}},
		{name: "resizes without end", reads: true, do: func(t *testing.T, v sshClient) {
			for i := range uint32(5000) {
				v.resize(i*7919, i*104729)
			}
			io.WriteString(v.channel, "q")
		}},
		{name: "20000x20000", reads: true, do: func(t *testing.T, v sshClient) {
			v.resize(20000, 20000)
			v.resize(0, 0)
			v.resize(1, 1)
			v.resize(1<<32-1, 1<<32-1)
			io.WriteString(v.channel, "q")
		}},
		{name: "a paste without end", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) {
			io.WriteString(v.channel, "\x1b[200~")
			io.WriteString(v.channel, strings.Repeat("pasted", 100_000))
			v.Close()
		}},
		{name: "a string sequence without end", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) {
			io.WriteString(v.channel, "\x1b]0;"+strings.Repeat("title", 100_000))
			v.Close()
		}},
		{name: "a flood of keys", reads: true, want: ErrGone, do: func(t *testing.T, v sshClient) {
			io.WriteString(v.channel, strings.Repeat("xyz", 300_000))
			v.Close()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer leavesNothing(t)
			stats := new(Stats)
			m := &probe{}
			seen := 0
			big := strings.Repeat(strings.Repeat("\x1b[31mx\x1b[32my", 120)+"\n", 70)
			m.update = func(msg tea.Msg) tea.Cmd {
				if key, ok := msg.(tea.KeyPressMsg); ok {
					if seen++; key.String() == "q" {
						return tea.Quit
					}
				}
				return nil
			}
			m.view = func() tea.View { return fullScreen(fmt.Sprint(seen, "\n", big)) }
			addr, result := serveOne(t, t.Context(), m, Options{Stats: stats, Stall: tt.stall})
			v := dialSession(t, addr)
			if tt.reads {
				v.until(t, "\x1b[?1049h")
				go io.Copy(io.Discard, v.channel)
			}
			began := time.Now()
			tt.do(t, v)
			if err := ended(t, result); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("Run = %v, want %v", err, tt.want)
			}
			if got, most := stats.Keys.Load(), InputBurst+InputRate*int64(2+time.Since(began)/time.Second); got > most {
				t.Errorf("%d key presses reached the model, want at most %d, the burst and what that time allows", got, most)
			}
			v.Close()
		})
	}
}

func TestRestoredOverSSH(t *testing.T) {
	defer leavesNothing(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	addr, result := serveOne(t, ctx, typist(), Options{Farewell: func(error) string { return "closing" }})
	v := dialSession(t, addr)
	v.until(t, "typed:")
	errDown := errors.New("going down")
	cancel(errDown)
	v.until(t, "\x1b[?1049l\x1b[?7h\x1b[?25hclosing\r\n")
	if err := ended(t, result); !errors.Is(err, errDown) {
		t.Errorf("Run = %v, want the cause of the context", err)
	}
	v.Close()
}
