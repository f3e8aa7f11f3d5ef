package review

import (
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A status is what the words below the board depend on.
type status struct {
	path
	notes    notePane
	together togetherPane
	plan     boardpage.Plan
	env      *screen.Env
	id       storage.MatchID
	scene    *boardview.Scene
	input    boardpage.MoveInput
	analysis Analysis
	names    [2]string
	moveText string // what the last move did
	narrow   bool
	beside   bool     // the panel stands beside the board
	commands []string // that can be given now, while one is typed
}

// statusWords are words below the board.
type statusWords struct {
	style canvas.Style
	mark  string
	words string
}

const statusLines = 2 // of statusWords

// lines returns how many lines of a page the words take.
func (s statusWords) lines(w int) int {
	return boardpage.LinesOf(s.words, w-2*widget.Margin-text.Width(s.mark), statusLines)
}

// above says why a key did nothing, else what the last move did.
func (s status) above() statusWords {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.input.Problem != "":
		return statusWords{t.Accent, t.Waiting + " ", s.input.Problem}
	case s.variation != nil && s.moveText != "":
		return statusWords{t.Accent, "", say.T("Not played: %s", s.moveText)}
	}
	return statusWords{t.Plain, "", s.moveText}
}

// typing reports whether something is typed that stands in the last line, with its meaning behind it.
func (s status) typing() bool { return s.trying() && !s.input.Empty() }

// last returns the words of the last line: the meaning of the typed text, the kind of the variation, or who stands better.
func (s status) last() statusWords {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.notes.typing || s.together.typing:
		return statusWords{}
	case s.typing() && s.input.IsCommand():
		return statusWords{t.Dim, "", s.input.CommandMeaning(say, s.commands)}
	case s.typing() && s.input.Problem != "":
		return statusWords{}
	case s.typing():
		return statusWords{t.Dim, "", s.input.Meaning(say, s.scene, "")}
	case s.trying():
		return statusWords{t.Dim, "", s.prompt()}
	case !s.beside && s.together.state(say) != "":
		return s.togetherWords()
	case s.variation != nil:
		return statusWords{t.Dim, "", s.variationText()}
	case !s.beside && s.notes.at(s.at) != "": // else it stands beside the board
		return statusWords{t.Accent, "", say.T("Your note: %s", s.notes.at(s.at))}
	case s.analysis.Ready() && s.atEnd() && s.narrow:
		return statusWords{t.Plain, "", s.analysis.ShortSummary(s.env.Say, s.names, t.Dot)}
	case s.analysis.Worth(say, s.names, s.at) != "":
		return statusWords{t.Plain, "", s.analysis.Worth(say, s.names, s.at)}
	case !s.beside && !s.plan.Empty():
		return statusWords{t.Dim, "", s.plan.Words(s.env)}
	case s.analysis.Progress(say) != "":
		return statusWords{t.Dim, "", s.analysis.Progress(say)}
	case s.view.Over:
		return statusWords{t.Dim, "", say.T("As text: %s", say.SSH("record "+string(s.id)))}
	}
	return statusWords{}
}

// prompt says what can be done where moves are tried.
func (s status) prompt() string {
	say := s.env.Say
	if s.scene.Position().Result().Over {
		return say.T("The game ends here.")
	}
	if words := s.input.Prompt(say, s.scene); words != "" {
		return words
	}
	switch plan := s.plan.Words(s.env); {
	case s.mayPlan(s.env) && plan != "" && !s.beside:
		return plan
	case s.mayPlan(s.env) && s.narrow:
		return say.T("Play for both sides, ctrl+p plans it.")
	case s.mayPlan(s.env):
		return say.T("Play on for both sides, from the other side's move to yours; ctrl+p plans it.")
	case s.narrow:
		return say.T("Try a move: arrows, enter, or type it.")
	}
	return say.T("Try moves for both sides: arrows and enter, a click, or type them.")
}

// variationText describes the moves of the variation and, if there is room, their value.
func (s status) variationText() string {
	say, v := s.env.Say, s.variation
	line, worth := boardpage.FirstOf(v.Moves, boardpage.SomeMoves), ""
	if !s.narrow && v.Kind != OwnMoves {
		worth = "; " + s.analysis.Worth(say, s.names, v.From)
	}
	switch v.Kind {
	case BetterLine:
		return say.T("Better than %s: %s", string(s.view.Moves[v.From]), line) + worth
	case BestLine:
		return say.T("Best from here: %s", line) + worth
	}
	if s.together.follows() {
		return say.T("%s shows: %s", s.together.other(say), line)
	}
	return say.T("Your own moves: %s", line)
}
