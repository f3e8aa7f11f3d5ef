package tanks

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
)

// FuzzRead reads and plays any text as a move: nothing panics, errors are illegal moves that name a rule, what is read
// is read again, and Play accepts what State calls legal.
func FuzzRead(f *testing.F) {
	for _, typed := range []string{"e2-e3", " E2 E3 ", "e2e3", "e2xe3", "a10-b11", "x2xx3", "z99z99", "e2--e3", "e2", "", "-", "x",
		"\x00", "\xff\xfe", "e\u0662-e3", "\u212a2-e3", "e2-e99999999999999999999", strings.Repeat("e2 ", 400)} {
		f.Add(typed, "e2-e3 d7-d6")
		f.Add(typed, arena)
	}
	f.Fuzz(func(t *testing.T, typed, position string) {
		p, err := New().Parse(position)
		if err != nil {
			p = playAny(t, position)
		}
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

// FuzzOptions reads any text as options: nothing panics, and accepted ones make a game that has them.
func FuzzOptions(f *testing.F) {
	for _, words := range []string{"", "size=6", "size=26", "size=7", "size=28", "size=-8", "size=+8", "size", "size=8 size=8", "x=1",
		"size=99999999999999999999", "=8"} {
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

// FuzzParse reads any text as a position: nothing panics, and what is accepted is written and read back, has moves unless
// it is over, and can be played out.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		arena, "turn=top ..d..m../.M....../.....D../......../......../....m.../......../T.......",
		"size=6 turn=top M...../....../....../....../....../m.....", "turn=bot size=6 ....../....../....../....../....../......",
		"turn=bot size=6 mmmmmm/mmmmmm/mmmmmm/MMMMMM/MMMMMM/MMMMMM", "turn=bot size=8 MMM", "turn=bot", "", "/", "turn=bot turn=bot .",
		"size=7 turn=bot .", "\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := New().Parse(text)
		if err != nil {
			return
		}
		back, err := New().Parse(p.String())
		if err != nil || back.(*Position).s != p.(*Position).s {
			t.Fatalf("%q is %s, read back %v, %v", text, p, back, err)
		}
		if over := p.Result().Over; over != (len(p.Legal()) == 0) || over != (len(p.(games.Greedy).Greedy()) == 0) {
			t.Errorf("%s: over %v, legal %v", p, over, p.Legal())
		}
		s := p.State()
		if plies := s.Playout(games.NewRandom(1), 2*maxTanks*maxSize); plies > 2*maxTanks*maxSize || !s.Result().Over {
			t.Errorf("%s: a playout does not end", p)
		}
	})
}

// FuzzGame plays any bytes as a list of moves, two bytes each: mostly one of the legal moves, sometimes any two cells. A
// refused one changes nothing, State and Position agree on what is legal, and the game ends within its longest length.
func FuzzGame(f *testing.F) {
	f.Add(uint8(8), []byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Add(uint8(6), []byte("\xf0\x01\x80\x33\x0c\xff\xff\xff"))
	f.Add(uint8(26), []byte("ludoteca"))
	f.Fuzz(func(t *testing.T, size uint8, bytes []byte) {
		p, err := New().New(options(int(size)))
		if err != nil {
			return
		}
		longest, _ := New().Longest(p.Options())
		plies := 0
		for ; len(bytes) >= 2 && !p.Result().Over; bytes = bytes[2:] {
			legal := p.Legal()
			m := legal[int(bytes[1])%len(legal)]
			if bytes[0] >= 0xc0 {
				n := int(size)
				from, to := int(bytes[0])%n*n+int(bytes[1])%n, int(bytes[1])%n*n+int(bytes[0])/n%n
				m = p.(*Position).s.text(square{from % n, from / n}, square{to % n, to / n})
			}
			_, ok := p.State().Code(m)
			before := p.String()
			next, err := p.Play(m)
			if (err == nil) != ok || p.String() != before {
				t.Fatalf("%s: Play(%s) = %v, State says legal %v; now %s", before, m, err, ok, p)
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
