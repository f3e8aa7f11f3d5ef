package lab

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// The largest numbers that a Tuning takes.
const (
	MaxTuneGames = 100_000
	maxSamples   = 400_000 // positions that are kept; the games end when there are so many
)

// A Tuning is what Tune is asked for.
type Tuning struct {
	Game     games.Game
	Options  games.Options // complete
	Player   string        // the level that plays the games, as bot.Find takes it; it must be one that searches
	Games    int           // 1 to MaxTuneGames
	Openings int           // plies at random before the player takes over, 0 to MaxArenaOpenings
	Seed     uint64        // the same seed gives the same weights, unless the level minds the clock
}

// A tuned weight is one before and after, as JSON.
type tunedWeight struct {
	Name string `json:"name"`
	Old  int    `json:"old"`
	New  int    `json:"new"`
}

// tuneScore is the result of a tuning, as JSON. The losses are the mean entropies of the targets, in bits, against what
// the evaluations foretell; lower is better.
type tuneScore struct {
	Game      string        `json:"game"`
	Options   games.Options `json:"options"`
	Player    string        `json:"player"`
	Games     int           `json:"games"`
	Positions int           `json:"positions"`
	OldLoss   float64       `json:"old_loss"`
	NewLoss   float64       `json:"new_loss"`
	Weights   []tunedWeight `json:"weights"`
}

