package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ludoteca/storage/cluster"
)

// A sender writes messages to the store, and numbers them. It is safe for concurrent use.
type sender struct {
	store Store
	self  func() cluster.NodeID
	told  atomic.Uint64
}

// Tell sends a message to the other nodes. A lost message is not sent again.
func (n *sender) Tell(ctx context.Context, kind string, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return n.store.Tell(ctx, cluster.Message{Node: n.self(), Kind: kind, Body: body}, n.told.Add(1))
}

// Told returns the number of messages that this node has sent.
func (n *sender) Told() uint64 { return n.told.Load() }

const (
	maxUnsent = 256             // messages that wait for the store; further ones are lost
	sendFor   = 2 * time.Second // how long the store may take for one message, until it is lost
)

// A Messenger exchanges messages with the other nodes, for all services of one node: its own messages wait in a queue until they are sent, and it
// follows what other nodes send. Delivery is best effort: a message that the store doesn't take is lost, and so is one that comes while a node can't
// read. Messages of one node arrive in the order of Tell. It is safe for concurrent use.
type Messenger struct {
	config MessengerConfig
	unsent chan message
	kinds  map[string]func(body []byte) error // what receives each kind; not changed once Run is called
}

// A MessengerConfig configures NewMessenger.
type MessengerConfig struct {
	Node   MessengerNode
	Shared MessageStore // nil in a club with one node
	Log    *slog.Logger
}

// A MessengerNode is this node: *Nodes or *Alone.
type MessengerNode interface {
	Follower
	Own(id cluster.NodeID) bool
	Tell(ctx context.Context, kind string, what any) error
}

// A MessageStore has the messages of all nodes; see cluster.Store.
type MessageStore interface {
	FollowMessages(ctx context.Context, told func(cluster.Message), bad func(key string, err error)) error
}

// A message is a message of this node.
type message struct {
	kind string
	what any
}

// NewMessenger returns a messenger without kinds of messages. The caller must make all Messages, and then call Run.
func NewMessenger(c MessengerConfig) *Messenger {
	return &Messenger{config: c, unsent: make(chan message, maxUnsent), kinds: make(map[string]func([]byte) error)}
}

// Run sends the messages of this node and receives messages of other nodes, until ctx ends.
func (m *Messenger) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { m.send(ctx) })
	m.config.Node.Follow(ctx, func(ctx context.Context) error {
		return m.config.Shared.FollowMessages(ctx, m.receive, m.config.Node.Unreadable)
	})
	all.Wait()
}

// send sends the messages that wait, one after the other, until ctx ends.
func (m *Messenger) send(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-m.unsent:
			sending, cancel := context.WithTimeout(ctx, sendFor)
			if err := m.config.Node.Tell(sending, next.kind, next.what); err != nil && ctx.Err() == nil {
				m.config.Log.Warn("other nodes are not told", "message", next.kind, "err", err)
			}
			cancel()
		}
	}
}

// receive handles a message of any node.
func (m *Messenger) receive(told cluster.Message) {
	if m.config.Node.Own(told.Node) {
		return
	}
	received := m.kinds[told.Kind]
	if received == nil {
		return // a message of a newer program
	}
	if err := received(told.Body); err != nil {
		m.config.Node.Unreadable(told.Kind, err)
	}
}

// Messages are the messages of one kind, each of which is a T.
type Messages[T any] struct {
	messenger *Messenger
	kind      string
}

// NewMessages returns the messages of a kind, before the messenger runs. receive is called with each one of another node, one after the other with
// all messages: it must not wait. A messenger has each kind once.
func NewMessages[T any](m *Messenger, kind string, receive func(T)) Messages[T] {
	if m.kinds[kind] != nil {
		panic("nodes: messages " + kind + " are received twice")
	}
	m.kinds[kind] = func(body []byte) error {
		var what T
		if err := json.Unmarshal(body, &what); err != nil {
			return err
		}
		receive(what)
		return nil
	}
	return Messages[T]{m, kind}
}

// Tell sends what to the other nodes, some time later. It doesn't wait.
func (k Messages[T]) Tell(what T) {
	select {
	case k.messenger.unsent <- message{k.kind, what}:
	default:
		k.messenger.config.Log.Warn("other nodes are not told: too many messages wait", "message", k.kind)
	}
}
