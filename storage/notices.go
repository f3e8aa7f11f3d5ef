package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"ludoteca/storage/kv"
)

// A Notice is what a node tells the others that nobody needs later. A node that has not followed the store for a moment may miss it.
type Notice struct {
	Node NodeID          `json:"-"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

const (
	noticeVersion = 1

	// noticesKept is of how many notices of a node the rows are there. Each row takes the place of an older one.
	noticesKept = 256
)

// Tell tells a notice to the other nodes. number is how many notices the node has told before. The error wraps ErrNotFound if the node was
// declared gone.
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

// FollowNotices tells what nodes tell for as long as ctx lasts. What was told before is left out.
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
