package gamestest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"ludoteca/games"
)

// Laws plays random games under the given complete option sets and checks after every ply what holds in every game:
// Legal is sorted and agrees with State, both ways of playing lead to the same position, String is read back, refused
// moves change nothing, and a game with a longest length ends within it (others are cut off after 2,000 plies).
func Laws(t *testing.T, g games.Game, sets []games.Options, gamesEach int) {
	t.Helper()
	for _, o := range sets {
		t.Run(o.String(), func(t *testing.T) {
			for seed := range gamesEach {
				if err := randomGame(g, o, games.NewRandom(uint64(seed))); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func randomGame(g games.Game, o games.Options, r *games.Random) error {
	p, err := g.New(o)
	if err != nil {
		return err
	}
	longest, _ := g.Longest(o)
	plies := 0
	for ; !p.Result().Over && plies < 2000; plies++ {
		if longest > 0 && plies >= longest {
			return fmt.Errorf("still running after %d plies: %s", plies, p)
		}
		if err := position(g, p); err != nil {
			return fmt.Errorf("ply %d: %w\nposition: %s", plies, err, p)
		}
		moves := p.Legal()
		m := moves[r.N(len(moves))]
		next, err := p.Play(m)
		if err != nil {
			return fmt.Errorf("legal move refused: %w", err)
		}
		if err := sameState(p, next, m); err != nil {
			return fmt.Errorf("ply %d: %w", plies, err)
		}
		p = next
	}
	if p.Result().Over && len(p.Legal()) > 0 {
		return fmt.Errorf("moves after the end: %s", p)
	}
	if _, err := p.Play("a1"); p.Result().Over && !errors.Is(err, games.ErrIllegal) {
		return fmt.Errorf("a move after the end: %v", err)
	}
	s, err2 := g.New(o)
	if err2 != nil {
		return err2
	}
	if n := s.State().Playout(r, longest+1); longest > 0 && n > longest {
		return fmt.Errorf("a playout went on after %d plies", longest)
	}
	return nil
}

// position checks one running position.
func position(g games.Game, p games.Position) error {
	moves := p.Legal()
	if len(moves) == 0 {
		return errors.New("no legal move in a running game")
	}
	if !slices.IsSorted(moves) {
		return fmt.Errorf("legal moves are not sorted: %v", moves)
	}
	s := p.State()
	var texts []games.Move
	for _, c := range s.Moves(nil) {
		m := s.Move(c)
		back, legal := s.Code(m)
		if !legal || back != c {
			return fmt.Errorf("the code of %s is %d, %v, want %d", m, back, legal, c)
		}
		if read, err := p.Read(string(m)); err != nil || read != m {
			return fmt.Errorf("reading %s gives %s, %v", m, read, err)
		}
		texts = append(texts, m)
	}
	slices.Sort(texts)
	if !slices.Equal(texts, moves) {
		return fmt.Errorf("moves of the state are %v, legal are %v", texts, moves)
	}
	return roundTrip(g, p)
}

// sameState checks that State plays m from p to the position next, and that a clone and a copy keep apart.
func sameState(p, next games.Position, m games.Move) error {
	s := p.State()
	c, legal := s.Code(m)
	if !legal {
		return fmt.Errorf("the state says %s is illegal", m)
	}
	kept := s.Clone()
	s.Play(c)
	if got := s.Position().String(); got != next.String() || s.Result() != next.Result() {
		return fmt.Errorf("playing %s leads the state to %s %v, the position to %s %v", m, got, s.Result(), next, next.Result())
	}
	if got := kept.Position().String(); got != p.String() {
		return fmt.Errorf("playing %s changed a clone: %s, was %s", m, got, p)
	}
	kept.Set(s)
	if got := kept.Position().String(); got != next.String() {
		return fmt.Errorf("a copy is %s, want %s", got, next)
	}
	return nil
}
