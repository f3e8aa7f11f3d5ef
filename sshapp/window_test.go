package sshapp

import (
	"fmt"
	"testing"

	"charm.land/ssh"
)

func TestWindowSizes(t *testing.T) {
	const huge = 1<<32 - 1
	tests := []struct {
		columns, rows uint32
		want          ssh.Window
	}{
		{80, 24, ssh.Window{Width: 80, Height: 24}},
		{0, 0, ssh.Window{Width: 80, Height: 24}},
		{1, 1, ssh.Window{Width: 1, Height: 1}},
		{200, 0, ssh.Window{Width: 200, Height: 24}},
		{0, 300, ssh.Window{Width: 80, Height: 300}},
		{300, 100, ssh.Window{Width: 300, Height: 100}},
		{4096, 4097, ssh.Window{Width: 4096, Height: 4096}},
		{20000, 20000, ssh.Window{Width: 4096, Height: 4096}},
		{huge, huge, ssh.Window{Width: 4096, Height: 4096}},
		{1 << 31, 1 << 31, ssh.Window{Width: 4096, Height: 4096}},
	}
	seen := make(chan ssh.Window)
	d := startServer(t, func(s ssh.Session) int {
		pty, resizes, ok := s.Pty()
		if !ok {
			t.Error("no pty")
		}
		for w := pty.Window; ; {
			select {
			case seen <- w:
			case <-s.Context().Done():
				return 0
			}
			select {
			case w = <-resizes:
			case <-s.Context().Done():
				return 0
			}
		}
	}, nil)
	c := d.dial()
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%dx%d", tt.columns, tt.rows), func(t *testing.T) {
			ch := channel(t, c)
			defer func() { _ = ch.Close() }()
			if !ask(t, ch, "pty-req", ptyRequest{"xterm", tt.columns, tt.rows, huge, huge, ""}) || !ask(t, ch, "shell", nil) {
				t.Fatal("pty or shell refused")
			}
			if got := receive(t, seen, "size"); got != tt.want {
				t.Errorf("first size %v, want %v", got, tt.want)
			}
			if !ask(t, ch, "window-change", windowChange{tt.columns, tt.rows, huge, huge}) {
				t.Error("window change refused")
			}
			if got := receive(t, seen, "later size"); got != tt.want {
				t.Errorf("later size %v, want %v", got, tt.want)
			}
		})
	}
}

// TestWindowChangesNeverWait: sizes are taken before the shell request, and when nobody reads them; only the newest counts.
func TestWindowChangesNeverWait(t *testing.T) {
	read, sizes := make(chan struct{}), make(chan ssh.Window, 3)
	d := startServer(t, func(s ssh.Session) int {
		pty, resizes, _ := s.Pty()
		sizes <- pty.Window
		<-read
		sizes <- <-resizes
		pty, _, _ = s.Pty()
		sizes <- pty.Window
		return 0
	}, nil)
	ch := channel(t, d.dial())
	if ask(t, ch, "window-change", windowChange{10, 10, 0, 0}) {
		t.Error("a window change without a pty was taken")
	}
	ask(t, ch, "pty-req", ptyRequest{"xterm", 80, 24, 0, 0, ""})
	for range 100 {
		ask(t, ch, "window-change", windowChange{50, 20, 0, 0})
	}
	ask(t, ch, "shell", nil)
	if got, want := receive(t, sizes, "size"), (ssh.Window{Width: 50, Height: 20}); got != want {
		t.Errorf("first size %v, want %v", got, want)
	}
	for i := range uint32(100) {
		ask(t, ch, "window-change", windowChange{100 + i, 30, 0, 0})
	}
	close(read)
	for range 2 {
		if got, want := receive(t, sizes, "size"), (ssh.Window{Width: 199, Height: 30}); got != want {
			t.Errorf("the size read late is %v, want %v", got, want)
		}
	}
}
