package sshapp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// FuzzRequests sends any requests in any order: whatever they hold, what the session keeps of them stays within its bounds.
func FuzzRequests(f *testing.F) {
	f.Add("pty-req", gossh.Marshal(ptyRequest{"xterm", 80, 24, 0, 0, "\x00"}), "window-change", gossh.Marshal(windowChange{1 << 31, 0, 0, 0}))
	f.Add("env", gossh.Marshal(variable{"LANG", "pl_PL.UTF-8"}), "exec", gossh.Marshal(oneString{"show ABC234"}))
	f.Add("env", gossh.Marshal(variable{"LANG", "\x1b"}), "shell", []byte{})
	f.Add("subsystem", gossh.Marshal(oneString{"sftp"}), "pty-req", []byte{0, 0, 0, 200})
	limits := DefaultLimits()
	limits.EnvVars, limits.EnvBytes, limits.CommandBytes = 2, 40, 20
	f.Fuzz(func(t *testing.T, first string, firstPayload []byte, second string, secondPayload []byte) {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := &session{limits: &limits, ctx: sessionContext{session: ctx}, cancel: cancel, resizes: make(chan ssh.Window, 1)}
		serving := false
		for i := range 4 {
			r := &gossh.Request{Type: first, Payload: firstPayload}
			if i%2 == 1 {
				r = &gossh.Request{Type: second, Payload: secondPayload}
			}
			start, reply := s.answer(r, serving)
			if start && (serving || !reply || r.Type != "shell" && r.Type != "exec") {
				t.Fatalf("%s starts a session: serving %v, reply %v", r.Type, serving, reply)
			}
			serving = serving || start
			checkBounds(t, s)
		}
	})
}

func checkBounds(t *testing.T, s *session) {
	t.Helper()
	pty, resizes, ok := s.Pty()
	size := pty.Window
	sizes := []ssh.Window{size}
	select {
	case size = <-resizes:
		sizes = append(sizes, size)
	default:
	}
	for _, w := range sizes {
		if ok && (w.Width < 1 || w.Height < 1 || w.Width > maxSide || w.Height > maxSide) {
			t.Fatalf("size %v", w)
		}
	}
	if !printable(pty.Term) || len(pty.Term) > 64 {
		t.Fatalf("terminal %q", pty.Term)
	}
	env := s.Environ()
	if len(env) > s.limits.EnvVars || len(strings.Join(env, "")) > s.limits.EnvBytes || slices.ContainsFunc(env, func(v string) bool { return !printable(v) }) {
		t.Fatalf("environment %q", env)
	}
	if line := s.RawCommand(); len(line) > s.limits.CommandBytes {
		t.Fatalf("command %q", line)
	}
}
