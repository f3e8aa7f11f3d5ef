package fourmation

import "ludoteca/games"

// Greedy returns the one move that level 2 of the report plays: a move of the highest value, among these one in the
// rightmost column, and in that column the lowest.
func (p *Position) Greedy() []games.Move {
	s := p.s.clone()
	codes := s.Moves(nil)
	if len(codes) == 0 {
		return nil
	}
	best, bestValue := cell(codes[0]), s.value(cell(codes[0]))
	for _, code := range codes[1:] {
		c := cell(code)
		// Moves comes row by row from the bottom, so the first of equals in a column is its lowest.
		if v := s.value(c); v > bestValue || v == bestValue && c.col() > best.col() {
			best, bestValue = c, v
		}
	}
	return []games.Move{games.Move(best.String())}
}

// value returns what the position after a legal move on c is worth to the player who makes it: the three cases under
// "The report's computer players", level 2.
func (s *State) value(c cell) int {
	mover := s.turn
	s.Play(games.Code(c))
	defer s.Undo()
	if s.end == byLine {
		cols, rows := int(s.cols), int(s.rows)
		return 1 + cols*(cols+1) + rows*(rows+1)
	}
	for _, reply := range s.Moves(nil) {
		s.Play(reply)
		lost := s.end == byLine
		s.Undo()
		if lost {
			return -1
		}
	}
	sum := 0
	for _, k := range s.runs(c, mover) {
		sum += k * (k + 1) / 2
	}
	return sum
}
