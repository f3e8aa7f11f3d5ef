package flugelrad

import "ludoteca/games"

// The kinds of claims about mistakes. A group is of linked balls of one side. There are no claims where the options ask for a chain.
const (
	// GroupBroken: the largest group of the side that moved had Count balls and has fewer now. After the better move it has Count or more.
	GroupBroken = "group_broken"

	// GroupLent: the move played links Count balls of the other side, more than were linked before and than the better move links.
	GroupLent = "group_lent"

	// GroupLet: after the move played, the other side can link Count of its balls by Move, more than are linked. After the better move no reply
	// links as many.
	GroupLet = "group_let"

	// GroupLeft: the largest group of the other side has Count balls and keeps them. Move would have left it fewer.
	GroupLeft = "group_left"

	// GroupMissed: Move would have linked Count balls of the side, more than were linked before and than the move played links.
	GroupMissed = "group_missed"
)

// fewLacking is by how many balls a group may be too small to win for a claim to be about it.
const fewLacking = 2

var _ games.Explainer = (*Position)(nil)

// linkedAfter is how many balls of each side are linked after a move, and after the reply by which the other side links the most.
type linkedAfter struct {
	sizes   [2]int
	reply   games.Move
	replied int
}

func (p *Position) linkedAfter(m games.Move) (l linkedAfter, ok bool) {
	next, err := p.Play(m)
	if err != nil {
		return l, false
	}
	after := next.(*Position)
	l.sizes = [2]int{after.Largest(games.First), after.Largest(games.Second)}
	for _, reply := range after.Legal() {
		then, err := after.Play(reply)
		if err != nil {
			continue
		}
		if n := then.(*Position).Largest(after.Turn()); n > l.replied {
			l.reply, l.replied = reply, n
		}
	}
	return l, true
}

// Explain says which groups of balls a move links, breaks up or leaves.
func (p *Position) Explain(played, better games.Move) (claims []games.Claim) {
	did, ok := p.linkedAfter(played)
	could, legal := p.linkedAfter(better)
	if !ok || !legal || p.s.rules.chain {
		return nil
	}
	own, other := p.Turn(), p.Turn().Other()
	had := [2]int{p.Largest(games.First), p.Largest(games.Second)}
	claim := func(kind string, m games.Move, count int, holds bool) {
		if holds && count+fewLacking >= p.Needed() {
			claims = append(claims, games.Claim{Kind: kind, Move: m, Count: count})
		}
	}
	claim(GroupLent, "", did.sizes[other], did.sizes[other] > had[other] && did.sizes[other] > could.sizes[other])
	claim(GroupLet, did.reply, did.replied, did.replied > could.replied && did.replied > did.sizes[other])
	claim(GroupBroken, "", had[own], did.sizes[own] < had[own] && could.sizes[own] >= had[own])
	claim(GroupLeft, better, had[other], did.sizes[other] >= had[other] && could.sizes[other] < had[other])
	claim(GroupMissed, better, could.sizes[own], could.sizes[own] > had[own] && could.sizes[own] > did.sizes[own])
	return claims
}
