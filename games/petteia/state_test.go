package petteia_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
	"ludoteca/games/petteia"
)

var kit = gamestest.Kit[*petteia.Position]{Game: petteia.New()}

func TestSheet(t *testing.T) {
	gamestest.Sheet(t, petteia.New(), "RULES.md", map[string]gamestest.Line{
		"captured": func(p games.Position, args []string) error {
			q := p.(*petteia.Position)
			if got := fmt.Sprintf("%d,%d", q.Captured(games.First), q.Captured(games.Second)); got != args[0] {
				return fmt.Errorf("captured is %s", got)
			}
			return nil
		},
	})
}

func TestPerft(t *testing.T) {
	gamestest.Perft(t, petteia.New(), 400_000, 72, 4932, 397914, 30929072)
}

func TestProperties(t *testing.T) {
	gamestest.Properties(t, petteia.New(), manySets(t), 1)
}

func TestAllocates(t *testing.T) {
	for _, words := range []string{"", "safe_entry=0", "quiet_limit=1000", "repetition=0"} {
		gamestest.AllocatesNothing(t, kit.Start(t, words))
	}
}

func TestOptions(t *testing.T) {
	kit.Sets(t, "captures_to_win=1", "captures_to_win=12", "safe_entry=0", "repetition=0", "repetition=2", "repetition=5",
		"quiet_limit=0", "quiet_limit=1", "quiet_limit=1000", "quiet_limit=0 repetition=0 safe_entry=0 captures_to_win=12")
	gamestest.OptionsRefused(t, petteia.New(), []gamestest.Refusal{
		{"no capture wins", "captures_to_win=0", "captures_to_win 0 isn't allowed"},
		{"more captures than men", "captures_to_win=13", "captures_to_win 13 isn't allowed"},
		{"neither yes nor no", "safe_entry=2", "safe_entry 2 isn't allowed"},
		{"the first time", "repetition=1", "repetition 1 isn't allowed"},
		{"too many times", "repetition=6", "repetition 6 isn't allowed"},
		{"too quiet", "quiet_limit=1001", "quiet_limit 1001 isn't allowed"},
		{"negative", "quiet_limit=-1", "quiet_limit -1 isn't allowed"},
		{"an unknown one", "rows=8", "no option rows"},
	})
	if p, err := petteia.New().New(games.Options{"safe_entry": 0}); !errors.Is(err, games.ErrOptions) {
		t.Errorf("New with incomplete options = %v, %v", p, err)
	}
}

func TestParsedEnds(t *testing.T) {
	gamestest.Endings(t, petteia.New(), []gamestest.Ending{
		{"the mover has enough", "turn=O captured=7,0 " + emptyRows + "X..........O", games.Won(games.First, "captures")},
		{"both have enough", "turn=O captured=7,7 " + emptyRows + "X..........O", games.Won(games.First, "captures")},
		{"quiet", "turn=O captured=0,0 quiet=100 " + emptyRows + "X..........O", games.Drawn("no_progress")},
		{"no man left", "turn=O captured=0,0 " + emptyRows + "X...........", games.Drawn("no_moves")},
		{"none", "turn=O captured=6,6 quiet=99 " + emptyRows + "X..........O", games.Result{}},
	})
}

func TestViewOfThePosition(t *testing.T) {
	p := kit.Parse(t, "turn=X captured=2,1 quiet=9 safe_entry=0 captures_to_win=5 repetition=4 quiet_limit=40 "+
		"............/............/...X......../...O......../..O.O......./............/............/...X.......X")
	if side, man := p.At(petteia.CellAt(3, 5)); side != games.First || !man {
		t.Errorf("At(d6) = %v, %v", side, man)
	}
	if side, man := p.At(petteia.CellAt(2, 3)); side != games.Second || !man {
		t.Errorf("At(c4) = %v, %v", side, man)
	}
	if _, man := p.At(petteia.CellAt(0, 0)); man {
		t.Error("a man on a1")
	}
	if got := fmt.Sprint(p.Captures("d1-d4")); got != "[d5]" || !p.Loses("d1-d4") {
		t.Errorf("Captures(d1-d4) = %s, loses %v", got, p.Loses("d1-d4"))
	}
	if got := p.Captures("d1-d8"); got != nil || p.Loses("d1-d8") {
		t.Errorf("Captures of an illegal move = %v", got)
	}
	turns, limit := p.Quiet()
	times, allowed := p.Occurrences()
	if turns != 9 || limit != 40 || times != 1 || allowed != 4 || p.ToWin() != 5 || p.SafeEntry() {
		t.Errorf("quiet %d of %d, time %d of %d, %d to win, safe %v", turns, limit, times, allowed, p.ToWin(), p.SafeEntry())
	}
}

