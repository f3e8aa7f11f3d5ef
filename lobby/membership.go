package lobby

import (
	"context"
	"fmt"
	"sync"

	"ludoteca/lobby/attempts"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/quick"
	clusterstore "ludoteca/storage/cluster"
)

// # Several nodes
//
// A club may run on several nodes over one store. Each node keeps its own registry of all matches, its own lists and its own view of who is
// online, and follows the changes of the other nodes in the store. Any node accepts an act in any match: the log takes each event number
// once, so a node whose copy is out of date is refused, reads the new events, and checks the act again. Computer players and timers of a
// match run only on the node that owns it (package nodes). Each service follows its own rows.
//
// In a club with one node base.node is a nodes.Alone, which owns all matches, is never cut off and has nothing to follow. openNode chooses; nothing
// else asks whether there are several.

// A node is this one: *nodes.Nodes, or *nodes.Alone in a club with one node.
type node interface {
	matches.Node
	presence.Node
	nodes.MessengerNode
	quick.Node

	CutOff() bool
	CutOffChanged() <-chan struct{}
	Ready() bool
	WhileReached(ctx context.Context) (reached context.Context, done func())

	Alone() bool
	Len() int
	Names() (up, missing []string)

	Run(ctx context.Context)
	Leave(ctx context.Context) error
}

// A membership makes this node known to the others, runs what the node needs, and hands its matches over at the end.
type membership struct {
	*base
	last clusterstore.Outage // when a club with one node was closed

	leave func() // hands this node's matches over to the others
	end   func() // leaves, and ends the heartbeats; set by join
}

// openNode makes base.node: one of several if the store is shared, else the only one of its club.
func (l *Lobby) openNode(ctx context.Context) (err error) {
	b := l.base
	l.membership = &membership{base: b}
	if shared := b.config.Shared; shared != nil {
		b.limiter = &attempts.InStore{Store: shared, Tasks: b.tasks, Now: b.now, Log: b.log}
		b.node = nodes.New(nodes.Config{
			Store: shared, Name: b.config.Node, HostKey: b.config.HostKey, Now: b.now, Log: b.log,
			Listener: nodeNews{l},
		})
	} else {
		b.limiter = attempts.InMemory{}
		b.node, l.membership.last, err = nodes.OpenAlone(ctx, nodes.AloneConfig{Store: b.store, Now: b.now})
		if err != nil {
			return fmt.Errorf("lobby: %w", err)
		}
	}
	b.owners.Owner, b.reach.Node = b.node, b.node
	b.messenger = nodes.NewMessenger(nodes.MessengerConfig{Node: b.node, Shared: b.config.Shared, Log: b.log})
	b.guesses = wrongCodes(b.limiter, b.config.Bounds)
	return nil
}

// join makes this node known to the others, and runs it until end is called.
func (m *membership) join(ctx context.Context) (err error) {
	last := m.last
	if several, ok := m.node.(*nodes.Nodes); ok {
		if last, err = several.Join(ctx); err != nil {
			return fmt.Errorf("lobby: %w", err)
		}
	}
	m.owners.Outages.ClubDown(last)
	running, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { m.node.Run(running) })
	m.leave = sync.OnceFunc(m.handOver)
	m.end = func() {
		m.leave()
		stop()
		all.Wait()
	}
	return nil
}

// handOver hands this node's matches over to the others.
func (m *membership) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), nodes.CutOffAfter)
	defer cancel()
	if err := m.node.Leave(ctx); err != nil {
		m.log.Warn("other nodes take over only after a while", "err", err)
	}
}
