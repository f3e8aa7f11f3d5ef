// Package learning keeps how far people have come in the lessons of the games, and gives them puzzles. It keeps nothing of guests: their sessions do.
package learning

import (
	"context"
	"errors"
	"time"

	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	learningstore "ludoteca/storage/learning"
)

// A Lesson is how far a player has come in the lesson of a game, and Lessons all of these by the ids of the games.
type (
	Lesson  = learningstore.Lesson
	Lessons = learningstore.Lessons
)

// A Store keeps how far players have come; see storage/learning.
type Store interface {
	// Learn notes that a player has solved the steps of a lesson up to a number. It returns storage.ErrUnchanged if that is nothing new.
	Learn(ctx context.Context, id storage.PlayerID, game string, solved int, done bool, now time.Time) error

	// Lessons returns how far a player with these accounts has come.
	Lessons(ctx context.Context, ids ...storage.PlayerID) (Lessons, error)
}

// Restrictions knows the accounts of players; see restrictions.Service.
type Restrictions interface {
	MayPlay(u match.User) error
	AccountsOf(id storage.PlayerID) []storage.PlayerID // the player's own and those merged into it
}

// A Config is what the service needs.
type Config struct {
	Store        Store
	Restrictions Restrictions
	Now          func() time.Time // the clock of events
}

// A Service keeps how far people have come in lessons. Any goroutine may use it.
type Service struct{ config Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Lessons returns how far a player has come in each lesson: as far as with any of their accounts. Guests have come nowhere.
func (s *Service) Lessons(ctx context.Context, u match.User) (Lessons, error) {
	if !u.Kind.HasAccount() {
		return nil, nil
	}
	all, err := s.config.Store.Lessons(ctx, s.config.Restrictions.AccountsOf(u.Player())...)
	return all, refusal.OfStore(err)
}

// Solved notes that a user has solved step n of a game's lesson, which is the last one if done is true. Of guests nothing is kept.
func (s *Service) Solved(ctx context.Context, u match.User, game string, n int, done bool) error {
	if !u.Kind.HasAccount() {
		return nil
	}
	if err := s.config.Restrictions.MayPlay(u); err != nil {
		return err
	}
	err := s.config.Store.Learn(ctx, u.Player(), game, n, done, s.config.Now())
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		return nil
	case errors.Is(err, storage.ErrNotFound):
		return refusal.ErrNoAccount
	}
	return refusal.OfStore(err)
}

// Resume returns the step with which a lesson of some steps goes on: the one after the last that was solved, or the first one of a lesson that was
// done.
func Resume(l Lesson, steps int) int {
	if l.Done || l.Solved >= steps {
		return 1
	}
	return l.Solved + 1
}
