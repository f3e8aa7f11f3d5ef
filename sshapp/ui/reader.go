package ui

import (
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
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
		return press(s, s.keys(), msg)
	}
	return s, nil
}

func (s reader) keys() widget.Actions[reader] {
	say := s.env.say
	return widget.Actions[reader]{
		Footer: []widget.Action[reader]{
			widget.OnKey(say.T("arrows"), say.T("scroll"), reader.scroll, "up", "down"),
			widget.Typed[reader]("esc", say.T("back")), // App's key, named here to stand before help
		},
		Others: append(widget.JumpKeys(say, reader.scroll), widget.OnKey("", "", reader.scroll, "enter", "space")),
	}
}

func (s reader) scroll(msg tea.KeyPressMsg) (reader, tea.Cmd) {
	s.prose = s.prose.Key(msg.String(), s.size.Width, s.size.Height)
	return s, nil
}

func (s reader) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.prose.Draw(widget.NewPage(c, area), s.env.theme)
}

func (s reader) Title() string { return s.title }
func (s reader) Keys() keyMap  { return s.keys() }
func (s reader) Typing() bool  { return false }

func (s reader) Status() string {
	if s.help {
		return s.env.say.T("help")
	}
	return ""
}
