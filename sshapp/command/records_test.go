package command

import (
	"strings"
	"testing"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
)

// TestHistoryPages: an answer is made of pages, and how many matches the club reads at once doesn't show in it.
func TestHistoryPages(t *testing.T) {
	const matches = 5
	for _, once := range []int{1, 2, matches, 1000} {
		h := newHouse(t, func(c *lobby.Config) { c.Limits.History = once })
		for range matches {
			code := h.object("ana", "new tanks --side first --vs first --json")["code"].(string)
			h.as("ana", Done, "resign "+code)
		}
		for _, limit := range []struct {
			words string
			want  int
		}{{"", matches}, {" --limit 3", 3}, {" --limit 1000000000", matches}} {
			for _, form := range []string{"", " --json"} {
				line := "history ana" + limit.words + form
				if out, _ := h.as("ana", Done, line); strings.Count(out, "\n") != limit.want {
					t.Errorf("%d at once: %s prints %d lines, want %d:\n%s", once, line, strings.Count(out, "\n"), limit.want, out)
				}
			}
		}
	}
}

// TestTablesAreAligned whatever script names are written in.
func TestTablesAreAligned(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"ana", "小明", "हिन्दी", "Ольга"} {
		h.as(name, Done, "name "+name)
		code := h.object(name, "new tanks --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		h.as(name, Done, "resign "+code)
		h.as(name, Done, "join "+h.object("rui", "new tanks --side second --json")["code"].(string))
	}
	for line, column := range map[string]string{"history rui": "0-1", "matches": "waiting for"} {
		out, _ := h.as("rui", Done, line)
		at := -1
		for row := range strings.Lines(out) {
			before, _, ok := strings.Cut(row, column)
			switch width := text.Width(before); {
			case !ok:
				t.Errorf("%s: a row without %q: %q", line, column, row)
			case at >= 0 && width != at:
				t.Errorf("%s: %d cells before %q, and %d above:\n%s", line, width, column, at, out)
			default:
				at = width
			}
		}
		if at < 0 || strings.Contains(out, standIn) {
			t.Errorf("%s prints %q", line, out)
		}
	}
}
