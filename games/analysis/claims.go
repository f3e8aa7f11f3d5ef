package analysis

import "ludoteca/games"

// claimOf returns the first reason why the move played is a mistake, or the zero value. p is the point of pos, and next is the point after the move.
func claimOf(pos games.Position, played games.Move, p, next *Point) games.Claim {
	for _, c := range claimsOf(pos, played, p, next) {
		if c.Kind != "" && checkClaim(&c) == nil {
			return c
		}
	}
	return games.Claim{}
}

// claimsOf returns the reasons, the most important first: what is proven of the end of the game, then what the engine says.
func claimsOf(pos games.Position, played games.Move, p, next *Point) (claims []games.Claim) {
	side := pos.Turn()
	if p.won(side) && !next.won(side) && p.Best != "" {
		claims = append(claims, winIn(games.WouldWin, p))
	}
	if next.won(side.Other()) && next.Best != "" && !p.won(side.Other()) {
		claims = append(claims, winIn(games.LetsWin, next))
	}
	if e, ok := pos.(games.Explainer); ok && p.Best != "" && p.Best != played {
		claims = append(claims, e.Explain(played, p.Best)...)
	}
	return claims
}

// winIn returns a claim about the win that is proven of a point whose winner is to move. It is of no kind where the last move of the win may be
// the loser's, who then has no choice: its length in moves would mislead.
func winIn(kind string, p *Point) games.Claim {
	if p.Plies%2 == 0 {
		return games.Claim{}
	}
	return games.Claim{Kind: kind, Move: p.Best, Count: (p.Plies + 1) / 2}
}
