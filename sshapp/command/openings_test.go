package command

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestOpenings: openings counts how rated matches under an option set went on, for guests too, and says what is wrong.
func TestOpenings(t *testing.T) {
	h := newFixture(t)
	play := func(options, moves, loser string) {
		t.Helper()
		code := h.object("ana", "new 4mation --side first --rated "+options+" --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		for i, m := range strings.Fields(moves) {
			h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
		}
		h.as(loser, Done, "resign "+code)
	}
	play("", "a1 b2 c3 d4", "rui")
	play("", "a1 b2 c3 d4", "ana")
	play("", "a1 b2 c1 d1", "rui")
	play("", "b1 b2 c1 d1", "rui")
	play("--preset decisive", "a1 b2 c3 d4", "ana")
	for line, want := range map[string]string{
		"4mation":                        "4 matches came here; a1 scored 67%.\nMOVE  MATCHES  SCORE  FIRST WON  DRAWN  SECOND WON\na1    3        67%    2          0      1\nb1    1        100%   1          0      0\n",
		"4mation a1":                     "3 matches came here; b2 scored 33%.\nMOVE  MATCHES  SCORE  FIRST WON  DRAWN  SECOND WON\nb2    3        33%    2          0      1\n",
		"4mation 1. A1 1... b2 2. c3 d4": "2 matches came here.\n",
		"4mation a1 b2 c3 d4 e5":         "No rated match came here.\n",
		"4mation g7":                     "No rated match came here.\n",
		"4mation --preset decisive":      "1 match came here; a1 scored 0%.\nMOVE  MATCHES  SCORE  FIRST WON  DRAWN  SECOND WON\na1    1        0%     0          0      1\n",
		"4mation cols=6 rows=6":          "No rated match came here.\n",
		"tanks":                          "No rated match came here.\n",
		"4mation a1 b2 c3 d4 e5 f6 g7 f7 e7 d7 c7 b7 a7": "The first 12 moves of matches are counted.\n",
	} {
		if out, _ := h.as("guest", Done, "openings "+line); out != want {
			t.Errorf("openings %s:\n%s\nwant\n%s", line, out, want)
		}
	}
	if out, _ := h.as("guest", Done, "openings 4mation 'a1 b2' --json"); out != `{"game":"fourmation","options":{"cols":7,"rows":7,"win_length":4},"moves":["a1","b2"],"matches":3,`+
		`"next":[{"move":"c3","matches":2,"first":1,"draw":0,"second":1},{"move":"c1","matches":1,"first":1,"draw":0,"second":0}]}`+"\n" {
		t.Errorf("for scripts %s", out)
	}
	for line, want := range map[string]string{
		"4mation a1 g7":   "g7 can't be played",
		"4mation z1":      "outside the board",
		"4mation rows=99": "99 isn't allowed",
		"chess":           "There is no game",
	} {
		if _, complaint := h.as("guest", Refused, "openings "+line); !strings.Contains(complaint, want) {
			t.Errorf("openings %s: %q, want %q", line, complaint, want)
		}
	}
	if _, complaint := h.as("guest", Usage, "openings"); !strings.Contains(complaint, "Which game?") {
		t.Errorf("without a game: %q", complaint)
	}
}

// TestOpeningsInReview: in the line mode the match under review says game and moves.
func TestOpeningsInReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTranscript(t, "petteia", "en")
		defer r.prompt.leaves(false)
		r.asks("play petteia dice")
		if got := strings.Join(r.asks("openings"), "\n"); !strings.Contains(got, "Which game?") {
			t.Errorf("in a match: %s", got)
		}
		for _, m := range []string{"a1a2", "b1b2", "c1c2"} {
			r.asks(m)
		}
		r.asks("resign")
		r.asks("review")
		r.asks("goto 3")
		if got := strings.Join(r.asks("openings"), "\n"); !strings.Contains(got, "No rated match came here.") {
			t.Errorf("under review: %s", got)
		}
	})
}
