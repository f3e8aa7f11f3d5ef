package rating

import "ludoteca/storage"

// How much a rated match counts. Ratings shall not be worth farming: a person with several accounts can have them lose at will.
//
//   - Two players who meet often in a day learn little more of each other's strength: of their matches of one game within a
//     storage.Day the first two count fully, the next ones a half, a quarter and an eighth, and further ones not at all.
//   - An account younger than a day may be anybody's: a result against it counts a quarter, and takes nobody out of provisional.
//   - Of one player, storage.DailyMatches count in a day.
//   - While one of two players is provisional, anything may be behind the name: of their matches against each other, in all games, ten
//     count in a day.
//   - The same moves to the same end say nothing twice: a match with the winner and the first storage.SamePlies moves of one of the last
//     two rated matches of the two does not count.
//
// If several apply, the smallest weight counts, and that is the reason that is kept. What the days hold are matches that
// counted: those that don't count keep nobody from playing one that does later.

// repeated are the weights of the matches of one game that two players have against each other in a day.
var repeated = [...]float64{1, 1, 1. / 2, 1. / 4, 1. / 8}

const (
	// newAccount is the weight of a result against an account younger than a day.
	newAccount = 1. / 4

	// unsettled is how many matches of two players against each other count in a day while one of them is provisional.
	unsettled = 10

	// stillProvisional is the smallest deviation that such a result leaves of a provisional one.
	stillProvisional = ProvisionalAbove + 1
)

// Rate returns both players' ratings after a rated match, for storage.Config. Each rating is updated against the other's present
// one, with the deviation grown while away.
func Rate(m storage.RatedMatch) [2]storage.RatingChange {
	var now [2]Glicko
	var before [2]Glicko
	var away [2]float64
	for i, r := range m.Before {
		before[i], away[i] = known(r, m.At)
		now[i] = before[i].Aged(away[i])
	}
	var changes [2]storage.RatingChange
	for i, score := range []float64{m.Score, 1 - m.Score} {
		c := &changes[i]
		c.After = m.Before[i]
		if c.Weight, c.Why = weight(m, now, i); c.Weight == 0 {
			continue
		}
		after := before[i].Update([]Result{{now[1-i], score, c.Weight}}, away[i])
		if m.Young[1-i] && now[i].Provisional() {
			after.Deviation = max(after.Deviation, min(now[i].Deviation, stillProvisional))
		}
		c.After.Rating, c.After.Deviation, c.After.Volatility, c.After.At = after.Rating, after.Deviation, after.Volatility, m.At
	}
	return changes
}

// weight returns how much a match counts for one of its players, and why not fully. now are the ratings before it.
func weight(m storage.RatedMatch, now [2]Glicko, player int) (float64, storage.Discount) {
	switch {
	case m.Whole:
		return 1, ""
	case max(m.Counted[0], m.Counted[1]) >= storage.DailyMatches:
		return 0, storage.DailyLimit
	case m.Again:
		return 0, storage.SameMoves
	case m.Met >= len(repeated):
		return 0, storage.Repeated
	case m.Together >= unsettled && (now[0].Provisional() || now[1].Provisional()):
		return 0, storage.Unsettled
	}
	w := repeated[m.Met]
	switch {
	case m.Young[1-player] && w > newAccount:
		return newAccount, storage.NewAccount
	case w < 1:
		return w, storage.Repeated
	}
	return 1, ""
}
