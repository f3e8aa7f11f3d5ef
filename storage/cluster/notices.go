package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Notice is a message of a node to the others that is of no use later. A node whose watch was interrupted may miss it.
type Notice struct {
	Node NodeID          `json:"-"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// noticesKept is how many notices of a node are kept, as a ring: each new row replaces the oldest.
const noticesKept = 256

// A noticeKey is a place in the ring of a node.
type noticeKey struct {
	node  NodeID
	place byte
}

// Notices are the last notices of each node.
var Notices = storage.Table[noticeKey, Notice]{
	Name: "notices", Traits: storage.Traits{Brief: true, OfNodes: true},
	Keys: storage.Join(storage.Text[NodeID](nil), storage.Byte(),
		func(k noticeKey) (NodeID, byte) { return k.node, k.place },
		func(node NodeID, place byte) noticeKey { return noticeKey{node, place} }),
	Values: storage.JSONAs(1, func(n Notice) Notice { return n }, func(k noticeKey, n Notice) (Notice, error) {
		n.Node = k.node
		return n, nil
	}),
}

// Tell sends a notice to the other nodes. number is the number of the notice, counted by its node. The error wraps ErrNotFound if that
// node was declared gone.
func (s *Store) Tell(ctx context.Context, n Notice, number uint64) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("notice of node %s", n.Node), func(tx kv.Tx) error {
		if err := mustBeUp(tx, n.Node); err != nil {
			return err
		}
		return Notices.Put(tx, noticeKey{n.Node, byte(number % noticesKept)}, n)
	})
}

// FollowNotices calls told with each notice from now on until ctx ends, and bad for those that can't be read.
func (s *Store) FollowNotices(ctx context.Context, told func(Notice), bad func(key string, err error)) error {
	return Notices.Follow(ctx, s.engine, storage.Follower[noticeKey, Notice]{Put: told, Bad: bad})
}
