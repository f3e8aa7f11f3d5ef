package pairings

// RoundRobinRounds returns how many rounds it takes until each of n entrants has played each other once, or twice.
func RoundRobinRounds(n int, twice bool) int {
	if n < 2 || n > MaxEntrants {
		return 0
	}
	rounds := n - 1 + n%2
	if twice {
		rounds *= 2
	}
	return rounds
}

// RoundRobin returns the pairs of a round, from 0, of n entrants with the numbers 1 to n, as in the Berger tables of FIDE's Handbook
// (C.05, annex 1). With an odd n one entrant has a bye in each round, the last of the pairs. The second half of an event in which each pair
// plays twice repeats the first with the sides swapped, but for the last two rounds of the first half: they come in the reverse order, so
// that nobody has a side three times running. A round that doesn't exist has no pairs.
func RoundRobin(n, round int, twice bool) []Pair {
	if round < 0 || round >= RoundRobinRounds(n, twice) {
		return nil
	}
	single := RoundRobinRounds(n, false)
	half, at := round/single, round%single
	if twice && half == 0 && at >= single-2 && single > 2 {
		at = single - 2 + single - 1 - at
	}
	even := n + n%2
	ring := even - 1
	// The entrant with the last number stays, the others move around it. Counted from 0, the one at the top of round r is r*even/2.
	top := at * (even / 2) % ring
	pairs := make([]Pair, 0, even/2)
	bye := Pair{}
	for i := range even / 2 {
		pair := Pair{(top+i)%ring + 1, (top-i+ring)%ring + 1}
		if i == 0 {
			pair.Second = even
			if at%2 == 1 {
				pair = Pair{pair.Second, pair.First}
			}
		}
		if half == 1 {
			pair = Pair{pair.Second, pair.First}
		}
		if pair.First > n || pair.Second > n {
			bye = Pair{min(pair.First, pair.Second), 0}
			continue
		}
		pairs = append(pairs, pair)
	}
	if bye.First != 0 {
		pairs = append(pairs, bye)
	}
	return pairs
}
