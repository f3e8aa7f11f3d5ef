package lobby

import (
	"context"

	"ludoteca/storage"
)

// FinishedShare returns the share, 0 to 1, of the matches which a player has started against other players that the player has also
// finished: not left, and not lost by making no move for a minute until the time was up. known is false for a player who has
// started none, and for an unknown one. It costs one lookup. The error is ErrBusy.
func (l *Lobby) FinishedShare(ctx context.Context, id storage.PlayerID) (share float64, known bool, err error) {
	c, err := l.store.Conduct(ctx, id)
	if err != nil || c.Started == 0 {
		return 0, false, storeError(err)
	}
	return float64(c.Finished) / float64(c.Started), true, nil
}
