package ui

import (
	"cmp"
	"time"

	"ludoteca/sshapp/ui/screen"
)

// The default idle limits of a session in the lobby and at a board.
const (
	idleLobby = 30 * time.Minute
	idleBoard = 6 * time.Hour
)

// idleLimits are how long a session may go without a key in the lobby, and at a board where the player sits; 0 stands for the default.
type idleLimits struct{ lobby, board time.Duration }

// of returns the limit while a screen is on top.
func (l idleLimits) of(top screen.Screen) time.Duration {
	if m, ok := top.(screen.InMatch); ok && m.InMatch() {
		return cmp.Or(l.board, idleBoard)
	}
	return cmp.Or(l.lobby, idleLobby)
}
