package tanks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// reference is the game once more, straight from the words of the rule sheet, slow and without a line of the engine.
type reference struct {
	cells  [][]byte // cells[row][column], row 0 at the bottom
	turn   string   // "bot" or "top"
	result games.Result
}

func plain(o games.Options) gamestest.Reference { return newReference(o[optSize]) }

func newReference(size int) *reference {
	destroyers := strings.Repeat("D", (size-4)/2)
	home := "M" + destroyers + "TT" + destroyers + "M"
	front := strings.Repeat("M", size)
	ref := &reference{turn: "bot", cells: [][]byte{[]byte(home), []byte(front)}}
	for range size - 4 {
		ref.cells = append(ref.cells, []byte(strings.Repeat(".", size)))
	}
	ref.cells = append(ref.cells, []byte(strings.ToLower(front)), []byte(strings.ToLower(home)))
	return ref
}

func owner(letter byte) string {
	switch {
	case strings.IndexByte("MTD", letter) >= 0:
		return "bot"
	case strings.IndexByte("mtd", letter) >= 0:
		return "top"
	}
	return ""
}

// A step is a column and a row difference; forward is 1 in the second.
type step [2]int

// The rows of the table under "A turn".
var (
	movesTo  = []step{{-1, 1}, {0, 1}, {1, 1}}
	captures = map[byte][]step{
		'm': {{-1, 1}, {0, 1}, {1, 1}},
		't': {{-1, 1}, {0, 1}, {1, 1}, {-2, 2}, {0, 2}, {2, 2}},
		'd': {{0, 1}, {0, 2}},
	}
)

// Legal returns the legal moves.
func (ref *reference) Legal() []games.Move {
	var moves []games.Move
	add := func(mark string, fromCol, fromRow, toCol, toRow int) {
		moves = append(moves, games.Move(fmt.Sprintf("%c%d%s%c%d", 'a'+fromCol, fromRow+1, mark, 'a'+toCol, toRow+1)))
	}
	if ref.result.Over {
		return moves
	}
	forward := map[string]int{"bot": 1, "top": -1}[ref.turn]
	for row := range ref.cells {
		for col, letter := range ref.cells[row] {
			if owner(letter) != ref.turn {
				continue
			}
			for _, s := range movesTo {
				if ref.at(col+s[0], row+s[1]*forward) == '.' {
					add("-", col, row, col+s[0], row+s[1]*forward)
				}
			}
			for _, s := range captures[letter|0x20] {
				if o := owner(ref.at(col+s[0], row+s[1]*forward)); o != "" && o != ref.turn {
					add("x", col, row, col+s[0], row+s[1]*forward)
				}
			}
		}
	}
	slices.Sort(moves)
	return moves
}

// at returns what stands on a cell, '#' outside the board.
func (ref *reference) at(col, row int) byte {
	if row < 0 || row >= len(ref.cells) || col < 0 || col >= len(ref.cells) {
		return '#'
	}
	return ref.cells[row][col]
}

// Play makes a legal move.
func (ref *reference) Play(m games.Move) {
	var c1, c2, mark rune
	var r1, r2 int
	if _, err := fmt.Sscanf(string(m), "%c%d%c%c%d", &c1, &r1, &mark, &c2, &r2); err != nil {
		panic(err)
	}
	ref.cells[r2-1][c2-'a'] = ref.cells[r1-1][c1-'a']
	ref.cells[r1-1][c1-'a'] = '.'
	winner := map[string]games.Side{"bot": games.First, "top": games.Second}[ref.turn]
	home := map[string]int{"bot": len(ref.cells), "top": 1}[ref.turn]
	ref.turn = map[string]string{"bot": "top", "top": "bot"}[ref.turn]
	left := 0
	for _, row := range ref.cells {
		for _, letter := range row {
			if owner(letter) == ref.turn {
				left++
			}
		}
	}
	if left == 0 {
		ref.result = games.Won(winner, "no_pieces")
	}
	if r2 == home {
		ref.result = games.Won(winner, "breakthrough")
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

// endings counts how games have ended.
type endings map[games.Result]int

func (e endings) want(t *testing.T, results ...games.Result) {
	t.Helper()
	for _, r := range results {
		if e[r] == 0 {
			t.Errorf("no game ended with %+v: %v", r, e)
		}
	}
}

// TestReference plays random games on boards of many sizes and compares legal moves, board and result at every ply. In
// half of them players capture when they can, so that some end without an enemy piece.
func TestReference(t *testing.T) {
	ended := endings{}
	for _, size := range []int{6, 8, 10, 12, 16, 26} {
		for seed := range uint64(max(1, 1000/size/size)) {
			choose := gamestest.Uniformly(games.NewRandom(seed))
			if seed%2 == 1 {
				choose = bloodily(games.NewRandom(seed))
			}
			last, err := gamestest.FollowGame(New(), options(size), plain, choose, 0)
			if err != nil {
				t.Fatalf("size %d, seed %d: %v", size, seed, err)
			}
			ended[last.Result()]++
		}
	}
	ended.want(t, games.Won(games.First, "breakthrough"), games.Won(games.Second, "breakthrough"))
}

// bloodily chooses among the captures if there are any.
func bloodily(r *games.Random) gamestest.Choice {
	return func(_, legal []games.Move) games.Move {
		var shots []games.Move
		for _, m := range legal {
			if strings.Contains(string(m[1:]), "x") { // the first letter may name a column
				shots = append(shots, m)
			}
		}
		if len(shots) > 0 {
			legal = shots
		}
		return legal[r.N(len(legal))]
	}
}

// TestReferenceSetUp does the same from random boards, on which every kind comes up often and the last pieces fall.
func TestReferenceSetUp(t *testing.T) {
	ended := endings{}
	r := games.NewRandom(1)
	for range 300 {
		size := 6 + 2*r.N(3)
		ref := newReference(size)
		density := 1 + r.N(8)
		for row := range ref.cells {
			for col := range ref.cells[row] {
				letters := "mtd.MTD"
				switch row { // nobody has won yet
				case 0:
					letters = "MTD."
				case size - 1:
					letters = "mtd."
				}
				ref.cells[row][col] = '.'
				if r.N(10) < density {
					ref.cells[row][col] = letters[r.N(len(letters))]
				}
			}
		}
		ref.cells[1][0], ref.cells[size-2][0] = 'M', 'm' // nobody is without a tank
		ref.turn = sides[r.N(2)]
		p, err := New().Parse(fmt.Sprintf("turn=%s size=%d %s", ref.turn, size, strings.Join(ref.Rows(), "/")))
		if err != nil {
			t.Fatal(err)
		}
		last, err := gamestest.Follow(p, ref, bloodily(r), 0)
		if err != nil {
			t.Fatal(err)
		}
		ended[last.Result()]++
	}
	for _, side := range []games.Side{games.First, games.Second} {
		ended.want(t, games.Won(side, "breakthrough"), games.Won(side, "no_pieces"))
	}
}
