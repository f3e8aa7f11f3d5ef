package prompt

import (
	"context"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
)

// A Manner is how the line mode tells what happens. A player chooses it.
type Manner struct {
	Brief bool // leave out what the rules make plain
	Drawn bool // draw the board, in letters, after each move
	Bell  bool // ring the terminal's bell when it is the user's move
}

// Narrate returns what tells the positions of a match to a user.
func Narrate(say wording.Words, v *lobby.View, who lobby.User, m Manner) boardview.Narrator {
	n := boardview.Narrator{Say: say.Say, Game: v.Game, Brief: m.Brief}
	for side, o := range v.Seats {
		n.Names[side] = say.Name(o.Name)
	}
	if n.Names[0] == n.Names[1] {
		for side := range n.Names {
			n.Names[side] += " (" + say.T(v.Game.About().Sides[side]) + ")"
		}
	}
	first, second := v.Holds(who, games.First), v.Holds(who, games.Second)
	n.Plays = first != second
	if n.Side = games.First; second {
		n.Side = games.Second
	}
	return n
}

// A Study is what a user of the line mode is at when it is no match under way: a finished match that they look through, a lesson or a puzzle. Left
// is called, where a study has it, when the user has gone elsewhere.
type Study interface {
	// Name stands in the prompt: a game.
	Name() string

	// Code stands for the code of a match in commands: the id of a finished match, or Here.
	Code() string

	// Look returns the position that questions are about.
	Look() Look

	// Play takes a move in canonical text, and returns the sentences that tell what comes of it. The error is one of the rules or of the store, or
	// says that no moves are made here.
	Play(ctx context.Context, m games.Move) ([]string, error)

	// Hint returns the sentences that tell which move is right, or an error that says why there is none.
	Hint(ctx context.Context) ([]string, error)

	// GoTo goes to a position by its number, and returns the sentences that tell of it: number counts moves, or steps of a lesson. By is that from
	// the present one on, and takes another puzzle. The error says that there is none.
	GoTo(number int) ([]string, error)
	By(ctx context.Context, steps int) ([]string, error)
}

// Here stands for the code of a study that is no match.
const Here = "."

// A Look is a position as a user sees it.
type Look struct {
	Narrator boardview.Narrator
	Position games.Position
	Before   games.Position // before the last move; nil: there was none, or it isn't known
	Last     games.Move     // "": likewise
	Ply      int            // moves made before
}
