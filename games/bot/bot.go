// Package bot is the computer players: the levels that each game has, and how each chooses its move.
package bot

import (
	"context"
	"errors"

	"ludoteca/games"
)

// ErrOver is returned when a move is asked for after the end of a game.
var ErrOver = errors.New("the game is over")

// A Player chooses moves. It keeps nothing between two moves, so one Player serves any number of games at once, and the
// same position with a source in the same state always gives the same move.
type Player interface {
	// Move returns a legal move for the side to move in p. All chance comes from r. Players that search stop soon after
	// ctx is done. A call that begins when ctx is done already returns the error of ctx.
	Move(ctx context.Context, p games.Position, r *games.Random) (games.Move, error)
}

// A chooser is a Player that picks one of several moves, each equally likely.
type chooser func(games.Position) []games.Move

// Move picks the move.
func (moves chooser) Move(ctx context.Context, p games.Position, r *games.Random) (games.Move, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	choice := moves(p)
	if len(choice) == 0 {
		return "", ErrOver
	}
	return choice[r.N(len(choice))], nil
}

// uniform returns all legal moves, or those among which the game's own random player chooses.
func uniform(p games.Position) []games.Move {
	if u, ok := p.(games.Uniform); ok {
		return u.Uniform()
	}
	return p.Legal()
}

// greedy returns the moves that the second level of the game finds equally good.
func greedy(p games.Position) []games.Move {
	if g, ok := p.(games.Greedy); ok {
		return g.Greedy()
	}
	return uniform(p)
}