// TestBranches plays two different games on from the same positions: neither may see the other's history.
func TestBranches(t *testing.T) {
	root := kit.Play(t, kit.Start(t, ""), "a1-a2 a8-a7 a2-a1 a7-a8 a1-a2 a8-a7 a2-a1")
	left := kit.Play(t, root, "l8-l7")
	right := kit.Play(t, root, "a7-a8")
	left2 := kit.Play(t, left, "a1-a2")
	if got := right.Result(); got != games.Drawn("repetition") {
		t.Errorf("right: %v", got)
	}
	if left.Result().Over || left2.Result().Over {
		t.Errorf("left: %v %v", left.Result(), left2.Result())
	}
	if got := kit.Play(t, root, "a7-a8").Result(); got != right.Result() {
		t.Errorf("right again: %v", got)
	}
}

// TestLongHistory lets X go round and round through the 12 cells of row 2 and O through 11 of row 7: the first position
// that comes up again is the first of all, 2 times 12 times 11 plies later. It must be found, and none before it.
func TestLongHistory(t *testing.T) {
	for repetition := 2; repetition <= 4; repetition++ {
		s := kit.Start(t, fmt.Sprintf("quiet_limit=0 repetition=%d", repetition)).State()
		playAll(t, s, "a1-a2", "a8-a7")
		plies := 0
		for ; !s.Result().Over; plies += 2 {
			n := plies / 2
			playAll(t, s,
				fmt.Sprintf("%c2-%c2", 'a'+n%12, 'a'+(n+1)%12),
				fmt.Sprintf("%c7-%c7", 'a'+n%11, 'a'+(n+1)%11))
		}
		if want := (repetition - 1) * 2 * 12 * 11; plies != want || s.Result().Reason != "repetition" {
			t.Errorf("repetition=%d: %s after %d plies, want %d", repetition, s.Result().Reason, plies, want)
		}
	}
}

func playAll(t *testing.T, s games.State, moves ...string) {
	t.Helper()
	for _, m := range moves {
		c, err := s.Code(games.Move(m))
		if err != nil {
			t.Fatalf("%s: %v", s.Freeze(), err)
		}
		s.Play(c)
	}
}

func TestLongest(t *testing.T) {
	tests := []struct {
		words   string
		plies   int
		bounded bool
	}{
		{"", 13*100 - 1, true},
		{"safe_entry=0", 13 * 100, true},
		{"quiet_limit=99", 13 * 99, true},
		{"captures_to_win=1", 100, true},
		{"captures_to_win=12", 22*100 - 1, true},
		{"quiet_limit=1 captures_to_win=12", 22, true},
		{"quiet_limit=0", 0, true},
		{"quiet_limit=0 repetition=0", 0, false},
		{"repetition=0 quiet_limit=1000", 13*1000 - 1, true},
	}
	for _, tt := range tests {
		plies, bounded := petteia.New().Longest(kit.Start(t, tt.words).Options())
		if plies != tt.plies || bounded != tt.bounded {
			t.Errorf("%q: %d, %v, want %d, %v", tt.words, plies, bounded, tt.plies, tt.bounded)
		}
	}
}

func TestGreedyBeatsRandom(t *testing.T) {
	if wins := gamestest.GreedyWins(t, petteia.New(), 30); wins[0]+wins[1] < 58 {
		t.Errorf("greedy won %v of 60 games", wins)
	}
}

func TestGreedyCountsTheManLost(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a capture that costs the man gains nothing", "turn=X captured=0,0 safe_entry=0 " +
			"O.........../............/...X......../...O......../..O.O......./............/............/...X.......X",
			"many"},
		{"with safe entry it does", "turn=X captured=0,0 " +
			"O.........../............/...X......../...O......../..O.O......./............/............/...X.......X",
			"d1-d4"},
	} {
		moves := kit.Parse(t, tt.text).Greedy()
		got := "many"
		if len(moves) == 1 {
			got = string(moves[0])
		}
		if got != tt.want || !slices.IsSorted(moves) {
			t.Errorf("%s: %v, want %s", tt.name, moves, tt.want)
		}
	}
}

func TestAbout(t *testing.T) {
	gamestest.About(t, petteia.New(), "captures", "no_moves", "repetition", "no_progress")
}
