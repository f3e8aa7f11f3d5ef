package lessonpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/lesson"
	"ludoteca/lobby/learning"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A lessonScreen is a step of a lesson on the board. Moves are made as in a match. A right move stays on the board, with what it has shown; any
// other is answered in words, and the step goes on.
type lessonScreen struct {
	boardpage.Board // with the input, and why a move is illegal

	env    *screen.Env
	run    lesson.Run
	answer string // to the last move that was not right, or which move is right; "" for nothing
}

// savedMsg reports whether it was stored that a step is solved.
type savedMsg struct{ err error }

// HelpBeside makes App show the help beside the board.
func (s lessonScreen) HelpBeside() {}

// New returns the lesson of a game at the step with which it goes on. ok is false if the game has no lesson.
func New(e *screen.Env, g games.Game, kept learning.Lesson) (s screen.Screen, ok bool) {
	run, ok := lesson.Begin(g)
	if !ok {
		return nil, false
	}
	run, _ = run.At(learning.Resume(kept, run.Steps()))
	return lessonScreen{env: e}.on(run), true
}

// on returns the screen at another place of the lesson.
func (s lessonScreen) on(run lesson.Run) lessonScreen {
	before, last := run.LastMove()
	s.run, s.answer = run, ""
	s.Scene = boardview.New(run.Position(), before, last)
	s.Input = boardpage.MoveInput{Sel: s.Scene.Start(run.Side())}
	if run.Solved() {
		s.Input.Sel = s.Scene.AtLastMove()
	}
	return s.scrolled()
}

func (s lessonScreen) Init() tea.Cmd { return nil }

func (s lessonScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.Size = msg
	case savedMsg:
		if msg.err != nil {
			return s, screen.Note(s.env.Say.Error(msg.err))
		}
	case tea.PasteMsg:
		s.Input = s.Input.Paste(msg.Content)
	case tea.MouseWheelMsg:
		s.Input = s.Input.Wheel(s.Scene, widget.WheelStep(msg), false)
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			s, cmd = s.click(msg)
		}
	case tea.KeyPressMsg:
		s, cmd = s.key(msg)
	}
	return s.scrolled(), cmd
}

// lessonKeys are the keys of a step. All letters are text.
var lessonKeys = widget.Actions[lessonScreen]{
	Footer: []widget.Action[lessonScreen]{
		widget.On("enter", text.T("next step"), lessonScreen.enter, "enter").Doing(lessonScreen.enterWhat).Listed(lessonScreen.namesEnter),
		widget.OnKey(text.T("arrows"), text.T("or type a move"), lessonScreen.arrow, "up", "down", "left", "right").Listed(lessonScreen.unsolved),
		// Translators: what the key tab does when a player is stuck in a lesson: it tells the answer.
		widget.On("tab", text.T("tell me"), lessonScreen.tell, "tab").Listed(lessonScreen.unsolved),
		widget.OnKey("pgup pgdn", text.T("steps"), lessonScreen.turn, "pgup", "pgdown"),
		widget.On("esc", text.T("back"), lessonScreen.cancel, "esc").When(lessonScreen.HandlesEsc).Doing(lessonScreen.cancelWhat),
		widget.On("?", text.T("help"), lessonScreen.help, "?"),
	},
}

func (s lessonScreen) ShortHelp() []key.Binding  { return lessonKeys.ShortHelp(s) }
func (s lessonScreen) FullHelp() [][]key.Binding { return lessonKeys.FullHelp(s) }

// key handles a key: one of lessonKeys, or text.
func (s lessonScreen) key(msg tea.KeyPressMsg) (lessonScreen, tea.Cmd) {
	s.Input.Problem = ""
	if run, ok := lessonKeys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	if s.unsolved() {
		s.Input = s.Input.Insert(msg)
	}
	return s, nil
}

func (s lessonScreen) unsolved() bool                { return !s.run.Solved() }
func (s lessonScreen) namesEnter() bool              { return s.run.Solved() || s.Input.Cancels() }
func (s lessonScreen) cancelWhat() string            { return s.Input.CancelWhat(text.T("back")) }
func (s lessonScreen) help() (lessonScreen, tea.Cmd) { return s, screen.ShowHelp }

// enterWhat says in English what enter does.
func (s lessonScreen) enterWhat() string {
	switch {
	case s.run.Finished():
		return text.T("play a match")
	case s.run.Solved():
		return text.T("next step")
	}
	return text.T("play")
}

func (s lessonScreen) arrow(msg tea.KeyPressMsg) (lessonScreen, tea.Cmd) {
	if b, ok := s.Board.Arrow(msg.String(), false, s.unsolved()); ok {
		s.Board = b
		return s, nil
	}
	s.Input = s.Input.Insert(msg) // within what is typed
	return s, nil
}

