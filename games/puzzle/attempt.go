package puzzle

import (
	"slices"

	"ludoteca/games"
)

// An Attempt is how far a player has come with a puzzle. It is a value: Try returns another one.
type Attempt struct {
	puzzle   *Puzzle
	position games.Position
	step     *Step  // that wins now; nil when the puzzle is solved
	made     int    // own moves of the solution
	tries    []bool // whether each of the legal moves was right
}

// Begin returns the attempt of a player who has not moved yet.
func (p *Puzzle) Begin() Attempt { return Attempt{puzzle: p, position: p.Start, step: p.Solution} }

// A Verdict says what a move is worth in a puzzle.
type Verdict uint8

// The verdicts.
const (
	Illegal Verdict = iota
	Wrong           // the move doesn't win in time
	Right           // the move wins, and the other side has replied
	Solved          // the move wins at once, or in time by another way than that of the main line
)

// An Outcome is what came of a move.
type Outcome struct {
	Verdict Verdict
	Illegal error          // why the move can't be played, an *games.IllegalError; nil for other verdicts
	Reply   games.Move     // of the other side: a refutation of a wrong move, or the longest defence; "" if the game is over
	Moved   games.Position // after the move, before the reply; nil if it was illegal
	After   games.Position // after the reply, or after the move if there is none
}

// Try makes a move in canonical text. After a wrong move the attempt stands where it stood before it.
func (a Attempt) Try(m games.Move) (Attempt, Outcome) {
	if a.step == nil {
		return a, Outcome{Verdict: Illegal, Illegal: games.Illegal(m, "the puzzle is solved")}
	}
	moved, err := a.position.Play(m)
	if err != nil {
		return a, Outcome{Verdict: Illegal, Illegal: err}
	}
	o := Outcome{Moved: moved, After: moved, Verdict: Wrong}
	reply, wins := replyTo(a.puzzle.Wrong[a.made], m)
	switch won := moved.Result().For(a.puzzle.Side()) == 1; {
	case won, wins:
		o.Verdict = Solved
	case m == a.step.Move:
		o.Verdict = Right
	}
	a.tries = append(slices.Clip(a.tries), o.Verdict != Wrong)
	switch o.Verdict {
	case Solved:
		a.position, a.step = moved, nil
		a.made++
	case Right:
		defence, next := a.step.Longest()
		o.reply(defence)
		a.position, a.step = o.After, next
		a.made++
	case Wrong:
		o.reply(reply)
	}
	return a, o
}

// reply makes the reply of the other side, if it has one.
func (o *Outcome) reply(m games.Move) {
	if m == "" || o.Moved.Result().Over {
		return
	}
	if after, err := o.Moved.Play(m); err == nil {
		o.Reply, o.After = m, after
	}
}

// Puzzle returns the puzzle.
func (a Attempt) Puzzle() *Puzzle { return a.puzzle }

// Position returns the position in which the player is to move, or that in which the puzzle was solved.
func (a Attempt) Position() games.Position { return a.position }

// Solved reports whether the puzzle is solved.
func (a Attempt) Solved() bool { return a.step == nil }

// Failed reports whether a wrong move was made. Only the first try counts, so what comes later changes nothing.
func (a Attempt) Failed() bool { return slices.Contains(a.tries, false) }

// Tries returns for each of the legal moves whether it was right. Callers must not change the list.
func (a Attempt) Tries() []bool { return a.tries }

// Next returns the move that is right now; "" when the puzzle is solved.
func (a Attempt) Next() games.Move {
	if a.step == nil {
		return ""
	}
	return a.step.Move
}
