// Package cluster stores what the nodes of a club share: their heartbeats, who is connected to each, nicknames of guests, searches for quick matches,
// and messages.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ludoteca/storage"
	"ludoteca/storage/kv"
	"ludoteca/storage/matches"
)

// # Several nodes
//
// Programs that share a store are the nodes of one club. Each node has a row, which it writes every second as its heartbeat (BeatNode).
// The row is its lease: when the heartbeats stop, another node removes the row (ExpireNode), and with it everything else under the same
// id, such as who is connected to the node and who looks for a match there.

// A Store keeps what the nodes of a club tell each other.
type Store struct {
	engine  kv.Store
	matches *matches.Store
}

// New returns what an engine keeps of nodes.
func New(engine kv.Store, matches *matches.Store) *Store {
	return &Store{engine, matches}
}

// A NodeID identifies one run of a node. A restarted node has a new id.
type NodeID string

// A Node is the last heartbeat of a live node.
type Node struct {
	ID   NodeID    `json:"-"`
	Name string    `json:"name"` // given by the operator, else the host name
	Beat uint64    `json:"beat"` // number of the heartbeat, from 1
	At   time.Time `json:"at"`   // time of the heartbeat, by the clock of events

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

// LastOutage is the last outage.
var LastOutage = storage.Cell[Outage]{Name: "outage", Values: storage.JSON[string, Outage](1)}

// Contents are all tables and cells of the package.
func Contents() storage.Contents {
	return storage.Contents{
		Tables: []storage.AnyTable{Nodes, Presence, Nicknames, Seekers, Places, Messages},
		Cells:  []storage.AnyCell{Heartbeat, LastOutage},
	}
}

// Nodes are the last heartbeats of the live nodes.
var Nodes = storage.Table[NodeID, Node]{
	Name: "nodes", Keys: storage.Text[NodeID](nil), Traits: storage.Traits{Brief: true, OfNodes: true},
	Values: storage.JSONAs(1, func(n Node) Node { return n }, func(id NodeID, n Node) (Node, error) {
		n.ID = id
		return n, nil
	}),
}

// BeatNode keeps that a node is up, and returns the last outage of the club: if no node has said that it is up for longer than MaxSilence,
// or this one is the first to be up again, that ends now. A first beat makes the node known. The error of any other wraps ErrNotFound if the
// node was declared gone meanwhile. now, which may be called more than once, returns n.At: when the store answers, which may take a while.
func (s *Store) BeatNode(ctx context.Context, n Node, now func() time.Time) (Outage, error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("beat of node %s", n.ID), func(tx kv.Tx) (last Outage, err error) {
		if err := storage.CheckKeys(string(n.ID)); err != nil {
			return last, err
		}
		othersUp := true
		if n.Beat > 1 {
			if err := mustBeUp(tx, n.ID); err != nil {
				return last, err
			}
		} else if _, othersUp, err = storage.First(tx, Nodes.All().Range); err != nil {
			return last, err
		}
		beat, _, err := Heartbeat.Find(tx)
		if err != nil {
			return last, err
		}
		if last, _, err = LastOutage.Find(tx); err != nil {
			return last, err
		}
		n.At = storage.Stored(now())
		if err := Nodes.Put(tx, n.ID, n); err != nil {
			return last, err
		}
		if n.At.After(beat) {
			if err := Heartbeat.Put(tx, n.At); err != nil {
				return last, err
			}
		}
		if silent := n.At.Sub(beat); beat.IsZero() || silent <= 0 || othersUp && silent <= MaxSilence {
			return last, nil
		}
		last = Outage{Down: beat, Up: n.At}
		return last, LastOutage.Put(tx, last)
	})
}

func mustBeUp(r kv.Reader, id NodeID) error {
	up, err := Nodes.Has(r, id)
	if err == nil && !up {
		err = storage.ErrNotFound
	}
	return err
}

// RemoveNode removes a node that stops, with everything under its id.
func (s *Store) RemoveNode(ctx context.Context, id NodeID) error {
	return storage.Update(ctx, s.engine, fmt.Sprintf("remove node %s", id), func(tx kv.Tx) error { return removeNode(tx, id) })
}

// ExpireNode removes a node as RemoveNode does, if its last heartbeat still has the number beat. gone reports whether the node is gone now.
func (s *Store) ExpireNode(ctx context.Context, id NodeID, beat uint64) (gone bool, err error) {
	return storage.Updated(ctx, s.engine, fmt.Sprintf("expire node %s", id), func(tx kv.Tx) (gone bool, err error) {
		n, up, err := Nodes.Find(tx, id)
		if err != nil || up && n.Beat != beat {
			return false, err
		}
		return true, removeNode(tx, id)
	})
}

