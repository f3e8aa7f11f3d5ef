package people

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	"ludoteca/storage/operators"
)

// A report is the form for what a player tells the operator about another one.
type report struct {
	env    *screen.Env
	name   string          // of the player it is about
	match  storage.MatchID // in which it happened; "": the last one of both
	side   storage.Seat    // of the player in the match; Nobody: the name identifies the player
	reason widget.Entry
	busy   bool
	thanks string // once the operator has it
}

// reportedMsg is the answer to a report: words of thanks.
type reportedMsg struct {
	thanks string
	err    error
}

// reasonCells is the largest width of a reason, in cells.
const reasonCells = 200

// NewReport returns the form for a report about a player. match is the match that it is about; "" is the last match of both players.
func NewReport(e *screen.Env, name string, match storage.MatchID) screen.Screen {
	return report{env: e, name: name, match: match}
}

// NewSideReport returns the form for a report about the player on a side of a match. The player may have deleted their account since. name is
// only shown.
func NewSideReport(e *screen.Env, name string, match storage.MatchID, side games.Side) screen.Screen {
	return report{env: e, name: name, match: match, side: storage.SeatOf(side)}
}

func (s report) Init() tea.Cmd { return nil }

func (s report) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case reportedMsg:
		s.busy, s.thanks = false, msg.thanks
		return s, screen.Note(s.env.Say.Error(msg.err))
	case tea.PasteMsg:
		if s.Typing() {
			s.reason = s.reason.Insert(msg.Content, reasonCells)
		}
	case tea.KeyPressMsg:
		if run, ok := reportKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
		if s.Typing() {
			s.reason, _ = s.reason.Typed(msg, reasonCells)
		}
	}
	return s, nil
}

var reportKeys = widget.Actions[report]{Footer: []widget.Action[report]{
	widget.On("enter", text.T("report"), report.send, "enter").When(report.Typing),
}}

func (s report) send() (report, tea.Cmd) {
	if s.reason.Text == "" || s.busy {
		return s, nil
	}
	s.busy = true
	l, ctx, who, from, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Origin, s.env.Say
	name, match, side, reason := s.name, string(s.match), s.side, s.reason.Text
	return s, func() tea.Msg {
		var r operators.Report
		var err error
		if side == storage.Nobody {
			r, err = l.Report(ctx, who, from, name, match, reason)
		} else {
			r, err = l.ReportSide(ctx, who, from, match, side.Side(), reason)
		}
		if err != nil {
			return reportedMsg{err: err}
		}
		return reportedMsg{thanks: say.T("Thank you. The operator will look at what you say about %s.", r.AboutName)}
	}
}

func (s report) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say, room := s.env.Theme, s.env.Say, min(area.Dx()-2*widget.MenuColumn, widget.Readable)
	p.Down(widget.FirstLine)
	p.Line(widget.MenuColumn, t.Accent, say.Name(s.name))
	p.End()
	if s.thanks != "" {
		p.Wrap(widget.MenuColumn, t.Plain, s.thanks, room)
		return
	}
	why := say.T("Why? It goes to the operator of the club, with the chat of your last match:")
	if s.match != "" {
		why = say.T("Why? It goes to the operator of the club, with this match and its chat:")
	}
	p.Wrap(widget.MenuColumn, t.Plain, why, room)
	p.End()
	shown := s.reason.Text
	for text.Width(shown) >= max(room, 1) && shown != "" {
		shown = string([]rune(shown)[1:])
	}
	p.Line(widget.MenuColumn, t.Bold, shown+"_")
}

func (s report) Help() string {
	return s.env.Say.T("Say in a line what happened. The operator reads it with the last lines of the chat that you saw. The player is not told.")
}

func (s report) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("report")
}
func (s report) Status() string { return s.env.Who.Name }

func (s report) ShortHelp() []key.Binding  { return reportKeys.ShortHelp(s) }
func (s report) FullHelp() [][]key.Binding { return reportKeys.FullHelp(s) }

// Typing reports whether the reason is being typed. It is until the report is sent.
func (s report) Typing() bool { return s.thanks == "" }
