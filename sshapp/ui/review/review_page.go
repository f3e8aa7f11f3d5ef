package review

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	chatstore "ludoteca/storage/chat"
)

// A reviewScreen steps through a match, move by move: a finished match, a study of the user, or the moves so far of a running match. For a finished
// match it also shows where it was won and lost, as soon as the analysis is ready. After each move the player can look at a variation: a better line,
// or moves to try.
//
//	the match --b--> a better line --a--+
//	    |  ^              |             v
//	    |  +-----esc------+---esc--- own moves --c--> a new match against the computer
//	    +------------------a------------^
type reviewScreen struct {
	path
	boardpage.Board // with the input of moves that are tried, and why a key did nothing

	env    *screen.Env
	opens  opener
	source source // of the match; nil until it has come

	analysis analysisPane
	notes    notePane
	openings openingPane
	together togetherPane
	plan     boardpage.Plan
	moveText string // what the last move did

	planAtOnce bool // the user came to make a plan

	spent []time.Duration // how long each move took; nil while that isn't known

	practice *learning.PracticePoint // what the match made of the player's practice rating; nil: it did not count
}

// timelineMsg is the match to look at.
type timelineMsg struct {
	source   source
	view     *lobby.View
	timeline *Timeline
	spent    []time.Duration
	practice *learning.PracticePoint
	err      error
}

// HelpBeside makes App show the help beside the board.
func (s reviewScreen) HelpBeside() {}

// New returns the screen that steps through a match of the club.
func New(e *screen.Env, ref lobby.Ref) screen.Screen {
	return reviewScreen{env: e, opens: clubMatch{ref}}
}

// NewStudy returns the screen that steps through a study of the user.
func NewStudy(e *screen.Env, id storage.MatchID) screen.Screen {
	return reviewScreen{env: e, opens: study{string(id)}}
}

// NewNamed returns the screen that steps through what a user has typed the name of: the id of a study, or the id or code of a match.
func NewNamed(e *screen.Env, typed string) screen.Screen {
	return reviewScreen{env: e, opens: named{typed}}
}

func (s reviewScreen) Init() tea.Cmd {
	ctx, from, opens := s.env.Ctx, readingOf(s.env), s.opens
	return func() tea.Msg {
		msg, err := opens.read(ctx, from)
		if err != nil {
			return timelineMsg{err: err}
		}
		return msg
	}
}

func (s reviewScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.Size = msg
		return s.refresh(), nil
	case timelineMsg:
		if msg.err != nil {
			s.Input.Problem = problem(s.env.Say, msg.err)
			return s, nil
		}
		s.source, s.view, s.timeline, s.spent, s.practice = msg.source, msg.view, msg.timeline, msg.spent, msg.practice
		s.analysis, s.together = s.analysis.begun(s.env.Ctx), s.together.begun(s.env.Ctx)
		s = s.on(s.goTo(len(s.view.Moves)))
		if s.planAtOnce && plans(s) {
			s = s.on(s.try())
		}
		return s, tea.Batch(s.wait(), s.notes.read(s.env, s.view), s.openings.read(s.env, s.view), s.together.wait(), boardpage.ReadPlan(s.env, s.view), awaitEnd(s))
	case boardpage.PlanMsg:
		s.plan, s.Input.Problem = s.plan.Take(msg), s.env.Say.Error(msg.Err)
		if s.ended {
			s.plan = boardpage.Plan{}
		}
		return s.refresh(), nil
	case planEndedMsg:
		s.ended, s.plan = true, boardpage.Plan{}
		return s.refresh(), nil
	case analysisMsg:
		s.analysis.Analysis, s.Input.Problem = s.analysis.Take(s.env.Say, s.timeline, s.view.Start, msg.latest, msg.err), ""
		return s.refresh(), s.wait()
	case notesMsg:
		s.notes, s.Input.Problem = s.notes.take(msg), s.env.Say.Error(msg.err)
		return s.refresh(), nil
	case openingsMsg:
		s.openings.all = msg
		return s.refresh(), nil
	case ledMsg:
		s, cmd = s.takeLed(msg)
	case togetherMsg:
		s, cmd = s.takeTogether(msg)
	case saidMsg:
		s = s.takeSaid(msg)
	case tea.PasteMsg:
		switch {
		case s.notes.typing:
			s.notes = s.notes.pasted(msg.Content)
		case s.together.typing:
			s.together.entry = s.together.entry.Insert(msg.Content, 2*chatstore.Runes)
		case s.trying():
			s.Input = s.Input.Paste(msg.Content)
		}
	case tea.MouseWheelMsg:
		if !s.held() {
			s = s.wheel(msg)
		}
	case tea.MouseClickMsg:
		if s.view != nil && !s.held() && msg.Button == tea.MouseLeft {
			s = s.click(msg)
		}
	case tea.KeyPressMsg:
		if s.view != nil {
			s, cmd = s.key(msg)
		}
	}
	return s.led().scrolled(), cmd
}

