package pairings

import (
	"cmp"
	"fmt"
	"slices"
)

// Decider is the stage of the last match of a tie: a single one, in which a draw is enough for Second. The stages before it are two matches
// with the sides swapped. Each stage is shorter than the one before.
const Decider = 3

// A Bracket is the state of a knockout: a fold over results and withdrawals, in their order. Only one goroutine may use it.
//
// The strongest entrants have byes in the first round if the number of entrants is no power of two, and the two strongest can only meet in
// the final.
type Bracket struct {
	rounds [][]Tie
	first  map[int]int  // the tie of the first round that each entrant is in
	out    map[int]bool // who has withdrawn
	reach  map[int]int  // the round that each entrant plays or has lost in
	points map[int]int
}

// A Tie is two entrants of whom one goes on.
type Tie struct {
	Upper, Lower int       // numbers; 0: not known yet, or nobody
	Matches      []Contest // in order
	Decided      bool
	Winner       int // when Decided; 0: both have withdrawn
}

// A Contest is a match of a tie.
type Contest struct {
	Pair
	Stage  int    // from 0 to Decider
	Points [2]int // of First and Second
}

// A Meeting is a match that is to be played now.
type Meeting struct {
	Round, Tie int // indexes of the bracket's rounds and of their ties
	Pair
	Stage int // from 0, the full time, to Decider
}

// NewBracket makes the bracket of entrants with these numbers, the strongest first.
func NewBracket(numbers []int) (*Bracket, error) {
	if len(numbers) < 2 || len(numbers) > MaxEntrants {
		return nil, fmt.Errorf("%w: %d of them, where 2 to %d may be", ErrEntrants, len(numbers), MaxEntrants)
	}
	b := &Bracket{first: make(map[int]int), out: make(map[int]bool), reach: make(map[int]int), points: make(map[int]int)}
	for _, n := range numbers {
		if _, twice := b.reach[n]; twice || n < 1 {
			return nil, fmt.Errorf("%w: number %d", ErrEntrants, n)
		}
		b.reach[n] = 0
	}
	// Twice as many places put the weakest possible opponent beside each place of the smaller bracket.
	places := []int{0}
	for len(places) < len(numbers) {
		double := make([]int, 0, 2*len(places))
		for _, p := range places {
			double = append(double, p, 2*len(places)-1-p)
		}
		places = double
	}
	at := func(place int) int {
		if place < len(numbers) {
			return numbers[place]
		}
		return 0
	}
	first := make([]Tie, len(places)/2)
	for i := range first {
		x, y := places[2*i], places[2*i+1]
		first[i] = Tie{Upper: at(min(x, y)), Lower: at(max(x, y))}
		b.first[first[i].Upper] = i
		if first[i].Lower != 0 {
			b.first[first[i].Lower] = i
		}
	}
	b.rounds = [][]Tie{first}
	for n := len(first) / 2; n > 0; n /= 2 {
		b.rounds = append(b.rounds, make([]Tie, n))
	}
	for i, t := range first {
		if t.Lower == 0 {
			b.decide(0, i, t.Upper)
		}
	}
	return b, nil
}

// Rounds returns a copy of all ties by their rounds, the final last.
func (b *Bracket) Rounds() [][]Tie {
	rounds := make([][]Tie, len(b.rounds))
	for i, ties := range b.rounds {
		rounds[i] = slices.Clone(ties)
		for j, t := range ties {
			rounds[i][j].Matches = slices.Clone(t.Matches)
		}
	}
	return rounds
}

// Over reports whether the knockout has ended, and returns its winner: 0 if all have withdrawn.
func (b *Bracket) Over() (winner int, over bool) {
	final := b.rounds[len(b.rounds)-1][0]
	return final.Winner, final.Decided
}

// Ready returns the matches that are to be played now, one of each tie that both entrants have reached. A match stays in the list until
// its result is known.
func (b *Bracket) Ready() []Meeting {
	var ready []Meeting
	for i, ties := range b.rounds {
		for j, t := range ties {
			if !t.Decided && t.Upper != 0 && t.Lower != 0 {
				pair, stage := t.next()
				ready = append(ready, Meeting{i, j, pair, stage})
			}
		}
	}
	return ready
}

