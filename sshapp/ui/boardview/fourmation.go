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

// The narration of 4Mation.

func (f fourmationFacts) piece(n Narrator, side games.Side, _ rune) string {
	return n.tell(side, text.T("your piece"), text.T("%s's piece"))
}

func (f fourmationFacts) pieces(n Narrator, side games.Side) string {
	return n.tell(side, text.T("Your pieces"), text.T("Pieces of %s"))
}

func (f fourmationFacts) called() []string { return []string{text.T("piece"), text.T("pieces")} }

func (f fourmationFacts) happens(n Narrator, m games.Move) []string {
	all := []string{n.tell(f.Turn(), text.T("You place a piece on %s."), text.T("%s places a piece on %s."), string(m))}
	next, err := f.Play(m)
	if err != nil {
		return nil
	}
	if line := next.(*fourmation.Position).Line(); len(line) > 0 {
		return append(all, n.Say.T("The line is %s.", list(line)))
	}
	if legal := next.Legal(); !n.Brief && len(legal) > 0 && len(legal) <= 8 {
		turn := next.Turn()
		all = append(all, n.tell(turn, text.T("You can play %s."), text.T("%s can play %s."), list(legal)))
	}
	return all
}

func (f fourmationFacts) place(Narrator, Spot) []string { return nil }

func (f fourmationFacts) threat(say text.Say, m games.Move) string { return f.effect(say, m) }

// completes returns the empty cells on which a piece of a side would complete a line, whether it may be played there now or not.
func (f fourmationFacts) completes(side games.Side) (spots []Spot) {
	cols, rows := f.Size()
	g := newGrid(cols, rows)
	own := func(col, row int) bool {
		of, held := f.At(col, row)
		return held && of == side
	}
	reach := func(col, row, dc, dr int) (n int) {
		for c, r := col+dc, row+dr; c >= 0 && r >= 0 && c < cols && r < rows && own(c, r); c, r = c+dc, r+dr {
			n++
		}
		return n
	}
	for _, at := range g.places().all() {
		col, row := g.place(at)
		if _, held := f.At(col, row); held {
			continue
		}
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
			if reach(col, row, d[0], d[1])+1+reach(col, row, -d[0], -d[1]) >= f.WinLength() {
				spots = append(spots, at)
				break
			}
		}
	}
	return spots
}
