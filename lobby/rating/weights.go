package rating

import (
	"time"

	"ludoteca/storage/results"
)

// How much a rated match counts. Farming ratings must not pay off: a person with several accounts can make them lose at will.
//
//   - Two players who meet often in a day learn little more about each other's strength. Of their matches of one game within a
//     results.Day the first two count fully, the next ones a half, a quarter and an eighth, and further ones not at all.
//   - An account younger than a day may belong to any person. A result against it counts a quarter, and never ends a provisional rating.
//   - Of one player, results.DailyMatches count in a day.
//   - While one of two players is provisional, the account may be a second one of the other. Of their matches against each other, in all
//     games, ten count in a day.
//   - Repeated moves say nothing new. A match with the winner and the first results.SamePlies moves of one of the last two rated matches
//     of the two does not count.
//
//   - An opponent with few losses to other players, or from the same block of addresses, may be the same person: the result counts an
//     eighth. If a game has settled players, a result against such an opponent, or an opponent without a rank, counts 1/128 for a player
//     with a rank: forty accounts that lose forty matches a day gain almost nothing.
//   - Only results against independent opponents make a rating firm, and a rank needs several of them (results.RankOpponents,
//     results.RankBlocks). If a game has settled players, independent opponents are players with a rank, so that ranks come from matches
//     with known people. Otherwise they are the oldest accounts among the players of the game (results.Seniors) that have lost to at
//     least two others: the accounts of one person that play each other are no older than the accounts of the club's first members.
//
// If several rules apply, the smallest weight counts, and its reason is kept. Only matches that counted use up the limits of a day: a
// match that doesn't count never keeps a later one from counting.

// repeated are the weights of the matches of one game that two players have against each other in a day.
var repeated = [...]float64{1, 1, 1. / 2, 1. / 4, 1. / 8}

const (
	// newAccount is the weight of a result against an account younger than a day.
	newAccount = 1. / 4

	// unsettled is how many matches of two players against each other count in a day while one of them is provisional.
	unsettled = 10

	// stillProvisional is the smallest deviation of a provisional rating after a result against a new account, in matches of versions that
	// didn't record how independent opponents are.
	stillProvisional = ProvisionalAbove + 1

	// dependent is the weight of a result against an opponent who may be the same person.
	dependent = 1. / 8

	// unproven is the weight of a result of a player with a rank against an opponent who is not independent, in a game with settled players.
	unproven = 1. / 128

	// stillOpen is the smallest deviation to which a result against an opponent who is not independent can reduce a larger one. It is far
	// above ProvisionalAbove, so that the first matches against independent opponents change such a rating a lot.
	stillOpen = 200.0

	// settledAge is the least age of the account of a settled player.
	settledAge = 60 * results.Day
)

// Provisional reports whether a rating has no rank at a time: it rests on too few matches, or on too few independent opponents.
func Provisional(r results.Rating, at time.Time) bool {
	return Now(r, at).Provisional() || !r.HasOpponents()
}

// Rate returns both players' ratings after a rated match, for schema.Config. Each rating is updated against the other's present
// one, with the deviations grown since their last matches.
func Rate(m results.RatedMatch) [2]results.RatingChange {
	var now [2]Glicko
	var before [2]Glicko
	var away [2]float64
	for i, r := range m.Before {
		before[i], away[i] = known(r, m.At)
		now[i] = before[i].Aged(away[i])
	}
	var changes [2]results.RatingChange
	for i, score := range []float64{m.Score, 1 - m.Score} {
		c := &changes[i]
		c.After = m.Before[i]
		if c.Weight, c.Why = weight(m, now, i); c.Weight == 0 {
			continue
		}
		after := before[i].Update([]Result{{now[1-i], score, c.Weight}}, away[i])
		if m.Known == nil {
			if m.Young[1-i] && now[i].Provisional() {
				after.Deviation = max(after.Deviation, min(now[i].Deviation, stillProvisional))
			}
		} else {
			if c.Independent = independent(m, now, i); !c.Independent {
				after.Deviation = max(after.Deviation, min(now[i].Deviation, stillOpen))
			}
			c.After.NeedsOpponents = m.Before[i].NeedsOpponents || now[i].Provisional()
			c.After.Settled = !after.Provisional() && m.Before[i].HasOpponents() && m.Age[i] >= settledAge
		}
		c.After.Rating, c.After.Deviation, c.After.Volatility, c.After.At = after.Rating, after.Deviation, after.Volatility, m.At
	}
	return changes
}

// ranked reports whether a player has a rank before a match.
func ranked(m results.RatedMatch, now [2]Glicko, player int) bool {
	return !now[player].Provisional() && m.Before[player].HasOpponents()
}

// independent reports whether the opponent of a player is independent: the result counts for a firm rating and a rank.
func independent(m results.RatedMatch, now [2]Glicko, player int) bool {
	o := opponent(m, player)
	switch {
	case m.Young[1-player] || suspect(o):
		return false
	case m.Settled >= results.EnoughSettled:
		return ranked(m, now, 1-player)
	}
	return o.LostToOthers >= 2 && o.Senior
}

// suspect reports whether an opponent may be the same person as the player: both come from one block of addresses, or at least three quarters of
// two or more losses are to that player.
func suspect(o results.Opponent) bool {
	return o.SameBlock || o.LostTo >= 2 && 4*o.LostTo >= 3*o.Lost
}

// weight returns how much a match counts for one of its players, from 0 to 1, and why not fully. now are the ratings before it.
func weight(m results.RatedMatch, now [2]Glicko, player int) (float64, results.Discount) {
	switch {
	case m.Whole:
		return 1, ""
	case max(m.Counted[0], m.Counted[1]) >= results.DailyMatches:
		return 0, results.DailyLimit
	case m.Again:
		return 0, results.SameMoves
	case m.Met >= len(repeated):
		return 0, results.Repeated
	case m.Together >= unsettled && (now[0].Provisional() || now[1].Provisional()):
		return 0, results.Unsettled
	}
	w, why := repeated[m.Met], results.Discount("")
	if w < 1 {
		why = results.Repeated
	}
	proven := m.Known == nil || m.Settled < results.EnoughSettled || !ranked(m, now, player) || independent(m, now, player)
	for _, d := range []struct {
		applies bool
		weight  float64
		why     results.Discount
	}{
		{m.Young[1-player], newAccount, results.NewAccount},
		{suspect(opponent(m, player)), dependent, results.Dependent},
		{!proven, unproven, results.Unproven},
	} {
		if d.applies && d.weight < w {
			w, why = d.weight, d.why
		}
	}
	return w, why
}

// opponent returns what was recorded about a player's opponent. It is zero in matches of versions that recorded nothing.
func opponent(m results.RatedMatch, player int) results.Opponent {
	if m.Known == nil {
		return results.Opponent{}
	}
	return m.Known[player]
}
