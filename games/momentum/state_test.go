package momentum

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func TestRuleSheet(t *testing.T) {
	gamestest.Sheet(t, New(), "RULES.md", map[string]gamestest.Line{"hands": hands})
}

// hands checks a line such as "hands X=7 O=7".
func hands(p games.Position, args []string) error {
	q := p.(*Position)
	got := []string{fmt.Sprintf("X=%d", q.Hand(games.First)), fmt.Sprintf("O=%d", q.Hand(games.Second))}
	if !slices.Equal(got, args) {
		return fmt.Errorf("hands are %v", got)
	}
	return nil
}

// TestPerft leaves out depth 4, 5,209,272 leaves, which takes a quarter of a minute under the race detector.
func TestPerft(t *testing.T) {
	gamestest.Perft(t, New(), 1_000_000, 49, 2401, 112968, 5209272)
}

// TestPerftWide counts from starts, and from positions in which much is pushed off: with O one marble or X one marble from its goal.
func TestPerftWide(t *testing.T) {
	gamestest.PerftFrom(t, kit.Start(t, "size=20"), 1_000_000, 400, 160000)
	gamestest.PerftFrom(t, kit.Start(t, "size=26 marbles=26"), 1_000_000, 676, 456976)
	for _, tt := range []struct {
		text string
		want []uint64
	}{
		{"size=20 marbles=6 ply=9 O.................X./XX................../" + emptyRowsOf(20, 16) + ".O................../X................XOO", []uint64{12, 1249, 31842}},
		{"size=20 marbles=6 ply=8 O.................X./XX................../" + emptyRowsOf(20, 16) + ".O................../.................XOO", []uint64{392, 7172}},
		{"size=26 marbles=6 ply=9 .......................XXO/........................../" + emptyRowsOf(26, 22) + "OO.....................X.X/O........................X", []uint64{8, 1391, 480045}},
		{"size=26 marbles=6 ply=8 .......................X.O/........................../" + emptyRowsOf(26, 22) + "OO.....................X.X/O........................X", []uint64{668, 9579}},
	} {
		gamestest.PerftFrom(t, kit.Parse(t, tt.text), 1_000_000, tt.want...)
	}
}

// emptyRowsOf returns the text of the given number of empty rows, each with a slash behind it.
func emptyRowsOf(size, rows int) string { return strings.Repeat(strings.Repeat(".", size)+"/", rows) }

func TestAbout(t *testing.T) { gamestest.About(t, New(), "all_placed", "move_limit") }

func TestProperties(t *testing.T) {
	gamestest.Properties(t, New(), optionSets(t, []int{7, 8, 10, 13}, []int{6, 8, 12}), 3)
	gamestest.Properties(t, New(), optionSets(t, []int{7, 13, 14, 20, 26}, []int{6, 13, 26}), 1)
}

var kit = gamestest.Kit[*Position]{Game: New()}

func optionSets(tb testing.TB, sizes, marbles []int) []games.Options {
	tb.Helper()
	var sets []games.Options
	for _, size := range sizes {
		for _, n := range marbles {
			sets = append(sets, kit.Options(tb, fmt.Sprintf("size=%d marbles=%d", size, n)))
		}
	}
	return sets
}

// rowsOf returns the rows of an empty board.
func rowsOf(size int) string { return strings.TrimSuffix(emptyRowsOf(size, size), "/") }

// forcedX has X one marble from its goal, O to move; b6 and c6 push one off.
const forcedX = "ply=15 turn=O .X...../O....O./...X.../..X..XO/.X..X../O.X...O/O......"

