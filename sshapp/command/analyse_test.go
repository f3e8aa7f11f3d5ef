package command

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// studyNodes make analyses short.
const studyNodes = 500

// played plays a match of 4Mation that ana wins after a blunder of rui's, and returns its code and id.
func (h *house) played() (code, id string) {
	h.t.Helper()
	opened := h.object("ana", "new 4mation --side first --json")
	code, id = opened["code"].(string), opened["id"].(string)
	h.as("rui", Done, "join "+code)
	for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "d1"} {
		h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
	}
	return code, id
}

func TestAnalyse(t *testing.T) {
	h := newHouse(t)
	code, id := h.played()
	out, _ := h.as("guest", Done, "analyse "+strings.ToLower(code))
	lines := strings.Split(out, "\n")
	if len(lines) != 1+1+8+2+1 || !strings.HasPrefix(lines[0], "4Mation cols=7 rows=7 win_length=4, 7 moves, ") {
		t.Fatalf("it prints\n%s", out)
	}
	for i, want := range map[int]string{
		8:  "6    second  d2    ??  first wins in 1  ",
		9:  "7    first   d1        first has won",
		10: "first: nothing marked",
		11: "second: 1 blunder",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if again, _ := h.as("ana", Done, "analyse "+id); again != out {
		t.Errorf("by its id it is\n%s", again)
	}
	m := h.object("rui", "analyse "+id+" --json")
	positions := m["positions"].([]any)
	if m["id"] != id || m["game"] != "fourmation" || len(positions) != 8 || m["nodes"].(float64) != studyNodes {
		t.Errorf("%v", m)
	}
	blunder := positions[5].(map[string]any)
	if blunder["move"] != "d2" || blunder["mark"] != "blunder" || blunder["ply"] != 5.0 {
		t.Errorf("the blunder is %v", blunder)
	}
}

func TestAnalyseRefuses(t *testing.T) {
	h := newHouse(t)
	running := h.object("ana", "new tanks --side first --json")["code"].(string)
	h.as("rui", Done, "join "+running)
	void := h.object("ana", "new tanks --json")["code"].(string)
	h.as("ana", Done, "resign "+void)
	for line, want := range map[string]string{
		"analyse " + running: "not over yet",
		"analyse " + void:    "nothing to look into",
		"analyse 234567":     "Nobody here knows the code",
	} {
		if _, said := h.as("guest", Refused, line); !strings.Contains(said, want) {
			t.Errorf("%s: %q, want something with %q", line, said, want)
		}
	}
	for _, line := range []string{"analyse", "analyse a b", "analyse 234567 --nodes 3"} {
		if _, said := h.as("guest", Usage, line); !strings.Contains(said, "Usage: analyse ID|CODE [--json]") {
			t.Errorf("%s: %q", line, said)
		}
	}
}

// At the prompt a command that waits holds up those after it, and nothing else.
func TestAnalyseAtThePrompt(t *testing.T) {
	h := newHouse(t)
	code, id := h.played()
	var out, said bytes.Buffer
	in := io.NopCloser(strings.NewReader("analyse " + code + "\nwhoami\n"))
	if status := h.run.Prompt(t.Context(), key("ana"), in, &out, &said); status != Done {
		t.Errorf("status %d, %s", status, said.String())
	}
	want, _ := h.as("ana", Done, "analyse "+id)
	if !strings.HasPrefix(out.String(), want+"ana, here since ") {
		t.Errorf("it prints\n%s", out.String())
	}
}

// One who leaves ends his command, and hears nothing.
func TestAnalyseEndsWithTheCaller(t *testing.T) {
	h := newHouse(t)
	_, id := h.played()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	var out, said bytes.Buffer
	if status := h.run.Run(ctx, key("ana"), "analyse "+id, &out, &said); status != Refused || out.Len() > 0 {
		t.Errorf("status %d, %q", status, out.String())
	}
}
