package command

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/rating"
	"ludoteca/storage/storagetest"
)

// TestPractice: a finished match against a measured level shows in profile, games and export of the player, once, and in nobody's rating; a
// match with a takeback, and one with other options, don't. play proposes the level that suits the player.
func TestPractice(t *testing.T) {
	h := newFixture(t, withLevels)
	h.as("ana", Done, "name ana")
	games := func(caller string) map[string]levelJSON {
		t.Helper()
		out, _ := h.as(caller, Done, "games --json")
		levels := map[string]levelJSON{}
		for line := range strings.Lines(out) {
			var g gameJSON
			if err := json.Unmarshal([]byte(line), &g); err != nil {
				t.Fatal(err)
			}
			for _, l := range g.Levels {
				levels[g.ID+" "+l.ID] = l
			}
		}
		return levels
	}
	practised := func() []practiceJSON {
		t.Helper()
		out, _ := h.as("ana", Done, "profile --json")
		var p profileJSON
		if err := json.Unmarshal([]byte(out), &p); err != nil || p.Practice == nil || len(p.Games) > 0 {
			t.Fatalf("%+v, %v", p, err)
		}
		return p.Practice
	}
	if l := games("ana")["tanks first"]; l.Chance != nil || l.Words != "moderate" {
		t.Errorf("before the first match: %+v", l)
	}
	h.practise("tanks", false)
	if p := practised(); len(p) != 1 || p[0].Game != "tanks" || p[0].Played != 1 || p[0].Rating >= 2000 || p[0].Deviation <= 100 {
		t.Fatalf("after a lost match: %+v", p)
	}
	h.practise("tanks", false, "size=6")
	h.practise("tanks", true)
	h.practise("petteia", false)
	if p := practised(); len(p) != 1 || p[0].Played != 1 {
		t.Errorf("after a match with other options, and one in a game without measured levels: %+v", p)
	}
	h.practise("tanks", false)
	p := practised()
	if p[0].Played != 2 {
		t.Errorf("after another match: %+v", p)
	}
	all := games("ana")
	first, second := all["tanks first"], all["tanks second"]
	if first.Chance == nil || second.Chance == nil || math.Abs(*first.Chance-rating.Chance(p[0].Rating, float64(*first.Rating))) > 0.01 || *second.Chance >= *first.Chance || all["petteia first"].Chance != nil {
		t.Errorf("the chances are %v and %v", *first.Chance, *second.Chance)
	}
	if l := games("guest")["tanks first"]; l.Chance != nil {
		t.Errorf("a guest is told %v", *l.Chance)
	}
	out, _ := h.as("ana", Done, "profile")
	if !strings.Contains(out, "Breakthrough Tanks: practice rating ") || !strings.Contains(out, " after 2 matches against the computer") {
		t.Errorf("profile prints:\n%s", out)
	}
	out, _ = h.as("ana", Done, "games")
	if !strings.Contains(out, "--vs first   moderate, over 1234 points, your chance: ") {
		t.Errorf("games prints:\n%s", out)
	}
	out, _ = h.as("ana", Done, "export")
	if strings.Count(out, `{"type":"practice","game":"tanks","rating":`) != 1 || strings.Count(out, `"level":"first","points":1234,"score":0`) != 2 {
		t.Errorf("export prints:\n%s", out)
	}
	code := h.object("ana", "new tanks --vs first --json")["code"].(string)
	h.as("ana", Done, "abort "+code)
	if again := practised(); again[0].Played != 2 || again[0].Rating != p[0].Rating {
		t.Errorf("after a void match: %+v, before it %+v", again, p)
	}
}