// next returns the next match of an undecided tie. Upper begins as First, and the two swap in each match of a stage; the first match of a
// stage has the sides of the last one before it.
func (t Tie) next() (Pair, int) {
	stage, at := len(t.Matches)/2, len(t.Matches)%2
	if (stage+at)%2 == 0 {
		return Pair{t.Upper, t.Lower}, stage
	}
	return Pair{t.Lower, t.Upper}, stage
}

// Result records the points of the two who have played the match that was Ready. Neither has any if neither has come.
func (b *Bracket) Result(pair Pair, first, second int) error {
	if min(first, second) < Loss || first+second > Win {
		return fmt.Errorf("%w: %d and %d points", ErrEntrants, first, second)
	}
	if round, tie, ok := b.plays(pair.First); ok {
		t := &b.rounds[round][tie]
		if next, stage := t.next(); next == pair {
			t.Matches = append(t.Matches, Contest{pair, stage, [2]int{first, second}})
			b.points[pair.First] += first
			b.points[pair.Second] += second
			if winner := t.result(); winner != 0 {
				b.decide(round, tie, winner)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: no match of %d and %d is to be played", ErrEntrants, pair.First, pair.Second)
}

// plays returns the undecided tie that an entrant and an opponent have reached; ok is false if there is none.
func (b *Bracket) plays(number int) (round, tie int, ok bool) {
	round, in := b.reach[number]
	if !in || round == len(b.rounds) {
		return 0, 0, false
	}
	tie = b.first[number] >> round
	t := b.rounds[round][tie]
	return round, tie, !t.Decided && t.Upper != 0 && t.Lower != 0
}

// result returns who has won the tie by its matches; 0: nobody yet.
func (t Tie) result() int {
	last := t.Matches[len(t.Matches)-1]
	upper := 0 // points of Upper in the last stage less points of Lower
	for _, m := range t.Matches {
		if m.Stage == last.Stage {
			lead := m.Points[0] - m.Points[1]
			if m.First == t.Lower {
				lead = -lead
			}
			upper += lead
		}
	}
	switch {
	case last.Stage < Decider && len(t.Matches)%2 == 1:
		return 0
	case upper > 0:
		return t.Upper
	case upper < 0:
		return t.Lower
	case last.Stage == Decider:
		return last.Second
	}
	return 0
}

// Withdraw takes an entrant out. The tie that it plays or will play is lost, ties that are decided stay so.
func (b *Bracket) Withdraw(number int) error {
	if _, in := b.reach[number]; !in {
		return fmt.Errorf("%w: number %d takes no part", ErrEntrants, number)
	}
	b.out[number] = true
	if round, tie, ok := b.plays(number); ok {
		t := b.rounds[round][tie]
		b.decide(round, tie, t.Upper+t.Lower-number)
	}
	return nil
}

// decide ends a tie and puts its winner, 0 if there is none, into the next round, where the opponent may be missing.
func (b *Bracket) decide(round, tie, winner int) {
	for {
		t := &b.rounds[round][tie]
		t.Decided, t.Winner = true, winner
		if round++; round == len(b.rounds) {
			if winner != 0 {
				b.reach[winner] = round
			}
			return
		}
		if winner != 0 {
			b.reach[winner] = round
		}
		tie /= 2
		from := b.rounds[round-1][2*tie : 2*tie+2]
		next := &b.rounds[round][tie]
		next.Upper, next.Lower = from[0].Winner, from[1].Winner
		if !from[0].Decided || !from[1].Decided {
			return
		}
		switch upper, lower := next.Upper, next.Lower; {
		case upper == 0 || lower == 0: // one of them or both are missing
			winner = upper + lower
		case b.out[lower]:
			winner = upper
		case b.out[upper]:
			winner = lower
		default:
			return
		}
	}
}

// Standing ranks the entrants by the round that they have reached. Entrants who have lost in the same round share a rank, and within it the
// one with more points comes first.
func (b *Bracket) Standing() []Place {
	var places []Place
	for number := range b.reach {
		places = append(places, Place{Number: number, Points: b.points[number]})
	}
	slices.SortFunc(places, func(x, y Place) int {
		return cmp.Or(cmp.Compare(b.reach[y.Number], b.reach[x.Number]), cmp.Compare(y.Points, x.Points), cmp.Compare(x.Number, y.Number))
	})
	for i := range places {
		places[i].Rank = i + 1
		if i > 0 && b.reach[places[i-1].Number] == b.reach[places[i].Number] {
			places[i].Rank = places[i-1].Rank
		}
	}
	return places
}
