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
