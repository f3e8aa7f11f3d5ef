package bot

import (
	"math"
	"slices"

	"ludoteca/games"
)

// The order of moves: the hash move, notable moves by the game's own ranks, two killers, the countermove, and the others by
// their history. The ranks of the game are spread out to leave room for the history between them.
const (
	hashRank   = 1 << 30
	notable    = 100 // the game's own ranks from here on are never reduced
	killerRank = notable - 1
	quietRank  = killerRank*maxHistory - 2 // below are moves of which only the history is known

	maxHistory  = 1 << 13
	historyBits = 12
	historyMul  = 0x9e3779b1
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
// end of the line, it offers the hash move, the best capture or win, or else the killers and the countermove before it lists
// the moves, since one of them often settles the position: that is worth 36 % more nodes a second in Petteia and 13 % in
// Flügelrad (BenchmarkNodes). Nothing is learned there about the order of the others, so the moves come in the same order as
// if all had been listed at once.
type movePicker struct {
	search  *search
	list    rankedMoves // empty before the moves are listed
	hash    games.Code  // or noMove
	ply     int
	yielded int
	stage   stage
	moves   int // the heights of the search's stacks before
	blocks  int
}

// begin makes p, which must be new, the picker of the moves of a position that is searched to a depth.
func (p *movePicker) begin(s *search, hash games.Code, depth, ply int) {
	p.search, p.hash, p.ply, p.moves, p.blocks = s, hash, ply, len(s.moves), len(s.blocks)
	if s.staged == nil || depth > 1 || s.staged.Forced() {
		p.listAll()
	}
}

// end takes the moves off the stacks of the search.
func (p *movePicker) end() {
	s := p.search
	s.moves, s.blocks = s.moves[:p.moves], s.blocks[:p.blocks]
}

// only reports whether there is only one legal move.
func (p *movePicker) only() bool { return len(p.list.moves) == 1 }

// count returns how many moves there are; 0 before they are listed.
func (p *movePicker) count() int { return len(p.list.moves) }

// next returns the next move. quiet says that only the history is known of it. ok is false after the last move.
func (p *movePicker) next() (code games.Code, quiet, ok bool) {
	if p.stage < listStage {
		if code := p.early(); code != noMove {
			p.search.moves = append(p.search.moves, games.Ranked{Code: code})
			p.yielded++
			return code, false, true
		}
		p.listAll()
	}
	if p.yielded == len(p.list.moves) {
		return noMove, false, false
	}
	code, quiet = p.list.pick(p.yielded)
	p.yielded++
	return code, quiet, true
}

// early returns the next move that needs no list, or noMove.
func (p *movePicker) early() games.Code {
	s := p.search
	for p.stage < lastStage {
		code := noMove
		switch p.stage {
		case hashStage:
			code = p.hash
		case bestStage:
			if best, ok := s.staged.Best(notable); ok {
				p.stage = lastStage // others that are notable come before the killers
				if best == p.hash {
					return noMove
				}
				return best
			}
		case firstKillerStage:
			code = s.killers[p.ply][0]
		case secondKillerStage:
			code = s.killers[p.ply][1]
		case countermoveStage:
			code = s.countermove(p.ply)
		}
		p.stage++
		if code != noMove && !p.has(code) && s.staged.Legal(code) {
			return code
		}
	}
	return noMove
}

// has reports whether a move has been yielded.
func (p *movePicker) has(c games.Code) bool {
	for _, m := range p.tried() {
		if m.Code == c {
			return true
		}
	}
	return false
}

// listAll lists and ranks all moves and passes over the moves that were yielded before: they come first in the list.
func (p *movePicker) listAll() {
	s := p.search
	s.moves = s.pos.Moves(s.moves[:p.moves])
	p.list = s.rank(s.moves[p.moves:], p.ply, p.hash)
	p.stage = listStage
	for i := range p.yielded {
		p.list.pick(i)
	}
}

// tried returns the moves that have been yielded, in their order.
func (p *movePicker) tried() []games.Ranked {
	if len(p.list.moves) == 0 {
		return p.search.moves[p.moves:]
	}
	return p.list.moves[:p.yielded]
}

// A rank says when a move of a list is tried: the larger, the earlier. Its lower placeBits hold how far the move lies from the
// front of the list. So among equally good moves the first in the list is tried first.
type rank int64

const (
	placeBits = 16
	places    = 1 << placeBits

	taken = rank(math.MinInt64) // of a move that has been picked, or of none
)

// rankAt returns the rank of a move in a place of the list.
func rankAt(how int32, place int) rank { return rank(how)<<placeBits | rank(places-1-place) }

// place returns where the move is in its list.
func (r rank) place() int { return places - 1 - int(r&(places-1)) }

// rankedMoves is a list of moves from which the best is picked again and again, for most lists are never needed to the
// end.
type rankedMoves struct {
	moves  []games.Ranked
	blocks []block // of the ranks of the moves in the same places
}

// A block is the ranks of some moves that follow each other, taken in the places after the last move, and the highest of
// them.
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
func (l *rankedMoves) pick(i int) (code games.Code, quiet bool) {
	best := taken
	for k := i / inBlock; k < len(l.blocks); k++ {
		best = max(best, l.blocks[k].top)
	}
	place := best.place()
	here, there := &l.blocks[i/inBlock], &l.blocks[place/inBlock]
	there.ranks[place%inBlock] = here.ranks[i%inBlock] + rank(i-place)
	here.ranks[i%inBlock] = taken
	here.best()
	there.best()
	l.moves[i], l.moves[place] = l.moves[place], l.moves[i]
	return l.moves[i].Code, best < quietRank<<placeBits
}

// rank adds what the search knows about the moves to what the game thinks of them.
func (s *search) rank(moves []games.Ranked, ply int, hash games.Code) rankedMoves {
	base, count := len(s.blocks), (len(moves)+inBlock-1)/inBlock
	s.blocks = slices.Grow(s.blocks, count)[:base+count]
	blocks := s.blocks[base:]
	for i := len(moves); i < count*inBlock; i++ {
		blocks[count-1].ranks[i%inBlock] = taken
	}
	killers, countermove, history := s.killers[ply], s.countermove(ply), &s.history[s.pos.Turn()]
	for i, m := range moves {
		how := m.Rank
		switch {
		case m.Code == hash:
			how = hashRank
		case how >= notable:
			how *= maxHistory
		case m.Code == killers[0]:
			how = killerRank * maxHistory
		case m.Code == killers[1]:
			how = killerRank*maxHistory - 1
		case m.Code == countermove:
			how = quietRank
		default:
			how = how*16 + int32(history[slot(m.Code)])
		}
		blocks[i/inBlock].ranks[i%inBlock] = rankAt(how, i)
	}
	for i := range blocks {
		blocks[i].best()
	}
	return rankedMoves{moves, blocks}
}

// pickNoisy is rankedMoves.pick for a short list in which the ranks of the game alone count.
func pickNoisy(moves []games.Ranked, i int) games.Ranked {
	best := i
	for j := i + 1; j < len(moves); j++ {
		if moves[j].Rank > moves[best].Rank {
			best = j
		}
	}
	moves[i], moves[best] = moves[best], moves[i]
	return moves[i]
}

// slot returns the place of a move in the tables of history and countermoves; moves may share one.
func slot(c games.Code) uint32 { return uint32(c) * historyMul >> (32 - historyBits) }

// countermove returns the move that has refuted the one before, or noMove.
func (s *search) countermove(ply int) games.Code {
	if last := s.path[ply]; last != noMove {
		return s.countermoves[s.pos.Turn()][slot(last)]
	}
	return noMove
}

// updateHistory notes that the last of the moves was good enough and those tried before it were not.
func (s *search) updateHistory(tried []games.Ranked, depth, ply int) {
	last := tried[len(tried)-1]
	if k := &s.killers[ply]; k[0] != last.Code {
		k[1], k[0] = k[0], last.Code
	}
	side := s.pos.Turn()
	if before := s.path[ply]; before != noMove {
		s.countermoves[side][slot(before)] = last.Code
	}
	bonus := min(depth*depth*8, maxHistory/8)
	for _, m := range tried[:len(tried)-1] {
		s.addHistory(side, m.Code, -bonus)
	}
	s.addHistory(side, last.Code, bonus)
}

// addHistory moves the history of a move towards the bonus, the less the nearer it is to its end already.
func (s *search) addHistory(side games.Side, c games.Code, bonus int) {
	h := &s.history[side][slot(c)]
	*h += int16(bonus - int(*h)*max(bonus, -bonus)/maxHistory)
}
