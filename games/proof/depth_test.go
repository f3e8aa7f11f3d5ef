package proof_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
	"ludoteca/games/proof"
)

// makeGames has TestMakeGames write the games anew.
var makeGames = flag.Bool("make-games", false, "write testdata/games anew; takes some minutes")

// decidedGames are how many games of each kind are on file.
const decidedGames = 12

// playerNodes are how many positions the players of the games looked at for a move. In Flügelrad stronger ones draw.
var playerNodes = map[string]int{"momentum": 20_000, "petteia": 20_000, "fourmation": 20_000, "flugelrad": 4_000, "tanks": 20_000}

func gamesFile(game string) string { return filepath.Join("testdata", "games", game+".txt") }

// TestMakeGames has champions play each other after two random plies, and keeps the games that one of them wins.
func TestMakeGames(t *testing.T) {
	if !*makeGames {
		t.Skip("only on request")
	}
	for _, g := range catalog.All() {
		id := g.About().ID
		champion, err := bot.Find(g, fmt.Sprintf("champion:%d", playerNodes[id]))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		fmt.Fprintf(&out, "# go test ./games/proof -run TestMakeGames -make-games -timeout 0\n# decided games of champions at %d positions a move, as they were then\n", playerNodes[id])
		for seed, found := uint64(0), 0; found < decidedGames; seed++ {
			moves, result := playGame(t, startOf(t, id, ""), champion.Player, seed)
			if result.Draw {
				continue
			}
			found++
			fmt.Fprintln(&out, strings.Join(moves, " "))
		}
		if err := os.WriteFile(gamesFile(id), []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// playGame plays a game of a player against itself after two random plies.
func playGame(t *testing.T, p games.Position, player bot.Player, seed uint64) (moves []string, result games.Result) {
	r := games.NewRandom(seed)
	for !p.Result().Over {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		var err error
		if len(moves) >= 2 {
			if m, err = player.Move(t.Context(), p, r); err != nil {
				t.Fatal(err)
			}
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, string(m))
	}
	return moves, p.Result()
}

// gamesOnFile reads the decided games of a kind: the positions of each, from the start to the end.
func gamesOnFile(t testing.TB, game string) (all [][]games.Position) {
	t.Helper()
	text, err := os.ReadFile(gamesFile(game))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		positions := []games.Position{startOf(t, game, "")}
		for _, m := range strings.Fields(line) {
			p, err := positions[len(positions)-1].Play(games.Move(m))
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			positions = append(positions, p)
		}
		all = append(all, positions)
	}
	return all
}

// deepNodes are the positions that BenchmarkDepth looks at: about as many as in a second.
const deepNodes = 3_000_000

// missesAllowed is after how many unproven positions in a row BenchmarkDepth goes no further back in a game.
const missesAllowed = 2

// BenchmarkDepth goes back from the ends of decided games, a ply at a time, as long as the positions are proven in about
// a second each, and tells how many plies before the end it gets, and how many plies the longest win takes that is proven: the
// medians of the games.
//
//	go test ./games/proof -run '^$' -bench Depth -benchtime 1x -far -v
func BenchmarkDepth(b *testing.B) {
	if !*far {
		b.Skip("only with -far")
	}
	for _, game := range ids() {
		b.Run(game, func(b *testing.B) {
			for range b.N {
				var back, plies []int
				count := 0
				for _, positions := range gamesOnFile(b, game) {
					farthest, longest := 0, 0
					for n, missed := 1, 0; n < len(positions) && missed < missesAllowed; n++ {
						got, err := proof.Prove(b.Context(), positions[len(positions)-1-n], proof.Limits{Nodes: deepNodes, Of: []proof.Result{proof.Won, proof.Lost}})
						if err != nil {
							b.Fatal(err)
						}
						if missed++; got.Result != proof.Unproven {
							farthest, longest, missed = n, max(longest, got.Plies), 0
							count++
						}
					}
					back, plies = append(back, farthest), append(plies, longest)
				}
				slices.Sort(back)
				slices.Sort(plies)
				b.Logf("plies before the end %v, plies to the win %v", back, plies)
				b.ReportMetric(float64(back[len(back)/2]), "back")
				b.ReportMetric(float64(plies[len(plies)/2]), "plies")
				b.ReportMetric(float64(count), "proven")
			}
		})
	}
}
