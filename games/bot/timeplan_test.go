package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ludoteca/games"
	"ludoteca/games/catalog"
)

var turnBegan = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestPlan(t *testing.T) {
	const length = 60
	for _, tt := range []struct {
		name            string
		left, increment time.Duration
		ply             int
		target, most    time.Duration
	}{
		{"the first move of 5+0", 300 * time.Second, 0, 0, 9999166666, 3 * 9999166666},
		{"the second side", 300 * time.Second, 0, 1, 9999166666, 3 * 9999166666},
		{"half-way", 150 * time.Second, 0, 30, 9998333333, 3 * 9998333333},
		{"ten moves before the usual end", 20025 * time.Millisecond, 0, 40, 2 * time.Second, 6 * time.Second},
		{"beyond the usual end", 20025 * time.Millisecond, 0, 200, 2 * time.Second, 6 * time.Second},
		{"an increment", 20025 * time.Millisecond, 4 * time.Second, 40, 5 * time.Second, 10 * time.Second},
		{"little more than the increment", 1025 * time.Millisecond, 4 * time.Second, 40, 500 * time.Millisecond, 500 * time.Millisecond},
		{"a second", time.Second, 0, 40, 97500 * time.Microsecond, 292500 * time.Microsecond},
		{"less than the reserve", 20 * time.Millisecond, 0, 40, time.Millisecond, 3 * time.Millisecond},
		{"nothing", 0, 0, 40, 0, 0},
		{"the time is up", -time.Second, 5 * time.Second, 40, 0, 0},
	} {
		target, most := Clock{turnBegan.Add(tt.left), tt.increment, tt.ply}.Plan(turnBegan, length)
		if target != tt.target || most != tt.most {
			t.Errorf("%s: %v, at most %v, want %v, at most %v", tt.name, target, most, tt.target, tt.most)
		}
	}
}

// TestPlansAddUp plays games in which each move takes any time up to the longest that is planned: the clock never runs out, and while
// moves take what they should on average, there is always time for a real thought.
func TestPlansAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, 600_000).Draw(t, "base")) * time.Millisecond
		increment := time.Duration(rapid.SampledFrom([]int64{0, 50, 1000, 180_000}).Draw(t, "increment")) * time.Millisecond
		length := rapid.IntRange(0, 200).Draw(t, "length")
		calm := rapid.Bool().Draw(t, "calm")
		left := base
		for ply := rapid.IntRange(0, 1).Draw(t, "side"); ply < 2*length; ply += 2 {
			target, most := Clock{turnBegan.Add(left), increment, ply}.Plan(turnBegan, length)
			if reserve := min(lagReserve, left/spentShare); target < 0 || target > most || most >= left || most > left-reserve {
				t.Fatalf("ply %d with %v left: %v, at most %v", ply, left, target, most)
			}
			if calm && ply < length && target < base/time.Duration(4*(length+fewMoves)) {
				t.Fatalf("ply %d with %v left: only %v", ply, left, target)
			}
			used := target
			if !calm {
				used = time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, "used"))
			}
			left += increment - used
		}
	})
}

// TestPace says when a search under a clock has thought enough. Each depth takes twice as long as the one before.
func TestPace(t *testing.T) {
	const target, most = 100 * time.Millisecond, 250 * time.Millisecond
	type depth struct {
		move  games.Code
		value int
	}
	same := []depth{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}
	with := func(i int, d depth) []depth {
		all := append([]depth{}, same...)
		all[i] = d
		return all
	}
	for _, tt := range []struct {
		name   string
		depths []depth
		took   time.Duration // the first
		want   int           // depths that are searched; the last one had just been found out
		sure   int           // depths after which the move may be sure; 0: never
	}{
		{"always the same move", same, time.Millisecond, 6, 4},
		{"another at the last depth", with(5, depth{2, 0}), time.Millisecond, 7, 4},
		{"another long ago", with(1, depth{2, 0}), time.Millisecond, 6, 6},
		{"the value drops", with(5, depth{1, -40}), time.Millisecond, 7, 4},
		{"the value drops a little", with(5, depth{1, -20}), time.Millisecond, 6, 4},
		{"another, and worse", []depth{{1, 0}, {2, 0}, {1, 0}, {2, 0}, {1, 0}, {2, -40}, {3, -90}, {3, -90}}, time.Millisecond, 7, 0},
		{"the first depth takes too long", same, 120 * time.Millisecond, 1, 0},
		{"no depth but the first fits", same, 90 * time.Millisecond, 1, 0},
	} {
		p := timePlan{begun: turnBegan, target: target, most: most, scale: 100, depthBegun: turnBegan}
		now, searched, sure := turnBegan, 0, 0
		for i, d := range tt.depths {
			now = now.Add(tt.took << i)
			p.finished(&searchResult{code: d.move, value: d.value}, now)
			searched++
			if sure == 0 && p.maybeSure() {
				sure = searched
			}
			if p.enough() {
				break
			}
		}
		if searched != tt.want || sure != tt.sure {
			t.Errorf("%s: %d depths, sure after %d, want %d, after %d", tt.name, searched, sure, tt.want, tt.sure)
		}
		if wanted := p.wanted(); wanted > most || wanted < target/2 {
			t.Errorf("%s: wants %v", tt.name, wanted)
		}
	}
}

// costly is a position in which each move that a search makes takes a time.
type costly struct {
	games.Position
	move time.Duration
}

func (p costly) State() games.State { return costlyState{p.Position.State(), p.move} }

type costlyState struct {
	games.State
	move time.Duration
}

func (s costlyState) Search() games.Search {
	return costlySearch{s.State.(games.Searchable).Search(), s.move}
}

