package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	"ludoteca/storage"
	"ludoteca/storage/kv"
)

// A Message is a message of a node to the others that is of no use later. A node whose watch was interrupted may miss it.
type Message struct {
	Node NodeID          `json:"-"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// messagesKept is how many messages of a node are kept, as a ring: each new row replaces the oldest.
const messagesKept = 256

// A messageKey is a place in the ring of a node.
type messageKey struct {
	node  NodeID
	place byte
}

// Messages are the last messages of each node. The table is named as in earlier versions.
var Messages = storage.Table[messageKey, Message]{
	Name: "notices", Traits: storage.Traits{Brief: true, OfNodes: true},
	Keys: storage.Join(storage.Text[NodeID](nil), storage.Byte(),
		func(k messageKey) (NodeID, byte) { return k.node, k.place },
		func(node NodeID, place byte) messageKey { return messageKey{node, place} }),
	Values: storage.JSONAs(1, func(m Message) Message { return m }, func(k messageKey, m Message) (Message, error) {
		m.Node = k.node
		return m, nil
	}),
}

// Tell sends a message to the other nodes. number is the number of the message, counted by its node. The error wraps ErrNotFound if that
// node was declared gone.
func (s *Store) Tell(ctx context.Context, m Message, number uint64) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("message of node %s", m.Node), func(tx kv.Tx) error {
		if err := mustBeUp(tx, m.Node); err != nil {
			return err
		}
		return Messages.Put(tx, messageKey{m.Node, byte(number % messagesKept)}, m)
	})
}

// FollowMessages calls told with each message from now on until ctx ends, and bad for those that can't be read.
func (s *Store) FollowMessages(ctx context.Context, told func(Message), bad func(key string, err error)) error {
	return Messages.Follow(ctx, s.engine, storage.Follower[messageKey, Message]{Put: told, Bad: bad})
}
