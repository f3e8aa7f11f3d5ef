package bot

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/gamestest"
	"ludoteca/games/proof"
)

// masterNodes are enough for master to keep every forced win of the sets, and take a small part of a second.
const masterNodes = 60_000

// some returns the whole set, or with -short or under the race detector every eighth position of it.
func some(set []tactic) (part []tactic) {
	for i, tc := range set {
		if !testing.Short() && !raced || i%8 == 0 {
			part = append(part, tc)
		}
	}
	return part
}

// skipIfShort skips a test with -short, which is used with the race detector: each search of the test is one goroutine that shares nothing.
// Ending a search when its time is up has tests of its own.
func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing for the race detector: each search is one goroutine")
	}
}

// keepsWin reports whether a move keeps the forced win of a tactic, by plain force, or else by a proof.
func keepsWin(t *testing.T, tc tactic, m games.Move) bool {
	next, err := tc.pos.Play(m)
	if err != nil {
		t.Fatal(err)
	}
	if newForcer(next).loses(0, tc.plies-1) {
		return true
	}
	got, err := proof.Prove(t.Context(), next, proof.Limits{Nodes: 1_000_000, Of: []proof.Result{proof.Lost}})
	return err == nil && got.Result == proof.Lost
}

// TestTactics has master look for the forced wins of the sets: it keeps every one. What it calls proven is no slower than
// what plain force found, and not faster either.
func TestTactics(t *testing.T) {
	eachWithTactics(t, func(t *testing.T, g games.Game) {
		set := some(tactics(t, g))
		proven, nodes := 0, 0
		for _, tc := range set {
			thought, err := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: masterNodes}.Think(t.Context(), tc.pos, games.NewRandom(1))
			if err != nil {
				t.Fatal(err)
			}
			nodes += thought.Nodes
			switch {
			case thought.Proven && thought.Plies >= tc.plies:
				proven++
			case thought.Proven:
				t.Errorf("%s: proven in %d plies", tc, thought.Plies)
			case !keepsWin(t, tc, thought.Move):
				t.Errorf("%s: %s gives the win away", tc, thought.Move)
			}
		}
		if proven < len(set)/2 {
			t.Errorf("only %d of %d wins are proven", proven, len(set))
		}
		t.Logf("%d of %d wins proven, %d positions looked at for each", proven, len(set), nodes/len(set))
	})
}

// TestTacticsHold checks a part of the sets against plain force, as they were made.
func TestTacticsHold(t *testing.T) {
	eachWithTactics(t, func(t *testing.T, g games.Game) {
		count := map[int]int{}
		for i, tc := range tactics(t, g) {
			count[tc.plies]++
			if f := newForcer(tc.pos); i%10 == 0 && (!f.wins(0, tc.plies) || f.wins(0, tc.plies-2)) {
				t.Errorf("%s: no win in exactly %d plies", tc, tc.plies)
			}
		}
		for _, plies := range tacticsPlies[g.About().ID] {
			if count[plies] < 50 {
				t.Errorf("only %d positions %d plies before the end", count[plies], plies)
			}
		}
	})
}

// TestWinInOneInGames follows the proven lines of tactics to the last move: every level above greedy that misses no move
// of its own makes one that wins.
func TestWinInOneInGames(t *testing.T) {
	eachWithTactics(t, func(t *testing.T, g games.Game) {
		for i, tc := range tactics(t, g) {
			if i%8 > 0 {
				continue
			}
			got, err := proof.Prove(t.Context(), tc.pos, proof.Limits{Nodes: 100_000, Of: []proof.Result{proof.Won}})
			if err != nil || got.Result != proof.Won {
				continue
			}
			p := tc.pos
			for _, m := range got.Line[:got.Plies-1] {
				if p, err = p.Play(m); err != nil {
					t.Fatal(err)
				}
			}
			for _, l := range Levels(g)[2:] {
				if l.Player.(thinker).can().Misses > 0 {
					continue
				}
				m, err := l.Player.Move(t.Context(), p, games.NewRandom(uint64(i)))
				if err != nil {
					t.Fatal(err)
				}
				after, err := p.Play(m)
				if err != nil {
					t.Fatal(err)
				}
				if r := after.Result(); !r.Over || r.Draw || r.Winner != p.Turn() {
					t.Errorf("%s: %s plays %s and does not win", p, l.ID, m)
				}
			}
		}
	})
}

