package boardview

import (
	"errors"
	"strings"

	"ludoteca/games"
)

// Why something can't be chosen. Choose returns these or an *games.IllegalError.
var (
	ErrNotYours = errors.New("nothing of yours to move there")
	ErrStuck    = errors.New("this piece can't move now")
	ErrUnturned = errors.New("the wheel is not turned yet")
)

// A choice is a legal move as the places that are chosen for it.
type choice struct {
	move games.Move
	from Spot // Nowhere if only one place is chosen
	to   Spot
}

// Adjust returns the selection as it can stay on the board of a new position: a piece that can't move any more is no longer
// chosen.
func (s *Scene) Adjust(sel Selection) Selection {
	if sel.From != Nowhere && !s.startsAt(sel.From) {
		sel = s.board.release(sel)
	}
	if !s.board.valid(sel) {
		return s.Start(s.pos.Turn())
	}
	return sel
}

// Step moves the cursor, or turns the wheel that is chosen, by one step of the screen.
func (s *Scene) Step(sel Selection, dx, dy int, flip bool) Selection {
	return s.board.arrow(sel, dx, dy, flip)
}

// Release returns the selection with nothing chosen first.
func (s *Scene) Release(sel Selection) Selection { return s.board.release(sel) }

// SelectedMove returns the legal move that the selection stands for; "" for none.
func (s *Scene) SelectedMove(sel Selection) games.Move {
	for _, c := range s.choices {
		if c.from == sel.From && c.to == sel.Cursor {
			return c.move
		}
	}
	return ""
}

// Choose does what the key enter does: it chooses what is under the cursor, lets go of it, or makes the move. The move is ""
// and the error nil when the selection alone has changed.
func (s *Scene) Choose(sel Selection) (Selection, games.Move, error) {
	if m := s.SelectedMove(sel); m != "" {
		return s.board.release(sel), m, nil
	}
	switch {
	case sel.From == sel.Cursor:
		return s.board.release(sel), "", nil
	case s.startsAt(sel.Cursor):
		return s.board.pick(sel), "", nil
	}
	if sel.From == Nowhere {
		if err := s.board.refuse(sel.Cursor, s.pos.Turn()); err != nil {
			return sel, "", err
		}
	}
	return sel, "", s.why(sel)
}

// why asks the rules why the selection stands for no legal move.
func (s *Scene) why(sel Selection) error {
	if sel.From != Nowhere && sel.Cursor == unturned {
		return ErrUnturned
	}
	m, err := s.pos.Read(s.board.attempt(sel))
	if err == nil {
		_, err = s.pos.Play(m)
	}
	return err
}

// Click does what a click on a spot does: the same as Choose there.
func (s *Scene) Click(sel Selection, at Spot) (Selection, games.Move, error) {
	switch at {
	case turnLeft:
		return s.board.arrow(sel, -1, 0, false), "", nil
	case turnRight:
		return s.board.arrow(sel, 1, 0, false), "", nil
	case turnDone:
		return s.Choose(sel)
	case Nowhere:
		return s.board.release(sel), "", nil
	}
	if sel.From >= 0 && at != sel.From && sel.Cursor >= unturned {
		sel = s.board.release(sel) // another wheel
	}
	return s.Choose(Selection{at, sel.From})
}

func (s *Scene) startsAt(at Spot) bool {
	if at == Nowhere {
		return false
	}
	for _, c := range s.choices {
		if c.from == at {
			return true
		}
	}
	return false
}

// Typed returns the legal moves whose text begins with what is typed, and the selection as if the same had been chosen with
// keys. Letter case and the signs between cells and numbers make no difference.
func (s *Scene) Typed(typed string, sel Selection) ([]games.Move, Selection) {
	start := normalize(typed)
	if start == "" {
		return nil, sel
	}
	sel = s.board.release(sel)
	var moves []games.Move
	from, to, one := Nowhere, Nowhere, true // one: all of them begin at the same place
	exact := Nowhere
	for _, c := range s.choices {
		text := normalize(string(c.move))
		short := withoutCaptureMark(text)
		if !strings.HasPrefix(text, start) && !strings.HasPrefix(short, start) {
			continue
		}
		moves = append(moves, c.move)
		one = one && (len(moves) == 1 || c.from == from)
		from, to = c.from, c.to
		switch {
		case text == start, short == start:
			return []games.Move{c.move}, Selection{c.to, c.from}
		case c.from != Nowhere && strings.EqualFold(s.spotName(c.from), strings.TrimSpace(typed)):
			exact = c.from
		}
	}
	switch {
	case len(moves) == 1:
		return moves, Selection{to, from}
	case exact != Nowhere:
		return moves, s.board.pick(Selection{exact, Nowhere})
	case len(moves) > 0 && one && from != Nowhere:
		return moves, s.board.pick(Selection{from, Nowhere})
	}
	return moves, sel
}

// spotName returns the notation of a place that is chosen first.
func (s *Scene) spotName(at Spot) string {
	name, _, _ := strings.Cut(s.board.attempt(Selection{at, Nowhere}), ":")
	return name
}

// normalize leaves letters, in lower case, and digits of what is typed.
func normalize(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, typed)
}

// withoutCaptureMark returns a normalized move without the mark of a capture, which need not be typed: an x between a number
// and a letter.
func withoutCaptureMark(squeezed string) string {
	for i := 1; i < len(squeezed)-1; i++ {
		if squeezed[i] == 'x' && squeezed[i-1] <= '9' && squeezed[i+1] > '9' {
			return squeezed[:i] + squeezed[i+1:]
		}
	}
	return squeezed
}
