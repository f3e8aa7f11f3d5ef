package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func TestLineMode(t *testing.T) {
	tests := []struct {
		name, in  string
		status    int
		out, errs string // parts of what is printed
	}{
		{"a command", "games\n", Done, "fourmation  4Mation", "ludoteca> "},
		{"several, an empty line, quit", "whoami\n\nquit\ngames\n", Done, "guest", "One command a line"},
		{"the status is that of the last", "games\nbanana\n", Usage, "tanks", "no command"},
		{"a line too long", strings.Repeat("x", 3*MaxLine) + "\nwhoami\n", Done, "guest", "too long"},
		{"no line end at the end", "whoami", Done, "guest", ""},
		{"CR LF", "whoami\r\n", Done, "guest", ""},
	}
	h := newFixture(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := h.run.LineMode(t.Context(), key("guest"), io.NopCloser(strings.NewReader(tt.in)), &out, &errs)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.errs) {
				t.Errorf("printed %q and %q", out.String(), errs.String())
			}
			if strings.Contains(out.String(), prompt) {
				t.Errorf("the prompt stands among the answers: %q", out.String())
			}
		})
	}
}

// TestLineModeFollows holds that the next line ends a command that follows a match, and that quit ends the prompt though
// the reader hangs.
func TestLineModeFollows(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	in, keyboard := io.Pipe()
	out, screen := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- h.run.LineMode(t.Context(), key("guest"), in, screen, io.Discard)
		screen.Close()
	}()
	type_ := func(s string) {
		if _, err := io.WriteString(keyboard, s); err != nil {
			t.Error(err)
		}
	}
	type_("watch " + code + " --json\n")
	buf := make([]byte, 1<<16)
	if n, err := out.Read(buf); err != nil || !strings.Contains(string(buf[:n]), code) {
		t.Fatalf("watch printed %q, %v", buf[:n], err)
	}
	type_("whoami\n")
	if n, err := out.Read(buf); err != nil || !strings.Contains(string(buf[:n]), "guest") {
		t.Fatalf("whoami printed %q, %v", buf[:n], err)
	}
	type_("quit\n")
	if status := <-ended; status != Done {
		t.Errorf("status %d", status)
	}
}

// keys is a client without echo of its own.
type keys struct {
	io.Reader
	echo bytes.Buffer
}

func (k *keys) Close() error { return nil }

func cook(typed string) (lines, echo string) {
	k := &keys{Reader: strings.NewReader(typed)}
	text, _ := io.ReadAll(NewCooked(k, &k.echo))
	return string(text), k.echo.String()
}

func TestCooked(t *testing.T) {
	tests := []struct{ name, typed, lines, echo string }{
		{"a line", "help\r", "help\n", "help\r\n"},
		{"corrected", "hepl\x7f\x7flp\r", "help\n", "hepl\b \b\b \blp\r\n"},
		{"a letter of two bytes is one", "zé\x7fe\r", "ze\n", "zé\b \be\r\n"},
		{"nothing to take back", "\x7f\x08a\r", "a\n", "a\r\n"},
		{"all taken back", "abc\x15d\r", "d\n", "abc\b \b\b \b\b \bd\r\n"},
		{"ctrl+d ends on an empty line only", "a\x04\r\x04b\r", "a\n", "a\r\n\r\n"},
		{"ctrl+c ends", "abc\x03def\r", "", "abc\r\n"},
		{"too long", strings.Repeat("a", MaxLine) + "bc\x7f\r", strings.Repeat("a", MaxLine-1) + "\n",
			strings.Repeat("a", MaxLine) + "\b \b\r\n"},
		{"other keys are nothing", "a\x1b\x01\tb\r", "ab\n", "ab\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if lines, echo := cook(tt.typed); lines != tt.lines || echo != tt.echo {
				t.Errorf("lines %q, echo %q; want %q, %q", lines, echo, tt.lines, tt.echo)
			}
		})
	}
}

func FuzzCooked(f *testing.F) {
	f.Add("help\r\x7f\x15é\x03")
	f.Fuzz(func(t *testing.T, typed string) {
		lines, echo := cook(typed)
		for _, l := range strings.Split(lines, "\n") {
			if len(l) > MaxLine {
				t.Errorf("a line of %d bytes", len(l))
			}
			if utf8.ValidString(typed) && strings.ContainsAny(l, "\x1b\x07\x00") {
				t.Errorf("control characters in %q", l)
			}
		}
		if strings.ContainsAny(echo, "\x1b\x07\x00") {
			t.Errorf("control characters in the echo %q", echo)
		}
	})
}

// TestLineModeIdle: a caller that says nothing is sent away, but not one that follows a match.
func TestLineModeIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := &Runner{options: Options{Idle: time.Minute}}
		in, keyboard := io.Pipe()
		began := time.Now()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() { ended <- run.LineMode(t.Context(), key("guest"), in, io.Discard, &complaints) }()
		<-time.After(50 * time.Second)
		if _, err := io.WriteString(keyboard, "\n"); err != nil {
			t.Fatal(err)
		}
		if code := <-ended; code != Refused || !strings.Contains(complaints.String(), "away for long") {
			t.Errorf("status %d, %q", code, complaints.String())
		}
		if took := time.Since(began); took != 110*time.Second {
			t.Errorf("it ended after %v, want a minute after the last line", took)
		}
	})
}

// TestLineModeGoingDown, once.
func TestLineModeGoingDown(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --json")["code"].(string)
	const words = "The club is closing for a moment."
	for _, following := range []bool{false, true} {
		ctx, closeClub := context.WithCancelCause(t.Context())
		in, keyboard := io.Pipe()
		out, screen := io.Pipe()
		var complaints bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			ended <- h.run.LineMode(ctx, key("guest"), in, screen, &complaints)
			screen.Close()
		}()
		line := "whoami\n"
		if following {
			line = "watch " + code + " --json\n"
		}
		if _, err := io.WriteString(keyboard, line); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
		closeClub(errors.New("going down"))
		go io.Copy(io.Discard, out) // until screen is closed
		if status := <-ended; status != Refused || strings.Count(complaints.String(), words) != 1 {
			t.Errorf("following %v: status %d, %q", following, status, complaints.String())
		}
	}
}
