package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// TestRecordCast: record --cast prints an asciicast, in the size that is asked for, without the code of the match.
func TestRecordCast(t *testing.T) {
	h := newFixture(t)
	code, id := h.played()
	for line, size := range map[string][2]float64{"--cast": {80, 24}, "--cast --size 120x40": {120, 40}, "--size=40x20 --cast": {40, 20}} {
		for _, caller := range []string{"ana", "guest"} {
			out, _ := h.as(caller, Done, "record "+id+" "+line)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			var head map[string]any
			if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
				t.Fatalf("%v: %s", err, lines[0])
			}
			if head["version"] != 2. || head["width"] != size[0] || head["height"] != size[1] {
				t.Errorf("%s: the header is %s", line, lines[0])
			}
			if moves := 7; len(lines) != 1+moves+2 {
				t.Errorf("%s: %d lines", line, len(lines))
			}
			for _, line := range lines[1:] {
				if event := []any{}; json.Unmarshal([]byte(line), &event) != nil || len(event) != 3 {
					t.Errorf("no event: %s", line)
				}
			}
			if strings.Contains(out, code) {
				t.Errorf("%s: the cast has the code", line)
			}
		}
	}
	for _, line := range []string{"--size 80x24", "--cast --json", "--cast --size 80", "--cast --size 39x24", "--cast --size 80x71", "--cast --size x"} {
		if _, said := h.as("ana", Usage, "record "+id+" "+line); !strings.Contains(said, "--cast") {
			t.Errorf("%s: %s", line, said)
		}
	}
}

// TestCastsOfPrivateMatches: who may not see the record of a match sees no cast and no replay of it.
func TestCastsOfPrivateMatches(t *testing.T) {
	h := newFixture(t)
	opened := h.object("ana", "new 4mation --side first --json")
	code, id := opened["code"].(string), opened["id"].(string)
	h.as("rui", Done, "join "+code)
	h.as("ana", Done, "move "+code+" a1")
	for _, caller := range []string{"bia", "guest"} {
		status := Refused
		_, record := h.as(caller, status, "record "+id)
		if _, cast := h.as(caller, status, "record "+id+" --cast"); cast != record {
			t.Errorf("%q is told %q of a record, and %q of a cast", caller, record, cast)
		}
		m, refused := h.run.Replay(t.Context(), key(caller), id, wording.Words{}, plainTheme())
		if m != nil || refused != strings.TrimSpace(record) {
			t.Errorf("%q is told %q of a replay, want %q", caller, refused, record)
		}
	}
	h.as("guest", Done, "record "+code+" --cast") // the code lets guests look
	if m, refused := h.run.Replay(t.Context(), key("guest"), code, wording.Words{}, plainTheme()); m == nil || m.Plies() != 1 {
		t.Errorf("no replay by the code: %s", refused)
	}
}

func plainTheme() *widget.Theme { return widget.NewTheme("", colorprofile.Ascii, false) }

// TestReplayNeedsATerminal: without one, replay says how it is called; for a match that can't be seen it says that.
func TestReplayNeedsATerminal(t *testing.T) {
	h := newFixture(t)
	_, id := h.played()
	if _, said := h.as("guest", Refused, "replay "+id); !strings.Contains(said, "ssh -t HOST replay "+id) {
		t.Errorf("it says %q", said)
	}
	if _, said := h.as("guest", Refused, "replay ZZZZZZ"); !strings.Contains(said, "ZZZZZZ") || strings.Contains(said, "ssh") {
		t.Errorf("it says %q", said)
	}
}

func TestReplayOf(t *testing.T) {
	for line, want := range map[string]string{"replay K7QM2X": "K7QM2X", " replay  m7k2x9qd ": "m7k2x9qd", "replay": "", "replay --help": "", "replay a b": "", "record K7QM2X": "", "replay ''": "", "replay '": ""} {
		if got, ok := ReplayOf(line); got != want || ok != (want != "") {
			t.Errorf("ReplayOf(%q) = %q, %v", line, got, ok)
		}
	}
}
