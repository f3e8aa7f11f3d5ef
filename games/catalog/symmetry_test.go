package catalog_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/board"
	"ludoteca/games/catalog"
)

// A turning turns positions of a game around.
type turning struct {
	ways     board.Symmetry // by which the board can be put on itself
	exchange func(string) string
	flips    bool // exchanging the sides flips the board
}

// exchanged gives what X has to O.
var exchanged = strings.NewReplacer("X", "O", "O", "X").Replace

// turnings are how boards of rows can be turned. Flügelrad's board is not of rows; flugelrad.TestCanonical turns it.
var turnings = map[string]turning{
	"momentum": {board.Mirrored | board.Flipped | board.Transposed, exchanged, false},
	"petteia":  {board.Mirrored | board.Flipped, exchanged, false},
	"tanks":    {board.Mirrored, strings.NewReplacer("M", "m", "m", "M", "T", "t", "t", "T", "D", "d", "d", "D").Replace, true},
}

// TestCanonical plays random games, turns the positions in all ways and exchanges their sides: the canonical text stays, and the number
// of legal moves too. A board that is turned in another way has another text, or is the same.
func TestCanonical(t *testing.T) {
	for game, how := range turnings {
		t.Run(game, func(t *testing.T) {
			g, _ := catalog.Find(game)
			rapid.Check(t, func(t *rapid.T) {
				p := randomPosition(t, g)
				image, text := image(t, g, p, how)
				canonical := g.(games.Symmetric).Canonical(p)
				if got := g.(games.Symmetric).Canonical(image); got != canonical {
					t.Fatalf("%s\nhas     %s,\n%s\nhas     %s", p, canonical, text, got)
				}
				if len(p.Legal()) != len(image.Legal()) {
					t.Fatalf("%s has %d moves, %s has %d", p, len(p.Legal()), text, len(image.Legal()))
				}
				m := rapid.SampledFrom(p.Legal()).Draw(t, "other move")
				if next, _ := p.Play(m); g.(games.Symmetric).Canonical(next) == canonical {
					t.Fatalf("%s is the same after %s", p, m)
				}
			})
		})
	}
}

func randomPosition(t *rapid.T, g games.Game) games.Position {
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(2, 40).Draw(t, "plies") {
		next, err := p.Play(rapid.SampledFrom(p.Legal()).Draw(t, "move"))
		if err != nil {
			t.Fatal(err)
		}
		if next.Result().Over {
			break
		}
		p = next
	}
	return p
}

// image returns an image of a position, and its text.
func image(t *rapid.T, g games.Game, p games.Position, how turning) (games.Position, string) {
	rows := p.Rows()
	for _, way := range []board.Symmetry{board.Mirrored, board.Flipped, board.Transposed} {
		if how.ways&way != 0 && rapid.Bool().Draw(t, fmt.Sprint("way ", way)) {
			rows = board.Image(rows, way)
		}
	}
	header, _, _ := cutLast(p.String())
	if rapid.Bool().Draw(t, "exchange") {
		if how.flips {
			rows = board.Image(rows, board.Flipped)
		}
		for i, row := range rows {
			rows[i] = how.exchange(row)
		}
		header = exchangedHeader(header)
	}
	text := header + " " + strings.Join(rows, "/")
	image, err := g.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return image, text
}

// cutLast cuts a text at its last space.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ' ')
	return text[:max(i, 0)], text[i+1:], i >= 0
}

var (
	numberOfPly = regexp.MustCompile(`ply=(\d+)`)
	captures    = regexp.MustCompile(`captured=(\d+),(\d+)`)
)

// exchangedHeader gives the turn to the other side, and to each side what the other has captured.
func exchangedHeader(header string) string {
	words := strings.Fields(captures.ReplaceAllString(header, "captured=$2,$1"))
	turns := map[string]string{"turn=X": "turn=O", "turn=O": "turn=X", "turn=bot": "turn=top", "turn=top": "turn=bot"}
	for i, w := range words {
		if other, ok := turns[w]; ok {
			words[i] = other
		}
		if n := numberOfPly.FindStringSubmatch(w); n != nil { // the turn follows from its last digit
			last := n[1][len(n[1])-1]
			words[i] = "ply=" + n[1][:len(n[1])-1] + string(rune(last^1))
		}
	}
	return strings.Join(slices.Clone(words), " ")
}
