package boardview

import (
	"errors"
	"strings"

	"ludoteca/games"
)

// Why a choice is none. Choose returns these or an *games.IllegalError.
var (
	ErrNotYours = errors.New("nothing of yours to move there")
	ErrStuck    = errors.New("this piece can't move now")
	ErrUnturned = errors.New("the wheel is not turned yet")
)

// A choice is a legal move as the places that one chooses for it.
type choice struct {
	move games.Move
	from Spot // Nowhere if only one place is chosen
	to   Spot
}

// Keep returns the hand as it can stay on the board of a new position: what is held is let go if it can't be moved any
// more.
func (s *Scene) Adjust(h Selection) Selection {
	if h.From != Nowhere && !s.startsAt(h.From) {
		h = s.board.release(h)
	}
	if !s.board.valid(h) {
		return s.Start(s.pos.Turn())
	}
	return h
}

// Move moves the cursor, or turns the wheel that is held, by one step of the screen.
func (s *Scene) Step(h Selection, dx, dy int, flip bool) Selection {
	return s.board.arrow(h, dx, dy, flip)
}

// Release lets go of what is held.
func (s *Scene) Release(h Selection) Selection { return s.board.release(h) }

// Meant returns the legal move that the hand stands for: "" if there is none.
func (s *Scene) SelectedMove(h Selection) games.Move {
	for _, c := range s.choices {
		if c.from == h.From && c.to == h.Cursor {
			return c.move
		}
	}
	return ""
}

// Choose does what the key enter does: it takes up what is under the cursor, lets it go, or makes the move. The move is ""
// and the error nil when the hand alone has changed.
func (s *Scene) Choose(h Selection) (Selection, games.Move, error) {
	if m := s.SelectedMove(h); m != "" {
		return s.board.release(h), m, nil
	}
	switch {
	case h.From == h.Cursor:
		return s.board.release(h), "", nil
	case s.startsAt(h.Cursor):
		return s.board.pick(h), "", nil
	}
	if h.From == Nowhere {
		if err := s.board.refuse(h.Cursor, s.pos.Turn()); err != nil {
			return h, "", err
		}
	}
	return h, "", s.why(h)
}

// why asks the rules why the hand stands for no legal move.
func (s *Scene) why(h Selection) error {
	if h.From != Nowhere && h.Cursor == unturned {
		return ErrUnturned
	}
	m, err := s.pos.Read(s.board.attempt(h))
	if err == nil {
		_, err = s.pos.Play(m)
	}
	return err
}

// Click does what a click on a spot does: Choose there, at once.
func (s *Scene) Click(h Selection, at Spot) (Selection, games.Move, error) {
	switch at {
	case turnLeft:
		return s.board.arrow(h, -1, 0, false), "", nil
	case turnRight:
		return s.board.arrow(h, 1, 0, false), "", nil
	case turnDone:
		return s.Choose(h)
	case Nowhere:
		return s.board.release(h), "", nil
	}
	if h.From >= 0 && at != h.From && h.Cursor >= unturned {
		h = s.board.release(h) // another wheel
	}
	return s.Choose(Selection{at, h.From})
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

// Typed returns the legal moves whose text starts with what a person has typed, and the hand as it would stand if he had
// chosen as much with keys. Letter case and whatever stands between cells and numbers make no difference.
func (s *Scene) Typed(typed string, h Selection) ([]games.Move, Selection) {
	start := normalize(typed)
	if start == "" {
		return nil, h
	}
	h = s.board.release(h)
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
	return moves, h
}

// spotName is how notation calls a place that is chosen first.
func (s *Scene) spotName(at Spot) string {
	name, _, _ := strings.Cut(s.board.attempt(Selection{at, Nowhere}), ":")
	return name
}

// squeeze leaves letters, in lower case, and digits of what a person has typed.
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

// bare is a squeezed move without the mark of a capture, which need not be typed: an x between a number and a letter.
func withoutCaptureMark(squeezed string) string {
	for i := 1; i < len(squeezed)-1; i++ {
		if squeezed[i] == 'x' && squeezed[i-1] <= '9' && squeezed[i+1] > '9' {
			return squeezed[:i] + squeezed[i+1:]
		}
	}
	return squeezed
}
