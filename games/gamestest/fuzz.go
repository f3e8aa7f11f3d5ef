package gamestest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ludoteca/games"
)

// hostile is what no game may take for a move or an option, or stumble over.
var hostile = []string{
	"", " ", "\t\n", "-", ":", "=", "x", "a", "1", "swap", "a1 a1", "a1-a1", "0:0",
	"\x00", "\xff\xfe", "\x1b[2J", "\u212a4", "d\u0664",
	"a1\u00a0a5", "a99999999999999999999", "a1-a99999999999999999999", strings.Repeat("a1 ", 400), strings.Repeat("a", 5000),
}

// FuzzMove reads and plays any text as a move in a position. A second text sets the position up; if it can't, its words are played
// as moves. Nothing panics, a move that was read is read again as the same, State and Position agree on what is legal, and a
// refusal names a rule, is safe to print and changes nothing.
func FuzzMove(f *testing.F, g games.Game, positions, typed []string) {
	start, err := begin(g)
	if err != nil {
		f.Fatal(err)
	}
	for _, position := range append([]string{""}, positions...) {
		for _, text := range append(typed, hostile...) {
			f.Add(text, position)
		}
	}
	f.Fuzz(func(t *testing.T, text, position string) {
		p, err := g.Parse(position)
		if err != nil {
			p = playAny(start, position)
		}
		if err := readable(p, text); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		moves := []games.Move{games.Move(text)}
		if m, err := p.Read(text); err == nil {
			moves = append(moves, m)
		}
		for _, m := range moves {
			if _, _, err := offer(p, m); err != nil {
				t.Errorf("%s: %v", p, err)
			}
		}
	})
}

// begin returns the position in which a game with the usual options begins.
func begin(g games.Game) (games.Position, error) {
	o, err := games.Complete(g, nil)
	if err != nil {
		return nil, err
	}
	return g.New(o)
}

// playAny plays the words that are legal moves and passes over the others.
func playAny(p games.Position, moves string) games.Position {
	for _, m := range strings.Fields(moves) {
		if next, err := p.Play(games.Move(m)); err == nil {
			p = next
		}
	}
	return p
}

// FuzzOptions reads any text as options: nothing panics, refusals wrap ErrOptions, and what is accepted is written and read
// back, and makes a game that has it.
func FuzzOptions(f *testing.F, g games.Game) {
	for _, words := range hostile {
		f.Add(words)
	}
	for _, o := range g.About().Options {
		for _, v := range []int{o.Min, o.Max, o.Min - 1, o.Max + 1, o.Min + 1, o.Default, 0, 1 << 30} {
			f.Add(fmt.Sprintf("%s=%d", o.Key, v))
		}
		for _, form := range []string{
			"%s", "%s=", "=%s", "%s=+7", "%s=-0", "%s=007", "%s=1e1", "%s=9223372036854775808", "%[1]s=8 %[1]s=8",
		} {
			f.Add(fmt.Sprintf(form, o.Key))
		}
	}
	f.Fuzz(func(t *testing.T, words string) {
		o, err := games.ParseOptions(g, strings.Fields(words))
		if err != nil {
			if o != nil || !errors.Is(err, games.ErrOptions) {
				t.Errorf("ParseOptions(%q) = %v, %v", words, o, err)
			}
			return
		}
		again, err := games.ParseOptions(g, strings.Fields(o.String()))
		if err != nil || !again.Equal(o) {
			t.Errorf("ParseOptions(%q) = %s, which is read as %s, %v", words, o, again, err)
		}
		p, err := g.New(o)
		if err != nil {
			t.Fatalf("New(%s) = %v", o, err)
		}
		if got := p.Options(); !got.Equal(o) {
			t.Errorf("a game with %s has the options %s", o, got)
		}
	})
}

// FuzzParse reads any text as a position: nothing panics, and what is accepted is written and read back as the same
// position, is over exactly if it has no moves, and can be played to an end, in at most within plies unless within is 0.
func FuzzParse(f *testing.F, g games.Game, within int, texts ...string) {
	start, err := begin(g)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range append(append(texts, start.String(), "/", strings.Repeat("/", 50)), hostile...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := g.Parse(text)
		if (p == nil) != (err != nil) {
			t.Fatalf("Parse(%q) = %v, %v", text, p, err)
		}
		if err != nil {
			return
		}
		err = endsRight(p)
		if err == nil {
			err = reread(g, p)
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		limit := within
		if limit == 0 {
			limit = 100
		}
		s := p.State()
		if plies := PlayRandomly(s, games.NewRandom(1), limit); plies < limit && !s.Result().Over {
			t.Errorf("%s: a random game has no moves after %d plies", p, plies)
		}
		if within > 0 && !s.Result().Over {
			t.Errorf("%s: a random game does not end within %d plies", p, within)
		}
	})
}

// longestWord is how many bytes of any list are taken for a move at most: no move of any game is longer.
const longestWord = 7

// seedGames is how many games FuzzGame begins with, from one end of the sets to the other.
const seedGames = 60

// FuzzGame plays any bytes as a game under one of the sets of options, and compares it with the plain rules at every ply. The
// bytes are words, and each word is taken for a move, then for the number of a move that was legal before, and at last for
// the number of a legal move: the first of these that is legal is played. A refused move changes nothing, and the game ends
// within its longest length.
func FuzzGame(f *testing.F, g games.Game, sets []games.Options, plain func(o games.Options) Reference, seeds ...string) {
	lists := append(seeds, strings.Repeat("\x11 ", 200), "\x00\x01\x02\x03\x04\x05\x06\x07\xfd\xfe\xff", "ludoteca")
	for i := range seedGames {
		f.Add(uint16(i*len(sets)/seedGames), []byte(lists[i%len(lists)]))
	}
	f.Fuzz(func(t *testing.T, set uint16, list []byte) {
		o := sets[int(set)%len(sets)]
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		longest, _ := g.Longest(o)
		ref, plies := plain(o), 0
		var seen seenMoves
		for _, word := range words(list) {
			seen.add(p.Legal())
			next, m, err := step(p, word, &seen)
			if err == nil {
				err = compare(p, ref, m)
			}
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			if next == nil {
				return
			}
			ref.Play(m)
			p = next
			if plies++; longest > 0 && (plies > longest || plies == longest && !p.Result().Over) {
				t.Fatalf("%s: the game goes on after %d plies", p, plies)
			}
		}
		if err := compare(p, ref, ""); err != nil {
			t.Fatal(err)
		}
	})
}

// words returns the words of a list, in pieces if they are too long for a move.
func words(list []byte) (all [][]byte) {
	for _, word := range bytes.Fields(list) {
		for len(word) > longestWord {
			all = append(all, word[:longestWord:longestWord])
			word = word[longestWord:]
		}
		all = append(all, word[:len(word):len(word)])
	}
	return all
}

// step makes a move that a word stands for. next is nil if the game is over.
func step(p games.Position, word []byte, seen *seenMoves) (next games.Position, m games.Move, err error) {
	number := 0
	for _, b := range word {
		number = (number*31 + int(b)) % (1 << 20)
	}
	offers := []games.Move{games.Move(word), seen.moves[number%len(seen.moves)]}
	if legal := p.Legal(); len(legal) > 0 {
		offers = append(offers, legal[number%len(legal)])
	}
	for _, m := range offers {
		if next, _, err = offer(p, m); next != nil || err != nil {
			return next, m, err
		}
	}
	if !p.Result().Over {
		return nil, "", fmt.Errorf("the legal move %s is refused", offers[2])
	}
	return nil, "", nil
}
