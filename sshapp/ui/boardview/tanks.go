package boardview

import (
	"fmt"
	"unicode"

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

func (f tanksFacts) standingInWords(say text.Say, side games.Side) string {
	return say.T("medium %d, heavy %d, destroyers %d", f.Count(side, tanks.Medium), f.Count(side, tanks.Heavy), f.Count(side, tanks.Destroyer))
}

func (f tanksFacts) remarksInWords(n Narrator) (all []string) {
	for _, side := range n.sides() {
		goal := f.Size()
		if side == games.Second {
			goal = 1
		}
		all = append(all, n.tell(side, text.T("You go to row %d."), text.T("%s goes to row %d."), goal))
	}
	return all
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

// The narration of Breakthrough Tanks.

func (f tanksFacts) piece(n Narrator, side games.Side, letter rune) string {
	switch unicode.ToUpper(letter) {
	case 'T':
		return n.tell(side, text.T("your heavy tank"), text.T("%s's heavy tank"))
	case 'D':
		return n.tell(side, text.T("your destroyer"), text.T("%s's destroyer"))
	}
	return n.tell(side, text.T("your medium tank"), text.T("%s's medium tank"))
}

func (f tanksFacts) pieces(n Narrator, side games.Side) string {
	return n.tell(side, text.T("Your tanks"), text.T("Tanks of %s"))
}

func (f tanksFacts) called() []string { return []string{text.T("tank"), text.T("tanks")} }

func (f tanksFacts) happens(n Narrator, m games.Move) []string {
	board := tanksScene(f.Position, nil, "").board.(pieceGrid)
	g := gridPlaces(board)
	from, to := g.ends(m)
	side, letter, _ := g.pieceAt(from)
	// Translators: a tank: your heavy tank, rui's destroyer.
	all := []string{n.sentence(n.Say.T("%s moves from %s to %s", f.piece(n, side, letter), g.name(from), g.name(to)))}
	if of, prey, held := g.pieceAt(to); held {
		all = append(all, n.sentence(n.Say.T("%s on %s is captured", f.piece(n, of, prey), g.name(to))))
	} else if !n.Brief {
		all = append(all, n.Say.T("Nothing captured."))
	}
	return all
}

func (f tanksFacts) place(Narrator, Spot) []string { return nil }

func (f tanksFacts) threat(say text.Say, m games.Move) string { return f.effect(say, m) }

// tankWords are what the kinds of tanks are called.
var tankWords = []pieceKind{
	{"Mm", []string{text.T("medium"), text.T("medium tank"), text.T("medium tanks")}, text.T("Your medium tanks"), text.T("Medium tanks of %s")},
	{"Tt", []string{text.T("heavy"), text.T("heavy tank"), text.T("heavy tanks")}, text.T("Your heavy tanks"), text.T("Heavy tanks of %s")},
	{"Dd", []string{text.T("destroyer"), text.T("destroyers")}, text.T("Your destroyers"), text.T("Destroyers of %s")},
}

func (f tanksFacts) kinds() []pieceKind { return tankWords }
