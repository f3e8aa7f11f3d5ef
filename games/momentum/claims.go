package momentum

import (
	"slices"

	"ludoteca/games"
)

// The kinds of claims about mistakes.
const (
	// OwnPushed: the move played pushes the Count marbles of its own side on Cells off the board. The better move pushes fewer off.
	OwnPushed = "own_pushed"

	// PushMissed: Move would have pushed the Count marbles of the other side on Cells off the board. The move played pushes fewer off.
	PushMissed = "push_missed"

	// OnlyPush is PushMissed where no other legal move pushes a marble of the other side off.
	OnlyPush = "only_push"

	// PushLet: after the move played, the other side pushes the Count marbles on Cells off the board by Move. After the better move no reply pushes
	// as many off.
	PushLet = "push_let"
)

var _ games.Explainer = (*Position)(nil)

// off returns the cells from which a legal move pushes marbles of a side off the board, sorted.
func off(s core, c games.Code, side games.Side) (cells []string) {
	if s.Move(c) == swapText {
		return nil
	}
	for _, push := range s.pushes(c) {
		if push.To == "" && push.Side == side {
			cells = append(cells, string(push.From))
		}
	}
	slices.Sort(cells)
	return cells
}

// dropResult is what a move pushes off the board, and what the worst reply to it does.
type dropResult struct {
	own, other []string // by the move
	reply      games.Move
	lost       []string // by the reply, of the side that moved
}

// balance returns how many marbles more the other side loses than the mover.
func (o dropResult) balance() int { return len(o.other) - len(o.own) - len(o.lost) }

// dropOf returns what a legal move leads to. The reply is the first of those that push the most marbles off.
func (p *Position) dropOf(m games.Move) (o dropResult, ok bool) {
	s := p.s.Clone().(core)
	c, err := s.Code(m)
	if err != nil {
		return o, false
	}
	side := s.Turn()
	o.own, o.other = off(s, c, side), off(s, c, side.Other())
	s.Play(c)
	for _, reply := range s.Moves(nil) {
		if lost := off(s, reply, side); len(lost) > len(o.lost) {
			o.reply, o.lost = s.Move(reply), lost
		}
	}
	return o, true
}

// pushers returns how many legal moves push a marble of the other side off.
func (p *Position) pushers() (n int) {
	for _, c := range p.s.Moves(nil) {
		if len(off(p.s, c, p.Turn().Other())) > 0 {
			n++
		}
	}
	return n
}

// Explain says which marbles a move sends off the board, and which it leaves on it.
func (p *Position) Explain(played, better games.Move) (claims []games.Claim) {
	did, ok := p.dropOf(played)
	could, legal := p.dropOf(better)
	if !ok || !legal || did.balance() >= could.balance() {
		return nil
	}
	if len(did.own) > len(could.own) {
		claims = append(claims, games.Claim{Kind: OwnPushed, Cells: did.own, Count: len(did.own)})
	}
	if len(did.lost) > len(could.lost) {
		claims = append(claims, games.Claim{Kind: PushLet, Move: did.reply, Cells: did.lost, Count: len(did.lost)})
	}
	if len(could.other) > len(did.other) {
		kind := PushMissed
		if p.pushers() == 1 {
			kind = OnlyPush
		}
		claims = append(claims, games.Claim{Kind: kind, Move: better, Cells: could.other, Count: len(could.other)})
	}
	return claims
}
