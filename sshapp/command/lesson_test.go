package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"ludoteca/games/catalog"
	"ludoteca/games/lesson"
)

// TestLessonsByCommands: each lesson can be gone through from a shell, one call a move, and what is solved is remembered, listed and exported.
func TestLessonsByCommands(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	for _, g := range catalog.All() {
		id := g.About().ID
		for run, ok := lesson.Begin(g); ok; run, ok = run.Next() {
			try := func(m string) map[string]any {
				return h.object("ana", fmt.Sprintf("lesson %s %d %s --json", id, run.Number(), m))
			}
			asked := h.object("ana", "lesson "+id+" --json")
			if asked["step"] != float64(run.Number()) || asked["task"] != run.Step().Task || asked["verdict"] != "" || asked["position"] != run.Step().Position {
				t.Fatalf("%s, step %d is asked as %v", id, run.Number(), asked)
			}
			words, _ := h.as("ana", Done, "lesson "+id)
			if !strings.Contains(words, run.Step().Title) || !strings.Contains(words, run.Step().Task) || strings.Contains(words, "\x1b") {
				t.Errorf("%s, step %d reads %q", id, run.Number(), words)
			}
			if answer := try(asked["legal"].([]any)[0].(string)); answer["verdict"] == "" || answer["words"] == "" {
				t.Errorf("%s, step %d: the first move is answered as %v", id, run.Number(), answer)
			}
			right := try(string(run.Step().Right[0]))
			if right["verdict"] != "right" || right["words"] != run.Step().Shown || right["solved"] != float64(run.Number()) || right["done"] != (run.Number() == run.Steps()) {
				t.Errorf("%s, step %d is solved as %v", id, run.Number(), right)
			}
		}
	}
	list, _ := h.as("ana", Done, "lesson")
	if strings.Count(list, "done") != len(catalog.All()) {
		t.Errorf("the list after all lessons is %q", list)
	}
	out, _ := h.as("ana", Done, "export")
	if strings.Count(out, `"type":"lesson"`) != len(catalog.All()) {
		t.Errorf("the export has not all lessons: %q", out)
	}
	if again := h.object("ana", "lesson tanks --json"); again["step"] != 1.0 || again["done"] != true {
		t.Errorf("a lesson that is done goes on with %v", again)
	}
}

// TestLessonBeforeAName: what a key without an account solves in the line mode is kept once the key has one, and so is the rest of the lesson.
func TestLessonBeforeAName(t *testing.T) {
	run, _ := lesson.Begin(catalog.All()[0])
	id, first := run.Game().About().ID, run.Step().Right[0]
	run, _ = run.Try(string(first))
	run, _ = run.Next()
	second := run.Step().Right[0]
	for name, tt := range map[string]struct {
		lines  []string
		solved float64
	}{
		"a name afterwards":       {[]string{"lesson " + id, string(first), string(second), "name ana"}, 2},
		"a name in between":       {[]string{"lesson " + id, string(first), "name ana", string(second)}, 2},
		"one command a step":      {[]string{fmt.Sprintf("lesson %s 1 %s", id, first), "name ana"}, 1},
		"a name by the first new": {[]string{"lesson " + id, string(first), "new tanks"}, 1},
		"no name":                 {[]string{"lesson " + id, string(first)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			var out, said bytes.Buffer
			in := io.NopCloser(strings.NewReader(strings.Join(tt.lines, "\n") + "\n"))
			if status := h.run.LineMode(t.Context(), key("ana"), "", in, &out, &said, false); status != Done {
				t.Fatalf("status %d:\n%s%s", status, &out, &said)
			}
			if kept := h.object("ana", "lesson "+id+" --json"); kept["solved"] != tt.solved {
				t.Errorf("solved are %v steps, want %v:\n%s", kept["solved"], tt.solved, &out)
			}
		})
	}
}

// TestLessonAnswers: a wrong move is explained, an illegal one refused with the reason of the rules, and of guests nothing is kept.
func TestLessonAnswers(t *testing.T) {
	h := newFixture(t)
	for _, tt := range []struct {
		line   string
		status int
		says   string
	}{
		{"lesson", Done, "petteia"},
		{"lesson 4mation 3", Done, "4Mation, step 3 of"},
		{"lesson tanks 4 e4-e5", Done, "Not e4-e5. That is a move, and nothing is captured."},
		{"lesson tanks 4 e4xd5", Refused, "destroyers capture only straight ahead"},
		{"lesson tanks 4 E4 E6", Done, "e4xe6 is right."},
		{"lesson tanks 4 --board", Done, "a b c d e f g h"},
		{"lesson tanks 0", Usage, "isn't one"},
		{"lesson tanks x", Usage, "isn't one"},
		{"lesson tanks 100", Usage, "isn't one"},
		{"lesson chess", Refused, "There is no game"},
	} {
		out, complaints := h.as("guest", tt.status, tt.line)
		if !strings.Contains(out+complaints, tt.says) {
			t.Errorf("%s: says %q %q, want %q", tt.line, out, complaints, tt.says)
		}
	}
	h.as("guest", Done, "lesson tanks 1 e2e3")
	if kept := h.object("guest", "lesson tanks --json"); kept["step"] != 1.0 || kept["solved"] != 0.0 {
		t.Errorf("of a guest is kept %v", kept)
	}
}
