package storage

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"ludoteca/storage/kv"
)

// # Several nodes
//
// Programs that share a store are the nodes of one club. Each node has a row, which it writes every second as its heartbeat (BeatNode).
// The row is its lease: when the heartbeats stop, another node removes the row (ExpireNode), and with it everything else under the same
// id, such as who is connected to the node and who looks for a match there.

// A NodeID identifies one run of a node. A restarted node has a new id.
type NodeID string

// A Node is the last heartbeat of a live node.
type Node struct {
	ID   NodeID    `json:"-"`
	Name string    `json:"name"` // which the operator has given it, or that of its machine
	Beat uint64    `json:"beat"` // from 1; grows each time that the node says that it is up
	At   time.Time `json:"at"`   // when it did last, by the clock of events

	HostKey string `json:"host_key,omitempty"` // the fingerprints by which people know it, with a space between them

	ClockOff bool `json:"clock_off,omitempty"` // its clock is off by its own measure, so it owns no matches
}

// An Outage is a time during which no node could write. The zero value means that there was none.
type Outage struct {
	Down time.Time `json:"down"` // the last moment at which one could
	Up   time.Time `json:"up"`   // the first at which one could again
}

// MaxSilence is the longest time without any heartbeat of any node that is not yet an outage of the club.
const MaxSilence = 4 * time.Second

const (
	nodeVersion    = 1
	outageVersion  = 1
	presentVersion = 1
)

// outageKey is the key in the meta section that holds the last outage, JSON, sealed.
const outageKey = "outage"

// BeatNode keeps that a node is up, and returns the last outage of the club: if no node has said that it is up for longer than MaxSilence,
// or this one is the first to be up again, that ends now. A first beat makes the node known. The error of any other wraps ErrNotFound if the
// node was declared gone meanwhile. now, which may be called more than once, returns n.At: when the store answers, which may take a while.
func (s *Store) BeatNode(ctx context.Context, n Node, now func() time.Time) (last Outage, err error) {
	if err := checkKeys(string(n.ID)); err != nil {
		return Outage{}, err
	}
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		othersUp := true
		if n.Beat > 1 {
			if err := mustBeUp(tx, n.ID); err != nil {
				return err
			}
		} else if _, othersUp, err = first(tx, nodes.all()); err != nil {
			return err
		}
		beat, err := readHeartbeat(tx)
		if err != nil {
			return err
		}
		if last, err = readOutage(tx); err != nil {
			return err
		}
		n.At = stored(now())
		value, err := sealJSON(nodeVersion, n)
		if err != nil {
			return err
		}
		tx.Put(nodes.key(string(n.ID)), value)
		if n.At.After(beat) {
			tx.Put(meta.key(heartbeatKey), encodeHeartbeat(n.At))
		}
		if silent := n.At.Sub(beat); beat.IsZero() || silent <= 0 || othersUp && silent <= MaxSilence {
			return nil
		}
		last = Outage{Down: beat, Up: n.At}
		outage, err := sealJSON(outageVersion, last)
		if err == nil {
			tx.Put(meta.key(outageKey), outage)
		}
		return err
	})
	if err != nil {
		return Outage{}, fmt.Errorf("storage: beat of node %s: %w", n.ID, err)
	}
	return last, nil
}

func mustBeUp(r kv.Reader, id NodeID) error {
	up, err := has(r, nodes.key(string(id)))
	if err == nil && !up {
		err = ErrNotFound
	}
	return err
}

func readOutage(r kv.Reader) (o Outage, err error) {
	value, err := r.Get(meta.key(outageKey))
	if err != nil || value == nil {
		return Outage{}, err
	}
	return decodeOutage(value)
}

func decodeOutage(value []byte) (o Outage, err error) {
	_, content, err := unseal(value, outageVersion)
	if err == nil {
		err = parseJSON(content, &o)
	}
	return o, err
}

// RemoveNode removes a node that stops, with everything under its id.
func (s *Store) RemoveNode(ctx context.Context, id NodeID) error {
	err := s.engine.Update(ctx, func(tx kv.Tx) error { return removeNode(tx, id) })
	if err != nil {
		return fmt.Errorf("storage: remove node %s: %w", id, err)
	}
	return nil
}

// ExpireNode removes a node as RemoveNode does, if its last heartbeat still has the number beat. gone reports whether the node is gone now.
func (s *Store) ExpireNode(ctx context.Context, id NodeID, beat uint64) (gone bool, err error) {
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		gone = false
		value, err := tx.Get(nodes.key(string(id)))
		if err != nil {
			return err
		}
		if value != nil {
			n, err := decodeNode(id, value)
			if err != nil {
				return err
			}
			if n.Beat != beat {
				return nil
			}
		}
		gone = true
		return removeNode(tx, id)
	})
	if err != nil {
		return false, fmt.Errorf("storage: expire node %s: %w", id, err)
	}
	return gone, nil
}

