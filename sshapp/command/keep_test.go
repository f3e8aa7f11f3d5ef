package command

import (
	"strings"
	"testing"
)

// TestStandingOffers: a standing offer is made, listed, taken, exported and ended by commands and at the prompt.
func TestStandingOffers(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui", "eva"} {
		h.as(name, Done, "name "+name)
	}
	if out, _ := h.as("ana", Done, "standing"); !strings.Contains(out, "no offer open") {
		t.Errorf("without offers: %s", out)
	}
	out, _ := h.as("ana", Done, "new tanks size=6 --clock 3d --standing 2")
	code, words, _ := strings.Cut(out, "\n")
	if !strings.HasSuffix(words, "with at most 2 matches at a time. To end it: standing end 1\n") {
		t.Errorf("new prints %q", words)
	}
	if out, _ := h.as("eva", Done, "new tanks size=6 --clock 3d --standing 1"); !strings.HasSuffix(out, "with one match at a time. To end it: standing end 1\n") {
		t.Errorf("new of one prints %q", out)
	}
	h.as("eva", Done, "standing end 1")
	if o := h.offersOf("rui", "offers --json")[code]; o == nil || o["clock"] != "3d" {
		t.Errorf("rui sees %v", o)
	}
	h.as("rui", Done, "join "+code)
	for looked := h.run.lobby.Standing.Looked(); ; looked = h.run.lobby.Standing.Looked() {
		kept := h.object("ana", "standing --json")
		if next, ok := kept["waiting"].(string); ok && next != code && kept["playing"].([]any)[0] == code {
			code = next
			break
		}
		<-looked
	}
	if out, _ := h.as("ana", Done, "standing"); !strings.Contains(out, "1 of 2 are played") || !strings.Contains(out, "open: "+code) {
		t.Errorf("standing prints %q", out)
	}
	if out, _ := h.as("rui", Refused, "join "+code+" --json"); !strings.Contains(out, `"conflict"`) {
		t.Errorf("a second match for rui: %s", out)
	}
	if out, _ := h.as("ana", Done, "export --json"); !strings.Contains(out, `"type":"standing"`) {
		t.Error("it is not exported")
	}
	for line, want := range map[string]string{
		"new tanks size=6 --clock 3d --standing 1 --json":   "conflict",
		"new tanks --clock 3d --standing 3 --json":          "full",
		"new tanks --clock 3d --standing 0 --json":          "illegal",
		"new tanks --clock 3d --standing 1 --to rui --json": "illegal",
		"standing end 7 --json":                             "not_found",
	} {
		if out, _ := h.as("ana", Refused, line); !strings.Contains(out, `"`+want+`"`) {
			t.Errorf("%s: %s, want %s", line, out, want)
		}
	}
	if out, _ := h.as("", Refused, "new tanks --standing 1 --json"); !strings.Contains(out, `"guest"`) {
		t.Errorf("a guest: %s", out)
	}
	if out := h.atPrompt("ana", "standing\nstanding end 1\nstanding\n"); !strings.Contains(out, "has ended") || !strings.Contains(out, "no offer open") {
		t.Errorf("at the prompt: %s", out)
	}
}
