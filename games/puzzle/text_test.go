package puzzle_test

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
	"ludoteca/games/puzzle"
)

// TestReadRefuses has the reader look at texts with one thing wrong.
func TestReadRefuses(t *testing.T) {
	g := fourmation.New()
	p := cheap(t, g, 3)
	block := p.String()
	lines := strings.Split(block, "\n") // head, position, solution, two of replies, nothing
	change := func(line int, old, with string) string {
		changed := strings.Clone(block)
		all := strings.Split(changed, "\n")
		if !strings.Contains(all[line], old) {
			t.Fatalf("%q is not in %q", old, all[line])
		}
		all[line] = strings.Replace(all[line], old, with, 1)
		return strings.Join(all, "\n")
	}
	tests := []struct{ name, text, want string }{
		{"another word", "Puzzle", "line 1: a puzzle begins with "},
		{"no ID", change(0, p.ID, "tanks"), "is no ID of a puzzle"},
		{"an even number of plies", change(0, "plies=3", "plies=4"), "an odd number of plies"},
		{"one ply", change(0, "plies=3", "plies=1"), "is not plies=N"},
		{"a number with a sign", change(0, "plies=3", "plies=+3"), "is not plies=N"},
		{"no number", change(0, "missed=", "missed=x"), "is not missed=N"},
		{"no position", change(1, "turn=", "tern="), "line 2: "},
		{"a longer win", change(0, "plies=3 beyond=", "plies=5 beyond=1"), "line 3: "},
		{"a main line that is illegal", change(2, string(p.Solution.Move), "z99"), "line 3: move 1 of the main line"},
		{"a bracket is open", change(2, ")", ""), "the line ends too early"},
		{"something after the solution", change(2, ")", ") "), "is unexpected in column"},
		{"another letter", change(2, "=", "?"), `"?`},
		{"a reply too few", strings.Join(lines[:4], "\n") + "\n", "ends too early"},
		{"a line too much", block + lines[3] + "\n", "should have ended with an empty line"},
		{"twice", block + "\n" + block, "is there twice, the first time in line 1"},
		{"a reply without a move", change(3, "=", "= "), "is unexpected in column"},
		{"a long line", strings.Repeat("x", 1<<15), "longer than"},
		{"a head that is wrong", "searched positions=1 games=-1\n", "is not games=N"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := puzzle.Read(g, tt.text)
			if !errors.Is(err, puzzle.ErrText) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in\n%s", err, tt.want, tt.text)
			}
		})
	}
	if set, err := puzzle.Read(g, "# a note\n\n"+block+"\n\n"); err != nil || len(set.Puzzles) != 1 {
		t.Errorf("the puzzle itself: %d puzzles, %v", len(set.Puzzles), err)
	}
}

// FuzzRead: any text is read or refused in words, and what was read is written as it is read again.
func FuzzRead(f *testing.F) {
	all := catalog.All()
	for i, g := range all {
		set, err := puzzle.Of(g)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range set.Puzzles[:min(3, len(set.Puzzles))] {
			f.Add(uint8(i), puzzle.Set{Game: g, Positions: 5, Games: 1, Puzzles: []*puzzle.Puzzle{p}}.String())
		}
	}
	f.Add(uint8(0), "searched positions=1 games=1\n\npuzzle 00000 plies=3 beyond=3 missed=0\n")
	f.Fuzz(func(t *testing.T, game uint8, text string) {
		g := all[int(game)%len(all)]
		set, err := puzzle.Read(g, text)
		if err != nil {
			if !errors.Is(err, puzzle.ErrText) {
				t.Fatalf("%v does not wrap ErrText", err)
			}
			return
		}
		written := set.String()
		again, err := puzzle.Read(g, written)
		if err != nil {
			t.Fatalf("%v in what was written of\n%s\nwhich is\n%s", err, text, written)
		}
		if again.String() != written {
			t.Fatalf("written twice:\n%s\n%s", written, again)
		}
		for _, p := range set.Puzzles {
			a := p.Begin()
			for !a.Solved() {
				var o puzzle.Outcome
				if a, o = a.Try(a.Next()); o.Verdict != puzzle.Right && o.Verdict != puzzle.Solved {
					t.Fatalf("%s: the main line is answered with %+v", p.ID, o)
				}
			}
		}
	})
}

// TestCanonicalOfOthers: a game without symmetries tells positions apart by their text.
func TestCanonicalOfOthers(t *testing.T) {
	g := struct{ games.Game }{fourmation.New()}
	start, err := g.New(mustComplete(t, g))
	if err != nil {
		t.Fatal(err)
	}
	left, _ := start.Play("a1")
	right, _ := start.Play("g1")
	if puzzle.Canonical(g, left) == puzzle.Canonical(g, right) {
		t.Error("a1 and g1 are one without symmetries")
	}
	if with := fourmation.New(); puzzle.Canonical(with, left) != puzzle.Canonical(with, right) {
		t.Error("a1 and g1 are two with symmetries")
	}
}

func mustComplete(t *testing.T, g games.Game) games.Options {
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
