package tanks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
)

// reference is the game once more, straight from the words of the rule sheet, slow and without a line of the engine.
type reference struct {
	cells [][]byte // cells[row][column], row 0 at the bottom
	turn  string   // "bot" or "top"
	ended string   // result and reason in the words of the rule sheet, or "no"
}

func newReference(size int) *reference {
	destroyers := strings.Repeat("D", (size-4)/2)
	home := "M" + destroyers + "TT" + destroyers + "M"
	front := strings.Repeat("M", size)
	ref := &reference{turn: "bot", ended: "no", cells: [][]byte{[]byte(home), []byte(front)}}
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

func (ref *reference) legal() []string {
	var moves []string
	if ref.ended != "no" {
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
					moves = append(moves, fmt.Sprintf("%c%d-%c%d", 'a'+col, row+1, 'a'+col+s[0], row+1+s[1]*forward))
				}
			}
			for _, s := range captures[letter|0x20] {
				if o := owner(ref.at(col+s[0], row+s[1]*forward)); o != "" && o != ref.turn {
					moves = append(moves, fmt.Sprintf("%c%dx%c%d", 'a'+col, row+1, 'a'+col+s[0], row+1+s[1]*forward))
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

func (ref *reference) play(move string) {
	var c1, c2, mark rune
	var r1, r2 int
	if _, err := fmt.Sscanf(move, "%c%d%c%c%d", &c1, &r1, &mark, &c2, &r2); err != nil {
		panic(err)
	}
	ref.cells[r2-1][c2-'a'] = ref.cells[r1-1][c1-'a']
	ref.cells[r1-1][c1-'a'] = '.'
	winner := map[string]string{"bot": "first", "top": "second"}[ref.turn]
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
		ref.ended = winner + " no_pieces"
	}
	if r2 == home {
		ref.ended = winner + " breakthrough"
	}
}

func (ref *reference) rows() []string {
	var rows []string
	for _, row := range ref.cells {
		rows = append([]string{string(row)}, rows...)
	}
	return rows
}

func ends(r games.Result) string {
	if !r.Over {
		return "no"
	}
	return r.String() + " " + r.Reason
}

// TestReference plays random games on boards of many sizes and compares legal moves, board and result at every ply. In half of them
// players capture when they can, so that some end without an enemy piece.
func TestReference(t *testing.T) {
	ended := map[string]int{}
	for _, size := range []int{6, 8, 10, 12, 16, 26} {
		for seed := range uint64(max(1, 1000/size/size)) {
			end, err := compare(size, seed%2 == 1, games.NewRandom(seed))
			if err != nil {
				t.Fatalf("size %d, seed %d: %v", size, seed, err)
			}
			ended[end]++
		}
	}
	for _, end := range []string{"first breakthrough", "second breakthrough"} {
		if ended[end] == 0 {
			t.Errorf("no game ended with %q: %v", end, ended)
		}
	}
}

// TestReferenceSetUp does the same from random boards, on which every kind comes up often and the last pieces fall.
func TestReferenceSetUp(t *testing.T) {
	ended := map[string]int{}
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
		p, err := New().Parse(fmt.Sprintf("turn=%s size=%d %s", ref.turn, size, strings.Join(ref.rows(), "/")))
		if err != nil {
			t.Fatal(err)
		}
		end, err := follow(p, ref, true, r)
		if err != nil {
			t.Fatal(err)
		}
		ended[end]++
	}
	for _, end := range []string{"first breakthrough", "second breakthrough", "first no_pieces", "second no_pieces"} {
		if ended[end] == 0 {
			t.Errorf("no game ended with %q: %v", end, ended)
		}
	}
}

// compare plays one random game from the start with the engine and the reference, and returns how it ended.
func compare(size int, bloody bool, r *games.Random) (string, error) {
	p, err := New().New(options(size))
	if err != nil {
		return "", err
	}
	return follow(p, newReference(size), bloody, r)
}

func follow(p games.Position, ref *reference, bloody bool, r *games.Random) (string, error) {
	for {
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
		case ends(p.Result()) != ref.ended:
			return "", fmt.Errorf("%s: ends %s, want %s", p, ends(p.Result()), ref.ended)
		case ref.ended != "no":
			return ref.ended, nil
		}
		choice := legal
		if shots := captureMoves(legal); bloody && len(shots) > 0 {
			choice = shots
		}
		m := choice[r.N(len(choice))]
		ref.play(m)
		var err error
		if p, err = p.Play(games.Move(m)); err != nil {
			return "", err
		}
	}
}

func captureMoves(moves []string) []string {
	var shots []string
	for _, m := range moves {
		if mark := m[1:][strings.IndexAny(m[1:], "-x")]; mark == 'x' {
			shots = append(shots, m)
		}
	}
	return shots
}
