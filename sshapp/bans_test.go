package sshapp

import (
	"bytes"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/lobby"
)

// fakeBans holds the bans that a test has made.
type fakeBans struct {
	mu    sync.Mutex
	key   string
	block netip.Prefix
}

func (b *fakeBans) ban(key string, block netip.Prefix) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.key, b.block = key, block
}

func (b *fakeBans) KeyBanned(fingerprint string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.key == fingerprint
}

func (b *fakeBans) AddressBanned(a netip.Addr) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.block.IsValid() && b.block.Contains(a)
}

// An openSession is one that goes on until the server ends it.
type openSession struct {
	out  <-chan string // everything that the session showed, once it has ended
	over <-chan error  // what the client is told at the end
}

// open begins a session with a locale: full screen with a terminal, else the line mode.
func open(t *testing.T, c *gossh.Client, locale string, screen bool) openSession {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Setenv("LANG", locale); err != nil {
		t.Fatal(err)
	}
	if screen {
		if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.StdinPipe(); err != nil { // stays open
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	complaints, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	first, begun := complaints, make([]byte, 1)
	if screen {
		first = out
	}
	if _, err := io.ReadFull(first, begun); err != nil {
		t.Fatalf("the session shows nothing: %v", err)
	}
	shown, over := make(chan string, 1), make(chan error, 1)
	go func() {
		var b bytes.Buffer
		var reading sync.WaitGroup
		var other []byte
		reading.Go(func() { other, _ = io.ReadAll(complaints) })
		_, _ = b.ReadFrom(out) // to the end, which a closed connection is too
		reading.Wait()
		over <- s.Wait()
		shown <- b.String() + string(other)
	}()
	return openSession{shown, over}
}

// TestBansEndSessions: banned users, and users whose account is closed, are told so in their language, at once and whenever they
// come back. Other sessions go on.
func TestBansEndSessions(t *testing.T) {
	localhost := netip.MustParsePrefix("127.0.0.0/8")
	for _, tt := range []struct {
		name, locale, want string
		screen             bool
		act                func(s *Server, b *fakeBans, fingerprint string)
		stays              bool // another player does
		back               bool // they come back and sign in
	}{
		{"key, full screen", "pt_PT.UTF-8", "O operador deste clube baniu-te.", true,
			func(s *Server, b *fakeBans, key string) { b.ban(key, netip.Prefix{}); s.EndBanned() }, true, true},
		{"key, line mode", "de_DE.UTF-8", "Der Betreiber dieses Clubs hat dich gesperrt.", false,
			func(s *Server, b *fakeBans, key string) { b.ban(key, netip.Prefix{}); s.EndBanned() }, true, true},
		{"block", "en_GB.UTF-8", "The operator of this club has banned you from it.", true,
			func(s *Server, b *fakeBans, _ string) { b.ban("", localhost); s.EndBanned() }, false, false},
		{"account, full screen", "de_DE.UTF-8", "Der Betreiber dieses Clubs hat dein Konto geschlossen.", true,
			func(s *Server, _ *fakeBans, key string) {
				s.EndKeys([]string{"SHA256:another", key}, lobby.ErrAccountClosed)
			}, true, false},
		{"account, line mode", "C", "The operator of this club has closed your account.", false,
			func(s *Server, _ *fakeBans, key string) { s.EndKeys([]string{key}, lobby.ErrAccountClosed) }, true, false},
		{"moved key, full screen", "pt_PT.UTF-8", "O operador deste clube passou a tua chave para a conta rui.", true,
			func(s *Server, _ *fakeBans, key string) { s.EndKeys([]string{key}, &lobby.KeyMovedError{To: "rui"}) }, true, false},
		{"moved key, line mode", "C", "The operator of this club has given your key to the account rui. Connect again to use it.", false,
			func(s *Server, _ *fakeBans, key string) { s.EndKeys([]string{key}, &lobby.KeyMovedError{To: "rui"}) }, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bans := new(fakeBans)
			club := newClub(t, nil)
			ts := startServer(t, nil, func(c *Config) { c.Middleware, c.Bans = club.Middleware(), bans })
			signer, other := newSigner(t), newSigner(t)
			theirs := open(t, ts.dial(gossh.PublicKeys(signer)), tt.locale, tt.screen)
			neighbour := ts.dial(gossh.PublicKeys(other))
			open(t, neighbour, tt.locale, tt.screen)

			tt.act(ts.srv, bans, gossh.FingerprintSHA256(signer.PublicKey()))

			if got := receive(t, theirs.out, "end of the session"); !strings.Contains(got, tt.want) {
				t.Errorf("the session ends with %q, want %q", got[max(0, len(got)-300):], tt.want)
			}
			if why := ts.ended(); why != banned && why != closed && why != keyMoved {
				t.Errorf("the connection ended for %q", why)
			}
			if !tt.stays {
				if got := readAll(t, ts.dialTCP()); got != tt.want+"\r\n" {
					t.Errorf("a new connection is told %q before the version, want %q", got, tt.want)
				}
				return
			}
			if got := run(t, neighbour, "whoami"); got.status != 0 {
				t.Errorf("another player gets %+v", got)
			}
			if !tt.back {
				return
			}
			again := open(t, ts.dial(gossh.PublicKeys(signer)), tt.locale, false) // has read a byte
			if got := receive(t, again.out, "words for a banned key"); !strings.Contains(got, tt.want[1:]) {
				t.Errorf("a banned key that comes back gets %q, want %q", got, tt.want)
			}
		})
	}
}

// TestBanWhileSigningIn: a connection that has not signed in yet is closed by a ban of its address.
func TestBanWhileSigningIn(t *testing.T) {
	bans := new(fakeBans)
	ts := startServer(t, stayOrGo, func(c *Config) { c.Bans = bans })
	conn := ts.dialTCP()
	if _, err := io.ReadFull(conn, make([]byte, len("SSH-2.0-"))); err != nil {
		t.Fatal(err)
	}
	bans.ban("", netip.MustParsePrefix("127.0.0.1/32"))
	ts.srv.EndBanned()
	if why := ts.ended(); why != banned {
		t.Errorf("the connection ended for %q, want %q", why, banned)
	}
}
