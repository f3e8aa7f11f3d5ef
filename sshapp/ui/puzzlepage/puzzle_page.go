package puzzlepage

import (
	"errors"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/refusal"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// replyAfter is the time for which the player's move stands on the board before the other side replies. Any key shows the reply at once.
const replyAfter = time.Second

// A puzzleScreen is a puzzle on the board. Moves are made as in a match. A wrong move is answered by the reply that refutes it, on the board, and the
// position comes back. A right one is answered by the longest defence, until the puzzle is solved.
type puzzleScreen struct {
	boardpage.Board // with the input, and why a move is illegal
	attempt

	env   *screen.Env
	game  games.Game // of which the player wants puzzles; nil: any
	daily bool       // the puzzle of the day comes first
	mine  ownPuzzles // where puzzles come from the player's own matches
	ticks int        // the number of the newest TickMsg

	busy    bool   // the next puzzle is on its way
	trouble string // why there is no puzzle; "" for nothing

	result
}

// A result is what came of the first try.
type result struct {
	sent    bool                     // it is decided, so nothing more of the attempt counts
	counted *learning.PuzzleStanding // how the player stands after it; nil: not known yet, or this was none
	again   bool                     // this was none
}

type (
	// posedMsg is the puzzle that has been loaded.
	posedMsg struct {
		posed
		err error
	}

	// triedMsg tells how the player stands after the first try. counted is false for a guest, and for a puzzle that was tried before.
	triedMsg struct {
		puzzle   *puzzle.Puzzle
		standing learning.PuzzleStanding
		counted  bool
		err      error
	}
)

// NewDaily returns the page of the puzzle of the day. Other puzzles follow.
func NewDaily(e *screen.Env) screen.Screen { return puzzleScreen{env: e, daily: true} }

// New returns the page of puzzles of a game that suit the player; of any game if g is nil.
func New(e *screen.Env, g games.Game) screen.Screen { return puzzleScreen{env: e, game: g} }

// NewMine returns the page of puzzles from the player's own matches: the wins that they missed.
func NewMine(e *screen.Env) screen.Screen { return puzzleScreen{env: e, mine: newOwnPuzzles(e)} }

// Close ends the wait for a puzzle.
func (s puzzleScreen) Close() { s.mine.close() }

// HelpBeside makes App show the help beside the board.
func (s puzzleScreen) HelpBeside() {}

func (s puzzleScreen) Init() tea.Cmd { return s.load() }

// load loads a puzzle.
func (s puzzleScreen) load() tea.Cmd {
	if s.mine.wanted() {
		return s.mine.next(s.posed)
	}
	l, ctx, who, g, skip, wantsDaily := s.env.Lobby, s.env.Ctx, s.env.Who, s.game, s.puzzle, s.daily && !s.loaded()
	return func() tea.Msg {
		var p posed
		today, day, err := l.Puzzles.Daily()
		switch {
		case wantsDaily && err == nil:
			p.puzzle = today
		case wantsDaily:
		case err == nil || errors.Is(err, refusal.ErrNoPuzzle):
			p.puzzle, err = l.Puzzles.Next(ctx, who, g, skip)
		}
		if err != nil {
			return posedMsg{err: err}
		}
		if p.puzzle == today {
			p.day = day
		}
		if p.rating, err = l.Puzzles.Rating(ctx, p.puzzle); err == nil {
			var standings learning.PuzzleStandings
			standings, err = l.Puzzles.Standings(ctx, who)
			p.before = standings[p.puzzle.Game.About().ID]
		}
		return posedMsg{p, err}
	}
}

// take takes a puzzle that has been loaded. Without one the last one stays.
func (s puzzleScreen) take(msg posedMsg) (puzzleScreen, tea.Cmd) {
	s.busy = false
	switch {
	case msg.err == nil:
		s.result = result{}
		return s.on(begin(msg.posed)), nil
	case s.loaded():
		return s, screen.Note(s.env.Say.Error(msg.err))
	}
	s.trouble = s.env.Say.Error(msg.err)
	return s, nil
}

// on returns the screen with an attempt as it is now, and a new input.
func (s puzzleScreen) on(a attempt) puzzleScreen {
	s.attempt = a
	s.ticks++
	s.Scene = boardview.New(a.position, a.from, a.last)
	s.Input = boardpage.MoveInput{Sel: s.Scene.AtLastMove()}
	if a.asks() {
		s.Input.Sel = s.Scene.Start(a.puzzle.Side())
	}
	return s
}

func (s puzzleScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.Size = msg
	case posedMsg:
		s, cmd = s.take(msg)
	case triedMsg:
		s, cmd = s.noted(msg)
	case screen.TickMsg:
		if s.phase == moved && msg.Number == s.ticks {
			s = s.on(s.reply())
		}
	case screen.ResumedMsg:
		if s.phase == moved { // the tick was dropped
			s = s.on(s.reply())
		}
	case tea.PasteMsg:
		if s.asks() {
			s.Input = s.Input.Paste(msg.Content)
		}
	case tea.MouseWheelMsg:
		if s.asks() {
			s.Input = s.Input.Wheel(s.Scene, widget.WheelStep(msg), s.flipped())
		}
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			s, cmd = s.click(msg)
		}
	case tea.KeyPressMsg:
		s, cmd = s.key(msg)
	}
	return s.scrolled(), cmd
}

