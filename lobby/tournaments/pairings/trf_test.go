package pairings

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludoteca/games"
)

// An event is a tournament as a file in FIDE's format TRF16 has it.
type event struct {
	entrants []Entrant
	rounds   int
	initial  games.Side
}

// parseTRF reads the rows of players (001), the number of rounds (XXR) and the first side (XXC). Players who are absent in the next round
// have an absence as their last round, one more than the others. Without XXR the event has ended.
func parseTRF(t testing.TB, text string) event {
	t.Helper()
	var e event
	colour := ""
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "XXR"):
			e.rounds, _ = strconv.Atoi(fields[1])
		case strings.HasPrefix(line, "XXC"):
			for _, f := range fields[1:] {
				if f == "white1" || f == "black1" {
					colour = f
				}
			}
		case strings.HasPrefix(line, "001"):
			number, err := strconv.Atoi(strings.TrimSpace(line[4:8]))
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			p := Entrant{Number: number}
			for at := 91; at+8 <= len(line); at += 10 {
				p.Rounds = append(p.Rounds, parseRound(t, line[at:at+8]))
			}
			e.entrants = append(e.entrants, p)
		}
	}
	played := 0
	for _, p := range e.entrants {
		for i, r := range p.Rounds {
			if r.Opponent != 0 {
				played = max(played, i+1)
			}
		}
	}
	for i := range e.entrants {
		p := &e.entrants[i]
		p.Absent = len(p.Rounds) > played
		for len(p.Rounds) < played {
			p.Rounds = append(p.Rounds, Round{})
		}
		p.Rounds = p.Rounds[:played]
	}
	if e.rounds == 0 {
		e.rounds = played
	}
	// Without XXC the side of the strongest one in the first round says it.
	if colour == "black1" {
		e.initial = games.Second
	} else if colour == "" && played > 0 {
		for i, p := range e.entrants {
			if r := p.Rounds[0]; r.Opponent != 0 {
				e.initial = r.Side
				if i%2 == 1 {
					e.initial = r.Side.Other()
				}
				break
			}
		}
	}
	return e
}

// parseRound reads a round, such as "  31 b 1" or "0000 - H".
func parseRound(t testing.TB, text string) Round {
	opponent, _ := strconv.Atoi(strings.TrimSpace(text[:4]))
	r := Round{Opponent: opponent}
	if text[5] == 'b' {
		r.Side = games.Second
	}
	switch text[7] {
	case '1', 'W', 'F', 'U':
		r.Points = Win
	case '+':
		r.Points, r.Forfeit = Win, true
	case '=', 'D', 'H':
		r.Points = Draw
	case '-':
		r.Forfeit = true
	case '0', 'L', 'Z', ' ':
	default:
		t.Fatalf("round %q", text)
	}
	return r
}

// parsePairs reads the answer of a pairing program: the number of pairs, then a pair in each line, with 0 for a bye.
func parsePairs(t testing.TB, text string) []Pair {
	lines := strings.Fields(text)
	var pairs []Pair
	for i := 1; i+1 < len(lines); i += 2 {
		a, err := strconv.Atoi(lines[i])
		b, err2 := strconv.Atoi(lines[i+1])
		if err != nil || err2 != nil {
			t.Fatalf("pairs %q", text)
		}
		pairs = append(pairs, Pair{a, b})
	}
	return pairs
}

// sorted returns pairs in an order of their own.
func sorted(pairs []Pair) []Pair {
	return slices.SortedFunc(slices.Values(pairs), func(a, b Pair) int { return a.First - b.First })
}
