package puzzlepage

import (
	"math"
	"strings"

	"ludoteca/games/puzzle"
	"ludoteca/lobby/rating"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
)

// task returns what the page says beside the board.
func (s puzzleScreen) task() boardpage.Task {
	task := boardpage.Task{Words: s.telling().paragraphs(), Turn: -1, Prompt: s.prompt()}
	names := s.names()
	for side := range task.Players {
		task.Players[side].Name = names[side]
	}
	if !s.position.Result().Over {
		task.Turn = int(s.position.Turn())
	}
	if s.asks() {
		for _, n := range s.Scene.Notes(s.env.Say.Say, names) {
			task.Notes = append(task.Notes, n.Words)
		}
	}
	return task
}

func (s puzzleScreen) layout() boardpage.Layout { return s.TaskLayout(s.task(), s.state()) }

// names are what the sides are called: the player, and the other side.
func (s puzzleScreen) names() (names [2]string) {
	say := s.env.Say
	names[s.puzzle.Side()] = say.T("you")
	names[s.puzzle.Side().Other()] = say.T("the other side")
	return names
}

// prompt says what can be done while nothing is typed.
func (s puzzleScreen) prompt() string {
	say := s.env.Say
	switch {
	case s.ended():
		if share, below := s.telling().share(); share != "" && below {
			return share
		}
		return say.T("Enter takes another puzzle.")
	case s.phase == moved:
		return say.T("The other side replies ...")
	case s.phase == refuted:
		return say.T("Enter brings the position back.")
	}
	return s.PromptForMove(say)
}

// A telling is what is said of an attempt.
type telling struct {
	attempt
	result
	env     *screen.Env
	problem string // why nothing came of what was typed; "" for nothing
	width   int    // of the page
}

func (s puzzleScreen) telling() telling {
	return telling{s.attempt, s.result, s.env, s.Input.Problem, s.Size.Width}
}

// heading names the puzzle.
func (s telling) heading() string {
	if s.missed != nil {
		// Translators: a heading, with the name of a player.
		return s.env.Say.T("From your match against %s", s.env.Say.Name(s.missed.Opponent))
	}
	if s.day != "" {
		// Translators: a heading, with the day as 2026-12-01.
		return s.env.Say.T("Puzzle of the day, %s", s.day)
	}
	// Translators: a heading, with the ID of a puzzle.
	return s.env.Say.T("Puzzle %s", s.puzzle.ID)
}

// paragraphs returns the words beside the board, what matters most first: the heading, what is said now, and the task where there is room for it too.
func (s telling) paragraphs() []boardpage.Paragraph {
	t, say := s.env.Theme, s.env.Say
	all := []boardpage.Paragraph{{Style: t.Bold, Words: s.heading()}}
	add := func(words ...string) {
		for _, w := range words {
			all = append(all, boardpage.Paragraph{Style: t.Plain, Words: w})
		}
	}
	if words := s.said(); words != "" {
		all = append(all, boardpage.Paragraph{Style: t.Accent, Words: words})
	}
	switch s.phase {
	case ended:
		add(s.came()...)
	case asking:
		side := describe.SideName(s.env, s.puzzle.Game.About(), int(s.puzzle.Side()))
		if s.missed != nil {
			add(say.MissedTask(side, s.missed))
		} else {
			add(say.PuzzleTask(side, s.puzzle))
		}
	}
	return all
}

// said returns what is said of the last move, or why nothing came of what was typed.
func (s telling) said() string {
	t, say, m, o := s.env.Theme, s.env.Say, string(s.tried), s.outcome
	switch {
	case s.problem != "":
		return t.Waiting + " " + s.problem
	case s.ended() && s.gaveUp:
		return say.T("The solution: %s", s.solution())
	case s.ended():
		return say.T("%s is right. The puzzle is solved.", m)
	case m == "":
		return ""
	case o.Verdict == puzzle.Right:
		return say.T("%s is right.", m)
	case s.phase == moved:
		return t.Waiting + " " + say.T("%s is wrong.", m)
	case o.Reply == "":
		return t.Waiting + " " + say.T("%s is wrong: the game ends without your win.", m)
	case s.phase == refuted:
		return t.Waiting + " " + say.T("%s is wrong: %s is the reply.", m, string(o.Reply))
	}
	return t.Waiting + " " + say.T("%s is wrong: %s is the reply. Try another move.", m, string(o.Reply))
}

// solution returns the moves of the main line.
func (s telling) solution() string {
	var words []string
	for _, m := range s.puzzle.Line() {
		words = append(words, string(m))
	}
	return strings.Join(words, " ")
}

// came says what came of the puzzle: the rating, the streak, and the line to share.
func (s telling) came() (all []string) {
	say := s.env.Say
	game := say.Spell(s.puzzle.Game.About().Name)
	switch {
	case s.missed != nil:
		all = append(all, say.T("In the match you played %s.", string(s.missed.Played)))
	case s.env.Who.Kind == storage.Guest:
		all = append(all, say.T("Guests have no rating: with an SSH key, your first try at each puzzle counts."))
	case s.counted != nil:
		// Translators: a game, the new rating, by how much it has changed, as +12 or -9, and a number of puzzles.
		all = append(all, say.T("Your rating in puzzles of %s: %s (%s). Solved one after the other: %d.", game, describe.Rated(s.counted.Rating, false),
			wording.Points(math.Round(s.counted.Rating)-math.Round(s.ratingBefore())), s.counted.Streak))
	case s.again:
		all = append(all, say.T("It counts for nothing: you have tried this puzzle before."))
	}
	if share, below := s.share(); share != "" && !below {
		all = append(all, share)
	}
	return all
}

// ratingBefore returns the player's rating before the first try.
func (s telling) ratingBefore() float64 {
	if s.before.Tried == 0 {
		return rating.StartRating
	}
	return s.before.Rating
}

// share returns the line to share about the puzzle of the day, "" for none. below reports whether it stands below the board, where it has the width
// of the page: a line is copied more easily than several.
func (s telling) share() (line string, below bool) {
	if s.gaveUp {
		return "", false
	}
	line = s.env.Say.ShareOfPuzzle(s.day, s.moves)
	return line, text.Width(line) <= s.width-2*widget.Margin
}
