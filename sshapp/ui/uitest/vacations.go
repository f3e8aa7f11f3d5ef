package uitest

import (
	"context"
	"time"

	"ludoteca/lobby"
	"ludoteca/lobby/vacations"
)

// fakeVacations has no vacation, and all days of the year.
type fakeVacations struct{}

func (fakeVacations) Of(context.Context, lobby.User) (vacations.State, error) {
	return vacations.State{DaysLeft: vacations.DaysAYear}, nil
}

func (fakeVacations) Begin(_ context.Context, _ lobby.User, until time.Time) (vacations.State, error) {
	return vacations.State{Until: until}, nil
}

func (fakeVacations) End(context.Context, lobby.User) (vacations.State, error) {
	return vacations.State{}, lobby.ErrNoVacation
}
