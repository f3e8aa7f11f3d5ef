package analysis

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/fourmation"
	"ludoteca/games/petteia"
)

// An oracle is a Thinker that gives the answers of a test, by position, and records the positions that it was asked about. It calls all
// other positions level.
type oracle struct {
	bot.Player
	t     *testing.T
	start games.Position
	says  map[string]bot.Thought
	asked []string
}

// times returns how often it was asked about the position after these moves.
func (o *oracle) times(moves ...string) (n int) {
	for _, m := range moves {
		at := o.after(m).String()
		for _, asked := range o.asked {
			if asked == at {
				n++
			}
		}
	}
	return n
}

func (o *oracle) after(moves string) games.Position {
	p := o.start
	for m := range strings.FieldsSeq(moves) {
		var err error
		if p, err = p.Play(games.Move(m)); err != nil {
			o.t.Fatal(err)
		}
	}
	return p
}

// newOracle makes an oracle. The keys are the moves that lead to a position.
func newOracle(t *testing.T, start games.Position, says map[string]bot.Thought) *oracle {
	o := &oracle{t: t, start: start, says: map[string]bot.Thought{}}
	for moves, thought := range says {
		o.says[o.after(moves).String()] = thought
	}
	return o
}

func (o *oracle) ThinkWithin(ctx context.Context, _ bot.Clock, p games.Position, r *games.Random) (bot.Thought, error) {
	return o.Think(ctx, p, r)
}

func (o *oracle) Think(_ context.Context, p games.Position, _ *games.Random) (bot.Thought, error) {
	o.asked = append(o.asked, p.String())
	said, ok := o.says[p.String()]
	if !ok {
		said.Move = p.Legal()[0]
	}
	if len(said.Line) == 0 {
		said.Line = []games.Move{said.Move}
	}
	return said, nil
}

