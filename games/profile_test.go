package games_test

import (
	"maps"
	"testing"

	"ludoteca/games"
)

func TestParseRatings(t *testing.T) {
	got, err := games.ParseRatings("# by hand\n\nrandom 0\nclub   1204\nmaster -5\nx  >700")
	if want := map[string]games.Rating{"random": {}, "club": {Points: 1204}, "master": {Points: -5}, "x": {Points: 700, More: true}}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, text := range []string{"random", "random x", "random 1 2", "random >", "random > 1", "random <5", "random 1\nrandom 2"} {
		if got, err := games.ParseRatings(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
