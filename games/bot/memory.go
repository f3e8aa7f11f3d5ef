package bot

import (
	"context"
	"math/bits"
	"sync"

	"ludoteca/games"
	"ludoteca/games/deadline"
	"ludoteca/games/proof"
)

// A Memory keeps the workspaces of searches for the next moves: up to 28 MiB for each search that runs at the same time.
// New memory for each move would leave so much garbage that collecting it slows down the whole club. A workspace that is not used
// between two garbage collections is given back; the runtime makes one every two minutes at least.
//
// A level finds the same in used memory as in new. The zero value is empty and ready, nil keeps nothing; both may be used
// by any number of goroutines at once.
type Memory struct {
	workspaces sync.Pool // of *workspace
	entries    int       // that the table of a search may grow to; 0: maxEntries
}

// The bytes of the table in which a search remembers positions, at most: as it is in the club, and as NewMemory takes them. While a
// table grows, a quarter of its size is taken besides.
const (
	UsualTable = maxEntries * entryBytes
	MinTable   = minEntries * entryBytes
	MaxTable   = 1 << 30
)

// NewMemory returns a Memory for searches whose tables grow to a number of bytes, from MinTable to MaxTable: to the largest power
// of two that is no larger.
func NewMemory(table int) *Memory {
	n := min(max(table, MinTable), MaxTable) / entryBytes
	return &Memory{entries: 1 << (bits.Len(uint(n)) - 1)}
}

// get returns a workspace for one move.
func (m *Memory) get() *workspace {
	if m == nil {
		return new(workspace)
	}
	if w, ok := m.workspaces.Get().(*workspace); ok {
		return w
	}
	return &workspace{tables: tableMemory{most: m.entries}}
}

// put takes a workspace back that is not used any more.
func (m *Memory) put(w *workspace) {
	if m != nil {
		w.release()
		m.workspaces.Put(w)
	}
}

// A workspace is all the memory that a thinker needs, for one move at a time. The zero value is ready.
type workspace struct {
	search search
	tables tableMemory
	prover proof.Prover
}

// newSearch begins a search in the workspace. The one before has ended.
func (w *workspace) newSearch(ctx context.Context, pos games.Search, nodes int) *search {
	s, moves, blocks := &w.search, w.search.moves, w.search.blocks
	if moves == nil {
		moves, blocks = make([]games.Ranked, 0, maxPly*128), make([]block, 0, maxPly*128/inBlock)
	}
	*s = search{}
	s.pos, s.until, s.limit, s.noisyPlies, s.moves, s.blocks = pos, deadline.Of(ctx), nodes, games.UsualNoisyPlies, moves[:0], blocks[:0]
	s.staged, _ = pos.(games.Staged)
	s.memory, s.table, s.size = &w.tables, w.tables.first(nodes), w.tables.size(nodes)
	s.path[0] = noMove
	return s
}

// release drops what belongs to others: the position, the context, advice.
func (w *workspace) release() {
	w.search.pos, w.search.staged, w.search.until, w.search.candidates, w.search.held = nil, nil, deadline.Deadline{}, nil, false
	w.search.report = nil
}
