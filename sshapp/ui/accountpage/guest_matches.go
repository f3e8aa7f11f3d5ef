package accountpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A guestMatches screen gives a guest a code, with which a key takes over the matches that the guest has finished.
type guestMatches struct {
	env     *screen.Env
	busy    bool
	code    string
	problem string
}

// guestCodeMsg is the code, or why there is none.
type guestCodeMsg struct {
	code string
	err  error
}

// NewGuestMatches returns the screen. It asks for a code at once.
func NewGuestMatches(e *screen.Env) screen.Screen { return guestMatches{env: e, busy: true} }

func (s guestMatches) Init() tea.Cmd { return s.ask() }

func (s guestMatches) ask() tea.Cmd {
	l, ctx, who, from := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Origin
	return func() tea.Msg {
		code, _, err := l.OfferMatches(ctx, who, from)
		return guestCodeMsg{code, err}
	}
}

func (s guestMatches) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case guestCodeMsg:
		s.busy, s.code, s.problem = false, msg.code, s.env.Say.Error(msg.err)
	case tea.KeyPressMsg:
		return screen.Press(s, &guestMatchesKeys, msg)
	}
	return s, nil
}

var guestMatchesKeys = widget.Actions[guestMatches]{Footer: []widget.Action[guestMatches]{
	widget.On("n", text.T("another code"), guestMatches.again, "n"),
}}

// again asks for another code.
func (s guestMatches) again() (guestMatches, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	return s, s.ask()
}

func (s guestMatches) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.Down(widget.FirstLine)
	p.Wrap(widget.MenuColumn, t.Plain, say.T("The matches that you finish in this visit can be yours for good. You need an SSH key: ssh-keygen makes one."), width)
	p.End()
	switch {
	case s.problem != "":
		p.Wrap(widget.MenuColumn, t.Accent, s.problem, width)
	case s.code != "":
		p.Wrap(widget.MenuColumn, t.Plain, say.T("Within 10 minutes, give this command in another terminal, with your key:"), width)
		p.End()
		p.Wrap(widget.MenuColumn, t.Accent, say.SSH("keys claim "+s.code), p.Width-widget.MenuColumn) // the code is never cut
		p.End()
		p.Wrap(widget.MenuColumn, t.Dim, say.T("The code works once. A match that still goes on stays a guest's; end it first, or ask for another code when it is over."), width)
	}
}

func (s guestMatches) Help() string {
	return s.env.Say.T("A guest is one connection: its results belong to nobody. A key makes them those of a player, in history and records. Ratings stay as they are.")
}

func (s guestMatches) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("keep your matches")
}
func (s guestMatches) Status() string            { return s.env.Who.Name }
func (s guestMatches) ShortHelp() []key.Binding  { return guestMatchesKeys.ShortHelp(s) }
func (s guestMatches) FullHelp() [][]key.Binding { return guestMatchesKeys.FullHelp(s) }
func (s guestMatches) Typing() bool              { return false }
