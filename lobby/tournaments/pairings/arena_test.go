package pairings

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludoteca/games"
	"pgregory.net/rapid"
)

// checkArena fails if pairs break a rule of Arena.
func checkArena(t checker, waiting []Waiting, pairs []Pair) {
	t.Helper()
	repeats := func(a, b Waiting) bool { return a.Last == b.Number || b.Last == a.Number }
	byNumber := make(map[int]Waiting)
	fresh := false // there are two who may play without a second match in a row
	for i, w := range waiting {
		byNumber[w.Number] = w
		for _, o := range waiting[:i] {
			fresh = fresh || !repeats(w, o) && !(w.Computer && o.Computer)
		}
	}
	may := func(a, b Waiting) bool {
		return !(a.Computer && b.Computer) && (fresh && !repeats(a, b) || !fresh && min(a.Waited, b.Waited) >= Rematch)
	}
	paired := make(map[int]bool)
	for _, p := range pairs {
		a, here := byNumber[p.First]
		b, too := byNumber[p.Second]
		if !here || !too || paired[p.First] || paired[p.Second] || p.First == p.Second {
			t.Fatalf("%v: %v doesn't wait or is paired twice", pairs, p)
		}
		paired[p.First], paired[p.Second] = true, true
		if !may(a, b) {
			t.Fatalf("%v: %v may not play, of %+v", pairs, p, waiting)
		}
		if a.Balance > b.Balance {
			t.Fatalf("%v: number %d has had the first side more often than number %d: %+v", pairs, a.Number, b.Number, waiting)
		}
	}
	var left []Waiting
	for _, w := range waiting {
		if !paired[w.Number] {
			left = append(left, w)
		}
	}
	for i, a := range left {
		for _, b := range left[:i] {
			if may(a, b) {
				t.Fatalf("%v: %d and %d wait, of %+v", pairs, a.Number, b.Number, waiting)
			}
		}
	}
}

// TestArena pairs random players.
func TestArena(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "players")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		waiting := make([]Waiting, n)
		for i := range waiting {
			waiting[i] = Waiting{Number: i + 1, Score: rng.IntN(20), Rating: 1500 + 300*rng.NormFloat64(), Waited: time.Duration(rng.IntN(20)) * time.Second,
				Last: rng.IntN(n + 3), Balance: rng.IntN(5) - 2, Side: games.Side(rng.IntN(2)), Computer: rng.IntN(3) == 0}
		}
		seed := rng.Uint64()
		pairs, err := Arena(waiting, rand.New(rand.NewPCG(seed, 2)))
		if err != nil {
			t.Fatal(err)
		}
		checkArena(t, waiting, pairs)
		rng.Shuffle(n, func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		if again, _ := Arena(waiting, rand.New(rand.NewPCG(seed, 2))); !slices.Equal(again, pairs) {
			t.Fatalf("%v in another order, %v before", again, pairs)
		}
	})
}

