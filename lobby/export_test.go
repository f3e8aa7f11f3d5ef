package lobby

import (
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/registry"
)

// What tests look at beside what the club says of itself.

// Registry returns the registry of unfinished matches.
func (l *Lobby) Registry() *registry.Registry { return l.base.registry }

// Nodes returns this node's view of the nodes of a club that has several.
func (l *Lobby) Nodes() *nodes.Nodes { return l.base.node.(*nodes.Nodes) }

// Reach returns whether the store can be reached.
func (l *Lobby) Reach() *nodes.Reach { return l.base.reach }

// Owners returns which node owns a match.
func (l *Lobby) Owners() *matches.Nodes { return l.base.owners }

// Connected returns the registry of who is connected.
func (l *Lobby) Connected() *presence.Registry { return l.base.here }

// AtStart returns the limits with which the club was opened.
func (l *Lobby) AtStart() Limits { return l.base.atStart }

// Bounds returns the bounds with which the club was opened.
func (l *Lobby) Bounds() Bounds { return l.base.config.Bounds }

// Store returns the store of the club.
func (l *Lobby) Store() Store { return l.base.store }