// TestPracticeInLineMode: the end of a match that counted, and its review, tell what it made of the practice rating, and only its player: of a match
// that the player resigns, and of one that is played to its end. A match with a takeback doesn't count.
func TestPracticeInLineMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		club, err := lobby.New(t.Context(), storagetest.NewMemory(storagetest.Rate), lobby.Config{Games: catalog.All(), Levels: []lobby.Level{{
			ID: "first", Name: "First", Sentence: "Plays the first move there is.", Ratings: map[string]int{"tanks": 1234, "fourmation": 1234}, Move: func(_ context.Context, p games.Position, _ *games.Random) (games.Move, error) {
				return p.Legal()[0], nil
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		defer club.Close()
		h := &fixture{t: t, run: New(club, slog.New(slog.DiscardHandler), Options{Gate: fastGate()})}
		rating := func(game string) int {
			t.Helper()
			all, err := club.Practice.Standings(t.Context(), mustSignIn(t, h, "ana"))
			if err != nil {
				t.Fatal(err)
			}
			return int(math.Round(all[game].Rating))
		}
		h.as("ana", Done, "name ana")
		h.as("rui", Done, "name rui")
		h.practise("tanks", false)
		first := rating("tanks")
		ana, rui := h.hear(key("ana"), false), h.hear(key("rui"), false)
		code := decode(t, ana.asks("new tanks --side first --vs first --json"))["code"].(string)
		h.twoEach(code, "ana", "")
		rui.asks("show " + code)
		ana.told.take()
		rui.told.take()
		ana.answersTo("resign", "You resigned. First wins.")
		second := rating("tanks")
		if second >= first {
			t.Fatalf("from %d to %d", first, second)
		}
		change := fmt.Sprintf("Your practice rating goes from %d to %d.", first, second)
		ana.hears("ana", change)
		ana.answersTo("review", "The beginning of the match")
		ana.answersTo("goto 4", "Move 4 of 4", "First wins", change)
		if got := ana.asks("back"); !strings.Contains(got, "Move 3 of 4") || strings.Contains(got, "practice rating") {
			t.Errorf("before the end: %q", got)
		}
		rui.asks("review " + code)
		if got := rui.asks("goto 4") + rui.told.take(); !strings.Contains(got, "Move 4 of 4") || strings.Contains(got, "practice rating") {
			t.Errorf("rui is told %q", got)
		}

		code = decode(t, ana.asks("new 4mation --preset decisive --side first --vs first --json"))["code"].(string)
		for m := h.object("ana", "show "+code+" --json"); m["result"] == ""; m = h.object("ana", "show "+code+" --json") {
			legal := m["legal"].([]any)
			ana.asks(legal[len(legal)-1].(string))
			time.Sleep(5 * time.Second)
		}
		if told := ana.told.take(); !strings.Contains(told, fmt.Sprintf("\nYour practice rating is %d.\n", rating("fourmation"))) {
			t.Errorf("after the first match in a game ana is told %q", told)
		}

		code = decode(t, ana.asks("new tanks --side first --vs first --json"))["code"].(string)
		h.twoEach(code, "ana", "")
		ana.asks("takeback")
		ana.told.take()
		ana.asks("resign")
		ana.hears("ana")
		ana.leaves(false)
		rui.leaves(false)
	})
}

// asks types a line and returns what it answers.
func (p *heardPrompt) asks(line string) string {
	p.types(line + "\n")
	return p.answers.take()
}

// practise has ana play a match against the level first, with two moves a side, and resign it. helped takes a move back.
func (h *fixture) practise(game string, helped bool, options ...string) {
	h.t.Helper()
	line := strings.Join(append([]string{"new", game, "--side first --vs first --json"}, options...), " ")
	code := h.object("ana", line)["code"].(string)
	h.twoEach(code, "ana", "")
	if helped {
		h.as("ana", Done, "takeback "+code)
	}
	h.as("ana", Done, "resign "+code)
}

// withLevels adds a level that is stronger than the first one.
func withLevels(cfg *lobby.Config) {
	stronger := cfg.Levels[0]
	stronger.ID, stronger.Name, stronger.Ratings = "second", "Second", map[string]int{"tanks": 2000}
	cfg.Levels = append(cfg.Levels, stronger)
}
