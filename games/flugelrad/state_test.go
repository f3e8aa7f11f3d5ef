package flugelrad

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

func TestRuleSheet(t *testing.T) { gamestest.Sheet(t, New(), "RULES.md", nil) }

func TestAbout(t *testing.T) { gamestest.About(t, New(), "connection", "repetition", "move_limit") }

// TestPerft leaves out depth 5, 21,726,318 leaves, which takes most of a minute under the race detector.
func TestPerft(t *testing.T) {
	gamestest.Perft(t, New(), 1_000_000, 30, 840, 24636, 730308, 21726318)
}

func TestProperties(t *testing.T) { gamestest.Properties(t, New(), optionSets(t), 3) }

var kit = gamestest.Kit[*Position]{Game: New()}

// optionSets returns sets in which every value of every option but the limit comes up, and limits short and long.
func optionSets(tb testing.TB) []games.Options {
	tb.Helper()
	return kit.Sets(tb,
		"connect=4", "connect=5", "connect=6", "connect=7",
		"connect=4 chain=1", "connect=5 chain=1", "connect=6 chain=1", "connect=7 chain=1",
		"fresh_wheel=0", "fresh_wheel=0 repetition=0", "fresh_wheel=0 repetition=2",
		"fresh_wheel=0 repetition=4 connect=7 chain=1", "repetition=5 move_limit=0",
		"repetition=0 move_limit=0", "move_limit=1", "move_limit=20", "move_limit=1000 connect=7")
}

const (
	startRow = "XO...OXOX..X..XO...OXO..OXOXOX"
	wheel5   = "turn=X last=3 XO...OXOX....XOX..OOXOXXOXO..." // wheel 5 reads XOXOXO
	wonByO   = "turn=X last=5 turns=8 ..XXOO..XOOXO...OO.O..XOXXXX.."
)

func TestIllegal(t *testing.T) {
	fresh := kit.Start(t, "")
	tests := []struct {
		name string
		p    *Position
		move games.Move
		want string
	}{
		{"just turned", kit.Play(t, fresh, "0:1"), "0:5", "wheel 0 was turned just now"},
		{"empty", fresh, "3:1", "wheel 3 is empty"},
		{"pattern into itself", kit.Parse(t, wheel5), "5:2", "this turn would change nothing"},
		{"after the end", kit.Parse(t, wonByO), "0:1", "the game is over"},
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
		t.Run(tt.name, func(t *testing.T) { gamestest.Refused(t, tt.p, tt.move, tt.want) })
	}
}

func TestRead(t *testing.T) {
	gamestest.Read(t, kit.Start(t, ""), []gamestest.Reading{
		{"plain", "3:2", "3:2"},
		{"outer spaces", "\t 3:2 \n", "3:2"},
		{"space for the colon", " 3 2", "3:2"},
		{"several spaces", "3   2", "3:2"},
		{"both", "3: 2", "3:2"},
		{"nothing between", "32", "3:2"},
		{"a hyphen", "3-2", "3:2"},
		{"two colons", "3::2", ""},
		{"three digits", "321", ""},
		{"no steps", "3", ""},
		{"no wheel", "7:2", ""},
		{"no digits", "a b", ""},
		{"nothing", " ", ""},
		{"escape", "\x1b[2J", ""},
	})
}

func TestParseRefuses(t *testing.T) {
	gamestest.ParseRefuses(t, New(), []gamestest.Refusal{
		{"nothing", "", "empty"},
		{"no turn", startRow, "turn is missing"},
		{"no side", "turn=x " + startRow, "neither X nor O"},
		{"twice", "turn=X turn=X " + startRow, "turn is given twice"},
		{"no wheel", "turn=X last=7 " + startRow, "last is not a wheel"},
		{"negative", "turn=X turns=-1 " + startRow, "turns is not a number"},
		{"too many turns", "turn=X turns=201 " + startRow, "more than the limit of 200"},
		{"endless turns", "turn=X turns=1000000001 move_limit=0 " + startRow, "turns is not a number"},
		{"option out of range", "turn=X repetition=1 " + startRow, "repetition 1 isn't allowed: 0 or 2 to 5"},
		{"unknown key", "turn=X colour=1 " + startRow, "no option colour"},
		{"length", "turn=X " + startRow + ".", "31 points instead of 30"},
		{"letter", "turn=X " + strings.Replace(startRow, ".", "x", 1), "point 3 is none of . X O"},
		{"balls", "turn=X " + strings.Replace(startRow, ".", "X", 1), "10 X and 9 O"},
	})
}

