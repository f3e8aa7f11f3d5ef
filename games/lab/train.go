package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/bot"
)

// The largest numbers that a Training takes.
const (
	MaxTrainRounds = 1000
	MaxTrainGames  = 100_000 // of a round
)

// A Training says what Train does. Where a number is 0, Train takes it from the game's own recipe.
type Training struct {
	Game    games.Game
	Options games.Options // complete; the game's own stand for these and the option sets of its recipe
	Seed    uint64        // the same seed gives the same tables after the same number of rounds
	Workers int           // how many games are played at the same time, 1 to MaxArenaWorkers; 0 means 1

	Rounds int           // 1 to MaxTrainRounds
	Games  int           // of a round, 1 to MaxTrainGames
	Nodes  int           // that the search looks at for a move, 1 or more
	Rate   float64       // the learning rate
	Time   time.Duration // after which no other round begins; 0: none

	// Matches is how many games the tables of a round play against the tables of the round before, and as many against the
	// evaluation by hand, 0 to MaxArenaGames and even. They show how the training gets on, which doesn't depend on them.
	Matches int

	Write  string // the file that gets the tables
	Resume string // a file that keeps the training, to go on from; empty for none
}

// recipe returns the game's recipe with the numbers of the training.
func (t *Training) recipe(l *games.Learning) games.Learning {
	r := *l
	if t.Rounds > 0 {
		r.Rounds = t.Rounds
	}
	if t.Games > 0 {
		r.Games = t.Games
	}
	if t.Nodes > 0 {
		r.Nodes = t.Nodes
	}
	if t.Rate > 0 {
		r.Rate = t.Rate
	}
	return r
}

// A trainedRound is what is said about a round, as JSON. The scores are shares of the points, 0 to 1; null if no match was played.
type trainedRound struct {
	Game      string   `json:"game"`
	Round     int      `json:"round"` // from 1 on
	Rounds    int      `json:"rounds"`
	Games     int      `json:"games"`
	Draws     int      `json:"draws"`
	Plies     float64  `json:"plies"` // a game, on average
	Positions int      `json:"positions"`
	Before    *float64 `json:"against_before"`
	ByHand    *float64 `json:"against_hand"`
	Seconds   float64  `json:"seconds"`
}

// keptRounds is how many of the newest rounds are learned from after each.
const keptRounds = 5