func removeNode(tx kv.Tx, id NodeID) error {
	if err := checkKeys(string(id)); err != nil {
		return err
	}
	tx.Delete(nodes.key(string(id)))
	for _, of := range []section{presence, seekers, notices} {
		if err := tx.DeletePrefix(of.key(string(id), "")); err != nil {
			return err
		}
	}
	return nil
}

func decodeNode(id NodeID, value []byte) (n Node, err error) {
	_, content, err := unseal(value, nodeVersion)
	if err == nil {
		err = parseJSON(content, &n)
	}
	n.ID = id
	return n, err
}

// Nodes returns the live nodes, by id.
func (s *Store) Nodes(ctx context.Context) (all []Node, err error) {
	err = s.engine.View(ctx, func(r kv.Reader) error {
		all = nil
		for p, err := range r.Scan(nodes.all()) {
			if err != nil {
				return err
			}
			n, err := decodeNode(NodeID(nodes.rest(p.Key)), p.Value)
			if err != nil {
				return err
			}
			all = append(all, n)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storage: nodes: %w", err)
	}
	return all, nil
}

// FollowNodes follows the heartbeats of all nodes until ctx ends; see Follower. Its keys are the ids of nodes.
func (s *Store) FollowNodes(ctx context.Context, f Follower[Node]) error {
	return follow(ctx, s, nodes.key(""), func(key, value []byte) (Node, error) { return decodeNode(NodeID(key), value) }, f)
}

// A Present is a person who is connected to a node, or has left it.
type Present struct {
	Node     NodeID    `json:"-"`
	Who      Occupant  `json:"who"`  // a Person or a Guest
	Came     time.Time `json:"came"` // when their first session began
	Sessions []AtBoard `json:"sessions,omitempty"`
	Left     Departure `json:"left,omitzero"` // without a session: how they left
}

// A Departure is the end of a person's last session, or their last command if they have had none since.
type Departure struct {
	At      time.Time `json:"at"`
	Dropped bool      `json:"dropped,omitempty"` // the connection broke
}

// An AtBoard is a session and the board that it is at.
type AtBoard struct {
	Match MatchID   `json:"match,omitempty"` // "": at no board
	Idle  bool      `json:"idle,omitempty"`
	Since time.Time `json:"since"`
}

// MaxPresent is the most rows that one call of ShowPresent may write.
const MaxPresent = 50

// ShowPresent writes rows of people on a node. Each replaces the person's row on that node; one without sessions and departure removes
// it. The error wraps ErrNotFound if the node was declared gone.
func (s *Store) ShowPresent(ctx context.Context, node NodeID, rows []Present) error {
	if len(rows) > MaxPresent {
		return fmt.Errorf("%w: %d people at once", ErrInvalid, len(rows))
	}
	values := make([][]byte, len(rows))
	for i, row := range rows {
		if err := checkKeys(string(node), string(row.Who.Kind), row.Who.ID); err != nil {
			return err
		}
		if len(row.Sessions) == 0 && row.Left == (Departure{}) {
			continue
		}
		var err error
		if values[i], err = sealJSON(presentVersion, row); err != nil {
			return err
		}
	}
	err := s.engine.Update(ctx, func(tx kv.Tx) error {
		if err := mustBeUp(tx, node); err != nil {
			return err
		}
		for i, row := range rows {
			key := presence.key(string(node), string(row.Who.Kind), row.Who.ID)
			if values[i] == nil {
				tx.Delete(key)
			} else {
				tx.Put(key, values[i])
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storage: people at node %s: %w", node, err)
	}
	return nil
}

// FollowPresent follows the people on all nodes until ctx ends; see Follower. PresentKey reads its keys.
func (s *Store) FollowPresent(ctx context.Context, f Follower[Present]) error {
	return follow(ctx, s, presence.key(""), decodePresent, f)
}

// PresentKey parses a key of FollowPresent. who has no name.
func PresentKey(key string) (node NodeID, who Occupant, ok bool) {
	parts := bytes.SplitN([]byte(key), []byte{0}, 3)
	if len(parts) != 3 {
		return "", Occupant{}, false
	}
	return NodeID(parts[0]), Occupant{Kind: OccupantKind(parts[1]), ID: string(parts[2])}, true
}

func decodePresent(key, value []byte) (row Present, err error) {
	_, content, err := unseal(value, presentVersion)
	if err == nil {
		err = parseJSON(content, &row)
	}
	node, who, ok := PresentKey(string(key))
	if err == nil && (!ok || who.Kind != row.Who.Kind || who.ID != row.Who.ID) {
		err = fmt.Errorf("%w: somebody is present under the key of another", ErrDamaged)
	}
	row.Node = node
	return row, err
}

// FollowSummaries follows the summaries of all unfinished matches until ctx ends; see Follower. Its keys are the ids of matches. A summary
// with Seq 0 has yet to be made.
func (s *Store) FollowSummaries(ctx context.Context, f Follower[Summary]) error {
	rows := newSummaryReader()
	return follow(ctx, s, summaries.key(""), func(key, value []byte) (Summary, error) {
		if len(value) == 0 {
			return Summary{ID: MatchID(key)}, nil
		}
		return rows.read(MatchID(key), value)
	}, f)
}