// held reports whether the mouse doesn't move the board: a text is typed, or another person leads.
func (s reviewScreen) held() bool { return s.notes.typing || s.together.typing || s.together.follows() }

// Close ends the wait for the analysis, and the review for another person who looks at it.
func (s reviewScreen) Close() {
	s.analysis.close()
	s.together.close()
}

// wait asks how far the analysis is.
func (s reviewScreen) wait() tea.Cmd { return s.analysis.wait(s.env, s.source, s.view) }

// on returns the screen at another place of the path.
func (s reviewScreen) on(p path) reviewScreen {
	s.path = p
	return s.show()
}

// show prepares what is on the board.
func (s reviewScreen) show() reviewScreen {
	if s.view == nil {
		return s
	}
	scene, before, last := s.board()
	s.Scene, s.moveText = scene, ""
	if before != nil {
		s.moveText = s.describeMove(before, last)
	}
	s.Input.Sel = s.Scene.AtLastMove()
	return s.scrolled()
}

// refresh is show when the words may have changed but not the board: the selection stays.
func (s reviewScreen) refresh() reviewScreen {
	sel := s.Input.Sel
	s = s.show()
	s.Input.Sel = sel
	return s.scrolled()
}

// scrolled keeps what matters in view on boards that don't fit.
func (s reviewScreen) scrolled() reviewScreen {
	if s.Scene != nil {
		s.Board = s.Board.Scrolled(s.state())
	}
	return s
}

