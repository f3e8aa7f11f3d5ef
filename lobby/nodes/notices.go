package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"ludoteca/storage/cluster"
)

// notices sends notices to the other nodes, and numbers them. It is safe for concurrent use.
type notices struct {
	store Store
	self  func() cluster.NodeID
	told  atomic.Uint64
}

// Tell sends a notice to the other nodes. A lost notice is not sent again.
func (n *notices) Tell(ctx context.Context, kind string, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return n.store.Tell(ctx, cluster.Notice{Node: n.self(), Kind: kind, Body: body}, n.told.Add(1))
}

// Told returns the number of notices that this node has sent.
func (n *notices) Told() uint64 { return n.told.Load() }
