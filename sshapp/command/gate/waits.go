package gate

import (
	"errors"
	"net/netip"
	"slices"
	"sync"

	"ludoteca/lobby/origin"
)

// The most commands that wait at one time, on one node.
const (
	maxWaitsPerPlayer = 1
	maxWaitsPerBlock  = 4 // times the weight of the block of addresses
)

// The errors of Waits.
var (
	ErrWaiting   = errors.New("the player waits already")
	ErrManyWaits = errors.New("too many commands wait at the address")
)

// Waits counts the commands that wait. It is safe for concurrent use.
type Waits struct {
	mu     sync.Mutex // guards what follows
	people map[string]int
	blocks map[netip.Prefix]int
}

// NewWaits returns a Waits that has counted none.
func NewWaits() *Waits {
	return &Waits{people: make(map[string]int), blocks: make(map[netip.Prefix]int)}
}

// Begin counts a command of a player until end is called. The error is ErrWaiting or ErrManyWaits.
func (w *Waits) Begin(player string, from origin.Origin) (end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	blocks := origin.Blocks(from.Addr)
	switch {
	case w.people[player] >= maxWaitsPerPlayer:
		return nil, ErrWaiting
	case slices.ContainsFunc(blocks, func(b origin.Block) bool { return w.blocks[b.Prefix] >= maxWaitsPerBlock*b.Weight }):
		return nil, ErrManyWaits
	}
	count := func(n int) {
		add(w.people, player, n)
		for _, b := range blocks {
			add(w.blocks, b.Prefix, n)
		}
	}
	count(1)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		count(-1)
	}, nil
}

// Players returns how many players have commands that wait.
func (w *Waits) Players() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.people)
}
