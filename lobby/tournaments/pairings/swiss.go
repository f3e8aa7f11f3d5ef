package pairings

import (
	"cmp"
	"slices"

	"ludoteca/games"
	"ludoteca/lobby/tournaments/matching"
)

// Swiss pairs the next round of a Swiss by FIDE's Dutch system, Handbook C.04.3 in the version that holds since February 2026 (approved as
// that of 2025), and gives the sides. The pairs are in the order of the boards, a bye is the last one. rounds is how many rounds the event
// has in all: in the last one top scorers may get a side once too often. initial is the side that the strongest entrant has in the first
// round; it is drawn by lot. ErrUnpairable means that the rules leave no pairing of all entrants who are present.
//
// What the Handbook says and this function leaves out: the virtual points of accelerated systems (C.04.5.1), pairs that an arbiter forbids
// beside those who have met, and byes worth less than a win. New starting ranks after a late entry are up to the caller: numbers may change
// between rounds as long as all of them do.
func Swiss(entrants []Entrant, rounds int, initial games.Side) ([]Pair, error) {
	if err := check(entrants, true); err != nil {
		return nil, err
	}
	d := newDraw(entrants, rounds)
	if !d.findBye() {
		return nil, ErrUnpairable
	}
	partners, err := d.pairAll()
	if err != nil {
		return nil, err
	}
	return d.boards(partners, initial&1), nil
}

// A float is what happened to a player's score in a round.
type float uint8

const (
	level     float = iota
	floatDown       // paired with a lower score, or points without a match
	floatUp         // paired with a higher score
)

// A player is an entrant who is to be paired.
type player struct {
	number int
	odd    bool // the number is odd, counted among those who have taken part in a round or do now
	score  int
	played int      // matches
	floats [2]float // in the last round and the one before
	bye    bool     // may have a bye
	top    bool     // a top scorer: more than half of all points

	sides     []games.Side // of the matches, in order
	wishes    bool         // has a preference for a side
	want      games.Side   // that side
	imbalance int          // how many more matches were on the other side
	repeated  bool         // the last two matches were on the same side
}

// absolute reports whether the player's preference may only be denied to top scorers.
func (p *player) absolute() bool { return p.imbalance > 1 || p.repeated }

// strong reports whether the preference is more than the wish to change sides.
func (p *player) strong() bool { return p.imbalance > 0 || p.repeated }

// A draw is the pairing of one round. Players are known by their index in the order of score and number.
type draw struct {
	players []player
	met     [][]bool
	last    bool // it is the last round
	odd     bool // one player has a bye
	bye     int  // the score of that player, when odd
}

// newDraw collects what counts for the next round from the rounds before.
func newDraw(entrants []Entrant, rounds int) *draw {
	before := make(map[int][]int, len(entrants)) // points before each round, by number
	for _, e := range entrants {
		sums := make([]int, len(e.Rounds)+1)
		for i, r := range e.Rounds {
			sums[i+1] = sums[i] + r.Points
		}
		before[e.Number] = sums
	}
	d := &draw{}
	histories := make(map[int][]Round, len(entrants))
	odd := false
	for _, e := range byNumber(entrants) {
		if len(e.Rounds) >= rounds-1 {
			d.last = true
		}
		if e.Absent && !slices.ContainsFunc(e.Rounds, func(r Round) bool { return r.Opponent != 0 || r.Points == Win }) {
			continue
		}
		odd = !odd
		if e.Absent {
			continue
		}
		histories[e.Number] = e.Rounds
		p := player{number: e.Number, odd: odd, score: e.points(), bye: true}
		p.top = p.score > len(e.Rounds)*Win/2
		for i, r := range e.Rounds {
			if !r.played() {
				p.bye = p.bye && r.Points < Win
			} else {
				p.sides = append(p.sides, r.Side)
			}
			if back := len(e.Rounds) - 1 - i; back < len(p.floats) {
				p.floats[back] = floatOf(r, before[e.Number][i], before[r.Opponent], i)
			}
		}
		p.prefer()
		d.players = append(d.players, p)
	}
	slices.SortFunc(d.players, func(a, b player) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.number, b.number)) })
	index := make(map[int]int, len(d.players))
	for i, p := range d.players {
		index[p.number] = i
	}
	d.met = make([][]bool, len(d.players))
	for i, p := range d.players {
		d.met[i] = make([]bool, len(d.players))
		for _, r := range histories[p.number] {
			if o, here := index[r.Opponent]; here && r.played() {
				d.met[i][o] = true
			}
		}
	}
	d.odd = len(d.players)%2 == 1
	return d
}

