package boardpage

import (
	"strings"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// leastBoard is how many lines of a board there are at least above a task: fewer than most boards have, since a board scrolls and words don't.
const leastBoard = 6

// A Paragraph is words of a task in their style.
type Paragraph struct {
	Style canvas.Style
	Words string
}

// A Task is what a page says beside or below a board that asks the player for a move, as in a lesson.
type Task struct {
	Words   []Paragraph // what matters most first: where there is no room for all of them, the last ones are left out
	Players [2]PlayerLine
	Turn    int      // the side to move; -1 for none
	Notes   []string // about the position
	Prompt  string   // what can be done while nothing is typed
}

// lines returns how many lines some paragraphs take in a panel of the given width.
func lines(all []Paragraph, width int) (n int) {
	for _, p := range all {
		n += len(text.Wrap(p.Words, width))
	}
	return n
}

// shown returns the paragraphs of a panel below the board: without those for which there is no room, but two at least.
func (t Task) shown(width, room int) []Paragraph {
	all := t.Words
	for len(all) > 2 && lines(all, width) > room-leastBoard-2 {
		all = all[:len(all)-1]
	}
	return all
}

// TaskLayout returns the places of board and task. In a wide window the task stands beside the board. Else it is below, and gets the lines that
// its words need; the board has the rest, and scrolls if that isn't enough.
func (b *Board) TaskLayout(t Task, st boardview.State) Layout {
	w, h := b.Size.Width, b.Size.Height
	if l := NewLayout(b.Scene, st, w, h); l.Beside {
		l.Height = max(h-1-l.Line, 0)
		return l
	}
	l := Layout{Column: min(widget.Margin, w), Width: max(w-2*widget.Margin, 0)}
	room := max(h-1, 0) // above the typed text
	words := lines(t.shown(l.Width, room), l.Width)
	l.Board = b.Scene.Fit(w, max(room-words, min(leastBoard, room)), st)
	l.X, l.Line = max((w-l.Board.Width)/2, 0), l.Board.Height
	if l.Height = room - l.Line; l.Height > words {
		l.Line, l.Height = l.Line+1, l.Height-1 // air between board and panel
	}
	return l
}

// DrawTask draws the board, the task, and the last line of the page: the typed move and what it means, or the prompt.
func (b *Board) DrawTask(p *widget.Page, theme *widget.Theme, say wording.Words, t Task, st boardview.State) {
	l := b.TaskLayout(t, st)
	part := p.Part(b.Size.Height - 1)
	beside := l.Draw(&part, theme, b.Scene, st)
	b.fill(&beside, theme, say, t, l)
	if b.Input.Empty() {
		DrawWords(p, theme.Dim, "", strings.TrimSpace(t.Prompt), 1)
		return
	}
	meaning := ""
	if b.Input.Problem == "" {
		meaning = b.Input.Meaning(say, b.Scene, "")
	}
	DrawTyped(p, theme, b.Input, meaning)
}

// fill fills the panel: the words of the task and, beside the board, the sides.
func (b *Board) fill(on *Panel, theme *widget.Theme, say wording.Words, t Task, l Layout) {
	if !l.Beside {
		for _, p := range t.shown(on.Width(), b.Size.Height-1) {
			on.Wrap(p.Style, 0, p.Words)
		}
		return
	}
	for i, p := range t.Words {
		if i > 0 {
			on.Gap()
		}
		on.Wrap(p.Style, 0, p.Words)
	}
	if on.Room() > 5 {
		on.Gap()
		on.AddPlayers(theme, say, b.Scene, t.Players, t.Turn, true)
	}
	if on.Room() > 1 && len(t.Notes) > 0 {
		on.Gap()
		for _, words := range t.Notes {
			on.Wrap(theme.Dim, 0, text.Capital(words)) // which may begin with what a side is called
		}
	}
}

// PromptForMove says how a move is made.
func (b *Board) PromptForMove(say wording.Words) string {
	if words := b.Input.Prompt(say, b.Scene); words != "" {
		return words
	}
	if b.Narrow() {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}
