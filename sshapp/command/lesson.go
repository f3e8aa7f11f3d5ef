package command

import (
	"context"
	"strconv"
	"strings"

	"ludoteca/games"
	"ludoteca/games/lesson"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/command/prompt"
	"ludoteca/sshapp/command/reply"
	"ludoteca/sshapp/command/tree"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/wording"
)

// lessonRow is the command that teaches a game, a step or a move each time.
func lessonRow() *row {
	return &row{
		Name: "lesson", Example: "lesson tanks 2", Answer: lessonJSON{}, Summary: text.T("learn a game, step by step"), Args: []tree.Arg{
			optional(gameArg()),
			{Name: "N", Optional: true, Help: text.T("the step, counted from 1; without it, the one after the last that you have solved")},
			{Name: "MOVE", Optional: true, Words: 3, Help: text.T("the move with which you answer the step")},
		}, Run: teach,
	}
}

// A lessonJSON is a step of a lesson: what is asked, or what became of a move.
type lessonJSON struct {
	Game     string       `json:"game" help:"the id of the game"`
	Step     int          `json:"step" help:"the number of the step, counted from 1"`
	Steps    int          `json:"steps" help:"how many steps the lesson has"`
	Title    string       `json:"title" help:"the subject of the step, in English"`
	Task     string       `json:"task" help:"what is asked, in English"`
	Position string       `json:"position" help:"the position in one line, after a right move"`
	Board    []string     `json:"board" help:"the board, one text a row"`
	Turn     string       `json:"turn" help:"the side to move, first or second; \"\" when the game is over"`
	Legal    []games.Move `json:"legal" help:"the moves that are legal now"`
	Verdict  string       `json:"verdict" help:"what became of the move: right or wrong; \"\": none was given"`
	Move     games.Move   `json:"move" help:"the move that was given; \"\" for none"`
	Words    string       `json:"words" help:"what is said to the move, in English; \"\" for none"`
	Reply    games.Move   `json:"reply" help:"how the other side answers a right move; \"\": the next step has a position of its own"`
	Solved   int          `json:"solved" help:"up to which step you have come in this lesson; 0 for a guest"`
	Done     bool         `json:"done" help:"whether you have solved the last step of this lesson once"`
}

// teach prints the step of a lesson, or what becomes of a move there. Without a game it prints each lesson where the caller has left it.
func teach(f *tree.Flags) run {
	drawn := drawnFlag(f)
	return func(c *call) (reply.Reply, error) {
		who, err := c.visitor()
		if err != nil {
			return nil, err
		}
		solved, err := c.lobby().Learning.Lessons(c.ctx, who)
		if err != nil {
			return nil, err
		}
		if len(c.words) == 0 {
			return listLessons(c, solved), nil
		}
		g, err := c.game(c.words[0])
		if err != nil {
			return nil, err
		}
		l, err := lessonAt(c, g, solved[g.About().ID])
		switch {
		case err != nil:
			return nil, err
		case c.tells() && len(c.words) <= 2:
			return l.begin(c, who), nil
		case len(c.words) > 2:
			return l.try(c, who, strings.Join(c.words[2:], " "), *drawn)
		}
		return reply.One(reply.Made(func() string { return l.words(c, *drawn) }, func() any { return l.object() })), nil
	}
}

// A lessonStep is a step of a lesson for one caller.
type lessonStep struct {
	run    lesson.Run
	kept   learning.Lesson // how far the caller has come
	answer lesson.Answer   // to the move of the caller, if there is one
}

// lessonAt returns the step of a lesson that the second word names, or the one where the caller left it.
func lessonAt(c *call, g games.Game, kept learning.Lesson) (l lessonStep, err error) {
	run, ok := lesson.Begin(g)
	if !ok {
		return l, refusal{codeNotFound, c.say.T("There is no lesson for %s yet. To read its rules: rules %s", g.About().Name, g.About().ID)}
	}
	n := learning.Resume(kept, run.Steps())
	if len(c.words) > 1 {
		n, _ = strconv.Atoi(c.words[1]) // 0 is no step either
	}
	if run, ok = run.At(n); !ok {
		return l, usageError{words: c.say.T("The lesson has the steps 1 to %d, so %s isn't one.", run.Steps(), tree.Quoted(c.words[1]))}
	}
	return lessonStep{run: run, kept: kept}, nil
}

