package pairings

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ludoteca/games"
	"pgregory.net/rapid"
)

// A swissEvent is a simulated Swiss: how it is drawn, and who leaves or comes late.
type swissEvent struct {
	entrants, rounds int
	away, late       int // of a hundred entrants each round; of a hundred entrants
	seed             uint64
	initial          games.Side
	checkImpossible  bool // a second program confirms that a round can't be paired
}

// each plays the rounds of the event, which pair pairs, until it returns nil. It returns the entrants with all their rounds, and whether there is
// nothing left to pair.
func (s swissEvent) each(pair func(round int, entrants []Entrant) []Pair, result chance) (entrants []Entrant, over bool) {
	rng := rand.New(rand.NewPCG(s.seed, 7))
	for i := range s.entrants {
		if rng.IntN(100) >= s.late {
			entrants = append(entrants, Entrant{Number: i + 1})
		}
	}
	for round := range s.rounds {
		// Latecomers enter with the numbers that are left, and have no points for the rounds that they missed.
		for number := 1; number <= s.entrants; number++ {
			known := slices.ContainsFunc(entrants, func(e Entrant) bool { return e.Number == number })
			if !known && rng.IntN(3) == 0 {
				entrants = append(entrants, Entrant{Number: number, Rounds: make([]Round, round)})
			}
		}
		for i := range entrants {
			entrants[i].Absent = rng.IntN(100) < s.away
		}
		pairs := pair(round, entrants)
		if pairs == nil {
			return entrants, false
		}
		play(entrants, pairs, rng, result)
	}
	return entrants, true
}

