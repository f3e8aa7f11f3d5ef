package petteia

import (
	"slices"

	"ludoteca/games"
)

// The kinds of claims about mistakes.
const (
	// MenMissed: Move would have captured the Count men on Cells. The move played captures fewer.
	MenMissed = "men_missed"

	// MenLost: after the move played, the other side captures the Count men on Cells by Move. After the better move no reply captures as many.
	MenLost = "men_lost"

	// ManWalksIn: the man that moved stops on the cell in Cells between two enemies and is captured there. It happens only without safe entry.
	ManWalksIn = "man_walks_in"
)

var _ games.Explainer = (*Position)(nil)

// An exchange is what a move captures and what the replies to it can.
type exchange struct {
	captured set
	walksIn  bool // the man that moves is captured
	reply    games.Move
	lost     set // by reply
}

// balance returns how many men more the mover captures than it loses.
func (x exchange) balance() int {
	n := x.captured.len() - x.lost.len()
	if x.walksIn {
		n--
	}
	return n
}

// exchangeAfter returns what a legal move leads to. The reply is the first of those that capture the most.
func (p *Position) exchangeAfter(m games.Move) (x exchange, ok bool) {
	s := p.s.clone()
	code, err := s.Code(m)
	if err != nil {
		return exchange{}, false
	}
	x.captured, x.walksIn = s.outcomeOf(code)
	s.Play(code)
	for _, reply := range s.Moves(nil) {
		if taken, _ := s.outcomeOf(reply); taken.len() > x.lost.len() {
			x.reply, x.lost = s.Move(reply), taken
		}
	}
	return x, true
}

// Explain says which men a move loses or misses.
func (p *Position) Explain(played, better games.Move) (claims []games.Claim) {
	did, ok := p.exchangeAfter(played)
	could, legal := p.exchangeAfter(better)
	if !ok || !legal || did.balance() >= could.balance() {
		return nil
	}
	if did.walksIn && !could.walksIn {
		_, to, _ := cellsOf(played)
		claims = append(claims, games.Claim{Kind: ManWalksIn, Cells: []string{to.String()}, Count: 1})
	}
	missed, lost := could.captured.len()-did.captured.len(), did.lost.len()-could.lost.len()
	if lost > 0 {
		claims = append(claims, games.Claim{Kind: MenLost, Move: did.reply, Cells: names(did.lost), Count: did.lost.len()})
	}
	if missed > 0 {
		claim := games.Claim{Kind: MenMissed, Move: better, Cells: names(could.captured), Count: could.captured.len()}
		if missed > lost {
			return slices.Insert(claims, 0, claim)
		}
		claims = append(claims, claim)
	}
	return claims
}

// names returns the names of the cells of a set, sorted.
func names(s set) (all []string) {
	for _, c := range s.slice() {
		all = append(all, c.String())
	}
	return all
}