// floatOf returns what round r did to a player who had own points before it. opponent has the points of the opponent before each round, and
// r is the one with index i.
func floatOf(r Round, own int, opponent []int, i int) float {
	switch {
	case !r.played() && r.Points > Loss:
		return floatDown
	case !r.played():
		return level
	case own > opponent[i]:
		return floatDown
	case own < opponent[i]:
		return floatUp
	}
	return level
}

// prefer finds which side p wants, and how much.
func (p *player) prefer() {
	p.played = len(p.sides)
	if p.played == 0 {
		return
	}
	p.wishes = true
	last := p.sides[p.played-1]
	difference := 0 // matches as First less matches as Second
	for _, s := range p.sides {
		difference += 1 - 2*int(s)
	}
	p.repeated = p.played > 1 && p.sides[p.played-2] == last
	p.imbalance = max(difference, -difference)
	lower := games.First
	if difference > 0 {
		lower = games.Second
	}
	switch {
	case p.imbalance > 1:
		p.want = lower
	case p.repeated || p.imbalance == 0:
		p.want = last.Other()
	default:
		p.want = lower
	}
}

// clash reports whether a and b want the same side.
func clash(a, b *player) bool { return a.wishes && b.wishes && a.want == b.want }

// may reports whether the players i and j can be paired: they haven't met, and don't both have an absolute preference for one side, unless
// one of them is a top scorer in the last round.
func (d *draw) may(i, j int) bool {
	a, b := &d.players[i], &d.players[j]
	if d.met[i][j] {
		return false
	}
	return !clash(a, b) || !a.absolute() || !b.absolute() || d.last && (a.top || b.top)
}

// canBye reports whether player i may have the bye of this round.
func (d *draw) canBye(i int) bool { return d.players[i].bye && d.players[i].score == d.bye }

// findBye finds the lowest score that a player with a bye can have, if the number of players is odd. It reports whether all can be paired.
func (d *draw) findBye() bool {
	all := make([]int, len(d.players))
	for i := range all {
		all[i] = i
	}
	if !d.odd {
		return d.complete(all, false)
	}
	tried := -1
	for i := len(all) - 1; i >= 0; i-- {
		if score := d.players[i].score; d.players[i].bye && score != tried {
			tried, d.bye = score, score
			if d.complete(all, true) {
				return true
			}
		}
	}
	return false
}

// complete reports whether all of these players can be paired, one of them with the bye if there is one among them.
func (d *draw) complete(players []int, bye bool) bool {
	return (len(players)%2 == 1) == bye && (d.plenty(players, bye) || d.perfect(players, bye))
}

// perfect is complete by a matching of all players. They are an odd number if there is a bye, else an even one.
func (d *draw) perfect(players []int, bye bool) bool {
	n := len(players) + len(players)%2
	g := matching.New(n, 1)
	for i, p := range players {
		for j, o := range players[:i] {
			if d.may(o, p) {
				g.Join(j, i, []int64{1})
			}
		}
		if bye && d.canBye(p) {
			g.Join(i, n-1, []int64{1})
		}
	}
	g.Solve()
	for i := range n {
		if g.Mate(i) < 0 {
			return false
		}
	}
	return true
}

