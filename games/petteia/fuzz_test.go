package petteia_test

import (
	"errors"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/petteia"
)

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a1-a5", "A1 a5", " l8-c8 ", "", "a1-", "a1-a5-a6", "\x00", "a1\u00a0a5", "a\xff-b1"} {
		f.Add(s)
	}
	p := start(f, "")
	before := p.String()
	f.Fuzz(func(t *testing.T, typed string) {
		m, err := p.Read(typed)
		if err != nil && !errors.Is(err, games.ErrIllegal) {
			t.Fatalf("Read(%q) = %v", typed, err)
		}
		if again, err2 := p.Read(string(m)); err == nil && (err2 != nil || again != m) {
			t.Fatalf("Read(%q) = %q, read again %q, %v", typed, m, again, err2)
		}
		for _, move := range []games.Move{m, games.Move(typed)} {
			if _, err := p.Play(move); err != nil && !errors.Is(err, games.ErrIllegal) {
				t.Fatalf("Play(%q) = %v", move, err)
			}
		}
		if p.String() != before {
			t.Fatalf("%q changed the position", typed)
		}
	})
}

func FuzzOptions(f *testing.F) {
	for _, s := range []string{"", "safe_entry=0", "quiet_limit=-1", "repetition=1", "a=b", "=", "safe_entry=+1"} {
		f.Add(s)
	}
	g := petteia.New()
	f.Fuzz(func(t *testing.T, words string) {
		o, err := games.ParseOptions(g, strings.Fields(words))
		if err != nil {
			if !errors.Is(err, games.ErrOptions) {
				t.Fatalf("%q: %v", words, err)
			}
			return
		}
		again, err := games.ParseOptions(g, strings.Fields(o.String()))
		if err != nil || !again.Equal(o) {
			t.Fatalf("%q: %s is read as %s, %v", words, o, again, err)
		}
		if _, err := g.New(o); err != nil {
			t.Fatalf("New(%s) = %v", o, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(start(f, "").String())
	f.Add(start(f, "safe_entry=0 repetition=0").String())
	f.Add("turn=O captured=1,2 quiet=3 " + emptyRows + "X..........O")
	f.Add("turn=X captured=0,0 " + emptyRows)
	f.Add("turn= captured=, /////// ")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := petteia.New().Parse(text)
		if err != nil {
			return
		}
		again, err := petteia.New().Parse(p.String())
		if err != nil || again.String() != p.String() || again.Result() != p.Result() {
			t.Fatalf("%q is %s, then %v, %v", text, p, again, err)
		}
		if p.Result().Over != (len(p.Legal()) == 0) {
			t.Fatalf("%s: %v with %d legal moves", p, p.Result(), len(p.Legal()))
		}
		if _, err := p.Play("a1-a2"); err != nil && !errors.Is(err, games.ErrIllegal) {
			t.Fatal(err)
		}
		p.State().Playout(games.NewRandom(1), 50)
	})
}

// FuzzMoves plays any bytes: two bytes name a man and a target by number, so that games come about, and now and then the
// bytes themselves are the move. A refused move changes nothing.
func FuzzMoves(f *testing.F) {
	f.Add([]byte("a1-a7"), uint8(0))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 250, 251, 252}, uint8(1))
	f.Add([]byte(strings.Repeat("\x00\x01\xff\x10", 40)), uint8(2))
	sets := []string{"", "safe_entry=0 captures_to_win=2", "repetition=2 quiet_limit=0", "quiet_limit=5"}
	f.Fuzz(func(t *testing.T, bytes []byte, set uint8) {
		p := start(t, sets[int(set)%len(sets)])
		ref := newPlain(p.Options())
		for len(bytes) >= 2 && !p.Result().Over {
			move := games.Move(bytes[:min(5, len(bytes))])
			legal := p.Legal()
			if bytes[0] < 250 {
				move = legal[(int(bytes[0])<<8+int(bytes[1]))%len(legal)]
			}
			bytes = bytes[2:]
			before := p.String()
			next, err := p.Play(move)
			if err != nil {
				if !errors.Is(err, games.ErrIllegal) || p.String() != before {
					t.Fatalf("Play(%q) = %v; %s, was %s", move, err, p, before)
				}
				continue
			}
			p = next.(*petteia.Position)
			ref.play(string(move))
			compare(t, ref, p, nil)
		}
	})
}
