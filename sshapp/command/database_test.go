package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ludoteca/lobby"
)

// TestDatabase: database prints all rated records, the oldest first, an empty line between, also beyond one page, and nothing else.
func TestDatabase(t *testing.T) {
	h := newFixture(t, func(cfg *lobby.Config) { cfg.Limits.MatchBurst = 1000 })
	if out, _ := h.as("guest", Done, "database"); out != "" {
		t.Errorf("without matches it prints %q", out)
	}
	play := func(game, moves string, flags ...string) (id string) {
		opened := h.object("ana", strings.Join(append([]string{"new", game, "--side first --json"}, flags...), " "))
		code := opened["code"].(string)
		h.as("rui", Done, "join "+code)
		for i, move := range strings.Fields(moves) {
			h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+move)
		}
		h.as("ana", Done, "resign "+code)
		return opened["id"].(string)
	}
	const moves = "a1 b2 b1 c2"
	var all []string
	for range databasePage + 3 {
		all = append(all, play("4mation", moves, "--rated"))
	}
	play("4mation", moves, "--public") // casual
	tanks := play("tanks", "a2-a3 a7-a6 b2-b3 b7-b6", "--rated")
	history, _ := h.as("guest", Done, "history ana --limit 1000 --json")
	var place []string // of matches, the newest first: some ended in the same millisecond
	for line := range strings.Lines(history) {
		place = append(place, decode(t, line)["id"].(string))
	}
	texts := func(ids ...string) string {
		slices.SortFunc(ids, func(a, b string) int { return slices.Index(place, b) - slices.Index(place, a) })
		var list []string
		for _, id := range ids {
			text, _ := h.as("guest", Done, "record "+id)
			list = append(list, text)
		}
		return strings.Join(list, "\n")
	}
	today := time.Now().UTC()
	for line, want := range map[string]string{
		"database": texts(append(all, tanks)...), "database 4mation": texts(all...), "database tanks": texts(tanks), "database petteia": "",
		"database tanks --since " + today.AddDate(0, 0, -1).Format(time.DateOnly): texts(tanks),
		"database tanks --since " + today.AddDate(0, 0, 2).Format(time.DateOnly):  "",
		"database tanks --since " + today.Add(-24*time.Hour).Format(time.RFC3339): texts(tanks),
		"database tanks --since " + today.Add(24*time.Hour).Format(time.RFC3339):  "",
	} {
		if out, _ := h.as("guest", Done, line); out != want {
			t.Errorf("%s prints %d bytes, want %d", line, len(out), len(want))
		}
	}
	for _, line := range []string{"database --since yesterday", "database --since 2026-02-30", "database a b"} {
		h.as("guest", Usage, line)
	}
	h.as("guest", Refused, "database chess")
	out, _ := h.as("guest", Done, "database tanks --json")
	if object := decode(t, out); object["id"] != tanks || object["text"] != texts(tanks) {
		t.Errorf("%v", object)
	}
	h.run.options.Database = nil
	h.as("guest", Refused, "database")
}