func TestIllegal(t *testing.T) {
	fresh := kit.Start(t, "")
	forced := kit.Parse(t, forcedX)
	over := kit.Play(t, fresh, "b4 f1 b6 d7 d3 b3 f5 f4 d6 d7 e2 g6 f5 c6 a5")
	tests := []struct {
		name string
		p    *Position
		move games.Move
		want string
	}{
		{"taken", kit.Play(t, fresh, "d4"), "d4", "cell taken"},
		{"swap at once", fresh, "swap", "swap only as the second move"},
		{"swap later", kit.Play(t, fresh, "d4 e5"), "swap", "swap only as the second move"},
		{"not forced off", forced, "d7", "you must push an enemy marble off"},
		{"taken though forced", forced, "b7", "cell taken"},
		{"after the end", over, "a1", "the game is over"},
		{"swap after the end", over, "swap", "the game is over"},
		{"outside", fresh, "h1", "no such cell"},
		{"row 0", fresh, "a0", "no such cell"},
		{"upper case", fresh, "D4", "no such cell"},
		{"space", fresh, " d4", "no such cell"},
		{"leading zero", fresh, "d04", "no such cell"},
		{"empty", fresh, "", "no such cell"},
		{"NUL", fresh, "d4\x00", "no such cell"},
		{"endless", fresh, games.Move(strings.Repeat("d", 1_000_000)), "no such cell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { gamestest.Refused(t, tt.p, tt.move, tt.want) })
	}
}

func TestRead(t *testing.T) {
	gamestest.Read(t, kit.Start(t, ""), []gamestest.Reading{
		{"plain", "d4", "d4"},
		{"upper case and spaces", " \tD4 \n", "d4"},
		{"swap", "Swap ", "swap"},
		{"outside", "h1", ""},
		{"row 10 of 7", "a10", ""},
		{"inner space", "d 4", "d4"},
		{"hyphen", "D-4", "d4"},
		{"two hyphens", "d--4", ""},
		{"two cells", "d4 d5", ""},
		{"empty", "  ", ""},
		{"escape", "\x1b[2J", ""},
	})
	gamestest.Read(t, kit.Start(t, "size=13"), []gamestest.Reading{
		{"two digits", "M13", "m13"},
		{"not ASCII", "\u212a4", ""}, // the sign for kelvin, whose lower case is k
	})
}

// TestReadNamesMoves: a refusal names the swap only where it can be played.
func TestReadNamesMoves(t *testing.T) {
	var p games.Position = kit.Start(t, "")
	for ply, m := range []games.Move{"d4", "a1", "b2", "c3"} {
		_, err := p.Read("z9")
		if got, want := strings.Contains(err.Error(), "or swap"), ply == 1; got != want {
			t.Errorf("after %d moves: %v", ply, err)
		}
		var perr error
		if p, perr = p.Play(m); perr != nil {
			t.Fatal(perr)
		}
	}
}

const emptyRows = "......./......./......./......./......./......./......."

func TestParseRefuses(t *testing.T) {
	row := "......./"
	gamestest.ParseRefuses(t, New(), []gamestest.Refusal{
		{"nothing", " ", "empty"},
		{"no ply", "turn=X " + emptyRows, "ply is missing"},
		{"no number", "ply=x " + emptyRows, "ply is not a number"},
		{"negative ply", "ply=-1 " + emptyRows, "ply is not a number"},
		{"late ply", "ply=61 " + emptyRows, "ply is not a number"},
		{"twice", "ply=1 ply=1 " + emptyRows, "ply is given twice"},
		{"turn twice", "ply=1 turn=O turn=O " + emptyRows, "turn is given twice"},
		{"wrong turn", "ply=1 turn=X " + emptyRows, "does not agree"},
		{"no side", "ply=1 turn=x " + emptyRows, "neither X nor O"},
		{"option out of range", "size=27 ply=0 " + emptyRows, "size 27 isn't allowed"},
		{"no empty cell", "marbles=26 ply=1 " + "XXXXXXX/XXXXXXX/XXXXXXX/XXXOOOO/OOOOOOO/OOOOOOO/OOOOOOO", "no cell of the board is empty"},
		{"unknown key", "colour=3 ply=0 " + emptyRows, "no option colour"},
		{"rows", "ply=0 " + row + emptyRows, "8 rows instead of 7"},
		{"columns", "ply=0 " + strings.Replace(emptyRows, ".", "", 1), "row 7 of the board is not 7"},
		{"letter", "ply=0 " + strings.Replace(emptyRows, ".", "x", 1), "none of . X O"},
		{"more than it owns", "ply=1 " + strings.Replace(emptyRows, row+row, "XXXXXXX/XXX..../", 1), "too many marbles"},
		{"none in hand", "ply=1 " + strings.Replace(emptyRows, row+row, "OOOOOOO/O....../", 1), "too many marbles"},
		{"a full board", "ply=1 " + strings.ReplaceAll(emptyRows, ".", "O"), "too many marbles"},
	})
}

func TestParseFinds(t *testing.T) {
	gamestest.Endings(t, New(), []gamestest.Ending{
		{"all marbles placed", "ply=1 " + strings.Replace(emptyRows, "......./.......", "XXXXXXX/X......", 1),
			games.Won(games.First, "all_placed")},
		{"sixty moves", "ply=60 " + emptyRows, games.Drawn("move_limit")},
		{"a running game", forcedX, games.Result{}},
	})
	if p := kit.Parse(t, "ply=1 "+strings.Replace(emptyRows, "..", "XO", 1)); p.CanSwap() {
		t.Error("swap is legal with two marbles on the board")
	}
}

func TestBoardView(t *testing.T) {
	p := kit.Play(t, kit.Start(t, "size=9 marbles=10"), "d4 a9")
	if p.Size() != 9 || p.Ply() != 2 || p.Hand(games.First) != 9 || p.CanSwap() {
		t.Errorf("size %d, ply %d, hand %d, swap %v", p.Size(), p.Ply(), p.Hand(games.First), p.CanSwap())
	}
	cells := []struct {
		col, row int
		side     games.Side
		held     bool
	}{{3, 3, games.First, true}, {0, 8, games.Second, true}, {1, 1, games.First, false}, {-1, 0, games.First, false},
		{9, 0, games.First, false}, {300, 0, games.First, false}, {0, -300, games.First, false}}
	for _, c := range cells {
		if side, held := p.At(c.col, c.row); side != c.side || held != c.held {
			t.Errorf("At(%d, %d) = %v, %v, want %v, %v", c.col, c.row, side, held, c.side, c.held)
		}
	}
	if !kit.Play(t, kit.Start(t, ""), "a1").CanSwap() {
		t.Error("no swap as second move")
	}
}

func TestForced(t *testing.T) {
	p := kit.Parse(t, forcedX)
	if got := p.Forced(); !slices.Equal(got, []games.Move{"b6", "c6"}) {
		t.Errorf("Forced = %v, want b6 and c6", got)
	}
	if got := kit.Play(t, p, "b6").Forced(); got != nil {
		t.Errorf("Forced = %v for a player that is free", got)
	}
}

func TestPushes(t *testing.T) {
	p := kit.Parse(t, forcedX)
	want := []Push{{games.First, "d5", "e4"}, {games.First, "b7", ""}}
	if diff := cmp.Diff(want, p.Pushes("c6")); diff != "" {
		t.Errorf("Pushes(c6):\n%s", diff)
	}
	if got := p.Pushes("a1"); got != nil {
		t.Errorf("an illegal drop pushes %v", got)
	}
	if got := kit.Play(t, kit.Start(t, ""), "a1").Pushes("swap"); got != nil {
		t.Errorf("swap pushes %v", got)
	}
}

func TestRandomLength(t *testing.T) {
	gamestest.MeanLengths(t, New(), 0.05, []gamestest.Mean{ // the standard deviation of such a mean is below 0.02 of it
		{kit.Options(t, ""), 36.7}, {kit.Options(t, "marbles=6"), 19.6}, {kit.Options(t, "size=9"), 22.9},
		{kit.Options(t, "size=9 marbles=12"), 41.3}, {kit.Options(t, "size=13"), 18.9},
	})
}

func TestAllocates(t *testing.T) {
	gamestest.AllocatesNothing(t, kit.Start(t, ""))
	gamestest.AllocatesNothing(t, kit.Start(t, "size=26 marbles=26"))
}

func TestUniform(t *testing.T) {
	p := kit.Play(t, kit.Start(t, ""), "d4")
	if got := p.Uniform(); len(got) != 48 || slices.Contains(got, "swap") {
		t.Errorf("the random player has %d moves: %v", len(got), got)
	}
	if p = kit.Parse(t, forcedX); !slices.Equal(p.Uniform(), p.Legal()) {
		t.Errorf("the random player has the moves %v, legal are %v", p.Uniform(), p.Legal())
	}
}

func TestGreedyWins(t *testing.T) {
	p := kit.Parse(t, "ply=24 turn=X ......./XOOOO.O/......./X.O.OX./......./.X.XXX./.......")
	if got := p.Greedy(); !slices.Equal(got, []games.Move{"f5", "f7"}) {
		t.Errorf("Greedy = %v, want both moves that win", got)
	}
	if got := kit.Play(t, p, "f5").Greedy(); len(got) != 0 {
		t.Errorf("Greedy = %v after the end", got)
	}
}

func TestGreedyBeatsRandom(t *testing.T) {
	const played = 200
	for side, wins := range gamestest.GreedyWins(t, New(), played) {
		if wins < played*8/10 {
			t.Errorf("greedy as %s beats random in %d of %d games", games.Side(side), wins, played)
		}
	}
}

func TestLongest(t *testing.T) {
	if n, bounded := New().Longest(nil); n != 60 || !bounded {
		t.Errorf("Longest = %d, %v", n, bounded)
	}
}
