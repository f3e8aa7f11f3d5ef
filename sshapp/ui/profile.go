package ui

import (
	"strconv"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// profile shows what the club knows of a player.
type profile struct {
	env    *env
	name   string
	found  lobby.Profile
	loaded bool
}

type profileMsg struct {
	profile lobby.Profile
	err     error
}

func newProfile(e *env, name string) screen { return profile{env: e, name: name} }

func (s profile) Init() tea.Cmd {
	club, ctx, name := s.env.club, s.env.ctx, s.name
	return func() tea.Msg {
		p, err := club.Profile(ctx, name)
		return profileMsg{p, err}
	}
}

func (s profile) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case profileMsg:
		if msg.err != nil {
			return s, note(s.env.say.Error(msg.err))
		}
		s.found, s.loaded = msg.profile, true
	case tea.KeyPressMsg:
		if key.Matches(msg, s.matches()) {
			return s, push(newHistory(s.env, s.name))
		}
	}
	return s, nil
}

// resultCells is the room for a number of results.
const resultCells = 6

func (s profile) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t, say := s.env.theme, s.env.say
	p.down(firstLine)
	p.line(menuColumn, t.accent, text.Clean(s.name))
	if !s.loaded {
		return
	}
	here := say.T("not here just now")
	if s.found.Online {
		here = say.T("here")
	}
	p.line(menuColumn, t.dim, say.T("since %s", text.Date(s.found.Since))+t.dot+here)
	p.end()
	if len(s.found.Games) == 0 {
		p.line(menuColumn, t.dim, say.T("No rated match yet."))
		return
	}
	p.to(menuColumn+gameCells).number(t.dim, say.T("rating"), ratingCells)
	for _, words := range []string{say.T("won"), say.T("drawn"), say.T("lost")} {
		p.number(t.dim, words, resultCells)
	}
	p.end()
	for _, g := range s.found.Games {
		p.to(menuColumn).field(t.plain, gameName(s.env, g.Game), gameCells)
		p.number(t.plain, rated(g.Rating, g.Provisional), ratingCells)
		for _, n := range []int{g.Won, g.Drawn, g.Lost} {
			p.number(t.plain, strconv.Itoa(n), resultCells)
		}
		p.end()
	}
}

func (s profile) Title() string  { return "Ludoteca" + s.env.theme.dot + s.env.say.T("player") }
func (s profile) Status() string { return s.env.say.T("? is provisional") }
func (s profile) Typing() bool   { return false }
func (s profile) Keys() keyMap   { return bindings{s.matches()} }

// matches is the key that leads to the player's finished matches.
func (s profile) matches() key.Binding { return bind("enter", s.env.say.T("matches"), "enter") }
