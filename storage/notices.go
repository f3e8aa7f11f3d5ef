package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"ludoteca/storage/kv"
)

// A Notice is a message of a node to the others that is of no use later. A node whose watch was interrupted may miss it.
type Notice struct {
	Node NodeID          `json:"-"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

const (
	noticeVersion = 1

	// noticesKept is how many notices of a node are kept, as a ring: each new row replaces the oldest.
	noticesKept = 256
)

// Tell sends a notice to the other nodes. number is the number of the notice, counted by its node. The error wraps ErrNotFound if that
// node was declared gone.
func (s *Store) Tell(ctx context.Context, n Notice, number uint64) error {
	value, err := sealJSON(noticeVersion, n)
	if err == nil {
		err = s.engine.Update(ctx, func(tx kv.Tx) error {
			if err := mustBeUp(tx, n.Node); err != nil {
				return err
			}
			tx.Put(append(notices.key(string(n.Node), ""), byte(number%noticesKept)), value)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("storage: notice of node %s: %w", n.Node, err)
	}
	return nil
}

// FollowNotices calls told with each notice from now on until ctx ends, and bad for those that can't be read.
func (s *Store) FollowNotices(ctx context.Context, told func(Notice), bad func(key string, err error)) error {
	return follow(ctx, s, notices.key(""), func(key, value []byte) (n Notice, err error) {
		_, content, err := unseal(value, noticeVersion)
		if err == nil {
			err = parseJSON(content, &n)
		}
		if len(key) > 2 {
			n.Node = NodeID(key[:len(key)-2])
		}
		return n, err
	}, Follower[Notice]{Put: told, Bad: bad})
}
