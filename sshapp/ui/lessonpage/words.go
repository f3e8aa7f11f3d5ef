package lessonpage

import (
	"strings"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/widget"
)

// least is how many lines of the board there are at least: fewer than most boards have, since a board scrolls and words don't.
const least = 6

// A paragraph is words of the panel in their style.
type paragraph struct {
	style canvas.Style
	words string
}

// paragraphs returns the words of the step, what matters most first: its title, what is said now, and the task where there is room for it too.
func (s lessonScreen) paragraphs() []paragraph {
	t, say, step := s.env.Theme, s.env.Say, s.run.Step()
	all := []paragraph{{t.Bold, say.T(step.Title)}}
	switch {
	case s.run.Solved():
		return append(all, paragraph{t.Accent, say.T("Right.") + " " + say.T(step.Shown)})
	case s.Input.Problem != "":
		all = append(all, paragraph{t.Accent, t.Waiting + " " + s.Input.Problem})
	case s.answer != "":
		all = append(all, paragraph{t.Accent, t.Waiting + " " + s.answer})
	}
	return append(all, paragraph{t.Plain, say.T(step.Task)})
}

// lines returns how many lines some paragraphs take in a panel of the given width, with gap empty lines between them.
func lines(all []paragraph, width, gap int) (n int) {
	for i, p := range all {
		if i > 0 {
			n += gap
		}
		n += len(text.Wrap(p.words, width))
	}
	return n
}

// layout returns the places of board and panel. In a wide window the panel stands beside the board. Else it is below, and gets the lines that
// its words need; the board has the rest, and scrolls if that isn't enough.
func (s lessonScreen) layout() boardpage.Layout {
	w, h, st := s.Size.Width, s.Size.Height, s.state()
	if l := boardpage.NewLayout(s.Scene, st, w, h); l.Beside {
		l.Height = max(h-1-l.Line, 0)
		return l
	}
	l := boardpage.Layout{Column: min(widget.Margin, w), Width: max(w-2*widget.Margin, 0)}
	room := max(h-1, 0) // above the typed text
	words := lines(s.shown(l.Width, room), l.Width, 0)
	l.Board = s.Scene.Fit(w, max(room-words, min(least, room)), st)
	l.X, l.Line = max((w-l.Board.Width)/2, 0), l.Board.Height
	if l.Height = room - l.Line; l.Height > words {
		l.Line, l.Height = l.Line+1, l.Height-1 // air between board and panel
	}
	return l
}

// shown returns the paragraphs of a panel below the board: without the task where an answer needs its lines.
func (s lessonScreen) shown(width, room int) []paragraph {
	all := s.paragraphs()
	if len(all) > 2 && lines(all, width, 0) > room-least-2 {
		return all[:2]
	}
	return all
}

// fill fills the panel: the words of the step and, beside the board, the sides.
func (s lessonScreen) fill(on *boardpage.Panel, l boardpage.Layout) {
	if !l.Beside {
		for _, p := range s.shown(on.Width(), s.Size.Height-1) {
			on.Wrap(p.style, 0, p.words)
		}
		return
	}
	for i, p := range s.paragraphs() {
		if i > 0 {
			on.Gap()
		}
		on.Wrap(p.style, 0, p.words)
	}
	if on.Room() > 5 {
		on.Gap()
		turn := -1
		if s.unsolved() {
			turn = int(s.run.Side())
		}
		on.AddPlayers(s.env.Theme, s.env.Say, s.Scene, s.players(), turn, true)
	}
	if on.Room() > 1 && s.unsolved() {
		on.Gap()
		for _, n := range s.Scene.Notes(s.env.Say.Say, s.names()) {
			on.Wrap(s.env.Theme.Dim, 0, n.Words)
		}
	}
}

// names are what the sides are called: the learner, and the other side.
func (s lessonScreen) names() (names [2]string) {
	say := s.env.Say
	names[s.run.Side()] = say.T("you")
	names[s.run.Side().Other()] = say.T("the other side")
	return names
}

func (s lessonScreen) players() (players [2]boardpage.PlayerLine) {
	names := s.names()
	for side := range players {
		players[side].Name = names[games.Side(side)]
	}
	return players
}

// drawLast draws the last line of the page: the typed move and what it means, or how to go on.
func (s lessonScreen) drawLast(p *widget.Page) {
	t, say := s.env.Theme, s.env.Say
	if !s.Input.Empty() {
		meaning := ""
		if s.Input.Problem == "" {
			meaning = s.Input.Meaning(say, s.Scene, "")
		}
		boardpage.DrawTyped(p, t, s.Input, meaning)
		return
	}
	boardpage.DrawWords(p, t.Dim, "", strings.TrimSpace(s.prompt()), 1)
}

// prompt says what can be done while nothing is typed.
func (s lessonScreen) prompt() string {
	say := s.env.Say
	switch {
	case s.run.Finished():
		return say.T("The last step. Now play a match.")
	case s.run.Solved() && s.run.Step().Reply != "":
		return say.T("Enter shows the reply and goes on.")
	case s.run.Solved():
		return say.T("Enter goes on to the next step.")
	}
	if words := s.Input.Prompt(say, s.Scene); words != "" {
		return words
	}
	if s.Narrow() {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}
