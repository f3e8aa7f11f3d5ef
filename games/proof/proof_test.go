package proof_test

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/gamestest"
	"ludoteca/games/proof"
)

// options are all kinds of options, by game; options that end games soon come up more often.
var options = map[string][]string{
	"momentum": {"", "size=13 marbles=12", "marbles=6", "size=8 marbles=12", "size=10 marbles=9", "size=7 marbles=26", "size=20 marbles=6", "size=26 marbles=6"},
	"petteia": {"", "captures_to_win=1", "captures_to_win=2 repetition=2", "captures_to_win=12 safe_entry=0", "captures_to_win=3 safe_entry=0 quiet_limit=12",
		"repetition=2 quiet_limit=7", "repetition=0 quiet_limit=20", "quiet_limit=1"},
	"fourmation": {"", "cols=3 rows=3 win_length=3", "cols=4 rows=4 win_length=3", "cols=4 rows=4", "cols=5 rows=4", "cols=16 rows=3 win_length=16", "cols=16 rows=16 win_length=3", "cols=20 rows=20 win_length=3", "cols=26 rows=26"},
	"flugelrad": {"", "connect=4", "connect=4 chain=1 fresh_wheel=0", "connect=5 repetition=2", "connect=5 fresh_wheel=0 move_limit=20", "repetition=2 move_limit=9",
		"connect=7 repetition=2 move_limit=30"},
	"tanks": {"", "size=6", "size=26", "size=10"},
}

// ids are the games.
func ids() (all []string) {
	for _, g := range catalog.All() {
		all = append(all, g.About().ID)
	}
	return all
}

// optionsOf returns the options of a game.
func optionsOf(game string) []string {
	if all, ok := options[game]; ok {
		return all
	}
	g, _ := catalog.Find(game)
	return gamestest.Extremes(g)
}

