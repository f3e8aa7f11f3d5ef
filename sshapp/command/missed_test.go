package command

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/storage/storagetest"
)

// TestPuzzleMine: a win that a player missed in an analysed match is a puzzle for that player alone, in a shell and in the line mode, and counts for
// nothing.
func TestPuzzleMine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club, err := lobby.New(t.Context(), storagetest.NewMemory(nil), lobby.Config{Games: catalog.All(), AnalysisNodes: studyNodes})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { club.Close() })
		h := &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{})}
		h.as("ana", Done, "name ana")
		h.as("rui", Done, "name rui")
		opened := h.object("ana", "new 4mation --side first --json")
		code, id := opened["code"].(string), opened["id"].(string)+".7"
		h.as("rui", Done, "join "+code)
		for i, m := range []string{"a1", "b2", "b1", "c2", "c1", "d2", "e2"} { // d1 would have won
			h.as([]string{"ana", "rui"}[i%2], Done, "move "+code+" "+m)
		}
		h.as("rui", Done, "resign "+code)
		none := "None of your last 20 matches has a win that you missed"
		refuses := func(who, line, want string) {
			t.Helper()
			if _, complaint := h.as(who, Refused, line); !strings.Contains(complaint, want) {
				t.Errorf("%s: %s: %q, want %q", who, line, complaint, want)
			}
		}
		refuses("ana", "puzzle --mine", none)
		h.as("ana", Done, "analyse "+code)

		o := h.object("ana", "puzzle --mine --json")
		task := "You are X. You had a win in 1 move here, and missed it: which move is it?"
		if o["id"] != id || o["game"] != "fourmation" || o["plies"] != 1.0 || o["rating"] != 0.0 || o["daily"] != "" || o["task"] != task {
			t.Errorf("the missed win is %v", o)
		}
		if words, _ := h.as("ana", Done, "puzzle 4mation --mine"); !strings.Contains(words, "4Mation, from your match against rui, move 7.") || !strings.Contains(words, task) || !strings.Contains(words, "solve "+id+" MOVE") {
			t.Errorf("it reads %q", words)
		}
		if o := h.object("ana", "solve "+strings.ToUpper(id)+" e2 --json"); o["right"] != false || o["counted"] != false {
			t.Errorf("the move of the match: %v", o)
		}
		if o := h.object("ana", "solve "+id+" e2 d1 --json"); o["right"] != true || o["solved"] != true || o["counted"] != false || o["share"] != "" {
			t.Errorf("the solution: %v", o)
		}
		if all := h.object("ana", "profile --json")["puzzles"].([]any); len(all) > 0 {
			t.Errorf("it counts: %v", all)
		}
		refuses("rui", "puzzle --mine", none)
		refuses("rui", "puzzle "+id, none)
		refuses("ana", "puzzle petteia --mine", none)
		refuses("ana", "puzzle daily --mine", "")
		refuses("guest", "puzzle --mine", "This needs a key")

		ana := h.hear(key("ana"), false)
		for _, tt := range []struct{ typed, want string }{
			{"puzzle --mine", "from your match against rui, move 7."},
			{"e2", "e2 is wrong."},
			{"d1", "d1 is right. The puzzle is solved."},
			{"next", task},
			{"hint", "The solution: d1"},
			{"next", "from your match against rui, move 7."},
		} {
			ana.types(tt.typed + "\n")
			if got := ana.answers.take(); !strings.Contains(got, tt.want) || strings.Contains(got, "Your rating") {
				t.Errorf("%s: says %q, want %q", tt.typed, got, tt.want)
			}
		}
		ana.leaves(false)
	})
}
