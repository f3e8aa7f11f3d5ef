package optionfields

import (
	"maps"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/sshapp/wording"
)

// size is an option with even values and 0.
var size = games.Option{Key: "size", Min: 4, Max: 10, Step: 2, Default: 6, Zero: true}

// TestNext goes on and back from allowed values, and leads back to them from typed ones.
func TestNext(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    int
		key  string
		want int
	}{
		{"on", 6, "right", 8},
		{"on, by space", 6, "space", 8},
		{"back", 6, "left", 4},
		{"on from the most", 10, "right", 10},
		{"back to none", 4, "left", 0},
		{"on from none", 0, "right", 4},
		{"typed too high", 99, "right", 10},
		{"typed too low", 1, "right", 4},
		{"typed between", 7, "right", 6},
	} {
		if got := Next(size, tt.v, tt.key); got != tt.want {
			t.Errorf("%s: after %d comes %d, want %d", tt.name, tt.v, got, tt.want)
		}
	}
}

// TestChosen: options are kept by game. A change leaves the options of other games alone, and the value that it was made from.
func TestChosen(t *testing.T) {
	first := &games.About{ID: "first", Options: []games.Option{size, {Key: "marbles", Min: 1, Max: 9, Default: 3}}}
	second := &games.About{ID: "second", Options: []games.Option{size}}
	usual := games.Options{"size": 6, "marbles": 3}
	var none Chosen
	if got := none.Of(first); !maps.Equal(got, usual) {
		t.Errorf("without a choice: %v, want %v", got, usual)
	}
	changed := Changed(usual, "size", 8)
	one := none.With(first, changed)
	two := one.With(second, games.Options{"size": 10})
	back := two.With(first, usual)
	for _, tt := range []struct {
		name  string
		c     Chosen
		about *games.About
		want  games.Options
	}{
		{"one", one, first, games.Options{"size": 8, "marbles": 3}},
		{"one, another game", one, second, games.Options{"size": 6}},
		{"two", two, first, games.Options{"size": 8, "marbles": 3}},
		{"two, the other game", two, second, games.Options{"size": 10}},
		{"back to the usual ones", back, first, games.Options{"size": 6, "marbles": 3}},
	} {
		if got := tt.c.Of(tt.about); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if usual["size"] != 6 || len(none) != 0 || len(one) != 1 {
		t.Errorf("a change altered what it was made from: %v, %v, %v", usual, none, one)
	}
}

// TestNamed finds options by key.
func TestNamed(t *testing.T) {
	about := &games.About{ID: "first", Options: []games.Option{size}}
	if o, ok := Named(about, "size"); !ok || o.Default != 6 {
		t.Errorf("size: %+v, %v", o, ok)
	}
	if o, ok := Named(about, "/kind"); ok {
		t.Errorf("a key of the form is option %+v", o)
	}
}

// TestNextSet: the next of the option sets, from one of them and from options that are none.
func TestNextSet(t *testing.T) {
	about := &games.About{ID: "first", Options: []games.Option{size}, Sets: []games.OptionSet{{Name: games.Decisive, Options: games.Options{"size": 4}}}}
	for _, tt := range []struct {
		size int
		key  string
		want string
	}{
		{6, "right", games.Decisive}, {4, "right", games.Classic}, {6, "left", games.Decisive}, {10, "right", games.Classic}, {10, "left", games.Classic},
	} {
		if got := NextSet(about, games.Options{"size": tt.size}, tt.key); got.Name != tt.want {
			t.Errorf("after size %d by %s comes the set %q, want %q", tt.size, tt.key, got.Name, tt.want)
		}
	}
}

// TestFields: the fields of all options stand below an empty line, the sets before them if there are several.
func TestFields(t *testing.T) {
	marbles := games.Option{Key: "marbles", Label: "Marbles", Min: 1, Max: 9, Default: 3}
	sets := []games.OptionSet{{Name: games.Decisive, Options: games.Options{"size": 4}}}
	for _, tt := range []struct {
		name  string
		about *games.About
		want  []string
	}{
		{"no options", &games.About{}, nil},
		{"options", &games.About{Options: []games.Option{size, marbles}}, []string{"size", "marbles"}},
		{"options and sets", &games.About{Options: []games.Option{size, marbles}, Sets: sets}, []string{"/set", "size", "marbles"}},
	} {
		var keys []string
		for i, f := range Fields(wording.Words{}, tt.about, games.Options{"size": 99, "marbles": 3}, "/set") {
			keys = append(keys, f.Key)
			if f.Gap != (i == 0) {
				t.Errorf("%s: an empty line above %s: %v", tt.name, f.Key, f.Gap)
			}
			if f.Bad != (f.Key == "size") {
				t.Errorf("%s: %s is marked as a mistake: %v", tt.name, f.Key, f.Bad)
			}
		}
		if !slices.Equal(keys, tt.want) {
			t.Errorf("%s: the fields %v, want %v", tt.name, keys, tt.want)
		}
	}
}
