package analysis

import (
	"context"
	"errors"
	"math"
	"slices"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// A Fitting says how the scale of chances of a game is measured. The weakest levels that search are the most like people: each
// plays each other and itself, as both sides, from openings of random plies. The games are analysed, and each estimate counts
// with the result of its game. The same fitting gives the same scale.
type Fitting struct {
	Games    int    // from 2 on
	Nodes    int    // of each position in the analyses
	Openings int    // random plies before the players take over
	Seed     uint64 // of the first game; each game has its own
}

// A Fit is a measured scale. Losses say how surprising results are by estimates, in bits a position: 1 is a coin.
type Fit struct {
	Scale     float64 // how far ahead a side must be to expect 73 % of the points
	Positions int     // that it was measured on
	Loss      float64 // by scales that were measured on the other half of the games
	Present   float64 // by the scale that the game has now
}

// ErrFitting says that a Fitting makes no sense.
var ErrFitting = errors.New("at least two games, one position a move, and no negative openings")

// ErrNoFit says that the games tell nothing about a scale: one half of them had no undecided position.
var ErrNoFit = errors.New("there was no position to measure the scale on")

// people is how many levels are like people.
const people = 3

// FitScale measures the scale of a game with these complete options. progress, if it is not nil, is called with the number of
// games that have been played. The error is ErrFitting, ErrNoFit, bot.ErrNoSearch or the error of ctx.
func FitScale(ctx context.Context, g games.Game, o games.Options, f Fitting, progress func(done, total int)) (Fit, error) {
	if f.Games < 2 || f.Nodes < 1 || CheckNodes(f.Nodes) != nil || f.Openings < 0 {
		return Fit{}, ErrFitting
	}
	players := peopleOf(g)
	if len(players) == 0 {
		return Fit{}, bot.ErrNoSearch
	}
	var halves [2][]sample
	for i := range f.Games {
		if progress != nil {
			progress(i, f.Games)
		}
		meeting := i / 2 // the halves have the same
		seats := [2]bot.Player{players[meeting%len(players)], players[meeting/len(players)%len(players)]}
		played, err := f.play(ctx, g, o, seats, f.Seed+uint64(i))
		if err != nil {
			return Fit{}, err
		}
		halves[i%2] = append(halves[i%2], played...)
	}
	if len(halves[0]) == 0 || len(halves[1]) == 0 {
		return Fit{}, ErrNoFit
	}
	return fitHalves(halves, games.ProfileOf(g).Scale), nil
}

// fitHalves measures the scale on two halves of the games.
func fitHalves(halves [2][]sample, present float64) Fit {
	all := slices.Concat(halves[0], halves[1])
	heldOut := 0.0
	for i := range halves {
		heldOut += surprise(halves[i], bestScale(halves[1-i])) * float64(len(halves[i]))
	}
	return Fit{
		Scale: bestScale(all), Positions: len(all), Loss: heldOut / float64(len(all)), Present: surprise(all, present),
	}
}

// peopleOf returns the levels of a game that are like people; none if none searches.
func peopleOf(g games.Game) (players []bot.Player) {
	for _, l := range bot.Levels(g) {
		if _, searches := l.Player.(bot.Thinker); searches && len(players) < people {
			players = append(players, l.Player)
		}
	}
	return players
}

// A sample is what a position was worth to the first side, and the share of the points it got.
type sample struct{ value, points float64 }

// mostFitted is how many plies of a game are played; a longer one is left as a draw.
const mostFitted = 300

// play plays one game and returns the estimates in it. What is proven is none, nor is what a search calls decided without a proof:
// that seems all but sure by any scale, and the few times that a player lets such a win slip would outweigh all the rest.
func (f Fitting) play(ctx context.Context, g games.Game, o games.Options, seats [2]bot.Player, seed uint64) ([]sample, error) {
	start, err := g.New(o)
	if err != nil {
		return nil, err
	}
	p, moves := start, []games.Move(nil)
	r := games.NewRandom(seed)
	for len(moves) < mostFitted && !p.Result().Over {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if len(moves) >= f.Openings {
			if m, err = seats[p.Turn()].Move(ctx, p, r); err != nil {
				return nil, err
			}
		}
		if p, err = p.Play(m); err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	points := drawn
	switch result := p.Result(); {
	case !result.Over || result.Draw:
	case result.Winner == games.First:
		points = 1
	default:
		points = 0
	}
	a, err := Analyse(ctx, g, start, moves, f.Nodes, nil)
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, point := range a.Points[min(f.Openings, len(moves)):len(moves)] {
		decided := max(point.Value, -point.Value) == games.MaxEvaluation
		if point.Proven == Unproven && !decided {
			samples = append(samples, sample{float64(point.Value), points})
		}
	}
	return samples, nil
}

// The bounds of a scale.
const (
	leastScale = 10
	mostScale  = 10_000
)

// bestScale returns the scale by which the samples are least surprising, by golden section: the surprise falls towards it
// from both sides.
func bestScale(all []sample) float64 {
	low, high := math.Log(leastScale), math.Log(mostScale)
	golden := (math.Sqrt(5) - 1) / 2
	for high-low > 1e-4 {
		left, right := high-golden*(high-low), low+golden*(high-low)
		if surprise(all, math.Exp(left)) <= surprise(all, math.Exp(right)) {
			high = right
		} else {
			low = left
		}
	}
	return math.Exp((low + high) / 2)
}

// surprise returns the mean surprise of the samples in bits.
func surprise(all []sample, scale float64) float64 {
	sum := 0.0
	for _, s := range all {
		// log2 of 1+exp(-v) and of 1+exp(v), without overflow.
		v := s.value / scale
		lost := math.Log1p(math.Exp(-math.Abs(v)))
		won := lost
		if v < 0 {
			won -= v
		} else {
			lost += v
		}
		sum += s.points*won + (1-s.points)*lost
	}
	return sum / float64(len(all)) / math.Ln2
}