// divine analyses a game of 4Mation with oracles in place of searches.
func divine(t *testing.T, options, moves string, says, again map[string]bot.Thought) (a *Analysis, first, second *oracle) {
	t.Helper()
	g := fourmation.New()
	o, err := games.ParseOptions(g, strings.Fields(options))
	if err != nil {
		t.Fatal(err)
	}
	var played []games.Move
	for m := range strings.FieldsSeq(moves) {
		played = append(played, games.Move(m))
	}
	w, err := Begin(t.Context(), g, startOf(t, g, o), played, 1_000)
	if err != nil {
		t.Fatal(err)
	}
	first, second = newOracle(t, w.history.position(0), says), newOracle(t, w.history.position(0), again)
	w.thinker, w.deepThinker, w.scale = first, second, 100
	for done, total := w.Progress(); done < total; done, total = w.Progress() {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w.Analysis(), first, second
}

func thought(m games.Move, value int) bot.Thought { return bot.Thought{Move: m, Value: value} }

// The values below are for the side to move, as searches return them. The values of points are for the first side.
func TestCompare(t *testing.T) {
	const d4, c4, e4 = "d4", "d4 c4", "d4 e4" // positions by the moves that lead there; d4 c4 is played
	for _, tt := range []struct {
		name        string
		says, again map[string]bot.Thought
		want        Point  // after d4
		mark        Mark   // of c4
		asked       [2]int // how often each oracle was, about these three
	}{
		{"the played move is the best and holds", map[string]bot.Thought{d4: thought("c4", 10), c4: thought("b4", -10)}, nil,
			Point{Value: -10, Chance: 0.475, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{2, 0}},
		{"another one is better, but not by much", map[string]bot.Thought{d4: thought("e4", 20), c4: thought("b4", 0)}, nil,
			Point{Value: -20, Chance: 0.45, Best: "e4", Line: []games.Move{"e4"}}, Fine, [2]int{2, 0}},
		{"another one is better, and is when it is tried", map[string]bot.Thought{d4: thought("e4", 100), c4: thought("b4", 0), e4: thought("f4", -150)}, nil,
			Point{Value: -150, Chance: 0.182, Best: "e4", Line: []games.Move{"e4", "f4"}}, Blunder, [2]int{3, 0}},
		{"another one seems better, but is not when it is tried", map[string]bot.Thought{d4: thought("e4", 100), c4: thought("b4", 0), e4: thought("f4", 5)}, nil,
			Point{Value: 0, Chance: 0.5, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{3, 0}},
		{"the best move turns out badly, and a second look finds a better one",
			map[string]bot.Thought{d4: thought("c4", 0), c4: thought("b4", 100), e4: thought("f4", 10)},
			map[string]bot.Thought{d4: thought("e4", -5)},
			Point{Value: 10, Chance: 0.525, Best: "e4", Line: []games.Move{"e4", "f4"}}, Mistake, [2]int{3, 1}},
		{"the best move turns out badly, but there is none better",
			map[string]bot.Thought{d4: thought("c4", 0), c4: thought("b4", 100)}, map[string]bot.Thought{d4: thought("c4", -20)},
			Point{Value: 100, Chance: 0.731, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{2, 1}},
		{"the played move is better than the search thought", map[string]bot.Thought{d4: thought("e4", 0), c4: thought("b4", -90)}, nil,
			Point{Value: -90, Chance: 0.289, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{2, 0}},
		{"the next position is lost", map[string]bot.Thought{d4: thought("e4", 0), c4: {Move: "b4", Value: 31_000, Plies: 7, Proven: true}}, nil,
			Point{Value: 0, Chance: 0.5, Best: "e4", Line: []games.Move{"e4", "d3"}}, Blunder, [2]int{3, 0}},
		{"the played move wins", map[string]bot.Thought{d4: thought("e4", 30), c4: {Move: "b4", Value: -31_000, Plies: -6, Proven: true}}, nil,
			Point{Value: -20_000, Proven: ProvenSecond, Plies: 7, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{2, 0}},
		{"another move wins faster", map[string]bot.Thought{
			d4: {Move: "e4", Value: 31_000, Plies: 3, Proven: true}, c4: {Move: "b4", Value: -31_000, Plies: -6, Proven: true}}, nil,
			Point{Value: -20_000, Proven: ProvenSecond, Plies: 3, Best: "e4", Line: []games.Move{"e4"}}, Fine, [2]int{2, 0}},
		{"the played move wins faster", map[string]bot.Thought{
			d4: {Move: "e4", Value: 31_000, Plies: 9, Proven: true}, c4: {Move: "b4", Value: -31_000, Plies: -6, Proven: true}}, nil,
			Point{Value: -20_000, Proven: ProvenSecond, Plies: 7, Best: "c4", Line: []games.Move{"c4", "b4"}}, Fine, [2]int{2, 0}},
		{"the win is thrown away", map[string]bot.Thought{d4: {Move: "e4", Value: 31_000, Plies: 3, Proven: true}, c4: thought("b4", 0)}, nil,
			Point{Value: -20_000, Proven: ProvenSecond, Plies: 3, Best: "e4", Line: []games.Move{"e4"}}, Blunder, [2]int{2, 0}},
		{"a loss is a loss, whatever a search makes of the next position", map[string]bot.Thought{
			d4: {Move: "e4", Value: -31_000, Plies: -4, Proven: true}, c4: thought("b4", -300)}, nil,
			Point{Value: 20_000, Chance: 1, Proven: ProvenFirst, Plies: 4, Best: "e4", Line: []games.Move{"e4"}}, Fine, [2]int{2, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, first, second := divine(t, "", c4, tt.says, tt.again)
			got := a.Points[1]
			mark := got.Mark
			got.Why = games.Claim{} // TestReasons
			if got.Mark = Fine; !reflect.DeepEqual(got, tt.want) || mark != tt.mark {
				t.Errorf("%+v, marked %q\nwant %+v, marked %q", got, mark, tt.want, tt.mark)
			}
			if asked := [2]int{first.times(d4, c4, e4), second.times(d4, c4, e4)}; asked != tt.asked {
				t.Errorf("the searches were asked %v times, want %v", asked, tt.asked)
			}
		})
	}
}

// TestReasons: what is proven of the end of the game comes before what the engine says, and only a mistake has a reason.
func TestReasons(t *testing.T) {
	const d4, c4 = "d4", "d4 c4"
	win := func(m games.Move, plies int) bot.Thought {
		return bot.Thought{Move: m, Value: 31_000, Plies: plies, Proven: true}
	}
	for _, tt := range []struct {
		name string
		says map[string]bot.Thought
		want games.Claim
	}{
		{"a win is missed", map[string]bot.Thought{d4: win("e4", 3), c4: thought("b4", 0)}, games.Claim{Kind: games.WouldWin, Move: "e4", Count: 2}},
		{"the other side wins", map[string]bot.Thought{d4: thought("e4", 0), c4: win("b4", 5)}, games.Claim{Kind: games.LetsWin, Move: "b4", Count: 3}},
		{"a win is missed, and the other side wins", map[string]bot.Thought{d4: win("e4", 1), c4: win("b4", 5)}, games.Claim{Kind: games.WouldWin, Move: "e4", Count: 1}},
		{"the loser may make the last move", map[string]bot.Thought{d4: win("e4", 2), c4: thought("b4", 0)}, games.Claim{}},
		{"nothing is known", map[string]bot.Thought{d4: thought("e4", 100), c4: thought("b4", 0), "d4 e4": thought("f4", -150)}, games.Claim{}},
		{"no mistake", map[string]bot.Thought{d4: thought("c4", 10), c4: thought("b4", -10)}, games.Claim{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, _, _ := divine(t, "", c4, tt.says, nil)
			if got := a.Points[1].Why; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("the reason is %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestPropagate: a proven position makes the next one proven, after the first move of the proof and after any move of the loser.
func TestPropagate(t *testing.T) {
	a, _, _ := divine(t, "win_length=3", "d4 d5 c4 b4 a3", map[string]bot.Thought{
		"d4":             {Move: "c5", Value: 5},
		"d4 d5":          {Move: "c4", Value: 31_000, Plies: 5, Proven: true, Line: []games.Move{"c4", "b4", "b3"}},
		"d4 d5 c4":       {Move: "c5", Value: 60},
		"d4 d5 c4 b4":    {Move: "a3", Value: -60},
		"d4 d5 c4 b4 a3": {Move: "a2", Value: 0},
	}, nil)
	if p := a.Points[2]; !p.won(games.First) || p.Plies != 5 {
		t.Errorf("the proof itself is %+v", p)
	}
	if p := a.Points[3]; !p.won(games.First) || p.Plies != 4 || p.Best != "b4" || p.Value != games.MaxEvaluation {
		t.Errorf("after its first move: %+v", p)
	}
	if p := a.Points[4]; !p.won(games.First) || p.Plies > 3 || p.Best == "a3" {
		t.Errorf("after the loser's move: %+v", p)
	}
	if p := a.Points[4]; p.Mark != Blunder {
		t.Errorf("the winner's move that lets go is marked %q", p.Mark)
	}
	if p := a.Points[3]; p.Mark != Fine {
		t.Errorf("the loser's move is marked %q", p.Mark)
	}
}

// TestHistory compares the positions of a history with the positions of a plain replay.
func TestHistory(t *testing.T) {
	g := petteia.New()
	o, moves := game(t, g, []string{"quiet_limit=1000", "captures_to_win=12"}, [2]string{"random", "random"}, 200, 200, 3)
	if len(moves) < 150 {
		t.Fatalf("a game of %d moves", len(moves))
	}
	history, err := newHistory(t.Context(), startOf(t, g, o), moves)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	all := []games.Position{p}
	for _, m := range moves {
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for i := range all {
		j := (i * 89) % len(all) // to and fro
		if got := history.position(j); got.String() != all[j].String() || history.mover(j) != all[j].Turn() {
			t.Errorf("after %d moves: %s, want %s", j, got, all[j])
		}
	}
}
