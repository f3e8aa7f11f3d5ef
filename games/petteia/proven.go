package petteia

import "ludoteca/games"

var _ games.ProvenGame = game{}

// Proven implements games.ProvenGame.
func (game) Proven() []games.ProvenPosition {
	return games.ProvenDraws(
		games.Options{"captures_to_win": 1, "quiet_limit": 3}, games.Options{"captures_to_win": 1, "quiet_limit": 4}, games.Options{"captures_to_win": 1, "quiet_limit": 5},
		games.Options{"captures_to_win": 2, "quiet_limit": 4}, games.Options{"quiet_limit": 4},
	)
}
