package analysis

import (
	"context"
	"errors"
	"math"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// A Fitting says how the scale of chances of a game is measured: the strongest level plays against itself with a small
// budget, from openings of random plies, and each position counts with what it was worth and what became of it. As people
// do, both sides slip now and then, and make the move of a level that sees little: games without mistakes would tell
// which side is better, but not how much that is worth. The same fitting gives the same scale.
type Fitting struct {
	Games    int    // from 1 on
	Nodes    int    // of each move
	Openings int    // random plies before the players take over
	Slips    int    // one move in so many, about, is that of a level that sees little; 0: none
	Seed     uint64 // of the first game; each game has its own
}

// A Fit is a measured scale.
type Fit struct {
	Scale     float64 // how far ahead a side must be to expect 73 % of the points
	Positions int     // that it was measured on
	Loss      float64 // how surprising the results were, in bits a position: 1 is a coin
}

// ErrFitting says that a Fitting makes no sense.
var ErrFitting = errors.New("at least one game, one position a move, and no negative openings or slips")

// ErrNoFit says that the games say nothing about a scale: there were none with a position that was undecided.
var ErrNoFit = errors.New("there was no position to measure the scale on")

// FitScale measures the scale of a game with these complete options. The errors are ErrFitting, ErrNoFit, bot.ErrNoSearch and
// that of ctx. progress, if it is not nil, is told how many games have been played.
func FitScale(ctx context.Context, g games.Game, o games.Options, f Fitting, progress func(done, total int)) (Fit, error) {
	if f.Games < 1 || f.Nodes < 1 || CheckNodes(f.Nodes) != nil || f.Openings < 0 || f.Slips < 0 {
		return Fit{}, ErrFitting
	}
	players, err := playersOf(g, f.Nodes)
	if err != nil {
		return Fit{}, err
	}
	var all []sample
	for i := range f.Games {
		if progress != nil {
			progress(i, f.Games)
		}
		played, err := f.play(ctx, g, o, players, f.Seed+uint64(i))
		if err != nil {
			return Fit{}, err
		}
		all = append(all, played...)
	}
	if len(all) == 0 {
		return Fit{}, ErrNoFit
	}
	scale := bestScale(all)
	return Fit{Scale: scale, Positions: len(all), Loss: surprise(all, scale)}, nil
}

// playersOf returns the strongest level of a game, with a budget of nodes, and the weakest one that searches.
func playersOf(g games.Game, nodes int) (both [2]bot.Thinker, err error) {
	if both[0], err = bot.Strongest(g, nodes); err != nil {
		return both, err
	}
	for _, l := range bot.Levels(g) {
		if t, ok := l.Player.(bot.Thinker); ok {
			both[1] = t
			return both, nil
		}
	}
	return both, bot.ErrNoSearch
}

// A sample is what a position was worth to the first side, and the share of the points it got.
type sample struct{ value, points float64 }

// mostFitted is how many plies of a game are played; a longer one is left as a draw.
const mostFitted = 400

// play plays one game. Positions in which the end was in sight tell nothing about estimates.
func (f Fitting) play(ctx context.Context, g games.Game, o games.Options, players [2]bot.Thinker,
	seed uint64) ([]sample, error) {
	p, err := g.New(o)
	if err != nil {
		return nil, err
	}
	var values []float64
	r := games.NewRandom(seed)
	for ply := 0; ply < mostFitted && !p.Result().Over; ply++ {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if ply >= f.Openings {
			t, err := players[0].Think(ctx, p, r)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			m = t.Move
			if f.Slips > 0 && r.N(f.Slips) == 0 {
				if m, err = players[1].Move(ctx, p, r); err != nil {
					return nil, err
				}
			}
			if v := float64(t.Value); t.Plies == 0 && !t.Drawn {
				if p.Turn() == games.Second {
					v = -v
				}
				values = append(values, v)
			}
		}
		if p, err = p.Play(m); err != nil {
			return nil, err
		}
	}
	points := drawn
	switch result := p.Result(); {
	case !result.Over || result.Draw:
	case result.Winner == games.First:
		points = 1
	default:
		points = 0
	}
	samples := make([]sample, len(values))
	for i, v := range values {
		samples[i] = sample{v, points}
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
