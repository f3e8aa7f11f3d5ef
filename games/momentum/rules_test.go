package momentum

import (
	"errors"
	"fmt"
	"math"
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

func TestAbout(t *testing.T) { gamestest.About(t, New(), allPlaced, moveLimit) }

func TestLaws(t *testing.T) {
	gamestest.Laws(t, New(), optionSets(t, []int{7, 8, 10, 13}, []int{6, 8, 12}), 3)
}

func optionSets(t testing.TB, sizes, marbles []int) []games.Options {
	t.Helper()
	var sets []games.Options
	for _, size := range sizes {
		for _, n := range marbles {
			sets = append(sets, complete(t, games.Options{optSize: size, optMarbles: n}))
		}
	}
	return sets
}

func complete(t testing.TB, o games.Options) games.Options {
	t.Helper()
	o, err := games.Complete(New(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func start(t testing.TB, o games.Options) *Position {
	t.Helper()
	p, err := New().New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Position)
}

func parse(t testing.TB, text string) *Position {
	t.Helper()
	p, err := New().Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Position)
}

func play(t testing.TB, p games.Position, moves string) *Position {
	t.Helper()
	for _, m := range strings.Fields(moves) {
		next, err := p.Play(games.Move(m))
		if err != nil {
			t.Fatal(err)
		}
		p = next
	}
	return p.(*Position)
}

// forcedX has X one marble from his goal, O to move; b6 and c6 push one off.
const forcedX = "ply=15 turn=O .X...../O....O./...X.../..X..XO/.X..X../O.X...O/O......"

func TestIllegal(t *testing.T) {
	fresh := start(t, nil)
	forced := parse(t, forcedX)
	over := play(t, fresh, "b4 f1 b6 d7 d3 b3 f5 f4 d6 d7 e2 g6 f5 c6 a5")
	tests := []struct {
		name string
		p    *Position
		move games.Move
		want string
	}{
		{"taken", play(t, fresh, "d4"), "d4", "cell taken"},
		{"swap at once", fresh, "swap", "swap only as the second move"},
		{"swap later", play(t, fresh, "d4 e5"), "swap", "swap only as the second move"},
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
		t.Run(tt.name, func(t *testing.T) {
			before := tt.p.String()
			next, err := tt.p.Play(tt.move)
			var illegal *games.IllegalError
			if next != nil || !errors.As(err, &illegal) || illegal.Rule() != tt.want {
				t.Errorf("Play = %v, %v, want an illegal move saying %q", next, err, tt.want)
			}
			if got := tt.p.String(); got != before {
				t.Errorf("a refused move changed the position: %s -> %s", before, got)
			}
		})
	}
}

func TestRead(t *testing.T) {
	small, large := start(t, nil), start(t, complete(t, games.Options{optSize: 13}))
	tests := []struct {
		name  string
		p     *Position
		typed string
		want  games.Move // empty: refused
	}{
		{"plain", small, "d4", "d4"},
		{"upper case and spaces", small, " \tD4 \n", "d4"},
		{"swap", small, "Swap ", "swap"},
		{"two digits", large, "M13", "m13"},
		{"outside", small, "h1", ""},
		{"row 10 of 7", small, "a10", ""},
		{"inner space", small, "d 4", ""},
		{"not ASCII", large, "\u212a4", ""}, // the sign for kelvin, whose lower case is k
		{"empty", small, "  ", ""},
		{"escape", small, "\x1b[2J", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.p.Read(tt.typed)
			if got != tt.want || (err == nil) != (tt.want != "") || err != nil && !errors.Is(err, games.ErrIllegal) {
				t.Errorf("Read(%q) = %q, %v, want %q", tt.typed, got, err, tt.want)
			}
		})
	}
}

const emptyRows = "......./......./......./......./......./......./......."

func TestParseRefuses(t *testing.T) {
	row := "......./"
	tests := []struct{ name, text, want string }{
		{"nothing", " ", "empty position"},
		{"no ply", "turn=X " + emptyRows, "ply is missing"},
		{"no number", "ply=x " + emptyRows, "ply is not a number"},
		{"negative ply", "ply=-1 " + emptyRows, "ply is not a number"},
		{"late ply", "ply=61 " + emptyRows, "ply is not a number"},
		{"twice", "ply=1 ply=1 " + emptyRows, "ply is given twice"},
		{"turn twice", "ply=1 turn=O turn=O " + emptyRows, "turn is given twice"},
		{"wrong turn", "ply=1 turn=X " + emptyRows, "does not agree"},
		{"no side", "ply=1 turn=x " + emptyRows, "neither X nor O"},
		{"option out of range", "size=14 ply=0 " + emptyRows, "size is 14"},
		{"unknown key", "colour=3 ply=0 " + emptyRows, "no option colour"},
		{"rows", "ply=0 " + row + emptyRows, "8 rows instead of 7"},
		{"columns", "ply=0 " + strings.Replace(emptyRows, ".", "", 1), "row 7 of the board is not 7"},
		{"letter", "ply=0 " + strings.Replace(emptyRows, ".", "x", 1), "none of . X O"},
		{"more than he owns", "ply=1 " + strings.Replace(emptyRows, row+row, "XXXXXXX/XXX..../", 1), "too many marbles"},
		{"none in hand", "ply=1 " + strings.Replace(emptyRows, row+row, "OOOOOOO/O....../", 1), "too many marbles"},
		{"a full board", "ply=1 " + strings.ReplaceAll(emptyRows, ".", "O"), "too many marbles"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if p, err := New().Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, %v, want an error with %q", p, err, tt.want)
			}
		})
	}
}