// listLessons prints all lessons, each at the step where the caller has left it.
func listLessons(c *call, solved learning.Lessons) reply.Reply {
	var rows []reply.Row
	for _, g := range c.lobby().Games() {
		run, ok := lesson.Begin(g)
		if !ok {
			continue
		}
		kept := solved[g.About().ID]
		run, _ = run.At(learning.Resume(kept, run.Steps()))
		l := lessonStep{run: run, kept: kept}
		rows = append(rows, reply.Made(func() string { return g.About().ID + "\t" + g.About().Name + "\t" + l.progress(c) }, func() any { return l.object() }))
	}
	return reply.Table(rows...)
}

// progress says how far the caller has come.
func (l lessonStep) progress(c *call) string {
	switch {
	case l.kept.Done:
		return c.say.T("done")
	case l.kept.Solved > 0:
		return c.say.T("step %d of %d", l.run.Number(), l.run.Steps())
	}
	return c.say.N(l.run.Steps(), "1 step", "%d steps")
}

// try answers the step with a move. A move that the rules forbid is refused with their reason.
func (l lessonStep) try(c *call, who lobby.User, typed string, drawn bool) (reply.Reply, error) {
	if l.run, l.answer = l.run.Try(typed); l.answer.Verdict == lesson.Illegal {
		return nil, l.answer.Err
	}
	if l.answer.Verdict == lesson.Right {
		if err := c.caller.lessons.solved(c.ctx, c.lobby(), who, l.run); err != nil {
			return nil, err
		}
		if who.Kind.HasAccount() {
			l.kept = l.kept.Farther(learning.Lesson{Solved: l.run.Number(), Done: l.run.Finished()})
		}
	}
	return reply.One(reply.Made(func() string { return l.answerWords(c, drawn) }, func() any { return l.object() })), nil
}

// begin has a user of the line mode be at the lesson: moves are typed there as at a match.
func (l lessonStep) begin(c *call, who lobby.User) reply.Reply {
	s := &taught{say: c.say, club: c.lobby(), who: who, tells: c.caller.current.Manner, run: l.run, lessons: c.caller.lessons}
	c.caller.current.Begin(s)
	return answer(s.asked())
}

// A taught is a lesson that a user of the line mode takes. Only the user's commands use it.
type taught struct {
	say   wording.Words
	club  *lobby.Lobby
	who   lobby.User
	tells func() prompt.Manner
	run   lesson.Run

	lessons *firstLessons
}

func (s *taught) Name() string { return s.run.Game().About().ID }
func (s *taught) Code() string { return prompt.Here }

func (s *taught) Look() prompt.Look {
	n := boardview.Narrator{Say: s.say.Say, Game: s.run.Game(), Plays: true, Side: s.run.Side(), Brief: s.tells().Brief}
	n.Names[n.Side], n.Names[n.Side.Other()] = s.who.Name, teacher
	look := prompt.Look{Narrator: n, Position: s.run.Position()}
	look.Before, look.Last = s.run.LastMove()
	return look
}

// asked tells what the step asks, and what stands on its board.
func (s *taught) asked() []string {
	look := s.Look()
	lines := []string{s.say.T("%s, step %d of %d: %s", s.say.Spell(s.run.Game().About().Name), s.run.Number(), s.run.Steps(), s.say.T(s.run.Step().Title))}
	if look.Before != nil {
		lines[0] += "."
		lines = append(lines, strings.Join(look.Narrator.Move(look.Before, look.Last), " "))
	}
	lines = append(lines, strings.Join(look.Narrator.Opening(look.Position), " "))
	lines = append(lines, drawing(s.tells(), look.Position)...)
	return append(lines, s.say.T(s.run.Step().Task))
}

// Play answers the step with a move. After a right one the lesson goes on.
func (s *taught) Play(ctx context.Context, m games.Move) ([]string, error) {
	look := s.Look()
	run, to := s.run.Try(string(m))
	switch to.Verdict {
	case lesson.Illegal:
		return nil, to.Err
	case lesson.Wrong:
		return []string{s.say.T("Not %s. %s", string(to.Move), s.say.T(to.Words))}, nil
	}
	if err := s.lessons.solved(ctx, s.club, s.who, run); err != nil {
		return nil, err
	}
	lines := []string{
		strings.Join(look.Narrator.Move(look.Position, to.Move), " "),
		s.say.T("%s is right. %s", string(to.Move), s.say.T(to.Words)),
	}
	next, ok := run.Next()
	if !ok {
		s.run = run
		return append(lines, s.say.T("That was the last step. play %s begins a match against the computer.", s.Name())), nil
	}
	s.run = next
	return append(lines, s.asked()...), nil
}

