package bot

import (
	"math"
	"slices"

	"ludoteca/games"
)

// The order of moves: the hash move, those that the game finds notable, two killers, the countermove, and the others by
// their history.
const (
	tableRank  = 1 << 30
	notable    = 100 // the game's own ranks from here on are never reduced
	killerRank = notable - 1
	quietRank  = killerRank*maxHistory - 2 // below are moves of which only the history is known
	maxHistory = 1 << 13
	historyMul = 0x9e3779b1

	historyBits = 12
)

// A rank says when a move of a list is tried: the larger the earlier. Its lower placeBits say how far from the front of
// the list the move lies, so that of moves that are equally good the one in front comes first.
type rank int64

const (
	placeBits = 16
	places    = 1 << placeBits

	gone = rank(math.MinInt64) // of a move that has been picked, or of none
)

// A stage says where a move picker stands.
type stage uint8

const (
	hashStage stage = iota
	bestStage
	firstKillerStage
	secondKillerStage
	countermoveStage
	lastStage // what is left has to be listed
	listStage // the moves are listed
)

// A movePicker yields the moves of a position, the most promising first. Where the game is Staged and the next ply is the
// end of the line, it offers the hash move, the best capture or win, or else the killers and the countermove before it lists the
// moves, since one of them often settles the position. Nothing is learned there about the order of the others, so that
// the moves come in the same order as if all had been listed at once.
type movePicker struct {
	search *alphaBeta
	list   order      // empty before the moves are listed
	hash   games.Code // or noMove
	ply    int
	tried  int // how many moves it has yielded
	stage  stage
	moves  int // the heights of the search's stacks before
	blocks int
}

// begin makes p, which must be new, the picker of the moves of a position that is searched to a depth.
func (p *movePicker) begin(a *alphaBeta, hash games.Code, depth, ply int) {
	p.search, p.hash, p.ply, p.moves, p.blocks = a, hash, ply, len(a.moves), len(a.blocks)
	if a.staged == nil || depth > 1 || a.staged.Forced() {
		p.listAll()
	}
}

// next returns the next move. quiet says that only the history is known of it. ok is false after the last move.
func (p *movePicker) next() (code games.Code, quiet, ok bool) {
	if p.stage < listStage {
		if code := p.early(); code != noMove {
			p.search.moves = append(p.search.moves, games.Ranked{Code: code})
			p.tried++
			return code, false, true
		}
		p.listAll()
	}
	if p.tried == len(p.list.moves) {
		return noMove, false, false
	}
	code, quiet = p.list.pick(p.tried)
	p.tried++
	return code, quiet, true
}

// early returns the next move that needs no list, or noMove.
func (p *movePicker) early() games.Code {
	a := p.search
	for p.stage < lastStage {
		code := noMove
		switch p.stage {
		case hashStage:
			code = p.hash
		case bestStage:
			if best, ok := a.staged.Best(notable); ok {
				p.stage = lastStage // others that are notable come before the killers
				if best == p.hash {
					return noMove
				}
				return best
			}
		case firstKillerStage:
			code = a.killers[p.ply][0]
		case secondKillerStage:
			code = a.killers[p.ply][1]
		case countermoveStage:
			code = a.answer(p.ply)
		}
		p.stage++
		if code != noMove && !p.yielded(code) && a.staged.Legal(code) {
			return code
		}
	}
	return noMove
}

// yielded reports whether a move has been yielded before the list was made.
func (p *movePicker) yielded(c games.Code) bool {
	for _, m := range p.sofar() {
		if m.Code == c {
			return true
		}
	}
	return false
}

// listAll lists and ranks all moves and passes over those that have been yielded: they are the first ones of the list.
func (p *movePicker) listAll() {
	a := p.search
	a.moves = a.pos.Moves(a.moves[:p.moves])
	p.list = a.rank(a.moves[p.moves:], p.ply, p.hash)
	p.stage = listStage
	for i := range p.tried {
		p.list.pick(i)
	}
}

// sofar returns the moves that have been yielded, in their order.
func (p *movePicker) sofar() []games.Ranked {
	if len(p.list.moves) == 0 {
		return p.search.moves[p.moves:]
	}
	return p.list.moves[:p.tried]
}

// done takes the moves off the stacks of the search.
func (p *movePicker) done() {
	a := p.search
	a.moves, a.blocks = a.moves[:p.moves], a.blocks[:p.blocks]
}

