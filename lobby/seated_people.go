package lobby

import (
	"context"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/restrictions"
	"ludoteca/lobby/standings"
	"ludoteca/storage"
)

// seatedPeople is live.Players: where the people in the seats of matches come from, what they are called, and how strong they are.
type seatedPeople struct {
	sessions  *accounts.Sessions
	names     *restrictions.Service
	standings *standings.Service
}

// Origin returns where a person comes from: from no address, if they have no session.
func (s *seatedPeople) Origin(o storage.Occupant) origin.Origin { return s.sessions.Of(o) }

// Named returns an occupant under the name that they have now.
func (s *seatedPeople) Named(o storage.Occupant) storage.Occupant { return s.names.Named(o) }

// Strength returns how strong the occupant of a seat is; unknown if the store does not say.
func (s *seatedPeople) Strength(ctx context.Context, o storage.Occupant, game string) Strength {
	return s.standings.Strength(ctx, o, game)
}
