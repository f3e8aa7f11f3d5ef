package flugelrad

import "ludoteca/games"

// Greedy returns the one move of the report's greedy player: the first in the order of the list of moves after which
// most of his balls are linked to another one of his. If no turn links any, that is the first legal one. He does not
// look for a win, nor at the opponent.
func (p *Position) Greedy() []games.Move {
	var best games.Code
	most := -1
	for _, c := range p.s.Moves(nil) {
		wheel, steps := decode(c)
		balls := table.turn(p.s.balls[p.s.turn], wheel, steps)
		if n := count(balls & table.near(balls)); n > most {
			best, most = c, n
		}
	}
	if most < 0 {
		return nil
	}
	return []games.Move{p.s.Move(best)}
}
