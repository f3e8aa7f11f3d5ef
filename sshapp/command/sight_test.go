package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ludoteca/lobby"
)

// TestPrivateMatches asks for a private match by its id and by its code, as each kind of caller and with every command that takes a match.
func TestPrivateMatches(t *testing.T) {
	h := newFixture(t, func(cfg *lobby.Config) { cfg.Bounds.WrongCodes = 1000 })
	opened := h.object("ana", "new 4mation --side first --json")
	code, id := opened["code"].(string), opened["id"].(string)
	h.as("rui", Done, "join "+code)
	h.as("eva", Done, "name eva")
	run := func(name, line string) (status int, out, complaints string) {
		who := key(name)
		if name == "operator" {
			who.Operator = true
		}
		var o, c bytes.Buffer
		status = h.run.Run(t.Context(), who, line, &o, &c)
		return status, o.String(), c.String()
	}
	for _, line := range []string{"show", "show --json", "watch", "record", "record --json", "analyse", "move %s a1", "resign", "takeback", "hint", "join"} {
		if !strings.Contains(line, "%s") {
			line += " %s"
		}
		for _, name := range []string{"eva", "nobody yet", "guest"} {
			status, out, complaints := run(name, fmt.Sprintf(line, id))
			wantStatus, wantOut, wantComplaints := run(name, fmt.Sprintf(line, "22222222"))
			if status != wantStatus || out != strings.ReplaceAll(wantOut, "22222222", id) || complaints != strings.ReplaceAll(wantComplaints, "22222222", id) || status == Done {
				t.Errorf("%s: %s of a private match: %d %q %q; of none: %d %q %q", name, line, status, out, complaints, wantStatus, wantOut, wantComplaints)
			}
		}
	}
	for typed, want := range map[string]string{strings.ToUpper(id): "No match that you may see has the id " + id, "ZZZZZZ": "Nobody here knows the code ZZZZZZ"} {
		if _, _, complaints := run("eva", "join "+typed); !strings.Contains(complaints, want) {
			t.Errorf("join %s: %q", typed, complaints)
		}
	}
	for _, tt := range []struct{ name, by, code string }{
		{"ana", id, code}, {"rui", id, code}, {"eva", code, code}, {"guest", code, code}, {"operator", id, code},
	} {
		status, out, complaints := run(tt.name, "show --json "+tt.by)
		if status != Done || decode(t, out)["code"] != tt.code {
			t.Errorf("%s: show %s prints %q, %q", tt.name, tt.by, out, complaints)
		}
	}
	if _, out, _ := run("guest", "matches"); strings.Contains(out, code) {
		t.Errorf("a guest's matches: %q", out)
	}

	h.twoEach(code, "ana", "rui")
	h.as("ana", Done, "resign "+code)
	for _, line := range []string{"show --json %s", "watch --json %s"} {
		if m := h.object("guest", fmt.Sprintf(line, id)); m["code"] != "" || m["result"] != "second" {
			t.Errorf("%s of a finished private match: %v", line, m)
		}
	}
	if out, _ := h.as("guest", Done, "show "+id); strings.Contains(out, code) || !strings.Contains(out, "match "+id) {
		t.Errorf("show of a finished private match: %q", out)
	}
	if out, _ := h.as("guest", Done, "record "+id); strings.Contains(out, code) {
		t.Errorf("its record: %q", out)
	}
	if out, _ := h.as("guest", Done, "history"); !strings.Contains(out, id) || strings.Contains(out, code) {
		t.Errorf("history: %q", out)
	}
}
