package gamestest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
)

// PlayRandomly plays up to plies random moves, all equally likely, and returns how many it played: fewer if the game ends
// before.
func PlayRandomly(s games.State, r *games.Random, plies int) int {
	var moves []games.Code
	for n := range plies {
		if moves = s.Moves(moves[:0]); len(moves) == 0 {
			return n
		}
		s.Play(moves[r.N(len(moves))])
	}
	return plies
}

// Wander returns the state of a running game with these options after up to most random moves. prefer may replace the move that
// was drawn, to bring about rare positions; if prefer is nil, each drawn move is played.
func Wander(t *rapid.T, g games.Game, options []string, most int, prefer func(s games.State, drawn games.Code) games.Code) games.State {
	o, err := games.ParseOptions(g, options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := p.State()
	for range rapid.IntRange(0, most).Draw(t, "moves") {
		moves := s.Moves(nil)
		c := moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")]
		if prefer != nil {
			c = prefer(s, c)
		}
		s.Play(c)
		if s.Result().Over {
			s.Undo()
			break
		}
	}
	return s
}

// AllocatesNothing checks that a State plays and takes back without allocating once its buffers have grown.
func AllocatesNothing(t *testing.T, p games.Position) {
	t.Helper()
	const most = 10_000
	s := p.State()
	moves := make([]games.Code, 0, 1024)
	run := func() {
		r, plies := *games.NewRandom(5), 0
		for ; plies < most; plies++ {
			if moves = s.Moves(moves[:0]); len(moves) == 0 {
				break
			}
			s.Play(moves[r.N(len(moves))])
		}
		for range plies {
			s.Undo()
		}
		if plies == 0 {
			t.Errorf("%s: nothing was played", p)
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%s: a game played and taken back allocates %v times", p, n)
	}
}

// A Mean is how many plies random games last on average, as the rule sheet has it from another engine.
type Mean = struct {
	Options games.Options
	Plies   float64
}

// MeanLengths compares the lengths of 2,000 random games for each of the options. within is how far a mean may be off, as
// a share of it.
func MeanLengths(t *testing.T, g games.Game, within float64, means []Mean) {
	t.Helper()
	const played = 2000
	r := games.NewRandom(1)
	for _, m := range means {
		p, err := g.New(m.Options)
		if err != nil {
			t.Fatal(err)
		}
		plies := 0
		for range played {
			plies += PlayRandomly(p.State(), r, math.MaxInt)
		}
		if mean := float64(plies) / played; math.Abs(mean-m.Plies) > within*m.Plies {
			t.Errorf("%v: %.1f plies on average, want about %.1f", m.Options, mean, m.Plies)
		}
	}
}

// GreedyWins lets the greedy player play the random one, and returns how many games it wins as each side. It plays played games
// as each.
func GreedyWins(t *testing.T, g games.Game, played int) (wins [2]int) {
	t.Helper()
	for side := range wins {
		for seed := range uint64(played) {
			if r := duel(t, g, games.Side(side), games.NewRandom(seed)); !r.Draw && int(r.Winner) == side {
				wins[side]++
			}
		}
	}
	t.Logf("greedy wins %d and %d of %d games", wins[0], wins[1], played)
	return wins
}

// duel plays greedy as side against random.
func duel(t *testing.T, g games.Game, side games.Side, r *games.Random) games.Result {
	t.Helper()
	p, err := begin(g)
	if err != nil {
		t.Fatal(err)
	}
	for !p.Result().Over {
		var moves []games.Move
		if u, few := p.(games.Uniform); p.Turn() == side {
			moves = p.(games.Greedy).Greedy()
		} else if few {
			moves = u.Uniform()
		} else {
			moves = p.Legal()
		}
		if p, err = p.Play(moves[r.N(len(moves))]); err != nil {
			t.Fatal(err)
		}
	}
	return p.Result()
}

// RandomTables returns random weights from -200 to 200 points and the tables that they make. Weights that share their value by
// l.Shared are equal. The same seed gives the same weights.
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
