package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A note is shown above the footer until the next key. It may be a question, which owns all input until it is answered.
type note struct {
	words string // "": there is none
	asks  question
}

// A question is what a note asks.
type question uint8

// The questions: whether to leave the club, and whether to go back from the screen on top. The same key again answers yes.
const (
	noQuestion question = iota
	leaveQuestion
	backQuestion
)

// set shows words. A question that stood there is withdrawn.
func (n *note) set(words string) { *n = note{words: words} }

// ask shows a question.
func (n *note) ask(q question, words string) { *n = note{words, q} }

// asking reports whether the note is a question.
func (n *note) asking() bool { return n.asks != noQuestion }

// lines returns the lines of the note in a window of the given width, at most most.
func (n *note) lines(width, most int) []string {
	lines := text.Wrap(n.words, widget.Measure(width)-2*widget.Margin-2)
	return lines[:min(len(lines), most)]
}

// drawNote draws the lines of a note.
func drawNote(p *widget.Page, t *widget.Theme, lines []string) {
	mark := "! "
	for _, words := range lines {
		p.Line(widget.Margin, t.Accent, mark+words)
		mark = "  "
	}
}

// A bell rings unless the player has switched it off.
type bell struct {
	env   *screen.Env
	sound tea.Cmd // nil: the terminal has none
}

func (b bell) ring() tea.Cmd {
	if b.env.Settings.Mute {
		return nil
	}
	return b.sound
}
