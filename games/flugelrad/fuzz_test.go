package flugelrad

import (
	"bytes"
	"errors"
	"testing"

	"ludoteca/games"
)

func FuzzPlay(f *testing.F) {
	for _, s := range []string{"3:2", " 0 1", "0:6", "\x1b[31m0:1", "", ":::"} {
		f.Add(s)
	}
	fresh := start(f, nil)
	second := play(f, fresh, "0:1")
	f.Fuzz(func(t *testing.T, typed string) {
		for _, p := range []*Position{fresh, second} {
			m, err := p.Read(typed)
			if err == nil {
				if again, err := p.Read(string(m)); err != nil || again != m {
					t.Errorf("Read(%q) = %q, read again %q, %v", typed, m, again, err)
				}
			} else if !errors.Is(err, games.ErrIllegal) {
				t.Errorf("Read(%q) = %v", typed, err)
			}
			before := p.String()
			next, err := p.Play(games.Move(typed))
			if (next == nil) != errors.Is(err, games.ErrIllegal) {
				t.Errorf("Play(%q) = %v, %v", typed, next, err)
			}
			if p.String() != before {
				t.Errorf("Play(%q) changed the position", typed)
			}
		}
	})
}

func FuzzOptions(f *testing.F) {
	for _, s := range []string{"connect=7", "repetition=1", "chain=01", "move_limit", "=", "move_limit=9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		o, err := games.ParseOptions(New(), []string{word})
		if (o == nil) != errors.Is(err, games.ErrOptions) {
			t.Errorf("ParseOptions(%q) = %v, %v", word, o, err)
		}
		if err == nil {
			start(t, o)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("turn=X " + startRow)
	f.Add(wheel5)
	f.Add(wonByO)
	f.Add("chain=1 turn=O turns=3 last=0 move_limit=0 repetition=0 connect=4 fresh_wheel=0 " + startRow)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := New().Parse(text)
		if err != nil {
			return
		}
		q := parse(t, p.String())
		if q.String() != p.String() || q.Result() != p.Result() {
			t.Errorf("%s is read back as %s", p, q)
		}
		if over := p.Result().Over; over != (len(p.Legal()) == 0) {
			t.Errorf("%s: over %v, legal moves %v", p, over, p.Legal())
		}
		p.State().Playout(games.NewRandom(1), 100)
	})
}

// FuzzGame reads any bytes as a list of moves. Those that are no moves are numbers of legal ones.
func FuzzGame(f *testing.F) {
	f.Add([]byte("0:1 5:1 0:5 5:5 zz 7:1"))
	f.Add(bytes.Repeat([]byte("\x00 "), 250))
	f.Fuzz(func(t *testing.T, list []byte) {
		var p games.Position = start(t, nil)
		longest, _ := New().Longest(p.Options())
		plies := 0
		for _, word := range bytes.Fields(list) {
			before := p.String()
			next, err := p.Play(games.Move(word))
			if err != nil {
				if p.String() != before || next != nil {
					t.Fatalf("the refused move %q changed %s to %s", word, before, p)
				}
				legal := p.Legal()
				if len(legal) == 0 {
					return
				}
				if next, err = p.Play(legal[int(word[0])%len(legal)]); err != nil {
					t.Fatal(err)
				}
			}
			p = next
			if plies++; plies > longest || plies == longest && !p.Result().Over {
				t.Fatalf("the game goes on after %d plies", plies)
			}
		}
	})
}
