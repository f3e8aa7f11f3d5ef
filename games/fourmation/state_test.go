package fourmation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func TestAbout(t *testing.T) { gamestest.About(t, New(), "line", "no_moves") }

func TestSheet(t *testing.T) {
	gamestest.Sheet(t, New(), "RULES.md", map[string]gamestest.Line{"values": values, "greedy": greedy})
}

// values checks the value of every legal move: "c4=4 c5=9".
func values(p games.Position, args []string) error {
	s := p.(*Position).s.clone()
	var got []string
	for _, m := range p.Legal() {
		c, _ := s.Code(m)
		got = append(got, fmt.Sprintf("%s=%d", m, s.value(cell(c))))
	}
	if !slices.Equal(got, args) {
		return fmt.Errorf("the values are %v", got)
	}
	return nil
}

func greedy(p games.Position, args []string) error {
	got := p.(games.Greedy).Greedy()
	if len(got) != 1 || string(got[0]) != args[0] {
		return fmt.Errorf("greedy plays %v", got)
	}
	return nil
}

func TestPerft(t *testing.T) {
	gamestest.Perft(t, New(), 2e6, 49, 312, 1824, 9984, 52432, 268048, 1335984)
	gamestest.PerftFrom(t, kit.Start(t, "cols=20 rows=20"), 2e6, 400, 2964, 19608, 122148, 736440)
	gamestest.PerftFrom(t, kit.Start(t, "cols=26 rows=26"), 2e6, 676, 5100, 34200, 215868, 1318440)
}

// sets are the option sets that tests play: the smallest, the default, the largest, not square ones, odd lengths, and
// lines as long as the board.
var sets = []games.Options{
	options(3, 3, 3), options(7, 7, 4), options(16, 16, 4), options(16, 16, 3), options(16, 16, 16), options(4, 4, 3),
	options(8, 8, 5), options(5, 12, 5), options(12, 5, 7), options(3, 16, 3), options(16, 3, 16), options(3, 16, 16),
	options(6, 5, 4), options(5, 15, 9), options(15, 16, 4),
	options(17, 3, 3), options(3, 17, 4), options(20, 20, 4), options(26, 26, 4), options(26, 26, 26), options(26, 3, 20), options(3, 26, 3),
}

func options(cols, rows, win int) games.Options {
	return games.Options{optCols: cols, optRows: rows, optWin: win}
}

func TestProperties(t *testing.T) { gamestest.Properties(t, New(), sets, 4) }

func TestOptions(t *testing.T) {
	gamestest.OptionsRefused(t, New(), []gamestest.Refusal{
		{"a line longer than the board", "cols=3 rows=3", "win_length is 4, but the longer side of the board has only 3 cells"},
		{"a line longer than both sides", "cols=5 rows=6 win_length=7", "only 6 cells"},
		{"too narrow", "cols=2", "cols 2 isn't allowed: 3 to 26"},
		{"too tall", "rows=27", "rows 27 isn't allowed: 3 to 26"},
		{"a line of two", "win_length=2", "win_length 2 isn't allowed: 3 to 26"},
		{"an unknown one", "size=7", "no option size"},
	})
	kit.Options(t, "rows=3 win_length=7") // a line as long as the longer side
}

var kit = gamestest.Kit[*Position]{Game: New()}

// play returns the position after the moves, apart by spaces, from the default start.
func play(t *testing.T, moves string) *Position {
	t.Helper()
	return kit.Play(t, kit.Start(t, ""), moves)
}