// enter makes a move, chooses a place for one, or goes on to the next step.
func (s lessonScreen) enter() (lessonScreen, tea.Cmd) {
	switch {
	case s.run.Finished():
		return s, screen.NewMatch(s.run.Game())
	case s.run.Solved():
		next, _ := s.run.Next()
		return s.on(next), nil
	}
	return s.play(s.Input.Enter(s.env.Say, s.Scene))
}

// click chooses a place of the board; in a solved step it does nothing.
func (s lessonScreen) click(msg tea.MouseClickMsg) (lessonScreen, tea.Cmd) {
	if s.run.Solved() {
		return s, nil
	}
	l := s.layout()
	return s.play(s.Input.Click(s.env.Say, s.Scene, s.Scene.Spot(l.Board, s.state(), msg.X-l.X, msg.Y-l.Y)))
}

// play goes on with an input, and tries the move that it has made, if any.
func (s lessonScreen) play(in boardpage.MoveInput, m games.Move) (lessonScreen, tea.Cmd) {
	if s.Input = in; m == "" {
		if in.Problem != "" {
			s.answer = ""
		}
		return s, nil
	}
	run, answer := s.run.Play(m)
	switch answer.Verdict {
	case lesson.Illegal:
		s.Input.Problem, s.answer = s.env.Say.Error(answer.Err), ""
		return s, nil
	case lesson.Wrong:
		s.answer = s.env.Say.T("Not %s. %s", string(m), s.env.Say.T(answer.Words))
		return s, nil
	}
	s = s.on(run)
	return s, tea.Batch(s.note(), s.save())
}

// note tells App how far the player has come, for this session.
func (s lessonScreen) note() tea.Cmd {
	learned := screen.LearnedMsg{Game: s.run.Game().About().ID, Lesson: learning.Lesson{Solved: s.run.Number(), Done: s.run.Finished()}}
	return func() tea.Msg { return learned }
}

// save stores how far the player has come. A guest's lessons hold for the session.
func (s lessonScreen) save() tea.Cmd {
	l, ctx, who, id, n, done := s.env.Lobby, s.env.Ctx, s.env.Who, s.run.Game().About().ID, s.run.Number(), s.run.Finished()
	if who.Player() == "" {
		return nil
	}
	return func() tea.Msg { return savedMsg{l.Solved(ctx, who, id, n, done)} }
}

// tell names a right move.
func (s lessonScreen) tell() (lessonScreen, tea.Cmd) {
	if s.unsolved() {
		s.answer = s.env.Say.T("A right move: %s", string(s.run.Step().Right[0]))
	}
	return s, nil
}

// turn goes to the step before or after, solved or not.
func (s lessonScreen) turn(msg tea.KeyPressMsg) (lessonScreen, tea.Cmd) {
	run, ok := s.run.Next()
	if msg.String() == "pgup" {
		run, ok = s.run.Back()
	}
	if ok {
		s = s.on(run)
	}
	return s, nil
}

// HandlesEsc reports whether esc clears the typed text or the selection, not leaves.
func (s lessonScreen) HandlesEsc() bool { return s.unsolved() && s.Input.Cancels() }

func (s lessonScreen) cancel() (lessonScreen, tea.Cmd) {
	s.Input = s.Input.Cancel(s.Scene)
	return s, nil
}

// Typing reports that letters are moves.
func (s lessonScreen) Typing() bool { return true }

func (s lessonScreen) Title() string {
	return s.env.Say.Spell(s.run.Game().About().Name) + s.env.Theme.Dot + s.env.Say.T("lesson")
}

func (s lessonScreen) Status() string {
	return s.env.Say.T("step %d of %d", s.run.Number(), s.run.Steps())
}

// Help explains the screen and the marks on the board.
func (s lessonScreen) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Each step asks for one move. Make it with arrows and enter, with a click, or type it. A move that isn't right is explained, and you try again."),
		say.T("You can leave at any time and go on later where you left."),
		s.Scene.Legend(say.Say, s.env.Theme.ASCII),
	)
}

// state returns what the drawing of the board depends on besides the position.
func (s lessonScreen) state() boardview.State {
	return boardview.State{Selection: s.Input.Selection(s.Scene), Yours: s.unsolved(), Over: s.run.Solved(), Scroll: s.Scroll}
}

// scrolled keeps what matters in view on boards that don't fit.
func (s lessonScreen) scrolled() lessonScreen {
	s.Scroll = s.layout().Board.Scroll
	return s
}

// Cursor returns the place of the cursor: in the typed text, or on the board.
func (s lessonScreen) Cursor() (x, y int, shown bool) {
	if s.run.Solved() {
		return 0, 0, false
	}
	x, y = s.layout().Cursor(s.Input, s.Scene, s.state(), s.Size.Height)
	return x, y, true
}

func (s lessonScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.Size = tea.WindowSizeMsg{Width: area.Dx(), Height: area.Dy()}
	p := widget.NewPage(c, area)
	s.DrawTask(&p, s.env.Theme, s.env.Say, s.task(), s.state())
}
