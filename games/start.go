package games

import (
	"errors"
	"fmt"
)

// ErrPosition is wrapped by every error about a text that is no position of a game.
var ErrPosition = errors.New("not a position")

// A PositionError says in words why a text is no position, or none that a match can begin from. It wraps ErrPosition.
// Format and Args are apart so that the words can be given in another language.
type PositionError struct {
	Format string // "the board has %d rows instead of %d"
	Args   []any
}

// NoPosition returns a *PositionError with the words of the format and its arguments.
func NoPosition(format string, args ...any) error { return &PositionError{Format: format, Args: args} }

func (e *PositionError) Error() string { return fmt.Sprintf(e.Format, e.Args...) }

// Unwrap returns ErrPosition.
func (e *PositionError) Unwrap() error { return ErrPosition }

// Begin returns the position from which a match with complete options begins: the position that from describes, as
// Position.String writes it, or the start position of the game if from is "". Begin returns the errors of Game.New and Game.Parse,
// and a *PositionError if from has other options or the game is over there. Any text is safe.
func Begin(g Game, o Options, from string) (Position, error) {
	if from == "" {
		return g.New(o)
	}
	p, err := Study(g, from)
	if err != nil {
		return nil, err
	}
	if !p.Options().Equal(o) {
		return nil, NoPosition("its options are %s, not %s", p.Options(), o)
	}
	return p, nil
}

// Study returns the position that text describes, from which a game can be played. It returns the errors of Game.Parse, and a
// *PositionError if the game is over there. Any text is safe.
func Study(g Game, text string) (Position, error) {
	p, err := g.Parse(text)
	switch {
	case err != nil:
		return nil, err
	case p.Result().Over:
		return nil, NoPosition("the game is over in it")
	}
	return p, nil
}

// Beginner returns the side that makes the first move of a match from the position that from describes, First if from is "". It returns the
// errors of Study.
func Beginner(g Game, from string) (Side, error) {
	if from == "" {
		return First, nil
	}
	p, err := Study(g, from)
	if err != nil {
		return First, err
	}
	return p.Turn(), nil
}

// Replay returns the position after moves from the start of a game with complete options. It returns the errors of Game.New and
// ReplayFrom.
func Replay(g Game, o Options, moves []Move) (Position, error) {
	start, err := g.New(o)
	if err != nil {
		return nil, err
	}
	return ReplayFrom(start, moves)
}

// ReplayFrom returns the position after moves from another one. A move that is illegal where it stands is an *IllegalError.
func ReplayFrom(start Position, moves []Move) (Position, error) {
	if len(moves) == 0 {
		return start, nil
	}
	s := start.State()
	for _, m := range moves {
		c, err := s.Code(m)
		if err != nil {
			return nil, err
		}
		s.Play(c)
	}
	return s.Freeze(), nil
}
