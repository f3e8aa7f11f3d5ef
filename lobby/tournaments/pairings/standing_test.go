package pairings

import (
	"slices"
	"sort"
	"testing"

	"ludoteca/games"
	"pgregory.net/rapid"
)

// checkStanding compares with a second program, written for the letter of C.07 and not for speed.
func checkStanding(t checker, entrants []Entrant, robin bool, places []Place) {
	t.Helper()
	byNumber := make(map[int]Entrant)
	for _, e := range entrants {
		byNumber[e.Number] = e
	}
	if len(places) != len(entrants) {
		t.Fatalf("%d places of %d entrants", len(places), len(entrants))
	}
	for i, p := range places {
		want := naiveTieBreaks(byNumber, p.Number, robin)
		if got := [4]int{p.Points, p.CutBuchholz, p.Buchholz, p.Berger}; got != want {
			t.Fatalf("number %d has %v, want %v", p.Number, got, want)
		}
		if i == 0 {
			if p.Rank != 1 {
				t.Fatalf("the first has rank %d", p.Rank)
			}
			continue
		}
		before := places[i-1]
		if order := slices.Compare([]int{before.Points, before.CutBuchholz, before.Buchholz, before.Berger}, want[:]); order < 0 ||
			order > 0 && p.Rank != i+1 || p.Rank != i+1 && p.Rank != before.Rank {
			t.Fatalf("place %d: %+v after %+v", i+1, p, before)
		}
	}
}

// naiveTieBreaks computes points, Buchholz cut 1, Buchholz and Sonneborn-Berger of one entrant from all rounds.
func naiveTieBreaks(all map[int]Entrant, number int, robin bool) [4]int {
	own := 0
	for _, r := range all[number].Rounds {
		own += r.Points
	}
	type contribution struct {
		value     int
		voluntary bool
	}
	var list []contribution
	berger := 0
	for _, r := range all[number].Rounds {
		unplayed := r.Opponent == 0 || r.Forfeit
		if robin {
			unplayed = r.Opponent == 0
			if unplayed {
				continue
			}
		}
		value := own
		if !unplayed {
			value = 0
			rounds := all[r.Opponent].Rounds
			for i, o := range rounds {
				absentToTheEnd := true
				for _, later := range rounds[i:] {
					if !(later.Opponent == 0 || later.Forfeit) || later.Points == 2 {
						absentToTheEnd = false
					}
				}
				if absentToTheEnd && o.Opponent == 0 && !robin {
					value++
				} else {
					value += o.Points
				}
			}
		}
		// A forfeit of a round robin is cut like a match, unless it was lost.
		list = append(list, contribution{value, unplayed && r.Points < 2})
		berger += value * r.Points
	}
	sum := 0
	for _, c := range list {
		sum += c.value
	}
	cut := sum
	if len(list) > 0 {
		sort.Slice(list, func(i, j int) bool {
			if list[i].voluntary != list[j].voluntary {
				return list[i].voluntary
			}
			return list[i].value < list[j].value
		})
		cut -= list[0].value
	}
	return [4]int{own, cut, sum, berger}
}

// TestRobinStanding plays round robins, once and twice, and compares the standing with the second program.
func TestRobinStanding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, twice := rapid.IntRange(2, 12).Draw(t, "entrants"), rapid.Bool().Draw(t, "twice")
		results := rapid.SliceOfN(rapid.IntRange(0, 9), n, 4*n).Draw(t, "results")
		entrants := make([]Entrant, n)
		for i := range entrants {
			entrants[i].Number = i + 1
		}
		at := 0
		for round := range RoundRobinRounds(n, twice) {
			for _, p := range RoundRobin(n, round, twice) {
				if p.Second == 0 {
					entrants[p.First-1].Rounds = append(entrants[p.First-1].Rounds, Round{})
					continue
				}
				at++
				result := results[at%len(results)]
				points := [][2]int{{2, 0}, {0, 2}, {1, 1}, {0, 0}}[min(result/3, 3)]
				forfeit := points == [2]int{} || result == 1
				entrants[p.First-1].Rounds = append(entrants[p.First-1].Rounds, Round{p.Second, games.First, points[0], forfeit})
				entrants[p.Second-1].Rounds = append(entrants[p.Second-1].Rounds, Round{p.First, games.Second, points[1], forfeit})
			}
		}
		places, err := Standing(entrants, true)
		if err != nil {
			t.Fatal(err)
		}
		checkStanding(t, entrants, true, places)
	})
}

