package lab

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ludoteca/games"
)

// TestRatio has the published values of two programs that test chess engines (fastchess checks the same figures).
func TestRatio(t *testing.T) {
	tests := []struct {
		name   string
		test   SPRT
		sample sample
		want   float64
	}{
		{"games 1", SPRT{0.5, 2.5}, sample{21184, 40708, 21404}, -1.57},
		{"games 2", SPRT{0, 2}, sample{57030, 106593, 57433}, -2.59},
		{"pairs 1", SPRT{0.5, 2.5}, sample{223, 9863, 20279 + 1000, 10037, 246}, -3.07},
		{"pairs 2", SPRT{0, 2}, sample{871, 26175, 55003 + 980, 26678, 821}, -4.98},
		{"nothing", SPRT{0, 10}, sample{0, 0, 0}, 0},
	}
	for _, tt := range tests {
		if got := tt.test.ratio(tt.sample); math.Abs(got-tt.want) > 0.006 {
			t.Errorf("%s: the ratio is %.4f, want %.2f", tt.name, got, tt.want)
		}
	}
}

// TestRatioWithoutDraws compares with Wald's own test, which needs no search for a distribution.
func TestRatioWithoutDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wins, losses := rapid.IntRange(1, 500).Draw(t, "wins"), rapid.IntRange(1, 500).Draw(t, "losses")
		low := rapid.IntRange(-300, 290).Draw(t, "elo0")
		test := SPRT{float64(low), float64(low + 10)}
		p, q := shareOf(test.Elo0), shareOf(test.Elo1)
		want := float64(wins)*math.Log(q/p) + float64(losses)*math.Log((1-q)/(1-p))
		if got := test.ratio(sample{losses, 0, wins}); math.Abs(got-want) > 0.01 {
			t.Fatalf("%+v: the ratio is %v, Wald's %v", test, got, want)
		}
	})
}

func TestVerdict(t *testing.T) {
	test := SPRT{0, 20}
	lower, upper := test.bounds()
	if math.Abs(lower+2.944) > 0.001 || math.Abs(upper-2.944) > 0.001 {
		t.Errorf("the bounds are %v and %v", lower, upper)
	}
	tests := []struct {
		name   string
		sample sample
		want   string
	}{
		{"even", sample{50, 0, 50}, ""},
		{"all won", sample{0, 0, 60}, acceptsElo1},
		{"all lost", sample{60, 0, 0}, acceptsElo0},
		{"much better", sample{100, 0, 200}, acceptsElo1},
		{"nothing but draws", sample{0, 200, 0}, acceptsElo0},
		{"a few wins", sample{0, 0, 3}, ""},
		{"all pairs won", sample{0, 0, 0, 0, 60}, acceptsElo1},
	}
	for _, tt := range tests {
		if got := test.decision(test.ratio(tt.sample)); got != tt.want {
			t.Errorf("%s: %q at %v, want %q", tt.name, got, test.ratio(tt.sample), tt.want)
		}
	}
}

func TestParseSPRT(t *testing.T) {
	if got, err := ParseSPRT("-5,20.5"); err != nil || got != (SPRT{-5, 20.5}) {
		t.Errorf("ParseSPRT = %v, %v", got, err)
	}
	for _, bad := range []string{"", "5", "5,", ",5", "5,5", "10,5", "0,5,9", "0;5", "x,y", "NaN,1", "0,NaN", "0,Inf", "-Inf,0",
		"0,1001", "-1001,0"} {
		if got, err := ParseSPRT(bad); !errors.Is(err, ErrUsage) || got != (SPRT{}) {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

func TestElo(t *testing.T) {
	tests := []struct {
		name      string
		sample    sample
		elo, half float64 // NaN for none
	}{
		{"three of four", sample{25, 0, 75}, 190.85, 78.63},
		{"one of four", sample{75, 0, 25}, -190.85, 78.63},
		{"even", sample{50, 0, 50}, 0, 68.10},
		{"draws", sample{0, 100, 0}, 0, 0},
		{"mixed", sample{20, 40, 40}, 70.44, 53.08},
		{"all", sample{0, 0, 10}, math.NaN(), 0},
		{"none", sample{10, 0, 0}, math.NaN(), 0},
		{"nothing", sample{0, 0, 0}, math.NaN(), 0},

		// Two games of 50 openings: if they are independent, the error is the same as for 100 single games; if each
		// opening decides both games, the share is certain; if the same player wins both, there are only 50 results.
		{"independent pairs", sample{1250, 0, 2500, 0, 1250}, 0, 68.10 / math.Sqrt(100)},
		{"openings decide", sample{0, 0, 50, 0, 0}, 0, 0},
		{"one player wins both", sample{25, 0, 0, 0, 25}, 0, 68.10 * math.Sqrt2},
		{"pairs", sample{1, 4, 10, 20, 15}, 164.07, 59.28},
	}
	for _, tt := range tests {
		elo, half, ok := tt.sample.elo()
		if ok == math.IsNaN(tt.elo) || ok && (math.Abs(elo-tt.elo) > 0.01 || math.Abs(half-tt.half) > 0.01) {
			t.Errorf("%s: Elo %v, error %v, %v; want %v, %v", tt.name, elo, half, ok, tt.elo, tt.half)
		}
	}
}

// TestVerdictErrors plays many meetings between players of known strength, a third of whose games are draws, and counts
// the wrong decisions: 5 % are promised.
func TestVerdictErrors(t *testing.T) {
	const meetings = 300
	test := SPRT{0, 60}
	for _, tt := range []struct {
		elo   float64
		wrong string
	}{{test.Elo0, acceptsElo1}, {test.Elo1, acceptsElo0}} {
		r, wrong, played := games.NewRandom(1), 0, 0
		for range meetings {
			s, decision := make(sample, 3), ""
			for decision == "" {
				s[drawGame(r, shareOf(tt.elo))]++
				decision = test.decision(test.ratio(s))
				played++
			}
			if decision == tt.wrong {
				wrong++
			}
		}
		if wrong < meetings/100 || wrong > meetings*8/100 {
			t.Errorf("at %v Elo %d of %d decisions were wrong, after %d games each", tt.elo, wrong, meetings, played/meetings)
		}
	}
}

// drawGame returns 0, 1 or 2 for a game lost, drawn or won by a player that expects this share of the points.
func drawGame(r *games.Random, share float64) int {
	switch x := float64(r.N(1<<30)) / (1 << 30); {
	case x < 1.0/3:
		return 1
	case x < 1.0/3+(share-1.0/6):
		return 2
	}
	return 0
}
