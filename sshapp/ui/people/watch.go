package people

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/lists"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// moveCells is the width of the column that says how far a match is.
const moveCells = 12

// A watch lists the matches that are being played.
type watch struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	running []lists.Running
	loaded  bool
	list    widget.List
}

// NewWatch returns the list of public matches that are being played.
func NewWatch(e *screen.Env) screen.Screen { return watch{env: e} }

// WantsLists makes App send ListsMsg.
func (s watch) WantsLists() {}

func (s watch) Init() tea.Cmd { return nil }

func (s watch) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n := len(s.running) + 1
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.columns().Room())
	case screen.ListsMsg:
		return s.update(msg.Lists.Running), nil
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, n); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &watchKeys, msg)
	}
	return s, nil
}

var watchKeys = widget.Actions[watch]{
	Footer: []widget.Action[watch]{widget.ArrowKeys(watch.move), widget.On("enter", text.T("watch"), watch.choose, "enter")},
	Others: widget.JumpKeys(watch.move),
}

func (s watch) move(msg tea.KeyPressMsg) (watch, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.running)+1, s.columns().Room())
	return s, nil
}

// update takes new lists. The cursor follows its match.
func (s watch) update(running []lists.Running) screen.Screen {
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
	s.list = s.list.Fit(len(running)+1, s.columns().Room())
	return s
}

func (s watch) choose() (watch, tea.Cmd) {
	if s.list.At < len(s.running) {
		return s, screen.ShowMatch(s.running[s.list.At].Ref)
	}
	return s, screen.Replace(newmatch.New(s.env, newmatch.TwoComputers))
}

// columns returns where the lines stand: below the mark for what is above.
func (s watch) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+1, 0, len(s.running)+1)
}

func (s watch) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	say := s.env.Say
	p.Down(widget.FirstLine)
	s.columns().Draw(&p, s.env.Theme, s.list, len(s.running)+1, func(p *widget.Page, i int, y canvas.Style) {
		if i == len(s.running) {
			p.Put(y, say.T("Let two computers play ..."))
			return
		}
		r := s.running[i]
		p.Field(y, describe.GameName(s.env, r.Game), describe.GameCells)
		cells := min(p.Width-widget.Margin, describe.ListColumn+describe.ListCells) - p.At - moveCells
		clock := say.ShortClock(r.Clock)
		cells -= describe.ClockCells(clock)
		p.Field(y, describe.PairOf(s.env, r).In(cells-1), cells)
		p.Field(y, clock, describe.ClockCells(clock))
		how := say.AtMove(r.Ply)
		if s.env.Now().Before(r.Stands) {
			how = say.T("paused")
		}
		p.Number(y, how, moveCells)
	})
}

func (s watch) Help() string {
	return s.env.Say.T("All public matches in progress, the newest first. Enter goes to the board. The clock of a paused match stands.")
}

func (s watch) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("watch a match")
}

func (s watch) Status() string {
	if !s.loaded {
		return ""
	}
	return s.env.Say.N(len(s.running), "%d being played", "%d being played")
}

func (s watch) ShortHelp() []key.Binding  { return watchKeys.ShortHelp(s) }
func (s watch) FullHelp() [][]key.Binding { return watchKeys.FullHelp(s) }
func (s watch) Typing() bool              { return false }