// run plays the event and checks each round.
func (s swissEvent) run(t checker) {
	shuffling := rand.New(rand.NewPCG(s.seed, 8))
	entrants, over := s.each(func(round int, entrants []Entrant) []Pair {
		pairs, err := Swiss(entrants, s.rounds, s.initial)
		if errors.Is(err, ErrUnpairable) {
			if s.checkImpossible && possible(present(entrants), round >= s.rounds-1) {
				t.Fatalf("round %d of %d: %v, but there is a pairing: %+v", round+1, s.rounds, err, entrants)
			}
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		checkSwissRound(t, entrants, pairs, s.rounds)
		if again, err := Swiss(entrants, s.rounds, s.initial); err != nil || !slices.Equal(again, pairs) {
			t.Fatalf("round %d: %v the second time, %v the first", round+1, again, pairs)
		}
		shuffled := slices.Clone(entrants)
		shuffling.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again, _ := Swiss(shuffled, s.rounds, s.initial); !slices.Equal(again, pairs) {
			t.Fatalf("round %d: %v in another order of the entrants, %v before", round+1, again, pairs)
		}
		if pairs == nil {
			pairs = []Pair{} // nobody is here
		}
		return pairs
	}, likely)
	if !over {
		return
	}
	points := make(map[int]int)
	for _, e := range entrants {
		for _, r := range e.Rounds {
			points[e.Number] += r.Points
		}
	}
	places, err := Standing(entrants, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		if p.Points != points[p.Number] {
			t.Fatalf("number %d has %d points, want %d", p.Number, p.Points, points[p.Number])
		}
	}
	checkStanding(t, entrants, false, places)
}

// present returns the entrants who take part in the next round.
func present(entrants []Entrant) []Entrant {
	return slices.DeleteFunc(slices.Clone(entrants), func(e Entrant) bool { return e.Absent })
}

// A history is what the rules ask about an entrant, read from its rounds alone.
type history struct {
	met      map[int]bool
	sides    []int // 1 for First, -1 for Second
	bye      bool
	topScore bool
}

// historyOf reads the rounds of e.
func historyOf(e Entrant) history {
	h := history{met: make(map[int]bool)}
	sum := 0
	for _, r := range e.Rounds {
		sum += r.Points
		if r.Opponent != 0 && !r.Forfeit {
			h.met[r.Opponent] = true
			h.sides = append(h.sides, 1-2*int(r.Side))
		} else if r.Points == Win {
			h.bye = true
		}
	}
	h.topScore = sum > len(e.Rounds)
	return h
}

// bears reports whether a side keeps the bounds: a difference of two at most, and not three times running.
func (h history) bears(side int) bool {
	sum := side
	for _, s := range h.sides {
		sum += s
	}
	n := len(h.sides)
	return sum >= -2 && sum <= 2 && (n < 2 || h.sides[n-1] != side || h.sides[n-2] != side)
}

// checkSwissRound fails if a pairing breaks one of the rules that have no exceptions.
func checkSwissRound(t checker, entrants []Entrant, pairs []Pair, rounds int) {
	t.Helper()
	if len(entrants) == 0 {
		if len(pairs) > 0 {
			t.Fatalf("%v of nobody", pairs)
		}
		return
	}
	last := len(entrants[0].Rounds) >= rounds-1
	histories := make(map[int]history)
	for _, e := range present(entrants) {
		histories[e.Number] = historyOf(e)
	}
	seen := make(map[int]bool)
	for i, p := range pairs {
		a, here := histories[p.First]
		if !here || seen[p.First] || seen[p.Second] || p.First == p.Second {
			t.Fatalf("%v: number %d is absent or paired twice", pairs, p.First)
		}
		seen[p.First] = true
		if p.Second == 0 {
			if i != len(pairs)-1 || len(histories)%2 == 0 || a.bye {
				t.Fatalf("%v: number %d has a bye", pairs, p.First)
			}
			continue
		}
		seen[p.Second] = true
		b, here := histories[p.Second]
		if !here || a.met[p.Second] {
			t.Fatalf("%v: numbers %d and %d have met, or one is absent", pairs, p.First, p.Second)
		}
		if excused := last && (a.topScore || b.topScore); !excused && (!a.bears(1) || !b.bears(-1)) {
			t.Fatalf("%v: sides of numbers %d and %d: %v, %v", pairs, p.First, p.Second, a.sides, b.sides)
		}
	}
	if len(seen) != len(histories) {
		t.Fatalf("%v: %d are paired, %d are present", pairs, len(seen), len(histories))
	}
}

// possible reports whether all can be paired, by trying everything.
func possible(entrants []Entrant, last bool) bool {
	histories := make([]history, len(entrants))
	for i, e := range entrants {
		histories[i] = historyOf(e)
	}
	var try func(left []int) bool
	try = func(left []int) bool {
		if len(left) == 0 {
			return true
		}
		a := histories[left[0]]
		if len(left)%2 == 1 {
			for i, x := range left {
				if !histories[x].bye && try(slices.Delete(slices.Clone(left), i, i+1)) {
					return true
				}
			}
			return false
		}
		for i, x := range left[1:] {
			b := histories[x]
			fits := a.bears(1) && b.bears(-1) || a.bears(-1) && b.bears(1) || last && (a.topScore || b.topScore)
			if !a.met[entrants[x].Number] && fits && try(slices.Delete(slices.Clone(left[1:]), i, i+1)) {
				return true
			}
		}
		return false
	}
	return try(indexes(0, len(entrants)))
}

// TestSwissEvents plays random events to their end.
func TestSwissEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "entrants")
		e := swissEvent{entrants: n, rounds: rapid.IntRange(1, 9).Draw(t, "rounds"), away: rapid.IntRange(0, 30).Draw(t, "away"),
			late: rapid.IntRange(0, 30).Draw(t, "late"), seed: rapid.Uint64().Draw(t, "seed"), checkImpossible: n <= 10}
		e.initial = games.Side(e.seed % 2)
		e.run(t)
	})
}

// A checker is a *testing.T or a *rapid.T.
type checker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// TestSwissEventsOfSizes plays events of 10, 40 and 300 entrants.
func TestSwissEventsOfSizes(t *testing.T) {
	for seed := range uint64(20) {
		swissEvent{entrants: 10, rounds: 9, away: 5, late: 10, seed: seed, checkImpossible: true}.run(t)
	}
	for seed := range uint64(5) {
		swissEvent{entrants: 40, rounds: 9, away: 5, late: 10, seed: seed, initial: games.Second}.run(t)
	}
	swissEvent{entrants: 300, rounds: 6, away: 4, late: 5, seed: 1}.run(t)
}

