package boardview

import (
	"slices"

	"ludoteca/games"
	"ludoteca/games/flugelrad"
	"ludoteca/sshapp/text"
)

// Spots of a wheel that is held: how far it is turned, in steps to the left. Wheels themselves are 0 to 6, and no cell of a
// grid has such a number.
const (
	unturned  Spot = 1000 // to 1005, which is five steps
	turnLeft  Spot = 2000 // clicks beside the middle of the wheel
	turnRight Spot = 2001
	turnDone  Spot = 2002 // and in it
)

const ringLength = 6

// wheels is the board of Flügelrad.
type wheels struct {
	pos    *flugelrad.Position
	last   int // the wheel turned last, -1 for none
	free   [flugelrad.Wheels]bool
	linked [flugelrad.Points + 1]bool
	win    [flugelrad.Points + 1]bool
}

func flugelradScene(p *flugelrad.Position, before games.Position, last games.Move) *Scene {
	w := &wheels{pos: p, last: -1}
	if before != nil {
		w.last = int(last[0] - '0')
	}
	legal := p.Legal()
	choices := make([]choice, len(legal))
	for i, m := range legal {
		wheel := Spot(m[0] - '0')
		choices[i] = choice{m, wheel, unturned + Spot(m[2]-'0')}
		w.free[wheel] = true
	}
	for _, side := range []games.Side{games.First, games.Second} {
		for _, point := range p.Linked(side) {
			w.linked[point] = true
		}
	}
	for _, point := range p.Winning() {
		w.win[point] = true
	}
	return &Scene{p, choices, w, flugelradFacts{p}}
}

const middleWheel Spot = 3

// begin is the middle wheel, or the first one that can be turned: a game starts with the middle one empty, and whoever is
// new should not be refused at once.
func (w *wheels) start(games.Side) Spot {
	if first := slices.Index(w.free[:], true); first >= 0 && !w.free[middleWheel] {
		return Spot(first)
	}
	return middleWheel
}

func (w *wheels) lastMove() Spot {
	if w.last >= 0 {
		return Spot(w.last)
	}
	return middleWheel
}

func (w *wheels) valid(h Selection) bool {
	if h.From == Nowhere {
		return h.Cursor >= 0 && h.Cursor < flugelrad.Wheels
	}
	return h.From >= 0 && h.From < flugelrad.Wheels && h.Cursor >= unturned && h.Cursor < unturned+ringLength
}

// arrow turns the wheel that is held, or goes to the next wheel in a direction of the screen.
func (w *wheels) arrow(h Selection, dx, dy int, _ bool) Selection {
	if h.From != Nowhere {
		h.Cursor = unturned + (h.Cursor-unturned-Spot(dx)+ringLength)%ringLength
		return h
	}
	row, col := flugelrad.WheelPlace(int(h.Cursor))
	best, nearest := h.Cursor, 0
	for wheel := range flugelrad.Wheels {
		r, c := flugelrad.WheelPlace(wheel)
		r, c = r-row, c-col
		if r*dy < 0 || c*dx < 0 || dy != 0 && r == 0 || dx != 0 && c == 0 {
			continue
		}
		// Straight on comes first, then the nearer one; of two wheels above or below, the left one.
		far := 4*abs(r) + abs(c)
		if dx != 0 {
			far = abs(c) + 8*abs(r)
		}
		if nearest == 0 || far < nearest {
			best, nearest = Spot(wheel), far
		}
	}
	h.Cursor = best
	return h
}

func abs(n int) int { return max(n, -n) }

func (w *wheels) pick(h Selection) Selection { return Selection{unturned, h.Cursor} }

func (w *wheels) release(h Selection) Selection {
	if h.From != Nowhere {
		h.Cursor = h.From
	}
	return Selection{h.Cursor, Nowhere}
}

func (w *wheels) attempt(h Selection) string {
	wheel, steps := h.Cursor, Spot(1)
	if h.From != Nowhere {
		wheel, steps = h.From, h.Cursor-unturned
	}
	return string([]byte{'0' + byte(wheel), ':', '0' + byte(steps)})
}

func (w *wheels) refuse(Spot, games.Side) error { return nil }

func (w *wheels) turns() (can, sided bool) { return false, false }

func (w *wheels) pieces(side games.Side) []string {
	var all []string
	for point := 1; point <= flugelrad.Points; point++ {
		if s, held := w.pos.At(point); held && s == side {
			all = append(all, number(point))
		}
	}
	return all
}

type flugelradFacts struct{ *flugelrad.Position }

func (f flugelradFacts) standing(say text.Say, side games.Side) string {
	if f.Options()["chain"] == 1 {
		return say.T("longest chain %d of %d", f.Largest(side), f.Needed())
	}
	return say.T("largest group %d of %d", f.Largest(side), f.Needed())
}

func (f flugelradFacts) notes(say text.Say, _ [2]string) []Note {
	if f.Result().Over {
		return nil
	}
	var notes []Note
	if limit := f.Allowed(); limit > 0 && f.Repeated() == limit-1 && limit > 2 {
		notes = append(notes, Note{Words: say.T("This position has come up %d times: once more is a draw.", f.Repeated()), Urgent: true})
	}
	if limit := f.Limit(); limit > 0 && 4*f.Turns() >= 3*limit {
		notes = append(notes, Note{Words: say.T("Turn %d of %d; then it is a draw.", f.Turns()+1, limit),
			Urgent: f.Turns()+10 >= limit})
	}
	for wheel := range flugelrad.Wheels {
		switch f.Barred(wheel) {
		case flugelrad.JustTurned:
			notes = append(notes, Note{Words: say.T("Wheel %d was turned just now.", wheel)})
		case flugelrad.NoBalls:
			notes = append(notes, Note{Words: say.T("Wheel %d is empty.", wheel)})
		case flugelrad.SameBalls:
			notes = append(notes, Note{Words: say.T("Wheel %d is full of the same balls.", wheel)})
		}
	}
	return notes
}

func (f flugelradFacts) legend(say text.Say, _ bool) string {
	return say.T("> < is your cursor, < > the wheel that you turn, [ ] a wheel that can be turned, ( ) the one turned last. A double line joins balls of one side, * * are those that win.")
}

func (f flugelradFacts) effect(say text.Say, m games.Move) string { return ends(say, f.Position, m) }
