package review

import (
	"cmp"
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/newmatch"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// A reviewScreen steps through a match, move by move: a finished match, or the moves so far of a running one. For a finished match it also
// shows where it was won and lost, as soon as the analysis is ready. After each move the player can look at a variation: a better line, or
// moves to try.
//
//	the match --b--> a better line --a--+
//	    |  ^              |             v
//	    |  +-----esc------+---esc--- own moves --c--> a new match against the computer
//	    +------------------a------------^
type reviewScreen struct {
	env  *screen.Env
	ref  lobby.Ref // as the player came by it
	size tea.WindowSizeMsg
	ctx  context.Context    // of the wait for the analysis: it ends with the screen
	stop context.CancelFunc // nil while there is none

	view     *lobby.View // nil until it has come
	timeline *Timeline
	analysis Analysis

	at        int                 // after how many moves of the match
	variation *Variation          // what was not played, if that is on the board
	scene     *boardview.Scene    // what is on the board
	moveText  string              // what the last move did
	turned    bool                // the player has turned the board round
	scroll    boardview.Scroll    // of a board that doesn't fit
	input     boardpage.MoveInput // of moves that are tried, and why a key did nothing

	graphHidden bool // the player wants no graph

}

// timelineMsg is the match to look at.
type timelineMsg struct {
	view     *lobby.View
	timeline *Timeline
	err      error
}

// analysisMsg says how far the analysis is.
type analysisMsg struct {
	latest *lobby.AnalysisProgress
	err    error
}

// HelpBeside makes App show the help beside the board.
func (s reviewScreen) HelpBeside() {}

// New returns the screen that steps through a match.
func New(e *screen.Env, ref lobby.Ref) screen.Screen {
	return reviewScreen{env: e, ref: ref}
}

func (s reviewScreen) Init() tea.Cmd {
	l, ctx, who, ref := s.env.Lobby, s.env.Ctx, s.env.Who, s.ref
	return func() tea.Msg {
		seat, err := l.At(ctx, who, ref)
		if err != nil {
			return timelineMsg{err: err}
		}
		v, err := seat.Now(ctx)
		if err != nil {
			return timelineMsg{err: err}
		}
		r, err := NewTimeline(v)
		return timelineMsg{v, r, err}
	}
}

func (s reviewScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		return s.refresh(), nil
	case timelineMsg:
		if msg.err != nil {
			s.input.Problem = s.env.Say.Error(msg.err)
			return s, nil
		}
		s.view, s.timeline = msg.view, msg.timeline
		s.ctx, s.stop = context.WithCancel(s.env.Ctx)
		return s.goTo(len(s.view.Moves)), s.waitForAnalysis()
	case analysisMsg:
		s.analysis, s.input.Problem = s.analysis.Take(s.env.Say, s.timeline, s.view.Start, msg.latest, msg.err), ""
		return s.refresh(), s.waitForAnalysis()
	case tea.PasteMsg:
		if s.trying() {
			s.input = s.input.Paste(msg.Content)
		}
	case tea.MouseWheelMsg:
		s = s.wheel(msg)
	case tea.MouseClickMsg:
		if s.view != nil && msg.Button == tea.MouseLeft {
			s = s.click(msg)
		}
	case tea.KeyPressMsg:
		if s.view != nil {
			s, cmd = s.key(msg)
		}
	}
	return s.scrolled(), cmd
}

// Close ends the wait for the analysis.
func (s reviewScreen) Close() {
	if s.stop != nil {
		s.stop()
	}
}

// waitForAnalysis asks how far the analysis is. There is one only of a match that is over, and one that is ready stays so.
func (s reviewScreen) waitForAnalysis() tea.Cmd {
	if !s.view.Over || len(s.view.Moves) == 0 || s.analysis.Done() {
		return nil
	}
	l, ctx, who, id, after := s.env.Lobby, s.ctx, s.env.Who, s.ref.ID, s.analysis.Seq()
	return func() tea.Msg {
		latest, err := l.Analysis(ctx, who, id, after)
		return analysisMsg{latest, err}
	}
}

// goTo goes to the board after a number of moves of the match, or after all of them if there are fewer.
func (s reviewScreen) goTo(at int) reviewScreen {
	if s.view == nil {
		return s
	}
	s.at = max(min(at, len(s.view.Moves)), 0)
	s.variation = nil
	return s.show()
}

