package petteia

import "ludoteca/games"

// outcome returns the men that a legal move captures, and whether the man that makes it is lost.
func (s *State) outcome(code games.Code) (prey set, lost bool) {
	st := &steps[code]
	own := s.men[s.turn].without(only(st.from)).with(only(st.to))
	enemy := s.men[s.turn.Other()]
	prey = caught(st.to, own, enemy)
	return prey, !s.rules.safeEntry && flanked(st.to, enemy.without(prey))
}

// Greedy returns the moves that capture most, minus one where the man who moves is lost: the second level that the
// rule sheet suggests, captures first.
func (p *Position) Greedy() []games.Move {
	var moves []games.Move
	best := -1 // the worst that a move can do
	for _, code := range p.s.Moves(make([]games.Code, 0, army*reach)) {
		prey, lost := p.s.outcome(code)
		gain := prey.len()
		if lost {
			gain--
		}
		if gain > best {
			best, moves = gain, moves[:0]
		}
		if gain == best {
			moves = append(moves, texts[code])
		}
	}
	return moves
}