// startOf returns the start of a game with these options.
func startOf(t rapid.TB, game, options string) games.Position {
	g, ok := catalog.Find(game)
	if !ok {
		t.Fatalf("no game %s", game)
	}
	o, err := games.ParseOptions(g, strings.Fields(options))
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nearTheEnd plays a random game and returns the position back plies before its end, or before it was cut off.
func nearTheEnd(t rapid.TB, game, options string, seed uint64, back int) games.Position {
	const longest = 300
	start := startOf(t, game, options)
	s, r := start.State(), games.NewRandom(seed)
	plies := gamestest.PlayRandomly(s, r, longest)
	if back >= plies {
		return start
	}
	s = start.State()
	gamestest.PlayRandomly(s, games.NewRandom(seed), plies-back)
	return s.Freeze()
}

// A value is what brute force finds out about a position within some plies.
type value struct {
	result proof.Result
	plies  int
}

// brute is the plain definition of the verdicts: it plays all moves by the whole rules and remembers nothing.
func brute(s games.State, depth int) value {
	if r := s.Result(); r.Over {
		switch {
		case r.Draw:
			return value{proof.Drawn, 0}
		case r.Winner == s.Turn():
			return value{proof.Won, 0}
		}
		return value{proof.Lost, 0}
	}
	if depth == 0 {
		return value{proof.Unproven, 0}
	}
	best := value{proof.Lost, 0}
	for _, c := range s.Moves(nil) {
		s.Play(c)
		v := brute(s, depth-1)
		s.Undo()
		v.plies++
		switch v.result {
		case proof.Lost:
			if best.result != proof.Won || v.plies < best.plies {
				best = value{proof.Won, v.plies}
			}
		case proof.Won:
			if best.result == proof.Lost && v.plies > best.plies {
				best = v
				best.result = proof.Lost
			}
		case proof.Unproven:
			if best.result != proof.Won {
				best = value{proof.Unproven, 0}
			}
		case proof.Drawn:
			if best.result == proof.Lost {
				best = value{proof.Drawn, 0}
			}
		}
	}
	return best
}

// sees returns how many plies brute force sees in no time.
func sees(p games.Position) int {
	depth, branches := 1, len(p.Legal())+1
	for n := branches * branches; n < 1_000 && depth < 12; n *= branches {
		depth++
	}
	return depth
}

// agrees compares a proof with brute force.
func agrees(t rapid.TB, p games.Position, got proof.Proof) (known bool) {
	t.Helper()
	depth := sees(p)
	want := brute(p.State(), depth)
	switch {
	case got.Result == proof.Unproven:
	case want.result == proof.Unproven && got.Result == proof.Drawn:
	case want.result == proof.Unproven && got.Plies > depth:
	case got.Result != want.result, got.Plies < want.plies:
		t.Errorf("%s: proven %v in %d plies, brute force says %v in %d within %d", p, got.Result, got.Plies, want.result, want.plies, depth)
	}
	playable(t, p, got)
	return want.result != proof.Unproven
}

// playable checks that the line of a proof leads to the end that it speaks of.
func playable(t rapid.TB, p games.Position, got proof.Proof) {
	t.Helper()
	if got.Result == proof.Unproven {
		if got.Plies != 0 || len(got.Line) != 0 {
			t.Errorf("%s: nothing proven, but %+v", p, got)
		}
		return
	}
	end, err := p, error(nil)
	for _, m := range got.Line {
		if end, err = end.Play(m); err != nil {
			t.Fatalf("%s: the line %v: %v", p, got.Line, err)
		}
	}
	r := end.Result()
	switch {
	case !r.Over:
		t.Errorf("%s: the line %v is not played to the end", p, got.Line)
	case got.Result == proof.Drawn:
		if got.Plies != 0 {
			t.Errorf("%s: a draw in %d plies", p, got.Plies)
		}
	case r.Draw || (r.Winner == p.Turn()) != (got.Result == proof.Won) || len(got.Line) != got.Plies:
		t.Errorf("%s: %v in %d plies, but the line %v ends in %+v", p, got.Result, got.Plies, got.Line, r)
	}
}

// TestAgreesWithBruteForce compares proofs with exhaustive search by the whole rules, near the ends of random games with all
// kinds of options, and requires that what brute force sees is proven as well.
func TestAgreesWithBruteForce(t *testing.T) {
	for _, game := range ids() {
		t.Run(game, func(t *testing.T) {
			known, missed, total := map[proof.Result]int{}, 0, 0
			for i := range 50 {
				kinds := optionsOf(game)
				p := nearTheEnd(t, game, kinds[i%len(kinds)], uint64(i), 1+i%5)
				if p.Result().Over {
					continue
				}
				got, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: 20_000})
				if err != nil {
					t.Fatal(err)
				}
				if got.Nodes+got.Checked > 20_000+2*len(p.Legal()) {
					t.Errorf("%s: looked at %d and %d positions", p, got.Nodes, got.Checked)
				}
				total++
				if agrees(t, p, got) {
					known[got.Result]++
					if got.Result == proof.Unproven {
						missed++
					}
				}
			}
			t.Logf("of %d positions brute force knew: %v", total, known)
			if missed > 0 {
				t.Errorf("brute force knows %d positions that stay unproven: %v", missed, known)
			}
			if known[proof.Won] == 0 || known[proof.Lost]+known[proof.Drawn] == 0 {
				t.Errorf("too few positions of a kind: %v", known)
			}
		})
	}
}

// TestProofsHold draws games, options, seeds and limits, and compares with brute force whatever is proven.
func TestProofsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		game := rapid.SampledFrom(ids()).Draw(t, "game")
		kind := rapid.SampledFrom(optionsOf(game)).Draw(t, "options")
		p := nearTheEnd(t, game, kind, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 8).Draw(t, "back"))
		limits := proof.Limits{
			Nodes:  rapid.SampledFrom([]int{1, 30, 300, 3_000}).Draw(t, "nodes"),
			Plies:  rapid.IntRange(0, 12).Draw(t, "plies"),
			Memory: rapid.SampledFrom([]int{1, 1 << 14, 0}).Draw(t, "memory"),
			Of: rapid.SampledFrom([][]proof.Result{nil, {proof.Won}, {proof.Lost}, {proof.Drawn},
				{proof.Won, proof.Lost}}).Draw(t, "of"),
		}
		got, err := proof.Prove(context.Background(), p, limits)
		if err != nil {
			t.Fatal(err)
		}
		if limits.Plies > 0 && !p.Result().Over && got.Plies > limits.Plies {
			t.Errorf("%d plies, at most %d were asked for", got.Plies, limits.Plies)
		}
		agrees(t, p, got)
	})
}

