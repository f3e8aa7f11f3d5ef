package petteia_test

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/petteia"
)

func TestIllegal(t *testing.T) {
	tests := []struct {
		name, played, move, want string
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
			p := play(t, start(t, ""), tt.played)
			before := p.String()
			if _, err := p.Play(games.Move(tt.move)); !errors.Is(err, games.ErrIllegal) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("Play(%s) = %v, want an illegal move saying %q", tt.move, err, tt.want)
			}
			if got := p.String(); got != before {
				t.Errorf("a refused move changed the position: %s -> %s", before, got)
			}
		})
	}
}

func TestRead(t *testing.T) {
	tests := []struct{ typed, want string }{
		{"a1-a5", "a1-a5"},
		{" A1-a5\n", "a1-a5"},
		{"L8 c8", "l8-c8"},
		{"a1   a5", "a1-a5"},
		{"a1a5", ""},
		{"a1 - a5", ""},
		{"a1 a5 a6", ""},
		{"m1-a1", ""},
		{"a1-a9", ""},
		{"a1-\u212a1", ""}, // the Kelvin sign, which some programs take for a capital K
		{"", ""},
		{"\x00", ""},
		{"a1-a5" + strings.Repeat(" ", 1<<20), ""},
	}
	for _, tt := range tests {
		got, err := start(t, "").Read(tt.typed)
		if string(got) != tt.want || (tt.want == "") != errors.Is(err, games.ErrIllegal) {
			t.Errorf("Read(%.40q) = %q, %v, want %q", tt.typed, got, err, tt.want)
		}
	}
}

const emptyRows = "............/............/............/............/............/............/............/"

func TestParse(t *testing.T) {
	board := emptyRows + "X..........O"
	tests := []struct {
		name, text, want string // want is a part of the error, or "" for a position
	}{
		{"fields in any order", "quiet=3 safe_entry=0 captured=1,2 turn=O " + board, ""},
		{"without quiet", "turn=X captured=0,0 " + board, ""},
		{"more blanks", "  turn=X   captured=0,0\t" + board + "\n", ""},
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
		{"option out of range", "turn=X captured=0,0 repetition=1 " + board, "repetition is 1"},
		{"unknown option", "turn=X captured=0,0 cols=3 " + board, "no option"},
		{"7 rows", "turn=X captured=0,0 " + board[13:], "7 rows"},
		{"9 rows", "turn=X captured=0,0 " + emptyRows + board, "rows"},
		{"short row", "turn=X captured=0,0 " + board[1:], "row 8"},
		{"unknown sign", "turn=X captured=0,0 x" + board[1:], "a cell is"},
		{"13 men", "turn=X captured=0,0 " + "XXXXXXXXXXXX" + board[12:], "13 men"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := petteia.New().Parse(tt.text)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Parse(%q) = %v", tt.text, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Parse(%q) = %v, %v, want an error saying %q", tt.text, p, err, tt.want)
			}
		})
	}
}

func TestString(t *testing.T) {
	p := play(t, start(t, "safe_entry=0 quiet_limit=50"), "a1-a7 b8-b5")
	want := "turn=X captured=0,0 quiet=2 safe_entry=0 quiet_limit=50 O.OOOOOOOOOO/X.........../............/" +
		".O........../............/............/............/.XXXXXXXXXXX"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
