package newmatch

import (
	"errors"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A deepLink is the screen of a session that was started for one match: it finds the match by its code and is replaced by the
// board, or by the form for codes that says what is wrong with this one.
type deepLink struct {
	env  *screen.Env
	code string
	join bool // the session takes the free seat
}

// NewDeepLink returns the page of a session that was started for the match with a code. If join is true it takes the free seat.
func NewDeepLink(e *screen.Env, code string, join bool) screen.Screen {
	return deepLink{env: e, code: code, join: join}
}

func (s deepLink) Init() tea.Cmd {
	if s.join {
		return join(s.env, s.code)
	}
	l, ctx, who, origin, code := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Origin, s.code
	return func() tea.Msg {
		ref, err := l.Find(ctx, who, origin, code)
		return foundMsg{ref, err}
	}
}

func (s deepLink) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	found, ok := msg.(foundMsg)
	switch {
	case !ok:
		return s, nil
	case found.err == nil, errors.Is(found.err, lobby.ErrSeatTaken), errors.Is(found.err, lobby.ErrOver),
		errors.Is(found.err, lobby.ErrOwnOffer):
		return s, screen.ReplaceByMatch(found.ref)
	}
	return s, screen.Replace(joinScreen{env: s.env}.fill(s.code, found.err))
}

func (s deepLink) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	p.End()
	p.Line(widget.MenuColumn, s.env.Theme.Dim, s.env.Say.T("Looking for %s ...", text.Cut(text.Clean(s.code), 20)))
}

func (s deepLink) Title() string  { return s.env.Greeting.Name() }
func (s deepLink) Status() string { return s.env.Who.Name }

func (s deepLink) ShortHelp() []key.Binding  { return nil }
func (s deepLink) FullHelp() [][]key.Binding { return nil }
func (s deepLink) Typing() bool              { return false }
