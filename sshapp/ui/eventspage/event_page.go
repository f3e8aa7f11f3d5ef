package eventspage

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/tournaments"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	tournamentstore "ludoteca/storage/tournaments"
)

// A part is what the page of an event shows below its first lines.
type part uint8

const (
	standingPart part = iota
	boardsPart
	crossPart
)

// A question is what the page asks before something that can't be taken back.
type question uint8

const (
	noQuestion question = iota
	leaveQuestion
	offQuestion
)

// An eventPage is the page of one event.
type eventPage struct {
	env  *screen.Env
	size tea.WindowSizeMsg
	ref  tournaments.Ref
	stop context.CancelFunc // ends the wait for the next view and the readings of boards
	ctx  func() context.Context

	view     *tournaments.View // nil until the first one has come
	standing []state.Place
	cross    *state.CrossTable
	boards   []*state.Pairing // of the newest round; of an arena and an exhibition those that go on, and then the newest that are over
	me       *state.Entrant   // nil: the player has never entered

	part    part
	list    widget.List
	small   smallBoards // beside the list
	covered bool        // the page isn't visible
	busy    bool        // an act is on its way
	asking  question    // the one that waits for a second enter
	ticks   int
}

type (
	viewMsg struct {
		view *tournaments.View
		err  error
	}
	actedMsg struct {
		words string
		err   error
	}
)

// NewEvent returns the page of an event.
func NewEvent(e *screen.Env, ref tournaments.Ref) screen.Screen {
	ctx, stop := context.WithCancel(e.Ctx)
	return eventPage{env: e, ref: ref, stop: stop, ctx: func() context.Context { return ctx }, small: smallBoards{env: e, at: -1}}
}

// Close ends the wait for the next view and the readings of boards.
func (s eventPage) Close() { s.stop() }

func (s eventPage) Init() tea.Cmd { return tea.Batch(s.next(0), s.tick()) }

// next waits for a view newer than that with a number.
func (s eventPage) next(after uint64) tea.Cmd {
	l, ctx, id := s.env.Lobby, s.ctx(), s.ref.ID
	return func() tea.Msg {
		v, err := l.Events.Reader.Next(ctx, id, after)
		return viewMsg{v, err}
	}
}

// tick has the times drawn again.
func (s eventPage) tick() tea.Cmd {
	return screen.After(s.env.Ctx, time.Second, screen.TickMsg{Number: s.ticks})
}

func (s eventPage) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok && s.Asking() {
		asked := s.asking
		if s.asking = noQuestion; press.String() != "enter" {
			return s, nil
		}
		l, who, id := s.env.Lobby, s.env.Who, s.ref.ID
		if asked == offQuestion {
			return s.act(s.env.Say.T("%s is called off.", s.view.Settings.Name), func(ctx context.Context) error { return l.Events.Announcer.CallOff(ctx, who, id) })
		}
		return s.act(s.env.Say.T("You take no part in %s any more.", s.view.Settings.Name), func(ctx context.Context) error { return l.Events.Registration.Withdraw(ctx, who, id) })
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.list = s.list.Fit(s.lines(), s.room())
		return tuned(s, nil)
	case viewMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Events().Error(msg.err))
		}
		s = s.take(msg.view)
		if msg.view.Stage.Closed() {
			return tuned(s, nil)
		}
		return tuned(s, s.next(msg.view.Number))
	case smallBoardMsg:
		var cmd tea.Cmd
		s.small, cmd = s.small.take(s.env.Now(), msg)
		return s, cmd
	case actedMsg:
		s.busy = false
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Events().Error(msg.err))
		}
		return s, screen.Note(msg.words)
	case screen.TickMsg:
		if msg.Number == s.ticks {
			var again tea.Cmd
			s.small, again = s.small.retry(s.ctx(), s.env.Now())
			return s, tea.Batch(s.tick(), again)
		}
	case screen.CoveredMsg:
		s.covered = true
		return tuned(s, nil)
	case screen.ResumedMsg:
		s.covered = false
		s.ticks++
		return tuned(s, s.tick())
	case tea.MouseMsg:
		if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft {
			if s.small.at = smallAt(s, click.X, click.Y); s.small.chosen() {
				s.asking = noQuestion
				return s.watch()
			}
		}
		var clicked bool
		if s.list, clicked = s.list.Mouse(msg, s.first()+1, s.lines(), s.room()); clicked && s.canWatch() {
			return s.watch()
		}
		s.asking = noQuestion
	case tea.KeyPressMsg:
		return screen.Press(s, &eventKeys, msg)
	}
	return s, nil
}

