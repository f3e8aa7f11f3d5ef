package fourmation

import (
	"fmt"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// reference is the game once more, straight from the words of the rule sheet, slow and without a line of the engine.
type reference struct {
	cells            [][]byte // cells[row][column], row 0 at the bottom
	win              int
	mover, other     byte
	placed           int
	lastCol, lastRow int
	result           games.Result
}

func plain(o games.Options) gamestest.Reference { return newReference(o) }

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

// Legal returns the legal moves.
func (ref *reference) Legal() []games.Move {
	var moves []games.Move
	for row := range ref.cells {
		for col := range ref.cells[row] {
			near := ref.placed == 0
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					near = near || col+dc == ref.lastCol && row+dr == ref.lastRow
				}
			}
			if near && !ref.result.Over && ref.at(col, row) == '.' {
				moves = append(moves, games.Move(fmt.Sprintf("%c%d", 'a'+col, row+1)))
			}
		}
	}
	slices.Sort(moves)
	return moves
}

// Play makes a legal move.
func (ref *reference) Play(m games.Move) {
	var letter rune
	var number int
	if _, err := fmt.Sscanf(string(m), "%c%d", &letter, &number); err != nil {
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
			ref.result = games.Won(map[byte]games.Side{'X': games.First, 'O': games.Second}[ref.mover], "line")
		}
	}
	ref.mover, ref.other = ref.other, ref.mover
	if !ref.result.Over && len(ref.Legal()) == 0 {
		ref.result = games.Drawn("no_moves")
	}
}

// Rows returns the board, the top row first.
func (ref *reference) Rows() []string {
	var rows []string
	for _, row := range ref.cells {
		rows = append([]string{string(row)}, rows...)
	}
	return rows
}

// Result says how the game has ended, if it has.
func (ref *reference) Result() games.Result { return ref.result }

// TestReference plays random games on boards of every shape and compares legal moves, board and result at every ply. Of the shapes
// with a side over 16, whose games take long, some are played, 20 by 20 and 26 by 26 among them.
func TestReference(t *testing.T) {
	ended := map[games.Result]int{}
	for cols := 3; cols <= maxSide; cols++ {
		for rows := 3; rows <= maxSide; rows++ {
			o := options(cols, rows, 3+(cols*5+rows*3)%(max(cols, rows)-2))
			seeds := uint64(4)
			if longer := max(cols, rows); longer > 16 {
				if seeds = 1; (cols+rows)%8 > 0 && cols+rows < 2*maxSide {
					continue
				}
			}
			for seed := range seeds {
				if seed >= 2 {
					o = options(cols, rows, min(max(cols, rows), 3+int(seed)%3))
				}
				last, err := gamestest.FollowGame(New(), o, plain, gamestest.Uniformly(games.NewRandom(seed)), 0)
				if err != nil {
					t.Fatalf("%s, seed %d: %v", o, seed, err)
				}
				ended[last.Result()]++
			}
		}
	}
	for _, end := range []games.Result{games.Won(games.First, "line"), games.Won(games.Second, "line"), games.Drawn("no_moves")} {
		if ended[end] == 0 {
			t.Errorf("no game ended with %+v: %v", end, ended)
		}
	}
}