func TestParseFinds(t *testing.T) {
	won := "ply=1 " + strings.Replace(emptyRows, "......./.......", "XXXXXXX/X......", 1)
	if got := parse(t, won).Result(); got != games.Won(games.First, allPlaced) {
		t.Errorf("all marbles placed: result %+v", got)
	}
	if got := parse(t, "ply=60 "+emptyRows).Result(); got != games.Drawn(moveLimit) {
		t.Errorf("sixty moves: result %+v", got)
	}
	if p := parse(t, "ply=1 "+strings.Replace(emptyRows, "..", "XO", 1)); p.CanSwap() {
		t.Error("swap is legal with two marbles on the board")
	}
}

func TestBoardView(t *testing.T) {
	p := play(t, start(t, complete(t, games.Options{optSize: 9, optMarbles: 10})), "d4 a9")
	if p.Size() != 9 || p.Marbles() != 10 || p.Ply() != 2 || p.Hand(games.First) != 9 || p.CanSwap() {
		t.Errorf("size %d, marbles %d, ply %d, hand %d, swap %v", p.Size(), p.Marbles(), p.Ply(), p.Hand(games.First), p.CanSwap())
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
	if !play(t, start(t, nil), "a1").CanSwap() {
		t.Error("no swap as second move")
	}
}

func TestForced(t *testing.T) {
	p := parse(t, forcedX)
	if got := p.Forced(); !slices.Equal(got, []games.Move{"b6", "c6"}) {
		t.Errorf("Forced = %v, want b6 and c6", got)
	}
	if got := play(t, p, "b6").Forced(); got != nil {
		t.Errorf("Forced = %v for a player who is free", got)
	}
}

func TestPushes(t *testing.T) {
	p := parse(t, forcedX)
	want := []Push{{games.First, "d5", "e4"}, {games.First, "b7", ""}}
	if diff := cmp.Diff(want, p.Pushes("c6")); diff != "" {
		t.Errorf("Pushes(c6):\n%s", diff)
	}
	if got := p.Pushes("a1"); got != nil {
		t.Errorf("an illegal drop pushes %v", got)
	}
	if got := play(t, start(t, nil), "a1").Pushes("swap"); got != nil {
		t.Errorf("swap pushes %v", got)
	}
}

// TestPlayout plays the same games once more in the plain way: the numbers drawn alike, the moves from the list.
func TestPlayout(t *testing.T) {
	for _, o := range optionSets(t, []int{7, 9, 13}, []int{6, 8, 12}) {
		p := start(t, o)
		for seed := range uint64(40) {
			fast, r := p.State(), games.NewRandom(seed)
			plies := fast.Playout(r, 0)
			slow, r2 := p.State(), games.NewRandom(seed)
			n := 0
			for ; !slow.Result().Over; n++ {
				slow.Play(draw(slow, r2))
			}
			if got, want := fast.Position().String(), slow.Position().String(); got != want || plies != n || *r != *r2 {
				t.Fatalf("%s, seed %d: after %d plies %s, the plain way after %d plies %s", o, seed, plies, got, n, want)
			}
		}
	}
}

// draw takes the forced drops by number, and others by trial among all squares and the swap, as random does.
func draw(s games.State, r *games.Random) games.Code {
	moves := s.Moves(nil)
	p := s.Position().(*Position)
	if p.Forced() != nil {
		return moves[r.N(len(moves))]
	}
	numbers := p.Size() * p.Size()
	if p.CanSwap() {
		numbers++
	}
	for {
		n := r.N(numbers)
		c := games.Code(squareAt(n%p.Size(), n/p.Size()))
		if n == p.Size()*p.Size() {
			c = games.Code(swap)
		}
		if slices.Contains(moves, c) {
			return c
		}
	}
}

// TestPlayoutLength compares with the mean length of the rule sheet, which comes from another engine.
func TestPlayoutLength(t *testing.T) {
	tests := []struct {
		options games.Options
		mean    float64
	}{
		{nil, 36.7}, {games.Options{optMarbles: 6}, 19.6}, {games.Options{optSize: 9}, 22.9},
		{games.Options{optSize: 9, optMarbles: 12}, 41.3}, {games.Options{optSize: 13}, 18.9},
	}
	const played = 2000
	r := games.NewRandom(1)
	for _, tt := range tests {
		first := start(t, complete(t, tt.options)).State()
		s, plies := first.Clone(), 0
		for range played {
			s.Set(first)
			plies += s.Playout(r, 0)
		}
		// The standard deviation of one length is below 13, so that of the mean is below 0.3.
		if mean := float64(plies) / played; math.Abs(mean-tt.mean) > 1.3 {
			t.Errorf("%v: %.1f plies on average, want about %.1f", tt.options, mean, tt.mean)
		}
	}
}

func TestPlayoutStops(t *testing.T) {
	s := start(t, nil).State()
	if n := s.Playout(games.NewRandom(1), 5); n != 5 || s.Result().Over {
		t.Errorf("a playout limited to 5 plies played %d", n)
	}
	if n := testing.AllocsPerRun(10, func() { s.Playout(games.NewRandom(1), 0) }); n > 0 {
		t.Errorf("a playout allocates %v times", n)
	}
}

func TestUniform(t *testing.T) {
	p := play(t, start(t, nil), "d4")
	if got := p.Uniform(); len(got) != 48 || slices.Contains(got, "swap") {
		t.Errorf("the random player has %d moves: %v", len(got), got)
	}
	if p = parse(t, forcedX); !slices.Equal(p.Uniform(), p.Legal()) {
		t.Errorf("the random player has the moves %v, legal are %v", p.Uniform(), p.Legal())
	}
}

func TestGreedyWins(t *testing.T) {
	p := parse(t, "ply=24 turn=X ......./XOOOO.O/......./X.O.OX./......./.X.XXX./.......")
	if got := p.Greedy(); !slices.Equal(got, []games.Move{"f5", "f7"}) {
		t.Errorf("Greedy = %v, want both moves that win", got)
	}
	if got := play(t, p, "f5").Greedy(); len(got) != 0 {
		t.Errorf("Greedy = %v after the end", got)
	}
}

func TestGreedyBeatsRandom(t *testing.T) {
	const played = 200
	for side := range games.Side(2) {
		wins := 0
		for seed := range uint64(played) {
			if duel(t, side, games.NewRandom(seed)) == side.String() {
				wins++
			}
		}
		t.Logf("greedy as %s: %d of %d", side, wins, played)
		if wins < played*8/10 {
			t.Errorf("greedy as %s beats random in %d of %d games", side, wins, played)
		}
	}
}

// duel plays greedy as side against random and returns the result.
func duel(t *testing.T, side games.Side, r *games.Random) string {
	t.Helper()
	p := start(t, nil)
	for !p.Result().Over {
		moves := p.Uniform()
		if p.Turn() == side {
			moves = p.Greedy()
		}
		p = play(t, p, string(moves[r.N(len(moves))]))
	}
	return p.Result().String()
}

func TestLongest(t *testing.T) {
	if n, bounded := New().Longest(nil); n != 60 || !bounded {
		t.Errorf("Longest = %d, %v", n, bounded)
	}
}

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), complete(b, nil)) }

func BenchmarkPlayoutLarge(b *testing.B) {
	for _, o := range []games.Options{{optSize: 9, optMarbles: 12}, {optSize: 13}, {optSize: 13, optMarbles: 12}} {
		o := complete(b, o)
		b.Run(o.String(), func(b *testing.B) { gamestest.Playouts(b, New(), o) })
	}
}