// rankAt returns the rank of a move in a place of the list.
func rankAt(how int32, place int) rank { return rank(how)<<placeBits | rank(places-1-place) }

// place returns where the move is in its list.
func (r rank) place() int { return places - 1 - int(r&(places-1)) }

// An order is a list of moves from which the best is taken again and again, for most lists are never needed to the end.
type order struct {
	moves  []games.Ranked
	blocks []block // of the ranks of the moves in the same places
}

// A block is the ranks of some moves that follow each other, gone in the places after the last move, and the highest of them.
type block struct {
	ranks [inBlock]rank
	top   rank
}

const inBlock = 8

// best finds the highest rank, without branches that a processor could guess wrong.
func (b *block) best() {
	r := &b.ranks
	b.top = max(max(max(r[0], r[1]), max(r[2], r[3])), max(max(r[4], r[5]), max(r[6], r[7])))
}

// pick puts the best of the moves from the i-th on in the i-th place and returns it. quiet says that only the history is
// known of it.
func (o *order) pick(i int) (code games.Code, quiet bool) {
	best := gone
	for k := i / inBlock; k < len(o.blocks); k++ {
		best = max(best, o.blocks[k].top)
	}
	place := best.place()
	here, there := &o.blocks[i/inBlock], &o.blocks[place/inBlock]
	there.ranks[place%inBlock] = here.ranks[i%inBlock] + rank(i-place)
	here.ranks[i%inBlock] = gone
	here.best()
	there.best()
	o.moves[i], o.moves[place] = o.moves[place], o.moves[i]
	return o.moves[i].Code, best < quietRank<<placeBits
}

// rank adds what the search knows about the moves to what the game thinks of them. The ranks of the game are spread out
// to leave room for the history between them.
func (a *alphaBeta) rank(moves []games.Ranked, ply int, first games.Code) order {
	base, count := len(a.blocks), (len(moves)+inBlock-1)/inBlock
	a.blocks = slices.Grow(a.blocks, count)[:base+count]
	blocks := a.blocks[base:]
	for i := len(moves); i < count*inBlock; i++ {
		blocks[count-1].ranks[i%inBlock] = gone
	}
	killers, answer, history := a.killers[ply], a.answer(ply), &a.history[a.pos.Turn()]
	for i, m := range moves {
		how := m.Rank
		switch {
		case m.Code == first:
			how = tableRank
		case how >= notable:
			how *= maxHistory
		case m.Code == killers[0]:
			how = killerRank * maxHistory
		case m.Code == killers[1]:
			how = killerRank*maxHistory - 1
		case m.Code == answer:
			how = quietRank
		default:
			how = how*16 + int32(history[slot(m.Code)])
		}
		blocks[i/inBlock].ranks[i%inBlock] = rankAt(how, i)
	}
	for i := range blocks {
		blocks[i].best()
	}
	return order{moves, blocks}
}

// answer returns the move that has refuted the one before, or noMove.
func (a *alphaBeta) answer(ply int) games.Code {
	if last := a.path[ply]; last != noMove {
		return a.answers[a.pos.Turn()][slot(last)]
	}
	return noMove
}

// pick is order.pick for a short list in which the ranks of the game alone count.
func pick(moves []games.Ranked, i int) games.Ranked {
	best := i
	for j := i + 1; j < len(moves); j++ {
		if moves[j].Rank > moves[best].Rank {
			best = j
		}
	}
	moves[i], moves[best] = moves[best], moves[i]
	return moves[i]
}

func slot(c games.Code) uint32 { return uint32(c) * historyMul >> (32 - historyBits) }

// reward notes that the last of the moves was good enough and those tried before it were not.
func (a *alphaBeta) reward(tried []games.Ranked, depth, ply int) {
	last := tried[len(tried)-1]
	if k := &a.killers[ply]; k[0] != last.Code {
		k[1], k[0] = k[0], last.Code
	}
	side := a.pos.Turn()
	if before := a.path[ply]; before != noMove {
		a.answers[side][slot(before)] = last.Code
	}
	bonus := min(depth*depth*8, maxHistory/8)
	for _, m := range tried[:len(tried)-1] {
		a.learn(side, m.Code, -bonus)
	}
	a.learn(side, last.Code, bonus)
}

// learn moves the history of a move towards the bonus, the less the nearer it is to its end already.
func (a *alphaBeta) learn(side games.Side, c games.Code, bonus int) {
	h := &a.history[side][slot(c)]
	*h += int16(bonus - int(*h)*max(bonus, -bonus)/maxHistory)
}
