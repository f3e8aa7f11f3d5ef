package flugelrad

import "ludoteca/games"

var _ games.ProvenGame = game{}

// Proven implements games.ProvenGame.
func (game) Proven() []games.ProvenPosition {
	return games.ProvenDraws(
		games.Options{"connect": 5, "fresh_wheel": 0}, games.Options{"connect": 6, "fresh_wheel": 0}, games.Options{"connect": 7, "fresh_wheel": 0},
		games.Options{"connect": 5, "chain": 1, "fresh_wheel": 0},
		games.Options{"connect": 4, "move_limit": 5}, games.Options{"connect": 4, "move_limit": 7}, games.Options{"connect": 4, "chain": 1, "move_limit": 7},
	)
}
