package gamestest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ludoteca/games"
)

// Properties plays random games under the given complete option sets and checks after every ply what holds in every game:
// Legal is sorted and agrees with State, both ways of playing lead to the same position, String is read back, refused
// moves change nothing, computer players choose among legal moves, nothing is left to play after the end, and a game with
// a longest length ends within it (others are cut off after 2,000 plies).
func Properties(t *testing.T, g games.Game, sets []games.Options, gamesEach int) {
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

// cutAfter is the number of plies after which a random game of no known length is left alone.
const cutAfter = 2000

func randomGame(g games.Game, o games.Options, r *games.Random) error {
	p, err := g.New(o)
	if err != nil {
		return err
	}
	start := p.String()
	longest, _ := g.Longest(o)
	var seen seenMoves
	for plies := 0; !p.Result().Over && plies < cutAfter; plies++ {
		if longest > 0 && plies >= longest {
			return fmt.Errorf("still running after %d plies: %s", plies, p)
		}
		if err := position(g, p); err != nil {
			return fmt.Errorf("ply %d: %w\nposition: %s", plies, err, p)
		}
		legal := p.Legal()
		seen.add(legal)
		if err := offerSome(p, &seen, r); err != nil {
			return fmt.Errorf("ply %d: %w", plies, err)
		}
		m := legal[r.N(len(legal))]
		next, err := p.Play(m)
		if err != nil {
			return fmt.Errorf("legal move refused: %w", err)
		}
		if err := sameState(p, next, m); err != nil {
			return fmt.Errorf("ply %d: %w", plies, err)
		}
		p = next
	}
	if err := endsRight(p); err != nil {
		return fmt.Errorf("%w\nposition: %s", err, p)
	}
	if err := offerSome(p, &seen, r); err != nil {
		return err
	}
	return followState(g, o, start, r)
}

// followState checks that a second game begins like the first, whatever was played in the first, and that a state follows the
// positions of the second game, on and back, to its end and back to its beginning.
func followState(g games.Game, o games.Options, start string, r *games.Random) error {
	p, err := g.New(o)
	if err != nil {
		return err
	}
	if p.String() != start {
		return fmt.Errorf("a second game begins with %s, the first with %s", p, start)
	}
	s, line := p.State(), []games.Position{p}
	var played []games.Move
	var undone games.Move
	for steps := 0; !s.Result().Over && steps < cutAfter; steps++ {
		now := line[len(line)-1]
		if len(line) > 1 && undone == "" && r.N(4) == 0 {
			s.Undo()
			undone = played[len(played)-1]
			line, played = line[:len(line)-1], played[:len(played)-1]
			if err := follows(s, line[len(line)-1]); err != nil {
				return fmt.Errorf("taken back: %w", err)
			}
			continue
		}
		legal := now.Legal()
		m := legal[r.N(len(legal))]
		if undone != "" && r.N(2) == 0 {
			m = undone // once more: what was taken back must have left nothing behind
		}
		undone = ""
		c, err := s.Code(m)
		if err != nil {
			return fmt.Errorf("the state says: %w", err)
		}
		s.Play(c)
		next, err := now.Play(m)
		if err != nil {
			return fmt.Errorf("legal move refused: %w", err)
		}
		line, played = append(line, next), append(played, m)
		if err := follows(s, next); err != nil {
			return fmt.Errorf("played %s: %w", m, err)
		}
	}
	for _, p := range slices.Backward(line[:len(line)-1]) {
		s.Undo()
		if err := follows(s, p); err != nil {
			return fmt.Errorf("taken back from the end: %w", err)
		}
	}
	return nil
}

// follows checks that a state shows what a position shows.
func follows(s games.State, p games.Position) error {
	switch got := s.Clone().Freeze(); {
	case got.String() != p.String():
		return fmt.Errorf("the state is %s, want %s", got, p)
	case s.Result() != p.Result() || s.Turn() != p.Turn():
		return fmt.Errorf("%s: the state has the result %+v, %s to move; want %+v, %s", p, s.Result(), s.Turn(), p.Result(), p.Turn())
	case !slices.Equal(games.LegalMoves(s), p.State().Freeze().Legal()):
		return fmt.Errorf("%s: the moves of the state are %v, want %v", p, games.LegalMoves(s), p.Legal())
	}
	return nil
}

// seenMoves are the moves that were legal at some time in a game: most of them are not any more, but look as if they were.
type seenMoves struct {
	moves []games.Move
	known map[games.Move]bool
}

// maxSeen is how many moves are kept; the first ones are as good as any.
const maxSeen = 1000

func (s *seenMoves) add(moves []games.Move) {
	if s.known == nil {
		s.known = map[games.Move]bool{}
	}
	for _, m := range moves {
		if len(s.moves) < maxSeen && !s.known[m] {
			s.known[m] = true
			s.moves = append(s.moves, m)
		}
	}
}

// offerSome offers some of the moves that were legal before, each of which must be refused unless it is legal now.
func offerSome(p games.Position, seen *seenMoves, r *games.Random) error {
	legal := p.Legal()
	for range min(3, len(seen.moves)) {
		m := seen.moves[r.N(len(seen.moves))]
		next, _, err := offer(p, m)
		if err != nil {
			return err
		}
		if (next != nil) != slices.Contains(legal, m) {
			return fmt.Errorf("%s: playing %s gives %v, legal are %v", p, m, next, legal)
		}
	}
	return nil
}

// endsRight checks that a game is over exactly if nothing can be played, and that computer players know.
func endsRight(p games.Position) error {
	over := p.Result().Over
	if legal := p.Legal(); over == (len(legal) > 0) {
		return fmt.Errorf("over %v, with the legal moves %v", over, legal)
	}
	if n := len(p.State().Moves(nil)); over == (n > 0) {
		return fmt.Errorf("over %v, with %d moves of the state", over, n)
	}
	if r := p.Result(); r.Over != (r.Reason != "") || r.Draw && r.Winner != games.First || !r.Over && r != (games.Result{}) {
		return fmt.Errorf("the result is %+v", r)
	}
	return players(p)
}

// players checks that the computer players of a game choose among its legal moves, and among some of them.
func players(p games.Position) error {
	legal := p.Legal()
	for name, moves := range choices(p) {
		if (len(moves) == 0) != (len(legal) == 0) || slices.IsSorted(legal) && !slices.IsSorted(moves) {
			return fmt.Errorf("%s chooses among %v, legal are %v", name, moves, legal)
		}
		for _, m := range moves {
			if !slices.Contains(legal, m) {
				return fmt.Errorf("%s would play %s, legal are %v", name, m, legal)
			}
		}
	}
	return nil
}

// choices returns what the computer players of a game choose among.
func choices(p games.Position) map[string][]games.Move {
	all := map[string][]games.Move{}
	if g, ok := p.(games.Greedy); ok {
		all["greedy"] = g.Greedy()
	}
	if u, ok := p.(games.Uniform); ok {
		all["random"] = u.Uniform()
	}
	return all
}

// position checks one running position.
func position(g games.Game, p games.Position) error {
	if err := endsRight(p); err != nil {
		return err
	}
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
		back, err := s.Code(m)
		if err != nil || back != c {
			return fmt.Errorf("the code of %s is %d, %v, want %d", m, back, err, c)
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

// sameState checks that State plays m from p to the position next, and that a clone keeps apart.
func sameState(p, next games.Position, m games.Move) error {
	s := p.State()
	c, err := s.Code(m)
	if err != nil {
		return fmt.Errorf("the state says: %w", err)
	}
	kept := s.Clone()
	s.Play(c)
	if got := s.Clone().Freeze().String(); got != next.String() || s.Result() != next.Result() {
		return fmt.Errorf("playing %s leads the state to %s %v, the position to %s %v", m, got, s.Result(), next, next.Result())
	}
	if got := kept.Freeze().String(); got != p.String() {
		return fmt.Errorf("playing %s changed a clone: %s, was %s", m, got, p)
	}
	return nil
}

// roundTrip checks that Parse reads what String writes.
func roundTrip(g games.Game, p games.Position) error {
	q, err := g.Parse(p.String())
	if err != nil {
		return fmt.Errorf("own text refused: %w", err)
	}
	if p.String() != q.String() || !p.Options().Equal(q.Options()) {
		return fmt.Errorf("own text is read as %s, with the options %s", q, q.Options())
	}
	return nil
}

// reread checks of a position that Parse has read, in whatever form it was written, that its own text is read as the same
// position down to what can't be seen of it. (One that has come up in a game may remember more than a text says.)
func reread(g games.Game, p games.Position) error {
	if err := roundTrip(g, p); err != nil {
		return err
	}
	if q, err := g.Parse(p.String()); err != nil || !reflect.DeepEqual(p, q) {
		return fmt.Errorf("own text is read as another position: %+v, not %+v, %v", q, p, err)
	}
	return nil
}