// take takes a new view.
func (s eventPage) take(v *tournaments.View) eventPage {
	s.view, s.standing, s.cross, s.me = v, v.Standing(), state.Cross(v.State), v.Entrants.Find(s.env.Who.Occupant())
	s.boards = nil
	if len(v.Rounds) > 0 {
		all := v.Rounds[len(v.Rounds)-1].Pairings
		if !s.flows() {
			s.boards = all
		} else {
			for _, p := range all {
				if !p.Decided() {
					s.boards = append(s.boards, p)
				}
			}
			for i := len(all) - 1; i >= 0 && len(s.boards) < mostBoards; i-- {
				if all[i].Decided() {
					s.boards = append(s.boards, all[i])
				}
			}
		}
	}
	if s.part == crossPart && s.cross == nil {
		s.part = standingPart
	}
	s.list = s.list.Fit(s.lines(), s.room())
	return s
}

// mostBoards is how many boards of an arena are listed.
const mostBoards = 100

// flows reports whether the event has no rounds.
func (s eventPage) flows() bool {
	plan := s.view.Settings.Plan()
	return plan == tournamentstore.Arena || plan == tournamentstore.Simul
}

// playing returns the player's match that goes on; nil if there is none.
func (s eventPage) playing() *state.Pairing {
	if s.me == nil || s.view.Stage != tournamentstore.Running {
		return nil
	}
	return s.me.Playing()
}

// lines returns how many lines the part has that is shown.
func (s eventPage) lines() int {
	switch {
	case s.view == nil:
		return 0
	case s.part == boardsPart:
		return len(s.boards)
	case s.part == crossPart:
		return len(s.cross.Rows)
	}
	return len(s.standing)
}

var eventKeys = widget.Actions[eventPage]{
	Footer: []widget.Action[eventPage]{
		widget.On("enter", text.T("your board"), eventPage.watch, "enter").When(eventPage.canWatch).Doing(eventPage.watchWhat),
		widget.On("e", text.T("enter the event"), eventPage.enter, "e").When(eventPage.mayEnter),
		widget.On("p", text.T("pause"), eventPage.pause, "p").When(eventPage.mayPause).Doing(eventPage.pauseWhat),
		widget.On("tab", text.T("boards"), eventPage.other, "tab").When(func(s eventPage) bool { return s.view != nil }).Doing(eventPage.otherWhat),
		widget.On("x", text.T("leave the event"), eventPage.leave, "x").When(eventPage.takesPart),
		widget.On("o", text.T("call it off"), eventPage.callOff, "o").When(eventPage.mayCallOff),
	},
	Others: widget.JumpKeys(eventPage.move, widget.ArrowKeys(eventPage.move),
		widget.OnKey(text.T("left right"), text.T("to the small boards and back"), across, "left", "right").When(hasSmall)),
}

func (s eventPage) move(msg tea.KeyPressMsg) (eventPage, tea.Cmd) {
	if s.small.chosen() {
		s.small = s.small.moved(msg.String(), columnsShown(s))
		return s, nil
	}
	s.list = s.list.Key(msg.String(), s.lines(), s.room())
	return s, nil
}

// target returns the match to which enter leads: the one under the cursor, else the player's own or the first board; nil if there is none.
func (s eventPage) target() *state.Pairing {
	switch {
	case s.view == nil:
		return nil
	case s.small.chosen():
		return s.small.all[s.small.at].pairing
	case s.part == boardsPart && s.list.At < len(s.boards):
		if p := s.boards[s.list.At]; p.Match != "" {
			return p
		}
		return nil
	case s.playing() != nil:
		return s.playing()
	}
	for _, p := range s.boards {
		if p.Match != "" && !p.Decided() {
			return p
		}
	}
	return nil
}

