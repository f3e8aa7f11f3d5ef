package lab

import (
	"fmt"
	"strings"

	"ludoteca/games"
)

// score is the result of a meeting from the point of view of its first player, as JSON. Elo and Error are null where
// they would be infinite: when one player made all the points.
type score struct {
	Game    string        `json:"game"`
	Options games.Options `json:"options"`
	First   string        `json:"first"`
	Second  string        `json:"second"`
	Games   int           `json:"games"` // that are counted: fewer than were asked for if the test ended the meeting
	Wins    int           `json:"wins"`
	Draws   int           `json:"draws"`
	Losses  int           `json:"losses"`
	Score   float64       `json:"score"` // the share of the points, 0 to 1
	Elo     *float64      `json:"elo"`
	Error   *float64      `json:"error"`   // half the width of the interval that has Elo in it with 95 %
	Seconds float64       `json:"seconds"` // of this run; games of an earlier one took their own
	Cut     int           `json:"cut"`     // games that were cut off; they are among the draws

	Asked           int        `json:"asked"` // games that were asked for
	Seed            uint64     `json:"seed"`
	Openings        int        `json:"openings"`                   // plies played at random
	Positions       int        `json:"positions,omitempty"`        // where the games began, if not at the start of the game
	Faults          int        `json:"faults,omitempty"`           // games of this run that programs lost by faults of their own
	Pairs           sample     `json:"pairs,omitempty"`            // with openings or positions: how many brought 0, 0.5, 1, 1.5, 2 points
	MoveTimeSeconds float64    `json:"movetime_seconds,omitempty"` // the limit for a move, if there is one
	Clock           string     `json:"clock,omitempty"`            // of each player, or of the first if there is a limit for a move too
	SPRT            *sprtScore `json:"sprt,omitempty"`
}

// sprtScore is how a test stands.
type sprtScore struct {
	Elo0    float64 `json:"elo0"`
	Elo1    float64 `json:"elo1"`
	Alpha   float64 `json:"alpha"`
	Beta    float64 `json:"beta"`
	Ratio   float64 `json:"llr"` // accepts Elo0 at Lower and Elo1 at Upper
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Accepts string  `json:"accepts"` // "elo0", "elo1", or empty if all games were played without a decision
}

func newScore(m *Meeting) *score {
	s := &score{
		Game: m.Game.About().ID, Options: m.Options, First: m.Players[0], Second: m.Players[1],
		Asked: m.Games, Seed: m.Seed, Openings: m.Openings, Positions: len(m.Positions), MoveTimeSeconds: m.MoveTime.Seconds(), Clock: m.Clock.String(),
	}
	if m.paired() {
		s.Pairs = make(sample, 5)
	}
	if m.SPRT != (SPRT{}) {
		t := &sprtScore{Elo0: m.SPRT.Elo0, Elo1: m.SPRT.Elo1, Alpha: sprtAlpha, Beta: sprtBeta}
		t.Lower, t.Upper = m.SPRT.bounds()
		s.SPRT = t
	}
	return s
}

// An outcome is the result of a game for the first player of the meeting.
type outcome uint8

const (
	unknown outcome = iota
	lost
	drawn
	cutOff // counts as drawn
	won
)

// outcomeOf tells how a game went for the first player of the meeting.
func outcomeOf(g game) outcome {
	switch {
	case !g.result.Over:
		return cutOff
	case g.result.Draw:
		return drawn
	case int(g.result.Winner) == g.index%2:
		return won
	}
	return lost
}

// halves returns the points of a game, counted in halves.
func (o outcome) halves() int {
	switch o {
	case won:
		return 2
	case drawn, cutOff:
		return 1
	}
	return 0
}

// count adds the games that belong together.
func (s *score) count(outcomes []outcome) {
	halves := 0
	for _, o := range outcomes {
		s.Games++
		halves += o.halves()
		switch o {
		case won:
			s.Wins++
		case lost:
			s.Losses++
		case cutOff:
			s.Cut++
			s.Draws++
		default:
			s.Draws++
		}
	}
	if s.Pairs != nil {
		s.Pairs[halves]++
	}
	if t := s.SPRT; t != nil {
		t.Ratio = t.test().ratio(s.sample())
		t.Accepts = t.test().decision(t.Ratio)
	}
}

func (t *sprtScore) test() SPRT { return SPRT{t.Elo0, t.Elo1} }

// sample returns what is independent of each other: pairs of games where openings are played twice, else games.
func (s *score) sample() sample {
	if s.Pairs != nil {
		return s.Pairs
	}
	return sample{s.Losses, s.Draws, s.Wins}
}

// rate works out the figures that follow from the counts.
func (s *score) rate() {
	if s.Games == 0 {
		return
	}
	s.Score = (float64(s.Wins) + float64(s.Draws)/2) / float64(s.Games)
	s.Elo, s.Error = nil, nil
	if elo, half, ok := s.sample().elo(); ok {
		s.Elo, s.Error = &elo, &half
	}
}

// text is the score for people.
func (s *score) text(about *games.About) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s %s\n%s against %s: %d games, %d won, %d drawn, %d lost, %.1f %% of the points\n",
		about.Name, s.Options, s.First, s.Second, s.Games, s.Wins, s.Draws, s.Losses, 100*s.Score)
	if s.Elo != nil {
		fmt.Fprintf(&t, "Elo %+.0f, give or take %.0f (95 %%), %.2f s\n", *s.Elo, *s.Error, s.Seconds)
	} else {
		fmt.Fprintf(&t, "Elo without bound, since one side made all the points, %.2f s\n", s.Seconds)
	}
	if s.Pairs != nil {
		from := fmt.Sprintf("%d openings of %d plies", s.Pairs.size(), s.Openings)
		if s.Positions > 0 {
			from = fmt.Sprintf("%d positions of %d in the file", s.Pairs.size(), s.Positions)
		}
		fmt.Fprintf(&t, "%s from both sides; 0, 0.5, 1, 1.5 and 2 points: %s times\n", from, strings.Trim(fmt.Sprint([]int(s.Pairs)), "[]"))
	}
	if s.SPRT != nil {
		fmt.Fprintln(&t, s.SPRT.text())
	}
	if s.Cut > 0 {
		fmt.Fprintf(&t, "%d of the draws were cut off after %d plies\n", s.Cut, MaxArenaPlies)
	}
	switch {
	case s.Faults == 1:
		t.WriteString("1 game was lost by a fault of a program\n")
	case s.Faults > 1:
		fmt.Fprintf(&t, "%d games were lost by faults of programs\n", s.Faults)
	}
	return t.String()
}

func (t *sprtScore) text() string {
	decision := "no verdict yet"
	switch t.Accepts {
	case acceptsElo0:
		decision = fmt.Sprintf("accepts %+g", t.Elo0)
	case acceptsElo1:
		decision = fmt.Sprintf("accepts %+g", t.Elo1)
	}
	return fmt.Sprintf("SPRT between %+g and %+g Elo: %s, log-likelihood ratio %.2f (%.2f to %.2f)",
		t.Elo0, t.Elo1, decision, t.Ratio, t.Lower, t.Upper)
}
