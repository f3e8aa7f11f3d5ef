package people

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/studies"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/review"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A studyList lists the records from elsewhere that the session's player keeps, the newest first. The store bounds it.
type studyList struct {
	env    *screen.Env
	size   tea.WindowSizeMsg
	rows   []studies.Study
	loaded bool
	list   widget.List
}

type studiesMsg struct {
	rows []studies.Study
	err  error
}

// NewStudies returns the list of the studies of the session's player.
func NewStudies(e *screen.Env) screen.Screen { return studyList{env: e} }

func (s studyList) Init() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	return func() tea.Msg {
		rows, err := l.Studies.Imported(ctx, who)
		return studiesMsg{rows, err}
	}
}

func (s studyList) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(len(s.rows), s.columns().Room())
	case studiesMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
		s.rows, s.loaded = msg.rows, true
		s.list = s.list.Fit(len(s.rows), s.columns().Room())
	case screen.ResumedMsg: // some may have been imported, or removed
		return s, s.Init()
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, len(s.rows)); clicked {
			return s.choose()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &studyKeys, msg)
	}
	return s, nil
}

var studyKeys = widget.Actions[studyList]{
	Footer: []widget.Action[studyList]{widget.ArrowKeys(studyList.move), widget.On("enter", text.T("look at it"), studyList.choose, "enter")},
	Others: widget.JumpKeys(studyList.move),
}

func (s studyList) move(msg tea.KeyPressMsg) (studyList, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.rows), s.columns().Room())
	return s, nil
}

func (s studyList) choose() (studyList, tea.Cmd) {
	if len(s.rows) == 0 {
		return s, nil
	}
	return s, screen.Push(review.NewStudy(s.env, s.rows[s.list.At].ID))
}

// columns returns where the rows stand: below the mark for what is above.
func (s studyList) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+1, 0, len(s.rows))
}

func (s studyList) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	p.Down(widget.FirstLine)
	if s.loaded && len(s.rows) == 0 {
		p.End()
		p.Wrap(widget.MenuColumn, s.env.Theme.Dim, s.env.Say.T("You have no studies. To import a record: %s", s.env.Say.SSH("import < record.txt")), p.Width-2*widget.MenuColumn)
		return
	}
	s.columns().Draw(&p, s.env.Theme, s.list, len(s.rows), func(p *widget.Page, i int, y canvas.Style) { s.drawRow(p, y, s.rows[i]) })
}

// drawRow draws a study: when it was imported, its game, players and result.
func (s studyList) drawRow(p *widget.Page, y canvas.Style, st studies.Study) {
	names := text.Clean(st.First) + " - " + text.Clean(st.Second)
	if p.Width < widget.BothColumns {
		p.Field(y, describe.GameName(s.env, st.Game), describe.GameCells).Field(y, names, p.Width-widget.Margin-p.At-outcomeCells).Number(y, st.Result, outcomeCells)
		return
	}
	p.Field(y, s.env.Say.Date(st.At), dateCells).Field(y, describe.GameName(s.env, st.Game), describe.GameCells)
	end := min(p.Width-widget.Margin, describe.ListColumn+describe.ListCells)
	p.Field(y, names, end-p.At-outcomeCells-pliesCells).Field(y, st.Result, outcomeCells).Number(y, plies(s.env.Say, st.Plies), pliesCells)
}

func (s studyList) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Your studies are records from elsewhere, the newest first. Nobody else sees them. To import one: %s", say.SSH("import < record.txt")),
		say.T("Enter steps through a study, move by move."),
	)
}

func (s studyList) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("your studies")
}

func (s studyList) Status() string {
	if !s.loaded {
		return ""
	}
	return s.env.Say.N(len(s.rows), "1 study", "%d studies")
}

func (s studyList) ShortHelp() []key.Binding  { return studyKeys.ShortHelp(s) }
func (s studyList) FullHelp() [][]key.Binding { return studyKeys.FullHelp(s) }
func (s studyList) Typing() bool              { return false }