func TestPlayRefuses(t *testing.T) {
	const over = "b1 a2 b2 a1"
	for _, tt := range []struct {
		name, moves string
		move        games.Move
		want        string
	}{
		{"right of the board", "d4", "h4", "outside the board"},
		{"above the board", "d4", "d8", "outside the board"},
		{"far outside", "", "z99", "outside the board"},
		{"the opponent's cell", "d4", "d4", "not an empty cell"},
		{"one's own cell", "d4 e5", "d4", "not an empty cell"},
		{"beside one's own piece only", "d4 e5", "c3", "not next to the last move, e5"},
		{"round the rim", "g3", "a3", "not next to the last move, g3"},
		{"after the end", over, "c1", "the game is over"},
		{"nothing", "", "", "not a move"},
		{"upper case", "", "D4", "not a move"},
		{"a space", "", " d4", "not a move"},
		{"a leading zero", "", "d04", "not a move"},
		{"row 0", "", "d0", "not a move"},
		{"a row alone", "", "4", "not a move"},
		{"a huge row", "", "d18446744073709551620", "not a move"},
		{"no text", "", "\x00\xff", "not a move"},
	} {
		t.Run(tt.name, func(t *testing.T) { gamestest.Refused(t, play(t, tt.moves), tt.move, tt.want) })
	}
}

func TestRead(t *testing.T) {
	var readings []gamestest.Reading
	for typed, want := range map[string]games.Move{
		"d4": "d4", " D4\t": "d4", "P16": "p16", "z26": "z26", "Z99": "z99", "a10": "a10",
		"": "", "d 4": "d4", "D-4": "d4", "d": "", "4d": "", "d--4": "", "d 04": "", "d04": "", "d4 e5": "", "d4444": "", "\u212a4": "", "swap": "",
	} {
		readings = append(readings, gamestest.Reading{Name: typed, Typed: typed, Want: want})
	}
	gamestest.Read(t, play(t, ""), readings)
}

func TestParseRefuses(t *testing.T) {
	const rows4 = "..../..../.X../...."
	gamestest.ParseRefuses(t, New(), []gamestest.Refusal{
		{"nothing", "", "empty"},
		{"no turn", "cols=4 rows=4 last=b2 " + rows4, "turn is missing"},
		{"the wrong turn", "cols=4 rows=4 last=b2 turn=X " + rows4, "it is O"},
		{"no last", "cols=4 rows=4 turn=O " + rows4, "last is not the cell"},
		{"no last with a board", "cols=4 rows=4 last=- turn=O " + rows4, "last is not the cell"},
		{"last outside", "cols=4 rows=4 last=e1 turn=O " + rows4, "last is not the cell"},
		{"last is empty", "cols=4 rows=4 last=b3 turn=O " + rows4, "last=b3 is not a piece of the player who has just"},
		{"last is the mover's", "cols=4 rows=4 last=b2 turn=X ..../..../.XO./....", "not a piece of the player who has"},
		{"too many X", "cols=4 rows=4 last=b2 turn=X ..../..../.XX./....", "2 X and 0 O"},
		{"too many O", "cols=4 rows=4 last=b2 turn=X ..../..../.O../....", "0 X and 1 O"},
		{"a row too many", "cols=4 rows=4 last=b2 turn=O " + rows4 + "/....", "5 rows instead of 4"},
		{"a long row", "cols=4 rows=4 last=b2 turn=O ..../..../.X.../....", "row 2 of the board"},
		{"a strange cell", "cols=4 rows=4 last=b2 turn=O ..../..../.x../....", "row 2 of the board has a cell"},
		{"bad options", "cols=3 rows=3 last=- turn=X .../.../...", "win_length is 4"},
		{"an unknown field", "ply=1 " + play(t, "").String(), "no option ply"},
		{"turn twice", "turn=X " + play(t, "").String(), "turn is given twice"},
	})
}

// TestParseResult holds what a board that was set up means: only a line through the previous move counts.
func TestParseResult(t *testing.T) {
	gamestest.Endings(t, New(), []gamestest.Ending{
		{"a line through last", "cols=4 rows=4 win_length=3 last=a3 turn=O X.../X.../X.OO/....", games.Won(games.First, "line")},
		{"a line elsewhere", "cols=4 rows=4 win_length=3 last=d1 turn=O X.../X.../X.OO/O..X", games.Result{}},
		{"no empty neighbour", "cols=4 rows=4 last=a1 turn=X ..../..../XX../OO..", games.Drawn("no_moves")},
		{"a line and a full board", "cols=3 rows=3 win_length=3 last=a1 turn=O OXO/OXO/XXX", games.Won(games.First, "line")},
		{"the empty board", "cols=4 rows=4 last=- turn=X ..../..../..../....", games.Result{}},
	})
}