func removeNode(tx kv.Tx, id NodeID) error {
	if err := storage.CheckKeys(string(id)); err != nil {
		return err
	}
	Nodes.Delete(tx, id)
	return errors.Join(Presence.DeleteUnder(tx, string(id)), Nicknames.DeleteUnder(tx, string(id)), Seekers.DeleteUnder(tx, string(id)), Messages.DeleteUnder(tx, string(id)))
}

// Nodes returns the live nodes, by id.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	return storage.View(ctx, s.engine, "nodes", func(r kv.Reader) ([]Node, error) { return Nodes.All().Values(r) })
}

// FollowNodes follows the heartbeats of all nodes until ctx ends; see Follower.
func (s *Store) FollowNodes(ctx context.Context, f storage.Follower[NodeID, Node]) error {
	return Nodes.Follow(ctx, s.engine, f)
}

// A Present is a person who is connected to a node, or has left it.
type Present struct {
	Node     NodeID           `json:"-"`
	Who      storage.Occupant `json:"who"`  // a Person or a Guest
	Came     time.Time        `json:"came"` // when their first session began
	Sessions []AtBoard        `json:"sessions,omitempty"`
	Left     Departure        `json:"left,omitzero"` // without a session: how they left
}

// A Departure is the end of a person's last session, or their last command if they have had none since.
type Departure struct {
	At      time.Time `json:"at"`
	Dropped bool      `json:"dropped,omitempty"` // the connection broke
	Command bool      `json:"command,omitempty"` // it is a command
}

// An AtBoard is a session and the board that it is at.
type AtBoard struct {
	Match storage.MatchID `json:"match,omitempty"` // "": at no board
	Idle  bool            `json:"idle,omitempty"`
	Since time.Time       `json:"since"`
}

// A PresentID is a person on a node: a Person or a Guest.
type PresentID struct {
	Node NodeID
	Kind storage.OccupantKind
	ID   string
}

// Presence are the people on each node.
var Presence = storage.Table[PresentID, Present]{
	Name: "presence", Traits: storage.Traits{Brief: true, OfNodes: true},
	Keys: storage.Join(storage.Text[NodeID](nil), storage.Join(storage.Text[storage.OccupantKind](nil), storage.Text[string](nil),
		func(k PresentID) (storage.OccupantKind, string) { return k.Kind, k.ID },
		func(kind storage.OccupantKind, id string) PresentID { return PresentID{Kind: kind, ID: id} }),
		func(k PresentID) (NodeID, PresentID) { return k.Node, k },
		func(node NodeID, k PresentID) PresentID { return PresentID{node, k.Kind, k.ID} }),
	Values: storage.JSONAs(1, func(row Present) Present { return row }, func(k PresentID, row Present) (Present, error) {
		if k.Kind != row.Who.Kind || k.ID != row.Who.ID {
			return row, storage.Damaged("a person is present under the key of another")
		}
		row.Node = k.Node
		return row, nil
	}),
}

// MaxPresent is the most rows that one call of ShowPresent may write.
const MaxPresent = 50

// ShowPresent writes rows of people on a node. Each replaces the person's row on that node; one without sessions and departure removes
// it. The error wraps ErrNotFound if the node was declared gone.
func (s *Store) ShowPresent(ctx context.Context, node NodeID, rows []Present) error {
	if len(rows) > MaxPresent {
		return fmt.Errorf("%w: %d people at once", storage.ErrInvalid, len(rows))
	}
	return storage.Update(ctx, s.engine, fmt.Sprintf("people at node %s", node), func(tx kv.Tx) error {
		if err := mustBeUp(tx, node); err != nil {
			return err
		}
		for _, row := range rows {
			if err := storage.CheckKeys(string(node), string(row.Who.Kind), row.Who.ID); err != nil {
				return err
			}
			k := PresentID{node, row.Who.Kind, row.Who.ID}
			if len(row.Sessions) == 0 && row.Left == (Departure{}) {
				Presence.Delete(tx, k)
			} else if err := Presence.Put(tx, k, row); err != nil {
				return err
			}
		}
		return nil
	})
}

// FollowPresent follows the people on all nodes until ctx ends; see Follower.
func (s *Store) FollowPresent(ctx context.Context, f storage.Follower[PresentID, Present]) error {
	return Presence.Follow(ctx, s.engine, f)
}
