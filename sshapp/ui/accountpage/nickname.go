package accountpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/names"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A nickname screen lets a guest choose a nickname.
type nickname struct {
	env     *screen.Env
	typed   widget.Entry
	busy    bool // the answer of the club is on its way
	words   string
	problem bool // words say why the guest can't have the nickname
}

// nicknameMsg is why a guest can't have a nickname.
type nicknameMsg struct{ err error }

func newNickname(e *screen.Env) screen.Screen { return nickname{env: e} }

func (s nickname) Init() tea.Cmd { return nil }

func (s nickname) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case nicknameMsg:
		s.busy, s.words, s.problem = false, s.env.Say.Error(msg.err), true
	case screen.RenamedMsg:
		s.busy, s.problem, s.typed = false, false, widget.Entry{}
		s.words = s.env.Say.T("You are %s from now on.", text.Clean(msg.Who.Name))
	case tea.PasteMsg:
		s.typed, s.words = s.typed.Insert(msg.Content, nameCells), ""
	case tea.KeyPressMsg:
		if run, ok := nicknameKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
		if typed, ok := s.typed.Typed(msg, nameCells); ok {
			s.typed, s.words = typed, ""
		}
	}
	return s, nil
}

var nicknameKeys = widget.Actions[nickname]{Footer: []widget.Action[nickname]{
	widget.Typed[nickname](text.T("letters"), text.T("the nickname")),
	widget.On("enter", text.T("choose"), nickname.choose, "enter"),
}}

// choose asks for the nickname that is typed.
func (s nickname) choose() (nickname, tea.Cmd) {
	if s.busy || s.typed.Text == "" {
		return s, nil
	}
	l, ctx, who, typed := s.env.Lobby.Nicknames, s.env.Ctx, s.env.Who, s.typed.Text
	s.busy, s.words = true, ""
	return s, func() tea.Msg {
		named, err := l.Choose(ctx, who, typed)
		if err != nil {
			return nicknameMsg{err}
		}
		return screen.RenamedMsg{Who: named}
	}
}

// nicknameLine is the line of the body with the nickname.
const nicknameLine = 4

func (s nickname) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.End()
	p.Wrap(widget.MenuColumn, t.Plain, say.T("What shall we call you?"), width)
	p.Down(nicknameLine)
	p.To(widget.MenuColumn).Put(t.Dim, names.GuestPrefix).To(widget.MenuColumn+len(names.GuestPrefix)).Put(t.Accent, s.typed.Text)
	p.End()
	p.End()
	style := t.Plain
	if s.problem {
		style = t.Accent
	}
	p.Wrap(widget.MenuColumn, style, s.words, width)
}

// Cursor returns the place of the next letter of the nickname.
func (s nickname) Cursor() (x, y int, shown bool) {
	return widget.MenuColumn + len(names.GuestPrefix) + s.typed.Column(), nicknameLine, true
}

func (s nickname) Help() string {
	return s.env.Say.T("A guest's nickname stands behind guest- and lasts for this visit. The rules are those of names, with at most 14 letters, and it must not look like the name of a player or another guest. Matches that you are in keep the name that you had.")
}

func (s nickname) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("nickname")
}
func (s nickname) Status() string            { return s.env.Who.Name }
func (s nickname) ShortHelp() []key.Binding  { return nicknameKeys.ShortHelp(s) }
func (s nickname) FullHelp() [][]key.Binding { return nicknameKeys.FullHelp(s) }
func (s nickname) Typing() bool              { return true }
