package boardview

import (
	"fmt"

	"ludoteca/games"
	"ludoteca/games/tanks"
	"ludoteca/sshapp/text"
)

// tankKinds are the letters of both sides by kind. Capitals and small letters tell the sides apart.
var tankKinds = [2]map[tanks.Kind]rune{
	games.First:  {tanks.Medium: 'M', tanks.Heavy: 'T', tanks.Destroyer: 'D'},
	games.Second: {tanks.Medium: 'm', tanks.Heavy: 't', tanks.Destroyer: 'd'},
}

func tanksScene(p *tanks.Position, before games.Position, last games.Move) *Scene {
	g := newGrid(p.Size(), p.Size())
	g.sided = true
	for i := range g.cells {
		col, row := g.place(Spot(i))
		if side, kind, held := p.At(col, row); held {
			g.cells[i] = cell{piece: tankKinds[side][kind], side: side}
		}
	}
	g.first = [2]Spot{g.at(g.cols/2, 1), g.at(g.cols/2-1, g.rows-2)}
	if before != nil {
		from, to := g.ends(last)
		g.mark(from, to)
		if p.Result().Over {
			g.win = []Spot{to}
		}
	}
	return &Scene{p, g.choices(p.Legal()), pieceGrid{g}, tanksFacts{p}}
}

type tanksFacts struct{ *tanks.Position }

// kindLetters returns the letters of a side: what the token of a side is in other games.
func (f tanksFacts) kindLetters(side games.Side) string {
	if side == games.First {
		return "MTD"
	}
	return "mtd"
}

func (f tanksFacts) standing(_ text.Say, side games.Side) string {
	k := tankKinds[side]
	return fmt.Sprintf("%d %c  %d %c  %d %c", f.Count(side, tanks.Medium), k[tanks.Medium],
		f.Count(side, tanks.Heavy), k[tanks.Heavy], f.Count(side, tanks.Destroyer), k[tanks.Destroyer])
}

func (f tanksFacts) notes(say text.Say, _ [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	return []Note{
		{Words: say.T("M T D go to row %d, m t d to row 1.", f.Size())},
		{Words: say.T("M medium, T heavy, D destroyer.")},
	}
}

func (f tanksFacts) legend(say text.Say, _ bool) string {
	return say.T("[ ] is your cursor, < > what you hold, ( ) the last move, a dot where a move can go, > < what it would capture.")
}

func (f tanksFacts) effect(say text.Say, m games.Move) string {
	words := ""
	if i := mark(m); m[i] == 'x' {
		words = f.captureText(say, m[i+1:])
	}
	switch end := ends(say, f.Position, m); {
	case end == "":
		return words
	case words == "":
		return end
	default:
		return words + ", " + end
	}
}

// captureText says what a capture on a cell takes.
func (f tanksFacts) captureText(say text.Say, at games.Move) string {
	g := grid{cols: f.Size(), rows: f.Size()}
	_, kind, _ := f.At(g.place(g.named(at)))
	switch kind {
	case tanks.Heavy:
		return say.T("takes a heavy tank")
	case tanks.Destroyer:
		return say.T("takes a destroyer")
	}
	return say.T("takes a medium tank")
}
