package sshapp

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// A replier is a listener that has a reply.
type replier struct {
	*listener
	reply map[string][]byte
}

func (r replier) Typed(chunk []byte) []byte {
	r.listener.Typed(chunk)
	return r.reply[string(chunk)]
}

// TestReplyThatHangs: what a client types is read, however long it leaves a reply unread. When it has read it, all is as before.
func TestReplyThatHangs(t *testing.T) {
	hears, carrying := replier{newListener(), map[string][]byte{
		"much": bytes.Repeat([]byte("much "), 1<<20), // more than the window of 2 MiB
		"bit":  []byte("a bit"),
	}}, make(chan *Session, 1)
	d := openDoor(t, func(s *Session) int {
		s.Carry(hears)
		carrying <- s
		<-hears.hungUp
		return 0
	}, nil)
	ch := channel(t, d.dial())
	ask(t, ch, "shell", nil)
	s := receive(t, carrying, "session")
	typing := func(key string) {
		t.Helper()
		if _, err := io.WriteString(ch, key); err != nil {
			t.Fatal(err)
		}
		if got := receive(t, hears.typed, "keys"); got != key {
			t.Errorf("typed: %q, want %q", got, key)
		}
	}
	reading := func(want []byte) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(ch, got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("what came is not the answer of %d bytes, or not all: %v", len(want), err)
		}
		receive(t, hears.written, "end of the writing")
	}
	for range 3 { // each changes the roles
		typing("much")
		typing("more")
		typing("and more")
		reading(hears.reply["much"])
		typing("bit")
		reading(hears.reply["bit"])
		s.Start([]byte("news"))
		reading([]byte("news"))
	}
	if err := ch.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	receive(t, hears.hungUp, "end of reading")
}

// TestEndWhileReplyHangs: a session whose reply hangs ends as any other, whether its roles have changed or not.
func TestEndWhileReplyHangs(t *testing.T) {
	tests := []struct {
		name           string
		changed, leave bool
		late           bool // the hanging is noticed when the session is over
	}{
		{name: "closed at once"}, {name: "closed later", changed: true}, {name: "closed before it is noticed", late: true},
		{name: "left at once", leave: true}, {name: "left later", changed: true, leave: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hears := replier{newListener(), map[string][]byte{"much": make([]byte, 4<<20)}}
			carrying, closing := make(chan *Session, 1), make(chan struct{})
			d := openDoor(t, func(s *Session) int {
				s.Carry(hears)
				carrying <- s
				select {
				case <-s.Context().Done():
				case <-closing:
					_ = s.Close()
				}
				return 0
			}, nil)
			c := d.dial()
			ch := channel(t, c)
			ask(t, ch, "shell", nil)
			keys := []string{"much"}
			if tt.changed {
				keys = append(keys, "more")
			}
			for _, key := range keys {
				if _, err := io.WriteString(ch, key); err != nil {
					t.Fatal(err)
				}
				receive(t, hears.typed, "keys")
			}
			if tt.leave {
				_ = c.Close()
			} else {
				close(closing)
				if tt.late {
					receive(t, hears.silent, "end of writing")
					s := receive(t, carrying, "session")
					s.lookout.ring()
					s.lookout.ring()
				}
				if _, err := io.Copy(io.Discard, ch); err != nil { // and the channel's end follows
					t.Error(err)
				}
			}
			receive(t, hears.silent, "end of writing")
		})
	}
}

// TestLookout: who writes for long is relieved, once, and nobody else.
func TestLookout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(lookout)
		slow, quick := &Session{relieve: make(chan struct{}, 1)}, &Session{relieve: make(chan struct{}, 1)}
		l.begin(slow)
		for range 4 {
			l.begin(quick)
			time.Sleep(hangs - 1)
			if l.end(quick) {
				t.Error("who has written in time isn't pump any more")
			}
		}
		if len(slow.relieve) != 1 || len(quick.relieve) != 0 {
			t.Errorf("relieved: %d of those who hang and %d of the others, want 1 and 0", len(slow.relieve), len(quick.relieve))
		}
		if !l.end(slow) {
			t.Error("who took too long is still pump")
		}
		l.begin(slow)
		if l.end(slow) {
			t.Error("who took too long once isn't pump the next time")
		}
		time.Sleep(2 * hangs)
		synctest.Wait()
		if l.set || len(l.writing) != 0 {
			t.Errorf("nobody writes: the timer is set: %v, and %d are still watched", l.set, len(l.writing))
		}
	})
}

// TestLookoutOverMany compares a lookout with a list of who writes since when, in any order of coming and going.
func TestLookoutOverMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		l, since := new(lookout), make(map[*Session]time.Time)
		all := make([]*Session, 20)
		for i := range all {
			all[i] = &Session{relieve: make(chan struct{}, 1)}
		}
		for step := range 5000 {
			time.Sleep(time.Duration(r.Int64N(int64(hangs) / 5)))
			synctest.Wait() // what has rung has been dealt with
			s := all[r.IntN(len(all))]
			began, writes := since[s]
			if !writes {
				since[s] = time.Now()
				l.begin(s)
				continue
			}
			delete(since, s)
			relieved, took := l.end(s), time.Since(began)
			if relieved && took < hangs || !relieved && took > 2*hangs || relieved != (len(s.relieve) == 1) {
				t.Fatalf("step %d: after %v relieved: %v, and told so: %d", step, took, relieved, len(s.relieve))
			}
			if relieved {
				<-s.relieve
			}
		}
	})
}
