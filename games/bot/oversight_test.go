package bot

import (
	"slices"
	"testing"

	"ludoteca/games"
)

// unseen returns the codes of the moves that an oversight leaves out.
func unseen(o *oversight, all []games.Ranked) (codes []games.Code) {
	seen := o.Moves(nil)
	for _, m := range all {
		if !slices.Contains(seen, m) {
			codes = append(codes, m.Code)
		}
	}
	return codes
}

// TestOversight counts the moves that are not seen: none at the root, one ply ahead as many as there should be, and further
// ahead the same ones and more. What is unseen is taken back with the moves, and something can always be played.
func TestOversight(t *testing.T) {
	const share = 20
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(71)
		var count [4]int
		moves := 0
		for range 300 {
			p := reach(t, g, nil, 3+r.N(20), r)
			if p.Result().Over {
				continue
			}
			pos := searchOf(t, p)
			all := pos.Moves(nil)
			o := &oversight{Search: pos, seed: r.Uint64(), share: share}
			var before []games.Code
			for ply := range count {
				o.ply = ply
				codes := unseen(o, all)
				if len(codes) == len(all) {
					t.Fatalf("%s: no move is seen", p)
				}
				for _, c := range before {
					if !slices.Contains(codes, c) && len(codes) < len(all)-1 {
						t.Fatalf("%s: move %d is seen %d plies ahead but not before", p, c, ply)
					}
				}
				before, count[ply] = codes, count[ply]+len(codes)
			}
			moves += len(all)
			o.ply = 0
			o.Play(all[0].Code)
			if noisy, must := o.Noisy(nil); must && len(noisy) == 0 {
				t.Errorf("%s: no move is seen of those that have to be made", p)
			}
			o.Undo()
			if codes := unseen(o, all); len(codes) > 0 {
				t.Errorf("%s: back at the root %d moves are not seen", p, len(codes))
			}
		}
		for ply, n := range count {
			if percent := 100 * n / moves; percent < share*ply-8 || percent > share*ply+4 {
				t.Errorf("%d %% of %d moves are not seen %d plies ahead, want %d %%", percent, moves, ply, share*ply)
			}
		}
	})
}

// TestOverlooks counts how often a player lets the other side win at once although it could have kept it from winning:
// never if it sees every reply, often if it overlooks most, and then it calls nothing drawn on the strength of the rest.
func TestOverlooks(t *testing.T) {
	skipIfShort(t)
	const most = 60
	positions, missed := 0, [2]int{}
	eachSearching(t, func(t *testing.T, g games.Game) {
		profile := *games.ProfileOf(g)
		r := games.NewRandom(81)
		for tries, found := 0, 0; found < 40 && tries < 600; tries++ {
			p := reach(t, g, nil, 8+r.N(40), r)
			if p.Result().Over || winsAtOnce(p) || !threatened(p) {
				continue
			}
			found++
			positions++
			for i, share := range [...]int{0, most} {
				profile.Presets = []games.Preset{{Nodes: 4_000, Depth: 2, Overlooks: share}}
				thought, err := thinker{profile: &profile}.Think(t.Context(), p, r)
				if err != nil {
					t.Fatal(err)
				}
				next, err := p.Play(thought.Move)
				if err != nil {
					t.Fatal(err)
				}
				if winsAtOnce(next) {
					missed[i]++
				}
				if share > 0 && thought.Drawn {
					t.Errorf("%s: it says that this is drawn", p)
				}
			}
		}
	})
	t.Logf("of %d positions %v are lost at once", positions, missed)
	if positions < 60 || missed[0] > 0 || missed[1] < 5 {
		t.Errorf("of %d positions %v are lost at once", positions, missed)
	}
}

// TestMisses counts the own moves that a player doesn't see: as many as there should be, and never all of them.
func TestMisses(t *testing.T) {
	const share = 60
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(72)
		missed, moves := 0, 0
		for range 200 {
			p := reach(t, g, nil, 3+r.N(20), r)
			if p.Result().Over {
				continue
			}
			pos := searchOf(t, p)
			all := pos.Moves(nil)
			o := &oversight{Search: pos, seed: r.Uint64(), root: share}
			codes := unseen(o, all)
			if len(codes) == len(all) {
				t.Fatalf("%s: no move is seen", p)
			}
			missed, moves = missed+len(codes), moves+len(all)
			o.ply = 1
			if codes := unseen(o, all); len(codes) > 0 {
				t.Errorf("%s: a reply is not seen", p)
			}
		}
		if percent := 100 * missed / moves; percent < share-8 || percent > share+4 {
			t.Errorf("%d %% of %d moves are not seen, want %d %%", percent, moves, share)
		}
	})
}

