package prompt

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby"
	"ludoteca/sshapp/wording"
)

// readAgain is how long the prompt waits after an error of the store.
const readAgain = 5 * time.Second

// TellTells calls tell with each line that a player writes to the user outside of matches, first with those that wait, until ctx ends.
func TellTells(ctx context.Context, l *lobby.Lobby, say func() wording.Words, who lobby.User, tell func(string)) {
	incoming, leave := l.Tells.Listen(who)
	defer leave()
	for {
		lines, err := incoming.Next(ctx)
		switch {
		case errors.Is(err, lobby.ErrBusy):
			again := time.NewTimer(readAgain)
			select {
			case <-again.C:
				continue
			case <-ctx.Done():
				again.Stop()
				return
			}
		case err != nil:
			return
		}
		for _, line := range lines {
			tell(say().Talk().Told(line))
		}
	}
}
