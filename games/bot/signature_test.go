package bot

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

var update = flag.Bool("update", false, "write the search signature anew")

// signaturePositions is how many positions of each game the signature holds.
const signaturePositions = 80

// signatureLevels are the levels that look at them, in turn: every part of the search has its say, advice and proofs
// included.
var signatureLevels = [...]string{
	"club:10000", "expert:20000", "pupil:300", "champion:15000", "club:30000", "master:8000", "expert:4000", "champion:40000",
}

// signatureDepths are the plies, by game, after which a search that counts its nodes ends.
var signatureDepths = map[string]int{"momentum": 4, "petteia": 4, "fourmation": 11, "flugelrad": 4, "tanks": 5}

// signatureOptions are options by game, taken in turn: mostly the defaults, and some that change the rules that count.
var signatureOptions = map[string][]string{
	"momentum":   {"", "", "", "size=7 marbles=12", "size=10 marbles=9"},
	"petteia":    {"", "", "", "safe_entry=0 captures_to_win=12", "repetition=2 quiet_limit=40"},
	"fourmation": {"", "", "", "cols=16 rows=5", "cols=7 rows=9"},
	"flugelrad":  {"", "", "", "connect=7 fresh_wheel=0", "repetition=2 move_limit=60"},
	"tanks":      {"", "", "", "size=6", "size=14"},
}

// TestSearchSignature compares what the search finds in a few hundred positions, and in how many nodes, with what is
// on file. A change that should only make the search faster or plainer leaves the signature as it is. After a change that is
// meant to find other moves, write it anew with -update and measure the levels again.
func TestSearchSignature(t *testing.T) {
	skipIfShort(t)
	for _, g := range catalog.All() {
		if len(signatureOptions[g.About().ID]) == 0 {
			continue // it has no signature yet
		}
		t.Run(g.About().ID, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", "signature", g.About().ID+".txt")
			got := signatureOf(t, g)
			if *update {
				if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			if len(want) != signaturePositions {
				t.Errorf("%s has %d lines, want %d", file, len(want), signaturePositions)
			}
			wrong := 0
			for i := range got {
				if i >= len(want) || got[i] == want[i] {
					continue
				}
				if wrong++; wrong <= 3 {
					t.Errorf("line %d:\n got %s\nwant %s", i+1, got[i], want[i])
				}
			}
			if wrong > 3 {
				t.Errorf("%d of %d lines differ", wrong, len(got))
			}
		})
	}
}

// signatureOf returns one line for each position; with the race detector, which makes searches ten times slower, only
// the first ones.
func signatureOf(t *testing.T, g games.Game) []string {
	t.Helper()
	count := signaturePositions
	if raced {
		count = len(signatureLevels)
	}
	lines := make([]string, count)
	options := signatureOptions[g.About().ID]
	for i := range lines {
		level := signatureLevels[i%len(signatureLevels)]
		option, plies := options[i%len(options)], 2+i*3/4
		p := wander(t, g, option, plies, uint64(i))
		lines[i] = fmt.Sprintf("%d %q %s: %s", i, option, level, signature(t, g, p, level, uint64(i)))
	}
	return lines
}

// wander plays moves from the start, each of them a random one or one that looks good. It stops before the game is over and,
// but for one seed in eight, before a side can win at once.
func wander(t testing.TB, g games.Game, options string, plies int, seed uint64) games.Position {
	t.Helper()
	o, err := games.ParseOptions(g, strings.Fields(options))
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := games.NewRandom(1000 + seed)
	for range plies {
		moves := p.Legal()
		if greedy, ok := p.(games.Greedy); ok && r.N(2) == 0 {
			moves = greedy.Greedy()
			slices.Sort(moves)
		}
		next, err := p.Play(moves[r.N(len(moves))])
		if err != nil {
			t.Fatal(err)
		}
		if next.Result().Over || seed%8 != 0 && winsAtOnce(next) {
			break
		}
		p = next
	}
	return p
}

// signature returns what a level finds in a position.
func signature(t *testing.T, g games.Game, p games.Position, level string, seed uint64) string {
	t.Helper()
	l, err := Find(g, level)
	if err != nil {
		t.Fatal(err)
	}
	found, err := l.Player.(Thinker).Think(t.Context(), p, games.NewRandom(seed))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("value %d end %d drawn %t proven %t depth %d nodes %d line %v; %s",
		found.Value, found.Plies, found.Drawn, found.Proven, found.Depth, found.Nodes, found.Line, nodesToDepth(t, g, p, seed))
}

// nodesToDepth returns what a search to a fixed depth finds. Its number of nodes tells more than a level's, because a level
// stops when its budget is spent.
func nodesToDepth(t *testing.T, g games.Game, p games.Position, seed uint64) string {
	t.Helper()
	pos := searchOf(t, p)
	profile := games.ProfileOf(g)
	a := new(workspace).newSearch(t.Context(), pos, 100_000)
	a.contempt, a.repeats, a.noisyPlies = profile.Contempt, profile.Repeats, profile.NoisyPlies
	v := a.run(0, signatureDepths[g.About().ID], games.NewRandom(seed))
	return fmt.Sprintf("to depth %d: %s %d in %d", v.depth, p.State().Move(v.code), v.value, v.nodes)
}