type costlySearch struct {
	games.Search
	move time.Duration
}

func (s costlySearch) Play(c games.Code) {
	time.Sleep(s.move)
	s.Search.Play(c)
}

// nodeTime is what a position costs the players of these tests.
const nodeTime = 500 * time.Microsecond

// underClock has a player think about a position, with so much time left, and returns what it has found and how long that took.
func underClock(t *testing.T, g games.Game, p games.Position, left time.Duration) (thought Thought, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: maxNodes}
		began := time.Now()
		var err error
		thought, err = s.ThinkWithin(t.Context(), Clock{End: began.Add(left), Ply: 10}, costly{p, nodeTime}, games.NewRandom(1))
		if took = time.Since(began); err != nil {
			t.Error(err)
		}
	})
	return thought, took
}

// TestThinkWithin has the strongest level think under a clock, in positions along games that people could play, and with one legal move
// or a win in one.
func TestThinkWithin(t *testing.T) {
	const left, late = 60 * time.Second, 2 * pollNodes * nodeTime
	eachSearching(t, func(t *testing.T, g games.Game) {
		target, most := Clock{turnBegan.Add(left), 0, 10}.Plan(turnBegan, games.ProfileOf(g).Length)
		sum, undecided, only, won := time.Duration(0), 0, 0, 0
		for seed := range uint64(16) {
			p := wander(t, g, "", 4+int(seed), seed)
			thought, took := underClock(t, g, p, left)
			if took > most+late {
				t.Errorf("%s: took %v, at most %v is planned", p, took, most)
			}
			if thought.Plies == 0 && !thought.Drawn && len(p.Legal()) > 1 {
				sum += took
				undecided++
			}
		}
		if average := sum / time.Duration(undecided); average < target/3 || average > 2*target {
			t.Errorf("takes %v on average, the target is %v", average, target)
		}
		r := games.NewRandom(5)
		for range 1000 {
			p := reach(t, g, nil, r.N(60), r)
			limit := time.Duration(2*len(p.Legal())) * nodeTime
			switch {
			case len(p.Legal()) == 1 && only < 3:
				limit, only = late, only+1
			case winsAtOnce(p) && won < 3:
				won++
			default:
				continue
			}
			thought, took := underClock(t, g, p, left)
			if _, err := p.Play(thought.Move); err != nil || took > limit {
				t.Errorf("%s: %d legal moves; took %v, want %v: %v", p, len(p.Legal()), took, limit, err)
			}
		}
		t.Logf("target %v, %v on average; %d only moves, %d wins", target, sum/time.Duration(undecided), only, won)
	})
}

// deeply returns what a long search finds.
func deeply(t *testing.T, g games.Game, p games.Position) Thought {
	t.Helper()
	found, err := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master"), nodes: 30_000}.Think(t.Context(), p, games.NewRandom(1))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSureMoves: a move that is better than all others by far is soon made, and others are not.
func TestSureMoves(t *testing.T) {
	skipIfShort(t)
	const left = 60 * time.Second
	g, _ := catalog.Find("tanks")
	target, _ := Clock{turnBegan.Add(left), 0, 10}.Plan(turnBegan, games.ProfileOf(g).Length)
	soon := 0
	for seed := range uint64(40) {
		p := wander(t, g, "", 10+int(seed)/2, seed)
		thought, took := underClock(t, g, p, left)
		if thought.Plies != 0 || took > target/2 || len(p.Legal()) == 1 {
			continue
		}
		soon++
		next, err := p.Play(thought.Move)
		if err != nil {
			t.Fatal(err)
		}
		deep, got := deeply(t, g, p), deeply(t, g, next)
		if lost := deep.Value + got.Value; lost > int(games.ProfileOf(g).Scale) {
			t.Errorf("%s: plays %s after %v, but %s is better by %d", p, thought.Move, took, deep.Move, lost)
		}
	}
	if t.Logf("%d of 40 moves are sure", soon); soon == 0 || soon > 20 {
		t.Errorf("%d of 40 moves are sure", soon)
	}
}

// TestGamesUnderAClock plays whole games of the strongest level against itself: neither side loses on time, or has most of it left.
func TestGamesUnderAClock(t *testing.T) {
	skipIfShort(t)
	for _, tt := range []struct {
		name            string
		base, increment time.Duration
	}{{"1+0", time.Minute, 0}, {"3 s + 1 s", 3 * time.Second, time.Second}} {
		for _, id := range []string{"momentum", "tanks"} {
			t.Run(tt.name+" "+id, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g, _ := catalog.Find(id)
					s := thinker{profile: games.ProfileOf(g), preset: presetOf(games.ProfileOf(g), "master")}
					p, r, left := startOf(g), games.NewRandom(1), [2]time.Duration{tt.base, tt.base}
					ply := 0
					for ; !p.Result().Over; ply++ {
						began, side := time.Now(), p.Turn()
						found, err := s.ThinkWithin(t.Context(), Clock{began.Add(left[side]), tt.increment, ply}, costly{p, nodeTime}, r)
						if err != nil {
							t.Fatal(err)
						}
						if left[side] -= time.Since(began); left[side] <= 0 {
							t.Fatalf("ply %d: the time was up", ply)
						}
						left[side] += tt.increment
						if p, err = p.Play(found.Move); err != nil {
							t.Fatal(err)
						}
					}
					if had := tt.base + tt.increment*time.Duration(ply/2); max(left[0], left[1]) > had*2/3 {
						t.Errorf("after %d plies, with %v for each, they have %v left", ply, had, left)
					}
				})
			})
		}
	}
}
