package boardview

import (
	"strings"

	"ludoteca/games"
	"ludoteca/games/momentum"
	"ludoteca/sshapp/text"
)

const swap games.Move = "swap"

func momentumScene(p *momentum.Position, before games.Position, last games.Move) *Scene {
	g := newGrid(p.Size(), p.Size())
	for i := range g.cells {
		col, row := g.place(Spot(i))
		if side, held := p.At(col, row); held {
			g.cells[i] = cell{piece: pieceOf(side), side: side}
		}
	}
	only := g.onlyPiece()
	if only == Nowhere {
		// Beside a corner: the other side may swap, and a marble nearer to the middle is worth taking. On all sizes from 7 to 13
		// the analysis values b2 between 0 and -0.05 of a marble, the middle at -0.15 to -0.30.
		g.startAt(g.at(1, 1))
	}
	if b, ok := before.(*momentum.Position); ok {
		g.pushed(b, last)
	}
	g.forced = len(p.Forced()) > 0
	choices := g.choices(p.Legal())
	for i := range choices {
		if choices[i].move == swap {
			choices[i].to = only // choosing the marble on the board replaces it
		}
	}
	if p.Result().Reason == "all_placed" {
		for i, c := range g.cells {
			if c.piece != 0 && c.side == p.Result().Winner {
				g.win = append(g.win, Spot(i))
			}
		}
	}
	return &Scene{p, choices, g, momentumFacts{p}}
}

// onlyPiece returns the place of the first piece on the board, Nowhere on an empty one.
func (g *grid) onlyPiece() Spot {
	for i, c := range g.cells {
		if c.piece != 0 {
			return Spot(i)
		}
	}
	return Nowhere
}

// pushed marks the last drop, and with an arrow each cell that a marble was pushed from.
func (g *grid) pushed(before *momentum.Position, last games.Move) {
	if last == swap {
		g.mark(g.onlyPiece())
		return
	}
	drop := g.named(last)
	g.mark(drop)
	dropCol, dropRow := g.place(drop)
	for _, push := range before.Pushes(last) {
		from := g.named(push.From)
		col, row := g.place(from)
		g.cells[from].trace = arrow(sign(col-dropCol), sign(row-dropRow))
	}
	g.startAt(drop)
}

type momentumFacts struct{ *momentum.Position }

func (f momentumFacts) standing(say text.Say, side games.Side) string {
	// Translators: marbles that a player has not put on the board yet.
	return say.T("in hand %d", f.Hand(side))
}

func (f momentumFacts) notes(say text.Say, names [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	var notes []Note
	turn := f.Turn()
	if other := turn.Other(); f.Hand(other) == 1 {
		note := Note{
			Words: say.T("%s has one marble left, and no drop pushes one off.", names[other]), Urgent: true,
			Other: say.T("You have one marble left, and no drop pushes one off."),
		}
		if forced := f.Forced(); len(forced) > 0 {
			note.Words = say.T("%s has one marble left: push one off with %s.", names[other], list(forced))
			note.Other = say.T("You have one marble left: %s must push one off with %s.", names[turn], list(forced))
		}
		notes = append(notes, note)
	}
	if f.Hand(turn) == 1 {
		notes = append(notes, Note{Words: say.T("%s has one marble left.", names[turn]), You: say.T("You have one marble left.")})
	}
	if f.CanSwap() {
		notes = append(notes, Note{Words: say.T("%s may swap: take over the first marble.", names[turn]), Urgent: true,
			You: say.T("You may swap: take the first marble.")})
	}
	return append(notes, Note{Words: say.T("Move %d of %d.", f.Ply()+1, momentum.Limit)})
}

// list returns moves in a row.
func list(moves []games.Move) string {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = string(m)
	}
	return strings.Join(words, ", ")
}

func (f momentumFacts) legend(say text.Say, _ bool) string {
	return say.T("[ ] is your cursor, ( ) the last move, a dot where a move can go, ! where you must go, an arrow where a marble was pushed from, * * those that win.")
}

func (f momentumFacts) effect(say text.Say, m games.Move) string {
	if what := ends(say, f.Position, m); what != "" {
		return what
	}
	if m == swap {
		return say.T("takes the marble's place")
	}
	pushes, off := f.Pushes(m), 0
	for _, p := range pushes {
		if p.To == "" {
			off++
		}
	}
	switch {
	case off > 0 && off == len(pushes):
		// Translators: what the chosen move does.
		return say.T("pushes %d off", off)
	case off > 0:
		return say.T("pushes %d, %d of them off", len(pushes), off)
	case len(pushes) > 0:
		return say.T("pushes %d", len(pushes))
	}
	return ""
}

// The narration of Momentum.

func (f momentumFacts) piece(n Narrator, side games.Side, _ rune) string {
	return n.tell(side, text.T("your marble"), text.T("%s's marble"))
}

func (f momentumFacts) pieces(n Narrator, side games.Side) string {
	return n.tell(side, text.T("Your marbles"), text.T("Marbles of %s"))
}

func (f momentumFacts) called() []string { return []string{text.T("marble"), text.T("marbles")} }

func (f momentumFacts) happens(n Narrator, m games.Move) []string {
	turn := f.Turn()
	next, err := f.Play(m)
	if err != nil {
		return nil
	}
	after := next.(*momentum.Position)
	if m == swap {
		g := momentumScene(after, nil, "").board.(*grid)
		return []string{n.tell(turn, text.T("You swap: the marble on %s is yours now."), text.T("%s swaps and takes the marble on %s."), g.name(g.onlyPiece()))}
	}
	words := n.tell(turn, text.T("You drop on %s"), text.T("%s drops on %s"), string(m))
	var pushed []string
	for _, p := range f.Pushes(m) {
		if p.To == "" {
			pushed = append(pushed, n.tell(p.Side, text.T("your marble on %s falls off the board"), text.T("%s's marble on %s falls off the board"), string(p.From)))
		} else {
			pushed = append(pushed, n.tell(p.Side, text.T("your marble on %s is pushed to %s"), text.T("%s's marble on %s is pushed to %s"), string(p.From), string(p.To)))
		}
	}
	if len(pushed) > 0 {
		words += ": " + strings.Join(pushed, ", ")
	}
	all := []string{words + "."}
	for _, side := range n.sides() {
		if hand := after.Hand(side); hand != f.Hand(side) && (!n.Brief || len(pushed) > 0) {
			all = append(all, n.tell(side, text.T("You have %d in hand."), text.T("%s has %d in hand."), hand))
		}
	}
	return all
}

func (f momentumFacts) place(Narrator, Spot) []string { return nil }

func (f momentumFacts) threat(say text.Say, m games.Move) string {
	if what := ends(say, f.Position, m); what != "" {
		return what
	}
	for _, p := range f.Pushes(m) {
		if p.To == "" && p.Side != f.Turn() {
			return f.effect(say, m)
		}
	}
	return ""
}
