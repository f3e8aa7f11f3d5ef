package gamestest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"ludoteca/games"
)

// What games.LessonStep promises of its words, in columns.
const (
	titleWidth  = 30
	lessonWords = 150
)

// The number of steps of a lesson.
const (
	fewestSteps = 6
	mostSteps   = 10
)

// A Goal reports whether a move, which leads from one position to another, does what a step of a lesson asks.
type Goal func(before games.Position, m games.Move, after games.Position) bool

// Lesson checks the lesson of a game by its own rules. goals says what each step asks, by title: exactly the legal moves that reach the goal must be
// right. Moves that get a word of their own are legal and not right, all others have a general one, and a step after a reply begins where the reply
// leads.
func Lesson(t *testing.T, g games.Game, goals map[string]Goal) {
	t.Helper()
	steps := games.LessonOf(g)
	if len(steps) < fewestSteps || len(steps) > mostSteps {
		t.Errorf("the lesson has %d steps, want %d to %d", len(steps), fewestSteps, mostSteps)
	}
	if len(goals) != len(steps) {
		t.Errorf("%d goals for %d steps", len(goals), len(steps))
	}
	var replied string // the position with which the next step must begin; "" for any
	for i := range steps {
		step := &steps[i]
		p, err := g.Parse(step.Position)
		if err != nil {
			t.Fatalf("%s: %v", step.Title, err)
		}
		if replied != "" && p.String() != replied {
			t.Errorf("%s: the position is %s, but the reply leads to %s", step.Title, p, replied)
		}
		goal := goals[step.Title]
		if goal == nil {
			t.Errorf("the step %q has no goal", step.Title)
			continue
		}
		if replied, err = stepEnds(p, step, goal); err != nil {
			t.Errorf("%s: %v", step.Title, err)
		}
	}
	if replied != "" {
		t.Error("the last step has a reply")
	}
}

// stepEnds checks a step and returns the position after its reply.
func stepEnds(p games.Position, step *games.LessonStep, goal Goal) (replied string, err error) {
	if p.String() != step.Position {
		return "", fmt.Errorf("the position is written %s", p)
	}
	var right, others []games.Move
	for _, m := range p.Legal() {
		after, err := p.Play(m)
		if err != nil {
			return "", err
		}
		if goal(p, m, after) {
			right = append(right, m)
		} else {
			others = append(others, m)
		}
	}
	if len(right) == 0 || !slices.Equal(right, step.Right) {
		return "", fmt.Errorf("the goal is reached by %q, and right are %q", right, step.Right)
	}
	remarked := map[games.Move]bool{}
	for _, r := range step.Wrong {
		for _, m := range r.Moves {
			if !slices.Contains(others, m) || remarked[m] {
				return "", fmt.Errorf("%s has a remark, but is right, illegal, or has another one", m)
			}
			remarked[m] = true
		}
	}
	if (step.Else == "") != (len(remarked) == len(others)) {
		return "", fmt.Errorf("%d legal moves are not right, %d of them have remarks, and the word for others is %q", len(others), len(remarked), step.Else)
	}
	if err := stepWords(step); err != nil || step.Reply == "" {
		return "", err
	}
	if len(right) != 1 {
		return "", fmt.Errorf("a reply to %d moves", len(right))
	}
	after, err := p.Play(right[0])
	if err == nil {
		after, err = after.Play(step.Reply)
	}
	if err != nil {
		return "", fmt.Errorf("the reply: %w", err)
	}
	return after.String(), nil
}