// Train lets a computer player play rounds of games against itself. After each round it trains the tables of the game's evaluation
// on the games. It writes a line about each round to w, and the tables to a file when all rounds are done or the time is up.
//
// The targets are TD(lambda) on the values of the search (Sutton: Learning to Predict by the Methods of Temporal Differences,
// 1988), the steps AdaGrad (Duchi, Hazan, Singer: Adaptive Subgradient Methods, 2011), on the entropy of the expected points.
//
// The error wraps ErrUsage for a training that makes no sense, and ErrResume for a file of another training.
func Train(ctx context.Context, w, progress io.Writer, t Training, asJSON bool) error {
	tr, err := newTrainer(t)
	if err != nil {
		return err
	}
	if folder, err := os.Stat(filepath.Dir(t.Write)); err != nil || !folder.IsDir() { // before minutes are spent
		return fmt.Errorf("%w: there is no folder %s to write the tables to", ErrUsage, filepath.Dir(t.Write))
	}
	if err := tr.resume(); err != nil {
		return err
	}
	began := time.Now()
	for tr.state.Round < tr.recipe.Rounds && (t.Time == 0 || time.Since(began) < t.Time) {
		r, err := tr.round(ctx, progress)
		if err != nil {
			return tr.stopped(err)
		}
		if err := tr.keep(); err != nil {
			return err
		}
		if asJSON {
			err = newEncoder(w).Encode(r)
		} else {
			_, err = io.WriteString(w, r.text())
		}
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if err := ReplaceFile(t.Write, games.EncodeTables(t.Game.About().ID, tr.tables())); err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	return nil
}

// A trainer is a training under way.
type trainer struct {
	Training
	recipe games.Learning
	starts []games.Position // each game begins from one of them
	shared []int32          // as Learning.Shared
	state  trainState
}

// A trainState is all that the next rounds follow from.
type trainState struct {
	Round   int       // rounds that are done
	Weights []float32 // in units of the scale
	Squares []float32 // the sums of the squares of their gradients
	Rounds  [][]trainGame
}

// A trainGame is a game that the player has played against itself.
type trainGame struct {
	Start   int // which of the start positions it began from
	Opening []games.Code
	Plies   []trainPly
	Points  float32 // of the first side
}

// A trainPly is a position after the opening, and the move that was made in it.
type trainPly struct {
	Code   games.Code
	Value  float32 // the share of the points that the first side may expect, by the search
	Random bool    // the move was drawn at random, not found by the search
	Skip   bool    // nothing is learned from the position
}

func newTrainer(t Training) (*trainer, error) {
	start, err := t.Game.New(t.Options)
	if err != nil {
		return nil, err
	}
	learnable, ok := start.State().(games.Learnable)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no evaluation that learns", ErrUsage, t.Game.About().Name)
	}
	tr := &trainer{Training: t, recipe: t.recipe(learnable.Learning())}
	if tr.starts, err = t.starts(start, tr.recipe.OptionSets); err != nil {
		return nil, err
	}
	switch r := &tr.recipe; {
	case r.Rounds < 1 || r.Rounds > MaxTrainRounds:
		return nil, fmt.Errorf("%w: %d rounds; it must be from 1 to %d", ErrUsage, r.Rounds, MaxTrainRounds)
	case r.Games < 1 || r.Games > MaxTrainGames:
		return nil, fmt.Errorf("%w: %d games a round; it must be from 1 to %d", ErrUsage, r.Games, MaxTrainGames)
	case r.Nodes < 1:
		return nil, fmt.Errorf("%w: %d positions a move; it must be 1 or more", ErrUsage, r.Nodes)
	case !(r.Rate > 0 && r.Rate <= 1):
		return nil, fmt.Errorf("%w: the learning rate is %v; it must be above 0, and 1 at most", ErrUsage, r.Rate)
	case t.Matches < 0 || t.Matches%2 != 0 || t.Matches > MaxArenaGames:
		return nil, fmt.Errorf("%w: matches of %d games; it must be an even number", ErrUsage, t.Matches)
	case t.Workers < 0 || t.Workers > MaxArenaWorkers:
		return nil, fmt.Errorf("%w: the number of workers is %d; it must be from 1 to %d", ErrUsage, t.Workers, MaxArenaWorkers)
	}
	tr.Workers = max(t.Workers, 1)
	tr.state.Weights = make([]float32, tr.recipe.Weights)
	tr.state.Squares = make([]float32, tr.recipe.Weights)
	if tr.recipe.Shared != nil {
		tr.shared = tr.recipe.Shared()
		return tr, nil
	}
	tr.shared = make([]int32, tr.recipe.Weights)
	for i := range tr.shared {
		tr.shared[i] = int32(i)
	}
	return tr, nil
}

// starts returns the start positions: the position of the options, and if these are the game's own, one for each option set.
func (t *Training) starts(own games.Position, sets []string) ([]games.Position, error) {
	starts := []games.Position{own}
	usual, err := games.Complete(t.Game, nil)
	if err != nil || !t.Options.Equal(usual) {
		return starts, err
	}
	for _, set := range sets {
		o, err := games.ParseOptions(t.Game, strings.Fields(set))
		if err != nil {
			return nil, err
		}
		start, err := t.Game.New(o)
		if err != nil {
			return nil, err
		}
		starts = append(starts, start)
	}
	return starts, nil
}

// tables returns what has been learned so far.
func (tr *trainer) tables() games.Tables {
	points := make([]float32, len(tr.state.Weights))
	for i, shared := range tr.shared {
		points[i] = tr.state.Weights[shared] * float32(tr.recipe.Scale)
	}
	return tr.recipe.Fold(points)
}

// evaluation returns what the games of the next round are played with.
func (tr *trainer) evaluation() bot.Evaluation {
	if tr.state.Round == 0 {
		return bot.ByHand()
	}
	return bot.ByTables(tr.tables())
}

// round plays a round, learns from it, and lets the new tables meet the old ones.
func (tr *trainer) round(ctx context.Context, progress io.Writer) (*trainedRound, error) {
	began, before := time.Now(), tr.evaluation()
	played, err := tr.playRound(ctx, progress, before)
	if err != nil {
		return nil, err
	}
	s := &tr.state
	if s.Rounds = append(s.Rounds, played); len(s.Rounds) > keptRounds {
		s.Rounds = s.Rounds[1:]
	}
	positions, err := tr.learn(ctx)
	if err != nil {
		return nil, err
	}
	s.Round++
	r := &trainedRound{
		Game: tr.Game.About().ID, Round: s.Round, Rounds: tr.recipe.Rounds, Games: len(played), Positions: positions,
	}
	for _, g := range played {
		r.Plies += float64(len(g.Opening)+len(g.Plies)) / float64(len(played))
		if g.Points == 0.5 {
			r.Draws++
		}
	}
	if r.Before, err = tr.meet(ctx, before); err == nil {
		r.ByHand, err = tr.meet(ctx, bot.ByHand())
	}
	r.Seconds = time.Since(began).Seconds()
	return r, err
}

