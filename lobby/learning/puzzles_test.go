package learning

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludoteca/games"
	"ludoteca/games/catalog"
	"ludoteca/games/puzzle"
	"ludoteca/lobby/match"
	"ludoteca/lobby/rating"
	"ludoteca/lobby/refusal"
	"ludoteca/storage"
	learningstore "ludoteca/storage/learning"
)

// tries is a PuzzleStore that holds what a test puts there.
type tries struct {
	tried     map[string]learningstore.PuzzleTry
	standings PuzzleStandings
	err       error
	noted     []string
}

func (s *tries) TryPuzzle(_ context.Context, id storage.PlayerID, _ []storage.PlayerID, _, puzzle string, _ bool, _ time.Time, _ learningstore.PuzzleRate) (PuzzleStanding, error) {
	if s.err == nil {
		s.noted = append(s.noted, string(id)+" "+puzzle)
	}
	return PuzzleStanding{}, s.err
}

func (s *tries) PuzzleStandings(context.Context, ...storage.PlayerID) (PuzzleStandings, error) {
	return s.standings, nil
}

func (s *tries) PuzzlesTried(context.Context, ...storage.PlayerID) (map[string]learningstore.PuzzleTry, error) {
	return s.tried, nil
}

func (s *tries) PuzzleLeaders(_ context.Context, game string, limit int) ([]learningstore.PuzzleLeader, error) {
	return []learningstore.PuzzleLeader{{Name: game}}[:min(1, limit)], s.err
}

func (s *tries) PuzzleStrengths(context.Context) (map[string]learningstore.Strength, error) {
	return nil, nil
}

func person(id string) match.User { return match.User{Kind: storage.Person, ID: id, Name: id} }

