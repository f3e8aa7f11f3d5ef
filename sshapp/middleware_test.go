package sshapp

import (
	"bytes"
	"log"
	"regexp"
	"sync"
	"testing"

	"charm.land/ssh"
	"charm.land/wish/v2"
	"charm.land/wish/v2/accesscontrol"
	"charm.land/wish/v2/elapsed"
	"charm.land/wish/v2/logging"
	wishrecover "charm.land/wish/v2/recover"
	gossh "golang.org/x/crypto/ssh"
)

// TestWishMiddleware: middleware of the wish library works in the club's chain as anywhere else.
func TestWishMiddleware(t *testing.T) {
	var said lockedBuffer
	logger := log.New(&said, "", 0)
	breaks := func(next ssh.Handler) ssh.Handler {
		return func(s ssh.Session) {
			if s.RawCommand() == "help" {
				panic("a bug")
			}
			next(s)
		}
	}
	tests := []struct {
		name       string
		middleware wish.Middleware
		command    string
		out        string // a pattern
		status     int
		log        string // a pattern
	}{
		{"elapsed", elapsed.MiddlewareWithFormat("took %v\n"), "games", `(?s)^momentum .*\ntook [0-9.]+.?s\n$`, 0, ``},
		{"accesscontrol lets pass", accesscontrol.Middleware("games", "help"), "games", `^momentum `, 0, ``},
		{"accesscontrol refuses", accesscontrol.Middleware("games", "help"), "leaderboard", `^Command is not allowed: leaderboard\n$`, 1, ``},
		{"logging", logging.MiddlewareWithLogger(logger), "games", `^momentum `, 0,
			`(?s)^ada connect 127\.0\.0\.1:\d+ true \[games\]  0 0 SSH-2\.0-Go\n127\.0\.0\.1:\d+ disconnect `},
		{"recover", wishrecover.MiddlewareWithLogger(logger, breaks), "help", `^Ludoteca, a board-game club`, 0, `^panic: a bug\n`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			said.Reset()
			club := newClub(t, nil)
			d := startServer(t, nil, func(c *Config) { c.Middleware = append(club.Middleware(), tt.middleware) })
			got := run(t, d.dial(gossh.PublicKeys(newSigner(t))), tt.command)
			if !regexp.MustCompile(tt.out).MatchString(got.out) || got.status != tt.status {
				t.Errorf("%s gives %+v, want %s and status %d", tt.command, got, tt.out, tt.status)
			}
			if logged := said.String(); !regexp.MustCompile(tt.log).MatchString(logged) {
				t.Errorf("logged %q, want %s", logged, tt.log)
			}
		})
	}
}

// A lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Reset()
}
