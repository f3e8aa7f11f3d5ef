package puzzlepage

import (
	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
)

// A phase is what a puzzle waits for.
type phase uint8

const (
	loading phase = iota // the puzzle is on its way
	asking               // the player's move
	moved                // the player's move is on the board, and the reply comes next
	refuted              // a wrong move and the reply to it are on the board; then the position comes back
	ended                // solved, or given up: the solution can be stepped through
)

// A posed is a puzzle with what is said of it.
type posed struct {
	puzzle *puzzle.Puzzle
	day    string // "" if it is not the puzzle of today
	rating float64
	before learning.PuzzleStanding // of the player, in the puzzles of the game
	missed *lobby.MissedWin        // that it is about; nil: the game comes with the puzzle
}

// An attempt is how far a player has come with a puzzle on the board. It is a value: every change returns another one.
type attempt struct {
	posed
	phase   phase
	moves   puzzle.Attempt
	tried   games.Move     // the last one
	outcome puzzle.Outcome // of it
	gaveUp  bool
	ply     int // of the main line, in the phase ended

	// What is on the board, and the move that led there; "" for none.
	position, from games.Position
	last           games.Move
}

// begin returns the attempt at a puzzle before the first move.
func begin(p posed) attempt {
	return attempt{posed: p, moves: p.puzzle.Begin()}.ask(nil, "")
}

func (a attempt) loaded() bool { return a.phase != loading }
func (a attempt) asks() bool   { return a.phase == asking }
func (a attempt) ended() bool  { return a.phase == ended }
func (a attempt) open() bool   { return a.loaded() && !a.ended() }

// decided reports whether the first try is: by a wrong move, by the solution, or by giving up. right reports that nothing was wrong.
func (a attempt) decided() (decided, right bool) {
	failed := a.moves.Failed() || a.gaveUp
	return failed || a.moves.Solved(), !failed
}

// ask shows the position in which the player is to move, which came about by a move of the other side.
func (a attempt) ask(from games.Position, last games.Move) attempt {
	a.phase = asking
	return a.show(a.moves.Position(), from, last)
}

// show shows a position.
func (a attempt) show(position, from games.Position, last games.Move) attempt {
	a.position, a.from, a.last = position, from, last
	return a
}

// try makes a move of the player. The error says why it is illegal.
func (a attempt) try(m games.Move) (attempt, error) {
	before := a.moves.Position()
	moves, o := a.moves.Try(m)
	if o.Verdict == puzzle.Illegal {
		return a, o.Illegal
	}
	a.moves, a.tried, a.outcome = moves, m, o
	a = a.show(o.Moved, before, m)
	switch {
	case o.Verdict == puzzle.Solved:
		a.phase, a.ply = ended, a.puzzle.Plies
	case o.Reply == "":
		a.phase = refuted
	default:
		a.phase = moved
	}
	return a, nil
}

// reply makes the reply to the player's move.
func (a attempt) reply() attempt {
	if a.outcome.Verdict == puzzle.Wrong {
		a.phase = refuted
		return a.show(a.outcome.After, a.outcome.Moved, a.outcome.Reply)
	}
	return a.ask(a.outcome.Moved, a.outcome.Reply)
}

// giveUp shows the solution, from the position of the puzzle on.
func (a attempt) giveUp() attempt {
	a.gaveUp, a.phase = true, ended
	return a.at(0)
}

// at shows the position after some moves of the solution, as far as it goes.
func (a attempt) at(ply int) attempt {
	a.ply = min(max(ply, 0), a.puzzle.Plies)
	a = a.show(a.puzzle.Start, nil, "")
	for _, m := range a.puzzle.Line()[:a.ply] {
		next, err := a.position.Play(m)
		if err != nil {
			break // a puzzle is read only if its line is legal
		}
		a = a.show(next, a.position, m)
	}
	return a
}
