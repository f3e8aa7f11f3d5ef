package tanks

import "ludoteca/games"

// The kinds of claims about mistakes. Each kind of tank has its own.
const (
	// HeavyLost and its like: after the move played, the other side captures the tank on the cell in Cells by Move. The replies to the better
	// move gain less.
	HeavyLost     = "heavy_lost"
	DestroyerLost = "destroyer_lost"
	MediumLost    = "medium_lost"

	// HeavyMissed and its like: Move would have captured the tank on the cell in Cells. The move played captures nothing as valuable.
	HeavyMissed     = "heavy_missed"
	DestroyerMissed = "destroyer_missed"
	MediumMissed    = "medium_missed"
)

var (
	lost   = [...]string{Heavy: HeavyLost, Destroyer: DestroyerLost, Medium: MediumLost}
	missed = [...]string{Heavy: HeavyMissed, Destroyer: DestroyerMissed, Medium: MediumMissed}
)

// tankValues say which of two exchanges of tanks is the better one. They are near the weights of the evaluation.
var tankValues = [...]int{Heavy: 3, Destroyer: 1, Medium: 1}

var _ games.Explainer = (*Position)(nil)

// A hit is a capture: its move, and the tank that it takes. The zero value is no capture.
type hit struct {
	move  games.Move
	cell  cell
	kind  Kind
	value int
}

// hitOf returns what a legal move captures.
func (s *State) hitOf(c games.Code) hit {
	_, to := cells(c)
	if _, t, held := s.tankAt(to); held {
		return hit{s.Move(c), to, t.kind(), tankValues[t.kind()]}
	}
	return hit{}
}

// dearest returns the reply that gains the most, and how much that is: the tank that it captures, less the tank that makes the capture if that can be
// captured in turn.
func (s *State) dearest() (best hit, gain int) {
	for _, c := range s.Moves(nil) {
		h := s.hitOf(c)
		if h.value <= gain {
			continue
		}
		from, _ := cells(c)
		_, t, _ := s.tankAt(from)
		s.Play(c)
		won := h.value
		for _, back := range s.Moves(nil) {
			if _, to := cells(back); to == h.cell {
				won = h.value - tankValues[t.kind()]
				break
			}
		}
		s.Undo()
		if won > gain {
			best, gain = h, won
		}
	}
	return best, gain
}

// Explain says which tank a move loses or misses.
func (p *Position) Explain(played, better games.Move) (claims []games.Claim) {
	type outcome struct {
		taken, reply hit
		gain         int // of the reply
	}
	var outcomes [2]outcome
	for i, m := range [...]games.Move{played, better} {
		s := p.s.clone()
		c, err := s.Code(m)
		if err != nil {
			return nil
		}
		outcomes[i].taken = s.hitOf(c)
		s.Play(c)
		outcomes[i].reply, outcomes[i].gain = s.dearest()
	}
	did, could := outcomes[0], outcomes[1]
	if did.taken.value-did.gain >= could.taken.value-could.gain {
		return nil
	}
	if did.gain > could.gain {
		claims = append(claims, games.Claim{Kind: lost[did.reply.kind], Move: did.reply.move, Cells: []string{did.reply.cell.square().String()}, Count: 1})
	}
	if could.taken.value > did.taken.value {
		claims = append(claims, games.Claim{Kind: missed[could.taken.kind], Move: better, Cells: []string{could.taken.cell.square().String()}, Count: 1})
	}
	return claims
}
