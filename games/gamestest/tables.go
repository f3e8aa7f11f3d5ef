package gamestest

import "ludoteca/games"

// RandomTables returns random weights from -200 to 200 points, of which those are alike that share their value, and the
// tables that they make. The same seed gives the same ones.
func RandomTables(seed uint64, l *games.Learning) ([]float32, games.Tables) {
	r, w := games.NewRandom(seed), make([]float32, l.Weights)
	for i := range w {
		w[i] = float32(r.N(401) - 200)
	}
	if l.Shared != nil {
		for i, same := range l.Shared() {
			w[i] = w[same]
		}
	}
	return w, l.Fold(w)
}
