package lobby

import (
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence"
)

// alone is the schedule of matches at a node that is alone, at which nobody is.
func alone() *live.Schedule {
	nobody := presence.NewRegistry(time.Now)
	return &live.Schedule{Presence: nobody, Nodes: &matches.Nodes{Owner: new(nodes.Alone)}, Now: time.Now}
}
