package tanks

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func TestAbout(t *testing.T) { gamestest.About(t, New(), "breakthrough", "no_pieces") }

func TestSheet(t *testing.T) {
	gamestest.Sheet(t, New(), "RULES.md", map[string]gamestest.Line{"value": value, "values": values, "greedy": greedy})
}

// value checks the evaluation for the player to move.
func value(p games.Position, args []string) error {
	s := p.(*Position).s.clone()
	if got := strconv.FormatInt(s.value(s.turn), 10); got != args[0] {
		return fmt.Errorf("the value is %s", got)
	}
	return nil
}

// values checks the evaluation after some moves, for the player who makes them: "a2-a3=400".
func values(p games.Position, args []string) error {
	s := p.(*Position).s.clone()
	for _, arg := range args {
		move, want, _ := strings.Cut(arg, "=")
		c, err := s.Code(games.Move(move))
		if err != nil {
			return err
		}
		if got := strconv.FormatInt(s.after(c), 10); got != want {
			return fmt.Errorf("%s has the value %s", move, got)
		}
	}
	return nil
}

func greedy(p games.Position, args []string) error {
	var want []games.Move
	for _, arg := range args {
		want = append(want, games.Move(arg))
	}
	if got := p.(games.Greedy).Greedy(); !slices.Equal(got, want) {
		return fmt.Errorf("greedy chooses among %v", got)
	}
	return nil
}

func TestPerft(t *testing.T) {
	gamestest.Perft(t, New(), 1e6, 22, 484, 11132, 256036, 6183320, 149326308)
}

var kit = gamestest.Kit[*Position]{Game: New()}

func options(size int) games.Options { return games.Options{optSize: size} }

func TestProperties(t *testing.T) {
	gamestest.Properties(t, New(), []games.Options{options(6), options(8), options(12)}, 2)
	gamestest.Properties(t, New(), []games.Options{options(26)}, 1)
}

func TestOptions(t *testing.T) {
	gamestest.OptionsRefused(t, New(), []gamestest.Refusal{
		{"odd", "size=7", "size 7 isn't allowed: even numbers from 6 to 26"},
		{"too small", "size=4", "size 4 isn't allowed"},
		{"too large", "size=28", "size 28 isn't allowed"},
		{"an unknown one", "cols=8", "no option cols"},
	})
}

func TestLongest(t *testing.T) {
	if plies, bounded := New().Longest(options(8)); plies != 177 || !bounded {
		t.Errorf("Longest = %d, %v, want 177, true", plies, bounded)
	}
}

// arena is a position with all that can be refused: bottom has a heavy on c3, a destroyer on d3 and mediums on e3 and f4.
const arena = "turn=bot size=6 m...../..mmm./.mm.mM/..TDM./....../M....."

func TestPlayRefuses(t *testing.T) {
	const over = "turn=top size=6 M...../....../....../....../m...../......"
	for _, tt := range []struct {
		name, position string
		move           games.Move
		want           string
	}{
		{"from outside", arena, "g3-f4", "g3 is outside the board"},
		{"to outside", arena, "f4-g5", "g5 is outside the board"},
		{"far outside", arena, "z99-z98", "z99 is outside the board"},
		{"an empty cell", arena, "a2-a3", "no tank of yours on a2"},
		{"an enemy tank", arena, "b4-b3", "no tank of yours on b4"},
		{"nowhere", arena, "e3-e3", "your own tank is on e3"},
		{"onto an own tank", arena, "e3xf4", "your own tank is on f4"},
		{"aside", arena, "e3-f3", "tanks only go forward"},
		{"back", arena, "f4-f3", "tanks only go forward"},
		{"three ahead", arena, "c3xc6", "no tank reaches c6 from there"},
		{"a knight's move", arena, "c3xd5", "no tank reaches d5 from there"},
		{"two aside", arena, "c3-e4", "no tank reaches e4 from there"},
		{"two steps to an empty cell", "turn=bot size=6 m...../....../....../..T.../....../......", "c3-c5", "two steps only to capture"},
		{"two diagonal steps to an empty cell", arena, "c3-a5", "two steps only to capture"},
		{"a medium over two cells", arena, "e3xe5", "a medium tank does not reach e5"},
		{"a destroyer diagonally", arena, "d3xc4", "destroyers capture only straight ahead"},
		{"a destroyer diagonally over two cells", "turn=bot size=6 m...../....m./....../..D.../....../......", "c3xe5", "destroyers capture only straight ahead"},
		{"a capture without x", arena, "c3-c4", "a capture is written with x: c3xc4"},
		{"a move with x", arena, "d3xd4", "a move to an empty cell is written with -: d3-d4"},
		{"after the end", over, "a2-a1", "the game is over"},
		{"nothing", arena, "", "not a move"},
		{"one cell", arena, "c3", "not a move"},
		{"no mark", arena, "c3c4", "not a move"},
		{"another mark", arena, "c3:c4", "not a move"},
		{"upper case", arena, "C3xc4", "not a move"},
		{"a space", arena, "c3xc4 ", "not a move"},
		{"a new line", arena, "c3xc4\n", "not a move"},
		{"a leading zero", arena, "c03xc4", "not a move"},
		{"row 0", arena, "c0-c1", "not a move"},
		{"no text", arena, "\x00\xff", "not a move"},
	} {
		t.Run(tt.name, func(t *testing.T) { gamestest.Refused(t, kit.Parse(t, tt.position), tt.move, tt.want) })
	}
}

