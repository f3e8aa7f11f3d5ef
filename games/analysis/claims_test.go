package analysis_test

import (
	"flag"
	"testing"

	"ludoteca/games"
	. "ludoteca/games/analysis"
	"ludoteca/games/bot"
	"ludoteca/games/catalog"
)

var allClaims = flag.Bool("all-claims", false, "confirm the reasons of 100 mistakes a game, which takes a minute or two")

// TestClaimsAreTrue: a second program confirms by the rules alone what is claimed about mistakes in matches of two levels that make many.
func TestClaimsAreTrue(t *testing.T) {
	want := 15
	switch {
	case *allClaims:
		want = 100
	case testing.Short():
		want = 4
	}
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			t.Parallel()
			s := claimSurvey{kinds: map[string]int{}}
			for seed := uint64(1); s.confirmed < want; seed++ {
				if seed > 500 {
					t.Fatalf("only %d of %d mistakes have a claim", s.confirmed, s.mistakes)
				}
				s.match(t, g, seed, want)
			}
			t.Logf("%d mistakes: %d claims are true, %d take too long to confirm, %d have none; %v", s.mistakes, s.confirmed, s.long, s.mistakes-s.confirmed-s.long, s.kinds)
			if s.long*10 > s.confirmed {
				t.Errorf("%d claims take too long to confirm, %d are confirmed", s.long, s.confirmed)
			}
		})
	}
}

// A claimSurvey counts mistakes and their claims.
type claimSurvey struct {
	mistakes, confirmed, long int
	kinds                     map[string]int
}

// judgedPositions is how many positions are looked at to confirm a claim.
const judgedPositions = 2_000_000

// match confirms the claims about the mistakes of one match, until there are enough of them.
func (s *claimSurvey) match(t *testing.T, g games.Game, seed uint64, want int) {
	const nodes, most = 1_000, 80
	var o games.Options
	switch id := g.About().ID; {
	case id == "petteia" && seed%4 == 0:
		o = games.Options{"safe_entry": 0}
	case id == "fourmation" && seed%2 == 0: // the levels know the first moves of the usual board
		o = games.Options{"cols": 8, "rows": 8}
	}
	start, moves := bout(t, g, o, seed, most)
	a, err := Analyse(t.Context(), g, start, moves, nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := start
	for i, m := range moves {
		point := a.Points[i]
		if point.Mark != Fine && s.confirmed < want {
			s.mistakes++
			if c := point.Why; c.Kind != "" {
				j := judge{t, judgedPositions}
				switch err := j.confirm(p, m, point.Best, c); {
				case j.left <= 0:
					s.long++
				case err != nil:
					t.Errorf("%s: %s, not %s: %+v: %v", p, m, point.Best, c, err)
				default:
					s.confirmed++
					s.kinds[c.Kind]++
				}
			}
		} else if point.Why.Kind != "" && point.Mark == Fine {
			t.Errorf("%s: %s is no mistake, but %+v", p, m, point.Why)
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
	}
}

// bout plays a match between Pupil and Club after two random plies, of at most most plies.
func bout(t *testing.T, g games.Game, o games.Options, seed uint64, most int) (start games.Position, moves []games.Move) {
	t.Helper()
	start, err := games.ProvenPosition{Options: o}.Position(g)
	if err != nil {
		t.Fatal(err)
	}
	p, r := start, games.NewRandom(seed)
	for len(moves) < most && !p.Result().Over {
		legal := p.Legal()
		m := legal[r.N(len(legal))]
		if len(moves) >= 2 {
			level, err := bot.Find(g, []string{"pupil", "club"}[(uint64(len(moves))+seed)%2])
			if err != nil {
				t.Fatal(err)
			}
			if m, err = level.Player.Move(t.Context(), p, r); err != nil {
				t.Fatal(err)
			}
		}
		if p, err = p.Play(m); err != nil {
			t.Fatal(err)
		}
		moves = append(moves, m)
	}
	return start, moves
}

// TestEnginesClaims: whatever an engine says of two moves in positions of random games is true, not only the first claim about a mistake.
func TestEnginesClaims(t *testing.T) {
	matches := 40
	if testing.Short() {
		matches = 8
	}
	for _, g := range catalog.All() {
		t.Run(g.About().ID, func(t *testing.T) {
			kinds := map[string]int{}
			for seed := range uint64(matches) {
				var o games.Options
				if g.About().ID == "petteia" && seed%2 == 0 {
					o = games.Options{"safe_entry": 0}
				}
				p, err := games.ProvenPosition{Options: o}.Position(g)
				if err != nil {
					t.Fatal(err)
				}
				r := games.NewRandom(seed)
				for range 60 {
					legal := p.Legal()
					if len(legal) < 2 {
						break
					}
					played, better := legal[r.N(len(legal))], legal[r.N(len(legal))]
					for _, c := range p.(games.Explainer).Explain(played, better) {
						kinds[c.Kind]++
						j := judge{t, judgedPositions}
						if err := j.confirm(p, played, better, c); err != nil {
							t.Fatalf("%s: %s, not %s: %+v: %v", p, played, better, c, err)
						}
					}
					if p, err = p.Play(played); err != nil {
						t.Fatal(err)
					}
				}
			}
			t.Log(kinds)
		})
	}
}
