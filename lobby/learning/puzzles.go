package learning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby/match"
	"ludoteca/lobby/refusal"
)

// A PuzzlesConfig is what the service of puzzles needs.
type PuzzlesConfig struct {
	Store        PuzzleStore
	Restrictions Restrictions
	Games        []games.Game
	Now          func() time.Time // the clock of events
	Seed         func() uint64    // chooses among puzzles that suit a user alike
}

// Puzzles are the puzzles that the games come with. Any goroutine may use it.
type Puzzles struct {
	config PuzzlesConfig
	read   func() (shipped, error) // once, when a user wants the first puzzle
}

// A shipped is all puzzles, by the order of the games.
type shipped struct {
	all  []*puzzle.Puzzle
	byID map[string]*puzzle.Puzzle
}

// NewPuzzles returns the service.
func NewPuzzles(c PuzzlesConfig) *Puzzles {
	return &Puzzles{c, sync.OnceValues(func() (shipped, error) { return readPuzzles(c.Games) })}
}

// readPuzzles reads the puzzles of all games.
func readPuzzles(all []games.Game) (s shipped, err error) {
	s.byID = map[string]*puzzle.Puzzle{}
	for _, g := range all {
		set, err := puzzle.Of(g)
		if err != nil {
			return shipped{}, err
		}
		s.all = append(s.all, set.Puzzles...)
		for _, p := range set.Puzzles {
			s.byID[p.ID] = p
		}
	}
	return s, nil
}

// Find returns the puzzle with an ID, in any letter case.
func (s *Puzzles) Find(id string) (*puzzle.Puzzle, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	if p, ok := all.byID[strings.ToLower(id)]; ok {
		return p, nil
	}
	return nil, refusal.ErrNoPuzzle
}

// Daily returns the puzzle of the day in UTC, and the day. ErrNoPuzzle says that there are no puzzles.
func (s *Puzzles) Daily() (p *puzzle.Puzzle, day string, err error) {
	all, err := s.read()
	if err != nil {
		return nil, "", err
	}
	now := s.config.Now()
	if p = puzzle.Daily(all.all, now); p == nil {
		return nil, "", refusal.ErrNoPuzzle
	}
	return p, now.UTC().Format(time.DateOnly), nil
}

const (
	// startOfPlayers is the rating for which puzzles are chosen for a user who has none: easy ones come first.
	startOfPlayers = 1000

	nearest = 20 // puzzles, among which one is chosen
)

// Next returns a puzzle near the rating of a user, and one that the user has not tried as long as there is one: of one game, or of all if g is
// nil. skip is left out as long as there are others. ErrNoPuzzle says that there is none.
func (s *Puzzles) Next(ctx context.Context, u match.User, g games.Game, skip *puzzle.Puzzle) (*puzzle.Puzzle, error) {
	all, err := s.read()
	if err != nil {
		return nil, err
	}
	choice, err := s.choiceFor(ctx, u)
	if err != nil {
		return nil, err
	}
	type candidate struct {
		puzzle *puzzle.Puzzle
		off    float64 // how far it is from what suits
	}
	var some []candidate
	for _, p := range all.all {
		if p == skip || g != nil && p.Game.About().ID != g.About().ID {
			continue
		}
		some = append(some, candidate{p, choice.off(p)})
	}
	switch {
	case len(some) == 0 && skip == nil:
		return nil, refusal.ErrNoPuzzle
	case len(some) == 0:
		return skip, nil
	}
	slices.SortStableFunc(some, func(a, b candidate) int { return cmp.Compare(a.off, b.off) })
	fresh := 0
	for fresh < min(len(some), nearest) && some[fresh].off < afterAllOthers {
		fresh++
	}
	return some[s.config.Seed()%uint64(max(fresh, 1))].puzzle, nil
}