// puzzleKeys are the keys of a puzzle. All letters are text.
var puzzleKeys = widget.Actions[puzzleScreen]{
	Footer: []widget.Action[puzzleScreen]{
		widget.On("enter", text.T("next puzzle"), puzzleScreen.enter, "enter").When(puzzleScreen.loaded).Doing(puzzleScreen.enterWhat).Listed(puzzleScreen.namesEnter),
		widget.OnKey("pgup pgdn", text.T("solution"), puzzleScreen.step, "pgup", "pgdown", "left", "right", "up", "down", "home", "end").When(puzzleScreen.ended),
		widget.OnKey(text.T("arrows"), text.T("or type a move"), puzzleScreen.arrow, "up", "down", "left", "right").When(puzzleScreen.loaded).Listed(puzzleScreen.asks),
		// Translators: what the key tab does when a player can't solve a puzzle: it tells the solution.
		widget.On("tab", text.T("give up"), puzzleScreen.tell, "tab").When(puzzleScreen.open),
		widget.On("esc", text.T("back"), puzzleScreen.cancel, "esc").When(puzzleScreen.HandlesEsc).Doing(puzzleScreen.cancelWhat),
		widget.On("?", text.T("help"), puzzleScreen.help, "?"),
	},
}

func (s puzzleScreen) ShortHelp() []key.Binding  { return puzzleKeys.ShortHelp(s) }
func (s puzzleScreen) FullHelp() [][]key.Binding { return puzzleKeys.FullHelp(s) }

func (s puzzleScreen) namesEnter() bool              { return !s.asks() || s.Input.Cancels() }
func (s puzzleScreen) cancelWhat() string            { return s.Input.CancelWhat(text.T("back")) }
func (s puzzleScreen) help() (puzzleScreen, tea.Cmd) { return s, screen.ShowHelp }

// enterWhat says in English what enter does.
func (s puzzleScreen) enterWhat() string {
	switch s.phase {
	case ended:
		return text.T("next puzzle")
	case moved:
		return text.T("reply") // Translators: enter shows how the other side replies in a puzzle.
	case refuted:
		return text.T("try again")
	}
	return text.T("play")
}

// key handles a key: one of puzzleKeys, or text. While a reply is due it shows the reply, and after one to a wrong move it brings the position back.
func (s puzzleScreen) key(msg tea.KeyPressMsg) (puzzleScreen, tea.Cmd) {
	s.Input.Problem = ""
	name := msg.String()
	if name != "?" && name != "tab" {
		switch s.phase {
		case moved:
			return s.on(s.reply()), nil
		case refuted:
			if s = s.on(s.ask(nil, "")); name == "enter" || name == "esc" {
				return s, nil
			}
		}
	}
	if run, ok := puzzleKeys.Find(s, name); ok {
		return run(s, msg)
	}
	if s.asks() {
		s.Input = s.Input.Insert(msg)
	}
	return s, nil
}

func (s puzzleScreen) arrow(msg tea.KeyPressMsg) (puzzleScreen, tea.Cmd) {
	if b, ok := s.Board.Arrow(msg.String(), s.flipped(), s.asks()); ok {
		s.Board = b
		return s, nil
	}
	s.Input = s.Input.Insert(msg) // within what is typed
	return s, nil
}

// enter makes a move, chooses a place for one, or goes on to the next puzzle.
func (s puzzleScreen) enter() (puzzleScreen, tea.Cmd) {
	switch {
	case !s.ended():
		return s.play(s.Input.Enter(s.env.Say, s.Scene))
	case s.busy:
		return s, nil
	}
	s.busy = true
	return s, s.load()
}

// click chooses a place of the board. Where the player isn't asked for a move it goes on as a key does.
func (s puzzleScreen) click(msg tea.MouseClickMsg) (puzzleScreen, tea.Cmd) {
	switch s.phase {
	case moved:
		return s.on(s.reply()), nil
	case refuted:
		return s.on(s.ask(nil, "")), nil
	case asking:
		l := s.layout()
		return s.play(s.Input.Click(s.env.Say, s.Scene, s.Scene.Spot(l.Board, s.state(), msg.X-l.X, msg.Y-l.Y)))
	}
	return s, nil
}

// play goes on with an input, and tries the move that it has made, if any.
func (s puzzleScreen) play(in boardpage.MoveInput, m games.Move) (puzzleScreen, tea.Cmd) {
	if s.Input = in; m == "" {
		return s, nil
	}
	next, err := s.try(m)
	if err != nil {
		s.Input.Problem = s.env.Say.Error(err)
		return s, nil
	}
	s, cmd := s.on(next).decide()
	if s.phase == moved {
		cmd = tea.Batch(cmd, screen.After(s.env.Ctx, replyAfter, screen.TickMsg{Number: s.ticks}))
	}
	return s, cmd
}

