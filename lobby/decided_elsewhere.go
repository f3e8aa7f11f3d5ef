package lobby

import (
	"context"

	"ludoteca/lobby/match"
	"ludoteca/storage"
)

// decidedElsewhere does what follows here from what operators have decided, or players have done to their accounts, at another node.
func (l *Lobby) decidedElsewhere(ctx context.Context, closed, deleted []storage.PlayerID) {
	l.Standings.Changed()
	l.Matches.Finished.RecordsChanged()
	sessions := l.Sessions.Served()
	sessions.EndBanned()
	for _, id := range closed {
		if keys, err := l.store.Keys(ctx, id); err == nil {
			sessions.EndKeys(keys, ErrAccountClosed)
		}
	}
	for _, id := range deleted {
		l.Chat.Forget(match.Key{Kind: storage.Person, ID: string(id)})
	}
}

// accountDeleted is accounts.Config.Deleted.
func (l *Lobby) accountDeleted(ctx context.Context, id storage.PlayerID) {
	l.Relations.Forget(id)
	l.Chat.Forget(match.Key{Kind: storage.Person, ID: string(id)})
	l.Matches.Ending.EndOf(ctx, id, match.Abandon)
}