// TestProvenThoughts checks by plain force what levels call proven, near the ends of random games of all kinds.
func TestProvenThoughts(t *testing.T) {
	skipIfShort(t)
	const nodes = 3_000
	eachSearching(t, func(t *testing.T, g games.Game) {
		won, lost := 0, 0
		for i := range 32 {
			all := extremesOf(g)
			p := beforeTheEnd(t, g, all[i%len(all)], uint64(i), 2+i%4)
			if p.Result().Over {
				continue
			}
			profile := games.ProfileOf(g)
			for _, id := range [...]string{"club", "expert", "master"} {
				preset := presetOf(profile, id)
				thought, err := thinker{profile: profile, preset: preset, nodes: nodes}.Think(t.Context(), p, games.NewRandom(1))
				if err != nil {
					t.Fatal(err)
				}
				if most := nodes + len(p.Legal()) + 1; thought.Nodes > most {
					t.Errorf("%s: %s looked at %d positions, at most %d are allowed", p, id, thought.Nodes, most)
				}
				if !thought.Proven {
					continue
				}
				if !profile.Presets[preset].Proves || thought.Drawn {
					t.Errorf("%s: proven by %s, drawn: %v", p, id, thought.Drawn)
				}
				if why := doubt(p, thought); why != "" {
					t.Errorf("%s: %s says %+v: %s", p, id, thought, why)
				}
				if thought.Plies > 0 {
					won++
				} else {
					lost++
				}
			}
		}
		if won == 0 || lost == 0 && g.About().ID != "petteia" {
			t.Errorf("%d wins and %d losses proven: too few", won, lost)
		}
	})
}

// doubt says what is wrong with a thought that calls itself proven; nothing if it is right.
func doubt(p games.Position, thought Thought) string {
	end, err := p, error(nil)
	for _, m := range thought.Line {
		if end, err = end.Play(m); err != nil {
			return err.Error()
		}
	}
	r, n := end.Result(), max(thought.Plies, -thought.Plies)
	switch {
	case len(thought.Line) != n || thought.Line[0] != thought.Move:
		return "the line differs from the line of the proof"
	case !r.Over || r.Draw || (r.Winner == p.Turn()) != (thought.Plies > 0):
		return fmt.Sprintf("the line ends in %+v", r)
	case n > 4 || n > 3 && len(p.Legal()) > 30:
		return "" // takes too long to look at all of it
	case thought.Plies > 0 && !newForcer(p).wins(0, n), thought.Plies < 0 && !newForcer(p).loses(0, n):
		return "plain force sees nothing"
	}
	return ""
}

// beforeTheEnd plays a random game and returns the position back plies before its end.
func beforeTheEnd(t *testing.T, g games.Game, options string, seed uint64, back int) games.Position {
	const longest = 300
	p := reach(t, g, strings.Fields(options), 1, games.NewRandom(seed))
	s := p.State()
	plies := gamestest.PlayRandomly(s, games.NewRandom(seed), longest)
	if back >= plies {
		return p
	}
	s = p.State()
	gamestest.PlayRandomly(s, games.NewRandom(seed), plies-back)
	return s.Freeze()
}

// TestSameProvenThought repeats thoughts that contain proofs.
func TestSameProvenThought(t *testing.T) {
	skipIfShort(t)
	eachWithTactics(t, func(t *testing.T, g games.Game) {
		proven := 0
		for _, tc := range tactics(t, g)[:8] {
			s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "expert"), nodes: 20_000}
			first, err := s.Think(t.Context(), tc.pos, games.NewRandom(3))
			if err != nil {
				t.Fatal(err)
			}
			if first.Proven {
				proven++
			}
			if again, err := s.Think(t.Context(), tc.pos, games.NewRandom(3)); err != nil || !reflect.DeepEqual(first, again) {
				t.Errorf("the same seed gave %+v and %+v, %v", first, again, err)
			}
		}
		if proven == 0 {
			t.Error("nothing was proven")
		}
	})
}

// TestMemoryWithProofs adds up what one thinker takes at most: the tables of the search and of the proof.
func TestMemoryWithProofs(t *testing.T) {
	const most = 64 << 20
	search := (new(tableMemory).size(maxNodes) + new(tableMemory).size(maxNodes)/growth) * int(unsafe.Sizeof(entry{}))
	if search+int(unsafe.Sizeof(workspace{}))+proofMemory > most {
		t.Errorf("%d bytes for the search and %d for proofs are more than %d", search, proofMemory, most)
	}
}

// BenchmarkTactics reports how many of the forced wins each level proves, and how many positions it looks at for one. Each level
// has its own budget, but master has champion's.
func BenchmarkTactics(b *testing.B) {
	for _, g := range catalog.All() {
		game, set := g.About().ID, tactics(b, g)
		profile := games.ProfileOf(g)
		for preset, can := range profile.Presets {
			if !can.Proves {
				continue
			}
			b.Run(game+" "+can.Level, func(b *testing.B) {
				proven, nodes := 0, 0
				for range b.N {
					for _, tc := range set {
						s := thinker{profile: profile, preset: preset, nodes: profile.Presets[min(preset, len(profile.Presets)-2)].Nodes}
						thought, err := s.Think(b.Context(), tc.pos, games.NewRandom(1))
						if err != nil {
							b.Fatal(err)
						}
						nodes += thought.Nodes
						if thought.Proven {
							proven++
						}
					}
				}
				n := float64(b.N * len(set))
				b.ReportMetric(100*float64(proven)/n, "%proven")
				b.ReportMetric(float64(nodes)/n, "nodes/position")
			})
		}
	}
}