func TestRead(t *testing.T) {
	var readings []gamestest.Reading
	for typed, want := range map[string]games.Move{
		"c3xc4": "c3xc4", "c3-c4": "c3xc4", "c3c4": "c3xc4", " C3 C4\t": "c3xc4", "C3 X C4": "c3xc4", "c3 - c4": "c3xc4",
		"d3xd4": "d3-d4", "d3d4": "d3-d4", "e3f4": "e3-f4", "z99x1": "z99-x1", "x2xx3": "x2-x3", "x2x3": "x2-x3",
		"w25x26": "w25-x26", "a10b11": "a10-b11",
		"": "", "c3": "", "c3c": "", "3c4c": "", "c03c4": "", "c3--c4": "", "c3xxc4x": "", "c3 c4 c5": "", "\u212a3 c4": "",
	} {
		readings = append(readings, gamestest.Reading{Name: typed, Typed: typed, Want: want})
	}
	gamestest.Read(t, kit.Parse(t, arena), readings)
}

func TestParseRefuses(t *testing.T) {
	const rows6 = "m...../....../....../....../....../.....M"
	gamestest.ParseRefuses(t, New(), []gamestest.Refusal{
		{"nothing", "", "empty"},
		{"no turn", "size=6 " + rows6, "turn must be given"},
		{"a strange turn", "size=6 turn=X " + rows6, "turn must be given"},
		{"turn twice", "size=6 turn=bot turn=bot " + rows6, "turn is given twice"},
		{"the wrong size", "turn=bot " + rows6, "6 rows instead of 8"},
		{"an odd size", "turn=bot size=7 " + rows6, "size 7 isn't allowed"},
		{"a long row", "size=6 turn=bot m....../....../....../....../....../.....M", "row 6 of the board"},
		{"a strange cell", "size=6 turn=bot m...../....../..X.../....../....../.....M", "row 4 of the board has a cell"},
		{"no tanks", "size=6 turn=bot ....../....../....../....../....../......", "no tank on the board"},
		{"too many tanks", "size=10 turn=bot " + strings.Repeat("mmmmmmmmmm/", 9) + "MMMMMMMMMM", "more than 64 tanks"},
	})
}

// TestParseResult holds what a board that was set up means. End of the game, last paragraph.
func TestParseResult(t *testing.T) {
	gamestest.Endings(t, New(), []gamestest.Ending{
		{"nobody", "size=6 turn=bot m...../....../....../....../....../.....M", games.Result{}},
		{"bottom is through", "size=6 turn=top M...../....../..m.../....../....../......", games.Won(games.First, "breakthrough")},
		{"bottom is through, and to move", "size=6 turn=bot M...../....../..m.../....../....../......", games.Won(games.First, "breakthrough")},
		{"top is through", "size=6 turn=bot ....../....../..M.../....../....../t.....", games.Won(games.Second, "breakthrough")},
		{"top has no tank", "size=6 turn=bot ....../....../..M.../....../....../......", games.Won(games.First, "no_pieces")},
		{"bottom has no tank", "size=6 turn=top ....../....../..d.../....../....../......", games.Won(games.Second, "no_pieces")},
		{"through, and the last one", "size=6 turn=top D...../....../....../....../....../......", games.Won(games.First, "breakthrough")},
		{"both through, bottom has moved", "size=6 turn=top M...../....../....../....../....../m.....", games.Won(games.First, "breakthrough")},
		{"both through, top has moved", "size=6 turn=bot M...../....../....../....../....../m.....", games.Won(games.Second, "breakthrough")},
	})
}

