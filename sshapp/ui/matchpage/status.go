package matchpage

import (
	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/widget"
)

// A status is what the words below the board depend on.
type status struct {
	situation
	scene    *boardview.Scene
	input    boardpage.MoveInput
	notes    []boardview.Note
	question string // that waits for a second enter; "" for none
	hint     hintLine
	sending  games.Move // on its way; "" for none
	premove  premove    // that the player has entered
	chatting bool       // a chat line is typed
	yours    bool       // the player can move now
	narrow   bool
	commands []string // that can be given now, while one is typed
}

// A statusArea is what stands below the board.
type statusArea struct {
	style  canvas.Style
	mark   string
	words  string // above the typed text
	prompt string // what the typed text means, else what can be done
}

const alertLines = 3 // of a statusArea's words

// area returns the most important message, and the meaning of the typed text. A meaning that doesn't fit behind the text stands
// above it, so that players can read the whole explanation of how to write a move.
func (s status) area(w int) statusArea {
	t := s.env.Theme
	a := statusArea{style: t.Accent, mark: t.Waiting + " ", words: s.alert()}
	if words := openOffer(s.situation); a.words == "" && words != "" {
		a = statusArea{style: t.Dim, words: words}
	}
	switch {
	case s.question != "", s.sending != "", s.chatting:
	case s.input.Empty() && a.words == "" && s.awaitsFriend():
		say := s.env.Say
		a = statusArea{style: t.Plain, words: say.T("Your friend chooses Join by code here, or types:"), prompt: say.SSHScreen("join " + s.view.Code)}
		if text.Width(a.prompt) > w-2*widget.Margin { // cut, it is of no use
			a.words, a.prompt = say.T("Your friend types: %s", a.prompt), ""
		}
	case s.input.Empty():
		a.prompt = s.prompt()
	case s.input.Problem == "":
		a.prompt = s.meaning()
		if !boardpage.MeaningFits(s.input, a.prompt, w) {
			a = statusArea{style: t.Dim, mark: text.Spaces(boardpage.TypedFrom), words: a.prompt}
		}
	}
	return a
}

// lines returns how many lines the words take in a window of the given width.
func (a statusArea) lines(w int) int {
	if a.words == "" {
		return 0
	}
	return boardpage.LinesOf(a.words, w-2*widget.Margin-text.Width(a.mark), alertLines)
}

// alert returns what matters now: an open question, what went wrong, an offer, a hint, a rematch, or what the rules demand.
func (s status) alert() string {
	switch {
	case s.question != "":
		return s.question
	case s.input.Problem != "":
		return s.input.Problem
	}
	if words := offered(s.situation); words != "" {
		return words
	}
	if s.hint.words != "" {
		return s.hint.words
	}
	if words := absent(s.situation); words != "" {
		return words
	}
	if r := s.view.Rematch; s.hasPlayed() && r != nil && !r.Taken && r.By != s.env.Who.Occupant() {
		return s.env.Say.T("%s asks for a rematch: press r.", describe.Occupant(s.env, r.By))
	}
	if s.showsUrgent() {
		for _, n := range s.notes {
			if n.Urgent {
				return noteText(s.situation, n)
			}
		}
	}
	return ""
}

// showsUrgent reports whether the first urgent note stands in the status area. A player who waits isn't hurried.
func (s status) showsUrgent() bool {
	return s.question == "" && s.input.Problem == "" && s.hint.words == "" && (s.yours || s.running() && !s.plays())
}

// meaning says what the typed text would do.
func (s status) meaning() string {
	if s.input.IsCommand() {
		return s.input.CommandMeaning(s.env.Say, s.commands)
	}
	if s.mayPremove() {
		if m, err := s.scene.Position().Read(s.input.Typed.Text); err == nil {
			return s.env.Say.T("enter plays %s as soon as it is your turn", string(m))
		}
	}
	turn := ""
	switch {
	case !s.running():
		return "" // there is nothing to wait for yet, or no more
	case !s.yours:
		turn = s.names()[s.view.Turn]
	}
	return s.input.Meaning(s.env.Say, s.scene, turn)
}

// prompt says what can be done while nothing is typed.
func (s status) prompt() string {
	say := s.env.Say
	switch {
	case !s.inPlay():
		return ""
	case s.premove != "" && s.narrow:
		return say.T("%s follows; esc takes it back.", string(s.premove))
	case s.premove != "":
		return say.T("%s is played as soon as it is your turn; esc takes it back.", string(s.premove))
	case !s.yours:
		return say.T("Waiting for %s.", s.names()[s.view.Turn])
	case s.hint.asking:
		return say.T("Looking for a hint ...")
	}
	if words := s.input.Prompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}
