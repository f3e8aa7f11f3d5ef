package boardview

import (
	"math"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/sshapp/text"
)

// A Mistake is a marked move, with the analysis of the positions before and after it.
type Mistake struct {
	Before, After *analysis.Point
	By            games.Side // who made the move
}

// Remarks returns a function that says what a marked move gave away and why, with the sides named first and second. It is for the text of an
// analysis.
func Remarks(say text.Say) func(before, after *analysis.Point, by games.Side) string {
	names := [2]string{games.First: say.T("first"), games.Second: say.T("second")}
	return func(before, after *analysis.Point, by games.Side) string {
		return Mistake{before, after, by}.Words(say, names)
	}
}

// Words says what the move gave away, and why if that is known, after the name of the move. names are the players.
func (m Mistake) Words(say text.Say, names [2]string) string {
	if best, missed := m.MissedWin(); missed {
		return say.T("misses %s, which wins at once", string(best))
	}
	switch why := m.Why(say, names); {
	case why == "":
		return m.Loss(say, names)
	case m.Before.Why.Kind == games.WouldWin, m.Before.Why.Kind == games.LetsWin:
		return why // which tells what is lost, and more
	default:
		return m.Loss(say, names) + ": " + why
	}
}

// MissedWin returns the move that would have won at once, if there was one.
func (m Mistake) MissedWin() (best games.Move, missed bool) {
	winner, won := m.Before.Winner()
	return m.Before.Best, won && winner == m.By && m.Before.Plies == 1 && m.Before.Best != ""
}

// Why tells the reason for the mark; "" if none is known.
func (m Mistake) Why(say text.Say, names [2]string) string {
	return Why(say, m.Before.Why, names, m.By)
}

// Loss says what the move gave away.
func (m Mistake) Loss(say text.Say, names [2]string) string {
	had, won := m.Before.Winner()
	got, lost := m.After.Winner()
	held := won && had == m.By
	lost = lost && got != m.By
	switch {
	case held && lost:
		return say.T("turns a win into a loss")
	case held && m.After.Proven == analysis.ProvenDraw:
		return say.T("turns a win into a draw")
	case held:
		return say.T("gives the win away")
	case m.Before.Proven == analysis.ProvenDraw && lost:
		return say.T("turns a draw into a loss")
	case lost:
		return say.T("lets %s win", names[got])
	}
	return say.T("chances fall from %d to %d %%", Percent(chanceOf(m.Before, m.By)), Percent(chanceOf(m.After, m.By)))
}

// Percent returns an estimated share of the points in whole percent: 1 to 99, as no estimate is certain.
func Percent(share float64) int { return int(max(min(math.Round(100*share), 99), 1)) }

// chanceOf returns the share of the points that a side may expect.
func chanceOf(p *analysis.Point, side games.Side) float64 {
	if side == games.First {
		return p.Chance
	}
	return 1 - p.Chance
}