func TestAllocates(t *testing.T) { gamestest.AllocatesNothing(t, kit.Start(t, "")) }

// TestLongest plays random games until one has filled the board, which is as long as it gets.
func TestLongest(t *testing.T) {
	longest, bounded := New().Longest(options(3, 4, 4))
	plies, from, r := 0, kit.Start(t, "cols=3 rows=4 win_length=4").State(), games.NewRandom(1)
	for range 10_000 {
		s := from.Clone()
		plies = max(plies, gamestest.PlayRandomly(s, r, longest+1))
	}
	if longest != plies || !bounded {
		t.Errorf("Longest = %d, %v, but a game has %d plies", longest, bounded, plies)
	}
}

// TestLineElsewhere plays on beside a full line that was set up: only a line through the new piece wins, also when it
// lies in the same row as the other.
func TestLineElsewhere(t *testing.T) {
	p := kit.Parse(t, "cols=8 rows=3 win_length=3 last=f2 turn=X O.O.O.../.....O../XXX....X")
	for seed := range uint64(20) {
		s := p.State()
		if plies := gamestest.PlayRandomly(s, games.NewRandom(seed), 24); !s.Result().Over {
			t.Errorf("seed %d: a random game stops after %d plies at %s", seed, plies, s.Clone().Freeze())
		}
	}
	next, err := p.Play("g1")
	if err != nil {
		t.Fatal(err)
	}
	if got := next.Result(); got.Over {
		t.Errorf("two in a row beside a full line: %+v", got)
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    *Position
		want string
	}{
		{"a running game", play(t, "c3 d4"), ""},
		{"a draw", play(t, "b1 a2 b2 a1"), ""},
		{"a column", play(t, "c3 d4 c4 b5 c5 d6 c6"), "c3 c4 c5 c6"},
		{"five in a column", play(t, "e7 f6 e6 d6 e5 f4 e3 f3 e4"), "e3 e4 e5 e6 e7"},
		{"rising", kit.Parse(t, "cols=3 rows=3 win_length=3 last=b2 turn=O ..X/.XO/X.O"), "a1 b2 c3"},
		{"falling", kit.Parse(t, "cols=3 rows=3 win_length=3 last=b2 turn=O X.O/.XO/..X"), "a3 b2 c1"},
		{"a row and a column", kit.Parse(t, "cols=5 rows=5 win_length=3 last=c3 turn=O O..../...O./XXX.O/..X../..X.O"), "a3 b3 c1 c2 c3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range tt.p.Line() {
				got = append(got, string(m))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("Line = %v, want %s", got, tt.want)
			}
		})
	}
}

// TestView checks what a board view asks for.
func TestView(t *testing.T) {
	p := kit.Parse(t, "cols=5 rows=3 win_length=5 last=e3 turn=X X...O/...../.....")
	if cols, rows := p.Size(); cols != 5 || rows != 3 || p.WinLength() != 5 {
		t.Errorf("Size = %d, %d, WinLength = %d", cols, rows, p.WinLength())
	}
	if col, row, ok := p.Last(); col != 4 || row != 2 || !ok {
		t.Errorf("Last = %d, %d, %v", col, row, ok)
	}
	if _, _, ok := play(t, "").Last(); ok {
		t.Error("the empty board has a previous move")
	}
	for _, tt := range []struct {
		col, row int
		side     games.Side
		held     bool
	}{
		{0, 2, games.First, true}, {4, 2, games.Second, true}, {1, 2, games.First, false}, {0, 0, games.First, false},
		{-1, 0, games.First, false}, {0, -1, games.First, false}, {5, 0, games.First, false}, {0, 3, games.First, false},
	} {
		if side, held := p.At(tt.col, tt.row); side != tt.side || held != tt.held {
			t.Errorf("At(%d, %d) = %v, %v, want %v, %v", tt.col, tt.row, side, held, tt.side, tt.held)
		}
	}
}
