package fourmation

import (
	"fmt"
	"slices"
	"testing"

	"ludoteca/games"
)

// reference is the game once more, straight from the words of the rule sheet, slow and without a line of the engine.
type reference struct {
	cells            [][]byte // cells[row][column], row 0 at the bottom
	win              int
	mover, other     byte
	placed           int
	lastCol, lastRow int
	over             bool
	winner           byte // 0 for a draw
}

func newReference(o games.Options) *reference {
	ref := &reference{win: o["win_length"], mover: 'X', other: 'O'}
	for range o["rows"] {
		ref.cells = append(ref.cells, slices.Repeat([]byte{'.'}, o["cols"]))
	}
	return ref
}

// at returns what lies on a cell, '#' outside the board.
func (ref *reference) at(col, row int) byte {
	if row < 0 || row >= len(ref.cells) || col < 0 || col >= len(ref.cells[0]) {
		return '#'
	}
	return ref.cells[row][col]
}

func (ref *reference) legal() []string {
	var moves []string
	for row := range ref.cells {
		for col := range ref.cells[row] {
			near := ref.placed == 0
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					near = near || col+dc == ref.lastCol && row+dr == ref.lastRow
				}
			}
			if near && !ref.over && ref.at(col, row) == '.' {
				moves = append(moves, fmt.Sprintf("%c%d", 'a'+col, row+1))
			}
		}
	}
	slices.Sort(moves)
	return moves
}

func (ref *reference) play(move string) {
	var letter rune
	var number int
	if _, err := fmt.Sscanf(move, "%c%d", &letter, &number); err != nil {
		panic(err)
	}
	ref.lastCol, ref.lastRow = int(letter-'a'), number-1
	ref.cells[ref.lastRow][ref.lastCol] = ref.mover
	ref.placed++
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		length := 1
		for _, sign := range []int{1, -1} {
			col, row := ref.lastCol+sign*d[0], ref.lastRow+sign*d[1]
			for ref.at(col, row) == ref.mover {
				length++
				col, row = col+sign*d[0], row+sign*d[1]
			}
		}
		if length >= ref.win {
			ref.over, ref.winner = true, ref.mover
		}
	}
	ref.mover, ref.other = ref.other, ref.mover
	if len(ref.legal()) == 0 {
		ref.over = true
	}
}

func (ref *reference) rows() []string {
	var rows []string
	for _, row := range ref.cells {
		rows = append([]string{string(row)}, rows...)
	}
	return rows
}

// ends returns the result and the reason in the words of the rule sheet.
func (ref *reference) ends() string {
	switch {
	case !ref.over:
		return "no"
	case ref.winner == 'X':
		return "first line"
	case ref.winner == 'O':
		return "second line"
	}
	return "draw no_moves"
}

func ends(r games.Result) string {
	if !r.Over {
		return "no"
	}
	return r.String() + " " + r.Reason
}

// TestReference plays random games on boards of every shape and compares legal moves, board and result at every ply.
func TestReference(t *testing.T) {
	ended := map[string]int{}
	for cols := 3; cols <= maxSide; cols++ {
		for rows := 3; rows <= maxSide; rows++ {
			o := options(cols, rows, 3+(cols*5+rows*3)%(max(cols, rows)-2))
			for seed := range uint64(4) {
				if seed >= 2 {
					o = options(cols, rows, min(max(cols, rows), 3+int(seed)%3))
				}
				end, err := compare(o, games.NewRandom(seed))
				if err != nil {
					t.Fatalf("%s, seed %d: %v", o, seed, err)
				}
				ended[end]++
			}
		}
	}
	for _, end := range []string{"first line", "second line", "draw no_moves"} {
		if ended[end] == 0 {
			t.Errorf("no game ended with %q: %v", end, ended)
		}
	}
}

// compare plays one random game with the engine and the reference, and returns how it ended.
func compare(o games.Options, r *games.Random) (string, error) {
	p, err := New().New(o)
	if err != nil {
		return "", err
	}
	for ref := newReference(o); ; {
		legal := ref.legal()
		got := make([]string, 0, len(legal))
		for _, m := range p.Legal() {
			got = append(got, string(m))
		}
		switch {
		case !slices.Equal(got, legal):
			return "", fmt.Errorf("%s: legal moves are %v, want %v", p, got, legal)
		case !slices.Equal(p.Rows(), ref.rows()):
			return "", fmt.Errorf("the board is %v, want %v", p.Rows(), ref.rows())
		case ends(p.Result()) != ref.ends():
			return "", fmt.Errorf("%s: ends %s, want %s", p, ends(p.Result()), ref.ends())
		case ref.over:
			return ref.ends(), nil
		}
		m := legal[r.N(len(legal))]
		ref.play(m)
		if p, err = p.Play(games.Move(m)); err != nil {
			return "", err
		}
	}
}