func (s eventPage) canWatch() bool { return s.target() != nil }

// watchWhat says in English where enter leads.
func (s eventPage) watchWhat() string {
	if s.target() == s.playing() {
		return text.T("your board")
	}
	return text.T("watch")
}

func (s eventPage) watch() (eventPage, tea.Cmd) {
	return s, screen.ShowMatch(s.env.Lobby.Events.Reader.Board(s.target()))
}

// takesPart reports whether the player takes part, and the event is not over.
func (s eventPage) takesPart() bool {
	return s.view != nil && s.me != nil && s.me.In() && !s.view.Stage.Closed()
}

func (s eventPage) mayEnter() bool {
	return s.view != nil && s.env.Who.Kind.HasAccount() && (s.view.Stage == tournamentstore.Open || s.view.LateEntry()) &&
		(s.me == nil || !s.me.In() && s.view.MayReturn(s.me))
}

func (s eventPage) mayPause() bool {
	return s.takesPart() && s.view.MayPause(s.me)
}

// pauseWhat says in English what p does.
func (s eventPage) pauseWhat() string {
	if s.me.Paused {
		return text.T("end the pause")
	}
	return text.T("pause")
}

// act does something in the event.
func (s eventPage) act(words string, do func(ctx context.Context) error) (eventPage, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy = true
	ctx := s.ctx()
	return s, func() tea.Msg { return actedMsg{words, do(ctx)} }
}

func (s eventPage) enter() (eventPage, tea.Cmd) {
	l, who, ref := s.env.Lobby, s.env.Who, s.ref
	return s.act(s.env.Say.T("You take part. You are called when your match begins."), func(ctx context.Context) error { return l.Events.Registration.Enter(ctx, who, ref) })
}

func (s eventPage) pause() (eventPage, tea.Cmd) {
	l, who, id, on := s.env.Lobby, s.env.Who, s.ref.ID, !s.me.Paused
	words := s.env.Say.T("You take part in %s again.", s.view.Settings.Name)
	if on {
		words = s.env.Say.T("You pause. The key p ends that.")
	}
	return s.act(words, func(ctx context.Context) error { return l.Events.Registration.Pause(ctx, who, id, on) })
}

// leave asks whether to leave the event.
func (s eventPage) leave() (eventPage, tea.Cmd) {
	s.asking = leaveQuestion
	return s, screen.Note(s.env.Say.T("Leave this event? enter leaves, any other key stays."))
}

// mayCallOff reports whether the player has announced the event, which has not begun.
func (s eventPage) mayCallOff() bool {
	return s.view != nil && s.view.Stage == tournamentstore.Open && s.env.Who.Is(s.view.Settings.By)
}

// callOff asks whether to call off the event.
func (s eventPage) callOff() (eventPage, tea.Cmd) {
	s.asking = offQuestion
	return s, screen.Note(s.env.Say.T("Call off this event? enter calls it off, any other key keeps it."))
}

// Asking reports whether the page has asked something that waits for a second enter.
func (s eventPage) Asking() bool { return s.asking != noQuestion }

// following returns the part that tab shows.
func (s eventPage) following() part {
	switch {
	case s.part == standingPart:
		return boardsPart
	case s.part == boardsPart && s.cross != nil:
		return crossPart
	}
	return standingPart
}

// otherWhat says in English what tab shows.
func (s eventPage) otherWhat() string {
	switch s.following() {
	case boardsPart:
		return text.T("boards")
	case crossPart:
		return text.T("cross table")
	}
	return text.T("standing")
}

func (s eventPage) other() (eventPage, tea.Cmd) {
	s.part, s.list, s.small.at = s.following(), widget.List{}, -1
	s.list = s.list.Fit(s.lines(), s.room())
	return tuned(s, nil)
}