// plenty reports whether each of these players may be paired with enough of the others that all can be paired for that reason alone, beside the one with the
// bye if there is one among them. Where each may be paired with half of the others or more, a cycle leads through all of them (Dirac 1952), and every second
// step of it is a pair. It never takes as long as a matching does.
func (d *draw) plenty(players []int, bye bool) bool {
	if len(players) < 3 || bye && !slices.ContainsFunc(players, d.canBye) {
		return false
	}
	need := len(players) / 2
	if bye {
		need++ // one of the others may be the one with the bye
	}
	degree := make([]int, len(players))
	for i, p := range players {
		for j, o := range players[:i] {
			if d.may(o, p) {
				degree[i]++
				degree[j]++
			}
		}
	}
	return slices.Min(degree) >= need
}

// pairAll pairs the score groups from the highest down. It returns for each player the opponent, or -1 for the bye.
func (d *draw) pairAll() ([]int, error) {
	partner := make([]int, len(d.players))
	for i := range partner {
		partner[i] = -1
	}
	var moved []int // players who are left from the groups above
	for from := 0; from < len(d.players); {
		to := d.groupEnd(from)
		b := &swissBracket{draw: d, moved: moved, residents: indexes(from, to), next: indexes(to, d.groupEnd(to)), rest: indexes(d.groupEnd(to), len(d.players))}
		pairs, left, ok := b.pair()
		if !ok {
			return nil, ErrUnpairable
		}
		for _, p := range pairs {
			partner[p[0]], partner[p[1]] = p[1], p[0]
		}
		moved, from = left, to
	}
	if len(moved) > 1 || len(moved) == 1 && !(d.odd && d.canBye(moved[0])) {
		return nil, ErrUnpairable
	}
	return partner, nil
}

// groupEnd returns the index after the last player with the score of player from.
func (d *draw) groupEnd(from int) int {
	to := from
	for to < len(d.players) && d.players[to].score == d.players[from].score {
		to++
	}
	return to
}

// indexes returns the numbers from a to b-1.
func indexes(a, b int) []int {
	var all []int
	for i := a; i < b; i++ {
		all = append(all, i)
	}
	return all
}

// boards gives the sides and orders the pairs by the scores of both, then by the rank of the higher one.
func (d *draw) boards(partner []int, initial games.Side) []Pair {
	pairs := make([]Pair, 0, (len(partner)+1)/2)
	bye := Pair{}
	type board struct{ high, low int }
	var boards []board
	for i, o := range partner {
		if o < 0 {
			bye.First = d.players[i].number
		} else if i < o {
			boards = append(boards, board{i, o})
		}
	}
	slices.SortFunc(boards, func(x, y board) int {
		a, b := &d.players[x.high], &d.players[y.high]
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(d.players[y.low].score, d.players[x.low].score), cmp.Compare(a.number, b.number))
	})
	for _, b := range boards {
		high, low := &d.players[b.high], &d.players[b.low]
		pairs = append(pairs, pairOf(high.number, low.number, side(high, low, initial)))
	}
	if bye.First != 0 {
		pairs = append(pairs, bye)
	}
	return pairs
}

// side returns the side of high, who is ranked before low (C.04.3, article 5).
func side(high, low *player, initial games.Side) games.Side {
	if !clash(high, low) {
		switch {
		case high.wishes:
			return high.want
		case low.wishes:
			return low.want.Other()
		case high.odd:
			return initial
		}
		return initial.Other()
	}
	granted := high.want // to the one with the stronger preference; both want the same
	switch a, b := high.absolute(), low.absolute(); {
	case a && (!b || high.imbalance > low.imbalance):
		return granted
	case b && (!a || low.imbalance > high.imbalance):
		return granted.Other()
	case high.strong() && !low.strong():
		return granted
	case low.strong() && !high.strong():
		return granted.Other()
	}
	// The sides change from the last match before which the two had different ones.
	for i, j := high.played-1, low.played-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if high.sides[i] != low.sides[j] {
			return low.sides[j]
		}
	}
	return granted
}
