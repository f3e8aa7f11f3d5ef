package nodes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage/cluster"
)

// takeName removes a dead node that has the name of this one. It waits a little longer than CutOffAfter for a heartbeat to find out whether
// that node is dead.
func takeName(ctx context.Context, store Store, name string) error {
	beats := make(map[cluster.NodeID]uint64)
	ticker := time.NewTicker(beatEvery / 2)
	defer ticker.Stop()
	for until := time.Now().Add(CutOffAfter); ; {
		all, err := store.Nodes(ctx)
		if err != nil {
			return fmt.Errorf("nodes: %w", err)
		}
		same := 0
		for _, other := range all {
			if other.Name != name {
				continue
			}
			same++
			if before, seen := beats[other.ID]; seen && before != other.Beat {
				return fmt.Errorf("%w: %q", ErrNameTaken, other.Name)
			}
			beats[other.ID] = other.Beat
		}
		if same == 0 {
			return nil
		}
		if time.Now().After(until) {
			break
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for id, beat := range beats {
		if gone, err := store.ExpireNode(ctx, id, beat); err != nil || !gone {
			return errors.Join(err, fmt.Errorf("%w: %q", ErrNameTaken, name))
		}
	}
	return nil
}
