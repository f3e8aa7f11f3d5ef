package pairings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
)

// TestPublishedPairings compares with the pairs of the next round that the tests of bbpPairings publish.
func TestPublishedPairings(t *testing.T) {
	files, err := filepath.Glob("testdata/bbpPairings/*.pairs")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e := readTRF(t, strings.TrimSuffix(file, "pairs")+"trf")
		got, err := Swiss(e.entrants, e.rounds, e.initial)
		if err != nil || !slices.Equal(got, parsePairs(t, string(want))) {
			t.Errorf("%s: %v, %v, want %s", file, got, err, want)
		}
	}
}

// TestGeneratedTournaments pairs each round of whole tournaments that bbpPairings has paired, and compares with its pairs.
func TestGeneratedTournaments(t *testing.T) {
	files, err := filepath.Glob("testdata/bbpPairings/generated-*.trf")
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for _, file := range files {
		rounds += checkRounds(t, file, readTRF(t, file))
	}
	if rounds != 66 {
		t.Errorf("%d rounds, want 66", rounds)
	}
}

// TestRandomTournaments does the same with many small tournaments in which players come late and are absent.
func TestRandomTournaments(t *testing.T) {
	text, err := os.ReadFile("testdata/bbpPairings/random.trf")
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	for part := range strings.SplitSeq(string(text), "\n\n") {
		rounds += checkRounds(t, "random.trf", parseTRF(t, part))
	}
	if rounds < 300 {
		t.Errorf("%d rounds, want more than 300", rounds)
	}
}

// checkRounds pairs each round of e anew and returns their number.
func checkRounds(t *testing.T, file string, e event) int {
	t.Helper()
	rounds := len(e.entrants[0].Rounds)
	for round := range rounds {
		before, want := truncate(e.entrants, round)
		got, err := Swiss(before, e.rounds, e.initial)
		if err != nil || !slices.Equal(sorted(got), want) {
			t.Errorf("%s, %d entrants, round %d: %v, %v, want %v", file, len(before), round+1, sorted(got), err, want)
		}
	}
	return rounds
}

// truncate returns the entrants before a round, and the pairs of that round.
func truncate(entrants []Entrant, round int) (before []Entrant, pairs []Pair) {
	for _, e := range entrants {
		r := e.Rounds[round]
		switch {
		case r.Opponent != 0 && r.Side == games.First:
			pairs = append(pairs, Pair{e.Number, r.Opponent})
		case r.Opponent == 0 && r.Points == Win:
			pairs = append(pairs, Pair{e.Number, 0})
		}
		before = append(before, Entrant{Number: e.Number, Rounds: e.Rounds[:round], Absent: r.Opponent == 0 && r.Points < Win})
	}
	return before, sorted(pairs)
}

// readTRF reads a file of parseTRF.
func readTRF(t testing.TB, file string) event {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parseTRF(t, string(text))
}
