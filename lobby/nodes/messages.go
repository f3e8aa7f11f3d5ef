package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"ludoteca/storage/cluster"
)

// messages sends messages to the other nodes, and numbers them. It is safe for concurrent use.
type messages struct {
	store Store
	self  func() cluster.NodeID
	told  atomic.Uint64
}

// Tell sends a message to the other nodes. A lost message is not sent again.
func (n *messages) Tell(ctx context.Context, kind string, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return n.store.Tell(ctx, cluster.Message{Node: n.self(), Kind: kind, Body: body}, n.told.Add(1))
}

// Told returns the number of messages that this node has sent.
func (n *messages) Told() uint64 { return n.told.Load() }
