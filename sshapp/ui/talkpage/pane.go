// Package talkpage has what people write to each other outside of matches: the page of the lines between the player and another one, and the pane of
// lines that it shares with the lounge.
package talkpage

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/chat"
)

// lineCells is the largest width of a typed line, in cells: a full line of wide characters.
const lineCells = 2 * chat.Runes

// A Line is a line as the pane shows it.
type Line struct {
	Words string
	Own   bool // the player wrote it
}

// A Pane is lines, the newest last, above the line that is being typed. The zero value is empty.
type Pane struct {
	entry   widget.Entry
	sending bool
}

// Typed takes a key as text of the line; ok is false if it is none, or the line is full.
func (p Pane) Typed(msg tea.KeyPressMsg) (next Pane, ok bool) {
	entry, used := p.entry.Typed(msg, lineCells)
	if !used {
		return p, false
	}
	return p.edited(entry), true
}

// Pasted takes pasted words as text of the line, as far as they fit.
func (p Pane) Pasted(words string) Pane { return p.edited(p.entry.Insert(words, lineCells)) }

func (p Pane) edited(entry widget.Entry) Pane {
	if utf8.RuneCountInString(entry.Text) <= chat.Runes {
		p.entry = entry
	}
	return p
}

// Send returns the pane without the typed line, which is on its way from then on; "" if there is none, or one is on its way.
func (p Pane) Send() (next Pane, line string) {
	line = p.entry.Text
	if p.sending || text.Clean(line) == "" {
		return p, ""
	}
	p.sending, p.entry = true, widget.Entry{}
	return p, line
}

// Sent takes the answer to a line. One that was refused is typed again, unless another one is by now.
func (p Pane) Sent(line string, err error) Pane {
	p.sending = false
	if err != nil && p.entry.Text == "" {
		p.entry = p.entry.Insert(line, lineCells)
	}
	return p
}

// prompt stands before the typed line.
const prompt = "> "

// Cursor returns the column of the cursor in a pane of the given width.
func (p Pane) Cursor(width int) int {
	_, at := p.entry.Shown(width - len(prompt))
	return len(prompt) + at
}

// Draw draws the last lines, and on the last line of the area what is typed. where stands in place of lines where there are none.
func (p Pane) Draw(c *canvas.Canvas, area canvas.Rect, t *widget.Theme, lines []Line, where string) {
	width, room := area.Dx(), area.Dy()-2
	if width < 1 || room < 0 {
		return
	}
	type run struct {
		style canvas.Style
		words string
	}
	var shown []run
	for _, l := range lines[max(0, len(lines)-max(room, 0)):] {
		y := t.Plain
		if l.Own {
			y = t.Dim
		}
		for _, part := range text.Wrap(l.Words, width) {
			shown = append(shown, run{y, part})
		}
	}
	if len(shown) == 0 {
		for _, part := range text.Wrap(where, width) {
			shown = append(shown, run{t.Dim, part})
		}
	}
	shown = shown[max(0, len(shown)-room):]
	page := widget.NewPage(c, area)
	for _, r := range shown {
		page.Line(0, r.style, r.words)
	}
	page.Down(area.Dy() - 1 - len(shown))
	typed, _ := p.entry.Shown(width - len(prompt))
	page.Line(0, t.Bold, prompt+typed)
}