// TestNext: a puzzle is near the player's rating, none that was tried comes up before all others were, and another one follows.
func TestNext(t *testing.T) {
	tanks := catalog.All()[len(catalog.All())-1]
	var seed uint64
	kept := &tries{tried: map[string]learningstore.PuzzleTry{}}
	s := NewPuzzles(PuzzlesConfig{Store: kept, Restrictions: people{}, Games: []games.Game{tanks}, Now: time.Now, Seed: func() uint64 { seed++; return seed }})
	for _, tt := range []struct {
		name string
		own  float64 // 0: none
		who  match.User
	}{{"a guest", 0, match.User{Kind: storage.Guest, ID: "g1"}}, {"a beginner", 0, person("p4")}, {"a strong player", 1700, person("p4")}} {
		kept.standings = nil
		if tt.own > 0 {
			kept.standings = PuzzleStandings{tanks.About().ID: {Strength: learningstore.Strength{Rating: tt.own, Deviation: 80, Volatility: 0.06, At: time.Now()}}}
		}
		p, err := s.Next(t.Context(), tt.who, tanks, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := max(tt.own, startOfPlayers)
		nearer := 0
		all, _ := s.read()
		for _, other := range all.all {
			if d := float64(other.Rating()) - want; d*d < (float64(p.Rating())-want)*(float64(p.Rating())-want) {
				nearer++
			}
		}
		if nearer >= nearest {
			t.Errorf("%s gets a puzzle of %d points, and %d are nearer", tt.name, p.Rating(), nearer)
		}
	}
	kept.standings = nil
	all, _ := s.read()
	seen := map[string]bool{}
	for range all.all {
		p, err := s.Next(t.Context(), person("p4"), nil, nil)
		if err != nil || seen[p.ID] {
			t.Fatalf("after %d puzzles %v comes again, %v", len(seen), p, err)
		}
		seen[p.ID] = true
		kept.tried[p.ID] = learningstore.PuzzleTry{}
	}
	if p, err := s.Next(t.Context(), person("p4"), nil, nil); err != nil || p == nil {
		t.Errorf("after all puzzles comes %v, %v", p, err)
	} else if q, err := s.Next(t.Context(), person("p4"), nil, p); err != nil || q == p {
		t.Errorf("after %v comes %v, %v", p, q, err)
	}
	none := NewPuzzles(PuzzlesConfig{Store: kept, Restrictions: people{}, Now: time.Now, Seed: func() uint64 { return 0 }})
	if _, err := none.Next(t.Context(), person("p4"), nil, nil); !errors.Is(err, refusal.ErrNoPuzzle) {
		t.Errorf("of no puzzles comes %v", err)
	}
	if _, _, err := none.Daily(); !errors.Is(err, refusal.ErrNoPuzzle) {
		t.Errorf("the puzzle of the day of none: %v", err)
	}
}

// TestLeaders: the store ranks players, and its troubles are told.
func TestLeaders(t *testing.T) {
	kept := &tries{}
	s := NewPuzzles(PuzzlesConfig{Store: kept, Now: time.Now})
	if all, err := s.Leaders(t.Context(), "tanks"); err != nil || len(all) != 1 || all[0].Name != "tanks" {
		t.Errorf("%v, %v", all, err)
	}
	kept.err = storage.ErrDamaged
	if _, err := s.Leaders(t.Context(), "tanks"); !errors.Is(err, refusal.ErrBusy) {
		t.Errorf("of a damaged store: %v", err)
	}
}

// TestTried: of guests, and of puzzles from own matches, nothing is noted, and what the store says is told.
func TestTried(t *testing.T) {
	kept := &tries{}
	s := NewPuzzles(PuzzlesConfig{Store: kept, Restrictions: people{}, Games: catalog.All(), Now: time.Now, Seed: func() uint64 { return 0 }})
	p, err := s.Find("WXTCH")
	if err != nil {
		t.Fatal(err)
	}
	own := *p
	for _, tt := range []struct {
		name    string
		who     match.User
		store   error
		counted bool
		want    error
	}{
		{"a player", person("p4"), nil, true, nil},
		{"a guest", match.User{Kind: storage.Guest, ID: "g1"}, nil, false, nil},
		{"a closed account", person("p3"), nil, false, refusal.ErrAccountClosed},
		{"a second try", person("p4"), storage.ErrUnchanged, false, nil},
		{"no account", person("p4"), storage.ErrNotFound, false, refusal.ErrNoAccount},
		{"a damaged store", person("p4"), storage.ErrDamaged, false, refusal.ErrBusy},
	} {
		kept.err, kept.noted = tt.store, nil
		if _, counted, err := s.Tried(t.Context(), tt.who, &own, true); counted || err != nil || len(kept.noted) > 0 {
			t.Errorf("%s: a puzzle that no game comes with counts: %v, %v; noted %v", tt.name, counted, err, kept.noted)
		}
		_, counted, err := s.Tried(t.Context(), tt.who, p, true)
		if counted != tt.counted || !errors.Is(err, tt.want) || len(kept.noted) > 0 != tt.counted {
			t.Errorf("%s: counted %v, %v; noted %v", tt.name, counted, err, kept.noted)
		}
	}
}

// TestRate: the player's rating moves with each first try, the puzzle's only with that of a settled player.
func TestRate(t *testing.T) {
	set, err := puzzle.Of(catalog.All()[0])
	if err != nil {
		t.Fatal(err)
	}
	p, now := set.Puzzles[0], time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	settled := learningstore.Strength{Rating: 1500, Deviation: 60, Volatility: rating.StartVolatility, At: now}
	away := settled
	away.Deviation, away.At = rating.ProvisionalAbove, now.AddDate(-2, 0, 0)
	for _, tt := range []struct {
		name   string
		player learningstore.Strength
		solved bool
		moves  bool // the puzzle
	}{
		{"a new player solves", learningstore.Strength{}, true, false}, {"a new player fails", learningstore.Strength{}, false, false},
		{"a settled player solves", settled, true, true}, {"a settled player fails", settled, false, true},
		{"one who was away for long", away, true, false},
	} {
		player, after := rate(p, learningstore.PuzzleResult{Player: tt.player, Solved: tt.solved, At: now})
		was := tt.player.Rating
		if was == 0 {
			was = rating.StartRating
		}
		if player.Rating > was != tt.solved || !player.At.Equal(now) {
			t.Errorf("%s: %+v becomes %+v", tt.name, tt.player, player)
		}
		if moved := after != (learningstore.Strength{}); moved != tt.moves {
			t.Errorf("%s: the puzzle has %+v", tt.name, after)
		} else if moved && after.Rating < float64(p.Rating()) != tt.solved {
			t.Errorf("%s: the puzzle moves from %d to %+v", tt.name, p.Rating(), after)
		}
	}
}
