package matchpage

import (
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/describe"
)

// The messages to a player whose opponent has gone. The player can wait, or claim the match once the opponent has been gone for long
// enough. Nothing happens by itself.

// absent returns the message that the opponent has gone, with the time that they have to come back or how to claim the match. It returns ""
// if there is nothing to say.
func absent(m situation) string {
	side, plays := m.view.Side(m.env.Who)
	if m.seat == nil || !plays {
		return ""
	}
	at, now := m.seat.ClaimAt(m.view), m.env.Now()
	if at.IsZero() {
		return ""
	}
	say, other := m.env.Say, side.Other()
	name, silent := describe.Occupant(m.env, m.view.Seats[other]), m.view.Clock.Setting.Kind == lobby.NoClock
	switch left := at.Sub(now); {
	case left > 0 && silent:
		return "" // three days are long
	case left > 0:
		return say.Presence().ComeBack(name, m.view.Presence[other], left)
	}
	return say.Presence().MayClaim(name, silent) + " " + say.T("/claim takes the win, /claimdraw a draw.")
}
