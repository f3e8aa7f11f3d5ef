package rating

import (
	"time"

	"ludoteca/storage"
)

// Rate is the arithmetic of one rated match, for storage.Config: both players' ratings after a match that ended at
// the given time, where score is the first player's: 1, 0.5 or 0. Each plays against the other as he is known now,
// his time away included.
func Rate(first, second storage.Rating, score float64, at time.Time) (newFirst, newSecond storage.Rating) {
	a, awayA := known(first, at)
	b, awayB := known(second, at)
	return rated(first, a.Update([]Result{{b.Aged(awayB), score}}, awayA), at),
		rated(second, b.Update([]Result{{a.Aged(awayA), 1 - score}}, awayB), at)
}

// Now returns what is known of a player at the given time: his rating as stored, with the deviation grown since.
func Now(r storage.Rating, at time.Time) Glicko {
	g, away := known(r, at)
	return g.Aged(away)
}

// Provisional says whether so little is known that the rating is only a first guess: it is shown with a ? and has no
// rank. Ask it of what Now returns.
func (g Glicko) Provisional() bool { return g.Deviation > ProvisionalAbove }

// known returns what was known of a player after his last match, and how many rating periods ago that was.
func known(r storage.Rating, at time.Time) (g Glicko, away float64) {
	if r.At.IsZero() {
		return Newcomer(), 0
	}
	const msPerDay = 24 * 60 * 60 * 1000
	away = float64(float64(at.UnixMilli()-r.At.UnixMilli())/msPerDay) * PeriodsPerDay
	return Glicko{r.Rating, r.Deviation, r.Volatility}, max(away, 0)
}

// rated returns r with new numbers.
func rated(r storage.Rating, g Glicko, at time.Time) storage.Rating {
	r.Rating, r.Deviation, r.Volatility, r.At = g.Rating, g.Deviation, g.Volatility, at
	return r
}
