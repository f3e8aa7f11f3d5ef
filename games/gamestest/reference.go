package gamestest

import (
	"fmt"
	"slices"

	"ludoteca/games"
)

// A Reference is a game being played by the same rules written once more: in the words of the rule sheet, as plainly as can
// be, and without a line of the engine that it is compared with.
type Reference interface {
	Legal() []games.Move // sorted; none after the end
	Play(m games.Move)   // m is legal
	Rows() []string      // the board text, top row first
	Result() games.Result
}

// A Comparer is a Reference that knows more of a position than its board.
type Comparer interface {
	Reference

	// Compare says what else in p is not as it should be. played is the move to be made next, "" if there is none.
	Compare(p games.Position, played games.Move) error
}

// compare says how a position differs from what it should be by the plain rules. played is the move to be made next.
func compare(p games.Position, ref Reference, played games.Move) error {
	if got, want := p.Legal(), ref.Legal(); !slices.Equal(got, want) {
		return fmt.Errorf("%s: legal moves are %v, want %v", p, got, want)
	}
	if got, want := p.Rows(), ref.Rows(); !slices.Equal(got, want) {
		return fmt.Errorf("%s: the board is %v, want %v", p, got, want)
	}
	if got, want := p.Result(), ref.Result(); got != want {
		return fmt.Errorf("%s: the result is %+v, want %+v", p, got, want)
	}
	if w, ok := ref.(Comparer); ok {
		if err := w.Compare(p, played); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

// A Choice chooses the next move of a game in which some have been played.
type Choice func(played, legal []games.Move) games.Move

// Uniformly chooses among all legal moves.
func Uniformly(r *games.Random) Choice {
	return func(_, legal []games.Move) games.Move { return legal[r.N(len(legal))] }
}

// Follow plays a game by the engine, from p on, and by the plain rules at the same time, and compares everything that can be
// seen at every ply, until the game is over or limit plies have been played; a limit of 0 is none. It returns the last
// position. The error names the moves.
func Follow(p games.Position, ref Reference, choose Choice, limit int) (games.Position, error) {
	var played []games.Move
	for {
		next := games.Move("")
		if legal := ref.Legal(); len(legal) > 0 && (limit == 0 || len(played) < limit) {
			next = choose(played, legal)
		}
		if err := compare(p, ref, next); err != nil {
			return nil, fmt.Errorf("after %v: %w", played, err)
		}
		if next == "" {
			return p, nil
		}
		ref.Play(next)
		var err error
		if p, err = p.Play(next); err != nil {
			return nil, fmt.Errorf("after %v: %w", played, err)
		}
		played = append(played, next)
	}
}

// FollowGame is Follow from the position in which a game with complete options begins.
func FollowGame(g games.Game, o games.Options, plain func(o games.Options) Reference, choose Choice,
	limit int) (games.Position, error) {
	p, err := g.New(o)
	if err != nil {
		return nil, err
	}
	return Follow(p, plain(o), choose, limit)
}
