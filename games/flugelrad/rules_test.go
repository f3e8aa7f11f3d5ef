package flugelrad

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func TestRuleSheet(t *testing.T) { gamestest.Sheet(t, New(), "RULES.md", nil) }

func TestAbout(t *testing.T) { gamestest.About(t, New(), connection, repetition, moveLimit) }

// TestPerft leaves out depth 5, 21,726,318 leaves, which takes most of a minute under the race detector.
func TestPerft(t *testing.T) {
	gamestest.Perft(t, New(), 1_000_000, 30, 840, 24636, 730308, 21726318)
}

func TestLaws(t *testing.T) { gamestest.Laws(t, New(), optionSets(t), 3) }

// optionSets returns sets in which every value of every option but the limit comes up, and limits short and long.
func optionSets(t testing.TB) []games.Options {
	t.Helper()
	var sets []games.Options
	for connect := 4; connect <= 7; connect++ {
		for chain := range 2 {
			sets = append(sets, complete(t, games.Options{optConnect: connect, optChain: chain}))
		}
	}
	for _, o := range []games.Options{
		{optFreshWheel: 0}, {optFreshWheel: 0, optRepetition: 0}, {optFreshWheel: 0, optRepetition: 2},
		{optFreshWheel: 0, optRepetition: 4, optConnect: 7, optChain: 1}, {optRepetition: 5, optMoveLimit: 0},
		{optRepetition: 0, optMoveLimit: 0}, {optMoveLimit: 1}, {optMoveLimit: 20}, {optMoveLimit: 1000, optConnect: 7},
	} {
		sets = append(sets, complete(t, o))
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
	p, err := New().New(complete(t, o))
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

const (
	startRow = "XO...OXOX..X..XO...OXO..OXOXOX"
	wheel5   = "turn=X last=3 XO...OXOX....XOX..OOXOXXOXO..." // wheel 5 reads XOXOXO
	wonByO   = "turn=X last=5 turns=8 ..XXOO..XOOXO...OO.O..XOXXXX.."
)

func TestIllegal(t *testing.T) {
	fresh := start(t, nil)
	tests := []struct {
		name string
		p    *Position
		move games.Move
		want string
	}{
		{"just turned", play(t, fresh, "0:1"), "0:5", "wheel 0 was turned just now"},
		{"empty", fresh, "3:1", "wheel 3 is empty"},
		{"pattern into itself", parse(t, wheel5), "5:2", "this turn would change nothing"},
		{"after the end", parse(t, wonByO), "0:1", "the game is over"},
		{"no such wheel", fresh, "7:1", notATurn},
		{"no step", fresh, "0:0", notATurn},
		{"whole turn", fresh, "0:6", notATurn},
		{"space", fresh, "0 1", notATurn},
		{"outer space", fresh, " 0:1", notATurn},
		{"leading zero", fresh, "0:01", notATurn},
		{"nothing", fresh, "", notATurn},
		{"NUL", fresh, "\x00:1", notATurn},
		{"endless", fresh, games.Move(strings.Repeat("0:1", 500_000)), notATurn},
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
	tests := []struct {
		name, typed string
		want        games.Move // empty: refused
	}{
		{"plain", "3:2", "3:2"},
		{"outer spaces", "\t 3:2 \n", "3:2"},
		{"space for the colon", " 3 2", "3:2"},
		{"several spaces", "3   2", "3:2"},
		{"both", "3: 2", ""},
		{"no wheel", "7:2", ""},
		{"no digits", "a b", ""},
		{"nothing", " ", ""},
		{"escape", "\x1b[2J", ""},
	}
	p := start(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := p.Read(tt.typed)
			if got != tt.want || (err == nil) != (tt.want != "") || err != nil && !errors.Is(err, games.ErrIllegal) {
				t.Errorf("Read(%q) = %q, %v, want %q", tt.typed, got, err, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "empty position"},
		{"no turn", startRow, "turn is missing"},
		{"no side", "turn=x " + startRow, "neither X nor O"},
		{"twice", "turn=X turn=X " + startRow, "turn is given twice"},
		{"no wheel", "turn=X last=7 " + startRow, "last is not a wheel"},
		{"negative", "turn=X turns=-1 " + startRow, "turns is not a number"},
		{"too many turns", "turn=X turns=201 " + startRow, "more than the limit of 200"},
		{"endless turns", "turn=X turns=1000000001 move_limit=0 " + startRow, "turns is not a number"},
		{"option out of range", "turn=X repetition=1 " + startRow, "repetition is 1; allowed is 0, 2 to 5"},
		{"unknown key", "turn=X colour=1 " + startRow, "no option colour"},
		{"length", "turn=X " + startRow + ".", "31 points instead of 30"},
		{"letter", "turn=X " + strings.Replace(startRow, ".", "x", 1), "point 3 is none of . X O"},
		{"balls", "turn=X " + strings.Replace(startRow, ".", "X", 1), "10 X and 9 O"},
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
	tests := []struct {
		name, text string
		want       games.Result
	}{
		{"a group", wonByO, games.Won(games.Second, connection)},
		{"the limit", "turn=X turns=200 " + startRow, games.Drawn(moveLimit)},
		{"nothing", "turn=X turns=199 " + startRow, games.Result{}},
	}
	for _, tt := range tests {
		if got := parse(t, tt.text).Result(); got != tt.want {
			t.Errorf("%s: result %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestLongest(t *testing.T) {
	tests := []struct {
		options games.Options
		plies   int
		bounded bool
	}{
		{nil, 200, true},
		{games.Options{optMoveLimit: 7, optRepetition: 0}, 7, true},
		{games.Options{optMoveLimit: 0}, 0, true},
		{games.Options{optMoveLimit: 0, optRepetition: 0}, 0, false},
	}
	for _, tt := range tests {
		if plies, bounded := New().Longest(complete(t, tt.options)); plies != tt.plies || bounded != tt.bounded {
			t.Errorf("%v: Longest = %d, %v, want %d, %v", tt.options, plies, bounded, tt.plies, tt.bounded)
		}
	}
}

// TestPlayout plays the same games once more in the plain way: the numbers drawn alike, the moves from the list.
func TestPlayout(t *testing.T) {
	for _, o := range optionSets(t) {
		p := start(t, o)
		for seed := range uint64(20) {
			fast, r := p.State(), games.NewRandom(seed)
			plies := fast.Playout(r, 500)
			slow, r2 := p.State(), games.NewRandom(seed)
			n := 0
			for ; !slow.Result().Over && n < 500; n++ {
				slow.Play(draw(slow.(*State), r2))
			}
			if got, want := fast.Position().String(), slow.Position().String(); got != want || plies != n || *r != *r2 {
				t.Fatalf("%s, seed %d: after %d plies %s, the plain way after %d plies %s", o, seed, plies, got, n, want)
			}
			if fast.Result() != slow.Result() {
				t.Fatalf("%s, seed %d: %+v, the plain way %+v", o, seed, fast.Result(), slow.Result())
			}
		}
	}
}

// draw numbers the turns of all wheels but a locked one, and draws until one is in the list of moves.
func draw(s *State, r *games.Random) games.Code {
	var numbered []games.Code
	for c := range games.Code(35) {
		if wheel, _ := decode(c); s.rules.options[optFreshWheel] == 0 || wheel != s.last {
			numbered = append(numbered, c)
		}
	}
	for moves := s.Moves(nil); ; {
		if c := numbered[r.N(len(numbered))]; slices.Contains(moves, c) {
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
		{nil, 44.9}, {games.Options{optChain: 1}, 50.7}, {games.Options{optFreshWheel: 0}, 51},
		{games.Options{optConnect: 4}, 14.5}, {games.Options{optConnect: 5}, 25.3}, {games.Options{optConnect: 7}, 88.8},
		{games.Options{optRepetition: 0, optMoveLimit: 0}, 44},
	}
	const played = 2000
	r := games.NewRandom(1)
	for _, tt := range tests {
		first := start(t, tt.options).State()
		s, plies := first.Clone(), 0
		for range played {
			s.Set(first)
			plies += s.Playout(r, 0)
		}
		// The standard deviation of a length is less than the length, that of the two means below a twentieth of it.
		if mean := float64(plies) / played; math.Abs(mean-tt.mean) > tt.mean/10 {
			t.Errorf("%v: %.1f plies on average, want about %.1f", tt.options, mean, tt.mean)
		}
	}
}

func TestPlayoutKeepsNothing(t *testing.T) {
	first := start(t, nil).State()
	s, r := first.Clone(), games.NewRandom(1)
	s.(*State).history = make([]sides, 0, 201)
	if n := testing.AllocsPerRun(50, func() { s.Set(first); s.Playout(r, 0) }); n > 0 {
		t.Errorf("a playout allocates %v times", n)
	}
	s = start(t, games.Options{optRepetition: 0}).State()
	if s.Playout(r, 0); s.(*State).history != nil {
		t.Error("positions are kept though no repetition ends the game")
	}
	s = start(t, nil).State()
	if n := s.Playout(r, 3); n != 3 || s.Result().Over {
		t.Errorf("a playout limited to 3 plies played %d", n)
	}
}

// TestBranches plays two ways on from one position: neither may write into the past of the other. The lengths differ,
// because slices have room at their ends at some of them only.
func TestBranches(t *testing.T) {
	for _, before := range []string{"", "2:1", "2:1 4:1", "2:1 4:1 2:1", "2:1 4:1 2:1 4:1", "2:1 4:1 2:1 4:1 2:1"} {
		p := play(t, start(t, nil), before+" 0:1 5:1 0:5")
		one, other := play(t, p, "5:5"), play(t, p, "1:1")
		if got := play(t, one, "0:1 5:1 0:5 5:5").Result(); got != games.Drawn(repetition) {
			t.Errorf("after %q: the third occurrence of a position is %+v", before, got)
		}
		if n := other.Repeated(); n != 1 {
			t.Errorf("after %q: a new position has come up %d times", before, n)
		}
	}
}

func TestGreedyAgainstItself(t *testing.T) {
	p := start(t, nil)
	var moves []string
	for !p.Result().Over {
		best := p.Greedy()
		if len(best) != 1 {
			t.Fatalf("Greedy = %v, want one move", best)
		}
		moves = append(moves, string(best[0]))
		p = play(t, p, string(best[0]))
	}
	if got, want := strings.Join(moves, " "), "0:2 2:4 4:2 1:4 5:4 6:3 3:1 5:3"; got != want {
		t.Errorf("greedy against itself plays %s, want %s", got, want)
	}
	if got := p.Greedy(); len(got) != 0 {
		t.Errorf("Greedy = %v after the end", got)
	}
}

// TestGreedyBeatsRandom: the rule sheet has 206 of 300 games as first player, 202 as second.
func TestGreedyBeatsRandom(t *testing.T) {
	const played = 300
	for side := range games.Side(2) {
		wins := 0
		for seed := range uint64(played) {
			if duel(t, side, games.NewRandom(seed)) == side.String() {
				wins++
			}
		}
		t.Logf("greedy as %s: %d of %d", side, wins, played)
		if wins < 170 || wins > 240 {
			t.Errorf("greedy as %s beats random in %d of %d games, want about 204", side, wins, played)
		}
	}
}

// duel plays greedy as side against random and returns the result.
func duel(t *testing.T, side games.Side, r *games.Random) string {
	t.Helper()
	p := start(t, nil)
	for !p.Result().Over {
		moves := p.Legal()
		if p.Turn() == side {
			moves = p.Greedy()
		}
		p = play(t, p, string(moves[r.N(len(moves))]))
	}
	return p.Result().String()
}

func BenchmarkPlayout(b *testing.B) { gamestest.Playouts(b, New(), complete(b, nil)) }

func BenchmarkPlayoutLong(b *testing.B) {
	gamestest.Playouts(b, New(), complete(b, games.Options{optConnect: 7, optChain: 1, optMoveLimit: 1000}))
}