// TestSwissRefuses checks input that doesn't fit together, each changed in one place from an event that does.
func TestSwissRefuses(t *testing.T) {
	good := func() []Entrant {
		return []Entrant{
			{Number: 1, Rounds: []Round{{Opponent: 2, Side: games.First, Points: Win}}},
			{Number: 2, Rounds: []Round{{Opponent: 1, Side: games.Second, Points: Loss}}},
			{Number: 3, Rounds: []Round{{Points: Win}}},
		}
	}
	if _, err := Swiss(good(), 5, games.First); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]Entrant) []Entrant{
		"a number twice":        func(e []Entrant) []Entrant { e[2].Number = 1; return e },
		"number 0":              func(e []Entrant) []Entrant { e[2].Number = 0; return e },
		"an unknown opponent":   func(e []Entrant) []Entrant { e[0].Rounds[0].Opponent = 9; return e },
		"a match with itself":   func(e []Entrant) []Entrant { e[0].Rounds[0].Opponent = 1; return e },
		"an opponent elsewhere": func(e []Entrant) []Entrant { e[1].Rounds[0] = Round{}; return e },
		"one side twice":        func(e []Entrant) []Entrant { e[1].Rounds[0].Side = games.First; return e },
		"a side that isn't one": func(e []Entrant) []Entrant { e[1].Rounds[0].Side = 7; return e },
		"three points":          func(e []Entrant) []Entrant { e[0].Rounds[0].Points = 3; return e },
		"points below 0":        func(e []Entrant) []Entrant { e[2].Rounds[0].Points = -1; return e },
		"both win":              func(e []Entrant) []Entrant { e[1].Rounds[0].Points = Win; return e },
		"both lose":             func(e []Entrant) []Entrant { e[0].Rounds[0].Points = Loss; return e },
		"a forfeit on one side": func(e []Entrant) []Entrant { e[0].Rounds[0].Forfeit = true; return e },
		"fewer rounds of one":   func(e []Entrant) []Entrant { e[2].Rounds = nil; return e },
		"too many rounds":       func(e []Entrant) []Entrant { return []Entrant{{Number: 1, Rounds: make([]Round, MaxRounds+1)}} },
		"thousands of entrants": func(e []Entrant) []Entrant { return make([]Entrant, 5000) },
		"an opponent below 0":   func(e []Entrant) []Entrant { e[0].Rounds[0].Opponent = -2; return e },
	} {
		if _, err := Swiss(change(good()), 5, games.First); !errors.Is(err, ErrEntrants) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Standing(change(good()), false); !errors.Is(err, ErrEntrants) {
			t.Errorf("%s: %v in a standing", name, err)
		}
	}
	for _, none := range [][]Entrant{nil, {{Number: 1, Absent: true}}} {
		if pairs, err := Swiss(none, 3, games.First); err != nil || len(pairs) != 0 {
			t.Errorf("nobody: %v, %v", pairs, err)
		}
	}
}

// FuzzSwiss builds entrants from bytes: most don't fit together, and none may panic.
func FuzzSwiss(f *testing.F) {
	f.Add([]byte{3, 1, 1, 2, 0, 2, 2, 1, 1, 0, 3, 0, 0, 2}, 3)
	f.Add([]byte{0}, 0)
	f.Fuzz(func(t *testing.T, data []byte, rounds int) {
		if len(data) == 0 || len(data) > 400 {
			return
		}
		each := int(data[0] % 8)
		var entrants []Entrant
		for data = data[1:]; len(data) > 3*each; data = data[1+3*each:] {
			e := Entrant{Number: int(data[0]), Absent: data[0] >= 200}
			for i := range each {
				r := data[1+3*i:]
				e.Rounds = append(e.Rounds, Round{Opponent: int(r[0]), Side: games.Side(r[1] & 3), Points: int(int8(r[2])) >> 1, Forfeit: r[2]&1 == 1})
			}
			entrants = append(entrants, e)
		}
		pairs, err := Swiss(entrants, rounds, games.Side(rounds&1))
		if err == nil {
			checkSwissRound(t, entrants, pairs, rounds)
		}
		if _, err := Standing(entrants, len(data)%2 == 0); err != nil && !errors.Is(err, ErrEntrants) {
			t.Fatal(err)
		}
		_, _ = ArenaStanding(entrants)
	})
}

// TestExhibition gives the one the side that was chosen.
func TestExhibition(t *testing.T) {
	for side, want := range map[games.Side][]Pair{games.First: {{7, 2}, {7, 9}}, games.Second: {{2, 7}, {9, 7}}} {
		if got := Exhibition(7, []int{2, 9}, side); !slices.Equal(got, want) {
			t.Errorf("the one is %v: %v, want %v", side, got, want)
		}
	}
}
