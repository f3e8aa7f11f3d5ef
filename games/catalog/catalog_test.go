package catalog_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/gamestest"
)

func TestFind(t *testing.T) {
	tests := []struct{ name, want string }{
		{"momentum", "momentum"},
		{"Petteia", "petteia"},
		{"FOURMATION", "fourmation"},
		{"4mation", "fourmation"},
		{"4Mation", "fourmation"},
		{"flugelrad", "flugelrad"},
		{"flügelrad", "flugelrad"},
		{"FLÜGELRAD", "flugelrad"},
		{"Tanks", "tanks"},
		{"", ""},
		{" petteia", ""},
		{"go", ""},
		{"petteia\x00", ""},
		{strings.Repeat("petteia", 1000), ""},
	}
	for _, tt := range tests {
		g, ok := catalog.Find(tt.name)
		if ok != (tt.want != "") || ok && g.About().ID != tt.want {
			t.Errorf("Find(%.40q) = %v, %v, want %q", tt.name, g, ok, tt.want)
		}
	}
}

// TestOrder checks the order of the first games. Later ones may stand anywhere.
func TestOrder(t *testing.T) {
	want := []string{"momentum", "petteia", "fourmation", "flugelrad", "tanks"}
	var got []string
	for _, g := range catalog.All() {
		if id := g.About().ID; slices.Contains(want, id) {
			got = append(got, id)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the games are %v, want %v", got, want)
	}
}

// TestNamesAreApart checks that no name means two games, and that ids are as programs and files want them.
func TestNamesAreApart(t *testing.T) {
	seen := map[string]string{}
	for _, g := range catalog.All() {
		a := g.About()
		if a.ID == "" || strings.Trim(a.ID, "abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("the id %q is not small letters", a.ID)
		}
		for _, n := range append([]string{a.ID}, a.Aliases...) {
			if other, taken := seen[strings.ToLower(n)]; taken {
				t.Errorf("%q is a name of %s and of %s", n, other, a.ID)
			}
			seen[strings.ToLower(n)] = a.ID
		}
	}
}

func TestAllIsACopy(t *testing.T) {
	list := catalog.All()
	want := list[0].About().ID
	clear(list)
	if got := catalog.All()[0]; got == nil || got.About().ID != want {
		t.Error("a caller can change the list")
	}
}

// TestEveryGameCanBePlayed checks that a random game ends within its longest length, by a reason that has words.
func TestEveryGameCanBePlayed(t *testing.T) {
	for _, g := range catalog.All() {
		o, err := games.Complete(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := p.State()
		longest, bounded := g.Longest(o)
		plies := gamestest.PlayRandomly(s, games.NewRandom(1), longest)
		if !bounded || !s.Result().Over {
			t.Errorf("%s: running after %d plies, longest is %d, %v", g.About().ID, plies, longest, bounded)
		}
		if g.About().Reasons[s.Result().Reason] == "" {
			t.Errorf("%s: no words for %q", g.About().ID, s.Result().Reason)
		}
	}
}

// BenchmarkPerft measures how many leaves of the game tree are counted a second, by game.
func BenchmarkPerft(b *testing.B) {
	for _, g := range catalog.All() {
		b.Run(g.About().ID, func(b *testing.B) { gamestest.BenchmarkPerft(b, g) })
	}
}

// TestTypedMovesAreForgiving types every first move of each game in the ways that people do: what stands between its two
// parts doesn't matter, nor does the letter case. Play takes the canonical text alone.
func TestTypedMovesAreForgiving(t *testing.T) {
	parts := regexp.MustCompile(`^([a-z][0-9]+|[0-9])[-x:]([a-z][0-9]+|[0-9])$`)
	cell := regexp.MustCompile(`^([a-z])([0-9]+)$`)
	for _, g := range catalog.All() {
		o, err := games.Complete(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Legal() {
			typed := []string{string(m), strings.ToUpper(string(m)), "  " + string(m) + " "}
			if one := cell.FindStringSubmatch(string(m)); one != nil {
				typed = append(typed, one[1]+" "+one[2], strings.ToUpper(one[1])+"-"+one[2])
			}
			if two := parts.FindStringSubmatch(string(m)); two != nil {
				for _, between := range []string{"", " ", "-", " - ", "   "} {
					typed = append(typed, two[1]+between+two[2], strings.ToUpper(two[1]+between+two[2]))
				}
			}
			for _, text := range typed {
				if got, err := p.Read(text); err != nil || got != m {
					t.Errorf("%s: %q is read as %q, %v; want %s", g.About().ID, text, got, err, m)
				}
				if _, err := p.Play(games.Move(text)); text != string(m) && !errors.Is(err, games.ErrIllegal) {
					t.Errorf("%s: Play takes %q", g.About().ID, text)
				}
			}
		}
	}
}

// TestOptionSets: every game has its defaults under a name, and every option set can be played to an end and has a name of its own.
func TestOptionSets(t *testing.T) {
	for _, g := range catalog.All() {
		a := g.About()
		sets := a.OptionSets()
		if defaults, err := games.Complete(g, nil); err != nil || sets[0].Name != games.Classic || !sets[0].Options.Equal(defaults) {
			t.Errorf("%s: the first option set is %v, want %s with the defaults, %v", a.ID, sets[0], games.Classic, err)
		}
		for _, set := range sets {
			o, err := games.Complete(g, set.Options)
			if err != nil || !o.Equal(set.Options) {
				t.Errorf("%s: the options of %s become %v, %v", a.ID, set.Name, o, err)
				continue
			}
			if _, bounded := g.Longest(o); !bounded {
				t.Errorf("%s: %s has no end by rule", a.ID, set.Name)
			}
			if got := a.SetOf(o); got != set.Name {
				t.Errorf("%s: the options of %s are found as %q", a.ID, set.Name, got)
			}
			if parsed, err := games.ParseOptionsOf(g, set.Name, nil); err != nil || !parsed.Equal(o) {
				t.Errorf("%s: %s is read as %v, %v", a.ID, set.Name, parsed, err)
			}
		}
	}
}

// TestOptionsOfASet: given options override the options of the set, and an unknown set is wrong usage.
func TestOptionsOfASet(t *testing.T) {
	g, _ := catalog.Find("flugelrad")
	o, err := games.ParseOptionsOf(g, games.Decisive, []string{"connect=4"})
	if err != nil || o["connect"] != 4 || o["chain"] != 1 {
		t.Errorf("decisive with connect=4 is %v, %v", o, err)
	}
	_, err = games.ParseOptionsOf(g, "decissive", nil)
	if bad, ok := errors.AsType[*games.OptionError](err); !ok || !bad.Malformed || !strings.Contains(bad.Error(), "classic, decisive") {
		t.Errorf("an unknown set is refused with %v", err)
	}
	if set := g.About().SetOf(o); set != "" {
		t.Errorf("options of one's own are the set %q", set)
	}
}

// TestDrafts sets up positions by hand, of all games that can be edited.
func TestDrafts(t *testing.T) {
	for _, g := range catalog.All() {
		e, editable := g.(games.Editable)
		if !editable {
			continue
		}
		t.Run(g.About().ID, func(t *testing.T) {
			var sets []games.Options
			for _, set := range g.About().OptionSets() {
				sets = append(sets, set.Options)
			}
			gamestest.Drafts(t, e, sets)
		})
	}
}
