package uitest

import (
	"context"

	"ludoteca/lobby"
	"ludoteca/lobby/names"
)

// fakeNicknames gives every nickname to everybody, or fails as the club does.
type fakeNicknames struct{ *FakeLobby }

func (c fakeNicknames) Choose(_ context.Context, who lobby.User, nickname string) (lobby.User, error) {
	c.did("nickname " + nickname)
	if c.Err != nil {
		return lobby.User{}, c.Err
	}
	who.Name = names.GuestPrefix + nickname
	return who, nil
}
