package live

import (
	"context"
	"errors"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/lobby/refusal"
	"ludoteca/lobby/thinking"
)

// TestCatalogue: games are found in any letter case, levels by their id, and hints come from the strongest level that searches.
func TestCatalogue(t *testing.T) {
	think := func(context.Context, bot.Clock, games.Position, *games.Random) (thinking.Decision, error) {
		return thinking.Decision{}, nil
	}
	weak, strong, blind := thinking.Level{ID: "weak", Think: think}, thinking.Level{ID: "strong", Think: think}, thinking.Level{ID: "blind"}
	for _, tt := range []struct {
		name      string
		levels    []thinking.Level
		strongest string // "" for none
	}{
		{"none", nil, ""},
		{"all search", []thinking.Level{weak, strong}, "strong"},
		{"the last doesn't search", []thinking.Level{weak, strong, blind}, "strong"},
		{"none searches", []thinking.Level{{ID: "random"}, blind}, "blind"},
	} {
		c := &Catalogue{Games: []games.Game{fourmation.New()}, Levels: tt.levels}
		if got, ok := c.Strongest("fourmation"); got.ID != tt.strongest || ok != (tt.strongest != "") {
			t.Errorf("%s: the strongest is %q, %v; want %q", tt.name, got.ID, ok, tt.strongest)
		}
		for _, v := range tt.levels {
			if got, ok := c.Level("fourmation", v.ID); !ok || got.ID != v.ID {
				t.Errorf("%s: level %q: %q, %v", tt.name, v.ID, got.ID, ok)
			}
		}
		if got, ok := c.Level("fourmation", "another"); ok {
			t.Errorf("%s: there is a level %q", tt.name, got.ID)
		}
	}
	some := thinking.Level{ID: "some", Games: map[string]thinking.Player{"tanks": {Think: think}}}
	c := &Catalogue{Games: []games.Game{fourmation.New()}, Levels: []thinking.Level{weak, some}}
	if got, ok := c.Strongest("fourmation"); got.ID != "weak" || !ok {
		t.Errorf("of a game without the strongest level it is %q, %v", got.ID, ok)
	}
	if got, ok := c.Strongest("tanks"); got.ID != "some" || got.Think == nil || !ok {
		t.Errorf("of a game with the strongest level it is %q, %v", got.ID, ok)
	}
	if got, ok := c.Level("fourmation", "some"); ok {
		t.Errorf("a level of another game: %q", got.ID)
	}
	if g, err := c.Game("FourMation"); err != nil || g.About().ID != "fourmation" {
		t.Errorf("in another letter case: %v, %v", g, err)
	}
	if _, err := c.Game("chess"); !errors.Is(err, refusal.ErrNoSuchGame) {
		t.Errorf("an unknown game: %v, want %v", err, refusal.ErrNoSuchGame)
	}
}
