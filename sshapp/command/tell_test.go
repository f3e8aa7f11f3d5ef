package command

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestTell: a line to another player waits, wait tells it, tells lists it, and the export has it.
func TestTell(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui"} {
		h.as(name, Done, "name "+name)
	}
	h.refusedAs("unavailable", "ana", "tell rui hello")
	h.as("ana", Done, "follow rui")
	h.refusedAs("unavailable", "ana", "tell rui hello")
	h.as("rui", Done, "follow ana")
	out, _ := h.as("ana", Done, "tell rui isn't it 'tea' time?")
	if want := "You tell rui: isn't it 'tea' time?\n"; out != want {
		t.Errorf("told %q, want %q", out, want)
	}
	h.refusedAs("not_yours", "ana", "tell ana hello")
	waited := h.object("rui", "wait --after 2000-01-01T00:00:00Z --json")
	if waited["kind"] != "told" || waited["by"] != "ana" || waited["text"] != "isn't it 'tea' time?" {
		t.Errorf("wait tells %v", waited)
	}
	for _, who := range []string{"ana", "rui"} {
		line := h.object(who, "tells --json")
		if line["by"] != "ana" || line["to"] != "rui" || line["text"] != "isn't it 'tea' time?" {
			t.Errorf("%s reads %v", who, line)
		}
		if out, _ := h.as(who, Done, "export"); !strings.Contains(out, `{"type":"tell",`) {
			t.Errorf("the export of %s has no line: %s", who, out)
		}
	}
	if out, _ := h.as("rui", Done, "tells"); !strings.HasSuffix(out, "UTC  ana tells you: isn't it 'tea' time?\n") {
		t.Errorf("rui reads %q", out)
	}
	if _, complaints := h.as("rui", Refused, "wait --after 2000-01-01T00:00:00Z --timeout 1ms"); complaints != "Nothing has come in that time.\n" {
		t.Errorf("after it was read wait says %q", complaints)
	}
}

// refusedAs checks that a command is refused with a code.
func (h *fixture) refusedAs(code, who, line string) {
	h.t.Helper()
	out, _ := h.as(who, Refused, line+" --json")
	if !strings.Contains(out, `{"error":{"code":"`+code+`",`) {
		h.t.Errorf("%s: %s: %q, want the code %s", who, line, out, code)
	}
}

// TestTellAtThePrompt: the line mode tells what waits when the user comes, and lines as they come.
func TestTellAtThePrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fixture{t: t, run: inMemory(t, Options{})}
		for _, name := range []string{"ana", "rui"} {
			h.as(name, Done, "name "+name)
		}
		h.as("ana", Done, "follow rui")
		h.as("rui", Done, "follow ana")
		h.as("ana", Done, "tell rui tea?")
		rui := h.hear(key("rui"), false)
		defer rui.leaves(false)
		rui.hears("rui", "ana tells you: tea?")
		h.as("ana", Done, "tell rui or coffee?")
		rui.hears("rui", "ana tells you: or coffee?")
		rui.types("tell ana tea!\n")
		if out, _ := h.as("ana", Done, "tells"); !strings.Contains(out, "rui tells you: tea!") {
			t.Errorf("ana reads %q", out)
		}
	})
}
