package command

import (
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/sshapp/wording"
)

// TestStudies: a study is analysed and looked through by its player alone, whatever its record says about results, reasons and names.
func TestStudies(t *testing.T) {
	const moves = "1. a1 b2 2. c3 d4"
	for _, tt := range []struct {
		name, record string
		ending       string
	}{
		{"won", "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n[Reason \"resigned\"]\n\n" + moves + " 1-0\n", "Zé wins: 李 resigned"},
		{"lost for a reason from elsewhere", "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n[Reason \"fell asleep\"]\n\n" + moves + " 0-1\n", "李 wins"},
		{"without a reason", "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n\n" + moves + " 1-0\n", "Zé wins"},
		{"drawn", "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n[Reason \"agreed\"]\n\n" + moves + " 1/2-1/2\n", "Draw"},
		{"on time", "[Game \"4mation\"]\n[First \"Zé\"]\n[Second \"李\"]\n[Reason \"timeout\"]\n[Clock \"5+3\"]\n\n1. a1 {5:00.0} b2 {4:59.0} 2. c3 {4:58.0} d4 {4:50.0} 0-1\n", "李 wins"},
		{"unfinished, without names", "[Game \"4mation\"]\n\n" + moves + " *\n", "No result"},
		{"by names of the club", "[Game \"4mation\"]\n[First \"ana\"]\n[Second \"rui\"]\n[FirstKind \"bot\"]\n[Rated \"yes\"]\n\n" + moves + " 1-0\n", "ana wins"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fixture{t: t, run: inMemory(t, Options{})}
				h.as("ana", Done, "name ana")
				h.as("rui", Done, "name rui")
				status, out, complaints := h.sends("ana", "import", strings.NewReader(tt.record))
				id := strings.TrimSpace(out)
				if status != Done {
					t.Fatal(complaints)
				}
				analysed, _ := h.as("ana", Done, "analyse "+id)
				if again, _ := h.as("ana", Done, "analyse "+id); again != analysed || !strings.Contains(analysed, "c3") {
					t.Errorf("analysed as\n%s\nand then\n%s", analysed, again)
				}
				if out, _ := h.as("ana", Done, "record "+id+" --cast --size 40x20"); strings.Count(out, "\n") != 1+4+2 || !strings.Contains(out, `"width":40`) {
					t.Errorf("the cast has %d lines: %.200s", strings.Count(out, "\n"), out)
				}
				if _, said := h.as("ana", Refused, "replay "+id); !strings.Contains(said, "ssh -t HOST replay "+id) {
					t.Errorf("replay says %q", said)
				}
				if m, refused := h.run.Replay(t.Context(), key("ana"), id, wording.Words{}, plainTheme()); m == nil || m.Plies() != 4 {
					t.Errorf("no replay: %s", refused)
				}
				for _, other := range []string{"rui", "guest"} {
					if m, refused := h.run.Replay(t.Context(), key(other), id, wording.Words{}, plainTheme()); m != nil || !strings.Contains(refused, id) {
						t.Errorf("%s gets a replay: %q", other, refused)
					}
				}
				if out, _ := h.as("ana", Done, "note "+id+" 2 too slow"); out != "after move 2: too slow\n" {
					t.Errorf("a note: %q", out)
				}
				if out, _ := h.as("ana", Done, "note "+id+" at last"); out != "after move 4: at last\n" {
					t.Errorf("a note on the end: %q", out)
				}
				for _, line := range []string{"analyse " + id, "record " + id, "record " + id + " --cast", "replay " + id, "note " + id, "note " + id + " 1 x"} {
					h.as("rui", Refused, line)
					h.as("guest", Refused, line)
				}
				ana, rui := h.hear(key("ana"), false), h.hear(key("rui"), false)
				ana.answersTo("review "+id, "4Mation", tt.ending, "4 moves follow")
				ana.answersTo("goto 2", "Move 2 of 4", "Your note: too slow")
				ana.answersTo("goto 3", "Move 3 of 4", "c3")
				ana.answersTo("note here is c3", "after move 3: here is c3")
				ana.answersTo("what c3", "c3: ")
				ana.asks("together rui")
				if got := ana.told.take(); !strings.Contains(got, "nobody else sees") {
					t.Errorf("together rui answers %q", got)
				}
				if got := ana.asks("analyse"); got != analysed {
					t.Errorf("under review it is analysed as\n%s, want\n%s", got, analysed)
				}
				rui.asks("review " + id)
				if got := rui.told.take(); !strings.Contains(got, "No match that you may see has the id "+id) {
					t.Errorf("another player is told %q", got)
				}
				ana.leaves(false)
				rui.leaves(false)
			})
		})
	}
}