func (s *taught) Hint(context.Context) ([]string, error) {
	return []string{s.say.T("A right move: %s", string(s.run.Step().Right[0]))}, nil
}

func (s *taught) By(_ context.Context, steps int) ([]string, error) {
	return s.GoTo(s.run.Number() + steps)
}

func (s *taught) GoTo(number int) ([]string, error) {
	run, ok := s.run.At(number)
	if !ok {
		return nil, refusal{codeNotFound, s.say.N(s.run.Steps(), "The lesson has one step.", "The lesson has the steps 1 to %d.")}
	}
	s.run = run
	return s.asked(), nil
}

// keepLessons notes in the account of the user of a line mode, after each command, what they have solved without one. What can't be noted now
// is tried again after the next command.
func keepLessons(c *call) {
	f := c.caller.lessons
	if f == nil || len(f.before) == 0 || c.caller.Fingerprint == "" {
		return
	}
	who, _, err := c.lobby().Accounts.SignIn(c.ctx, c.caller.Fingerprint)
	if err != nil {
		return // there is no account yet
	}
	for id, l := range f.before {
		if err := c.lobby().Learning.Solved(c.ctx, who, id, l.Solved, l.Done); err != nil {
			return
		}
	}
	f.before = nil
}

// words say what the step asks.
func (l lessonStep) words(c *call, drawn bool) string {
	about := l.run.Game().About()
	lines := []string{
		c.say.T("%s, step %d of %d: %s", about.Name, l.run.Number(), l.run.Steps(), c.say.T(l.run.Step().Title)),
		// Translators: the side that the learner plays, such as X or Bottom.
		c.say.T("You are %s.", c.say.T(about.Sides[l.run.Side()])) + " " + c.say.T(l.run.Step().Task),
	}
	lines = append(lines, l.board(c, drawn)...)
	return strings.Join(append(lines, c.say.T("Answer with a move: lesson %s %d MOVE", about.ID, l.run.Number())), "\n")
}

// answerWords say what became of the caller's move.
func (l lessonStep) answerWords(c *call, drawn bool) string {
	id, n := l.run.Game().About().ID, l.run.Number()
	if l.answer.Verdict == lesson.Wrong {
		return c.say.T("Not %s. %s", string(l.answer.Move), c.say.T(l.answer.Words)) + "\n" + c.say.T("Try again: lesson %s %d MOVE", id, n)
	}
	lines := []string{c.say.T("%s is right. %s", string(l.answer.Move), c.say.T(l.answer.Words))}
	lines = append(lines, l.board(c, drawn)...)
	if l.run.Finished() {
		lines = append(lines, c.say.T("That was the last step. To play a match against the computer: new %s --vs pupil", id))
	} else {
		lines = append(lines, c.say.T("The next step: lesson %s %d", id, n+1))
	}
	return strings.Join(lines, "\n")
}

// board describes what stands on the board, or draws it.
func (l lessonStep) board(c *call, drawn bool) []string {
	return boardLines(c, l.run.Game().About(), l.run.Position(), drawn)
}

// object returns the step for scripts.
func (l lessonStep) object() lessonJSON {
	step, p := l.run.Step(), l.run.Position()
	j := lessonJSON{
		Game: l.run.Game().About().ID, Step: l.run.Number(), Steps: l.run.Steps(), Title: step.Title, Task: step.Task,
		Position: p.String(), Board: p.Rows(), Legal: append([]games.Move{}, p.Legal()...), Move: l.answer.Move, Words: l.answer.Words,
		Solved: l.kept.Solved, Done: l.kept.Done,
	}
	if !p.Result().Over {
		j.Turn = p.Turn().String()
	}
	if l.answer.Move != "" {
		j.Verdict = l.answer.Verdict.String()
	}
	if l.run.Solved() {
		j.Reply = step.Reply
	}
	return j
}
