package lobby

import (
	"time"

	"ludoteca/lobby/live"
	"ludoteca/lobby/match"
	"ludoteca/lobby/matches"
	"ludoteca/lobby/nodes"
	"ludoteca/lobby/presence"
	"ludoteca/storage"
)

// alone is the schedule of matches at a node that is alone, at which nobody is.
func alone() *live.Schedule {
	nobody := presence.New(time.Now, func(match.Key, []storage.MatchID) {}, func(match.Key) {})
	return &live.Schedule{Presence: nobody, Nodes: &matches.Nodes{Owner: new(nodes.Alone)}, Now: time.Now}
}
