package petteia_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/petteia"
)

// A plain is the rule sheet once more, as simply as it can be written: a grid of letters, strings for everything, and
// no thought for speed. It shares nothing with the engine.
type plain struct {
	grid     [8][12]byte // [row from the bottom][column]
	turn     int
	captured [2]int
	quiet    int
	times    map[string]int
	options  games.Options
	end      string // "first captures" and so on; "" while the game goes on
}

func newPlain(o games.Options) *plain {
	p := &plain{times: map[string]int{}, options: o}
	for row := range p.grid {
		for col := range p.grid[row] {
			p.grid[row][col] = '.'
			if row == 0 {
				p.grid[row][col] = 'X'
			}
			if row == 7 {
				p.grid[row][col] = 'O'
			}
		}
	}
	p.times[p.key()]++
	return p
}

func (p *plain) key() string { return "XO"[p.turn:p.turn+1] + strings.Join(p.rows(), "/") }

func (p *plain) rows() []string {
	var rows []string
	for row := 7; row >= 0; row-- {
		rows = append(rows, string(p.grid[row][:]))
	}
	return rows
}

// at returns what is on a cell; outside the board there is a blank.
func (p *plain) at(col, row int) byte {
	if col < 0 || col > 11 || row < 0 || row > 7 {
		return ' '
	}
	return p.grid[row][col]
}

func cellName(col, row int) string { return "abcdefghijkl"[col:col+1] + "12345678"[row:row+1] }

var directions = [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

func (p *plain) legal() []string {
	moves := []string{}
	if p.end != "" {
		return moves
	}
	for row := range 8 {
		for col := range 12 {
			if p.at(col, row) != "XO"[p.turn] {
				continue
			}
			for _, d := range directions {
				for n := 1; p.at(col+n*d[0], row+n*d[1]) == '.'; n++ {
					moves = append(moves, cellName(col, row)+"-"+cellName(col+n*d[0], row+n*d[1]))
				}
			}
		}
	}
	slices.Sort(moves)
	return moves
}

// play makes a legal move and returns the cells that were emptied by capture, in the order of the alphabet.
func (p *plain) play(m string) (gone []string) {
	mine, enemy := "XO"[p.turn], "OX"[p.turn]
	col, row := int(m[3]-'a'), int(m[4]-'1')
	p.grid[m[1]-'1'][m[0]-'a'] = '.'
	p.grid[row][col] = mine
	take := func(col, row, by int) {
		p.grid[row][col] = '.'
		p.captured[by]++
		gone = append(gone, cellName(col, row))
	}
	for _, d := range directions {
		if p.at(col+d[0], row+d[1]) == enemy && p.at(col+2*d[0], row+2*d[1]) == mine {
			take(col+d[0], row+d[1], p.turn)
		}
	}
	inRow := p.at(col-1, row) == enemy && p.at(col+1, row) == enemy
	inColumn := p.at(col, row-1) == enemy && p.at(col, row+1) == enemy
	if p.options["safe_entry"] == 0 && (inRow || inColumn) {
		take(col, row, 1-p.turn)
	}
	p.quiet++
	if len(gone) > 0 {
		p.quiet = 0
	}
	p.turn = 1 - p.turn
	p.times[p.key()]++
	p.end = p.ending()
	slices.Sort(gone)
	return gone
}

func (p *plain) ending() string {
	sides := [2]string{"first", "second"}
	win, mover := p.options["captures_to_win"], 1-p.turn
	stuck := len(p.legal()) == 0
	switch {
	case p.captured[mover] >= win:
		return sides[mover] + " captures"
	case p.captured[p.turn] >= win:
		return sides[p.turn] + " captures"
	case stuck && p.captured[0] > p.captured[1]:
		return "first no_moves"
	case stuck && p.captured[0] < p.captured[1]:
		return "second no_moves"
	case stuck:
		return "draw no_moves"
	case p.options["repetition"] > 0 && p.times[p.key()] >= p.options["repetition"]:
		return "draw repetition"
	case p.options["quiet_limit"] > 0 && p.quiet >= p.options["quiet_limit"]:
		return "draw no_progress"
	}
	return ""
}

// manySets are option sets from all over their ranges.
func manySets(t *testing.T) []games.Options {
	var sets []games.Options
	for _, words := range []string{
		"", "safe_entry=0", "captures_to_win=1", "captures_to_win=2 safe_entry=0", "captures_to_win=12 quiet_limit=400",
		"captures_to_win=12 safe_entry=0 quiet_limit=400", "quiet_limit=1", "quiet_limit=7 repetition=2",
		"quiet_limit=0 repetition=2", "quiet_limit=0 repetition=5", "quiet_limit=1000 repetition=0",
		"quiet_limit=0 repetition=0 captures_to_win=4", "repetition=4 safe_entry=0 captures_to_win=3",
		"quiet_limit=1000 safe_entry=0 captures_to_win=11",
	} {
		o, err := games.ParseOptions(petteia.New(), strings.Fields(words))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, o)
	}
	return sets
}

// TestReference plays the same random games by the engine and by the plain rules and compares everything that can be
// seen after each ply. A part of the moves goes back where the last one came from, so that positions repeat.
func TestReference(t *testing.T) {
	for _, o := range manySets(t) {
		t.Run(o.String(), func(t *testing.T) {
			for seed := range 4 {
				r := games.NewRandom(uint64(seed))
				compareGame(t, o, r, seed%2 == 1)
			}
		})
	}
}

