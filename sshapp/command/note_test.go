package command

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestNotes: a player writes notes on a finished match, in any words, sees, replaces and removes them, and exports them. Nobody else sees them.
func TestNotes(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.twoEach(code, "ana", "rui")
	if _, complaints := h.as("ana", Refused, "note "+code+" 2 early"); !strings.Contains(complaints, "not over") {
		t.Errorf("on a match that goes on: %q", complaints)
	}
	h.as("rui", Done, "resign "+code)
	for _, tt := range []struct {
		caller string
		status int
		line   string
		says   string // all that is printed
	}{
		{"ana", Done, "note CODE", "You have no notes on this match.\n"},
		{"ana", Done, "note CODE 2 that's where I'd play \"c4\"", "after move 2: that's where I'd play \"c4\"\n"},
		{"ana", Done, "note CODE 2", "after move 2: that's where I'd play \"c4\"\n"},
		{"ana", Done, "note CODE 3", "You have no note on this position.\n"},
		{"ana", Done, "note CODE a good match", "after move 4: a good match\n"},
		{"ana", Done, "note CODE 0 slow", "before the first move: slow\n"},
		{"ana", Done, "note CODE 2 \u202emove\x07 --json c4", "after move 2: move --json c4\n"},
		{"ana", Done, "note CODE", "before the first move: slow\nafter move 2: move --json c4\nafter move 4: a good match\n"},
		{"ana", Done, "note --remove CODE 2", "The note is removed.\n"},
		{"ana", Refused, "note CODE 2 --remove", "You have no note on this position.\n"},
		{"ana", Usage, "note CODE 2 text --remove", "--remove takes no text."},
		{"ana", Refused, "note CODE 5 late", "The match has fewer moves than that.\n"},
		{"ana", Refused, "note CODE -1 early", "The match has fewer moves than that.\n"},
		{"ana", Refused, "note CODE " + strings.Repeat("x", 281), "A note has at most 280 characters, on one line.\n"},
		{"ana", Refused, "note 222222", "Nobody here knows the code 222222"},
		{"rui", Done, "note CODE", "You have no notes on this match.\n"},
		{"guest", Refused, "note CODE 1 x", "key"},
		{"noa", Refused, "note CODE 1 x", "Take a name"},
	} {
		out, complaints := h.as(tt.caller, tt.status, strings.ReplaceAll(tt.line, "CODE", code))
		if said := out + complaints; said != tt.says && (tt.status == Done || !strings.Contains(said, tt.says)) {
			t.Errorf("%s: %s says %q, want %q", tt.caller, tt.line, said, tt.says)
		}
	}
	out, _ := h.as("ana", Done, "export")
	if strings.Count(out, `"type":"note"`) != 2 || !strings.Contains(out, `"ply":4,"text":"a good match"`) {
		t.Errorf("exported %q", out)
	}
	h.as("ana", Done, "delete --yes")
}

// TestNotesInLineMode: without the code of a match a note is on the position under review, which goes on, and is told there again.
func TestNotesInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTranscript(t, "petteia", "en")
		defer r.prompt.leaves(false)
		r.asks("play petteia dice")
		for _, m := range []string{"a1a2", "b1b2", "c1c2"} {
			r.asks(m)
		}
		r.asks("resign")
		for _, tt := range []struct{ line, want, not string }{
			{"note I gave up", "after move 6: I gave up", ""},
			{"review", "6 moves follow", "Your note"},
			{"goto 3", "Move 3 of 6", "Your note"},
			{"note it's better to wait", "after move 3: it's better to wait", ""},
			{"note 1 good", "after move 1: good", ""},
			{"next", "Move 4 of 6", "Your note"},
			{"back", "Your note: it's better to wait", ""},
			{"note --remove", "The note is removed.", ""},
			{"goto 3", "Move 3 of 6", "Your note"},
			{"goto 6", "Your note: I gave up", ""},
			{"note", "after move 1: good", "wait"},
		} {
			got := strings.Join(r.asks(tt.line), "\n")
			if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%s answers\n%s\nwant %q and not %q", tt.line, got, tt.want, tt.not)
			}
		}
	})
}
