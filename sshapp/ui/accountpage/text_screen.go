package accountpage

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A textScreen is what the screens with one text to type are made of: a question, the text, and words about it.
type textScreen struct {
	env     *screen.Env
	limit   int    // of the text, in cells
	prefix  string // what stands before the text
	typed   widget.Entry
	words   string
	problem bool // words say why the text can't be taken
}

// textLine is the line of the body with the text.
const textLine = 4

func (f textScreen) Init() tea.Cmd { return nil }

// take returns the screen after a paste or a key that is none of the screen's own.
func (f textScreen) take(msg tea.Msg) textScreen {
	typed, ok := f.typed, false
	switch msg := msg.(type) {
	case tea.PasteMsg:
		typed, ok = f.typed.Insert(msg.Content, f.limit), true
	case tea.KeyPressMsg:
		typed, ok = f.typed.Typed(msg, f.limit)
	}
	if ok {
		f.typed, f.words = typed, ""
	}
	return f
}

// draw draws the question, the text, and the words, or those that stand there when there are none.
func (f textScreen) draw(c *canvas.Canvas, area canvas.Rect, question, otherwise string) {
	p := widget.NewPage(c, area)
	t := f.env.Theme
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.End()
	p.Wrap(widget.MenuColumn, t.Plain, question, width)
	p.Down(textLine)
	p.To(widget.MenuColumn).Put(t.Dim, f.prefix).To(widget.MenuColumn+len(f.prefix)).Put(t.Accent, f.typed.Text)
	p.End()
	p.End()
	words, style := f.words, t.Plain
	switch {
	case words == "":
		words = otherwise
	case f.problem:
		style = t.Accent
	}
	p.Wrap(widget.MenuColumn, style, words, width)
}

// Cursor returns the place of the next letter.
func (f textScreen) Cursor() (x, y int, shown bool) {
	return widget.MenuColumn + len(f.prefix) + f.typed.Column(), textLine, true
}

// title returns the title of a screen with a name.
func (f textScreen) title(name string) string { return f.env.Greeting.Name() + f.env.Theme.Dot + name }

func (f textScreen) Status() string { return f.env.Who.Name }
func (f textScreen) Typing() bool   { return true }
