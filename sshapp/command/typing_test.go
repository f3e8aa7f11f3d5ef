package command

import (
	"fmt"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// keys types at a terminal and returns the line that stands there, and what was shown.
func keys(t *typing, typed string) (text, echo string) {
	t.add([]byte(typed))
	var lines []string
	for {
		l, ok, shown := t.line()
		echo += string(shown)
		if !ok {
			break
		}
		lines = append(lines, l.text)
	}
	return strings.Join(append(lines, string(t.text)), "|"), echo
}

func TestEditing(t *testing.T) {
	words := func(string) []string { return []string{"move", "moves", "mine", "play", "petteia"} }
	for _, tt := range []struct{ name, typed, text, echo string }{
		{"up brings a line back", "who\rgames\r\x1b[A", "who|games|games", "who\r\ngames\r\ngames"},
		{"twice, and down again", "who\rgames\r\x1b[A\x1b[A\x1b[B", "who|games|games", "who\r\ngames\r\ngames\b \b\b \b\b \b\b \b\b \bwho\b \b\b \b\b \bgames"},
		{"what was being typed comes back", "who\rga\x1bOA\x1bOB", "who|ga", "who\r\nga\b \b\b \bwho\b \b\b \b\b \bga"},
		{"nothing before", "\x1b[Aa", "a", "a"},
		{"ctrl+p and ctrl+n", "who\r\x10\x0e", "who|", "who\r\nwho\b \b\b \b\b \b"},
		{"the same line is kept once", "who\rwho\rgames\r\x1b[A\x1b[A\x1b[A", "who|who|games|who", "who\r\nwho\r\ngames\r\ngames\b \b\b \b\b \b\b \b\b \bwho"},
		{"other keys are nothing", "a\x1b[3~\x1b[1;5Cb\x1bfc", "abc", "abc"},
		{"ctrl+w takes a word back", "play pet \x17", "play ", "play pet \b \b\b \b\b \b\b \b"},
		{"tab completes", "pl\t", "play ", "play "},
		{"as far as it can", "mov\t", "move", "move"},
		{"a second tab shows what there is", "m\t\t", "m", "m\r\nmine move moves\r\nm"},
		{"nothing fits", "x\t\t", "x", "x"},
		{"a wide letter takes two cells", "棋\x7f", "", "棋\b \b\b \b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, echo := keys(&typing{cooked: true, complete: words}, tt.typed)
			if text != tt.text || echo != tt.echo {
				t.Errorf("%q shows %q; want %q, %q", text, echo, tt.text, tt.echo)
			}
		})
	}
}

// TestPastIsBounded: of all lines that are typed only the last few are kept.
func TestPastIsBounded(t *testing.T) {
	var past pastLines
	for i := range 10 * maxPast {
		past.add(fmt.Sprint("line ", i))
	}
	if len(past.lines) != maxPast {
		t.Errorf("%d lines are kept", len(past.lines))
	}
	for range 10 {
		past.add(strings.Repeat("x", MaxLine-1))
		past.add(strings.Repeat("y", MaxLine-1))
	}
	if len(past.lines) > maxPastBytes/(MaxLine-1) {
		t.Errorf("%d long lines are kept", len(past.lines))
	}
}

// TestCommandsAreNoMoves: no command of the line mode can be read as a move, in any game and on any board.
func TestCommandsAreNoMoves(t *testing.T) {
	words := []string{"quit", "exit", "q"}
	for _, d := range table() {
		words = append(words, d.Name, d.Name+" a1", d.Name+" 3")
	}
	for _, g := range catalog.All() {
		for _, set := range g.About().OptionSets() {
			o, err := games.Complete(g, set.Options)
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.New(o)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range p.Legal() {
				if read, err := p.Read(string(m)); err != nil || read != m {
					t.Errorf("%s: %s is read as %s, %v", g.About().ID, m, read, err)
				}
			}
			for _, word := range words {
				if m, err := p.Read(word); err == nil && word != "swap" {
					t.Errorf("%s reads the command %s as the move %s", g.About().ID, word, m)
				}
			}
		}
	}
}
