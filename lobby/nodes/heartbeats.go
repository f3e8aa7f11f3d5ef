package nodes

import (
	"context"
	"errors"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/cluster"
)

// heartbeats writes to the store that this node is up, and declares nodes gone that write nothing. first and run use it, one after the other.
type heartbeats struct {
	config     Config
	identity   *identity
	members    *members
	connection *connection
	clock      *clock

	row          cluster.Node // of this node, as last written
	failing      bool         // the store did not take the last one
	declaredGone bool         // other nodes have removed this one, and it is not back yet
}

// first writes the first heartbeat.
func (h *heartbeats) first(ctx context.Context) (last cluster.Outage, err error) {
	return h.renewedBeat(ctx)
}

// run sends heartbeats until ctx ends.
func (h *heartbeats) run(ctx context.Context) {
	for wait := beatEvery; ; {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		wait = beatEvery
		last, err := h.beat(ctx)
		if errors.Is(err, storage.ErrNotFound) {
			h.declaredGone = true
			last, err = h.renewedBeat(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if wait = retry; !h.failing {
				h.config.Log.Error("the store does not take that this node is up", "err", err)
			}
		default:
			h.answered(ctx, last)
		}
		h.failing = err != nil
	}
}

// beat writes once that the node is up.
func (h *heartbeats) beat(ctx context.Context) (last cluster.Outage, err error) {
	h.row.Beat++
	h.row.ClockOff = h.clock.isOff()
	var answers time.Time // when the store was about to take it
	last, err = h.config.Store.BeatNode(ctx, h.row, func() time.Time {
		answers = time.Now()
		return h.config.Now()
	})
	if err != nil {
		h.connection.failed()
		return last, err
	}
	h.clock.tookTrip(time.Since(answers))
	h.connection.took(answers)
	return last, nil
}

// renewedBeat sends a heartbeat under a new id: the first one, or one after other nodes have declared this one gone. After an error the store
// may or may not have the new id; the next heartbeat finds out.
func (h *heartbeats) renewedBeat(ctx context.Context) (last cluster.Outage, err error) {
	id, before, ok := h.identity.renew()
	if !ok {
		return cluster.Outage{}, nil
	}
	h.members.remove(before)
	h.row = cluster.Node{ID: id, Name: h.config.Name, HostKey: h.config.HostKey}
	return h.beat(ctx)
}

// answered does what follows from a successful heartbeat: this node is back, and no longer cut off.
func (h *heartbeats) answered(ctx context.Context, last cluster.Outage) {
	if h.failing {
		h.config.Log.Info("the store answers again")
	}
	if h.declaredGone && !h.identity.leaving() {
		h.members.add(h.row) // the store has the new id by now
		h.config.Log.Warn("this node was declared gone, and is back")
		h.identity.rejoined.send()
		h.config.Listener.Changed()
	}
	h.declaredGone = false
	h.config.Listener.Outage(last)
	h.connection.restored()
	h.expire(ctx)
}

// expire declares nodes gone that have sent no heartbeat for ExpireAfter while this node could write its own.
func (h *heartbeats) expire(ctx context.Context) {
	for _, node := range h.members.silent(h.connection.steadySince()) {
		gone, err := h.config.Store.ExpireNode(ctx, node.ID, node.Beat)
		switch {
		case err != nil:
			return // try again after the next heartbeat
		case !gone:
			h.members.alive(node.ID) // but its heartbeats have not arrived here
		default:
			h.config.Log.Warn("a node is gone", "node", node.Name)
			if h.members.remove(node.ID) {
				h.config.Listener.Changed()
			}
		}
	}
}