// blurred is a position whose search takes very many positions for the same.
type blurred struct{ games.Position }

type blurredState struct{ games.State }

type blurredSearch struct{ games.Search }

type blurredAttack struct {
	blurredSearch
	games.Attacked
}

func (p blurred) State() games.State { return blurredState{p.Position.State()} }
func (s blurredState) Search() games.Search {
	n := s.State.(games.Searchable).Search()
	if attacked, ok := n.(games.Attacked); ok {
		return blurredAttack{blurredSearch{n}, attacked}
	}
	return blurredSearch{n}
}
func (s blurredState) Clone() games.State     { return blurredState{s.State.Clone()} }
func (s blurredState) Freeze() games.Position { return blurred{s.State.Freeze()} }
func (n blurredSearch) Key() uint64           { return n.Search.Key() % 61 }

func (n blurredAttack) Attack(attacker games.Side, dst []games.Code) ([]games.Code, uint64, games.Outlook) {
	codes, key, outlook := n.Attacked.Attack(attacker, dst)
	return codes, key % 61, outlook
}

// TestBlurredKeys has the solver believe nonsense, since its table mistakes positions for each other: nothing of it may be
// called proven.
func TestBlurredKeys(t *testing.T) {
	proven, refused := 0, 0
	for _, game := range ids() {
		for i := range 50 {
			kinds := optionsOf(game)
			p := nearTheEnd(t, game, kinds[i%len(kinds)], uint64(i), 2+i%6)
			if p.Result().Over {
				continue
			}
			got, err := proof.Prove(t.Context(), blurred{p}, proof.Limits{Nodes: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			agrees(t, p, got)
			if got.Result != proof.Unproven {
				proven++
			} else if got.Checked > 0 {
				refused++
			}
		}
	}
	if proven == 0 || refused == 0 {
		t.Errorf("%d positions proven, %d claims refused: the test shows nothing", proven, refused)
	}
}

// TestSameProof checks that proofs repeat exactly, and that a deadline far away changes nothing.
func TestSameProof(t *testing.T) {
	for _, game := range ids() {
		for seed := range uint64(6) {
			p := nearTheEnd(t, game, "", seed, 5)
			limits := proof.Limits{Nodes: 20_000}
			first, err := proof.Prove(t.Context(), p, limits)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			again, err := proof.Prove(ctx, p, limits)
			cancel()
			if err != nil || !reflect.DeepEqual(first, again) {
				t.Errorf("%s: %+v and %+v, %v", p, first, again, err)
			}
		}
	}
}

// TestProverForgets has one prover make proofs of all kinds, and compares each, down to the number of positions, with the proof of
// a new prover.
func TestProverForgets(t *testing.T) {
	for _, game := range ids() {
		prover := new(proof.Prover)
		for i := range 24 {
			p := nearTheEnd(t, game, "", uint64(i/4), 2+i/4) // four times each: what is left is about the same one
			limits := proof.Limits{Nodes: []int{3_000, 500, 1_000, 8_000}[i%4]}
			if i%2 == 1 {
				limits.Plies, limits.Of = 9, []proof.Result{proof.Won}
			}
			got, err := prover.Prove(t.Context(), p, limits)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := proof.Prove(t.Context(), p, limits); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s with %+v: %+v, of a new prover %+v, %v", p, limits, got, want, err)
			}
		}
	}
}

// TestAfterTheEnd asks about games that are over.
func TestAfterTheEnd(t *testing.T) {
	seen := map[proof.Result]int{}
	for _, game := range ids() {
		for i := range 40 {
			kinds := optionsOf(game)
			p := nearTheEnd(t, game, kinds[i%len(kinds)], uint64(i), 0)
			if !p.Result().Over {
				continue
			}
			got, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: 1})
			want := brute(p.State(), 0)
			if err != nil || !reflect.DeepEqual(got, proof.Proof{Result: want.result}) {
				t.Errorf("%s: %+v, %v, want %v", p, got, err, want.result)
			}
			seen[got.Result]++
		}
	}
	if seen[proof.Lost] == 0 || seen[proof.Drawn] == 0 {
		t.Errorf("too few ends of a kind: %v", seen)
	}
}

