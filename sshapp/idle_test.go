package sshapp

import (
	"strings"
	"testing"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"ludoteca/sshapp/terminal"
)

// TestIdle: who presses no key has been away for long, at the full screen and at the plain prompt; what is sent and is no key
// keeps nobody here, and is no offence either. What OpenSSH sends every 20 ms to hide when keys are pressed is not even seen here:
// x/crypto/ssh answers such a ping below all channels.
func TestIdle(t *testing.T) {
	club := newClub(t, func(c *ClubConfig) { c.Limits.IdleLobby = 4 * soon })
	d := serveClub(t, club)
	for _, pty := range []bool{true, false} {
		c := d.dial()
		ch := channel(t, c)
		if pty {
			ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
		}
		ask(t, ch, "shell", nil)
		stop := make(chan struct{})
		sending := make(chan struct{})
		go func() { // ends with the session
			defer close(sending)
			tick := time.NewTicker(soon / 2)
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C: // a report that the window has the focus is no key, and half a line is none either
					_, err := ch.Write([]byte("\x1b[I"))
					if err == nil {
						_, err = ch.SendRequest("ping@openssh.com", true, nil)
					}
					if err == nil {
						_, err = ch.SendRequest("window-change", false, gossh.Marshal(windowChange{Columns: 80, Rows: 24}))
					}
					if err == nil {
						_, _, err = c.SendRequest("keepalive@openssh.com", true, nil)
					}
					if err != nil {
						return
					}
				}
			}
		}()
		text := readAll(t, ch)
		if !pty {
			text = readAll(t, ch.Stderr())
		}
		close(stop)
		<-sending
		if !strings.Contains(text, "You were away for long, so the club") {
			t.Errorf("pty %v: the session ends with %q", pty, text)
		}
		if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
			t.Errorf("pty %v: the connection has ended as well: %v", pty, err)
		}
	}
}

// TestPasteAndRateReachTheDriver: the limits of the door are those of the full screen.
func TestPasteAndRateReachTheDriver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Limits)
		send   string
		least  int64 // bytes dropped
	}{
		{"as usual", func(*Limits) {}, "\x1b[200~" + strings.Repeat("x", 500) + "\x1b[201~", 0},
		{"a paste", func(l *Limits) { l.PasteBytes = 10 }, "\x1b[200~" + strings.Repeat("x", 500) + "\x1b[201~", 490},
		{"a flood", func(l *Limits) { l.InputRate, l.InputBurst = 1, 100 }, strings.Repeat("x", 1000), 850},
	} {
		t.Run(tt.name, func(t *testing.T) {
			screens := new(terminal.Stats)
			club := newClub(t, func(c *ClubConfig) {
				c.Screens = screens
				tt.change(&c.Limits)
			})
			d := serveClub(t, club)
			ch := channel(t, d.dial(gossh.PublicKeys(newSigner(t)))) // to the form that asks for a name
			ask(t, ch, "pty-req", ptyRequest{Term: "xterm", Columns: 80, Rows: 24})
			ask(t, ch, "shell", nil)
			if _, err := ch.Write([]byte(tt.send)); err != nil {
				t.Fatal(err)
			}
			done := func() bool {
				if tt.least == 0 {
					return screens.Keys.Load() == 1 // the whole paste is one
				}
				return screens.Dropped.Load() >= tt.least
			}
			retry(t, done)
			if got := screens.Dropped.Load(); tt.least == 0 && got > 0 {
				t.Errorf("%d bytes were dropped", got)
			}
		})
	}
}
