package accountpage

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/vacations"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A vacation screen shows how many days of vacation a player has left, begins the vacation and ends it.
type vacation struct {
	env     *screen.Env
	busy    bool // an answer of the club is on its way
	known   bool // now is set
	now     vacations.State
	days    int  // that the vacation would take
	sure    bool // the next enter begins it
	problem string
}

// vacationMsg is the vacation of the player, or why it can't be shown or changed.
type vacationMsg struct {
	now vacations.State
	err error
}

func newVacation(e *screen.Env) screen.Screen { return vacation{env: e, busy: true, days: 7} }

func (s vacation) Init() tea.Cmd { return s.ask(screen.Vacations.Of) }

func (s vacation) ask(do func(screen.Vacations, context.Context, lobby.User) (vacations.State, error)) tea.Cmd {
	l, ctx, who := s.env.Lobby.Vacations, s.env.Ctx, s.env.Who
	return func() tea.Msg {
		now, err := do(l, ctx, who)
		return vacationMsg{now, err}
	}
}

func (s vacation) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case vacationMsg:
		s.busy, s.sure, s.problem = false, false, s.env.Say.Error(msg.err)
		if msg.err == nil {
			s.known, s.now = true, msg.now
			s.days = min(s.days, max(s.now.DaysLeft, 1))
		}
	case tea.KeyPressMsg:
		if s.sure && msg.Code != tea.KeyEnter {
			s.sure = false
			return s, nil
		}
		return screen.Press(s, &vacationKeys, msg)
	}
	return s, nil
}

var vacationKeys = widget.Actions[vacation]{Footer: []widget.Action[vacation]{
	widget.OnKey(text.T("left right"), text.T("days"), vacation.choose, "left", "right").Listed(vacation.begins),
	widget.On("enter", text.T("begin"), vacation.begin, "enter").Listed(vacation.begins),
	widget.On("o", text.T("end it"), vacation.end, "o").Listed(vacation.ends),
}}

// begins reports whether a vacation can begin, ends whether there is one.
func (s vacation) begins() bool { return s.known && s.now.Until.IsZero() && s.now.DaysLeft > 0 }

func (s vacation) ends() bool { return s.known && !s.now.Until.IsZero() }

func (s vacation) choose(msg tea.KeyPressMsg) (vacation, tea.Cmd) {
	by := 1
	if msg.String() == "left" {
		by = -1
	}
	if s.begins() {
		s.days = min(max(s.days+by, 1), s.now.DaysLeft)
	}
	return s, nil
}

// begin begins the vacation when enter is pressed a second time: a begun day is not given back.
func (s vacation) begin() (vacation, tea.Cmd) {
	if s.busy || !s.begins() {
		return s, nil
	}
	if !s.sure {
		s.sure, s.problem = true, ""
		return s, nil
	}
	s.busy = true
	until := s.env.Now().Add(time.Duration(s.days) * 24 * time.Hour)
	return s, s.ask(func(l screen.Vacations, ctx context.Context, who lobby.User) (vacations.State, error) {
		return l.Begin(ctx, who, until)
	})
}

func (s vacation) end() (vacation, tea.Cmd) {
	if s.busy || !s.ends() {
		return s, nil
	}
	s.busy = true
	return s, s.ask(screen.Vacations.End)
}

func (s vacation) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	width := min(p.Width-2*widget.MenuColumn, widget.Readable)
	p.Down(widget.FirstLine)
	if s.known {
		words := say.T("You are not on vacation.")
		if s.ends() {
			words = say.T("You are on vacation until %s. The clocks of your matches with days a move stand; you may move all the same.", say.Minute(s.now.Until))
		}
		p.Wrap(widget.MenuColumn, t.Plain, words+" "+say.N(s.now.DaysLeft, "One day of vacation is left this year.", "%d days of vacation are left this year."), width)
		p.End()
	}
	if s.begins() && s.sure {
		p.Wrap(widget.MenuColumn, t.Accent, say.N(s.days, "Vacation of one day.", "Vacation of %d days.")+" "+
			say.T("Enter once more: the vacation begins, and a begun day counts whole. Any other key leaves it."), width)
		p.End()
	} else if s.begins() {
		p.Wrap(widget.MenuColumn, t.Accent, say.N(s.days, "Vacation of one day: enter begins it.", "Vacation of %d days: enter begins it."), width)
		p.End()
	}
	if s.problem != "" {
		p.Wrap(widget.MenuColumn, t.Accent, s.problem, width)
	}
}

func (s vacation) Help() string {
	return s.env.Say.T("On vacation the clocks of your matches with days a move stand, for both sides; your opponents see until when. You have 14 days a year, a begun day counts whole. It isn't for matches of events, and doesn't begin while a move of yours is overdue.")
}

func (s vacation) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("vacation")
}
func (s vacation) Status() string            { return s.env.Who.Name }
func (s vacation) ShortHelp() []key.Binding  { return vacationKeys.ShortHelp(s) }
func (s vacation) FullHelp() [][]key.Binding { return vacationKeys.FullHelp(s) }
func (s vacation) Typing() bool              { return s.sure }
func (s vacation) HandlesEsc() bool          { return s.sure }
