package bot

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

// makeTactics has TestMakeTactics write the sets anew instead of being skipped.
var makeTactics = flag.Bool("make-tactics", false, "write testdata/tactics anew; takes half an hour")

// tacticsPlies are the lengths of the forced wins in the set of a game. The winner makes the last move, so that with the
// winner to move they are odd: a position six plies before the end of a game of Momentum is one for the loser, and the winner is to
// move at five and at seven.
var tacticsPlies = map[string][]int{
	"momentum": {5, 7}, "petteia": {3}, "fourmation": {9, 11}, "flugelrad": {3}, "tanks": {5},
}

// tacticsNodes are how many positions the players of the games looked at for a move. In Flügelrad stronger ones draw.
var tacticsNodes = map[string]int{
	"momentum": 10_000, "petteia": 10_000, "fourmation": 10_000, "flugelrad": 2_000, "tanks": 10_000,
}

const (
	tacticsPerLength = 52    // positions
	tacticsTries     = 3_000 // games at most
)

// A tactic is a position in which the side to move has a forced win.
type tactic struct {
	plies int          // the exact length of the win
	moves []games.Move // from the start to the position
	pos   games.Position
}

// String is the line of the tactic in its file.
func (tc tactic) String() string {
	words := []string{strconv.Itoa(tc.plies)}
	for _, m := range tc.moves {
		words = append(words, string(m))
	}
	return strings.Join(words, " ")
}

// eachWithTactics runs a test for every game that has a set.
func eachWithTactics(t *testing.T, test func(t *testing.T, g games.Game)) {
	for _, g := range catalog.All() {
		if id := g.About().ID; len(tacticsPlies[id]) > 0 {
			t.Run(id, func(t *testing.T) { test(t, g) })
		}
	}
}

// tactics reads the set of a game.
func tactics(t testing.TB, g games.Game) (set []tactic) {
	t.Helper()
	text, err := os.ReadFile(tacticsFile(g))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		tc := tactic{pos: startOf(g)}
		if tc.plies, err = strconv.Atoi(words[0]); err != nil {
			t.Fatal(err)
		}
		for _, w := range words[1:] {
			if tc.pos, err = tc.pos.Play(games.Move(w)); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			tc.moves = append(tc.moves, games.Move(w))
		}
		set = append(set, tc)
	}
	return set
}

func tacticsFile(g games.Game) string {
	return filepath.Join("testdata", "tactics", g.About().ID+".txt")
}

// TestMakeTactics makes the sets: it has champions play each other, goes back from the end of each game as many plies as are
// asked for, and keeps the position if the side to move can force a win from there, and not a faster one.
func TestMakeTactics(t *testing.T) {
	if !*makeTactics {
		t.Skip("only on request")
	}
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			fmt.Fprintf(&out, "# go test ./games/bot -run TestMakeTactics/%s -make-tactics -timeout 0\n", g.About().ID)
			fmt.Fprintf(&out, "# from games of champions at %d positions a move, as they were then\n", tacticsNodes[g.About().ID])
			fmt.Fprintf(&out, "# plies to a forced win of the side to move, and the moves that lead to the position\n")
			found, seen := map[int]int{}, map[string]bool{}
			for seed := range uint64(tacticsTries) {
				moves := levelGame(t, g, seed)
				missing := false
				for _, plies := range tacticsPlies[g.About().ID] {
					if tc, ok := cut(t, g, moves, plies); ok && found[plies] < tacticsPerLength && !seen[tc.pos.String()] {
						found[plies]++
						seen[tc.pos.String()] = true
						fmt.Fprintln(&out, tc)
					}
					missing = missing || found[plies] < tacticsPerLength
				}
				if !missing {
					break
				}
			}
			t.Log(found)
			if err := os.WriteFile(tacticsFile(g), []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// levelGame plays a game between two champions after two random moves.
func levelGame(t *testing.T, g games.Game, seed uint64) (moves []games.Move) {
	t.Helper()
	r := games.NewRandom(seed)
	champion := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "champion"), nodes: tacticsNodes[g.About().ID]}
	for p := startOf(g); !p.Result().Over; {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		var err error
		if len(moves) >= 2 {
			if m, err = champion.Move(context.Background(), p, r); err != nil {
				t.Fatal(err)
			}
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	return moves
}

// cut returns the position the given number of plies before the end of a game if it is a tactic.
func cut(t *testing.T, g games.Game, moves []games.Move, plies int) (tactic, bool) {
	t.Helper()
	if len(moves) < plies {
		return tactic{}, false
	}
	tc := tactic{plies: plies, moves: moves[:len(moves)-plies], pos: startOf(g)}
	var err error
	for _, m := range tc.moves {
		if tc.pos, err = tc.pos.Play(m); err != nil {
			t.Fatal(err)
		}
	}
	f := newForcer(tc.pos)
	return tc, f.wins(0, plies) && !f.wins(0, plies-2)
}

// A forcer looks for forced wins in the plainest way: it plays all moves by the whole rules and remembers nothing.
type forcer struct {
	state games.State
	moves [][]games.Code // by ply
}

func newForcer(p games.Position) *forcer {
	return &forcer{state: p.State()}
}

// wins reports whether the side to move can force a win within most plies. ply is the length of the present line.
func (f *forcer) wins(ply, most int) bool {
	if most <= 0 || f.state.Result().Over {
		return false
	}
	side := f.state.Turn()
	return f.any(ply, func() bool { return f.state.Result().For(side) > 0 }) ||
		most > 2 && f.any(ply, func() bool { return f.loses(ply+1, most-1) })
}

// loses reports whether the other side can force a win within most plies. ply is the length of the present line.
func (f *forcer) loses(ply, most int) bool {
	side := f.state.Turn()
	if r := f.state.Result(); r.Over {
		return r.For(side) < 0
	}
	if most <= 0 {
		return false
	}
	return !f.any(ply, func() bool {
		if r := f.state.Result(); r.Over {
			return r.For(side) >= 0
		}
		return !f.wins(ply+1, most-1)
	})
}

// any reports whether there is a move to a position of a kind.
func (f *forcer) any(ply int, is func() bool) bool {
	if len(f.moves) == ply {
		f.moves = append(f.moves, nil)
	}
	f.moves[ply] = f.state.Moves(f.moves[ply][:0])
	for _, c := range f.moves[ply] {
		f.state.Play(c)
		found := is()
		f.state.Undo()
		if found {
			return true
		}
	}
	return false
}