// first returns the line of the page above the list.
func (s eventPage) first() int {
	terms, own := head(s)
	return widget.FirstLine + len(terms) + len(own) + 1
}

// room returns how many lines of the list are shown.
func (s eventPage) room() int {
	if s.view == nil {
		return 1
	}
	return max(s.size.Height-s.first()-2, 1)
}

// head returns the lines above the list: what the event is, and what the player does in it.
func head(s eventPage) (terms, own []string) {
	say, t, width := s.env.Say, s.env.Theme, max(s.size.Width-2*widget.MenuColumn, 1)
	terms = wrapTerms(append(say.Events().Terms(s.view.Settings, s.env.Lobby.Game), say.N(s.view.Entrants.Players(), "1 player", "%d players")), t.Dot, width)
	if s.mayCallOff() {
		terms = append(terms, text.Wrap(say.T("Others enter with: %s", say.SSH("event join "+s.view.Settings.Code)), width)...)
	}
	return terms, wrapTerms(mine(s), " ", width)
}

// wrapTerms is text.WrapParts, but breaks parts that are longer than a line.
func wrapTerms(parts []string, between string, cells int) []string {
	var short []string
	for _, p := range parts {
		short = append(short, text.Wrap(p, cells)...)
	}
	return text.WrapParts(short, between, cells)
}

// mine says, in sentences, what the player does in the event, and what happens next, and when.
func mine(s eventPage) []string {
	if s.view.Stage == tournamentstore.Open && s.takesPart() {
		return []string{s.env.Say.T("You take part."), beginning(s)}
	}
	return []string{next(s)}
}

// next says what happens next, and when; "" for nothing.
func next(s eventPage) string {
	say, v, now := s.env.Say, s.view, s.env.Now()
	switch p := s.playing(); {
	case v.Stage == tournamentstore.Open:
		return beginning(s)
	case v.Stage == tournamentstore.Off:
		return text.Sentence(say.Events().Off(v.Reason))
	case v.Stage == tournamentstore.Over:
		return over(s)
	case p != nil:
		name := say.Occupant(v.Entrant(p.Opponent(s.me.Number)).Who)
		if p.Side(s.me.Number) == 0 {
			return text.Sentence(say.T("you play first against %s", name))
		}
		return text.Sentence(say.T("you play second against %s", name))
	case s.me != nil && s.me.Out == tournamentstore.ByAbsence:
		return say.T("You are out: two matches not begun in time.")
	case s.takesPart() && s.me.Paused:
		return say.T("You pause. The key p ends that.")
	case s.takesPart() && !state.WaitingSince(v.State, s.me).IsZero() && now.Before(v.EndsAt()):
		return say.T("Your next match: waiting, %d s.", max(int(now.Sub(state.WaitingSince(v.State, s.me))/time.Second), 0))
	case !state.NextRoundAt(v.State).IsZero():
		return say.T("The next round begins in %s.", say.TimeLeft(state.NextRoundAt(v.State).Sub(now).Truncate(time.Second)))
	case !s.flows() && goOn(s) > 0:
		return say.N(goOn(s), "The round ends when one more match is over.", "The round ends when %d more matches are over.")
	}
	return ""
}

// beginning says when the event begins: while there is time the moment, then what is left, as in the title.
func beginning(s eventPage) string {
	say, at, now := s.env.Say, s.view.Settings.Begins, s.env.Now()
	left := say.Events().UntilBegin(at, now)
	switch {
	case at.Sub(now) >= time.Hour:
		return say.T("It begins %s.", say.Minute(at))
	case left != "":
		return say.T("It begins in %s.", left)
	}
	return say.T("It begins now.")
}

// over says how the event ended, for the player first.
func over(s eventPage) string {
	say := s.env.Say
	for _, p := range s.standing {
		if p.Entrant == s.me {
			return say.T("It is over. Your place: %d of %d.", p.Rank, len(s.standing))
		}
	}
	m := s.view.Summary()
	return text.Sentence(say.Events().Stage(&m, s.view.EndsAt(), s.env.Now()))
}

