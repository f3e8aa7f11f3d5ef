package lobby

import (
	"context"

	"ludoteca/lobby/accounts"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/restrictions"
	"ludoteca/storage"
)

// # What matches ask of the club
//
// A match knows the club by four small interfaces (live.Config). presence.Registry is one of them; the types here are the others.

// seatedPeople is live.Players: where the people in the seats of matches come from, what they are called, and how strong they are.
type seatedPeople struct {
	origins  *accounts.Sessions
	names    *restrictions.Service
	strength func(ctx context.Context, o storage.Occupant, game string) Strength
}

// Origin returns where a person comes from: from no address, if they have no session.
func (s *seatedPeople) Origin(o storage.Occupant) origin.Origin { return s.origins.Of(o) }

// Named returns an occupant under the name that they have now.
func (s *seatedPeople) Named(o storage.Occupant) storage.Occupant {
	return s.names.Named(o)
}

// Strength returns how strong the occupant of a seat is; unknown if the store does not say.
func (s *seatedPeople) Strength(ctx context.Context, o storage.Occupant, game string) Strength {
	return s.strength(ctx, o, game)
}
