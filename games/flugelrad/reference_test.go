package flugelrad

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludoteca/games"
	"ludoteca/games/gamestest"
)

// reference is Flügelrad once more, in the words of the rule sheet and as plainly as can be, to compare with.
type reference struct {
	options games.Options
	balls   [31]byte // by point from 1 on: X, O, or a dot where it is empty
	turns   int
	last    int
	seen    map[string]int
}

// oneStep is the table of one step: "content of p goes to q".
var oneStep = [7]string{
	"2→1, 3→2, 4→3, 5→4, 6→5, 1→6",
	"8→7, 9→8, 10→9, 11→10, 3→11, 7→3",
	"5→12, 13→5, 14→13, 15→14, 16→15, 12→16",
	"11→4, 17→11, 18→17, 19→18, 13→19, 4→13",
	"20→10, 21→20, 22→21, 23→22, 17→23, 10→17",
	"19→14, 24→19, 25→24, 26→25, 27→26, 14→27",
	"23→18, 28→23, 29→28, 30→29, 24→30, 18→24",
}

// readSteps reads oneStep: by wheel and point, where a step takes what is there.
func readSteps() (all [7]map[int]int) {
	for w, line := range oneStep {
		all[w] = map[int]int{}
		for _, arrow := range strings.Split(line, ", ") {
			var p, q int
			if _, err := fmt.Sscanf(arrow, "%d→%d", &p, &q); err != nil {
				panic(err)
			}
			all[w][p] = q
		}
	}
	return all
}

var (
	wheelSteps = readSteps()
	linked     = linksOf(wheelSteps)
)

// linksOf says which points are neighbours in a wheel.
func linksOf(wheels [7]map[int]int) (linked [31][31]bool) {
	for _, w := range wheels {
		for p, q := range w {
			linked[p][q], linked[q][p] = true, true
		}
	}
	return linked
}

func plain(o games.Options) gamestest.Reference { return newReference(o) }

func newReference(o games.Options) *reference {
	r := &reference{options: o, last: -1, seen: map[string]int{}}
	for p := range r.balls {
		r.balls[p] = '.'
	}
	for _, p := range []int{1, 7, 9, 12, 15, 21, 26, 28, 30} {
		r.balls[p] = 'X'
	}
	for _, p := range []int{2, 6, 8, 16, 20, 22, 25, 27, 29} {
		r.balls[p] = 'O'
	}
	r.seen[r.key()]++
	return r
}

func (r *reference) mover() byte { return "XO"[r.turns%2] }
func (r *reference) enemy() byte { return "OX"[r.turns%2] }
func (r *reference) key() string { return r.text() + string(r.mover()) }

func (r *reference) text() string { return string(r.balls[1:]) }

// turned returns the balls after n single steps of a wheel.
func (r *reference) turned(step map[int]int, n int) [31]byte {
	balls := r.balls
	for range n {
		before := balls
		for p, q := range step {
			balls[q] = before[p]
		}
	}
	return balls
}

// Legal returns the legal moves.
func (r *reference) Legal() []games.Move {
	var moves []games.Move
	if r.Result().Over {
		return nil
	}
	for w := range 7 {
		for k := 1; k <= 5; k++ {
			after := reference{balls: r.turned(wheelSteps[w], k)}
			if after.text() != r.text() && (r.options["fresh_wheel"] == 0 || w != r.last) {
				moves = append(moves, games.Move(fmt.Sprintf("%d:%d", w, k)))
			}
		}
	}
	return moves
}

// Play makes a legal move.
func (r *reference) Play(m games.Move) {
	r.last = int(m[0] - '0')
	r.balls = r.turned(wheelSteps[r.last], int(m[2]-'0'))
	r.turns++
	r.seen[r.key()]++
}

// Rows returns the points in order.
func (r *reference) Rows() []string { return []string{r.text()} }

func (r *reference) wins(who byte) bool {
	for p := 1; p <= 30; p++ {
		if r.balls[p] != who {
			continue
		}
		visited := map[int]bool{p: true}
		if r.options["chain"] == 1 && r.path(p, visited, r.options["connect"]-1) {
			return true
		}
		if r.options["chain"] == 0 && r.spread(p, visited) >= r.options["connect"] {
			return true
		}
	}
	return false
}

// spread visits what hangs together with p and returns how much it is.
func (r *reference) spread(p int, visited map[int]bool) int {
	n := 1
	for q := 1; q <= 30; q++ {
		if linked[p][q] && r.balls[q] == r.balls[p] && !visited[q] {
			visited[q] = true
			n += r.spread(q, visited)
		}
	}
	return n
}

// path reports whether a path goes on from p over another more balls, none of them visited.
func (r *reference) path(p int, visited map[int]bool, more int) bool {
	if more == 0 {
		return true
	}
	for q := 1; q <= 30; q++ {
		if linked[p][q] && r.balls[q] == r.balls[p] && !visited[q] {
			visited[q] = true
			if r.path(q, visited, more-1) {
				return true
			}
			delete(visited, q)
		}
	}
	return false
}

// Result says how the game has ended, if it has.
func (r *reference) Result() games.Result {
	side := map[byte]games.Side{'X': games.First, 'O': games.Second}
	times, limit := r.options["repetition"], r.options["move_limit"]
	switch {
	case r.wins(r.enemy()): // who has just moved
		return games.Won(side[r.enemy()], "connection")
	case r.wins(r.mover()):
		return games.Won(side[r.mover()], "connection")
	case times > 0 && r.seen[r.key()] >= times:
		return games.Drawn("repetition")
	case limit > 0 && r.turns >= limit:
		return games.Drawn("move_limit")
	default:
		return games.Result{}
	}
}

// TestReference compares legal moves, board and result at every ply of random games, in half of which each turn is
// taken back at once where that is legal, so that repetitions come up.
func TestReference(t *testing.T) {
	ended := map[string]int{}
	for _, o := range optionSets(t) {
		t.Run(o.String(), func(t *testing.T) {
			for seed := range uint64(4) {
				choose := gamestest.Uniformly(games.NewRandom(seed))
				if seed%2 == 1 {
					choose = takingBack(o, games.NewRandom(seed))
				}
				last, err := gamestest.FollowGame(New(), o, plain, choose, longestCompared)
				if err != nil {
					t.Fatal(err)
				}
				ended[last.Result().Reason]++
			}
		})
	}
	for _, reason := range []string{"connection", "repetition", "move_limit"} {
		if ended[reason] == 0 {
			t.Errorf("no game ended by %s: %v", reason, ended)
		}
	}
}

const longestCompared = 300 // plies

// takingBack mostly undoes the last turn but one or, if the same wheel may be turned twice running, the last.
func takingBack(o games.Options, r *games.Random) gamestest.Choice {
	n := 2 * o[optFreshWheel]
	return func(played, legal []games.Move) games.Move {
		if len(played) >= max(n, 1) && len(played)%4 >= n {
			m := played[len(played)-max(n, 1)]
			if undo := games.Move([]byte{m[0], ':', '0' + '6' - m[2]}); slices.Contains(legal, undo) {
				return undo
			}
		}
		return legal[r.N(len(legal))]
	}
}