// goOn returns how many matches of the round are not over.
func goOn(s eventPage) (n int) {
	for _, p := range s.boards {
		if !p.Decided() {
			n++
		}
	}
	return n
}

func (s eventPage) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.Theme
	p.Down(widget.FirstLine)
	if s.view == nil {
		return
	}
	terms, own := head(s)
	for _, line := range terms {
		p.Line(widget.MenuColumn, t.Dim, line)
	}
	y := t.Plain
	if s.playing() != nil {
		y = t.Accent
	}
	for _, line := range own {
		p.Line(widget.MenuColumn, y, line)
	}
	list := s.list
	if hasSmall(s) {
		drawSmall(s, c, area)
		p.Width = min(p.Width, listWidth)
	}
	if s.small.chosen() {
		list.At = -1
	}
	if s.part == crossPart {
		p.Line(widget.MenuColumn, t.Dim, crossLine(s, "", "", s.cross.Columns, ""))
	} else {
		p.End()
	}
	if s.lines() == 0 {
		p.Line(widget.MenuColumn, t.Dim, empty(s))
		return
	}
	widget.DrawList(&p, t, list, s.lines(), s.room(), func(i int, y canvas.Style) {
		switch s.part {
		case boardsPart:
			drawBoard(s, &p, s.boards[i], y)
		case crossPart:
			r := s.cross.Rows[i]
			p.Put(y, crossLine(s, strconv.Itoa(i+1), s.env.Say.Name(r.Place.Entrant.Who.Name), r.Cells, wording.EventPoints(s.view.Settings, r.Place.Points)))
		default:
			drawPlace(s, &p, s.standing[i], y)
		}
	})
}

// empty says that the part that is shown has no lines.
func empty(s eventPage) string {
	if s.part == boardsPart {
		return s.env.Say.T("No match has begun yet.")
	}
	return s.env.Say.T("Nobody has entered yet.")
}

// The columns of the standing and the boards, in cells.
const (
	rankCells   = 4
	playerCells = 21
	shortName   = 14
	numberCells = 6

	narrowNumber = 4
)

// wide reports whether there is room for ratings and long names.
func (s eventPage) wide() bool { return s.size.Width >= widget.BothColumns }

func (s eventPage) playerCells() int {
	if s.wide() {
		return playerCells
	}
	return shortName
}

// drawPlace draws a line of the standing.
func drawPlace(s eventPage, p *widget.Page, place state.Place, y canvas.Style) {
	e, say := place.Entrant, s.env.Say
	if !e.In() && y == s.env.Theme.Plain {
		y = s.env.Theme.Dim
	}
	mark := " "
	if s.me == e {
		mark = "*"
		if y == s.env.Theme.Plain {
			y = s.env.Theme.Accent
		}
	}
	p.Number(y, strconv.Itoa(place.Rank), rankCells-1).Put(y, mark)
	p.Field(y, describe.OccupantIn(s.env, e.Who, s.playerCells()-1), s.playerCells())
	if s.wide() {
		rating := ""
		if e.Who.Kind != storage.Bot {
			rating = strconv.Itoa(e.Rating)
		}
		p.Number(y, rating, numberCells)
	}
	if !s.view.Begun.IsZero() {
		p.Number(y, wording.EventPoints(s.view.Settings, place.Points), numberCells)
		switch s.view.Settings.Plan() {
		case tournamentstore.Arena:
			p.To(p.At+2).Put(y, wording.EventStreak(place))
		case tournamentstore.Swiss, tournamentstore.Robin:
			if s.wide() {
				p.Number(y, wording.HalfPoints(place.CutBuchholz), numberCells+1).Number(y, wording.HalfPoints(place.Buchholz), numberCells)
				p.Number(y, strconv.FormatFloat(float64(place.Berger)/4, 'f', -1, 64), numberCells+1)
			}
		}
	}
	note := say.Events().Out(e.Out)
	if e.Out != "" && !s.wide() {
		// Translators: at most 12 cells: a player takes no part in an event any more.
		note = say.C("event", "out")
	}
	if e.In() && e.Paused {
		note = say.T("pauses")
	}
	if note != "" {
		p.To(p.At+2).Put(y, note)
	}
}