// BenchmarkProve measures how many positions a second are looked at where nothing can be proven.
func BenchmarkProve(b *testing.B) {
	for _, game := range ids() {
		b.Run(game, func(b *testing.B) {
			p := nearTheEnd(b, game, "", 3, 200)
			nodes := 0
			for range b.N {
				got, err := proof.Prove(b.Context(), p, proof.Limits{Nodes: 300_000})
				if err != nil {
					b.Fatal(err)
				}
				nodes += got.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

func ExampleClaim() {
	fmt.Println(proof.Claim{Side: games.Second, Aim: proof.ToWin, Plies: 5})
	fmt.Println(proof.Claim{Side: games.First, Aim: proof.ToHold, Plies: 60})
	fmt.Println(proof.Claim{Side: games.First, Aim: proof.ToPrevent, Plies: 4})
	// Output:
	// second wins in at most 5 plies
	// first holds in at most 60 plies
	// first does not lose within 4 plies
}

// far has TestFarWin prove the win that is farthest away, too, and BenchmarkDepth run.
var far = flag.Bool("far", false, "prove what takes longer: seconds in TestFarWin, minutes in BenchmarkDepth")

// TestFarWin proves wins of 4Mation that take more than thirty plies. The first is a position of the second's line. Without the
// outlook of the game on attacks they took 0.6 and 13 million positions.
func TestFarWin(t *testing.T) {
	tests := []struct {
		moves string
		nodes int
		slow  bool
	}{
		{"e3 f3 e4 d4 c3 b3 c2 b1 a2 a1", 300_000, false},
		{"e3 f3", 8_000_000, true},
	}
	for _, tt := range tests {
		t.Run(tt.moves, func(t *testing.T) {
			if tt.slow && !*far {
				t.Skip("only with -far")
			}
			p := startOf(t, "fourmation", "")
			for _, m := range strings.Fields(tt.moves) {
				var err error
				if p, err = p.Play(games.Move(m)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: tt.nodes})
			if err != nil || got.Result != proof.Won || got.Plies <= 19 || got.Plies != len(got.Line) || got.Checked < got.Plies {
				t.Errorf("Prove = %v in %d plies, line %v, %d nodes, %d checked, %v", got.Result, got.Plies, got.Line, got.Nodes, got.Checked, err)
			}
			t.Logf("won in %d plies, %d nodes, %d checked", got.Plies, got.Nodes, got.Checked)
		})
	}
}

// TestFarLimits holds that the nodes are kept to, whatever is tried.
func TestFarLimits(t *testing.T) {
	for _, of := range [][]proof.Result{{proof.Won}, {proof.Lost}, {proof.Won, proof.Lost}, {proof.Drawn}, nil} {
		for _, nodes := range []int{1, 100, 10_000} {
			for _, plies := range []int{0, 1, 20, 30} {
				got, err := proof.Prove(t.Context(), startOf(t, "fourmation", ""), proof.Limits{Nodes: nodes, Plies: plies, Of: of})
				if err != nil || got.Nodes > nodes+100 {
					t.Errorf("%d nodes, %d plies, of %v: %d nodes, %v", nodes, plies, of, got.Nodes, err)
				}
			}
		}
	}
}

// TestDeepWins proves wins of the games on file for which a proof that deepened by plies took more than three times as many positions.
func TestDeepWins(t *testing.T) {
	tests := []struct {
		game   string
		number int // of the game on file
		back   int // plies before its end
		nodes  int
		result proof.Result
	}{
		{"flugelrad", 0, 9, 150_000, proof.Won},   // then 512,371
		{"flugelrad", 3, 9, 150_000, proof.Won},   // 602,818
		{"momentum", 2, 13, 1_200_000, proof.Won}, // more than 3,500,000
	}
	for _, tt := range tests {
		positions := gamesOnFile(t, tt.game)[tt.number]
		p := positions[len(positions)-1-tt.back]
		got, err := proof.Prove(t.Context(), p, proof.Limits{Nodes: tt.nodes})
		if err != nil || got.Result != tt.result {
			t.Errorf("%s, %d plies before the end of game %d: %+v, %v", tt.game, tt.back, tt.number, got, err)
		}
		playable(t, p, got)
		t.Logf("%s: %v in %d plies, %d nodes", tt.game, got.Result, got.Plies, got.Nodes)
	}
}
