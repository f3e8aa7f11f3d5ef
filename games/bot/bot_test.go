package bot_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

func start(t *testing.T, g games.Game) games.Position {
	t.Helper()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// searches reports whether a level searches.
func searches(l bot.Level) bool {
	_, ok := l.Player.(bot.Thinker)
	return ok
}

// quickly returns a level with so few nodes that whole games of it are soon played.
func quickly(t *testing.T, g games.Game, l bot.Level) bot.Level {
	t.Helper()
	if !searches(l) {
		return l
	}
	quick, err := bot.Find(g, l.ID+":40")
	if err != nil {
		t.Fatal(err)
	}
	return quick
}

func TestEveryGameHasLevels(t *testing.T) {
	for _, g := range catalog.All() {
		var ids []string
		for _, l := range bot.Levels(g) {
			ids = append(ids, l.ID)
			if l.Name == "" || !strings.HasSuffix(l.Sentence, ".") {
				t.Errorf("%s: %s has no words: %+v", g.About().ID, l.ID, l)
			}
		}
		want := []string{"random", "greedy"}
		if _, ok := start(t, g).State().(games.Searchable); ok {
			want = append(want, "pupil", "club", "expert", "champion", "master")
		}
		all := bot.IDs()
		for i, id := range ids {
			if i > 0 && slices.Index(all, id) <= slices.Index(all, ids[i-1]) {
				t.Errorf("%s: %s comes after %s, but not in the list of all levels", g.About().ID, id, ids[i-1])
			}
			if i := slices.Index(want, id); i >= 0 {
				want = slices.Delete(want, i, i+1)
			}
		}
		most := 11
		if g.About().ID == "flugelrad" {
			most = 14 // Greedy and Master are more than 3,000 points apart, and no step may be longer than 300
		}
		if len(want) > 0 || len(ids) > most {
			t.Errorf("%s has the levels %v, without %v", g.About().ID, ids, want)
		}
	}
}

// TestRatings checks that every level of every game has been measured, the weakest as 0 and the others above, and that no
// other level is rated.
func TestRatings(t *testing.T) {
	for _, g := range catalog.All() {
		ratings := maps.Clone(games.ProfileOf(g).Ratings)
		for i, l := range bot.Levels(g) {
			rating, measured := ratings[l.ID]
			if !measured || l.Rating != rating.Points || l.More != rating.More || i == 0 && rating != (games.Rating{}) || i > 0 && rating.Points <= 0 {
				t.Errorf("%s: %s is rated %d, on file %v, %v", g.About().ID, l.ID, l.Rating, rating, measured)
			}
			delete(ratings, l.ID)
		}
		if len(ratings) > 0 {
			t.Errorf("%s: ratings of no level: %v", g.About().ID, ratings)
		}
	}
}

// TestStepsAreShort checks that from Greedy on no level is more than 300 points stronger than the one below, and none weaker.
func TestStepsAreShort(t *testing.T) {
	for _, g := range catalog.All() {
		levels := bot.Levels(g)
		for i := 2; i < len(levels); i++ {
			if step := levels[i].Rating - levels[i-1].Rating; step <= 0 || step > 300 {
				t.Errorf("%s: %s is %d points above %s", g.About().ID, levels[i].ID, step, levels[i-1].ID)
			}
		}
	}
}

// unprofiled is a game without a profile of its own.
type unprofiled struct{ games.Game }

// TestUsualProfile plays a game that has no profile: its levels are not rated and have the usual budgets.
func TestUsualProfile(t *testing.T) {
	g, _ := catalog.Find("tanks")
	if got, want := *games.ProfileOf(unprofiled{g}), games.UsualProfile(); !reflect.DeepEqual(got, want) {
		t.Errorf("the profile is %+v, want %+v", got, want)
	}
	p := start(t, g)
	for i, l := range bot.Levels(unprofiled{g})[2:] {
		if l.Rating != 0 {
			t.Errorf("%s is rated %d", l.ID, l.Rating)
		}
		preset := games.UsualProfile().Presets[i]
		if preset.Nodes > 100_000 {
			continue // takes long
		}
		thought, err := l.Player.(bot.Thinker).Think(t.Context(), p, games.NewRandom(1))
		if err != nil || thought.Nodes > preset.Nodes+100 {
			t.Errorf("%s looks at %d positions, %v, want %d at most", l.ID, thought.Nodes, err, preset.Nodes)
		}
		if preset.Depth == 0 && thought.Nodes < preset.Nodes || preset.Depth > 0 && thought.Depth != preset.Depth {
			t.Errorf("%s stops after %d positions and %d plies, its preset is %+v", l.ID, thought.Nodes, thought.Depth, preset)
		}
	}
}

func TestFind(t *testing.T) {
	g, _ := catalog.Find("momentum")
	tests := []struct{ spec, want, err string }{
		{"random", "random", ""},
		{"greedy", "greedy", ""},
		{"club", "club", ""},
		{"club:1", "club", ""},
		{"master:1000000000", "master", ""},
		{"master:0", "", "from 1 to 1000000000"},
		{"master:1000000001", "", "from 1 to 1000000000"},
		{"master:-5", "", "from 1 to 1000000000"},
		{"master:99999999999999999999", "", "from 1 to 1000000000"},
		{"master:", "", "from 1 to 1000000000"},
		{"master:\x1b", "", `\x1b`},
		{"Random", "", "only random, greedy"},
		{"", "", "only random, greedy"},
		{"deep", "", `Momentum has no level "deep", only random, greedy`},
		{"deep:100", "", "only random, greedy"},
		{"random:100", "", "random takes no budget"},
		{"greedy:", "", "greedy takes no budget"},
		{strings.Repeat("\x1b", 100), "", `\x1b`},
	}
	for _, tt := range tests {
		l, err := bot.Find(g, tt.spec)
		if l.ID != tt.want || (err == nil) != (tt.err == "") {
			t.Errorf("Find(%q) = %q, %v, want %q", tt.spec, l.ID, err, tt.want)
		}
		if err != nil && (!errors.Is(err, bot.ErrLevel) || !strings.Contains(err.Error(), tt.err) ||
			strings.Contains(err.Error(), "\x1b")) {
			t.Errorf("Find(%q) = %v, want it to say %q", tt.spec, err, tt.err)
		}
	}
}

// TestWholeGames plays a game of each level against itself: every move is legal, the choices come from where they
// should, and the same seed gives the same game. (Greedy may have no choice at all.)
func TestWholeGames(t *testing.T) {
	for _, g := range catalog.All() {
		for _, l := range bot.Levels(g) {
			t.Run(g.About().ID+" "+l.ID, func(t *testing.T) {
				l := quickly(t, g, l)
				first, second := game(t, g, l, 3), game(t, g, l, 3)
				if !slices.Equal(first, second) {
					t.Errorf("the same seed gave %v and %v", first, second)
				}
				if l.ID == "random" && slices.Equal(first, game(t, g, l, 4)) {
					t.Errorf("another seed gave the same game %v", first)
				}
			})
		}
	}
}

func game(t *testing.T, g games.Game, l bot.Level, seed uint64) (moves []games.Move) {
	t.Helper()
	r := games.NewRandom(seed)
	p := start(t, g)
	for !p.Result().Over {
		m, err := l.Player.Move(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		if greedy, ok := p.(games.Greedy); ok && l.ID == "greedy" && !slices.Contains(greedy.Greedy(), m) {
			t.Fatalf("greedy plays %s, not one of %v", m, greedy.Greedy())
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	if m, err := l.Player.Move(t.Context(), p, r); !errors.Is(err, bot.ErrOver) {
		t.Errorf("a move after the end: %s, %v", m, err)
	}
	return moves
}

func TestMoveHeedsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := catalog.All()[0]
	for _, l := range bot.Levels(g) {
		if m, err := l.Player.Move(ctx, start(t, g), games.NewRandom(1)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %s, %v", l.ID, m, err)
		}
	}
}

// few is a position whose random player has one move only, as the report of a game may ask for.
type few struct{ games.Position }

func (few) Uniform() []games.Move { return []games.Move{"a1-a2"} }

// plain is a position without any optional ability.
type plain struct{ games.Position }

func TestRandomChoosesFromUniform(t *testing.T) {
	g, _ := catalog.Find("petteia")
	p := start(t, g)
	for seed := range uint64(20) {
		m, err := bot.Levels(g)[0].Player.Move(t.Context(), few{p}, games.NewRandom(seed))
		if err != nil || m != "a1-a2" {
			t.Fatalf("%s, %v", m, err)
		}
	}
	seen := map[games.Move]bool{}
	for seed := range uint64(2000) {
		m, err := bot.Levels(g)[0].Player.Move(t.Context(), plain{p}, games.NewRandom(seed))
		if err != nil {
			t.Fatal(err)
		}
		seen[m] = true
	}
	if len(seen) != len(p.Legal()) {
		t.Errorf("%d of %d legal moves came up", len(seen), len(p.Legal()))
	}
}

// TestWeakestLevelsInOrder is the promise of the sentences, as far as it is cheap to check: Greedy beats Random, and the
// weakest level that searches beats Greedy.
func TestWeakestLevelsInOrder(t *testing.T) {
	for _, g := range catalog.All() {
		levels := bot.Levels(g)
		for i, matches := range []int{40, 16} {
			if i+1 < len(levels) {
				beats(t, g, levels[i:i+2], matches)
			}
		}
	}
}

// beats plays matches of two levels and expects the second one to make 60 % of the points.
func beats(t *testing.T, g games.Game, levels []bot.Level, matches int) {
	t.Helper()
	points := 0.0
	for i := range matches {
		r, p := games.NewRandom(uint64(i)), start(t, g)
		seats := [2]bot.Level{levels[i%2], levels[1-i%2]}
		for !p.Result().Over {
			m, err := seats[p.Turn()].Player.Move(t.Context(), p, r)
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.Play(m); err != nil {
				t.Fatal(err)
			}
		}
		switch res := p.Result(); {
		case res.Draw:
			points += 0.5
		case seats[res.Winner].ID == levels[1].ID:
			points++
		}
	}
	t.Logf("%s: %s makes %v of %d points", g.About().ID, levels[1].ID, points, matches)
	if points < 0.6*float64(matches) {
		t.Errorf("%s: %s makes only %v of %d points", g.About().ID, levels[1].ID, points, matches)
	}
}