// decide stores the first try as soon as it is decided.
func (s puzzleScreen) decide() (puzzleScreen, tea.Cmd) {
	decided, right := s.decided()
	if s.sent || !decided || s.missed != nil { // a puzzle from an own match counts for nothing
		return s, nil
	}
	s.sent = true
	l, ctx, who, p := s.env.Lobby, s.env.Ctx, s.env.Who, s.puzzle
	return s, func() tea.Msg {
		standing, counted, err := l.Puzzles.Tried(ctx, who, p, right)
		return triedMsg{p, standing, counted, err}
	}
}

// noted takes how the player stands after the first try.
func (s puzzleScreen) noted(msg triedMsg) (puzzleScreen, tea.Cmd) {
	switch {
	case msg.err != nil:
		return s, screen.Note(s.env.Say.Error(msg.err))
	case msg.puzzle != s.puzzle: // another one is on the board by now
	case msg.counted:
		s.counted = &msg.standing
	default:
		s.again = true
	}
	return s, nil
}

// tell gives the puzzle up.
func (s puzzleScreen) tell() (puzzleScreen, tea.Cmd) { return s.on(s.giveUp()).decide() }

// step goes through the solution.
func (s puzzleScreen) step(msg tea.KeyPressMsg) (puzzleScreen, tea.Cmd) {
	ply := s.ply + 1
	switch msg.String() {
	case "pgup", "left", "up":
		ply = s.ply - 1
	case "home":
		ply = 0
	case "end":
		ply = s.puzzle.Plies
	}
	return s.on(s.at(ply)), nil
}

// HandlesEsc reports whether esc clears the typed text or the selection, or goes on with the replies, and doesn't leave.
func (s puzzleScreen) HandlesEsc() bool {
	return s.phase == moved || s.phase == refuted || s.asks() && s.Input.Cancels()
}

func (s puzzleScreen) cancel() (puzzleScreen, tea.Cmd) {
	s.Input = s.Input.Cancel(s.Scene)
	return s, nil
}

// Typing reports that letters are moves.
func (s puzzleScreen) Typing() bool { return true }

func (s puzzleScreen) Title() string {
	if !s.loaded() {
		return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("puzzles")
	}
	return s.env.Say.Spell(s.puzzle.Game.About().Name) + s.env.Theme.Dot + s.env.Say.C("one of many", "puzzle")
}

func (s puzzleScreen) Status() string {
	if !s.loaded() || s.missed != nil {
		return s.env.Who.Name
	}
	// Translators: how hard a puzzle is, in the header.
	return s.env.Say.T("rating %s", describe.Rated(s.rating, false))
}

// Help explains the screen and the marks on the board.
func (s puzzleScreen) Help() string {
	say := s.env.Say
	legend := ""
	if s.loaded() {
		legend = s.Scene.Legend(say.Say, s.env.Theme.ASCII)
	}
	if s.mine.wanted() {
		return widget.Paragraphs(
			say.T("In this position of your own match you had a win by force, which is proven. Make a move that wins in time, with arrows and enter, with a click, or type it. The other side answers a wrong move on the board, and then you try again."),
			say.T("These puzzles come from your last 20 matches, as far as they are analysed. They have no rating."),
			legend,
		)
	}
	return widget.Paragraphs(
		say.T("Only one first move wins by force, which is proven. Make it with arrows and enter, with a click, or type it. The other side answers a wrong move on the board, and then you try again."),
		say.T("Only the first try counts: it is right if you make no wrong move and don't give up."),
		legend,
	)
}

// flipped reports whether the board is seen from the second side.
func (s puzzleScreen) flipped() bool {
	_, sided := s.Scene.Turns()
	return sided && s.puzzle.Side() == games.Second
}

// state returns what the drawing of the board depends on besides the position.
func (s puzzleScreen) state() boardview.State {
	return boardview.State{Selection: s.Input.Selection(s.Scene), Yours: s.asks(), Over: !s.asks(), Scroll: s.Scroll, Flip: s.flipped()}
}

// scrolled keeps what matters in view on boards that don't fit.
func (s puzzleScreen) scrolled() puzzleScreen {
	if s.loaded() {
		s.Scroll = s.layout().Board.Scroll
	}
	return s
}

// Cursor returns the place of the cursor: in the typed text, or on the board.
func (s puzzleScreen) Cursor() (x, y int, shown bool) {
	if !s.asks() {
		return 0, 0, false
	}
	x, y = s.layout().Cursor(s.Input, s.Scene, s.state(), s.Size.Height)
	return x, y, true
}

func (s puzzleScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	s.Size = tea.WindowSizeMsg{Width: area.Dx(), Height: area.Dy()}
	p := widget.NewPage(c, area)
	if !s.loaded() {
		p.Down(widget.FirstLine)
		words := s.trouble
		if s.mine.wanted() && words == "" {
			words = s.env.Say.T("Looking for wins that you missed ...")
		}
		p.Wrap(widget.MenuColumn, s.env.Theme.Plain, words, widget.Measure(p.Width)-2*widget.MenuColumn)
		return
	}
	s.DrawTask(&p, s.env.Theme, s.env.Say, s.task(), s.state())
}
