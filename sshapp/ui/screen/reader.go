package screen

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// A Reader is a page of prose that scrolls.
type Reader struct {
	env   *Env
	title string
	Prose widget.Prose
	help  bool // it is a help page
	size  tea.WindowSizeMsg
}

// NewReader returns a page of prose with a title.
func NewReader(e *Env, title, words string) Reader {
	return Reader{env: e, title: title, Prose: widget.Prose{Words: words}}
}

func (s Reader) Init() tea.Cmd { return nil }

func (s Reader) Update(msg tea.Msg) (Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.Prose = s.Prose.Fit(msg.Width, msg.Height)
	case tea.MouseWheelMsg:
		s.Prose = s.Prose.Wheel(msg, s.size.Width, s.size.Height)
	case tea.KeyPressMsg:
		return Press(s, &readerKeys, msg)
	}
	return s, nil
}

var readerKeys = widget.Actions[Reader]{
	Footer: []widget.Action[Reader]{
		widget.OnKey(text.T("arrows"), text.T("scroll"), Reader.scroll, "up", "down"),
		widget.Typed[Reader]("esc", text.T("back")), // App's key, named here to stand before help
	},
	Others: widget.JumpKeys(Reader.scroll, widget.OnKey("", "", Reader.scroll, "enter", "space")),
}

func (s Reader) scroll(msg tea.KeyPressMsg) (Reader, tea.Cmd) {
	s.Prose = s.Prose.Key(msg.String(), s.size.Width, s.size.Height)
	return s, nil
}

func (s Reader) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	s.Prose.Draw(&p, s.env.Theme)
}

func (s Reader) Title() string { return s.title }

func (s Reader) ShortHelp() []key.Binding  { return readerKeys.ShortHelp(s) }
func (s Reader) FullHelp() [][]key.Binding { return readerKeys.FullHelp(s) }
func (s Reader) Typing() bool              { return false }

func (s Reader) Status() string {
	if s.help {
		return s.env.Say.T("help")
	}
	return ""
}
