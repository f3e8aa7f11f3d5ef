package lobby

import (
	"context"
	"errors"
	"slices"
	"time"

	"ludoteca/storage"
)

// Find returns the id of the match that a code or an id names, in any letter case. origin is as in Join: wrong guesses
// count there too, but the codes of his own matches that go on are no guesses of who. The zero Who is somebody who has
// none. The errors are ErrNoSuchMatch, a *ThrottledError, ErrBusy.
func (l *Lobby) Find(ctx context.Context, who Who, origin, codeOrID string) (storage.MatchID, error) {
	if id := readID(codeOrID); id != "" {
		_, err := l.board(ctx, id)
		return id, err
	}
	return l.guess(ctx, who, readCode(codeOrID), origin)
}

// guess looks a code up for who. The askers, of whom each may be wrong only so often, pay for it unless the match
// concerns who already: else one visitor's wrong guesses would keep others behind the same address from their boards.
func (l *Lobby) guess(ctx context.Context, who Who, code string, askers ...string) (storage.MatchID, error) {
	own := l.matches.of(who.key())
	if i := slices.IndexFunc(own, func(v *View) bool { return code != "" && v.Code == code }); i >= 0 {
		return own[i].ID, nil
	}
	right, err := l.guesses.begin(time.Now(), askers)
	if err != nil {
		return "", err
	}
	if code == "" {
		return "", ErrNoSuchMatch
	}
	id, err := l.store.ByCode(ctx, code, l.now())
	if !errors.Is(err, storage.ErrNotFound) {
		right()
		return id, trouble(err)
	}
	return "", ErrNoSuchMatch
}
