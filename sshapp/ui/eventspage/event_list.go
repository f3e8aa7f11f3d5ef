// Package eventspage has the events of the club: their list, the page of one, and the form that announces one.
package eventspage

import (
	"context"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	tournamentstore "ludoteca/storage/tournaments"
)

// An eventLine is an event in the list.
type eventLine struct {
	tournamentstore.Summary
	ends time.Time // zero: that isn't known
	in   bool      // the player takes part
}

// An eventList lists the events: those that run, then those that begin, and behind tab those that are over. The cursor stays on its event.
type eventList struct {
	env  *screen.Env
	size tea.WindowSizeMsg
	stop context.CancelFunc // ends the wait for the next listing
	ctx  func() context.Context

	now, past []eventLine
	loaded    bool
	asked     bool // for the past ones
	old       bool // the past ones are shown
	ticks     int
	list      widget.List
}

type (
	listingMsg struct {
		listing *tournaments.Listing
		err     error
	}
	pastMsg struct {
		all []tournamentstore.Summary
		err error
	}
	mayAnnounceMsg struct{ err error } // nil: the player may announce an event
)

// NewList returns the list of events.
func NewList(e *screen.Env) screen.Screen {
	ctx, stop := context.WithCancel(e.Ctx)
	return eventList{env: e, stop: stop, ctx: func() context.Context { return ctx }}
}

// Close ends the wait for the next listing.
func (s eventList) Close() { s.stop() }

func (s eventList) Init() tea.Cmd { return tea.Batch(s.next(0), s.tick()) }

// next waits for a listing newer than that with a number.
func (s eventList) next(after uint64) tea.Cmd {
	l, ctx := s.env.Lobby, s.ctx()
	if l.Events.Reader == nil {
		return nil
	}
	return func() tea.Msg {
		listing, err := l.Events.Reader.List(ctx, after)
		return listingMsg{listing, err}
	}
}

// tick has the times drawn again.
func (s eventList) tick() tea.Cmd {
	return screen.After(s.env.Ctx, time.Second, screen.TickMsg{Number: s.ticks})
}

func (s eventList) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	n := len(s.lines())
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(n, s.columns().Room())
	case listingMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Events().Error(msg.err))
		}
		return s.take(msg.listing), s.next(msg.listing.Number)
	case pastMsg:
		if msg.err != nil {
			s.asked = false
			return s, screen.Note(s.env.Say.Events().Error(msg.err))
		}
		s.past = nil
		for _, m := range msg.all {
			s.past = append(s.past, eventLine{Summary: m})
		}
		s.list = s.list.Fit(len(s.lines()), s.columns().Room())
	case mayAnnounceMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Events().Error(msg.err))
		}
		return s, screen.Push(newAnnounceForm(s.env))
	case screen.TickMsg:
		if msg.Number == s.ticks {
			return s, s.tick()
		}
	case screen.ResumedMsg:
		s.ticks++
		return s, s.tick()
	case tea.MouseMsg:
		var clicked bool
		if s.list, clicked = s.columns().Mouse(s.list, msg, n); clicked {
			return s.open()
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &listKeys, msg)
	}
	return s, nil
}

// take takes a new listing: those that run come first.
func (s eventList) take(l *tournaments.Listing) eventList {
	held := s.chosen()
	s.now, s.loaded = nil, true
	for _, v := range l.Seen(s.env.Who) {
		e := v.Entrants.Find(s.env.Who.Occupant())
		s.now = append(s.now, eventLine{v.Summary(), v.EndsAt(), e != nil && e.In()})
	}
	slices.SortStableFunc(s.now, func(a, b eventLine) int { return running(b) - running(a) })
	if held != nil && !s.old {
		if at := slices.IndexFunc(s.now, func(e eventLine) bool { return e.ID == held.ID }); at >= 0 {
			s.list = s.list.Shift(at-s.list.At, len(s.now), s.columns().Room())
		}
	}
	s.list = s.list.Fit(len(s.lines()), s.columns().Room())
	return s
}

func running(e eventLine) int {
	if e.Stage == tournamentstore.Running {
		return 1
	}
	return 0
}

// lines returns the events that are shown.
func (s eventList) lines() []eventLine {
	if s.old {
		return s.past
	}
	return s.now
}

// chosen returns the event under the cursor, nil if there is none.
func (s eventList) chosen() *eventLine {
	if all := s.lines(); s.list.At < len(all) {
		return &all[s.list.At]
	}
	return nil
}

var listKeys = widget.Actions[eventList]{
	Footer: []widget.Action[eventList]{
		widget.ArrowKeys(eventList.move),
		widget.On("enter", text.T("look at it"), eventList.open, "enter").When(func(s eventList) bool { return s.chosen() != nil }),
		widget.On("n", text.T("announce one"), eventList.announce, "n"),
		widget.On("tab", text.T("past events"), eventList.other, "tab", "shift+tab").Doing(eventList.otherWhat),
	},
	Others: widget.JumpKeys(eventList.move),
}

func (s eventList) move(msg tea.KeyPressMsg) (eventList, tea.Cmd) {
	s.list = s.list.Key(msg.String(), len(s.lines()), s.columns().Room())
	return s, nil
}

