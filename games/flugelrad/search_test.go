package flugelrad

import (
	"fmt"
	"slices"
	"testing"

	"ludoteca/games"
	"pgregory.net/rapid"
)

// drawState returns any position with nine balls each. Most balls lie beside another one of their side, so that many groups
// win or nearly do.
func drawState(t *rapid.T) *State {
	last := rapid.IntRange(noWheel, Wheels-1).Draw(t, "last")
	s := &State{present: present{last: int8(last)}, rules: newRules(games.Options{
		optConnect:    rapid.IntRange(4, 7).Draw(t, optConnect),
		optChain:      rapid.IntRange(0, 1).Draw(t, optChain),
		optFreshWheel: rapid.IntRange(0, 1).Draw(t, optFreshWheel),
	})}
	s.turn = games.Side(rapid.IntRange(0, 1).Draw(t, "turn"))
	alone := rapid.IntRange(0, 9).Draw(t, "alone") // tenths of the balls that lie anywhere
	var all grid
	for _, bit := range table.bit {
		all |= bit
	}
	var both [2]grid
	for i := range 2 * ballsEach {
		balls := &both[i%2]
		free := all &^ (both[0] | both[1])
		if beside := free & table.near(*balls); beside != 0 && rapid.IntRange(0, 9).Draw(t, "company") >= alone {
			free = beside
		}
		*balls |= table.bit[rapid.SampledFrom(points(free)).Draw(t, "point")]
	}
	s.setUp(both)
	return s
}

// plainGroups returns the groups of two balls and more by the list of links alone, and how many links there are.
func plainGroups(balls grid) (groups []grid, links int) {
	group := map[int]grid{}
	for _, p := range points(balls) {
		group[p] = table.bit[p]
	}
	for p, q := range Links() {
		if group[p] == 0 || group[q] == 0 {
			continue
		}
		links++
		both := group[p] | group[q]
		for _, r := range points(both) {
			group[r] = both
		}
	}
	for _, p := range points(balls) {
		if g := group[p]; count(g) > 1 && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups, links
}

// plainWins reports whether a group of balls wins, whatever else is known of it.
func plainWins(r *rules, balls grid) bool {
	groups, _ := plainGroups(balls)
	return slices.ContainsFunc(groups, func(g grid) bool {
		return count(g) >= r.connect && (!r.chain || chainIn(g, r.connect) != 0)
	})
}

// plainTurn turns a wheel point by point.
func plainTurn(balls grid, wheel, steps int) (after grid) {
	ring := WheelPoints(wheel)
	after = balls &^ table.wheel(wheel)
	for i, p := range ring {
		if balls&table.bit[ring[(i+steps)%6]] != 0 {
			after |= table.bit[p]
		}
	}
	return after
}

// plainMoves lists the moves with their ranks, turn by turn.
func plainMoves(s *State) (moves []games.Ranked) {
	for _, c := range s.Moves(nil) {
		wheel, steps := decode(c)
		own, enemy := plainTurn(s.sides[s.turn].balls, wheel, steps), plainTurn(s.sides[s.turn.Other()].balls, wheel, steps)
		_, more := plainGroups(own)
		_, less := plainGroups(enemy)
		rank := linkRank * (more - less)
		if plainWins(s.rules, own) {
			rank = winRank
		} else if plainWins(s.rules, enemy) {
			rank = loseRank
		}
		moves = append(moves, games.Ranked{Code: c, Rank: int32(rank)})
	}
	return moves
}

// plainWorth is the evaluation of one side as its weights tell it.
func plainWorth(connect int, balls grid) int {
	groups, links := plainGroups(balls)
	v := links * ownWeights[linkWeight].Value
	for _, p := range points(balls) {
		wheels := 0
		for w := range Wheels {
			if ring := WheelPoints(w); slices.Contains(ring[:], p) {
				wheels++
			}
		}
		if wheels == 1 {
			v += ownWeights[rimWeight].Value
		}
		if ring := WheelPoints(midWheel); slices.Contains(ring[:], p) {
			v += ownWeights[midWeight].Value
		}
	}
	for _, g := range groups {
		if lack := max(connect-count(g)-1, 0); lack < lacks {
			v += ownWeights[groupWeights+lack].Value
		}
	}
	return v
}

// TestShape compares what the search knows about the balls of a side with what the list of links says.
func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		n := s.SearchWith(games.ValuesOf(ownWeights[:])).(*Search)
		for side, balls := range s.balls() {
			got := n.sides[side]
			groups, links := plainGroups(balls)
			known := slices.Clone(got.groups[:got.count])
			slices.Sort(known)
			slices.Sort(groups)
			if !slices.Equal(known, groups) || int(got.links) != links {
				t.Errorf("groups %v and %d links, want %v and %d", known, got.links, groups, links)
			}
			if want := plainWins(s.rules, balls); got.won != want {
				t.Errorf("won is %v, want %v", got.won, want)
			}
			if got, want := n.worth(&got), plainWorth(s.rules.connect, balls); got != want {
				t.Errorf("the balls are worth %d, want %d", got, want)
			}
		}
	})
}

