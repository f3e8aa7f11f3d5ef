package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// A deepLink is the screen of a session that was started for one match: it finds the match by its code and is replaced by the
// board, or by the form for codes that says what is wrong with this one.
type deepLink struct {
	env   *env
	start Start
	code  string
}

// foundMsg is the match of a code. With an error, id may still name a match that can be watched.
type foundMsg struct {
	id  storage.MatchID
	err error
}

func newDeepLink(e *env, start Start, code string) screen {
	return deepLink{env: e, start: start, code: code}
}

func (s deepLink) Init() tea.Cmd {
	if s.start == StartJoin {
		return join(s.env, s.code)
	}
	club, ctx, who, origin, code := s.env.club, s.env.ctx, s.env.who, s.env.origin, s.code
	return func() tea.Msg {
		id, err := club.Find(ctx, who, origin, code)
		return foundMsg{id, err}
	}
}

// join takes the free seat of the match with a code.
func join(e *env, code string) tea.Cmd {
	club, ctx, who, origin := e.club, e.ctx, e.who, e.origin
	return func() tea.Msg {
		ref, err := club.Join(ctx, who, origin, code)
		return foundMsg{ref.ID, err}
	}
}

func (s deepLink) Update(msg tea.Msg) (screen, tea.Cmd) {
	found, ok := msg.(foundMsg)
	switch {
	case !ok:
		return s, nil
	case found.err == nil, errors.Is(found.err, lobby.ErrSeatTaken), errors.Is(found.err, lobby.ErrOver),
		errors.Is(found.err, lobby.ErrOwnOffer):
		return s, replace(newMatch(s.env, found.id))
	}
	return s, replace(joinScreen{env: s.env}.fill(s.code, found.err))
}

func (s deepLink) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	p.end()
	p.line(menuColumn, s.env.theme.dim, s.env.say.T("Looking for %s ...", text.Cut(text.Clean(s.code), 20)))
}

func (s deepLink) Title() string  { return "Ludoteca" }
func (s deepLink) Status() string { return s.env.who.Name }
func (s deepLink) Keys() keyMap   { return keyActions[deepLink]{} }
func (s deepLink) Typing() bool   { return false }
