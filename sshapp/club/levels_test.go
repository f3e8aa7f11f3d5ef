package club

import (
	"errors"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/lobby"
	"ludoteca/lobby/names"
	"ludoteca/lobby/thinking"
)

// TestNobodyIsCalledLikeALevel: a player can't take the name of a computer player.
func TestNobodyIsCalledLikeALevel(t *testing.T) {
	all := levels(catalog.All())
	if len(all) < 2 {
		t.Fatalf("only %d levels", len(all))
	}
	for _, l := range all {
		for _, name := range []string{l.ID, l.Name} {
			var wrong *names.Error
			if _, _, err := names.Check(name); !errors.As(err, &wrong) || wrong.Problem != names.Reserved {
				t.Errorf("a player could be called %s: %v", name, err)
			}
		}
	}
}

// TestClubHasAllLevels: the club has each computer player of each game, with its rating there, and asks the ones that search for their
// opinion.
func TestClubHasAllLevels(t *testing.T) {
	all := levels(catalog.All())
	for _, g := range catalog.All() {
		for _, want := range bot.Levels(g) {
			i := slices.IndexFunc(all, func(l lobby.Level) bool { return l.ID == want.ID })
			if i < 0 {
				t.Errorf("the club does not know %s of %s", want.ID, g.About().ID)
				continue
			}
			_, thinks := want.Player.(bot.Thinker)
			got, ok := all[i].In(g.About().ID)
			if !ok || got.Name != want.Name || got.Sentence != want.Sentence || got.Ratings[g.About().ID] != want.Rating || got.Above[g.About().ID] != want.More || thinks != (got.Think != nil) {
				t.Errorf("%s of %s is %+v, want %+v", want.ID, g.About().ID, got, want)
			}
		}
	}
	if last := all[len(all)-1]; last.ID != "master" {
		t.Errorf("the last is %s, but the strongest gives the hints", last.ID)
	}
}

// TestLevelsOfAGame: a game has its own levels and no others, in order.
func TestLevelsOfAGame(t *testing.T) {
	for _, g := range catalog.All() {
		var got, want []string
		for _, l := range lobby.LevelsOf(levels(catalog.All()), g.About().ID) {
			got = append(got, l.ID)
		}
		for _, l := range bot.Levels(g) {
			want = append(want, l.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the levels %v, want %v", g.About().ID, got, want)
		}
	}
}

// TestLevelsPlayByTheirGame: a computer player of the club searches each game by the profile of that game, as the measured one does.
func TestLevelsPlayByTheirGame(t *testing.T) {
	all := levels(catalog.All())
	for _, g := range catalog.All() {
		start, err := g.New(games.OptionsOf(g))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"greedy", "pupil", "club"} {
			measured, err := bot.Find(g, id)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(all, func(l lobby.Level) bool { return l.ID == id })
			level, ok := all[i].In(g.About().ID)
			if !ok {
				t.Errorf("%s has no %s", g.About().ID, id)
				continue
			}
			for p, seed := start, uint64(1); seed < 8 && !p.Result().Over; seed++ {
				got, err := level.Move(t.Context(), p, games.NewRandom(seed))
				want, err2 := measured.Player.Move(t.Context(), p, games.NewRandom(seed))
				if err != nil || err2 != nil || got != want {
					t.Errorf("%s of the club plays %s after %s, %v; want %s, %v", id, got, p, err, want, err2)
					break
				}
				if p, err = p.Play(want); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestThoughtsAreTold holds that the club hears of a loss what the search has proven.
func TestThoughtsAreTold(t *testing.T) {
	found := bot.Thought{Move: "d4", Value: 31, Plies: -4, Proven: true}
	if got := thinking.DecisionOf(found); got.Move != "d4" || !got.Ahead || got.Value != 31 || got.Plies != -4 || !got.Proven || got.Drawn {
		t.Errorf("of %+v it hears %+v", found, got)
	}
}
