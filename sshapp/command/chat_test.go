package command

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// TestSayRaw: a text is written as it was typed, quotation marks and all, wherever --json stands.
func TestSayRaw(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	for _, tt := range []struct{ line, want string }{
		{"say " + code + " don't worry", "don't worry"},
		{"say --json " + code + ` "well, well"`, `"well, well"`},
		{"say " + code + "   two  blanks --json", "two  blanks"},
		{"say " + code + " --draw? --json", "--draw?"},
		{"say " + code + " :) --json", ":)"},
		{"say " + code + " a\u202eb\u200b --json", "ab"},
		{"say " + strings.ToLower(code) + " :luck --json", "Good luck!"},
	} {
		line := tt.line
		if !strings.Contains(line, "--json") {
			line += " --json"
		}
		who := map[bool]string{true: "ana", false: "rui"}[len(tt.want)%2 == 0] // neither talks too fast
		if got := h.object(who, line); got["text"] != tt.want || got["room"] != "players" {
			t.Errorf("%q: %v, want %q", tt.line, got, tt.want)
		}
	}
	for line, want := range map[string]string{
		"say":                     "Which match?",
		"say " + code:             "Something is missing",
		"say " + code + " --json": "Something is missing",
		"say --json":              "Which match?",
		"say " + code + " a\x00b": "NUL",
		"say " + code + " " + strings.Repeat("x", 201): "",
	} {
		status := Usage
		if want == "" {
			status, want = Refused, "1 to 200 characters"
		}
		if _, complaints := h.as("rui", status, line); !strings.Contains(complaints, want) {
			t.Errorf("%.40q: %s", line, complaints)
		}
	}
	out, _ := h.as("rui", Done, "chat "+code)
	if !strings.Contains(out, "rui: don't worry\n") && !strings.Contains(out, "ana: don't worry\n") {
		t.Errorf("chat prints %q", out)
	}
}

func TestRelationCommands(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui"} {
		h.as(name, Done, "name "+name)
	}
	for _, tt := range []struct{ line, want string }{
		{"following", "You follow nobody"},
		{"blocked", "You block nobody"},
		{"follow RUI", "You follow rui"},
		{"follow rui", "You follow rui"},
		{"following", "rui"},
		{"block rui", "You block rui"},
		{"blocked", "rui"},
		{"following", "You follow nobody"},
		{"unblock rui", "You no longer block rui"},
		{"unfollow rui", "You no longer follow rui"},
		{"chat off", "Chat is off"},
		{"chat on", "Chat is on"},
	} {
		if out, _ := h.as("ana", Done, tt.line); !strings.Contains(out, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, out, tt.want)
		}
	}
	h.as("ana", Refused, "follow nobody")
	h.as("ana", Refused, "block ana")
	h.as("guest", Refused, "follow ana")
}

// A promptScreen reads what a line mode prints, both streams together, and types at its keyboard.
type promptScreen struct {
	t        *testing.T
	keyboard io.Writer
	lines    *bufio.Reader
}

// prompt starts a line mode for the named player. It ends with the test.
func (h *fixture) prompt(name string) *promptScreen {
	in, keyboard := io.Pipe()
	out, screen := io.Pipe()
	ended := make(chan struct{})
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute) // a line that never comes ends the test
	go func() {
		defer close(ended)
		h.run.LineMode(ctx, key(name), "", in, screen, screen, false)
		screen.Close()
	}()
	s := &promptScreen{h.t.(*testing.T), keyboard, bufio.NewReader(out)}
	h.t.Cleanup(func() {
		go io.Copy(io.Discard, out)
		cancel()
		keyboard.Close()
		<-ended
	})
	s.until("quit leaves.")
	return s
}

func (s *promptScreen) write(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keyboard, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// until reads up to a line that has a text in it, and returns that line.
func (s *promptScreen) until(want string) string {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if strings.Contains(line, want) {
			return strings.TrimPrefix(line, nameless)
		}
		if err != nil {
			s.t.Fatalf("%q never came: %v", want, err)
		}
	}
}

// TestLineModeChat: at a prompt there is a current match, whose chat is told as it happens.
func TestLineModeChat(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.as("ana", Done, "say "+code+" before")
	ana, rui := h.prompt("ana"), h.prompt("rui")
	rui.write("say hello")
	rui.until("Usage: say CODE TEXT")
	ana.write("show " + code)
	ana.until("match " + code)
	rui.write("show " + code)
	rui.until("match " + code)
	ana.write("say thanks, don't hurry") // six letters of codes are a word all the same
	ana.until("ana: thanks, don't hurry")
	if got := rui.until("ana: "); got != "ana: thanks, don't hurry\n" {
		t.Errorf("rui is told %q", got)
	}
	rui.write("say " + strings.ToLower(code) + " :thanks")
	rui.until("rui: Thank you!")
	ana.until("rui: Thank you!")
	h.as("ana", Done, "follow rui")
	other := h.object("eva", "new 4mation --vs first --json")["code"].(string)
	rui.write("say " + other + " is the code of another match")
	rui.until("rui (watching): is the code of another match")
}
