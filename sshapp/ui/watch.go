package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
)

// watch lists the matches that are being played.
type watch struct {
	env     *env
	size    tea.WindowSizeMsg
	running []lobby.Running
	loaded  bool
	list    list
}

func newWatch(e *env) screen { return watch{env: e} }

// WantsLists makes App send listsMsg.
func (s watch) WantsLists() {}

func (s watch) Init() tea.Cmd { return nil }

func (s watch) Update(msg tea.Msg) (screen, tea.Cmd) {
	n, room := len(s.running)+1, s.room(s.size.Height)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.fit(n, s.room(msg.Height))
	case listsMsg:
		return s.update(msg.lists.Running), nil
	case tea.MouseWheelMsg:
		s.list = s.list.wheel(msg, n, room)
	case tea.MouseClickMsg:
		if at, ok := s.list.click(msg, 2, n, room); ok {
			s.list.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		switch k := s.keys(); {
		case key.Matches(msg, k.choose):
			return s.choose()
		case k.list.matches(msg):
			s.list = s.list.key(msg.String(), n, room)
		}
	}
	return s, nil
}

// update takes new lists in; the cursor follows its match.
func (s watch) update(running []lobby.Running) screen {
	if s.loaded {
		held := len(running) // the last line stays where it is
		for i, r := range running {
			if s.list.at < len(s.running) && r.ID == s.running[s.list.at].ID {
				held = i
			}
		}
		if held == len(running) && s.list.at < len(s.running) {
			held = min(s.list.at, max(len(running)-1, 0)) // it has ended: the next one takes its place
		}
		s.list.at = held
	}
	s.running, s.loaded = running, true
	s.list = s.list.fit(len(running)+1, s.room(s.size.Height))
	return s
}

func (s watch) choose() (screen, tea.Cmd) {
	if s.list.at < len(s.running) {
		return s, push(newMatch(s.env, s.running[s.list.at].ID))
	}
	return s, replace(newSetup(s.env, twoComputers))
}

func (s watch) room(h int) int { return max(h-3, 1) }

func (s watch) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	say := s.env.say
	p.down(firstLine)
	drawList(p, s.env.theme, s.list, len(s.running)+1, s.room(p.height), func(i int, y canvas.Style) {
		if i == len(s.running) {
			p.put(y, say.T("Let two computers play ..."))
			return
		}
		r := s.running[i]
		p.field(y, gameName(s.env, r.Game), gameCells)
		cells := min(p.width-margin, listColumn+listCells) - p.at - 9
		p.field(y, pairOf(s.env, r).in(cells-1), cells)
		p.number(y, say.T("move %d", r.Ply), 9)
	})
}

func (s watch) Title() string { return "Ludoteca" + s.env.theme.dot + s.env.say.T("watch a match") }

func (s watch) Status() string {
	if !s.loaded {
		return ""
	}
	return s.env.say.T("%d being played", len(s.running))
}

func (s watch) Typing() bool { return false }

// watchKeys are the keys of the list of running matches.
type watchKeys struct {
	list   listKeys
	choose key.Binding
}

func (s watch) keys() watchKeys {
	return watchKeys{newListKeys(s.env.say), bind("enter", s.env.say.T("watch"), "enter")}
}

func (s watch) Keys() keyMap { return s.keys() }

func (k watchKeys) ShortHelp() []key.Binding  { return []key.Binding{k.list.move, k.choose} }
func (k watchKeys) FullHelp() [][]key.Binding { return [][]key.Binding{k.ShortHelp(), k.list.others()} }
