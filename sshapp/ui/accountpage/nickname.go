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
	textScreen
	busy bool // the answer of the club is on its way
}

// nicknameMsg is why a guest can't have a nickname.
type nicknameMsg struct{ err error }

func newNickname(e *screen.Env) screen.Screen {
	return nickname{textScreen: textScreen{env: e, limit: nameCells, prefix: names.GuestPrefix}}
}

func (s nickname) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case nicknameMsg:
		s.busy, s.words, s.problem = false, s.env.Say.Error(msg.err), true
	case screen.RenamedMsg:
		s.busy, s.problem, s.typed = false, false, widget.Entry{}
		s.words = s.env.Say.T("You are %s from now on.", text.Clean(msg.Who.Name))
	case tea.KeyPressMsg:
		if run, ok := nicknameKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
	}
	s.textScreen = s.take(msg)
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

func (s nickname) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.draw(c, area, s.env.Say.T("What shall we call you?"), "")
}

func (s nickname) Help() string {
	return s.env.Say.T("A guest's nickname stands behind guest- and lasts for this visit. The rules are those of names, with at most 14 letters, and it must not look like the name of a player or another guest. Matches that you are in keep the name that you had.")
}

func (s nickname) Title() string             { return s.title(s.env.Say.T("nickname")) }
func (s nickname) ShortHelp() []key.Binding  { return nicknameKeys.ShortHelp(s) }
func (s nickname) FullHelp() [][]key.Binding { return nicknameKeys.FullHelp(s) }