// playRound plays the games of a round, each with random numbers of its own.
func (tr *trainer) playRound(ctx context.Context, progress io.Writer, e bot.Evaluation) ([]trainGame, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	seeds := games.NewRandom(tr.Seed ^ uint64(tr.state.Round)<<32)
	played := make([]trainGame, tr.recipe.Games)
	type job struct {
		index int
		seed  uint64
	}
	jobs, done := make(chan job), make(chan struct{})
	var workers sync.WaitGroup
	for range tr.Workers {
		player := bot.Searcher(tr.Game, tr.recipe.Nodes, e)
		workers.Go(func() {
			for j := range jobs {
				var err error
				if played[j.index], err = tr.play(ctx, player, games.NewRandom(j.seed)); err != nil {
					cancel(err)
				}
				done <- struct{}{}
			}
		})
	}
	go func() {
		defer close(done)
		defer workers.Wait()
		defer close(jobs)
		for i := range played {
			j := job{i, seeds.Uint64()}
			if ctx.Err() != nil {
				return
			}
			jobs <- j
		}
	}()
	show, count := &progressLine{w: progress}, 0
	defer show.clear()
	for range done {
		count++
		show.show(func() string {
			return fmt.Sprintf("round %d of %d: %d of %d games", tr.state.Round+1, tr.recipe.Rounds, count, len(played))
		})
	}
	return played, context.Cause(ctx)
}

// play plays a game. A move may be random, unless the search has seen a win with the next one.
func (tr *trainer) play(ctx context.Context, player bot.Thinker, r *games.Random) (trainGame, error) {
	g := trainGame{Start: r.N(len(tr.starts))}
	start := tr.starts[g.Start]
	p, opened, err := opening(start, r.N(tr.recipe.Openings+1), r)
	if err != nil {
		return g, err
	}
	state := start.State()
	for _, m := range opened {
		c, err := state.Code(m)
		if err != nil {
			return g, err
		}
		g.Opening = append(g.Opening, c)
		state.Play(c)
	}
	limit := (&Meeting{Game: tr.Game, Options: start.Options()}).limit()
	for n := len(opened); !p.Result().Over && (limit == 0 || n < limit); n++ {
		thought, err := player.Think(ctx, p, r)
		if err != nil {
			return g, err
		}
		ply := trainPly{Value: tr.expected(thought, p.Turn()), Skip: thought.Plies == 1}
		if ply.Code, err = state.Code(thought.Move); err != nil {
			return g, err
		}
		if !ply.Skip && float64(r.N(1_000_000)) < 1_000_000*tr.recipe.RandomMoves {
			moves := state.Moves(nil)
			ply.Code, ply.Random = moves[r.N(len(moves))], true
		}
		g.Plies = append(g.Plies, ply)
		state.Play(ply.Code)
		p = state.Freeze()
	}
	g.Points = 0.5
	if res := p.Result(); res.Over && !res.Draw {
		g.Points = 1 - float32(res.Winner)
	}
	return g, nil
}

// expected returns the share of the points that the first side may expect.
func (tr *trainer) expected(t bot.Thought, turn games.Side) float32 {
	points := float32(1 / (1 + math.Exp(-float64(t.Value)/tr.recipe.Scale)))
	if t.Plies > 0 {
		points = 1
	} else if t.Plies < 0 {
		points = 0
	}
	if turn == games.Second {
		points = 1 - points
	}
	return points
}

// A lesson is a position and what its evaluation should have said.
type lesson struct {
	features []games.Feature
	base     float32 // in units of the scale
	target   float32 // the share of the points of the side to move
}

// lessonGames is how many games are taken together. Positions of one game are like each other, so they are mixed with positions of
// other games.
const lessonGames = 256

// learn makes one pass over the kept games and returns how many positions they had.
func (tr *trainer) learn(ctx context.Context) (positions int, err error) {
	var all []*trainGame
	for i := range tr.state.Rounds {
		for k := range tr.state.Rounds[i] {
			all = append(all, &tr.state.Rounds[i][k])
		}
	}
	r := games.NewRandom(^tr.Seed ^ uint64(tr.state.Round)<<32)
	shuffle(r, len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var lessons []lesson
	var features []games.Feature
	for len(all) > 0 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := min(lessonGames, len(all))
		lessons, features = lessons[:0], features[:0]
		for _, g := range all[:n] {
			lessons, features = tr.study(lessons, features, g)
		}
		all = all[n:]
		shuffle(r, len(lessons), func(i, j int) { lessons[i], lessons[j] = lessons[j], lessons[i] })
		for i := range lessons {
			tr.step(&lessons[i])
		}
		positions += len(lessons)
	}
	return positions, nil
}