// open opens the page of the event under the cursor.
func (s eventList) open() (eventList, tea.Cmd) {
	if one := s.chosen(); one != nil {
		return s, screen.Push(NewEvent(s.env, tournaments.Ref{ID: one.ID, Code: one.Settings.Code}))
	}
	return s, nil
}

// announce leads to the form of a new event, or says why the player may not announce one.
func (s eventList) announce() (eventList, tea.Cmd) {
	l, ctx, who, byOperator := s.env.Lobby, s.ctx(), s.env.Who, s.env.Operator != nil
	if l.Events.Announcer == nil {
		return s, nil
	}
	return s, func() tea.Msg { return mayAnnounceMsg{l.Events.Announcer.MayAnnounce(ctx, who, byOperator)} }
}

// otherWhat says in English what tab shows.
func (s eventList) otherWhat() string {
	if s.old {
		return text.T("events now")
	}
	return text.T("past events")
}

// other shows the past events, or the present ones again.
func (s eventList) other() (eventList, tea.Cmd) {
	s.old, s.list = !s.old, widget.List{}
	if !s.old || s.asked {
		return s, nil
	}
	s.asked = true
	l, ctx, who := s.env.Lobby, s.ctx(), s.env.Who
	return s, func() tea.Msg {
		all, _, err := l.Events.Reader.Past(ctx, who, time.Time{}, tournaments.MostPast)
		return pastMsg{all, err}
	}
}

// columns returns where the lines stand: there are marks above and below them, and a remark at the end.
func (s eventList) columns() widget.Columns {
	return widget.NewColumns(s.size, widget.FirstLine+1, remarkLines, len(s.lines()))
}

const remarkLines = 4

// The columns of the list, in cells.
const (
	markCells   = 2
	nameCells   = 26
	narrowCells = 18
	leastName   = 8
	stageCells  = 22
)

func (s eventList) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	p.Down(widget.FirstLine)
	all := s.lines()
	switch {
	case !s.loaded:
		return
	case len(all) == 0 && s.old:
		p.Wrap(widget.MenuColumn, t.Dim, say.T("No event is over yet."), p.Width-2*widget.MenuColumn)
		return
	case len(all) == 0:
		p.Wrap(widget.MenuColumn, t.Dim, say.T("No event is announced just now."), p.Width-2*widget.MenuColumn)
		p.Wrap(widget.MenuColumn, t.Dim, say.T("The key n announces one."), p.Width-2*widget.MenuColumn)
		return
	}
	wide, narrow := p.Width >= widget.BothColumns, nameCellsIn(s, p.Width)
	s.columns().Draw(&p, t, s.list, len(all), func(p *widget.Page, i int, y canvas.Style) {
		one, mark := &all[i], ""
		if one.in {
			mark = "*"
		}
		p.Field(y, mark, markCells)
		if !wide {
			p.Field(y, text.Cut(one.Settings.Name, narrow-1), narrow).Put(y, s.stage(one))
			return
		}
		p.Field(y, text.Cut(one.Settings.Name, nameCells-1), nameCells).Field(y, text.Cut(s.stage(one), stageCells-1), stageCells)
		p.Put(y, describe.GameName(s.env, one.Settings.Games[0].ID)+" "+say.Events().Clock(&one.Settings))
	})
	if one := s.chosen(); one != nil {
		words := strings.Join(append(say.Events().Terms(&one.Settings, s.env.Lobby.Game), say.N(one.Players, "1 player", "%d players"), say.Minute(one.Settings.Begins)), t.Dot)
		for _, line := range wrapTerms(strings.Split(words, t.Dot), t.Dot, p.Width-2*widget.MenuColumn) {
			p.Line(widget.MenuColumn, t.Dim, line)
		}
	}
}

// nameCellsIn returns how wide the column of names is in a narrow window: how far each event is has to be whole.
func nameCellsIn(s eventList, width int) int {
	cells := narrowCells
	for i := range s.lines() {
		cells = min(cells, width-widget.Margin-widget.MenuColumn-markCells-text.Width(s.stage(&s.lines()[i])))
	}
	return max(cells, leastName)
}

// stage says how far an event is.
func (s eventList) stage(e *eventLine) string {
	return s.env.Say.Events().Stage(&e.Summary, e.ends, s.env.Now())
}

func (s eventList) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Events are matches of many: arenas, Swisses, round robins, knockouts, medleys and simultaneous exhibitions. Enter opens one: there you enter it, see the standing, and watch its boards."),
		say.T("A star marks the events in which you take part. Wherever you are in the club, you are called when your match begins: ctrl+n goes there."),
		say.T("N announces an event of your own, from the eighth day of your account on."),
	)
}

func (s eventList) Title() string {
	if s.old {
		return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("past events")
	}
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("events")
}

func (s eventList) Status() string { return s.env.Who.Name }

func (s eventList) ShortHelp() []key.Binding  { return listKeys.ShortHelp(s) }
func (s eventList) FullHelp() [][]key.Binding { return listKeys.FullHelp(s) }
func (s eventList) Typing() bool              { return false }