// TestExpertOverlooksNothing checks which levels overlook something: Club a little, each level below it no less than the one
// above, and none that proves what it says.
func TestExpertOverlooksNothing(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		p := games.ProfileOf(g).Presets
		if club := p[presetOf(games.ProfileOf(g), "club")]; club.Overlooks < 1 {
			t.Errorf("Club overlooks %d %%", club.Overlooks)
		}
		for i := range p {
			if p[i].Misses != 0 && (i >= presetOf(games.ProfileOf(g), "pupil") || p[i].Overlooks == 0) {
				t.Errorf("%s misses %d %%", p[i].Level, p[i].Misses)
			}
			if i > 0 && p[i].Overlooks > p[i-1].Overlooks && p[i].Depth <= p[i-1].Depth {
				t.Errorf("%s overlooks %d %%, %s below it %d %% and looks as far", p[i].Level, p[i].Overlooks, p[i-1].Level, p[i-1].Overlooks)
			}
			if (p[i].Proves || i >= presetOf(games.ProfileOf(g), "expert")) && p[i].Overlooks != 0 {
				t.Errorf("%s overlooks %d %%", p[i].Level, p[i].Overlooks)
			}
		}
	})
}

// threatened reports whether the other side wins at once after most moves, but not after all of them.
func threatened(p games.Position) bool {
	moves, loses := p.Legal(), 0
	for _, m := range moves {
		if next, err := p.Play(m); err == nil && winsAtOnce(next) {
			loses++
		}
	}
	return loses > len(moves)/2 && loses < len(moves)
}

// TestShortSight checks that the levels that see little look no further than their presets say.
func TestShortSight(t *testing.T) {
	skipIfShort(t)
	eachSearching(t, func(t *testing.T, g games.Game) {
		r := games.NewRandom(91)
		profile := games.ProfileOf(g)
		for i, preset := range profile.Presets {
			if preset.Depth == 0 {
				continue
			}
			furthest := 0
			for range 30 {
				p := reach(t, g, nil, 3+r.N(20), r)
				if p.Result().Over {
					continue
				}
				thought, err := thinker{profile: profile, preset: i, nodes: 100_000}.Think(t.Context(), p, r)
				if err != nil {
					t.Fatal(err)
				}
				furthest = max(furthest, thought.Depth)
			}
			if furthest != preset.Depth {
				t.Errorf("%s looks %d plies ahead, want %d", preset.Level, furthest, preset.Depth)
			}
		}
	})
}

// TestPlans checks that each plan changes weights of the evaluation, and that the level follows it as its side.
func TestPlans(t *testing.T) {
	eachSearching(t, func(t *testing.T, g games.Game) {
		profile := games.ProfileOf(g)
		for _, l := range Levels(g) {
			if s, ok := l.Player.(thinker); ok {
				for _, side := range [...]games.Side{games.First, games.Second} {
					without := Evaluation{}
					if !s.can().Learned {
						without = ByHand()
					}
					checkPlan(t, g, l.ID+" as "+side.String(), s.evaluation, without, side, profile.Presets[s.preset].Plans[side])
				}
			}
		}
	})
}

func checkPlan(t *testing.T, g games.Game, name string, e, without Evaluation, side games.Side, plan []games.Weight) {
	t.Helper()
	r := games.NewRandom(101)
	differ := false
	for range 60 {
		p := reach(t, g, nil, 3+r.N(20), r)
		if p.Result().Over || p.Turn() != side {
			continue
		}
		differ = differ || e.search(p.State()).Evaluate() != without.search(p.State()).Evaluate()
	}
	if differ != (len(plan) > 0) {
		t.Errorf("%s: the plan %v changes the evaluation: %v", name, plan, differ)
	}
	if len(plan) == 0 {
		return
	}
	own := startOf(g).State().(games.Tunable).Weights()
	for _, w := range plan {
		if !slices.ContainsFunc(own, func(o games.Weight) bool { return o.Name == w.Name && o.Value != w.Value }) {
			t.Errorf("%s: the plan changes no weight with %v", name, w)
		}
	}
}
