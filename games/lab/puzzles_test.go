package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/games/puzzle"
)

// TestPuzzles makes a few puzzles twice from one seed: the files are the same, and a second run adds to a file.
func TestPuzzles(t *testing.T) {
	g := fourmation.New()
	o, err := games.ParseOptions(g, []string{"cols=6", "rows=6"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	make := func(name string, count int) (file, out string) {
		t.Helper()
		var w bytes.Buffer
		in := PuzzleMaking{Game: g, Options: o, Seed: 7, Count: count, File: filepath.Join(dir, name)}
		if err := Puzzles(t.Context(), &w, nil, in, true); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(in.File)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), w.String()
	}
	one, out := make("one.txt", 2)
	two, _ := make("two.txt", 2)
	if one != two {
		t.Errorf("one seed makes\n%s\nand\n%s", one, two)
	}
	set, err := puzzle.Read(g, one)
	if err != nil || len(set.Puzzles) < 2 {
		t.Fatalf("%d puzzles, %v", len(set.Puzzles), err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var first puzzleLine
	var last puzzleCount
	if err := errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[len(lines)-1]), &last)); err != nil {
		t.Fatal(err)
	}
	p := set.Puzzles[0]
	if first.ID != p.ID || first.Position != p.Start.String() || len(first.Line) != p.Plies || first.Rating != p.Rating() {
		t.Errorf("%+v of\n%s", first, p)
	}
	if last.Puzzles != len(set.Puzzles) || last.Made != len(set.Puzzles) || last.Positions != set.Positions || last.Bytes != len(one) {
		t.Errorf("%+v of %d puzzles, %d positions, %d bytes", last, len(set.Puzzles), set.Positions, len(one))
	}
	more, _ := make("one.txt", len(set.Puzzles)+1)
	grown, err := puzzle.Read(g, more)
	if err != nil || len(grown.Puzzles) <= len(set.Puzzles) || grown.Positions <= set.Positions || grown.Puzzles[0].ID != p.ID {
		t.Errorf("the file grew from %d to %d puzzles, %v", len(set.Puzzles), len(grown.Puzzles), err)
	}
	for _, p := range grown.Puzzles {
		if _, err := p.Check(t.Context(), puzzle.UsualNodes); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
	}
}

// TestSplitRecords takes apart records with one empty line between them, and with several.
func TestSplitRecords(t *testing.T) {
	got := splitRecords("\n[Game \"a\"]\n[Id \"1\"]\n\n1. x y\n2. z 1-0\n\n[Game \"b\"]\n\n\n*\n\n\n[Id \"2\"]\n\n1-0\n")
	want := []string{"[Game \"a\"]\n[Id \"1\"]\n\n1. x y\n2. z 1-0\n\n", "[Game \"b\"]\n\n\n*\n\n\n", "[Id \"2\"]\n\n1-0\n"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("record %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// A withPuzzles is a game that comes with other puzzles.
type withPuzzles struct {
	games.Game
	text string
}

func (g withPuzzles) Puzzles() string { return g.text }

// TestCheckPuzzles proves puzzles again, and one with a reply too few.
func TestCheckPuzzles(t *testing.T) {
	set, err := puzzle.Of(fourmation.New())
	if err != nil || len(set.Puzzles) == 0 {
		t.Fatalf("%d puzzles, %v", len(set.Puzzles), err)
	}
	var p *puzzle.Puzzle
	for _, p = range set.Puzzles {
		if p.Plies == 3 {
			break
		}
	}
	g := withPuzzles{fourmation.New(), p.String()}
	var out bytes.Buffer
	if err := CheckPuzzles(t.Context(), &out, nil, []games.Game{g}, true); err != nil {
		t.Fatal(err)
	}
	var line checkedLine
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || !line.Proven || line.ID != p.ID || line.Checked == 0 || line.Error != "" {
		t.Errorf("%+v, %v", line, err)
	}
	lines := strings.Split(p.String(), "\n")
	lines[3] = strings.NewReplacer(" *=", " z9=", "*=", "z9=").Replace(lines[3])
	g.text = strings.Join(lines, "\n")
	out.Reset()
	err = CheckPuzzles(t.Context(), &out, nil, []games.Game{g}, false)
	if !errors.Is(err, ErrUnproven) || !strings.Contains(out.String(), p.ID+": the puzzle is broken: there is no reply to the wrong move ") {
		t.Errorf("%v, %s", err, &out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := CheckPuzzles(ctx, &out, nil, []games.Game{g}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
}
