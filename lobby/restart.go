package lobby

import (
	"context"

	"ludoteca/storage"
	"ludoteca/storage/matches"
)

// strengths returns how strong the people in public matches are, by game. It asks for them alone: however many players have ratings,
// a club with so many matches starts as fast.
func (l *Lobby) strengths(ctx context.Context, rows []matches.Summary) map[string]map[storage.PlayerID]Strength {
	people := make(map[string][]storage.PlayerID)
	for _, m := range rows {
		if !m.Opening.Public {
			continue
		}
		for _, o := range []storage.Occupant{m.Opening.First, m.Opening.Second} {
			if o.Kind == storage.Person {
				people[m.Opening.Game] = append(people[m.Opening.Game], storage.PlayerID(o.ID))
			}
		}
	}
	all, now := make(map[string]map[storage.PlayerID]Strength), l.now()
	for game, ids := range people {
		ratings, err := l.store.RatingsIn(ctx, game, ids)
		if err != nil {
			l.log.Warn("the ratings of a game can't be read", "game", game, "err", err)
		}
		all[game] = make(map[storage.PlayerID]Strength, len(ratings))
		for id, r := range ratings {
			all[game][id] = strengthOf(standing(game, r, now))
		}
	}
	return all
}