// TestRanks compares the moves, the winning moves and the best move with the plain list.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		n := s.Search().(*Search)
		want := plainMoves(s)
		if got := n.Moves(nil); !slices.Equal(got, want) {
			t.Fatalf("moves\n%v, want\n%v", got, want)
		}
		if len(want) == 0 {
			return // the end
		}
		wins := slices.IndexFunc(want, func(m games.Ranked) bool { return m.Rank == winRank })
		if got, must := n.Noisy(nil); must != (wins >= 0) || must && !slices.Equal(got, want[wins:wins+1]) {
			t.Errorf("noisy moves %v of %v", got, want)
		}
		least := rapid.Int32Range(1, 10*linkRank).Draw(t, "least")
		code, ok := n.Best(least)
		if wantCode, wantOK := plainBest(want, least); ok != wantOK || ok && code != wantCode {
			t.Errorf("the best turn from %d is %d, %v, want %d, %v", least, code, ok, wantCode, wantOK)
		}
		for c := range games.Code(allTurns + 2) {
			legal := slices.ContainsFunc(want, func(m games.Ranked) bool { return m.Code == c })
			if got := n.Legal(c); got != legal {
				t.Errorf("turn %d is legal: %v, want %v", c, got, legal)
			}
		}
		if n.Forced() != (len(want) == 1) {
			t.Errorf("forced is %v with %d turns", n.Forced(), len(want))
		}
	})
}

// TestBestLosers looks for the best turn where both that link most let the enemy win, which chance hardly ever finds.
func TestBestLosers(t *testing.T) {
	p := kit.Parse(t, "turn=X last=1 ..XOOOXX.XXO.OO........XOOOXXX")
	n := p.s.Search().(*Search)
	if c, ok := n.Best(linkRank); ok {
		t.Errorf("the best turn is %d, want none: 2:1 and 2:4 lose; %v", c, n.Moves(nil))
	}
	if n.Legal(code(1, 1)) || !n.Legal(code(0, 3)) {
		t.Error("1:1 is locked, 0:3 is not")
	}
}

// plainBest is what games.Staged says of Best, in a list.
func plainBest(moves []games.Ranked, least int32) (c games.Code, ok bool) {
	most := least - 1
	for _, m := range moves {
		if m.Rank > most {
			c, ok, most = m.Code, true, m.Rank
		}
	}
	return c, ok
}

// TestWins checks which of the given turns win, and that mayWin returns all of them as may and no others as sure.
func TestWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		if !s.Running() {
			return
		}
		n := s.Search().(*Search)
		of := turnSet(rapid.Uint64().Draw(t, "of")) & everyTurn
		for side, balls := range s.balls() {
			var want turnSet
			for c := range games.Code(allTurns) {
				if wheel, steps := decode(c); of&only(c) != 0 && plainWins(s.rules, plainTurn(balls, wheel, steps)) {
					want |= only(c)
				}
			}
			if may, sure := s.rules.mayWin(&n.sides[side], of); want&^may != 0 || may&^of != 0 || sure&^want != 0 {
				t.Errorf("%b of %b may win and %b do for sure, want %b", may, of, sure, want)
			}
			if got := s.rules.wins(&n.sides[side], of); got != want {
				t.Errorf("%b of %b win, want %b", got, of, want)
			}
		}
	})
}

// TestSearchForgetsNothing plays on and back at random and compares with a search that begins where it has got.
func TestSearchForgetsNothing(t *testing.T) {
	for _, o := range optionSets(t) {
		t.Run(o.String(), func(t *testing.T) {
			r := games.NewRandom(7)
			p, err := New().New(o)
			if err != nil {
				t.Fatal(err)
			}
			n := p.State().(*State).Search().(*Search)
			states := []*State{p.State().(*State)}
			for range 300 {
				s := states[len(states)-1]
				if got, want := seen(n), seen(s.Search().(*Search)); got != want {
					t.Fatalf("%s: %s, want %s", s.Clone().Freeze(), got, want)
				}
				if moves := s.Moves(nil); len(moves) > 0 && r.N(3) > 0 {
					next := s.Clone().(*State)
					c := moves[r.N(len(moves))]
					next.Play(c)
					n.Play(c)
					states = append(states, next)
				} else if len(states) > 1 {
					n.Undo()
					states = states[:len(states)-1]
				}
			}
		})
	}
}

// seen is all that a search tells.
func seen(n *Search) string {
	over, outcome := n.Over()
	noisy, must := n.Noisy(nil)
	return fmt.Sprint(n.Turn(), over, outcome, n.Key(), n.Evaluate(), n.Moves(nil), noisy, must)
}
