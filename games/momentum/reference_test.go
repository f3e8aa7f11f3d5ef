package momentum

import (
	"slices"
	"strconv"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// reference is Momentum once more, in the words of the rule sheet and as plainly as can be, to compare with.
type reference struct {
	board   [][]byte // by row from the top, then by column
	marbles int
	moves   int
}

func newReference(size, marbles int) *reference {
	r := &reference{marbles: marbles}
	for range size {
		r.board = append(r.board, slices.Repeat([]byte{'.'}, size))
	}
	return r
}

func (r *reference) copy() *reference {
	c := *r
	c.board = nil
	for _, row := range r.board {
		c.board = append(c.board, slices.Clone(row))
	}
	return &c
}

func (r *reference) mover() byte { return "XO"[r.moves%2] }
func (r *reference) enemy() byte { return "OX"[r.moves%2] }

func (r *reference) count(who byte) int {
	n := 0
	for _, row := range r.board {
		for _, c := range row {
			if c == who {
				n++
			}
		}
	}
	return n
}

func (r *reference) inside(row, col int) bool {
	return row >= 0 && row < len(r.board) && col >= 0 && col < len(r.board)
}

func (r *reference) name(row, col int) games.Move {
	return games.Move(string(rune('a'+col)) + strconv.Itoa(len(r.board)-row))
}

func (r *reference) cell(m games.Move) (row, col int) {
	n, _ := strconv.Atoi(string(m[1:]))
	return len(r.board) - n, int(m[0] - 'a')
}

// Legal returns the legal moves.
func (r *reference) Legal() []games.Move {
	if r.Result().Over {
		return nil
	}
	var all, forced []games.Move
	for row := range r.board {
		for col := range r.board {
			if r.board[row][col] != '.' {
				continue
			}
			all = append(all, r.name(row, col))
			after := r.copy()
			after.Play(r.name(row, col))
			if after.count(r.enemy()) < r.marbles-1 {
				forced = append(forced, r.name(row, col))
			}
		}
	}
	if r.moves == 1 {
		all = append(all, "swap")
	}
	if r.count(r.enemy()) == r.marbles-1 && len(forced) > 0 {
		all = forced
	}
	slices.Sort(all)
	return all
}

// Play makes a legal move.
func (r *reference) Play(m games.Move) {
	before := r.copy()
	defer func() { r.moves++ }()
	if m == "swap" {
		for _, row := range r.board {
			for col := range row {
				if row[col] == 'X' {
					row[col] = 'O'
				}
			}
		}
		return
	}
	row, col := r.cell(m)
	r.board[row][col] = r.mover()
	for dr := -1; dr <= 1; dr++ {
		for dc := -1; dc <= 1; dc++ {
			if dr == 0 && dc == 0 {
				continue
			}
			n := 0 // marbles in the line
			for before.inside(row+(n+1)*dr, col+(n+1)*dc) && before.board[row+(n+1)*dr][col+(n+1)*dc] != '.' {
				n++
			}
			if n == 0 {
				continue
			}
			r.board[row+n*dr][col+n*dc] = '.'
			if r.inside(row+(n+1)*dr, col+(n+1)*dc) {
				r.board[row+(n+1)*dr][col+(n+1)*dc] = before.board[row+n*dr][col+n*dc]
			}
		}
	}
}

// Rows returns the board, top row first.
func (r *reference) Rows() []string {
	rows := make([]string, len(r.board))
	for i, row := range r.board {
		rows[i] = string(row)
	}
	return rows
}

// Result says how the game has ended, if it has.
func (r *reference) Result() games.Result {
	x, o := r.count('X'), r.count('O')
	switch {
	case r.moves > 0 && r.enemy() == 'X' && x == r.marbles:
		return games.Won(games.First, "all_placed")
	case r.moves > 0 && r.enemy() == 'O' && o == r.marbles:
		return games.Won(games.Second, "all_placed")
	case r.moves < 60:
		return games.Result{}
	case x > o:
		return games.Won(games.First, "move_limit")
	case o > x:
		return games.Won(games.Second, "move_limit")
	default:
		return games.Drawn("move_limit")
	}
}

// TestReference compares legal moves, board and result at every ply of random games.
// With -short every fifth option set is played.
func TestReference(t *testing.T) {
	sets := optionSets(t, []int{7, 8, 9, 10, 11, 12, 13}, []int{6, 7, 8, 9, 10, 11, 12})
	for i, o := range append(sets, optionSets(t, []int{7, 9, 13, 14, 20, 26}, []int{6, 8, 13, 26})...) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		t.Run(o.String(), func(t *testing.T) {
			for seed := range uint64(2) {
				choose := gamestest.Uniformly(games.NewRandom(seed))
				if _, err := gamestest.FollowGame(New(), o, plain, choose, 0); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// greedy returns the moves that the second level of ours chooses among.
func (r *reference) greedy() (best []games.Move) {
	most := 0
	for _, m := range r.Legal() {
		after := r.copy()
		after.Play(m)
		v := after.worth()
		if len(best) == 0 || v > most {
			best, most = nil, v
		}
		if v == most {
			best = append(best, m)
		}
	}
	return best
}

// worth is what the position is worth to the player who has just moved: see Position.Greedy.
func (r *reference) worth() int {
	own, enemy := r.enemy(), r.mover()
	switch result := r.Result(); {
	case result.Over && !result.Draw && "XO"[result.Winner] == own:
		return 1000
	case result.Over && !result.Draw:
		return -1000
	}
	v := 4*(r.count(own)-r.count(enemy)) - (r.rim(own) - r.rim(enemy))
	if r.count(enemy) == r.marbles-1 && r.count(own) != r.marbles-1 {
		v -= 30
	}
	return v
}

// rim returns how many marbles of a player are on the rim.
func (r *reference) rim(who byte) int {
	n, last := 0, len(r.board)-1
	for row := range r.board {
		for col, c := range r.board[row] {
			if c == who && (row == 0 || row == last || col == 0 || col == last) {
				n++
			}
		}
	}
	return n
}

// TestGreedy compares the second level with the plain one at every ply of random games.
func TestGreedy(t *testing.T) {
	for _, o := range optionSets(t, []int{7, 9, 14}, []int{6, 8, 14}) {
		for seed := range uint64(3) {
			p, ref, r := kit.Start(t, o.String()), newReference(o[optSize], o[optMarbles]), games.NewRandom(seed)
			for !p.Result().Over {
				if got, want := p.Greedy(), ref.greedy(); !slices.Equal(got, want) {
					t.Fatalf("%s: Greedy = %v, want %v", p, got, want)
				}
				m := p.Legal()[r.N(len(p.Legal()))]
				p = kit.Play(t, p, string(m))
				ref.Play(m)
			}
		}
	}
}
