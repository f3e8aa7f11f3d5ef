package boardview

import (
	"strings"

	"ludoteca/games"
	"ludoteca/games/petteia"
	"ludoteca/sshapp/text"
)

func petteiaScene(p *petteia.Position, before games.Position, last games.Move) *Scene {
	g := newGrid(petteia.Cols, petteia.Rows)
	g.sided = true
	for i := range g.cells {
		if side, man := p.At(petteia.CellAt(g.place(Spot(i)))); man {
			g.cells[i] = cell{piece: pieceOf(side), side: side}
		}
	}
	g.first = [2]Spot{g.at(petteia.Cols/2-1, 0), g.at(petteia.Cols/2, petteia.Rows-1)}
	if b, ok := before.(*petteia.Position); ok {
		g.mark(g.ends(last))
		for _, c := range b.Captures(last) {
			g.cells[g.at(c.Col(), c.Row())].trace = captured
		}
		if _, to := g.ends(last); b.Loses(last) {
			g.cells[to].trace = captured
		}
	}
	return &Scene{p, g.choices(p.Legal()), pieceGrid{g}, petteiaFacts{p}}
}

type petteiaFacts struct{ *petteia.Position }

func (f petteiaFacts) standing(say text.Say, side games.Side) string {
	return say.T("captures %d of %d", f.Captured(side), f.ToWin())
}

func (f petteiaFacts) notes(say text.Say, _ [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	var notes []Note
	if times, limit := f.Occurrences(); limit > 0 && times > 1 && times == limit-1 {
		notes = append(notes, Note{Words: say.T("This position has come up %d times: once more is a draw.", times), Urgent: true})
	}
	if turns, limit := f.Quiet(); limit > 0 && 2*turns > limit {
		notes = append(notes, Note{Words: quietTurns(say, turns, limit),
			Urgent: turns+10 >= limit})
	}
	if !f.SafeEntry() {
		notes = append(notes, Note{Words: say.T("A man that moves between two enemies is lost.")})
	}
	return notes
}

// quietTurns returns the sentence that there were some turns without a capture, and how many are a draw.
func quietTurns(say text.Say, turns, limit int) string {
	return say.N(turns, "One turn without a capture; %d are a draw.", "%d turns without a capture; %d are a draw.", turns, limit)
}

// low implements counters.
func (f petteiaFacts) low(say text.Say) (all []string) {
	if times, limit := f.Occurrences(); limit > 0 && times > 1 && times < limit-1 {
		all = append(all, say.T("This position has come up %d times; %d are a draw.", times, limit))
	}
	switch turns, limit := f.Quiet(); {
	case limit == 0 || 2*turns > limit:
	default:
		all = append(all, quietTurns(say, turns, limit))
	}
	return all
}

func (f petteiaFacts) legend(say text.Say, ascii bool) string {
	cross := captured
	if ascii {
		cross = asciiTraces[captured]
	}
	return say.T("[ ] is your cursor, < > what you hold, ( ) the last move, a dot where a move can go, %s where a man was captured.", string(cross))
}

func (f petteiaFacts) effect(say text.Say, m games.Move) string {
	var all []string
	if prey := f.Captures(m); len(prey) > 0 {
		cells := make([]string, len(prey))
		for i, c := range prey {
			cells[i] = c.String()
		}
		all = append(all, say.T("captures %s", strings.Join(cells, ", ")))
	}
	if f.Loses(m) {
		all = append(all, say.T("loses the man"))
	}
	if what := ends(say, f.Position, m); what != "" {
		all = append(all, what)
	}
	return strings.Join(all, ", ")
}

// The narration of Petteia.

func (f petteiaFacts) piece(n Narrator, side games.Side, _ rune) string {
	return n.tell(side, text.T("your man"), text.T("%s's man"))
}

func (f petteiaFacts) pieces(n Narrator, side games.Side) string {
	return n.tell(side, text.T("Your men"), text.T("Men of %s"))
}

func (f petteiaFacts) called() []string { return []string{text.T("man"), text.T("men")} }

func (f petteiaFacts) happens(n Narrator, m games.Move) []string {
	turn := f.Turn()
	i := mark(m)
	all := []string{n.tell(turn, text.T("You move %s to %s."), text.T("%s moves %s to %s."), string(m[:i]), string(m[i+1:]))}
	captures := f.Captures(m)
	for _, c := range captures {
		all = append(all, n.tell(turn.Other(), text.T("Your man on %s is captured."), text.T("%s's man on %s is captured."), c.String()))
	}
	if f.Loses(m) {
		all = append(all, n.tell(turn, text.T("Your man is lost: it moved between two enemies."), text.T("%s's man is lost: it moved between two enemies.")))
	} else if len(captures) == 0 && !n.Brief {
		all = append(all, n.Say.T("Nothing captured."))
	}
	return all
}

// place says from where a man could be captured.
func (f petteiaFacts) place(n Narrator, at Spot) (all []string) {
	g := petteiaScene(f.Position, nil, "").board.places()
	side, _, held := g.pieceAt(at)
	if !held {
		return nil
	}
	enemies := func(spots ...Spot) (names []string) {
		for _, s := range spots {
			if of, _, held := g.pieceAt(s); held && of != side {
				names = append(names, g.spotName(s))
			}
		}
		return names
	}
	free := func(s Spot) bool { _, _, held := g.pieceAt(s); return !held }
	var beside, caught []string
	col, row := int(at)%petteia.Cols, int(at)/petteia.Cols
	spot := func(c, r int) Spot { return Spot(r*petteia.Cols + c) }
	for _, d := range [][2]int{{1, 0}, {0, 1}} {
		c1, r1, c2, r2 := col-d[0], row-d[1], col+d[0], row+d[1]
		inside := func(c, r int) bool { return c >= 0 && r >= 0 && c < petteia.Cols && r < petteia.Rows }
		if inside(c1, r1) {
			beside = append(beside, enemies(spot(c1, r1))...)
		}
		if inside(c2, r2) {
			beside = append(beside, enemies(spot(c2, r2))...)
		}
		if !inside(c1, r1) || !inside(c2, r2) {
			continue
		}
		a, b := spot(c1, r1), spot(c2, r2)
		switch near := enemies(a, b); {
		case len(near) == 2:
			caught = append(caught, n.Say.T("It stands between the enemy men on %s and %s.", near[0], near[1]))
		case len(near) == 1 && (free(a) || free(b)):
			open := a
			if free(b) {
				open = b
			}
			caught = append(caught, n.Say.T("An enemy man on %s would capture it.", g.spotName(open)))
		case free(a) && free(b):
			caught = append(caught, n.Say.T("It could be caught between %s and %s.", g.spotName(a), g.spotName(b)))
		}
	}
	if len(beside) == 0 {
		all = append(all, n.Say.T("No enemy man is beside it."))
	} else {
		all = append(all, n.Say.T("Enemy men beside it: %s.", strings.Join(beside, ", ")))
	}
	return append(all, caught...)
}

func (f petteiaFacts) threat(say text.Say, m games.Move) string {
	if len(f.Captures(m)) == 0 {
		return ends(say, f.Position, m)
	}
	return f.effect(say, m)
}
