package bot

import (
	"context"
	"sync"

	"ludoteca/games"
	"ludoteca/games/proof"
)

// A Memory keeps what levels have thought with for the next moves: up to 28 MiB for each that thinks at the same time.
// New memory for each move would leave so much garbage in a club that everybody feels how it is collected. What nobody has
// used from one collection to the next is given back; the runtime makes one every two minutes at least.
//
// A level finds the same in used memory as in new. The zero value is empty and ready, nil keeps nothing; both may be used
// by any number of goroutines at once.
type Memory struct {
	desks sync.Pool // of *desk
}

// lend returns a desk to think at about one move.
func (m *Memory) lend() *desk {
	if m != nil {
		if d, ok := m.desks.Get().(*desk); ok {
			return d
		}
	}
	return new(desk)
}

// keep takes a desk back at which nobody thinks any more.
func (m *Memory) keep(d *desk) {
	if m != nil {
		d.leave()
		m.desks.Put(d)
	}
}

// A desk is all the memory that one player needs who looks ahead, for one move at a time. The zero value is ready.
type desk struct {
	search alphaBeta
	tables tables
	prover proof.Prover
}

// alphaBeta begins a search at the desk. The one before has ended.
func (d *desk) alphaBeta(ctx context.Context, pos games.Search, nodes int) *alphaBeta {
	a, moves, blocks := &d.search, d.search.moves, d.search.blocks
	if moves == nil {
		moves, blocks = make([]games.Ranked, 0, maxPly*128), make([]block, 0, maxPly*128/inBlock)
	}
	*a = alphaBeta{}
	a.pos, a.done, a.limit, a.noisy, a.moves, a.blocks = pos, ctx.Done(), nodes, games.UsualNoisyPlies, moves[:0], blocks[:0]
	a.staged, _ = pos.(games.Staged)
	a.memory, a.table, a.size = &d.tables, d.tables.first(nodes), tableSize(nodes)
	a.path[0] = noMove
	return a
}

// leave lets go of what belongs to others: the position, the context, advice.
func (d *desk) leave() {
	d.search.pos, d.search.staged, d.search.done, d.search.only = nil, nil, nil, nil
}
