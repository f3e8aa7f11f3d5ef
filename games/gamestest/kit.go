package gamestest

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/games"
)

// A Kit sets up positions of one game for its tests. P is the type of its positions. Whatever can't be set up ends the
// test.
type Kit[P games.Position] struct{ Game games.Game }

// Options returns the complete options that words ask for: "size=9 marbles=12", or "" for the usual ones.
func (k Kit[P]) Options(tb testing.TB, words string) games.Options {
	tb.Helper()
	o, err := games.ParseOptions(k.Game, strings.Fields(words))
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// Sets returns the complete options that each of the lists of words asks for.
func (k Kit[P]) Sets(tb testing.TB, lists ...string) []games.Options {
	tb.Helper()
	sets := make([]games.Options, len(lists))
	for i, words := range lists {
		sets[i] = k.Options(tb, words)
	}
	return sets
}

// Extremes returns options as words: none, and each option at either end of its range where the others allow it.
func Extremes(g games.Game) []string {
	all := []string{""}
	for _, o := range g.About().Options {
		for _, v := range []int{o.Min, o.Max} {
			words := fmt.Sprintf("%s=%d", o.Key, v)
			if _, err := games.ParseOptions(g, []string{words}); err == nil && v != o.Default {
				all = append(all, words)
			}
		}
	}
	return all
}

// Start returns the position in which a game with these options begins.
func (k Kit[P]) Start(tb testing.TB, words string) P {
	tb.Helper()
	p, err := k.Game.New(k.Options(tb, words))
	if err != nil {
		tb.Fatal(err)
	}
	return p.(P)
}

// Parse returns the position of a text.
func (k Kit[P]) Parse(tb testing.TB, text string) P {
	tb.Helper()
	p, err := k.Game.Parse(text)
	if err != nil {
		tb.Fatalf("Parse(%q) = %v", text, err)
	}
	return p.(P)
}

// Play returns the position after moves, apart by spaces.
func (k Kit[P]) Play(tb testing.TB, p games.Position, moves string) P {
	tb.Helper()
	for _, m := range strings.Fields(moves) {
		next, err := p.Play(games.Move(m))
		if err != nil {
			tb.Fatalf("%s: Play(%s) = %v", p, m, err)
		}
		p = next
	}
	return p.(P)
}