func shuffle(r *games.Random, n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, r.N(i+1))
	}
}

// study appends the lessons of a game. Its features lie in the list of features that it extends.
func (tr *trainer) study(lessons []lesson, features []games.Feature, g *trainGame) ([]lesson, []games.Feature) {
	targets := tr.targets(g)
	pos := tr.starts[g.Start].State().(games.Learnable).SearchLearned(make(games.Tables, tr.recipe.Tables))
	for _, c := range g.Opening {
		pos.Play(c)
	}
	for i, ply := range g.Plies {
		if !ply.Skip {
			target := targets[i]
			if pos.Turn() == games.Second {
				target = 1 - target
			}
			first := len(features)
			features = pos.Features(features)
			for i := range features[first:] {
				f := &features[first+i]
				f.Weight = tr.shared[f.Weight]
			}
			lessons = append(lessons, lesson{features[first:], float32(pos.Base()) / float32(tr.recipe.Scale), target})
		}
		pos.Play(ply.Code)
	}
	return lessons, features
}

// targets returns for each ply the expected share of the points of the first side. What comes after a random move says nothing
// about the position before it.
func (tr *trainer) targets(g *trainGame) []float32 {
	targets := make([]float32, len(g.Plies))
	target, lambda := g.Points, float32(tr.recipe.Lambda)
	for i := len(g.Plies) - 1; i >= 0; i-- {
		ply := &g.Plies[i]
		if ply.Random {
			target = ply.Value
		} else {
			target = float32(lambda*target) + float32((1-lambda)*ply.Value)
		}
		targets[i] = target
	}
	return targets
}

// step changes the weights of a lesson a little towards its target. The conversions keep products and sums apart, so that every
// processor rounds alike.
func (tr *trainer) step(l *lesson) {
	w, squares, rate := tr.state.Weights, tr.state.Squares, float32(tr.recipe.Rate)
	v := l.base
	for _, f := range l.features {
		v += float32(float32(f.Times) * w[f.Weight])
	}
	miss := float32(1/(1+math.Exp(-float64(v)))) - l.target
	for _, f := range l.features {
		slope := miss * float32(f.Times)
		squares[f.Weight] += float32(slope * slope)
		w[f.Weight] -= float32(rate * slope / (float32(math.Sqrt(float64(squares[f.Weight]))) + 1e-8))
	}
}

// meet lets the present tables play a match against another evaluation, with the budget of the training, and returns their share of
// the points; nil if there is none to be played.
func (tr *trainer) meet(ctx context.Context, other bot.Evaluation) (*float64, error) {
	if tr.Matches == 0 {
		return nil, nil
	}
	m := &match{
		Meeting: Meeting{
			Game: tr.Game, Options: tr.Options, Games: tr.Matches, Seed: tr.Seed, Openings: matchOpenings, Workers: tr.Workers,
		},
		players: [2]bot.Player{
			bot.Searcher(tr.Game, tr.recipe.Nodes, bot.ByTables(tr.tables())), bot.Searcher(tr.Game, tr.recipe.Nodes, other),
		},
		start: tr.starts[0],
	}
	s, err := m.run(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &s.Score, nil
}

// matchOpenings is how many random plies the games of a match begin with.
const matchOpenings = 4

// stopped says how far an interrupted training has come.
func (tr *trainer) stopped(err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	kept := "which are lost; --resume keeps them"
	if tr.Resume != "" {
		kept = "which are kept: the same command goes on from there"
	}
	return fmt.Errorf("stopped after %d of %d rounds, %s: %w", tr.state.Round, tr.recipe.Rounds, kept, err)
}

// text is what is said about a round to people.
func (r *trainedRound) text() string {
	s := fmt.Sprintf("round %d of %d: %d games of %.0f plies, %.1f %% drawn, %d positions", r.Round, r.Rounds, r.Games, r.Plies,
		100*float64(r.Draws)/float64(r.Games), r.Positions)
	if r.Before != nil {
		s += fmt.Sprintf("; %.1f %% against the tables before, %.1f %% against the evaluation by hand", 100**r.Before, 100**r.ByHand)
	}
	return s + fmt.Sprintf("; %.0f s\n", r.Seconds)
}