const longestCompared = 1000 // plies

func compareGame(t *testing.T, o games.Options, r *games.Random, backAndForth bool) {
	t.Helper()
	ref := newPlain(o)
	pos, err := petteia.New().New(o)
	if err != nil {
		t.Fatal(err)
	}
	var moves []string
	for len(moves) < longestCompared && !pos.Result().Over {
		legal := ref.legal()
		move := legal[r.N(len(legal))]
		if n := len(moves); backAndForth && n > 1 && r.N(3) > 0 {
			if back := moves[n-2][3:] + "-" + moves[n-2][:2]; slices.Contains(legal, back) {
				move = back
			}
		}
		foreseen := foreseenBy(t, pos, move)
		if gone := ref.play(move); !slices.Equal(foreseen, gone) {
			t.Fatalf("%v: the engine foresaw the loss of %v by %s, the rules of %v", moves, foreseen, move, gone)
		}
		moves = append(moves, move)
		if pos, err = pos.Play(games.Move(move)); err != nil {
			t.Fatalf("%v: %v", moves, err)
		}
		compare(t, ref, pos.(*petteia.Position), moves)
	}
}

// foreseenBy returns the cells that Captures and Loses say a move will empty.
func foreseenBy(t *testing.T, pos games.Position, move string) (gone []string) {
	t.Helper()
	p := pos.(*petteia.Position)
	for _, c := range p.Captures(games.Move(move)) {
		gone = append(gone, c.String())
	}
	if p.Loses(games.Move(move)) {
		gone = append(gone, move[3:])
	}
	slices.Sort(gone)
	return gone
}

func compare(t *testing.T, ref *plain, pos *petteia.Position, moves []string) {
	t.Helper()
	var legal []string
	for _, m := range pos.Legal() {
		legal = append(legal, string(m))
	}
	end := strings.TrimSpace(pos.Result().String() + " " + pos.Result().Reason)
	quiet, _ := pos.Quiet()
	times, limit := pos.Occurrences()
	wantTimes := ref.times[ref.key()]
	if limit == 0 {
		wantTimes = 0
	}
	state := func(turn, x, o, quiet, times int, end string) string {
		return fmt.Sprintf("turn %d, captures %d,%d, quiet %d, time %d, end %q", turn, x, o, quiet, times, end)
	}
	captured := [2]int{pos.Captured(games.First), pos.Captured(games.Second)}
	for _, c := range []struct{ what, got, want string }{
		{"board", strings.Join(pos.Rows(), "/"), strings.Join(ref.rows(), "/")},
		{"legal moves", strings.Join(legal, " "), strings.Join(ref.legal(), " ")},
		{"state", state(int(pos.Turn()), captured[0], captured[1], quiet, times, end),
			state(ref.turn, ref.captured[0], ref.captured[1], ref.quiet, wantTimes, ref.end)},
	} {
		if c.got != c.want {
			t.Fatalf("%s after %v:\ngot  %s\nwant %s", c.what, moves, c.got, c.want)
		}
	}
}

// TestPlayoutIsPlain repeats playouts with the plain rules: the same draws from the same source, a man out of the list
// of the mover's and one of the 18 cells in his lines. The lists keep the order of the start.
func TestPlayoutIsPlain(t *testing.T) {
	for _, o := range manySets(t) {
		t.Run(o.String(), func(t *testing.T) {
			for seed := range uint64(2) {
				start, err := petteia.New().New(o)
				if err != nil {
					t.Fatal(err)
				}
				state, r := start.State(), games.NewRandom(seed)
				plies := state.Playout(r, longestCompared)
				ref, r2 := newPlain(o), games.NewRandom(seed)
				if n := ref.playout(r2, longestCompared); n != plies {
					t.Fatalf("seed %d: %d plies, want %d", seed, plies, n)
				}
				got := strings.Join(state.Position().Rows(), "\n") + state.Result().String() + state.Result().Reason
				want := strings.Join(ref.rows(), "\n") + strings.ReplaceAll(ref.end, " ", "")
				if got != want || r.Uint64() != r2.Uint64() {
					t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
				}
			}
		})
	}
}

func (p *plain) playout(r *games.Random, limit int) (plies int) {
	var lists [2][]string
	for col := range 12 {
		lists[0] = append(lists[0], fmt.Sprintf("%c1", 'a'+col))
		lists[1] = append(lists[1], fmt.Sprintf("%c8", 'a'+col))
	}
	for p.end == "" && plies < limit {
		mine := lists[p.turn]
		n := r.N(len(mine) * 18)
		man, to := n/18, linesOf(mine[n/18])[n%18]
		move := mine[man] + "-" + to
		if p.at(int(to[0]-'a'), int(to[1]-'1')) != '.' || !slices.Contains(p.legal(), move) {
			continue
		}
		mine[man] = to
		gone := p.play(move)
		for side := range lists {
			lists[side] = slices.DeleteFunc(lists[side], func(c string) bool { return slices.Contains(gone, c) })
		}
		plies++
	}
	return plies
}

// linesOf returns the other 18 cells in the row and the column of a cell, sorted.
func linesOf(cell string) (cells []string) {
	for col := range 12 {
		for row := range 8 {
			c := cellName(col, row)
			if c != cell && (c[0] == cell[0] || c[1] == cell[1]) {
				cells = append(cells, c)
			}
		}
	}
	return cells
}
