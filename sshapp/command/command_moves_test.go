package command

import (
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

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
