package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPlan: a player prepares answers, sees and drops them, and the match plays them. Nobody else sees them.
func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		code := h.object("ana", "new 4mation --side first --clock 3d --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		timed := h.object("ana", "new 4mation --side second --clock 5+3 --json")["code"].(string)
		h.as("rui", Done, "join "+timed)
		for _, tt := range []struct {
			caller string
			status int
			line   string
			says   string
		}{
			{"ana", Refused, "plan CODE b2 b1", "It is your turn. Move first"},
			{"ana", Done, "move CODE a1", ""},
			{"ana", Done, "plan CODE", "Nothing is planned in this match.\n"},
			{"ana", Done, "plan CODE b2 B1 c2 c1, a2 b1", "If b2, then b1; after that, if c2, then c1.\nIf a2, then b1.\n"},
			{"ana", Done, "plan CODE", "If b2, then b1; after that, if c2, then c1.\nIf a2, then b1.\n"},
			{"ana", Refused, "plan CODE b2 b1, b2 c1", "two answers"},
			{"ana", Refused, "plan CODE b2", "begins with a move of the other side"},
			{"ana", Refused, "plan CODE b2 d4", "d4"},
			{"ana", Refused, "plan CODE \u202e\x1b[2J", ""},
			{"ana", Refused, "plan TIMED b2 b1", "days a move"},
			{"ana", Refused, "plan 222222 b2 b1", "Nobody here knows the code 222222"},
			{"rui", Done, "plan CODE", "Nothing is planned in this match.\n"},
			{"rui", Refused, "plan CODE b1 b2", "It is your turn."},
			{"guest", Refused, "plan CODE b2 b1", "key"},
			{"noa", Refused, "plan CODE", "You are only watching this match."},
			{"ana", Done, "plan CODE", "If b2, then b1; after that, if c2, then c1.\nIf a2, then b1.\n"},
		} {
			time.Sleep(2 * time.Second) // plans are throttled
			synctest.Wait()
			line := strings.NewReplacer("CODE", code, "TIMED", timed).Replace(tt.line)
			out, complaints := h.as(tt.caller, tt.status, line)
			if said := out + complaints; !strings.Contains(said, tt.says) || strings.ContainsAny(said, "\x1b\u202e") || strings.HasPrefix(tt.line, "plan") && tt.status == Done && said != tt.says {
				t.Errorf("%s: %s says %q, want %q", tt.caller, tt.line, said, tt.says)
			}
		}
		if out, _ := h.as("ana", Done, "export"); strings.Count(out, `"type":"plan"`) != 1 || !strings.Contains(out, `"lines":["b2 b1 c2 c1","a2 b1"]`) {
			t.Errorf("exported %q", out)
		}
		if out, _ := h.as("rui", Done, "export"); strings.Contains(out, `"type":"plan"`) {
			t.Errorf("the other side exports %q", out)
		}
		h.as("rui", Done, "move "+code+" b2")
		synctest.Wait()
		if got := h.object("rui", "show "+code+" --json")["ply"]; got != 3.0 {
			t.Errorf("after b2 the match has %v moves, want 3", got)
		}
		if got := h.object("ana", "plan "+code+" --json"); got["ply"] != 3.0 || len(got["lines"].([]any)) != 1 || got["lines"].([]any)[0] != "c2 c1" {
			t.Errorf("the plan is %v", got)
		}
		if out, _ := h.as("ana", Done, "plan "+code+" clear"); out != "Nothing is planned in this match.\n" {
			t.Errorf("clear says %q", out)
		}
		h.as("rui", Done, "move "+code+" c2")
		synctest.Wait()
		if got := h.object("rui", "show "+code+" --json")["ply"]; got != 4.0 {
			t.Errorf("without a plan the match has %v moves, want 4", got)
		}
	})
}

// TestManyPlans: plans are bounded in a time, for each person.
func TestManyPlans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newFixture(t)
		code := h.object("ana", "new 4mation --side first --clock 3d --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		h.as("ana", Done, "move "+code+" a1")
		for range 30 {
			h.as("ana", Done, "plan "+code+" b2 b1")
		}
		if _, complaints := h.as("ana", Refused, "plan "+code+" b2 b1"); !strings.Contains(complaints, "Wait 2 s ") {
			t.Errorf("the next one says %q", complaints)
		}
	})
}