// TestDirectEncounter has entrants whom only their match tells apart.
func TestDirectEncounter(t *testing.T) {
	match := func(opponent, points int, side games.Side) Round {
		return Round{Opponent: opponent, Points: points, Side: side}
	}
	first, second := games.First, games.Second
	// In a double round robin of two with a win each nobody is ahead.
	equal := []Entrant{
		{Number: 1, Rounds: []Round{match(2, Win, first), match(2, Loss, second)}},
		{Number: 2, Rounds: []Round{match(1, Loss, second), match(1, Win, first)}},
	}
	places, err := Standing(equal, true)
	if err != nil || places[0].Rank != 1 || places[1].Rank != 1 {
		t.Errorf("equal entrants: %+v, %v", places, err)
	}
	// In a round of three where each beats the next all are equal.
	circle := []Entrant{
		{Number: 1, Rounds: []Round{match(2, Win, first), {}, match(3, Loss, second)}},
		{Number: 2, Rounds: []Round{match(1, Loss, second), match(3, Win, first), {}}},
		{Number: 3, Rounds: []Round{{}, match(2, Loss, second), match(1, Win, first)}},
	}
	places, err = Standing(circle, true)
	if err != nil || places[0].Rank != 1 || places[1].Rank != 1 || places[2].Rank != 1 {
		t.Errorf("a circle: %+v, %v", places, err)
	}
	// Number 3 has won the match of the two.
	tied := []Place{{Number: 1}, {Number: 3}}
	encounter := map[int]Entrant{1: {Number: 1, Rounds: []Round{match(3, Loss, first)}}, 3: {Number: 3, Rounds: []Round{match(1, Win, second)}}}
	byEncounter(tied, 2, encounter, false)
	if tied[0].Number != 3 || tied[0].Rank != 2 || tied[1].Rank != 3 {
		t.Errorf("an encounter: %+v", tied)
	}
	// A forfeit is no encounter in a Swiss.
	encounter[1].Rounds[0].Forfeit, encounter[3].Rounds[0].Forfeit = true, true
	byEncounter(tied, 2, encounter, false)
	if tied[0].Rank != 2 || tied[1].Rank != 2 {
		t.Errorf("a forfeit: %+v", tied)
	}
	// In a Swiss two of three who haven't met could still pass the third, unless it has won more than they could.
	open := []Place{{Number: 1}, {Number: 2}, {Number: 3}}
	rounds := map[int]Entrant{
		1: {Number: 1, Rounds: []Round{match(2, Win, first)}},
		2: {Number: 2, Rounds: []Round{match(1, Loss, second)}},
		3: {Number: 3},
	}
	byEncounter(open, 5, rounds, false)
	if open[0].Rank != 5 || open[1].Rank != 5 || open[2].Rank != 5 {
		t.Errorf("three of whom one pair has met: %+v", open)
	}
	rounds[1] = Entrant{Number: 1, Rounds: []Round{match(2, Win, first), match(3, Win, second)}}
	rounds[3] = Entrant{Number: 3, Rounds: []Round{match(1, Loss, first)}}
	byEncounter(open, 5, rounds, false)
	if open[0].Number != 1 || open[0].Rank != 5 || open[1].Rank != 6 || open[2].Rank != 6 {
		t.Errorf("one who has beaten the other two: %+v", open)
	}
}

// TestArenaPoints counts streaks.
func TestArenaPoints(t *testing.T) {
	for _, c := range []struct {
		results []int
		points  int
		streak  int
	}{
		{nil, 0, 0},
		{[]int{Win}, 2, 1},
		{[]int{Win, Win}, 4, 2},
		{[]int{Win, Win, Win}, 8, 3},
		{[]int{Win, Win, Draw, Win}, 8, 1}, // 2 2 2 2
		{[]int{Win, Win, Loss, Win}, 6, 1},
		{[]int{Draw, Loss, Draw}, 2, 0},
		{[]int{Win, Loss, Win, Win, Win, Win, Loss}, 14, 0},
	} {
		one, two := Entrant{Number: 1}, Entrant{Number: 2}
		for _, points := range c.results {
			one.Rounds = append(one.Rounds, Round{Opponent: 2, Points: points})
			two.Rounds = append(two.Rounds, Round{Opponent: 1, Points: Win - points, Side: games.Second})
		}
		places, err := ArenaStanding([]Entrant{one, two})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(places, func(p Place) bool { return p.Number == 1 })
		if p := places[i]; p.Points != c.points || p.Streak != c.streak || p.Played != len(c.results) {
			t.Errorf("%v: %+v, want %d points", c.results, p, c.points)
		}
	}
}
