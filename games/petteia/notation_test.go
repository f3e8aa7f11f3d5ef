package petteia_test

import (
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
	"ludoteca/games/petteia"
)

func TestIllegal(t *testing.T) {
	tests := []struct {
		name, played string
		move         games.Move
		want         string
	}{
		{"empty cell", "", "a2-a3", "no man of yours on a2"},
		{"enemy man", "", "a8-a7", "no man of yours on a8"},
		{"not moving", "", "a1-a1", "the man must move"},
		{"diagonal", "", "a1-b2", "not in a straight line"},
		{"onto an enemy", "", "a1-a8", "a8 stands in the way"},
		{"onto an own man", "", "a1-b1", "b1 stands in the way"},
		{"over two men, to the right", "", "a1-d1", "b1 stands in the way"},
		{"over two men, to the left", "", "d1-a1", "c1 stands in the way"},
		{"over an enemy", "b1-b7 c8-c7", "b7-d7", "c7 stands in the way"},
		{"upper case", "", "A1-A5", "not a move"},
		{"space", "", "a1 a5", "not a move"},
		{"outer space", "", " a1-a5", "not a move"},
		{"no such column", "", "m1-m5", "not a move"},
		{"no such row", "", "a1-a9", "not a move"},
		{"row 0", "", "a1-a0", "not a move"},
		{"leading zero", "", "a1-a05", "not a move"},
		{"nothing", "", "", "not a move"},
		{"three cells", "", "a1-a3-a5", "not a move"},
		{"after the end", "a1-a2 a8-a7 a2-a1 a7-a8 a1-a2 a8-a7 a2-a1 a7-a8", "a1-a2", "the game is over"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gamestest.Refused(t, kit.Play(t, kit.Start(t, ""), tt.played), tt.move, tt.want)
		})
	}
}

func TestRead(t *testing.T) {
	gamestest.Read(t, kit.Start(t, ""), []gamestest.Reading{
		{"plain", "a1-a5", "a1-a5"},
		{"upper case and outer spaces", " A1-a5\n", "a1-a5"},
		{"a space for the hyphen", "L8 c8", "l8-c8"},
		{"several", "a1   a5", "a1-a5"},
		{"nothing between", "a1a5", "a1-a5"},
		{"nothing between, upper case", "F1F4", "f1-f4"},
		{"both", "a1 - a5", "a1-a5"},
		{"an x", "e4xg4", "e4-g4"},
		{"two hyphens", "a1--a5", ""},
		{"one cell", "a1", ""},
		{"a leading zero", "a01a5", ""},
		{"three cells", "a1 a5 a6", ""},
		{"no such column", "m1-a1", ""},
		{"no such row", "a1-a9", ""},
		{"not ASCII", "a1-\u212a1", ""}, // the Kelvin sign, which some programs take for a capital K
		{"nothing", "", ""},
		{"NUL", "\x00", ""},
		{"endless", "a1" + strings.Repeat(" ", 1<<20) + "a5", ""},
	})
}

const emptyRows = "............/............/............/............/............/............/............/"

func TestParse(t *testing.T) {
	board := emptyRows + "X..........O"
	for _, text := range []string{
		"quiet=3 safe_entry=0 captured=1,2 turn=O " + board, // fields in any order
		"turn=X captured=0,0 " + board,                      // without quiet
		"  turn=X   captured=0,0\t" + board + "\n",
	} {
		kit.Parse(t, text)
	}
	gamestest.ParseRefuses(t, petteia.New(), []gamestest.Refusal{
		{"nothing", "", "empty"},
		{"only a board", board, "turn is"},
		{"no turn", "captured=0,0 " + board, "turn is"},
		{"unknown turn", "turn=x captured=0,0 " + board, "turn is"},
		{"both turns", "turn=XO captured=0,0 " + board, "turn is"},
		{"no captures", "turn=X " + board, "captured is"},
		{"one number", "turn=X captured=1 " + board, "captured is"},
		{"13 captures", "turn=X captured=13,0 " + board, "captured is"},
		{"negative captures", "turn=X captured=-1,0 " + board, "captured is"},
		{"huge quiet", "turn=X captured=0,0 quiet=99999999999999999999 " + board, "quiet is"},
		{"twice", "turn=X turn=X captured=0,0 " + board, "twice"},
		{"option twice", "turn=X captured=0,0 safe_entry=0 safe_entry=0 " + board, "twice"},
		{"option out of range", "turn=X captured=0,0 repetition=1 " + board, "repetition 1 isn't allowed"},
		{"unknown option", "turn=X captured=0,0 cols=3 " + board, "no option"},
		{"7 rows", "turn=X captured=0,0 " + board[13:], "7 rows"},
		{"9 rows", "turn=X captured=0,0 " + emptyRows + board, "rows"},
		{"short row", "turn=X captured=0,0 " + board[1:], "row 8"},
		{"unknown sign", "turn=X captured=0,0 x" + board[1:], "a cell is"},
		{"13 men", "turn=X captured=0,0 " + "XXXXXXXXXXXX" + board[12:], "13 men"},
	})
}

func TestString(t *testing.T) {
	p := kit.Play(t, kit.Start(t, "safe_entry=0 quiet_limit=50"), "a1-a7 b8-b5")
	want := "turn=X captured=0,0 quiet=2 safe_entry=0 quiet_limit=50 O.OOOOOOOOOO/X.........../............/" +
		".O........../............/............/............/.XXXXXXXXXXX"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
