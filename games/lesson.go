package games

// Taught is an optional ability of a Game: to teach its rules, from the first move to the first tactic, by small tasks on its own board.
// Package games/lesson steps through them.
type Taught interface {
	Game

	// Lesson returns the steps of the lesson in their order. It is fixed data; callers must not change it.
	Lesson() []LessonStep
}

// A LessonStep is a position in which one thing is asked. All words are English sentences for translation, in which moves and cells stand as in
// the notation of the game. What gamestest.Lesson promises of a step is what screens and commands rely on.
type LessonStep struct {
	Title    string   // the subject in a few words, at most 30 columns
	Position string   // as Position.String writes it; the game goes on in it
	Task     string   // what the learner, who is the side to move, is asked to do
	Right    []Move   // all legal moves that do it, sorted
	Shown    string   // what a right move has shown
	Wrong    []Remark // what is said to some of the other legal moves
	Else     string   // what is said to all others; empty if there are none

	// Reply is the answer of the other side to the only right move. The next step begins after it. Without a reply, the next step has a
	// position of its own.
	Reply Move
}

// A Remark is what is said to some moves.
type Remark struct {
	Moves []Move
	Words string
}

// Remark returns what is said to a legal move that isn't right.
func (s *LessonStep) Remark(m Move) string {
	for _, r := range s.Wrong {
		for _, wrong := range r.Moves {
			if wrong == m {
				return r.Words
			}
		}
	}
	return s.Else
}

// LessonOf returns the lesson of a game; none if the game has no lesson.
func LessonOf(g Game) []LessonStep {
	if t, ok := g.(Taught); ok {
		return t.Lesson()
	}
	return nil
}