// drawBoard draws a pairing.
func drawBoard(s eventPage, p *widget.Page, of *state.Pairing, y canvas.Style) {
	say, v := s.env.Say, s.view
	name := func(number int) string {
		if e := v.Entrant(number); e != nil {
			return describe.OccupantIn(s.env, e.Who, s.playerCells()-1)
		}
		return ""
	}
	// Translators: a match goes on.
	half, goesOn := "1/2-1/2", say.T("goes on")
	if !s.wide() {
		half, goesOn = "=", "..."
	}
	how := map[string]string{"first": "1-0", "second": "0-1", "draw": half}[of.Result]
	switch {
	case !of.Decided():
		how = goesOn
	case how == "":
		how = half
	}
	mark := " "
	if s.me != nil && (of.First == s.me.Number || of.Second == s.me.Number) {
		mark = "*"
		if y == s.env.Theme.Plain {
			y = s.env.Theme.Accent
		}
	}
	p.Number(y, strconv.Itoa(of.Board), rankCells-1).Put(y, mark)
	p.Field(y, name(of.First), s.playerCells())
	if of.Bye() {
		// Translators: at most 19 cells: a player without an opponent in a round gets a point.
		p.Put(y, say.T("no match: a point"))
		return
	}
	p.Field(y, name(of.Second), s.playerCells())
	p.Put(y, how)
}

// crossWidth returns how many cells the cross table takes, with what stands before it.
func crossWidth(s eventPage) int {
	return widget.MenuColumn + text.Width(crossLine(s, "", "", s.cross.Columns, ""))
}

// crossLine is a line of the cross table. In a narrow window the points stand before the results, of which the last ones may be cut.
func crossLine(s eventPage, place, name string, cells []string, points string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%3s ", place)
	name = text.Cut(name, shortName-2)
	b.WriteString(name + strings.Repeat(" ", shortName-1-text.Width(name)))
	width := 3
	if s.view.Settings.Plan() == tournamentstore.Swiss || s.view.Settings.Twice {
		width = 4
	}
	if !s.wide() {
		fmt.Fprintf(&b, "%*s", narrowNumber, points)
	}
	for _, cell := range cells {
		fmt.Fprintf(&b, "%*s", width, cell)
	}
	if s.wide() {
		fmt.Fprintf(&b, "%*s", numberCells, points)
	}
	return b.String()
}

func (s eventPage) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("The standing, the boards and, for round robins and Swisses of few players, the cross table: tab goes from one to the other. Enter goes to your board while you play, else it watches the board under the cursor, or the first one."),
		say.T("In a wide window the boards of matches that go on stand beside the standing, the top ones first. Right leads to them and left back, enter watches the one that is chosen."),
		say.T("A star marks you. While an event is open, its announcer calls it off with o."),
		say.T("E enters the event, x leaves it, p pauses and goes on. A match that is not begun in time is lost; after two of them you are out."),
		say.T("Wherever you are in the club, you are called when your match begins: ctrl+n goes there, and esc leads back."),
	)
}

// EventID returns the event of the page.
func (s eventPage) EventID() storage.TournamentID { return s.ref.ID }

func (s eventPage) Title() string {
	if s.view == nil {
		return s.env.Greeting.Name()
	}
	return s.view.Settings.Name + s.env.Theme.Dot + s.view.Settings.Code
}

func (s eventPage) Status() string {
	if s.view == nil {
		return s.env.Who.Name
	}
	m := s.view.Summary()
	return s.env.Say.Events().Stage(&m, s.view.EndsAt(), s.env.Now())
}

func (s eventPage) ShortHelp() []key.Binding  { return eventKeys.ShortHelp(s) }
func (s eventPage) FullHelp() [][]key.Binding { return eventKeys.FullHelp(s) }
func (s eventPage) Typing() bool              { return false }