// show prepares what is on the board.
func (s reviewScreen) show() reviewScreen {
	if s.view == nil {
		return s
	}
	var before *boardview.Scene
	var last games.Move
	if s.variation != nil {
		s.scene, before, last = s.variation.Scene()
	} else {
		s.scene, before = s.timeline.Scene(s.at)
		if s.at > 0 {
			last = s.view.Moves[s.at-1]
		}
	}
	s.moveText = ""
	if before != nil {
		s.moveText = s.describeMove(before, last)
	}
	s.input.Sel = s.scene.AtLastMove()
	return s.scrolled()
}

// refresh is show when the words may have changed but not the board: the selection stays.
func (s reviewScreen) refresh() reviewScreen {
	sel := s.input.Sel
	s = s.show()
	s.input.Sel = sel
	return s.scrolled()
}

// scrolled keeps what matters in view on boards that don't fit.
func (s reviewScreen) scrolled() reviewScreen {
	if s.scene != nil {
		s.scroll = s.layout(s.size.Width, s.size.Height).Board.Scroll
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
	remark := s.analysis.Remark(say, s.names(), s.at)
	if remark == "" {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	played := say.T("%s plays %s", name, string(m)+s.analysis.Sign(s.at))
	if room := (s.size.Width - 2*widget.Margin) * (boardpage.StatusLines(s.size.Width) - 1); s.narrow() || text.Width(played+doing+": "+remark) > room {
		doing = "" // the board shows it
	}
	return played + doing + ": " + remark
}

func (s reviewScreen) names() [2]string { return describe.Names(s.env, s.view.Game, s.view.Seats) }

// narrow reports whether there is no room for words that can be spared.
func (s reviewScreen) narrow() bool { return s.size.Width < widget.BothColumns }

// trying reports whether the player tries moves: letters are moves now.
func (s reviewScreen) trying() bool { return s.variation != nil && s.variation.Trying }

// flipped reports whether the board is shown from the second side.
func (s reviewScreen) flipped() bool {
	return boardpage.FlippedFor(s.scene, s.view, s.env.Who) != s.turned
}

func (s reviewScreen) Title() string {
	if s.view == nil {
		return "Ludoteca" + s.env.Theme.Dot + s.env.Say.T("review")
	}
	if s.narrow() {
		return describe.Title(s.env, s.view, true)
	}
	return describe.Title(s.env, s.view, false) + s.env.Theme.Dot + s.env.Say.T("review")
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

// Typing reports whether letters are moves.
func (s reviewScreen) Typing() bool { return s.trying() }

// HandlesEsc reports whether esc leaves a variation, not the page.
func (s reviewScreen) HandlesEsc() bool { return s.variation != nil }

// reviewPage is the number of moves by which the page keys move.
const reviewPage = 20

// reviewSteps maps keys to the number of moves by which they step.
var reviewSteps = map[string]int{
	"left": -1, "backspace": -1, "right": 1, "enter": 1, "space": 1,
	"up": -2, "down": 2, "pgup": -reviewPage, "pgdown": reviewPage,
}

// key handles a key: one of keys, or where moves are tried an arrow or text.
func (s reviewScreen) key(msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	s.input.Problem = ""
	name := msg.String()
	if run, ok := s.keys().Find(s, name); ok {
		return run(s, msg)
	}
	if !s.trying() {
		return s, nil
	}
	if in, ok := s.input.Arrow(s.scene, name, s.flipped(), true); ok {
		s.input = in
		return s, nil
	}
	s.input = s.input.Insert(msg)
	return s, nil
}

// reviewCommands are the commands where moves are tried.
var reviewCommands = boardpage.CommandTable[reviewScreen]{
	boardpage.CmdTakeback: {When: boardpage.Always[reviewScreen], Run: reviewScreen.takeback},
	boardpage.CmdFlip:     {When: reviewScreen.canFlip, Run: reviewScreen.flip},
	boardpage.CmdPlay:     {When: boardpage.Always[reviewScreen], Run: reviewScreen.playOn},
	boardpage.CmdHelp:     {When: boardpage.Always[reviewScreen], Run: reviewScreen.openHelp},
	boardpage.CmdWho:      {When: boardpage.Always[reviewScreen], Run: boardpage.ShowPlayers[reviewScreen]},
	boardpage.CmdLobby:    {When: boardpage.Always[reviewScreen], Run: boardpage.GoHome[reviewScreen]},
	boardpage.CmdQuit:     {When: boardpage.Always[reviewScreen], Run: boardpage.Quit[reviewScreen]},
}

// keys returns the keys that there are now.
func (s reviewScreen) keys() *widget.Actions[reviewScreen] {
	switch {
	case s.view == nil:
		return &widget.Actions[reviewScreen]{}
	case s.trying():
		return &tryKeys
	}
	return &reviewKeys
}

// reviewKeys are the keys of a review. In a narrow window two or three of them have room in the footer.
var reviewKeys = widget.Actions[reviewScreen]{
	Footer: []widget.Action[reviewScreen]{
		widget.OnKey(text.T("left right"), text.T("one move"), reviewScreen.stepKey, "left", "right").Listed(reviewScreen.namesSteps),
		widget.OnKey("n p", text.T("mistakes"), reviewScreen.seekKey, "n", "p").Listed(reviewScreen.namesMistakes),
		widget.On("b", text.T("better line"), reviewScreen.showLine, "b").Listed(reviewScreen.atMistake),
		widget.On("esc", text.T("back"), reviewScreen.backToMatch, "esc").Listed(reviewScreen.namesBack).Doing(reviewScreen.backWhat),
		widget.On("b", text.T("best line"), reviewScreen.showLine, "b").Listed(reviewScreen.namesBestLine),
		widget.On("a", text.T("try moves"), reviewScreen.tryMoves, "a").Listed(reviewScreen.open),
		widget.On("?", text.T("help"), reviewScreen.openHelp, "?"),
		widget.On("c", text.T("play on"), reviewScreen.playOn, "c").Listed(reviewScreen.open),
		widget.On("m", text.T("all mistakes"), reviewScreen.list, "m").Listed(reviewScreen.analysed),
		widget.OnKey("home end", text.T("first and last"), reviewScreen.endKey, "home", "end"),
		widget.On("f", text.T("flip"), reviewScreen.flip, "f", "ctrl+f").Listed(reviewScreen.canFlip),
		widget.On("g", text.T("graph"), reviewScreen.toggleGraph, "g").Listed(reviewScreen.analysed),
		widget.OnKey(text.T("up down"), text.T("two"), reviewScreen.stepKey, "up", "down"),
		widget.OnKey("pgup pgdn", text.T("twenty"), reviewScreen.stepKey, "pgup", "pgdown"),
	},
	Others: []widget.Action[reviewScreen]{widget.OnKey("", "", reviewScreen.stepKey, "backspace", "enter", "space")},
}

// tryKeys are the keys where moves are tried: as at the board of a match.
var tryKeys = widget.Actions[reviewScreen]{
	Footer: []widget.Action[reviewScreen]{
		widget.On(text.T("arrows enter"), text.T("or type a move"), reviewScreen.enter, "enter").Listed(reviewScreen.wide),
		widget.On("backspace", text.T("take back"), reviewScreen.takeback, "backspace").When(reviewScreen.typesNothing),
		widget.Typed[reviewScreen]("/", text.T("commands")).Listed(reviewScreen.wide),
		widget.On("esc", text.T("done"), reviewScreen.cancel, "esc").Doing(reviewScreen.cancelWhat),
		widget.On("ctrl+f", text.T("flip"), reviewScreen.flip, "ctrl+f").Listed(reviewScreen.namesFlip),
		widget.On("?", text.T("help"), reviewScreen.openHelp, "?").When(reviewScreen.typesNoCommand),
	},
	Others:   []widget.Action[reviewScreen]{widget.On("", "", reviewScreen.complete, "tab")},
	Commands: reviewCommands.Help,
}

// The conditions of keys and of their places in the footer.
func (s reviewScreen) wide() bool     { return !s.narrow() }
func (s reviewScreen) analysed() bool { return s.analysis.Ready() }
func (s reviewScreen) atMistake() bool {
	return s.variation == nil && s.analysis.Mark(s.at) != analysis.Fine
}
func (s reviewScreen) namesSteps() bool     { return !s.narrow() || !s.atMistake() }
func (s reviewScreen) namesMistakes() bool  { return s.variation == nil && s.analysed() }
func (s reviewScreen) namesBack() bool      { return s.narrow() || !s.atMistake() }
func (s reviewScreen) namesFlip() bool      { return s.wide() && s.canFlip() }
func (s reviewScreen) typesNothing() bool   { return s.input.Empty() }
func (s reviewScreen) typesNoCommand() bool { return !s.input.IsCommand() }

func (s reviewScreen) namesBestLine() bool {
	return s.variation == nil && !s.atMistake() && len(s.analysis.Line(s.at)) > 0
}

// open reports whether the match is over and the game goes on here, so that moves can be tried.
func (s reviewScreen) open() bool { return s.view.Over && !s.scene.Position().Result().Over }

// backWhat and cancelWhat say in English what esc does.
func (s reviewScreen) backWhat() string {
	if s.variation != nil && s.wide() {
		return text.T("back to the match")
	}
	return text.T("back")
}

func (s reviewScreen) cancelWhat() string { return s.input.CancelWhat(text.T("done")) }

// shown returns how many moves are on the board, of length moves: of the variation or of the match.
func (s reviewScreen) shown() int {
	if s.variation != nil {
		return s.variation.At
	}
	return s.at
}

func (s reviewScreen) length() int {
	if s.variation != nil {
		return len(s.variation.Moves)
	}
	return len(s.view.Moves)
}

func (s reviewScreen) stepKey(msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	return s.step(reviewSteps[msg.String()]), nil
}

func (s reviewScreen) endKey(msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	if msg.String() == "home" {
		return s.step(-s.shown()), nil
	}
	return s.step(s.length() - s.shown()), nil
}

// step goes some moves on, or back.
func (s reviewScreen) step(moves int) reviewScreen {
	if s.variation == nil {
		return s.goTo(s.at + moves)
	}
	s.variation = s.variation.To(s.variation.At + moves)
	return s.show()
}

func (s reviewScreen) backToMatch() (reviewScreen, tea.Cmd) { return s.goTo(s.at), nil }

func (s reviewScreen) openHelp() (reviewScreen, tea.Cmd) { return s, screen.ShowHelp }

func (s reviewScreen) canFlip() bool {
	can, _ := s.scene.Turns()
	return can
}

// flip turns the board round.
func (s reviewScreen) flip() (reviewScreen, tea.Cmd) {
	if s.canFlip() {
		s.turned = !s.turned
	} else {
		s.input.Problem = s.env.Say.T("This board has no other side.")
	}
	return s, nil
}

func (s reviewScreen) toggleGraph() (reviewScreen, tea.Cmd) {
	s.graphHidden = !s.graphHidden
	return s, nil
}

// needAnalysis reports whether the analysis is there. If it isn't, the problem says why; one that failed is asked for anew.
func (s reviewScreen) needAnalysis() (next reviewScreen, wait tea.Cmd, ok bool) {
	say := s.env.Say
	switch {
	case s.analysis.Ready():
		return s, nil, true
	case s.analysis.Failed != "":
		s.analysis = Analysis{}
		return s, s.waitForAnalysis(), false
	case !s.view.Over:
		s.input.Problem = say.T("The analysis is made when the match is over.")
	case len(s.view.Moves) == 0:
		s.input.Problem = say.T("There is no analysis of this match.")
	default:
		s.input.Problem = cmp.Or(s.analysis.Progress(say), say.T("looking for mistakes ..."))
	}
	return s, nil, false
}

// seekKey goes to the next mistake, or to the one before.
func (s reviewScreen) seekKey(msg tea.KeyPressMsg) (reviewScreen, tea.Cmd) {
	s, wait, ok := s.needAnalysis()
	if !ok {
		return s, wait
	}
	direction := 1
	if msg.String() == "p" {
		direction = -1
	}
	if ply, ok := s.analysis.Seek(s.at, direction); ok {
		return s.goTo(ply), nil
	}
	_, others := s.analysis.Seek(s.at, -direction)
	switch say := s.env.Say; {
	case !others && s.analysis.Mark(s.at) == analysis.Fine:
		s.input.Problem = say.T("No mistakes were found in this match.")
	case direction > 0:
		s.input.Problem = say.T("No mistakes after this move; p goes back.")
	default:
		s.input.Problem = say.T("No mistakes before this move; n goes on.")
	}
	return s, nil
}

// showLine shows the better line if the move on the board was a mistake, else the expected line from here.
func (s reviewScreen) showLine() (reviewScreen, tea.Cmd) {
	s, wait, ok := s.needAnalysis()
	if !ok {
		return s, wait
	}
	from, kind := s.at, BestLine
	if s.analysis.Mark(s.at) != analysis.Fine {
		from, kind = s.at-1, BetterLine
	}
	line := NewVariation(s.timeline, from, s.analysis.Line(from), kind)
	if line == nil {
		s.input.Problem = s.env.Say.T("There is no line to show here.")
		return s, nil
	}
	s.variation = line
	return s.show(), nil
}

// list opens the page with all mistakes in words.
func (s reviewScreen) list() (reviewScreen, tea.Cmd) {
	s, wait, ok := s.needAnalysis()
	if !ok {
		return s, wait
	}
	return s, screen.Push(screen.NewReader(s.env, s.Title(), widget.Paragraphs(s.analysis.MistakeList(s.env.Say, s.names())...)))
}

// playOn goes to the form of a match from the board on: a casual one, of its own, with any opponent.
func (s reviewScreen) playOn() (reviewScreen, tea.Cmd) {
	say, v := s.env.Say, s.view
	moves := v.Moves[:s.at:s.at]
	if s.variation != nil {
		moves = s.variation.AllMoves()
	}
	side, plays := v.Side(s.env.Who)
	if !plays || v.Holds(s.env.Who, side.Other()) {
		side = s.scene.Position().Turn()
	}
	switch {
	case !v.Over:
		s.input.Problem = say.T("You can play on from here when the match is over.")
	case s.scene.Position().Result().Over:
		s.input.Problem = say.T("The game is over here. Go back some moves first.")
	default:
		choice := [...]seats.Choice{games.First: seats.PlayFirst, games.Second: seats.PlaySecond}[side]
		if form, ok := newmatch.NewFrom(s.env, v.Game, v.Options, v.From, moves, choice); ok {
			return s, screen.Push(form)
		}
		s.input.Problem = say.Error(lobby.ErrNoSuchGame)
	}
	return s, nil
}

// click chooses a place of the board where moves are tried, and goes to a move of the graph.
func (s reviewScreen) click(msg tea.MouseClickMsg) reviewScreen {
	l := s.layout(s.size.Width, s.size.Height)
	if ply, ok := s.graphAt(l, msg.X, msg.Y); ok {
		return s.goTo(ply)
	}
	if !s.trying() {
		return s
	}
	in, m := s.input.Click(s.env.Say, s.scene, s.scene.Spot(l.Board, s.state(), msg.X-l.X, msg.Y-l.Y))
	return s.play(in, m)
}

// wheel goes one move on or back; where moves are tried, it moves the cursor.
func (s reviewScreen) wheel(msg tea.MouseWheelMsg) reviewScreen {
	dy := widget.WheelStep(msg)
	switch {
	case s.view == nil:
	case s.trying():
		s.input = s.input.Wheel(s.scene, dy, s.flipped())
	default:
		return s.step(dy)
	}
	return s
}

// tryMoves lets the player try moves for both sides, from the board on.
func (s reviewScreen) tryMoves() (reviewScreen, tea.Cmd) {
	if !s.view.Over {
		s.input.Problem = s.env.Say.T("You can try moves here when the match is over.")
		return s, nil
	}
	if s.scene.Position().Result().Over {
		s.input.Problem = s.env.Say.T("The game is over here. Go back some moves first.")
		return s, nil
	}
	if s.variation != nil {
		s.variation = s.variation.Try()
	} else {
		s.variation = TryMoves(s.timeline, s.at)
	}
	s.input = boardpage.MoveInput{}
	return s.show(), nil
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s reviewScreen) enter() (reviewScreen, tea.Cmd) {
	if !s.input.IsCommand() {
		in, m := s.input.Enter(s.env.Say, s.scene)
		return s.play(in, m), nil
	}
	var c string
	if s.input, c = s.input.Command(s.env.Say, boardpage.CommandNames(), reviewCommands.Available(s)); c == "" {
		return s, nil
	}
	a := reviewCommands[c]
	if !a.Can(s) {
		s.input.Problem = s.env.Say.T("That can't be done now.")
		return s, nil
	}
	return a.Run(s)
}

// play goes on with an input, and makes the move that it has made in the variation, if any.
func (s reviewScreen) play(in boardpage.MoveInput, m games.Move) reviewScreen {
	if m == "" {
		s.input = in
		return s
	}
	next, ok := s.variation.Play(m)
	if !ok {
		s.input.Problem = s.env.Say.T("No more moves can be tried here.")
		return s
	}
	s.variation, s.input = next, boardpage.MoveInput{}
	return s.show()
}

// takeback takes the last tried move back.
func (s reviewScreen) takeback() (reviewScreen, tea.Cmd) {
	next, ok := s.variation.Back()
	if !ok {
		s.input.Problem = s.env.Say.T("Nothing to take back: the moves before were played in the match.")
		return s, nil
	}
	s.variation, s.input = next, boardpage.MoveInput{}
	return s.show(), nil
}

// complete completes a typed command.
func (s reviewScreen) complete() (reviewScreen, tea.Cmd) {
	s.input = s.input.Complete(reviewCommands.Available(s))
	return s, nil
}

// cancel clears the typed text or the selection, or ends the trying. What was tried stays to be looked at.
func (s reviewScreen) cancel() (reviewScreen, tea.Cmd) {
	switch {
	case s.input.Cancels():
		s.input = s.input.Cancel(s.scene)
		return s, nil
	case len(s.variation.Moves) == 0:
		return s.goTo(s.at), nil
	}
	s.variation = s.variation.Tried()
	return s.show(), nil
}

func (s reviewScreen) ShortHelp() []key.Binding  { return s.keys().ShortHelp(s) }
func (s reviewScreen) FullHelp() [][]key.Binding { return s.keys().FullHelp(s) }

// Help explains the marks on the board and in the graph, and the use of a review.
func (s reviewScreen) Help() string {
	say := s.env.Say
	return widget.Paragraphs(
		say.T("Left and right go one move back and on. The board shows the match as it stood then, with the last move marked."),
		"# "+say.T("Where it was won and lost"),
		say.T("The computer analyses a finished match. Behind a move, ?! is an inaccuracy, ? a mistake and ?? a blunder: it gave away at least a tenth, a fifth or three tenths of a point. The keys n and p go from one to the next, m lists them all in words."),
		say.T("The graph is high where the first side stood well. An arrow below it, or a stroke in it, shows where you are; . ? × are the three kinds of mistakes. A click goes to that move. The last line says the same in words. Only what is called proven is certain; all else is an estimate."),
		"# "+say.T("Other moves"),
		say.T("The key b plays the better line on the board, and a lets you try moves for both sides. Such moves stand in brackets and are not kept; esc goes back to the match. The key c begins a casual match from the position shown, with any opponent."),
		"# "+say.T("As text"),
		say.T("The record of a match is text with all its moves: %s", say.SSH("record "+string(s.ref.ID))),
	)
}

// state returns what the drawing of the board depends on besides the position. Where the board doesn't fit, the last move or the
// cursor is in view.
func (s reviewScreen) state() boardview.State {
	st := boardview.State{Selection: s.input.Sel, Over: true, Scroll: s.scroll, Flip: s.flipped()}
	if s.trying() {
		st.Selection, st.Over = s.input.Selection(s.scene), s.scene.Position().Result().Over
		st.Yours = !st.Over
	}
	return st
}

func (s reviewScreen) layout(w, h int) boardpage.Layout {
	return boardpage.NewLayout(s.scene, s.state(), w, h)
}

func (s reviewScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	w, h := p.Width, p.Height
	t, say := s.env.Theme, s.env.Say
	if s.view == nil {
		p.End()
		p.Line(widget.MenuColumn, t.Dim, say.T("Looking for the match ..."))
		p.Wrap(widget.MenuColumn, t.Accent, s.input.Problem, w-2*widget.MenuColumn)
		return
	}
	l := s.layout(w, h)
	above, last := s.moveStatus(), s.status()
	if s.typing() && !boardpage.MeaningFits(s.input, last.words, w) {
		last.mark = text.Spaces(boardpage.TypedFrom)
		above, last = last, statusWords{} // above what is typed, where it can be read to its end
	}
	lines := last.lines(w)
	if s.typing() {
		lines = 1
	}
	room := h - max(boardpage.StatusLines(w), above.lines(w)+lines)
	part := p.Part(room) // the panel makes room for long words
	s.fill(l.Draw(&part, t, s.scene, s.state()), l)
	boardpage.DrawWords(&p, above.style, above.mark, above.words, h-lines-room)
	if s.typing() {
		boardpage.DrawTyped(&p, t, s.input, last.words)
		return
	}
	boardpage.DrawWords(&p, last.style, "", last.words, lines)
}

// statusWords are words below the board.
type statusWords struct {
	style canvas.Style
	mark  string
	words string
}

const statusLines = 2 // of statusWords

// lines returns how many lines of a page the words take.
func (s statusWords) lines(w int) int {
	return boardpage.LinesOf(s.words, w-2*widget.Margin-text.Width(s.mark), statusLines)
}

// moveStatus says why a key did nothing, else what the last move did.
func (s reviewScreen) moveStatus() statusWords {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.input.Problem != "":
		return statusWords{t.Accent, t.Waiting + " ", s.input.Problem}
	case s.variation != nil && s.moveText != "":
		return statusWords{t.Accent, "", say.T("Not played: %s", s.moveText)}
	}
	return statusWords{t.Plain, "", s.moveText}
}

// typing reports whether something is typed that stands in the last line, with its meaning behind it.
func (s reviewScreen) typing() bool { return s.trying() && !s.input.Empty() }

// status returns the words of the last line: the meaning of the typed text, the kind of the variation, or who stands better.
func (s reviewScreen) status() statusWords {
	t, say := s.env.Theme, s.env.Say
	switch {
	case s.typing() && s.input.IsCommand():
		return statusWords{t.Dim, "", s.input.CommandMeaning(say, reviewCommands.Available(s))}
	case s.typing() && s.input.Problem != "":
		return statusWords{}
	case s.typing():
		return statusWords{t.Dim, "", s.input.Meaning(say, s.scene, "")}
	case s.trying():
		return statusWords{t.Dim, "", s.prompt()}
	case s.variation != nil:
		return statusWords{t.Dim, "", s.variationText()}
	case s.analysis.Ready() && s.at == len(s.view.Moves) && s.narrow():
		return statusWords{t.Plain, "", s.analysis.ShortSummary(s.env.Say, s.names(), t.Dot)}
	case s.analysis.Worth(say, s.names(), s.at) != "":
		return statusWords{t.Plain, "", s.analysis.Worth(say, s.names(), s.at)}
	case s.analysis.Progress(say) != "":
		return statusWords{t.Dim, "", s.analysis.Progress(say)}
	case s.view.Over:
		return statusWords{t.Dim, "", say.T("As text: %s", say.SSH("record "+string(s.ref.ID)))}
	}
	return statusWords{}
}

// prompt says what can be done where moves are tried.
func (s reviewScreen) prompt() string {
	say := s.env.Say
	if s.scene.Position().Result().Over {
		return say.T("The game ends here.")
	}
	if words := s.input.Prompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow() {
		return say.T("Try a move: arrows, enter, or type it.")
	}
	return say.T("Try moves for both sides: arrows and enter, a click, or type them.")
}

// variationText describes the moves of the variation and, if there is room, their value.
func (s reviewScreen) variationText() string {
	say, v := s.env.Say, s.variation
	line, worth := boardpage.FirstOf(v.Moves, boardpage.SomeMoves), ""
	if !s.narrow() && v.Kind != OwnMoves {
		worth = "; " + s.analysis.Worth(say, s.names(), v.From)
	}
	switch v.Kind {
	case BetterLine:
		return say.T("Better than %s: %s", string(s.view.Moves[v.From]), line) + worth
	case BestLine:
		return say.T("Best from here: %s", line) + worth
	}
	return say.T("Your own moves: %s", line)
}

// fill fills the panel beside or below the board: the players as they stood then, the graph, the end, the moves. graph is the
// line in which the graph begins, -1 without one.
func (s reviewScreen) fill(p boardpage.Panel, l boardpage.Layout) (graph int) {
	e := s.env
	turn := -1
	if !s.scene.Position().Result().Over && (s.variation != nil || s.at < len(s.view.Moves)) {
		turn = int(s.scene.Position().Turn())
	}
	names, ratings, clocks := s.names(), describe.Strengths(e, s.view), boardpage.ClocksAt(e, s.view, s.at)
	var players [2]boardpage.PlayerLine
	for side := range players {
		players[side] = boardpage.PlayerLine{Name: names[side], Rating: ratings[side], Clock: clocks[side]}
	}
	p.AddPlayers(e.Theme, e.Say, s.scene, players, turn, l.Beside)
	graph = -1
	if lines := s.graphLines(l); lines > 0 {
		if lines > 1 {
			p.Gap()
		}
		graph = p.Lines()
		tokens := [2]string{s.scene.Token(games.First, e.Theme.ASCII), s.scene.Token(games.Second, e.Theme.ASCII)}
		for _, line := range s.graph(l).Draw(e.Theme, tokens) {
			p.Line(line...)
		}
	}
	switch {
	case s.variation == nil && s.at == len(s.view.Moves) && s.view.Over:
		if l.Beside {
			p.Gap()
		}
		p.Wrap(e.Theme.Accent, 0, describe.Ending(e, s.view, s.names()))
		p.AddHelp(e.Theme, e.Say, s.view)
		if s.analysis.Ready() && l.Beside {
			p.Wrap(e.Theme.Plain, 0, s.analysis.Summary(e.Say, s.names(), games.First))
			p.Wrap(e.Theme.Plain, 0, s.analysis.Summary(e.Say, s.names(), games.Second))
		}
	case l.Beside:
		p.Gap()
		for _, n := range s.scene.Notes(e.Say.Say, s.names()) {
			p.Wrap(e.Theme.Dim, 0, n.Words)
		}
	}
	p.AddMoves(e.Theme, s.moveList(), l.Beside)
	return graph
}

// moveList returns the list of moves: the moves of the match with their marks, and the moves of a variation in brackets.
func (s reviewScreen) moveList() boardpage.MoveList {
	sign := func(ply int) boardpage.Run {
		return boardpage.Run{Style: boardpage.SideStyle(s.env.Theme, s.timeline.Turns[ply]), Text: s.analysis.Sign(ply + 1)}
	}
	v := s.variation
	if v == nil {
		return boardpage.MoveList{Plies: len(s.view.Moves), At: s.at, Sign: sign,
			Write: func(ply int) string { return string(s.view.Moves[ply]) }}
	}
	write := func(ply int) string {
		if ply < v.From {
			return string(s.view.Moves[ply])
		}
		return "(" + string(v.Moves[ply-v.From]) + ")"
	}
	return boardpage.MoveList{Plies: v.From + len(v.Moves), At: v.From + v.At, Write: write, Sign: func(ply int) boardpage.Run {
		if ply < v.From {
			return sign(ply)
		}
		return boardpage.Run{}
	}}
}

// graphLines returns how many lines the graph takes, 0 without one.
func (s reviewScreen) graphLines(l boardpage.Layout) int {
	if !s.analysis.Ready() || s.graphHidden {
		return 0
	}
	return GraphLines(l.Width, l.Height)
}

// graph returns the graph as it is now.
func (s reviewScreen) graph(l boardpage.Layout) Graph {
	at := s.at
	if s.variation != nil {
		at = s.variation.From
	}
	return NewGraph(s.analysis, at, l.Width, s.graphLines(l))
}

// graphAt returns the number of moves that a cell of the page stands for on the graph.
func (s reviewScreen) graphAt(l boardpage.Layout, x, y int) (ply int, ok bool) {
	top := s.fill(boardpage.NewPanel(canvas.New(0, 0), canvas.Area(0, 0, l.Width, l.Height)), l) // drawn nowhere
	if top < 0 || y < l.Line+top || y >= l.Line+top+s.graphLines(l) {
		return 0, false
	}
	return s.graph(l).PlyAt(x - l.Column)
}

// Cursor returns the place of the cursor while the player tries a move.
func (s reviewScreen) Cursor() (x, y int, shown bool) {
	if !s.trying() || s.input.Empty() && s.scene.Position().Result().Over {
		return 0, 0, false
	}
	x, y = s.layout(s.size.Width, s.size.Height).Cursor(s.input, s.scene, s.state(), s.size.Height)
	return x, y, true
}
