package momentum

import (
	"bytes"
	"errors"
	"testing"

	"ludoteca/games"
)

func FuzzPlay(f *testing.F) {
	for _, s := range []string{"d4", "swap", "SWAP ", "a10", "\x1b[31md4", "m13", ""} {
		f.Add(s)
	}
	p := start(f, complete(f, games.Options{optSize: 10}))
	second := play(f, p, "d4")
	f.Fuzz(func(t *testing.T, typed string) {
		for _, p := range []*Position{p, second} {
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
	for _, s := range []string{"size=9", "marbles=12", "size=07", "size=1e1", "size", "=", "size=9223372036854775808"} {
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
	f.Add(forcedX)
	f.Add("ply=0 " + emptyRows)
	f.Add("size=8 marbles=6 ply=0 turn=X ......../......../......../......../......../......../......../........")
	f.Add("ply=60 " + emptyRows)
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
		p.State().Playout(games.NewRandom(1), Limit)
	})
}

// FuzzGame reads any bytes as a list of moves. Those that are no moves are numbers of legal ones.
func FuzzGame(f *testing.F) {
	f.Add([]byte("d4 swap e5 d4 zz a0"))
	f.Add(bytes.Repeat([]byte("\x11 "), 70))
	f.Fuzz(func(t *testing.T, list []byte) {
		var p games.Position = start(t, nil)
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
			if plies++; plies > Limit || plies == Limit && !p.Result().Over {
				t.Fatalf("the game goes on after %d plies", plies)
			}
		}
	})
}
