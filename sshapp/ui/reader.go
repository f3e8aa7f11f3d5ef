package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// A reader is a page of prose that scrolls.
type reader struct {
	env   *env
	title string
	prose widget.Prose
	help  bool // it is a help page
	size  tea.WindowSizeMsg
}

func newReader(e *env, title, words string) reader {
	return reader{env: e, title: title, prose: widget.Prose{Words: words}}
}

func (s reader) Init() tea.Cmd { return nil }

func (s reader) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.prose = s.prose.Fit(msg.Width, msg.Height)
	case tea.MouseWheelMsg:
		s.prose = s.prose.Wheel(msg, s.size.Width, s.size.Height)
	case tea.KeyPressMsg:
		return press(s, &readerKeys, msg)
	}
	return s, nil
}

var readerKeys = widget.Actions[reader]{
	Footer: []widget.Action[reader]{
		widget.OnKey(text.T("arrows"), text.T("scroll"), reader.scroll, "up", "down"),
		widget.Typed[reader]("esc", text.T("back")), // App's key, named here to stand before help
	},
	Others: widget.JumpKeys(reader.scroll, widget.OnKey("", "", reader.scroll, "enter", "space")),
}

func (s reader) scroll(msg tea.KeyPressMsg) (reader, tea.Cmd) {
	s.prose = s.prose.Key(msg.String(), s.size.Width, s.size.Height)
	return s, nil
}

func (s reader) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	s.prose.Draw(&p, s.env.theme)
}

func (s reader) Title() string { return s.title }

func (s reader) ShortHelp() []key.Binding  { return readerKeys.ShortHelp(s) }
func (s reader) FullHelp() [][]key.Binding { return readerKeys.FullHelp(s) }
func (s reader) Typing() bool              { return false }

func (s reader) Status() string {
	if s.help {
		return s.env.say.T("help")
	}
	return ""
}
