package uitest

import (
	"context"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/vacations"
	"ludoteca/storage"
)

// fakeVacations has the vacations in Away; the player has none, and all days of the year.
type fakeVacations struct{ *FakeLobby }

func (c fakeVacations) Until(id storage.PlayerID) time.Time { return c.Away[id] }

func (fakeVacations) Of(context.Context, lobby.User) (vacations.State, error) {
	return vacations.State{DaysLeft: vacations.DaysAYear}, nil
}

func (fakeVacations) Begin(_ context.Context, _ lobby.User, until time.Time) (vacations.State, error) {
	return vacations.State{Until: until}, nil
}

func (fakeVacations) End(context.Context, lobby.User) (vacations.State, error) {
	return vacations.State{}, lobby.ErrNoVacation
}
