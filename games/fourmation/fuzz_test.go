package fourmation

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
)

// FuzzRead reads and plays any text as a move: nothing panics, errors are illegal moves that name a rule, what is read
// is read again, and what is read in a legal form is legal.
func FuzzRead(f *testing.F) {
	for _, typed := range []string{"d4", " E5 ", "a10", "p16", "z99", "d0", "d04", "4d", "", "d", "\x00", "\xff\xfe", "d\u0664",
		"\u212a4", "d4 e5", "d99999999999999999999", strings.Repeat("a", 1000)} {
		f.Add(typed, "d4 e5")
		f.Add(typed, "")
	}
	f.Fuzz(func(t *testing.T, typed, played string) {
		p := playAny(t, played)
		before := p.String()
		m, err := p.Read(typed)
		if err != nil {
			illegal(t, err)
			m = games.Move(typed)
		} else if again, err := p.Read(string(m)); err != nil || again != m {
			t.Errorf("Read(%q) = %q, read again %q, %v", typed, m, again, err)
		}
		_, legal := p.State().Code(m)
		if _, err := p.Play(m); (err == nil) != legal {
			t.Errorf("Play(%q) = %v, State says legal %v", m, err, legal)
		} else if err != nil {
			illegal(t, err)
		}
		if got := p.String(); got != before {
			t.Errorf("%q changed the position %s to %s", typed, before, got)
		}
	})
}

// playAny plays the words that are legal moves from the default start and passes over the others.
func playAny(t *testing.T, moves string) games.Position {
	t.Helper()
	p, err := New().New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range strings.Fields(moves) {
		if next, err := p.Play(games.Move(m)); err == nil {
			p = next
		}
	}
	return p
}

func illegal(t *testing.T, err error) {
	t.Helper()
	var e *games.IllegalError
	if !errors.As(err, &e) || !errors.Is(err, games.ErrIllegal) || strings.ContainsAny(e.Error(), "\n\r\x1b\x00") {
		t.Errorf("%q is no error about an illegal move, or not safe to print", err)
	}
}

// FuzzOptions reads any text as options: nothing panics, refused options are also refused by New, and accepted ones
// make a game.
func FuzzOptions(f *testing.F) {
	for _, words := range []string{"", "cols=3 rows=3 win_length=3", "win_length=16 cols=16", "cols=3 rows=3", "cols=99", "x=1",
		"cols", "cols=", "cols=+7", "cols=7 cols=7", "cols=-0", "rows=9999999999999999999999", "=7", "win_length=0"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		o, err := games.ParseOptions(New(), strings.Fields(words))
		if err != nil {
			if !errors.Is(err, games.ErrOptions) {
				t.Errorf("ParseOptions(%q) = %v", words, err)
			}
			return
		}
		p, err := New().New(o)
		if err != nil {
			t.Fatalf("New(%s) = %v", o, err)
		}
		if got := p.Options(); !got.Equal(o) {
			t.Errorf("a game with %s has the options %s", o, got)
		}
	})
}

// FuzzParse reads any text as a position: nothing panics, and what is accepted is written and read back, agrees with its
// state, and can be played out.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"last=- turn=X ......./......./......./......./......./......./.......",
		"cols=4 rows=4 win_length=3 last=b4 turn=O .X../OX../OO../XX..",
		"turn=O last=b2 rows=3 cols=3 win_length=3 .../.X./...",
		"cols=8 rows=3 win_length=3 last=f2 turn=X O.O.O.../.....O../XXX....X",
		"cols=3 rows=3 win_length=3 last=a1 turn=O OXO/OXO/XXX",
		"cols=3 rows=3 win_length=3 last=z9 turn=O .../.X./...", "last=d4", "", "/", "turn=X turn=X .", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := New().Parse(text)
		if err != nil {
			return
		}
		back, err := New().Parse(p.String())
		if err != nil || back.String() != p.String() || back.Result() != p.Result() {
			t.Fatalf("%q is %s, read back %v, %v", text, p, back, err)
		}
		if over := p.Result().Over; over != (len(p.Legal()) == 0) || over != (len(p.(games.Greedy).Greedy()) == 0) {
			t.Errorf("%s: over %v, legal %v", p, over, p.Legal())
		}
		s := p.State()
		if longest, _ := New().Longest(p.Options()); s.Playout(games.NewRandom(1), 0) > longest || !s.Result().Over {
			t.Errorf("%s: a playout does not end", p)
		}
	})
}

// FuzzGame plays any bytes as a list of moves, each byte one of all cells of the board: a refused one changes nothing,
// State and Position agree on what is legal, and the game ends within its longest length.
func FuzzGame(f *testing.F) {
	f.Add(uint8(7), uint8(7), uint8(4), []byte("\x18\x20\x19\x21"))
	f.Add(uint8(3), uint8(3), uint8(3), []byte("\x04\x00\x01\x02\x05\x08\x07\x06\x03"))
	f.Add(uint8(16), uint8(3), uint8(16), []byte("\x00\x01\x11\xff"))
	f.Fuzz(func(t *testing.T, cols, rows, win uint8, moves []byte) {
		p, err := New().New(games.Options{optCols: int(cols), optRows: int(rows), optWin: int(win)})
		if err != nil {
			return
		}
		longest, _ := New().Longest(p.Options())
		plies := 0
		for _, b := range moves {
			m := games.Move(at(int(b)%int(cols), int(b)/int(cols)%int(rows)).String())
			_, legal := p.State().Code(m)
			before := p.String()
			next, err := p.Play(m)
			if (err == nil) != legal || p.String() != before {
				t.Fatalf("%s: Play(%s) = %v, State says legal %v; now %s", before, m, err, legal, p)
			}
			if err == nil {
				p = next
				plies++
			}
		}
		if plies > longest || plies == longest && !p.Result().Over {
			t.Errorf("%d moves and still running: %s", plies, p)
		}
	})
}
