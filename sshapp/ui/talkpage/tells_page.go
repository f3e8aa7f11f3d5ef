package talkpage

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/tells"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A tellsPage is the lines between the player and another one.
type tellsPage struct {
	env   *screen.Env
	size  tea.WindowSizeMsg
	name  string // of the other player
	lines []Line
	read  bool // lines are known
	pane  Pane
}

type (
	// A linesMsg holds the lines of the player.
	linesMsg struct {
		lines []tells.Line
		err   error
	}

	// A toldMsg is the answer to a line.
	toldMsg struct {
		typed string
		err   error
	}
)

// NewTells returns the page of the lines between the player and another one.
func NewTells(e *screen.Env, name string) screen.Screen { return tellsPage{env: e, name: name} }

func (s tellsPage) Init() tea.Cmd { return s.load() }

// load reads the lines.
func (s tellsPage) load() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	if l.Tells == nil {
		return nil
	}
	return func() tea.Msg {
		all, err := l.Tells.All(ctx, who)
		return linesMsg{all, err}
	}
}

func (s tellsPage) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case screen.ToldMsg, screen.ResumedMsg:
		return s, s.load()
	case linesMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		return s.take(msg.lines), nil
	case toldMsg:
		s.pane = s.pane.Sent(msg.typed, msg.err)
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		return s, s.load()
	case tea.PasteMsg:
		s.pane = s.pane.Pasted(msg.Content)
	case tea.KeyPressMsg:
		if run, ok := tellsKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
		s.pane, _ = s.pane.Typed(msg)
	}
	return s, nil
}

// take takes the lines of the player, and keeps those with the other one.
func (s tellsPage) take(all []tells.Line) tellsPage {
	s.lines, s.read = nil, true
	for _, l := range all {
		if strings.EqualFold(l.By, s.name) || strings.EqualFold(l.To, s.name) {
			s.lines = append(s.lines, Line{s.env.Say.Name(l.By) + ": " + s.env.Say.Spell(text.Clean(l.Text)), l.Sent})
		}
	}
	return s
}

// Peer returns the name of the other player, whose lines the page shows as they come.
func (s tellsPage) Peer() string { return s.name }

var tellsKeys = widget.Actions[tellsPage]{Footer: []widget.Action[tellsPage]{
	widget.On("enter", text.T("send"), tellsPage.send, "enter"),
}}

func (s tellsPage) send() (tellsPage, tea.Cmd) {
	pane, line := s.pane.Send()
	s.pane = pane
	l, ctx, who, name := s.env.Lobby, s.env.Ctx, s.env.Who, s.name
	if line == "" || l.Tells == nil {
		return s, nil
	}
	return s, func() tea.Msg {
		_, err := l.Tells.Tell(ctx, who, name, line)
		return toldMsg{line, err}
	}
}

// area returns where the pane stands in the body.
func (s tellsPage) area() canvas.Rect {
	w := min(s.size.Width-2*widget.MenuColumn, widget.Readable)
	return canvas.Area(widget.MenuColumn, widget.FirstLine, w, max(s.size.Height-widget.FirstLine, 0))
}

func (s tellsPage) Draw(c *canvas.Canvas, area canvas.Rect) {
	at := s.area()
	where := ""
	if s.read {
		where = s.env.Say.T("You have not written to each other in the last 30 days. If %s isn't here now, your line waits.", s.env.Say.Name(s.name))
	}
	s.pane.Draw(c, canvas.Area(area.Min.X+at.Min.X, area.Min.Y+at.Min.Y, at.Dx(), min(at.Dy(), area.Dy()-widget.FirstLine)), s.env.Theme, s.lines, where)
}

// Cursor returns the place of the cursor in the typed line.
func (s tellsPage) Cursor() (x, y int, shown bool) {
	at := s.area()
	return at.Min.X + s.pane.Cursor(at.Dx()), at.Max.Y - 1, at.Dy() > 0
}

func (s tellsPage) Help() string {
	return widget.Paragraphs(
		s.env.Say.T("You can write to a player when you follow each other, or when you have played three matches together in which both sides moved twice."),
		s.env.Say.T("If the other player isn't here, your line waits for up to 30 days. After five lines without an answer, you can write again when they have answered."),
	)
}

func (s tellsPage) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.Name(s.name)
}
func (s tellsPage) Status() string { return s.env.Who.Name }

func (s tellsPage) ShortHelp() []key.Binding  { return tellsKeys.ShortHelp(s) }
func (s tellsPage) FullHelp() [][]key.Binding { return tellsKeys.FullHelp(s) }
func (s tellsPage) Typing() bool              { return true }
