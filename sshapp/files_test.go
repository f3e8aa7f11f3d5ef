package sshapp

import (
	"fmt"
	"io"
	"testing"

	"charm.land/ssh"
)

// TestSubsystems: a session may ask for a subsystem that the server serves, once, and not with a terminal, which would change its bytes.
func TestSubsystems(t *testing.T) {
	ts := startServer(t, func(s ssh.Session) int {
		_, _ = io.Copy(io.Discard, s) // until the client has asked for everything
		_, _ = fmt.Fprintf(s, "%s\n", s.Subsystem())
		return 0
	}, func(c *Config) { c.Subsystems = []string{SFTP} })
	c := ts.dial()
	for _, tt := range []struct {
		name      string
		subsystem any
		pty, want bool
	}{
		{"sftp", oneString{SFTP}, false, true},
		{"another one", oneString{"netconf"}, false, false},
		{"none", oneString{""}, false, false},
		{"cut short", nil, false, false},
		{"with a terminal", oneString{SFTP}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ch := channel(t, c)
			if tt.pty && !ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""}) {
				t.Fatal("a pty was refused")
			}
			if got := ask(t, ch, "subsystem", tt.subsystem); got != tt.want {
				t.Fatalf("granted: %v, want %v", got, tt.want)
			}
			want := SFTP + "\n"
			if !tt.want {
				want = "\n"
				if tt.pty {
					want = "\r\n"
				}
				if !ask(t, ch, "shell", nil) {
					t.Fatal("a shell was refused")
				}
			} else if ask(t, ch, "subsystem", tt.subsystem) || ask(t, ch, "exec", oneString{"help"}) {
				t.Error("more was granted after it")
			}
			if err := ch.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if out, err := io.ReadAll(ch); err != nil || string(out) != want {
				t.Errorf("%q, %v, want %q", out, err, want)
			}
		})
	}
}
