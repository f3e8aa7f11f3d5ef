package petteia_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
	"ludoteca/games/petteia"
)

// A reference is the rule sheet once more, as simply as it can be written: a grid of letters, strings for everything, and
// no thought for speed. It shares nothing with the engine.
type reference struct {
	grid     [8][12]byte // [row from the bottom][column]
	turn     int
	captured [2]int
	quiet    int
	times    map[string]int
	options  games.Options
	result   games.Result
	gone     []string // the cells that the last move emptied by capture, in the order of the alphabet
}

func plain(o games.Options) gamestest.Reference { return newReference(o) }

func newReference(o games.Options) *reference {
	p := &reference{times: map[string]int{}, options: o}
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

func (p *reference) key() string { return "XO"[p.turn:p.turn+1] + strings.Join(p.Rows(), "/") }

// Rows returns the board, row 8 first.
func (p *reference) Rows() []string {
	var rows []string
	for row := 7; row >= 0; row-- {
		rows = append(rows, string(p.grid[row][:]))
	}
	return rows
}

// at returns what is on a cell; outside the board there is a blank.
func (p *reference) at(col, row int) byte {
	if col < 0 || col > 11 || row < 0 || row > 7 {
		return ' '
	}
	return p.grid[row][col]
}

func cellName(col, row int) string { return "abcdefghijkl"[col:col+1] + "12345678"[row:row+1] }

var directions = [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

// Legal returns the legal moves.
func (p *reference) Legal() []games.Move {
	var moves []games.Move
	if p.result.Over {
		return moves
	}
	for row := range 8 {
		for col := range 12 {
			if p.at(col, row) != "XO"[p.turn] {
				continue
			}
			for _, d := range directions {
				for n := 1; p.at(col+n*d[0], row+n*d[1]) == '.'; n++ {
					moves = append(moves, games.Move(cellName(col, row)+"-"+cellName(col+n*d[0], row+n*d[1])))
				}
			}
		}
	}
	slices.Sort(moves)
	return moves
}

// Play makes a legal move.
func (p *reference) Play(m games.Move) {
	mine, enemy := "XO"[p.turn], "OX"[p.turn]
	col, row := int(m[3]-'a'), int(m[4]-'1')
	p.grid[m[1]-'1'][m[0]-'a'] = '.'
	p.gone = nil
	p.grid[row][col] = mine
	take := func(col, row, by int) {
		p.grid[row][col] = '.'
		p.captured[by]++
		p.gone = append(p.gone, cellName(col, row))
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
	if len(p.gone) > 0 {
		p.quiet = 0
	}
	p.turn = 1 - p.turn
	p.times[p.key()]++
	p.result = p.ending()
	slices.Sort(p.gone)
}

// Result says how the game has ended, if it has.
func (p *reference) Result() games.Result { return p.result }

func (p *reference) ending() games.Result {
	sides := [2]games.Side{games.First, games.Second}
	win, mover := p.options["captures_to_win"], 1-p.turn
	stuck := len(p.Legal()) == 0
	switch {
	case p.captured[mover] >= win:
		return games.Won(sides[mover], "captures")
	case p.captured[p.turn] >= win:
		return games.Won(sides[p.turn], "captures")
	case stuck && p.captured[0] > p.captured[1]:
		return games.Won(games.First, "no_moves")
	case stuck && p.captured[0] < p.captured[1]:
		return games.Won(games.Second, "no_moves")
	case stuck:
		return games.Drawn("no_moves")
	case p.options["repetition"] > 0 && p.times[p.key()] >= p.options["repetition"]:
		return games.Drawn("repetition")
	case p.options["quiet_limit"] > 0 && p.quiet >= p.options["quiet_limit"]:
		return games.Drawn("no_progress")
	}
	return games.Result{}
}

// Compare compares the counts, and what the engine foresees of a move with what comes of it.
func (p *reference) Compare(pos games.Position, played games.Move) error {
	got := pos.(*petteia.Position)
	quiet, _ := got.Quiet()
	times, limit := got.Occurrences()
	wantTimes := p.times[p.key()]
	if limit == 0 {
		wantTimes = 0
	}
	counts := [5]int{int(got.Turn()), got.Captured(games.First), got.Captured(games.Second), quiet, times}
	if want := [5]int{p.turn, p.captured[0], p.captured[1], p.quiet, wantTimes}; counts != want {
		return fmt.Errorf("turn, captures of both, quiet and times are %v, want %v", counts, want)
	}
	if played == "" {
		return nil
	}
	after := *p
	after.times = map[string]int{}
	after.Play(played)
	if foreseen := foreseenBy(got, played); !slices.Equal(foreseen, after.gone) {
		return fmt.Errorf("the engine foresees the loss of %v by %s, the rules of %v", foreseen, played, after.gone)
	}
	return nil
}

// foreseenBy returns the cells that Captures and Loses say a move will empty.
func foreseenBy(p *petteia.Position, m games.Move) (gone []string) {
	for _, c := range p.Captures(m) {
		gone = append(gone, c.String())
	}
	if p.Loses(m) {
		gone = append(gone, string(m[3:]))
	}
	slices.Sort(gone)
	return gone
}

// manySets are option sets from all over their ranges.
func manySets(t *testing.T) []games.Options {
	return kit.Sets(t,
		"", "safe_entry=0", "captures_to_win=1", "captures_to_win=2 safe_entry=0", "captures_to_win=12 quiet_limit=400",
		"captures_to_win=12 safe_entry=0 quiet_limit=400", "quiet_limit=1", "quiet_limit=7 repetition=2",
		"quiet_limit=0 repetition=2", "quiet_limit=0 repetition=5", "quiet_limit=1000 repetition=0",
		"quiet_limit=0 repetition=0 captures_to_win=4", "repetition=4 safe_entry=0 captures_to_win=3",
		"quiet_limit=1000 safe_entry=0 captures_to_win=11")
}

// TestReference plays the same random games by the engine and by the plain rules and compares everything that can be
// seen after each ply. A part of the moves goes back where the last one came from, so that positions repeat.
func TestReference(t *testing.T) {
	ended := map[string]int{}
	for i, o := range manySets(t) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(o.String(), func(t *testing.T) {
			for seed := range 4 {
				choose := gamestest.Uniformly(games.NewRandom(uint64(seed)))
				if seed%2 == 1 {
					choose = backAndForth(games.NewRandom(uint64(seed)))
				}
				last, err := gamestest.FollowGame(petteia.New(), o, plain, choose, longestCompared)
				if err != nil {
					t.Fatal(err)
				}
				ended[last.Result().Reason]++
			}
		})
	}
	for _, reason := range []string{"captures", "repetition", "no_progress"} {
		if ended[reason] == 0 {
			t.Errorf("no game ended by %s: %v", reason, ended)
		}
	}
}

const longestCompared = 1000 // plies

// backAndForth mostly takes back what the same side has moved before.
func backAndForth(r *games.Random) gamestest.Choice {
	return func(played, legal []games.Move) games.Move {
		if n := len(played); n > 1 && r.N(3) > 0 {
			if back := played[n-2][3:] + "-" + played[n-2][:2]; slices.Contains(legal, back) {
				return back
			}
		}
		return legal[r.N(len(legal))]
	}
}