func TestParseFinds(t *testing.T) {
	gamestest.Endings(t, New(), []gamestest.Ending{
		{"a group", wonByO, games.Won(games.Second, "connection")},
		{"the limit", "turn=X turns=200 " + startRow, games.Drawn("move_limit")},
		{"nothing", "turn=X turns=199 " + startRow, games.Result{}},
	})
}

func TestLongest(t *testing.T) {
	tests := []struct {
		words   string
		plies   int
		bounded bool
	}{
		{"", 200, true},
		{"move_limit=7 repetition=0", 7, true},
		{"move_limit=0", 0, true},
		{"move_limit=0 repetition=0", 0, false},
	}
	for _, tt := range tests {
		if plies, bounded := New().Longest(kit.Options(t, tt.words)); plies != tt.plies || bounded != tt.bounded {
			t.Errorf("%q: Longest = %d, %v, want %d, %v", tt.words, plies, bounded, tt.plies, tt.bounded)
		}
	}
}

func TestRandomLength(t *testing.T) {
	// A length has a standard deviation below the length itself, and the two means have one below a twentieth of it.
	gamestest.MeanLengths(t, New(), 0.1, []gamestest.Mean{
		{kit.Options(t, ""), 44.9}, {kit.Options(t, "chain=1"), 50.7}, {kit.Options(t, "fresh_wheel=0"), 51},
		{kit.Options(t, "connect=4"), 14.5}, {kit.Options(t, "connect=5"), 25.3}, {kit.Options(t, "connect=7"), 88.8},
		{kit.Options(t, "repetition=0 move_limit=0"), 44},
	})
}

func TestAllocates(t *testing.T) {
	for _, words := range []string{"", "repetition=0", "connect=7 move_limit=1000"} {
		gamestest.AllocatesNothing(t, kit.Start(t, words))
	}
}

func TestKeepsNothing(t *testing.T) {
	s := kit.Start(t, "repetition=0").State()
	if gamestest.PlayRandomly(s, games.NewRandom(1), 1000); s.(*State).seen.Len() > 0 {
		t.Error("positions are kept though no repetition ends the game")
	}
}

// TestBranches plays two ways on from one position: neither may write into the past of the other. The lengths differ,
// because slices have room at their ends at some of them only.
func TestBranches(t *testing.T) {
	for _, before := range []string{"", "2:1", "2:1 4:1", "2:1 4:1 2:1", "2:1 4:1 2:1 4:1", "2:1 4:1 2:1 4:1 2:1"} {
		p := kit.Play(t, kit.Start(t, ""), before+" 0:1 5:1 0:5")
		one, other := kit.Play(t, p, "5:5"), kit.Play(t, p, "1:1")
		if got := kit.Play(t, one, "0:1 5:1 0:5 5:5").Result(); got != games.Drawn("repetition") {
			t.Errorf("after %q: the third occurrence of a position is %+v", before, got)
		}
		if n := other.Repeated(); n != 1 {
			t.Errorf("after %q: a new position has come up %d times", before, n)
		}
	}
}

// TestRepetitionMindsTheTurn: three turns of one wheel that make a whole turn lead to the same board, but the other player
// is to move.
func TestRepetitionMindsTheTurn(t *testing.T) {
	p := kit.Play(t, kit.Start(t, "fresh_wheel=0 repetition=2"), "0:1 0:2 0:3")
	if p.Rows()[0] != startRow || p.Result().Over || p.Repeated() != 1 {
		t.Errorf("%s: %+v, come up %d times", p, p.Result(), p.Repeated())
	}
	if got := kit.Play(t, p, "0:4 0:1 0:1").Result(); got != games.Drawn("repetition") {
		t.Errorf("the start with the same player to move: %+v", got)
	}
}

func TestGreedyAgainstItself(t *testing.T) {
	p := kit.Start(t, "")
	var moves []string
	for !p.Result().Over {
		best := p.Greedy()
		if len(best) != 1 {
			t.Fatalf("Greedy = %v, want one move", best)
		}
		moves = append(moves, string(best[0]))
		p = kit.Play(t, p, string(best[0]))
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
	for side, wins := range gamestest.GreedyWins(t, New(), 300) {
		if wins < 170 || wins > 240 {
			t.Errorf("greedy as %s beats random in %d of 300 games, want about 204", games.Side(side), wins)
		}
	}
}