// stepWords checks that all words of a step are there and fit.
func stepWords(step *games.LessonStep) error {
	if n := utf8.RuneCountInString(step.Title); n == 0 || n > titleWidth || strings.HasSuffix(step.Title, ".") {
		return fmt.Errorf("the title has %d columns, want 1 to %d", n, titleWidth)
	}
	words := []string{step.Task, step.Shown}
	for _, r := range step.Wrong {
		words = append(words, r.Words)
	}
	if step.Else != "" {
		words = append(words, step.Else)
	}
	for _, w := range words {
		if strings.Contains(" "+w, " X ") || strings.Contains(" "+w, " O ") || strings.Contains(w, "O's") {
			return fmt.Errorf("%q names a side by a sign that the board may not show", w)
		}
		if n := utf8.RuneCountInString(w); n == 0 || n > lessonWords || !strings.HasSuffix(w, ".") && !strings.HasSuffix(w, "?") {
			return fmt.Errorf("%q has %d columns, want 1 to %d, and a stop at its end", w, n, lessonWords)
		}
	}
	return nil
}

// Plays returns the goal of a step that names what is to be played: one of these moves.
func Plays(moves ...games.Move) Goal {
	return func(_ games.Position, m games.Move, _ games.Position) bool { return slices.Contains(moves, m) }
}

// Anything is the goal of a step in which every legal move is right.
func Anything(games.Position, games.Move, games.Position) bool { return true }

// Wins is the goal of a step that asks for a move that wins.
func Wins(before games.Position, _ games.Move, after games.Position) bool {
	return after.Result().For(before.Turn()) > 0
}

// EveryReply returns the goal of a step that asks for a move after which the game goes on, and each reply leads to a position that has a property.
func EveryReply(ok func(before games.Position, reply games.Move, after games.Position) bool) Goal {
	return func(_ games.Position, _ games.Move, after games.Position) bool {
		return !after.Result().Over && !slices.ContainsFunc(after.Legal(), func(m games.Move) bool {
			next, err := after.Play(m)
			return err != nil || !ok(after, m, next)
		})
	}
}

// Cell returns the letter of a cell in the board text, for boards of cells with a column letter and a row number.
func Cell(p games.Position, cell string) byte {
	rows := p.Rows()
	row, err := strconv.Atoi(cell[1:])
	if err != nil {
		panic(err)
	}
	return rows[len(rows)-row][cell[0]-'a']
}

// Count returns how often the board text has one of some letters.
func Count(p games.Position, letters string) (n int) {
	for _, row := range p.Rows() {
		for _, letter := range row {
			if strings.ContainsRune(letters, letter) {
				n++
			}
		}
	}
	return n
}

// An Example says how the lesson of a game treats an example of its rule sheet.
type Example struct {
	About string // how the words before the example begin; examples without words between them have the same
	Step  string // the title of the step that teaches it
	Not   string // or why no step does
}

// Examples checks that all examples of a rule sheet, in their order, have a step of the lesson or a reason why they have none. An example that is
// added to the sheet fails it.
func Examples(t *testing.T, g games.Game, file string, all []Example) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, step := range games.LessonOf(g) {
		titles[step.Title] = true
	}
	about := wordsBefore(string(text))
	for i, words := range about {
		if i >= len(all) {
			t.Errorf("the example about %q has neither a step nor a reason", words)
			continue
		}
		e := all[i]
		if !strings.HasPrefix(words, e.About) || e.About == "" {
			t.Errorf("example %d is about %q, want %q", i+1, words, e.About)
		}
		if (e.Step == "") == (e.Not == "") || e.Step != "" && !titles[e.Step] {
			t.Errorf("the example about %q has the step %q and the reason %q", e.About, e.Step, e.Not)
		}
	}
	if len(all) > len(about) {
		t.Errorf("%d examples are in the table, and %d in the sheet", len(all), len(about))
	}
}

// wordsBefore returns the paragraph before each example of a rule sheet.
func wordsBefore(sheet string) (all []string) {
	var paragraph []string
	last, example := "", false
	for line := range strings.SplitSeq(sheet, "\n") {
		switch line = strings.TrimRight(line, " \r"); {
		case line == "```example":
			all, example = append(all, last), true
		case example:
			example = line != "```"
		case line == "":
			if len(paragraph) > 0 {
				last = strings.Join(paragraph, " ")
			}
			paragraph = nil
		default:
			paragraph = append(paragraph, line)
		}
	}
	return all
}