// describeMove describes a move: its player and effect, and its value if it was played in the match.
func (s reviewScreen) describeMove(before *boardview.Scene, m games.Move) string {
	say, name := s.env.Say, s.names()[before.Position().Turn()]
	doing := boardpage.EffectOf(say, before, m)
	if s.variation != nil {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	remarks := s.analysis.remarks(say, s.names(), s.at)
	played := say.T("%s plays %s", name, string(m)+s.analysis.Sign(s.at)) + s.timeText()
	if remarks[0] == "" {
		return played + doing
	}
	room := (s.Size.Width - 2*widget.Margin) * (boardpage.StatusLines(s.Size.Width) - 1)
	if s.Narrow() || text.Width(played+doing+": "+remarks[0]) > room {
		doing = "" // the board shows it
	}
	for len(remarks) > 1 && len(text.Wrap(played+doing+": "+remarks[0], s.Size.Width-2*widget.Margin)) > statusLines {
		remarks = remarks[1:]
	}
	return played + doing + ": " + remarks[0]
}

// timeText tells how long the last move of the match took; "" if that isn't known, or it took no time.
func (s reviewScreen) timeText() string {
	if s.at == 0 || s.at > len(s.spent) || s.spent[s.at-1] == 0 {
		return ""
	}
	return " (" + s.env.Say.TimeLeft(s.spent[s.at-1]) + ")"
}

func (s reviewScreen) names() [2]string { return describe.Names(s.env, s.view.Game, s.view.Seats) }

func (s reviewScreen) Title() string {
	if s.view == nil {
		return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("review")
	}
	if s.Narrow() {
		return s.source.title(s.env, s.view, true)
	}
	return s.source.title(s.env, s.view, false) + s.env.Theme.Dot + s.env.Say.T("review")
}

func (s reviewScreen) Status() string {
	say := s.env.Say
	switch {
	case s.view == nil:
		return text.Clean(s.env.Who.Name)
	case s.variation != nil && len(s.variation.Moves) == 0:
		return say.T("not played")
	case s.variation != nil:
		return say.T("%d of %d", s.variation.At, len(s.variation.Moves)) + s.env.Theme.Dot + say.T("not played")
	}
	return say.T("move %d of %d", s.at, len(s.view.Moves))
}

// Typing reports whether letters are moves, a note or a line of the chat.
func (s reviewScreen) Typing() bool {
	return s.notes.typing || s.together.typing || s.trying() && !s.together.follows()
}

// HandlesEsc reports whether esc leaves a variation, a text or the other person, not the page.
func (s reviewScreen) HandlesEsc() bool { return s.variation != nil || s.held() }

// key handles a key: one of keys, or where moves are tried an arrow or text.
func (s reviewScreen) key(msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	s.Input.Problem = ""
	name := msg.String()
	if run, ok := s.keys().Find(s, name); ok {
		return run(s, msg)
	}
	if s.notes.typing {
		s.notes = s.notes.typed(msg)
		return s, nil
	}
	if s.together.typing {
		s.together.entry, _ = s.together.entry.Typed(msg, 2*chatstore.Runes)
		return s, nil
	}
	if !s.trying() || s.together.follows() {
		return s, nil
	}
	if b, ok := s.Board.Arrow(name, s.Flipped(s.view, s.env.Who), true); ok {
		s.Board = b
		return s, nil
	}
	s.Input = s.Input.Insert(msg)
	return s, nil
}

// click chooses a place of the board where moves are tried, and goes to a move of the graph.
func (s reviewScreen) click(msg tea.MouseClickMsg) reviewScreen {
	if ply, ok := s.graphAt(s.Layout(s.state()), msg.X, msg.Y); ok {
		return s.on(s.goTo(ply))
	}
	if !s.trying() {
		return s
	}
	in, m := s.Board.Click(s.env.Say, s.state(), msg)
	return s.play(in, m)
}

// wheel goes one move on or back; where moves are tried, it moves the cursor.
func (s reviewScreen) wheel(msg tea.MouseWheelMsg) reviewScreen {
	dy := widget.WheelStep(msg)
	switch {
	case s.view == nil:
	case s.trying():
		s.Input = s.Input.Wheel(s.Scene, dy, s.Flipped(s.view, s.env.Who))
	default:
		return s.on(s.step(dy))
	}
	return s
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s reviewScreen) enter() (reviewScreen, tea.Cmd) {
	if !s.Input.IsCommand() {
		in, m := s.Input.Enter(s.env.Say, s.Scene)
		return s.play(in, m), nil
	}
	var c string
	if s.Input, c = s.Input.Command(s.env.Say, boardpage.CommandNames(), reviewCommands.Available(s)); c == "" {
		return s, nil
	}
	a := reviewCommands[c]
	if err := a.Refusal(s); err != nil {
		s.Input.Problem = boardpage.Why(s.env.Say, err)
		return s, nil
	}
	return a.Run(s)
}

// play goes on with an input, and makes the move that it has made in the variation, if any.
func (s reviewScreen) play(in boardpage.MoveInput, m games.Move) reviewScreen {
	if m == "" {
		s.Input = in
		return s
	}
	next, ok := s.variation.Play(m)
	if !ok {
		s.Input.Problem = s.env.Say.T("No more moves can be tried here.")
		return s
	}
	s.variation, s.Input = next, boardpage.MoveInput{}
	return s.show()
}

// state returns what the drawing of the board depends on besides the position. Where the board doesn't fit, the last move or the
// cursor is in view.
func (s reviewScreen) state() boardview.State {
	st := boardview.State{Selection: s.Input.Sel, Over: true, Scroll: s.Scroll, Flip: s.Flipped(s.view, s.env.Who)}
	if s.trying() {
		st.Selection, st.Over = s.Input.Selection(s.Scene), s.Scene.Position().Result().Over
		st.Yours = !st.Over
	}
	return st
}

func (s reviewScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	w, h := p.Width, p.Height
	t, say := s.env.Theme, s.env.Say
	if s.view == nil {
		p.End()
		p.Line(widget.MenuColumn, t.Dim, say.T("Looking for the match ..."))
		p.Wrap(widget.MenuColumn, t.Accent, s.Input.Problem, w-2*widget.MenuColumn)
		return
	}
	st := s.state()
	l, words := boardpage.NewLayout(s.Scene, st, w, h), s.status()
	above, last := words.above(), words.last()
	if words.typing() && !boardpage.MeaningFits(s.Input, last.words, w) {
		last.mark = text.Spaces(boardpage.TypedFrom)
		above, last = last, statusWords{} // above what is typed, where it can be read to its end
	}
	lines := last.lines(w)
	if words.typing() {
		lines = 1
	}
	room := h - max(boardpage.StatusLines(w), above.lines(w)+lines)
	part := p.Part(room) // the panel makes room for long words
	beside := l.Draw(&part, t, s.Scene, st)
	s.panel(l).fill(&beside)
	boardpage.DrawWords(&p, above.style, above.mark, above.words, h-lines-room)
	switch {
	case s.notes.typing:
		s.drawEntry(&p, s.notes.entry, say.T("Write a note here; nobody else sees it."))
		return
	case s.together.typing:
		s.drawEntry(&p, s.together.entry, s.together.linePrompt(say))
		return
	case words.typing():
		boardpage.DrawTyped(&p, t, s.Input, last.words)
		return
	}
	boardpage.DrawWords(&p, last.style, "", last.words, lines)
}

// entryRoom returns the cells for what is typed in the last line.
func (s reviewScreen) entryRoom() int { return s.Size.Width - 2*widget.Margin - boardpage.TypedFrom }

// drawEntry draws what is typed in the last line, or what can be typed there while that is nothing.
func (s reviewScreen) drawEntry(p *widget.Page, typed widget.Entry, empty string) {
	t := s.env.Theme
	style, shown := t.Dim, text.Cut(empty, s.entryRoom())
	if typed.Text != "" {
		style = t.Bold
		shown, _ = typed.Shown(s.entryRoom())
	}
	p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+boardpage.TypedFrom).Put(style, shown).End()
}

// status returns what the lines below the board are made of.
func (s reviewScreen) status() status {
	var available []string
	if s.Input.IsCommand() {
		available = reviewCommands.Available(s)
	}
	return status{
		path: s.path, notes: s.notes, together: s.together, plan: s.plan, env: s.env, id: s.view.ID, scene: s.Scene, input: s.Input, analysis: s.analysis.Analysis, names: s.names(), moveText: s.moveText,
		narrow: s.Narrow(), beside: s.Layout(s.state()).Beside, commands: available,
	}
}

// Cursor returns the place of the cursor while the player writes or tries a move.
func (s reviewScreen) Cursor() (x, y int, shown bool) {
	if s.notes.typing || s.together.typing {
		entry := s.together.entry
		if s.notes.typing {
			entry = s.notes.entry
		}
		_, column := entry.Shown(s.entryRoom())
		return widget.Margin + boardpage.TypedFrom + column, s.Size.Height - 1, true
	}
	if !s.trying() || s.Input.Empty() && s.Scene.Position().Result().Over {
		return 0, 0, false
	}
	x, y = s.CursorAt(s.state())
	return x, y, true
}
