// Package lesson steps through the lesson of a game: which step a learner is at, what became of a move, and what stands on the board. It is pure.
// The screen, the command and the line mode use it alike:
//
//	run, ok := lesson.Begin(g)           // at the first step; ok is false if the game has no lesson
//	run, ok = run.At(n)                  // at another one, counted from 1
//	say(run.Step().Title, run.Words())   // what is asked
//	run, answer := run.Try(typed)        // a move as a person writes it
//	switch answer.Verdict {
//	case lesson.Illegal:                 // answer.Err is the reason of the rules; nothing has changed
//	case lesson.Wrong:                   // answer.Words says why it isn't what is asked; nothing has changed
//	case lesson.Right:                   // run.Words() is what the move has shown, and run.Position() has the move
//		run, ok = run.Next()         // ok is false after the last step
//	}
//
// All words are English sentences for translation, such as text.Say.T takes.
package lesson

import (
	"fmt"
	"slices"

	"ludoteca/games"
)

// A Verdict is what became of a move that a learner has tried.
type Verdict uint8

const (
	Illegal Verdict = iota // the rules forbid it, or it can't be read as a move
	Wrong                  // it is legal, but isn't what the step asks
	Right                  // it is what the step asks
)

// String returns "illegal", "wrong" or "right".
func (v Verdict) String() string { return [...]string{"illegal", "wrong", "right"}[v] }

// An Answer is what a learner hears about a move.
type Answer struct {
	Verdict Verdict
	Move    games.Move     // in canonical text; "" if it can't be read
	Words   string         // what is said to it; "" for an illegal move
	Err     error          // the reason of the rules, an *games.IllegalError; nil for a legal move
	After   games.Position // after the move; nil for an illegal one
}

// A Run is a place in the lesson of a game: a step, and whether it is solved. It is a value: every change returns another one.
type Run struct {
	game   games.Game
	steps  []games.LessonStep
	at     int
	start  games.Position // of the step
	played games.Move     // the right move that was made; "" as long as the step isn't solved
	after  games.Position // after it
}

// Begin returns the lesson of a game at its first step. ok is false if the game has no lesson.
func Begin(g games.Game) (r Run, ok bool) {
	steps := games.LessonOf(g)
	if len(steps) == 0 {
		return Run{}, false
	}
	return Run{game: g, steps: steps}.At(1)
}

// At returns the lesson at the beginning of a step, counted from 1. ok is false if there is no such step; the lesson stays where it is then.
func (r Run) At(n int) (next Run, ok bool) {
	if n < 1 || n > len(r.steps) {
		return r, false
	}
	p, err := r.game.Parse(r.steps[n-1].Position)
	if err != nil { // which the tests of the game rule out
		panic(fmt.Sprintf("lesson: step %d of %s: %v", n, r.game.About().ID, err))
	}
	return Run{game: r.game, steps: r.steps, at: n - 1, start: p}, true
}

// Next returns the lesson at its next step. ok is false at the last one.
func (r Run) Next() (next Run, ok bool) { return r.At(r.Number() + 1) }

// Back returns the lesson at the step before. ok is false at the first one.
func (r Run) Back() (next Run, ok bool) { return r.At(r.Number() - 1) }

// Again returns the lesson at the beginning of the present step.
func (r Run) Again() Run {
	r.played, r.after = "", nil
	return r
}

// Game returns the game that is taught.
func (r Run) Game() games.Game { return r.game }

// Number returns which step the lesson is at, counted from 1, and Steps how many there are.
func (r Run) Number() int { return r.at + 1 }

// Steps returns how many steps the lesson has.
func (r Run) Steps() int { return len(r.steps) }

// Step returns the present step.
func (r Run) Step() *games.LessonStep { return &r.steps[r.at] }

// Side returns the side of the learner in the present step.
func (r Run) Side() games.Side { return r.start.Turn() }

// Solved reports whether the right move has been made, and Finished whether that was the last step.
func (r Run) Solved() bool { return r.played != "" }

// Finished reports whether the last step is solved.
func (r Run) Finished() bool { return r.Solved() && r.Number() == len(r.steps) }

// Words returns what the learner is told now: the task, or what the right move has shown.
func (r Run) Words() string {
	if r.Solved() {
		return r.Step().Shown
	}
	return r.Step().Task
}

// Position returns what stands on the board: the position of the step, or the one after the right move.
func (r Run) Position() games.Position {
	if r.Solved() {
		return r.after
	}
	return r.start
}

// LastMove returns the move that led to Position and the position before it, to be marked on the board: the right move, or the reply of the
// other side with which the step began. before is nil if there is none.
func (r Run) LastMove() (before games.Position, m games.Move) {
	if r.Solved() {
		return r.start, r.played
	}
	if r.at == 0 || r.steps[r.at-1].Reply == "" {
		return nil, ""
	}
	previous, _ := r.Back()
	solved, _ := previous.Play(previous.Step().Right[0])
	return solved.after, previous.Step().Reply
}

// Try makes a move as a person writes it. It returns the lesson after a right move, else the lesson as it was. A move that is tried in a solved step
// begins the step again.
func (r Run) Try(typed string) (Run, Answer) {
	m, err := r.start.Read(typed)
	if err != nil {
		return r, Answer{Err: err}
	}
	return r.Play(m)
}

// Play is Try for a move in canonical text.
func (r Run) Play(m games.Move) (Run, Answer) {
	after, err := r.start.Play(m)
	if err != nil {
		return r, Answer{Move: m, Err: err}
	}
	r = r.Again()
	step := r.Step()
	if !slices.Contains(step.Right, m) {
		return r, Answer{Verdict: Wrong, Move: m, Words: step.Remark(m), After: after}
	}
	r.played, r.after = m, after
	return r, Answer{Verdict: Right, Move: m, Words: step.Shown, After: after}
}