// Tune lets a computer player play games against itself and writes the weights of the evaluation that foretell best how
// they went. Whether these play better is for the arena to say. progress is a
// terminal that shows how far it is, or nil.
//
// An unknown level gives bot.ErrLevel, everything else that makes no sense ErrUsage. If it is stopped by ctx nothing is
// written.
func Tune(ctx context.Context, w, progress io.Writer, t Tuning, asJSON bool) error {
	c, err := newCollector(t)
	if err != nil {
		return err
	}
	played, err := c.gather(ctx, progress)
	if err != nil {
		return err
	}
	if len(c.samples) == 0 {
		return fmt.Errorf("%w: no position of these games can be used", ErrUsage)
	}
	f := newFit(c.weights, c.samples)
	s := tuneScore{Game: t.Game.About().ID, Options: t.Options, Player: t.Player, Games: played, Positions: len(c.samples)}
	s.OldLoss = f.loss()
	if err := f.descend(ctx); err != nil {
		return err
	}
	s.NewLoss = f.loss()
	for i, v := range f.values() {
		s.Weights = append(s.Weights, tunedWeight{c.weights[i].Name, c.weights[i].Value, v})
	}
	if asJSON {
		err = newEncoder(w).Encode(s)
	} else {
		_, err = io.WriteString(w, s.text(t.Game.About()))
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// A tuneSample is a position from the point of view of the first player.
type tuneSample struct {
	value  float32   // by the game's own weights
	slopes []float32 // by which it grows with each weight
	result float32   // the share of the points that the first player made
	last   bool      // the last one of its game
	target float32   // the share of the points that the first player is thought to make from here
}

// A collector plays games and keeps their positions.
type collector struct {
	Tuning
	player  bot.Thinker
	start   games.Position
	weights []games.Weight
	samples []tuneSample
}

func newCollector(t Tuning) (*collector, error) {
	switch {
	case t.Games < 1 || t.Games > MaxTuneGames:
		return nil, fmt.Errorf("%w: the number of games is %d; it must be from 1 to %d", ErrUsage, t.Games, MaxTuneGames)
	case t.Openings < 0 || t.Openings > MaxArenaOpenings:
		return nil, fmt.Errorf("%w: an opening has %d plies; it must be from 0 to %d", ErrUsage, t.Openings, MaxArenaOpenings)
	}
	level, err := bot.Find(t.Game, t.Player)
	if err != nil {
		return nil, err
	}
	c := &collector{Tuning: t}
	var ok bool
	if c.player, ok = level.Player.(bot.Thinker); !ok {
		return nil, fmt.Errorf("%w: %s does not look ahead", ErrUsage, t.Player)
	}
	if c.start, err = t.Game.New(t.Options); err != nil {
		return nil, err
	}
	tunable, ok := c.start.State().(games.Tunable)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no weights to tune", ErrUsage, t.Game.About().Name)
	}
	c.weights = tunable.Weights()
	return c, nil
}

// gather plays the games until there are enough positions, and returns how many it played.
func (c *collector) gather(ctx context.Context, progress io.Writer) (played int, err error) {
	show := &progressLine{w: progress}
	defer show.clear()
	seeds := games.NewRandom(c.Seed)
	for played < c.Games && len(c.samples) < maxSamples {
		if err := c.play(ctx, games.NewRandom(seeds.Uint64())); err != nil {
			return played, err
		}
		played++
		show.show(func() string { return fmt.Sprintf("%d of %d games, %d positions", played, c.Games, len(c.samples)) })
	}
	return played, nil
}

// play plays a game and keeps its positions.
func (c *collector) play(ctx context.Context, r *games.Random) error {
	p, moves, err := opening(c.start, c.Openings, r)
	if err != nil {
		return err
	}
	first := len(c.samples)
	limit := (&Meeting{Game: c.Game, Options: c.Options}).limit()
	for n := len(moves); !p.Result().Over && (limit == 0 || n < limit); n++ {
		thought, err := c.player.Think(ctx, p, r)
		if err != nil {
			return err
		}
		if thought.Plies == 0 && !thought.Drawn {
			c.keep(p, thought)
		}
		if p, err = p.Play(thought.Move); err != nil {
			return fmt.Errorf("a computer player broke the rules: %w", err)
		}
	}
	result := float32(0.5)
	if res := p.Result(); res.Over && !res.Draw {
		result = 1 - float32(res.Winner)
	}
	for i := first; i < len(c.samples); i++ {
		c.samples[i].result, c.samples[i].last = result, i == len(c.samples)-1
	}
	return nil
}

// keep adds the position at the end of the expected line, whose evaluation is the value of the search.
func (c *collector) keep(p games.Position, t bot.Thought) {
	for _, m := range t.Line {
		next, err := p.Play(m)
		if err != nil || next.Result().Over {
			return
		}
		p = next
	}
	sign := float32(1)
	state := p.State().(games.Tunable)
	if p.Turn() == games.Second {
		sign = -1
	}
	values := games.ValuesOf(c.weights)
	s := tuneSample{slopes: make([]float32, len(values))}
	own := state.SearchWith(values).Evaluate()
	s.value = sign * float32(own)
	for i := range values {
		values[i] += slopeStep
		s.slopes[i] = sign * float32(state.SearchWith(values).Evaluate()-own) / slopeStep
		values[i] -= slopeStep
	}
	c.samples = append(c.samples, s)
}

// slopeStep is by how much a weight is changed to measure the slope of the evaluation.
const slopeStep = 32

// A fit finds the weights with which evaluations foretell the targets best, by logistic regression (after P. Österlund:
// Texel's Tuning Method, 2014): the expected share of the points is a logistic function of the evaluation, and the
// entropy of the targets against it is brought down by gradient descent. The evaluation is taken to be linear in its
// weights. A weight is held near its old value by a force that a few positions can't overcome, so that one which hardly
// ever matters stays what it was.
type fit struct {
	old     []games.Weight
	samples []tuneSample
	change  []float64 // of each weight
	moment  []float64
	square  []float64
	scale   float64 // an evaluation at which 73 % of the points are expected
}

// The numbers of the descent: Adam (Kingma, Ba: Adam: A Method for Stochastic Optimization, 2015) over all samples.
const (
	fitSteps  = 400
	fitRate   = 0.6 // the largest change of a weight in a step
	fitBeta1  = 0.9
	fitBeta2  = 0.99
	fitHold   = 2e-7 // the force that holds a weight, for each sample and unit of change
	fitSmooth = 1e-9
)

func newFit(old []games.Weight, samples []tuneSample) *fit {
	n := len(old)
	f := &fit{old: old, samples: samples, change: make([]float64, n), moment: make([]float64, n), square: make([]float64, n)}
	f.measure()
	f.aim()
	return f
}

// measure finds the scale by which the old weights foretell the results best, so that the new ones stay in their unit.
func (f *fit) measure() {
	for i := range f.samples {
		f.samples[i].target = f.samples[i].result
	}
	best := math.Inf(1)
	for scale := 20.0; scale < 3000; scale *= 1.1 {
		before := f.scale
		f.scale = scale
		if loss := f.loss(); loss < best {
			best = loss
		} else {
			f.scale = before
		}
	}
}

// decay is the weight of each later value relative to the one before.
const decay = 0.9

// aim sets the targets. The result alone is too far away and the next value alone is as wrong as the evaluation, so a
// target is the sum of all later values and the result, each counting less than the one before (Sutton: Learning to
// Predict by the Methods of Temporal Differences, 1988).
func (f *fit) aim() {
	target := 0.0
	for i := len(f.samples) - 1; i >= 0; i-- {
		s := &f.samples[i]
		if s.last {
			target = float64(s.result)
		}
		s.target = float32(target)
		target = decay*target + (1-decay)*f.expected(float64(s.value))
	}
}

// expected returns the share of the points at an evaluation.
func (f *fit) expected(value float64) float64 { return 1 / (1 + math.Exp(-value/f.scale)) }

// value returns the evaluation of a sample by the present weights.
func (f *fit) value(s *tuneSample) float64 {
	v := float64(s.value)
	for i, slope := range s.slopes {
		v += f.change[i] * float64(slope)
	}
	return v
}

// loss returns the mean entropy in bits.
func (f *fit) loss() float64 {
	sum := 0.0
	for i := range f.samples {
		s := &f.samples[i]
		p := min(max(f.expected(f.value(s)), fitSmooth), 1-fitSmooth)
		sum -= float64(s.target)*math.Log2(p) + (1-float64(s.target))*math.Log2(1-p)
	}
	return sum / float64(len(f.samples))
}

// descend looks for the best weights until ctx is done.
func (f *fit) descend(ctx context.Context) error {
	slope := make([]float64, len(f.change))
	for step := 1; step <= fitSteps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, c := range f.change {
			slope[i] = fitHold * c
		}
		for i := range f.samples {
			s := &f.samples[i]
			miss := (f.expected(f.value(s)) - float64(s.target)) / f.scale / float64(len(f.samples))
			for k, d := range s.slopes {
				slope[k] += miss * float64(d)
			}
		}
		f.step(step, slope)
	}
	return nil
}

func (f *fit) step(n int, slope []float64) {
	rate := fitRate * (1 - float64(n)/(fitSteps+1))
	for i, g := range slope {
		f.moment[i] += (1 - fitBeta1) * (g - f.moment[i])
		f.square[i] += (1 - fitBeta2) * (g*g - f.square[i])
		m := f.moment[i] / (1 - math.Pow(fitBeta1, float64(n)))
		q := f.square[i] / (1 - math.Pow(fitBeta2, float64(n)))
		f.change[i] -= rate * m / (math.Sqrt(q) + fitSmooth)
	}
}

// values returns the weights found.
func (f *fit) values() []int {
	values := games.ValuesOf(f.old)
	for i, c := range f.change {
		values[i] += int(math.Round(c))
	}
	return values
}

// text is the result for people: the weights as Go source.
func (s *tuneScore) text(about *games.About) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s %s\n%d games of %s, %d positions: loss %.5f, was %.5f\n",
		about.Name, s.Options, s.Games, s.Player, s.Positions, s.NewLoss, s.OldLoss)
	for _, w := range s.Weights {
		fmt.Fprintf(&t, "\t{Name: %q, Value: %d}, // was %d\n", w.Name, w.New, w.Old)
	}
	return t.String()
}
