package command

import (
	"io"
	"strings"
	"testing"

	"ludoteca/sshapp/command/tree"
)

// TestAliases: the words of FICS do the same as the commands that they stand for, at ssh and at the prompt, and no name is taken twice.
func TestAliases(t *testing.T) {
	h := newFixture(t)
	for _, name := range []string{"ana", "rui"} {
		h.as(name, Done, "name "+name)
	}
	code := h.object("ana", "seek tanks size=6 --side first --clock 3d --json")["code"].(string)
	if o := h.offersOf("rui", "sought tanks --json")[code]; o == nil || o["clock"] != "3d" {
		t.Errorf("seek opened %v", o)
	}
	h.as("ana", Refused, "seek tanks --to rui") // it can't be public and a challenge
	for alias, command := range map[string]string{"finger ana": "profile ana", "finger": "profile", "obs " + code: "watch " + code, "observe " + code: "watch " + code} {
		if got, want := first(h.as("ana", Done, alias)), first(h.as("ana", Done, command)); got != want {
			t.Errorf("%s prints %q, and %s %q", alias, got, command, want)
		}
	}
	for _, line := range []string{"obs ABC234", "observe ABC234", "watch ABC234"} {
		if name, code, ok := Code(line); name != "watch" || code != "ABC234" || !ok {
			t.Errorf("%s asks for the board %q %q %v", line, name, code, ok)
		}
	}
	if out := h.atPrompt("rui", "show "+code+"\nfinger ana\nobs\n"); strings.Contains(out, "no command") || strings.Count(out, "ana") < 2 {
		t.Errorf("at the prompt: %s", out)
	}

	names := map[string]bool{}
	for _, d := range table() {
		for _, name := range append([]string{d.Name}, aliasNames(d)...) {
			if names[name] {
				t.Errorf("%s is the name of two commands", name)
			}
			names[name] = true
		}
	}
}

func first(out, _ string) string { return out }

// atPrompt returns what the line mode prints for some lines.
func (h *fixture) atPrompt(name, lines string) string {
	var out strings.Builder
	h.run.LineMode(h.t.Context(), key(name), "", io.NopCloser(strings.NewReader(lines)), &out, &out, false)
	return out.String()
}

func aliasNames(d *row) (names []string) {
	for _, a := range d.Aliases {
		names = append(names, a.Name)
	}
	return names
}

// TestAliasesInHelp: help shows an alias beside the command and explains it; a suggestion names a command once.
func TestAliasesInHelp(t *testing.T) {
	h := newFixture(t)
	out, _ := h.as("guest", Done, "help")
	for _, want := range []string{"  new, seek GAME", "  offers, sought", "  watch, obs, observe CODE", "  profile, finger [NAME]"} {
		if !strings.Contains(out, "\n"+want) {
			t.Errorf("help lacks %q:\n%s", want, out)
		}
	}
	for line, want := range map[string]string{"help seek": "seek is the same as new --public.", "help offers": "sought is the same as offers.", "observe --help": "obs is the same as watch."} {
		if out, _ := h.as("guest", Done, line); !strings.Contains(out, want) {
			t.Errorf("%s lacks %q:\n%s", line, want, out)
		}
	}
	object := h.object("guest", "help new --json")
	if a := object["aliases"].([]any); len(a) != 1 || a[0].(map[string]any)["name"] != "seek" || a[0].(map[string]any)["stands_for"] != "new --public" {
		t.Errorf("help new --json: %v", object["aliases"])
	}
	for line, want := range map[string]string{"ob x": "Did you mean obs?\n", "fingre": "Did you mean finger?\n", "soughtt": "Did you mean sought?\n", "wathc": "Did you mean watch?\n"} {
		if _, said := h.as("guest", Usage, line); !strings.HasSuffix(said, want) {
			t.Errorf("%s: %q, want %q", line, said, want)
		}
	}
	if near := tree.Near(h.run.table, "obser"); len(near) != 1 || near[0] != "observe" {
		t.Errorf("near obser: %q", near)
	}
}
