package notices

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"ludoteca/lobby/match"
	"ludoteca/lobby/origin"
	"ludoteca/storage"
	"ludoteca/storage/notices"
)

// The bounds of the notices that wait in the whole club, about.
const (
	maxQueued = 1000          // above which no more are queued
	madeRoom  = maxQueued / 8 // for how many there is room again when notices that have failed make room

	// How many wait for the people of a block of addresses, and how many of these have failed: as often as the weight of the block. Its people are told
	// nothing more until some are sent or given up.
	ofBlock   = maxQueued / 4
	ofAddress = origin.PeoplePerAddress * notices.MaxFailing
)

// A room knows for whom notices wait, so that those which can't be sent leave room for others. It is counted anew whenever the queue is read. It is
// safe for concurrent use.
type room struct {
	blocks func(storage.PlayerID) []Block

	mu     sync.Mutex // guards what follows
	queued int
	to     map[storage.PlayerID]waiting
	of     map[any]waiting // by Block.Key
}

// A Block is a block of addresses.
type Block struct {
	Key    any // the same whenever the block is the same
	Weight int // see origin.Block
}

// A waiting says how many notices wait for someone, and how many of them have been tried.
type waiting struct{ all, tried int }

func newRoom(blocks func(storage.PlayerID) []Block) *room {
	return &room{blocks: blocks, to: map[storage.PlayerID]waiting{}, of: map[any]waiting{}}
}

// count counts the notices that wait.
func (r *room) count(all []notices.Queued) {
	from := make([][]Block, len(all))
	for i, n := range all {
		from[i] = r.blocks(n.Key.Player)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = 0
	clear(r.to)
	clear(r.of)
	for i, n := range all {
		r.put(n.Key.Player, from[i], n.Tries > 0)
	}
}

// put counts a notice. The caller holds r.mu.
func (r *room) put(id storage.PlayerID, from []Block, tried bool) {
	one := waiting{all: 1}
	if tried {
		one.tried = 1
	}
	r.queued++
	r.to[id] = waiting{r.to[id].all + 1, r.to[id].tried + one.tried}
	for _, b := range from {
		r.of[b.Key] = waiting{r.of[b.Key].all + 1, r.of[b.Key].tried + one.tried}
	}
}

// add counts a notice that was just queued for a player.
func (r *room) add(id storage.PlayerID) {
	from := r.blocks(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(id, from, false)
}

// has reports whether there is room for a notice to a player. Blocks are known of players with matches alone.
func (r *room) has(id storage.PlayerID) bool {
	from := r.blocks(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	if to := r.to[id]; r.queued >= maxQueued || to.tried > 0 && to.all >= notices.MaxFailing {
		return false
	}
	return !slices.ContainsFunc(from, func(b Block) bool {
		return r.of[b.Key].all >= ofBlock || r.of[b.Key].tried >= ofAddress*b.Weight
	})
}

// keyOf returns the key of a player.
func keyOf(id storage.PlayerID) match.Key { return match.Key{Kind: storage.Person, ID: string(id)} }

// makeRoom gives up notices that have failed, those with the most tries first, if the queue is full. Each node gives up those to players
// that it owns. It returns the notices that stay.
func (q *queue) makeRoom(ctx context.Context, all []notices.Queued) (left []notices.Queued) {
	if len(all) < maxQueued {
		return all
	}
	slices.SortStableFunc(all, func(a, b notices.Queued) int { return cmp.Or(cmp.Compare(b.Tries, a.Tries), a.Made.Compare(b.Made)) })
	for i, n := range all {
		if i < len(all)-(maxQueued-madeRoom) && n.Tries > 0 && q.owns(n.Key.Player) && !q.isBegun(n.Key) && ctx.Err() == nil {
			q.config.Stats.GivenUp.Add(1)
			q.remove(ctx, n.Key)
			continue
		}
		left = append(left, n)
	}
	return left
}
