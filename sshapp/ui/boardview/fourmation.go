package boardview

import (
	"ludoteca/games"
	"ludoteca/games/fourmation"
	"ludoteca/sshapp/text"
)

func fourmationScene(p *fourmation.Position, last games.Move) *Scene {
	g := newGrid(p.Size())
	for i := range g.cells {
		col, row := g.place(Spot(i))
		if side, held := p.At(col, row); held {
			g.cells[i] = cell{piece: pieceOf(side), side: side}
		}
	}
	if col, row, ok := p.Last(); ok {
		at := g.at(col, row)
		g.startAt(at)
		if last != "" {
			g.mark(at)
		}
	}
	for _, m := range p.Line() {
		g.win = append(g.win, g.named(m))
	}
	return &Scene{p, g.choices(p.Legal()), g, fourmationFacts{p}}
}

type fourmationFacts struct{ *fourmation.Position }

func (f fourmationFacts) standing(text.Say, games.Side) string { return "" }

func (f fourmationFacts) notes(say text.Say, _ [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	notes := []Note{{Words: say.T("%d in a line win.", f.WinLength())}}
	if col, row, ok := f.Last(); ok {
		last := names(col, row)
		notes = append(notes, Note{Words: say.T("Play beside %s.", last)})
	}
	return notes
}

func (f fourmationFacts) legend(say text.Say, _ bool) string {
	return say.T("[ ] is your cursor, ( ) the last move, a dot where a move can go, * * the line that wins.")
}

func (f fourmationFacts) effect(say text.Say, m games.Move) string { return ends(say, f.Position, m) }
