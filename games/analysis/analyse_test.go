package analysis

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
)

// game plays a game of at most most plies between two levels. The first random plies are chosen at random.
func game(t testing.TB, g games.Game, options []string, levels [2]string, random, most int, seed uint64) (games.Options, []games.Move) {
	t.Helper()
	o, err := games.ParseOptions(g, options)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var moves []games.Move
	r := games.NewRandom(seed)
	for len(moves) < most && !p.Result().Over {
		name := levels[len(moves)%2]
		if len(moves) < random {
			name = "random"
		}
		l, err := bot.Find(g, name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := l.Player.Move(t.Context(), p, r)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	return o, moves
}

// startOf returns the start position of a game.
func startOf(t testing.TB, g games.Game, o games.Options) games.Position {
	t.Helper()
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func analyse(t testing.TB, g games.Game, o games.Options, moves []games.Move, nodes int) *Analysis {
	t.Helper()
	a, err := Analyse(t.Context(), g, startOf(t, g, o), moves, nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// each runs a test for a game of each kind between a weak and a strong player.
func each(t *testing.T, nodes int, test func(t *testing.T, g games.Game, o games.Options, moves []games.Move, a *Analysis)) {
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			for seed := range uint64(2) {
				o, moves := game(t, g, nil, [2]string{"pupil:100", "expert:300"}, 4, 40, seed)
				test(t, g, o, moves, analyse(t, g, o, moves, nodes))
			}
		})
	}
}

// TestTruths checks what must hold for any analysis.
func TestTruths(t *testing.T) {
	const nodes = 300
	each(t, nodes, func(t *testing.T, g games.Game, o games.Options, moves []games.Move, a *Analysis) {
		checkTruths(t, g, o, moves, a, nodes)
	})
}

// TestTruthsOnLargeBoards analyses games on boards with more cells than an engine's fastest state has room for, and writes and reads
// what it finds.
func TestTruthsOnLargeBoards(t *testing.T) {
	const nodes = 100
	for _, tt := range []struct{ game, options string }{
		{"momentum", "size=20"}, {"momentum", "size=26 marbles=26"}, {"fourmation", "cols=20 rows=20"}, {"fourmation", "cols=26 rows=26"},
	} {
		t.Run(tt.game+" "+tt.options, func(t *testing.T) {
			g, _ := catalog.Find(tt.game)
			o, moves := game(t, g, strings.Fields(tt.options), [2]string{"pupil:50", "expert:100"}, 2, 24, 1)
			a := analyse(t, g, o, moves, nodes)
			checkTruths(t, g, o, moves, a, nodes)
			b, err := a.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if back, err := Decode(b); err != nil || !reflect.DeepEqual(back, a) {
				t.Errorf("read back: %+v, %v; want %+v", back, err, a)
			}
		})
	}
}

// checkTruths checks an analysis of a game that was made with a budget of nodes for each position.
func checkTruths(t *testing.T, g games.Game, o games.Options, moves []games.Move, a *Analysis, nodes int) {
	t.Helper()
	if a.Version != Version || a.Nodes != nodes || len(a.Points) != len(moves)+1 {
		t.Fatalf("version %d, %d nodes, %d points after %d moves", a.Version, a.Nodes, len(a.Points), len(moves))
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Points {
		point := &a.Points[i]
		checkPoint(t, p, point)
		if i == len(moves) {
			break
		}
		next := &a.Points[i+1]
		if next.won(p.Turn()) && (!point.won(p.Turn()) || point.Plies > next.Plies+1) {
			t.Errorf("%s: %s wins in %d plies after %s, but before it stands %+v", p, p.Turn(), next.Plies, moves[i], point)
		}
		if point.won(p.Turn()) && moves[i] == point.Best && !(next.won(p.Turn()) && next.Plies < point.Plies) {
			t.Errorf("%s: %s wins in %d plies by %s, but then stands %+v", p, p.Turn(), point.Plies, moves[i], next)
		}
		if point.Mark != Fine && (moves[i] == point.Best || len(p.Legal()) == 1) {
			t.Errorf("%s: %s is the best or only move and marked %d", p, moves[i], point.Mark)
		}
		if got, want := point.Mark, markOf(point, next, moves[i], p.Turn()); got != want {
			t.Errorf("%s: %s is marked %d, want %d", p, moves[i], got, want)
		}
		if p, err = p.Play(moves[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// checkPoint checks a point by itself, and against the rules.
func checkPoint(t *testing.T, p games.Position, point *Point) {
	t.Helper()
	if err := point.check(); err != nil {
		t.Errorf("%s: %v", p, err)
	}
	if r := p.Result(); r.Over {
		if want := endPoint(r); !reflect.DeepEqual(*point, want) {
			t.Errorf("%s is over: %+v, want %+v", p, point, want)
		}
		return
	}
	if point.Proven == Unproven && (point.Chance == 0 || point.Chance == 1) {
		t.Errorf("%s: a chance of %v without a proof", p, point.Chance)
	}
	if want := map[Judgement]float64{ProvenFirst: 1, ProvenDraw: 0.5}[point.Proven]; point.Proven != Unproven && point.Chance != want {
		t.Errorf("%s: proven %d and a chance of %v", p, point.Proven, point.Chance)
	}
	if len(point.Line) == 0 {
		t.Errorf("%s: no line", p)
	}
	for _, m := range point.Line {
		var err error
		if p, err = p.Play(m); err != nil {
			t.Fatalf("%s: the line %v: %v", p, point.Line, err)
		}
	}
}

// TestProofsHold looks at every proven win that is short by trying everything.
func TestProofsHold(t *testing.T) {
	proven := 0
	each(t, 1_000, func(t *testing.T, g games.Game, o games.Options, moves []games.Move, a *Analysis) {
		p, err := g.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Points {
			if point := &a.Points[i]; point.decided() && point.Plies > 0 && point.Plies <= 3 {
				proven++
				winner := games.First
				if point.Proven == ProvenSecond {
					winner = games.Second
				}
				if !wins(t, p, winner, point.Plies) {
					t.Errorf("%s: %s does not win in %d", p, winner, point.Plies)
				}
			}
			if i < len(moves) {
				if p, err = p.Play(moves[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if proven < 5 {
		t.Errorf("only %d short wins were proven", proven)
	}
}

// wins reports whether side can force a win within the given number of plies, by trying every move.
func wins(t *testing.T, p games.Position, side games.Side, plies int) bool {
	t.Helper()
	if r := p.Result(); r.Over || plies == 0 {
		return r.Over && !r.Draw && r.Winner == side
	}
	for _, m := range p.Legal() {
		q, err := p.Play(m)
		if err != nil {
			t.Fatal(err)
		}
		if wins(t, q, side, plies-1) == (p.Turn() == side) {
			return p.Turn() == side
		}
	}
	return p.Turn() != side
}

func TestSameAnalysis(t *testing.T) {
	o, moves := game(t, petteia.New(), nil, [2]string{"greedy", "pupil"}, 6, 20, 3)
	var reported []int
	first := analyse(t, petteia.New(), o, moves, 300)
	again, err := Analyse(t.Context(), petteia.New(), startOf(t, petteia.New(), o), moves, 300, func(done, total int) {
		if total != 21 {
			t.Errorf("progress of %d positions", total)
		}
		reported = append(reported, done)
	})
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("the same game gave %+v and %+v, %v", first, again, err)
	}
	for i, n := range reported {
		if i > 0 && n != reported[i-1] && n != reported[i-1]+1 {
			t.Errorf("progress went %v", reported)
		}
	}
	if reported[0] != 0 || reported[len(reported)-1] != 21 {
		t.Errorf("progress went %v", reported)
	}
}

// leastPatience is how often a step that has not been interrupted yet may have to give way before it is, at most.
const leastPatience = 200

// An analysis that is interrupted at any moment goes on as if nothing had been.
func TestInterrupted(t *testing.T) {
	g := fourmation.New()
	o, moves := game(t, g, nil, [2]string{"pupil", "greedy"}, 4, 40, 5)
	want := analyse(t, g, o, moves, 3_000)
	w, err := Begin(t.Context(), g, startOf(t, g, o), moves, 3_000)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Step(over); !errors.Is(err, context.Canceled) {
		t.Fatalf("Step of a context that is over: %v", err)
	}
	r, interrupted, patience := games.NewRandom(1), 1, leastPatience
	for done, total := w.Progress(); done < total; done, total = w.Progress() {
		ctx, cancel := context.WithCancel(t.Context())
		begun, ended, turns := make(chan bool), make(chan bool), r.N(patience)
		go func() {
			defer close(ended)
			<-begun
			for range turns { // no clock: anywhere from before the first node to after the last
				runtime.Gosched()
			}
			cancel()
		}()
		close(begun)
		switch err := w.Step(ctx); {
		case errors.Is(err, context.Canceled):
			interrupted++
			patience *= 2 // however slow the machine, the step gets its time in a few tries
		case err != nil:
			t.Fatal(err)
		default:
			patience = leastPatience
		}
		cancel()
		<-ended
	}
	if got := w.Analysis(); !reflect.DeepEqual(got, want) {
		t.Errorf("after %d interruptions:\n%+v\nwant\n%+v", interrupted, got, want)
	}
	t.Logf("%d interruptions", interrupted)
}

// TestBlunder analyses a game in which the second side, in no need, lets the first one complete its line.
func TestBlunder(t *testing.T) {
	g := fourmation.New()
	o, err := games.Complete(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	moves := []games.Move{"a1", "b2", "b1", "c2", "c1", "d2", "d1"}
	a := analyse(t, g, o, moves, 2_000)
	for i := range a.Points {
		p, want := &a.Points[i], Fine
		if i == 5 {
			want = Blunder
		}
		if p.Mark != want {
			t.Errorf("move %d is marked %q, want %q", i+1, p.Mark, want)
		}
	}
	if p := &a.Points[5]; p.Best == "d2" || p.won(games.First) {
		t.Errorf("before the blunder: %+v", p)
	}
	if p := &a.Points[6]; p.Best != "d1" || !p.won(games.First) || p.Plies != 1 {
		t.Errorf("after the blunder: %+v", p)
	}
	if p := &a.Points[7]; p.Best != "" || !p.won(games.First) || p.Plies != 0 {
		t.Errorf("at the end: %+v", p)
	}
}

// TestWinInTime analyses a game of three in a line, which the first side wins by force from the start: whatever the second
// does, the win may only come nearer.
func TestWinInTime(t *testing.T) {
	g := fourmation.New()
	o, err := games.ParseOptions(g, []string{"win_length=3"})
	if err != nil {
		t.Fatal(err)
	}
	moves := []games.Move{"d4", "d5", "c4", "b4", "b3"}
	a := analyse(t, g, o, moves, 20_000)
	for i, p := range a.Points {
		if !p.won(games.First) {
			t.Errorf("after %d moves: %+v, want a proven win of the first side", i, p)
		}
		if i%2 == 1 && i < len(moves) && a.Points[i+1].Plies >= p.Plies {
			t.Errorf("the second side's %s makes a win in %d one in %d", moves[i], p.Plies, a.Points[i+1].Plies)
		}
	}
}

func TestRefusals(t *testing.T) {
	g := fourmation.New()
	o, _ := games.Complete(g, nil)
	ended, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		moves []games.Move
		nodes int
		want  error
	}{
		{"an illegal move", t.Context(), []games.Move{"d4", "a1"}, 10, games.ErrIllegal},
		{"no move at all", t.Context(), []games.Move{"\x1b[2J"}, 10, games.ErrIllegal},
		{"nodes below nothing", t.Context(), nil, -1, ErrNodes},
		{"too many nodes", t.Context(), nil, 1 << 40, ErrNodes},
		{"too long", t.Context(), make([]games.Move, MaxPlies+1), 10, ErrLong},
		{"cancelled before it begins", ended, []games.Move{"d4"}, 10, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Analyse(tt.ctx, g, startOf(t, g, o), tt.moves, tt.nodes, nil)
			if a != nil || !errors.Is(err, tt.want) {
				t.Errorf("%v, %v, want %v", a, err, tt.want)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("%q is not one clean line", err)
			}
		})
	}
}

// TestElsewhere: an analysis is the same with searches done elsewhere, and each search says by which moves its position came about.
func TestElsewhere(t *testing.T) {
	g := petteia.New()
	o, moves := game(t, g, nil, [2]string{"greedy", "pupil"}, 6, 20, 3)
	want := analyse(t, g, o, moves, 300)
	start := startOf(t, g, o)
	w, err := Begin(t.Context(), g, start, moves, 300)
	if err != nil {
		t.Fatal(err)
	}
	asked, done := 0, 0
	w.Elsewhere(func(ctx context.Context, s Search) (bot.Thought, bool) {
		if asked++; asked%3 == 0 {
			return bot.Thought{}, false
		}
		p, err := games.ReplayFrom(start, s.Moves)
		if err != nil || p.String() != s.Position.String() {
			t.Fatalf("the moves %v lead to %v, %v", s.Moves, p, err)
		}
		player, err := bot.Strongest(g, s.Nodes)
		if err != nil {
			t.Fatal(err)
		}
		found, err := player.Think(ctx, p, games.NewRandom(s.Seed))
		if err != nil {
			t.Fatal(err)
		}
		done++
		return found, true
	})
	for range 1000 {
		if finished, total := w.Progress(); finished == total {
			break
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.Analysis(); !reflect.DeepEqual(got, want) || done < 10 {
		t.Errorf("%d of %d searches elsewhere gave %+v, want %+v", done, asked, got, want)
	}
}