func TestAllocates(t *testing.T) { gamestest.AllocatesNothing(t, kit.Start(t, "")) }

// TestTidy checks that a position has one state only: two ways to the same board, captures included.
func TestTidy(t *testing.T) {
	p := kit.Play(t, kit.Parse(t, "turn=bot size=6 m.m.../....../.m..../M.T.../....../M....."), "c3xb4 a6-a5 a3-a4 c6-c5")
	if want := kit.Parse(t, p.String()); !reflect.DeepEqual(p, want) {
		t.Errorf("played %+v\nread %+v", p.s, want.s)
	}
}

// TestView checks what a board view asks for.
func TestView(t *testing.T) {
	p := kit.Parse(t, arena)
	if p.Size() != 6 {
		t.Errorf("Size = %d", p.Size())
	}
	for _, tt := range []struct {
		col, row int
		side     games.Side
		kind     Kind
		held     bool
	}{
		{2, 2, games.First, Heavy, true}, {3, 2, games.First, Destroyer, true}, {0, 0, games.First, Medium, true},
		{0, 5, games.Second, Medium, true}, {1, 1, games.First, 0, false}, {-1, 0, games.First, 0, false},
		{0, -1, games.First, 0, false}, {6, 0, games.First, 0, false}, {0, 6, games.First, 0, false},
	} {
		if side, kind, held := p.At(tt.col, tt.row); side != tt.side || held != tt.held || held && kind != tt.kind {
			t.Errorf("At(%d, %d) = %v, %v, %v", tt.col, tt.row, side, kind, held)
		}
	}
	for kind, want := range map[Kind][2]int{Heavy: {1, 0}, Destroyer: {1, 0}, Medium: {3, 7}} {
		if got := [2]int{p.Count(games.First, kind), p.Count(games.Second, kind)}; got != want {
			t.Errorf("Count of %s = %v, want %v", kind, got, want)
		}
	}
}

// duels are set up so that tanks fall in most moves, the last one of a side in many games.
var duels = []string{
	"turn=bot size=6 ....../.m..../.t.M../.D..d./...T../......",
	"turn=top size=6 ....../..d.../..M.../..t.../..D.../......",
	"turn=bot size=8 ......../.tdmtdm./.tdmtdm./.tdmtdm./.TDMTDM./.TDMTDM./.TDMTDM./........",
}

// TestDuels plays on and back at random and checks that a State stays in order when tanks fall: its lists agree with its
// board, its moves with the moves of the same position read anew, and the game ends when an army has no tank left.
func TestDuels(t *testing.T) {
	ended := map[string]int{}
	for _, text := range duels {
		for seed := range uint64(60) {
			s, r := kit.Parse(t, text).State().(*State), games.NewRandom(seed)
			past := []string{s.Clone().Freeze().String()}
			for {
				if len(past) > 1 && r.N(4) == 0 {
					s.Undo()
					past = past[:len(past)-1]
				} else if moves := s.Moves(nil); len(moves) > 0 {
					s.Play(moves[r.N(len(moves))])
					past = append(past, s.Clone().Freeze().String())
				} else {
					ended[s.Result().Reason]++
					break
				}
				inOrder(t, s)
				now := past[len(past)-1]
				if got := s.Clone().Freeze().String(); got != now {
					t.Fatalf("undone to %s, want %s", got, now)
				}
				if got, want := s.Clone().Freeze().Legal(), kit.Parse(t, now).Legal(); !slices.Equal(got, want) {
					t.Fatalf("%s has the moves %v, want %v", now, got, want)
				}
			}
		}
	}
	if ended["no_pieces"] == 0 || ended["breakthrough"] == 0 {
		t.Errorf("the games ended by %v", ended)
	}
}

// inOrder checks that the lists of both armies and the board agree.
func inOrder(t *testing.T, s *State) {
	t.Helper()
	standing, listed := 0, 0
	for _, what := range s.board {
		if what != empty && what != wall {
			standing++
		}
	}
	for side := range s.armies {
		for i, tank := range s.armies[side].list() {
			if s.board[tank.cell()] != tankOf(games.Side(side))|content(i) {
				t.Fatalf("%s: tank %d of the %s side is out of order", s.Clone().Freeze(), i, games.Side(side))
			}
			listed++
		}
	}
	if standing != listed {
		t.Fatalf("%s: %d tanks on the board, %d in the lists", s.Clone().Freeze(), standing, listed)
	}
}
