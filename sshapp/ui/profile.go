package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A profile shows a player's ratings and results.
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
	l, ctx, name := s.env.lobby, s.env.ctx, s.name
	return func() tea.Msg {
		p, err := l.Profile(ctx, name)
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
		return press(s, s.keys(), msg)
	}
	return s, nil
}

func (s profile) keys() keyActions[profile] {
	return keyActions[profile]{footer: []keyAction[profile]{on("enter", s.env.say.T("matches"), profile.choose, "enter")}}
}

// choose shows the player's finished matches.
func (s profile) choose() (profile, tea.Cmd) { return s, push(newHistory(s.env, s.name)) }

// resultCells is the width of a column of results.
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

func (s profile) Help() string {
	return s.env.say.T("Enter shows the finished matches of this player.")
}

func (s profile) Title() string  { return "Ludoteca" + s.env.theme.dot + s.env.say.T("player") }
func (s profile) Status() string { return s.env.say.T("? is provisional") }
func (s profile) Keys() keyMap   { return s.keys() }
func (s profile) Typing() bool   { return false }
