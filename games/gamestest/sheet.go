// Package gamestest holds the tests that every game must pass: the examples of its rule sheet, and the properties
// that all rules share.
package gamestest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
)

// A Line checks one line of an example whose keyword belongs to one game only ("hands X=7 O=7"). args is what follows
// the keyword. The error says what was found instead.
type Line func(p games.Position, args []string) error

// Sheet runs every example block of the rule sheet in file against g. lines holds the checks of the game's own
// keywords. A sheet without examples, an unknown keyword and an example that checks nothing all fail.
func Sheet(t *testing.T, g games.Game, file string, lines map[string]Line) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := examples(string(text))
	if len(blocks) == 0 {
		t.Fatalf("%s has no examples", file)
	}
	for _, b := range blocks {
		t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) {
			e := example{t: t, game: g, own: lines, block: b}
			e.run()
		})
	}
}

// block is the text between ```example and ```, and the line number of its first line.
type block struct {
	line  int
	lines []string
}

func examples(text string) []block {
	var blocks []block
	inside := false
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimRight(l, " \r")
		switch {
		case l == "```example":
			blocks, inside = append(blocks, block{line: i + 2}), true
		case l == "```":
			inside = false
		case inside:
			b := &blocks[len(blocks)-1]
			b.lines = append(b.lines, l)
		}
	}
	return blocks
}

// example is the run of one block: where it reads, and the position it has come to.
type example struct {
	t     *testing.T
	game  games.Game
	own   map[string]Line
	block block
	at    int // index of the line being run
	pos   games.Position
}

func (e *example) run() {
	checks := 0
	for e.at < len(e.block.lines) {
		words := strings.Fields(e.block.lines[e.at])
		at := e.at
		e.at++
		if len(words) == 0 {
			continue
		}
		if e.pos == nil && words[0] != "start" && words[0] != "position" {
			e.t.Fatalf("line %d: %q before start or position", e.block.line+at, words[0])
		}
		checked, err := e.step(words[0], words[1:])
		if err != nil {
			e.t.Fatalf("line %d: %s: %v\nposition: %v", e.block.line+at, e.block.lines[at], err, e.pos)
		}
		if checked {
			checks++
		}
	}
	if checks == 0 {
		e.t.Fatalf("the example checks nothing")
	}
}

// step runs one line; checked reports whether it compared anything.
func (e *example) step(keyword string, args []string) (checked bool, err error) {
	switch keyword {
	case "start":
		o, err := games.ParseOptions(e.game, args)
		if err != nil {
			return false, err
		}
		e.pos, err = e.game.New(o)
		return false, err
	case "position":
		e.pos, err = e.game.Parse(strings.Join(args, " ") + " " + strings.Join(e.rows(), "/"))
		if err == nil {
			err = reread(e.game, e.pos)
		}
		return false, err
	case "moves":
		return false, e.play(args)
	case "move":
		if err := e.play(args[:1]); err != nil {
			return false, err
		}
		rows := e.rows()
		return len(rows) > 0, sameRows(e.pos, rows)
	case "board":
		return true, sameRows(e.pos, e.rows())
	case "legal":
		return true, e.legal(args)
	case "legal-count":
		if n := len(e.pos.Legal()); strconv.Itoa(n) != args[0] {
			return true, fmt.Errorf("%d legal moves", n)
		}
		return true, nil
	case "illegal":
		return true, e.illegal(args)
	case "ends":
		return true, ends(e.pos.Result(), args)
	}
	if check, ok := e.own[keyword]; ok {
		return true, check(e.pos, args)
	}
	return false, errors.New("unknown keyword")
}

// rows takes the lines from here to the next keyword.
func (e *example) rows() []string {
	from := e.at
	for e.at < len(e.block.lines) && !e.keyword(e.block.lines[e.at]) {
		e.at++
	}
	return e.block.lines[from:e.at]
}

func (e *example) keyword(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return true
	}
	if _, own := e.own[words[0]]; own {
		return true
	}
	return slices.Contains([]string{"start", "position", "moves", "move", "board", "legal", "legal-count", "illegal",
		"ends"}, words[0])
}

func (e *example) play(moves []string) error {
	for _, m := range moves {
		next, err := e.pos.Play(games.Move(m))
		if err != nil {
			return err
		}
		if err := sameState(e.pos, next, games.Move(m)); err != nil {
			return err
		}
		e.pos = next
	}
	return nil
}

func (e *example) legal(want []string) error {
	got := e.pos.Legal()
	if len(got) != len(want) {
		return fmt.Errorf("legal moves are %v", got)
	}
	for i, m := range got {
		if string(m) != want[i] {
			return fmt.Errorf("legal moves are %v", got)
		}
	}
	return nil
}

func (e *example) illegal(moves []string) error {
	for _, m := range moves {
		next, _, err := offer(e.pos, games.Move(m))
		if err != nil {
			return err
		}
		if next != nil {
			return fmt.Errorf("playing %s gives %s, want an illegal move", m, next)
		}
	}
	return nil
}

func ends(r games.Result, want []string) error {
	got := []string{"no"}
	if r.Over {
		got = []string{r.String(), r.Reason}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("ends %v", got)
	}
	return nil
}

func sameRows(p games.Position, want []string) error {
	if len(want) == 0 {
		return nil
	}
	if got := p.Rows(); !slices.Equal(got, want) {
		return fmt.Errorf("the board is\n%s", strings.Join(got, "\n"))
	}
	return nil
}