// TestArenaChooses checks who comes first, whom they get, and the way out when the last two have just played.
func TestArenaChooses(t *testing.T) {
	pair := func(waiting ...Waiting) []Pair {
		t.Helper()
		pairs, err := Arena(waiting, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		checkArena(t, waiting, pairs)
		for i, p := range pairs {
			pairs[i] = Pair{min(p.First, p.Second), max(p.First, p.Second)}
		}
		return sorted(pairs)
	}
	if got := pair(Waiting{Number: 1, Waited: time.Minute, Score: 9}, Waiting{Number: 2, Score: 2}, Waiting{Number: 3, Score: 8}); !slices.Equal(got, []Pair{{1, 3}}) {
		t.Errorf("the nearest score: %v", got)
	}
	if got := pair(Waiting{Number: 1, Waited: time.Minute, Rating: 1500}, Waiting{Number: 2, Rating: 1700}, Waiting{Number: 3, Rating: 1400}); !slices.Equal(got, []Pair{{1, 3}}) {
		t.Errorf("the nearest rating: %v", got)
	}
	if got := pair(Waiting{Number: 1, Score: 1}, Waiting{Number: 2, Score: 2}, Waiting{Number: 3, Score: 100, Waited: time.Minute}); len(got) != 1 || got[0].Second != 3 {
		t.Errorf("the longest wait: %v", got)
	}
	if got := pair(Waiting{Number: 1, Last: 2}, Waiting{Number: 2, Last: 1}); got != nil {
		t.Errorf("the same two at once: %v", got)
	}
	if got := pair(Waiting{Number: 1, Last: 2, Waited: Rematch}, Waiting{Number: 2, Last: 1, Waited: Rematch}); !slices.Equal(got, []Pair{{1, 2}}) {
		t.Errorf("the same two after a while: %v", got)
	}
	// Numbers 1 and 2 suit each other, and 3 and 4 are left, who have just played.
	if got := pair(Waiting{Number: 1, Waited: time.Minute}, Waiting{Number: 2}, Waiting{Number: 3, Score: 50, Last: 4}, Waiting{Number: 4, Score: 50, Last: 3}); len(got) != 2 {
		t.Errorf("four players: %v", got)
	}
	bot := func(n, last int) Waiting { return Waiting{Number: n, Last: last, Waited: time.Minute, Computer: true} }
	if got := pair(bot(1, 0), bot(2, 0), Waiting{Number: 3}); len(got) != 1 || got[0].Second != 3 {
		t.Errorf("two computer players and one other: %v", got)
	}
	if got := pair(bot(1, 3), bot(2, 3), Waiting{Number: 3, Last: 2, Waited: Rematch}); len(got) != 1 || got[0].Second != 3 {
		t.Errorf("two computer players and one other who has played both: %v", got)
	}
	if got := pair(bot(1, 0), bot(2, 0)); len(got) != 0 {
		t.Errorf("two computer players: %v", got)
	}
	for name, waiting := range map[string][]Waiting{"a number twice": {{Number: 1}, {Number: 1}}, "number 0": {{}}, "too many": make([]Waiting, MaxEntrants+1), "a rating that is none": {{Number: 1, Rating: math.NaN()}}} {
		if _, err := Arena(waiting, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrEntrants) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArenaWaits simulates an arena of 40 players at 3+2 over an hour, paired each second: 95 of 100 waits are shorter than 15 seconds.
func TestArenaWaits(t *testing.T) {
	for seed := range uint64(5) {
		waits, matches := simulateArena(t, 40, time.Hour, seed)
		slices.Sort(waits)
		p95, most := waits[len(waits)*95/100], waits[len(waits)-1]
		t.Logf("seed %d: %d matches, half wait under %v, 95 of 100 under %v, the longest %v", seed, matches, waits[len(waits)/2], p95, most)
		if p95 >= 15*time.Second || matches < 300 {
			t.Errorf("seed %d: 95 of 100 waits are under %v, %d matches", seed, p95, matches)
		}
	}
}

// simulateArena returns how long players waited for each match, from the end of the one before. A match has 36 moves on average, from 8 to
// 90, of both sides together, each of them 4.2 seconds on average: two and a half minutes, of the 7 that both clocks allow. After one match
// in twenty each player makes a pause.
//
// The two whose match ends can't play each other if a third one waits, so one of the three waits for the end of the next match, whatever
// the pairing. Matches twice as long make the waits twice as long.
func simulateArena(t *testing.T, n int, span time.Duration, seed uint64) (waits []time.Duration, matches int) {
	rng := rand.New(rand.NewPCG(seed, 5))
	type player struct {
		Waiting
		since time.Duration // it has waited from then on, or will
	}
	players := make([]player, n)
	for i := range players {
		players[i] = player{Waiting: Waiting{Number: i + 1, Rating: 1500 + 250*rng.NormFloat64()}, since: time.Duration(rng.IntN(60)) * time.Second}
	}
	for now := time.Duration(0); now < span; now += time.Second {
		var waiting []Waiting
		for i := range players {
			if p := &players[i]; p.since <= now {
				p.Waited = now - p.since
				waiting = append(waiting, p.Waiting)
			}
		}
		pairs, err := Arena(waiting, rng)
		if err != nil {
			t.Fatal(err)
		}
		checkArena(t, waiting, pairs)
		for _, pair := range pairs {
			matches++
			end := now
			for range min(max(int(36+15*rng.NormFloat64()), 8), 90) {
				end += time.Duration(rng.ExpFloat64() * 4.2 * float64(time.Second))
			}
			for side, number := range []int{pair.First, pair.Second} {
				p := &players[number-1]
				waits = append(waits, p.Waited)
				p.Last, p.Side = pair.First+pair.Second-number, games.Side(side)
				p.Balance += 1 - 2*side
				p.since = end
				if rng.IntN(20) == 0 {
					p.since += time.Duration(rng.IntN(300)) * time.Second // a pause
				}
			}
			if rng.Float64() < 0.5 {
				players[pair.First-1].Score += Win
			} else {
				players[pair.Second-1].Score += Win
			}
		}
	}
	for _, p := range players {
		if cmp.Compare(max(p.Balance, -p.Balance), 3) > 0 {
			t.Errorf("number %d has had one side %d times more often than the other", p.Number, p.Balance)
		}
	}
	return waits, matches
}
