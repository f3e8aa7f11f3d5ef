package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
)

// A watch lists the matches that are being played.
type watch struct {
	env     *env
	size    tea.WindowSizeMsg
	running []lobby.Running
	loaded  bool
	list    widget.List
}

func newWatch(e *env) screen { return watch{env: e} }

// WantsLists asks App for listsMsg.
func (s watch) WantsLists() {}

func (s watch) Init() tea.Cmd { return nil }

func (s watch) Update(msg tea.Msg) (screen, tea.Cmd) {
	n, room := len(s.running)+1, s.room(s.size.Height)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.room(msg.Height))
	case listsMsg:
		return s.update(msg.lists.Running), nil
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.list.Mouse(msg, 2, n, room); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return press(s, &watchKeys, msg)
	}
	return s, nil
}

var watchKeys = widget.Actions[watch]{
	Footer: []widget.Action[watch]{widget.ArrowKeys(watch.move), widget.On("enter", text.T("watch"), watch.choose, "enter")},
	Others: widget.JumpKeys(watch.move),
}

func (s watch) move(msg tea.KeyPressMsg) (watch, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.running)+1, s.room(s.size.Height))
	return s, nil
}

// update takes new lists. The cursor follows its match.
func (s watch) update(running []lobby.Running) screen {
	if s.loaded {
		held := len(running) // the last line, which no match has
		for i, r := range running {
			if s.list.At < len(s.running) && r.ID == s.running[s.list.At].ID {
				held = i
			}
		}
		if held == len(running) && s.list.At < len(s.running) {
			held = min(s.list.At, max(len(running)-1, 0)) // the match has ended: the next one takes its place
		}
		s.list.At = held
	}
	s.running, s.loaded = running, true
	s.list = s.list.Fit(len(running)+1, s.room(s.size.Height))
	return s
}

func (s watch) choose() (watch, tea.Cmd) {
	if s.list.At < len(s.running) {
		return s, showMatch(s.running[s.list.At].Ref)
	}
	return s, replace(newSetup(s.env, twoComputers))
}

func (s watch) room(h int) int { return max(h-3, 1) }

func (s watch) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	say := s.env.say
	p.Down(widget.FirstLine)
	widget.DrawList(&p, s.env.theme, s.list, len(s.running)+1, s.room(p.Height), func(i int, y canvas.Style) {
		if i == len(s.running) {
			p.Put(y, say.T("Let two computers play ..."))
			return
		}
		r := s.running[i]
		p.Field(y, gameName(s.env, r.Game), gameCells)
		cells := min(p.Width-widget.Margin, listColumn+listCells) - p.At - 9
		p.Field(y, pairOf(s.env, r).in(cells-1), cells)
		p.Number(y, say.T("move %d", r.Ply), 9)
	})
}

func (s watch) Help() string {
	return s.env.say.T("All public matches in progress, the newest first. Enter goes to the board.")
}

func (s watch) Title() string { return "Ludoteca" + s.env.theme.Dot + s.env.say.T("watch a match") }

func (s watch) Status() string {
	if !s.loaded {
		return ""
	}
	return s.env.say.T("%d being played", len(s.running))
}

func (s watch) ShortHelp() []key.Binding  { return watchKeys.ShortHelp(s) }
func (s watch) FullHelp() [][]key.Binding { return watchKeys.FullHelp(s) }
func (s watch) Typing() bool              { return false }
