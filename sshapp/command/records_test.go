package command

import (
	"strings"
	"testing"

	"ludoteca/lobby"
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
