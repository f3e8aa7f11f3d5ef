package command

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
)

// TestHelpAgainstTheComputer holds that a script can take a move back and have a hint, and that records say so.
func TestHelpAgainstTheComputer(t *testing.T) {
	h := newFixture(t)
	code := h.object("ana", "new 4mation --vs first --side first --json")["code"].(string)
	h.as("ana", Refused, "takeback "+code)
	h.as("ana", Done, "move "+code+" d4")
	h.until(code, 2)
	if out, _ := h.as("ana", Done, "takeback "+code); !strings.Contains(out, "With help: one takeback.") || !strings.Contains(out, "your move") {
		t.Errorf("after a takeback:\n%s", out)
	}
	if out, _ := h.as("ana", Done, "hint "+code); out != "A hint: a1.\n" {
		t.Errorf("the hint is %q", out)
	}
	got := h.object("ana", "hint "+code+" --json")
	if got["move"] != "a1" || got["ply"] != 0.0 || got["proven"] != "" {
		t.Errorf("the hint again is %v", got)
	}
	m := h.object("guest", "show "+code+" --json")
	if m["ply"] != 0.0 || m["helped"] != true || m["hints"] != 1.0 || m["takebacks"] != 1.0 || m["start"] != 0.0 {
		t.Errorf("show says %v", m)
	}
	h.as("ana", Done, "move "+code+" e5")
	h.until(code, 2)
	h.as("ana", Done, "resign "+code)
	if out, _ := h.as("ana", Done, "record "+code); !strings.Contains(out, `[Helped "1 hint, 1 takeback"]`) || !strings.Contains(out, "1. e5 ") {
		t.Errorf("the record:\n%s", out)
	}
	if out, _ := h.as("ana", Done, "history"); !strings.Contains(out, "casual, helped") {
		t.Errorf("history: %s", out)
	}
	for _, refused := range []struct{ who, line, want string }{
		{"ana", "takeback " + code, "This match is over."},
		{"ana", "hint " + code, "This match is over."},
		{"guest", "hint " + code, "A guest may look"},
	} {
		if _, complaint := h.as(refused.who, Refused, refused.line); !strings.Contains(complaint, refused.want) {
			t.Errorf("%s: %q", refused.line, complaint)
		}
	}
	code = h.object("ana", "new 4mation --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	h.as("ana", Done, "move "+code+" d4")
	if _, complaint := h.as("ana", Refused, "takeback "+code); !strings.Contains(complaint, "Moves are taken back there, and where you play both sides") {
		t.Errorf("between people: %q", complaint)
	}
}

// until waits until so many moves have been made.
func (h *fixture) until(code string, plies int) {
	h.t.Helper()
	ctx := h.t.Context()
	id, err := h.run.lobby.Find(ctx, lobby.User{}, "", code)
	if err != nil {
		h.t.Fatal(err)
	}
	seat, err := h.run.lobby.At(ctx, lobby.User{}, id)
	for seq, ply := uint64(0), -1; err == nil && ply != plies; {
		var v *lobby.View
		if v, err = seat.Next(ctx, seq); err == nil {
			seq, ply = v.Seq, v.Ply()
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestLevelsAreListed holds that games says whom one can play, and how strong each is where that is known.
func TestLevelsAreListed(t *testing.T) {
	h := newFixture(t)
	out, _ := h.as("guest", Done, "games")
	if strings.Count(out, "--vs first  1234  Plays the first move there is.") != 1 || strings.Count(out, "--vs first") != len(catalog.All()) {
		t.Errorf("games prints:\n%s", out)
	}
}

// TestBegunLater holds that show, history and record say how many of the moves were given.
func TestBegunLater(t *testing.T) {
	h := newFixture(t)
	h.as("ana", Done, "name ana")
	ana, _, err := h.run.lobby.SignIn(t.Context(), key("ana").Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := h.run.lobby.Open(t.Context(), ana, lobby.Spec{Game: "4mation", Hotseat: true, Moves: []games.Move{"d4", "c3"}})
	if err != nil {
		t.Fatal(err)
	}
	h.as("ana", Done, "move "+ref.Code+" c4")
	if out, _ := h.as("guest", Done, "show "+ref.Code); !strings.Contains(out, "begun after move 2\n") || !strings.Contains(out, "after move 3, c4\n") {
		t.Errorf("show prints:\n%s", out)
	}
	if m := h.object("ana", "matches --json"); m["start"] != 2.0 || m["plies"] != 3.0 {
		t.Errorf("matches says %v", m)
	}
	h.as("ana", Done, "resign "+ref.Code)
	if m := h.object("guest", "show "+ref.Code+" --json"); m["start"] != 2.0 || m["ply"] != 3.0 || m["helped"] != false {
		t.Errorf("show says %v", m)
	}
	out, _ := h.as("guest", Done, "record "+ref.Code)
	r, _, err := games.ReadRecord(strings.NewReader(out), catalog.Find)
	if err != nil || r.Get(games.HeaderGiven) != "2" || len(r.Moves) != 3 {
		t.Errorf("%v in the record:\n%s", err, out)
	}
}

// TestWhoseTurnComesFirst holds that a move on the other side's turn is refused for that reason, whatever else is wrong with it, in
// every game.
func TestWhoseTurnComesFirst(t *testing.T) {
	h := newFixture(t)
	for game, typed := range map[string][]string{
		"momentum": {"d4", "z9", "d4 d5"}, "petteia": {"e8-e4", "e8e4", "e1-e4", "nonsense"}, "4mation": {"d4", "z9"},
		"flugelrad": {"3:2", "32", "9:9"}, "tanks": {"e7e6", "e2-e3", "e2xe9"},
	} {
		code := h.object("ana", "new "+game+" --side first --json")["code"].(string)
		h.as("rui", Done, "join "+code)
		for _, m := range typed {
			if _, complaint := h.as("rui", Refused, "move "+code+" "+m); !strings.Contains(complaint, "It is not your turn.") {
				t.Errorf("%s: %s on the other side's turn: %q", game, m, complaint)
			}
		}
	}
	code := h.object("ana", "new petteia --side first --json")["code"].(string)
	h.as("rui", Done, "join "+code)
	if out, _ := h.as("ana", Done, "move "+code+" F1F4"); !strings.Contains(out, "after move 1, f1-f4") {
		t.Errorf("F1F4 gives\n%s", out)
	}
}
