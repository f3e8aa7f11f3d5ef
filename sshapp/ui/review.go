package ui

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/analysis"
	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// review steps through a match, move by move: one that is over, or what has been played of one that goes on. Of one that
// is over it also says where it was won and lost, as soon as the club has worked that out, and lets the reader leave what
// was played for a branch: to see a better line, or to try moves of his own.
//
//	the match --b--> a better line --a--+
//	    |  ^              |             v
//	    |  +-----esc------+---esc--- his own moves --c--> a new match against the computer
//	    +------------------a------------^
type review struct {
	env  *env
	id   storage.MatchID
	size tea.WindowSizeMsg
	ctx  context.Context    // of the wait for the analysis, which ends with the screen
	stop context.CancelFunc // nil while there is none

	view     *lobby.View // nil until it has come
	timeline *timeline
	analysis matchAnalysis
	problem  string // why something can't be done

	at        int              // after how many moves of the match
	variation *variation       // what was not played, if that is on the board
	scene     *boardview.Scene // what is on the board
	moveText  string           // what the last move did
	turned    bool             // the player has turned the board round
	hidden    bool             // he wants no graph
	scroll    boardview.Scroll // of a board that doesn't fit
	input     moveInput        // of who tries moves
	board     *boardview.Easel // what was drawn last, shared by all copies: App alone calls them
}

// reelMsg is the match to look at.
type timelineMsg struct {
	view     *lobby.View
	timeline *timeline
	err      error
}

// newReview returns the screen that steps through a match.
func newReview(e *env, id storage.MatchID) screen {
	return review{env: e, id: id, board: new(boardview.Easel)}
}

func (s review) Init() tea.Cmd {
	club, ctx, who, id := s.env.club, s.env.ctx, s.env.who, s.id
	return func() tea.Msg {
		seat, err := club.At(ctx, who, id)
		if err != nil {
			return timelineMsg{err: err}
		}
		v, err := seat.Now(ctx)
		if err != nil {
			return timelineMsg{err: err}
		}
		r, err := newTimeline(v)
		return timelineMsg{v, r, err}
	}
}

func (s review) Update(msg tea.Msg) (screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		return s.refresh(), nil
	case timelineMsg:
		if msg.err != nil {
			s.problem = s.env.say.Error(msg.err)
			return s, nil
		}
		s.view, s.timeline = msg.view, msg.timeline
		s.ctx, s.stop = context.WithCancel(s.env.ctx)
		return s.goTo(len(s.view.Moves)), s.waitForAnalysis()
	case analysisMsg:
		s.analysis, s.problem = s.analysis.take(s.env.say, s.timeline, s.view.Start, msg), ""
		return s.refresh(), s.waitForAnalysis()
	case tea.PasteMsg:
		if s.trying() {
			s.input = s.input.withTyped(s.input.typed.insert(msg.Content, typedCells))
		}
	case tea.MouseWheelMsg:
		s = s.wheel(msg)
	case tea.MouseClickMsg:
		if s.view != nil && msg.Button == tea.MouseLeft {
			s = s.click(msg)
		}
	case tea.KeyPressMsg:
		if s.view != nil {
			s.problem = ""
			s, cmd = s.key(msg)
		}
	}
	return s.scrolled(), cmd
}

// Close ends the wait for the analysis.
func (s review) Close() {
	if s.stop != nil {
		s.stop()
	}
}

// study asks how far the analysis is. Only of a match that is over there is one, and what is ready stays so.
func (s review) waitForAnalysis() tea.Cmd {
	if !s.view.Over || len(s.view.Moves) == 0 || s.analysis.done() {
		return nil
	}
	club, ctx, id, after := s.env.club, s.ctx, s.id, s.analysis.seq()
	return func() tea.Msg {
		study, err := club.Study(ctx, id, after)
		return analysisMsg{study, err}
	}
}

// goTo goes to the board after a number of moves of the match, as far as there are so many.
func (s review) goTo(at int) review {
	if s.view == nil {
		return s
	}
	s.at = max(min(at, len(s.view.Moves)), 0)
	s.variation = nil
	return s.show()
}

// show prepares what is on the board.
func (s review) show() review {
	if s.view == nil {
		return s
	}
	var before *boardview.Scene
	var last games.Move
	if s.variation != nil {
		s.scene, before, last = s.variation.scene()
	} else {
		s.scene, before = s.timeline.scene(s.at)
		if s.at > 0 {
			last = s.view.Moves[s.at-1]
		}
	}
	s.moveText = ""
	if before != nil {
		s.moveText = s.describeMove(before, last)
	}
	s.input.sel = s.scene.AtLastMove()
	return s.scrolled()
}

// retold is show when the words may have changed but not the board: the hand stays where it is.
func (s review) refresh() review {
	hand := s.input.sel
	s = s.show()
	s.input.sel = hand
	return s.scrolled()
}

// scrolled keeps what matters in view on boards that don't fit.
func (s review) scrolled() review {
	if s.scene != nil {
		s.scroll = s.layout(s.size.Width, s.size.Height).board.Scroll
	}
	return s
}

// tell says who made a move and what it did, and in the match also what it was worth.
func (s review) describeMove(before *boardview.Scene, m games.Move) string {
	say, name := s.env.say, s.names()[before.Position().Turn()]
	doing := effectOf(say, before, m)
	if s.variation != nil {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	remark := s.remark(s.at)
	if remark == "" {
		return say.T("%s plays %s", name, string(m)) + doing
	}
	played := say.T("%s plays %s", name, string(m)+signOf(s.analysis.mark(s.at)))
	if room := (s.size.Width - 2*margin) * (statusLines(s.size.Width) - 1); s.narrow() || text.Width(played+doing+": "+remark) > room {
		doing = "" // the board shows it
	}
	return played + doing + ": " + remark
}

func (s review) names() [2]string { return namesOf(s.env, s.view.Game, s.view.Seats) }

// narrow says that there is no room for words that could be missed.
func (s review) narrow() bool { return s.size.Width < bothColumns }

// playing says that the reader tries moves of his own: letters are moves now.
func (s review) trying() bool { return s.variation != nil && s.variation.trying }

// flipped says whether the board is shown from the second side.
func (s review) flipped() bool { return flippedFor(s.scene, s.view, s.env.who) != s.turned }

func (s review) Title() string {
	if s.view == nil {
		return "Ludoteca" + s.env.theme.dot + s.env.say.T("review")
	}
	if s.narrow() {
		return titleOf(s.env, s.view, true)
	}
	return titleOf(s.env, s.view, false) + s.env.theme.dot + s.env.say.T("review")
}

func (s review) Status() string {
	say := s.env.say
	switch {
	case s.view == nil:
		return text.Clean(s.env.who.Name)
	case s.variation != nil && len(s.variation.moves) == 0:
		return say.T("not played")
	case s.variation != nil:
		return say.T("%d of %d", s.variation.at, len(s.variation.moves)) + s.env.theme.dot + say.T("not played")
	}
	return say.T("move %d of %d", s.at, len(s.view.Moves))
}

// Typing says that letters are moves.
func (s review) Typing() bool { return s.trying() }

// HandlesEsc says that esc leaves a branch, not the page.
func (s review) HandlesEsc() bool { return s.variation != nil }

// reviewPage is how many moves the page keys go.
const reviewPage = 20

// key does what a key means in the match, in a branch, or where the reader tries moves.
func (s review) key(msg tea.KeyPressMsg) (review, tea.Cmd) {
	if s.trying() {
		return s.tryKey(msg)
	}
	name := msg.String()
	if d, ok := reviewSteps[name]; ok {
		return s.step(d), nil
	}
	if s.analysis.failed != "" && slices.Contains([]string{"n", "p", "b", "m"}, name) {
		s.analysis = matchAnalysis{} // whoever wants the analysis asks for it anew
		return s, s.waitForAnalysis()
	}
	switch name {
	case "home":
		return s.step(-s.shown()), nil
	case "end":
		return s.step(s.length() - s.shown()), nil
	case "esc":
		return s.goTo(s.at), nil
	case "ctrl+f", "f":
		return s.turn(), nil
	case "n":
		return s.seek(1), nil
	case "p":
		return s.seek(-1), nil
	case "b":
		return s.better(), nil
	case "a":
		return s.tryMoves(), nil
	case "g":
		s.hidden = !s.hidden
	case "m":
		return s.list()
	case "c":
		return s.playOn()
	}
	return s, nil
}

// strides are the keys that go some moves on or back.
var reviewSteps = map[string]int{
	"left": -1, "backspace": -1, "right": 1, "enter": 1, "space": 1,
	"up": -2, "down": 2, "pgup": -reviewPage, "pgdown": reviewPage,
}

// place is how many moves are on the board, of length moves: of the branch or of the match.
func (s review) shown() int {
	if s.variation != nil {
		return s.variation.at
	}
	return s.at
}

func (s review) length() int {
	if s.variation != nil {
		return len(s.variation.moves)
	}
	return len(s.view.Moves)
}

// stride goes some moves on, or back.
func (s review) step(moves int) review {
	if s.variation == nil {
		return s.goTo(s.at + moves)
	}
	s.variation = s.variation.to(s.variation.at + moves)
	return s.show()
}

// turn turns the board round.
func (s review) turn() review {
	if can, _ := s.scene.Turns(); can {
		s.turned = !s.turned
	} else {
		s.problem = s.env.say.T("This board has no other side.")
	}
	return s
}

// known says whether the analysis is there, and if it isn't, why.
func (s review) analysisReady() (review, bool) {
	say := s.env.say
	switch {
	case s.analysis.ready():
		return s, true
	case !s.view.Over:
		s.problem = say.T("Mistakes are looked for when the match is over.")
	case len(s.view.Moves) == 0:
		s.problem = say.T("There is no analysis of this match.")
	default:
		s.problem = cmp.Or(s.analysis.progress(say), say.T("looking for mistakes ..."))
	}
	return s, false
}

// seek goes to the next mistake in a direction.
func (s review) seek(direction int) review {
	s, ok := s.analysisReady()
	if !ok {
		return s
	}
	if ply, ok := s.analysis.seek(s.at, direction); ok {
		return s.goTo(ply)
	}
	_, others := s.analysis.seek(s.at, -direction)
	switch say := s.env.say; {
	case !others && s.analysis.mark(s.at) == analysis.Fine:
		s.problem = say.T("No mistakes were found in this match.")
	case direction > 0:
		s.problem = say.T("No mistakes after this move; p goes back.")
	default:
		s.problem = say.T("No mistakes before this move; n goes on.")
	}
	return s
}

// better shows the line that would have been better than the move on the board if that was a mistake, else what is
// expected from here.
func (s review) better() review {
	s, ok := s.analysisReady()
	if !ok {
		return s
	}
	from, kind := s.at, bestLine
	if s.analysis.mark(s.at) != analysis.Fine {
		from, kind = s.at-1, betterLine
	}
	line := newVariation(s.timeline, from, s.analysis.points[from].Line, kind)
	if line == nil {
		s.problem = s.env.say.T("There is no line to show here.")
		return s
	}
	s.variation = line
	return s.show()
}

// list goes to the page with all mistakes in words.
func (s review) list() (review, tea.Cmd) {
	s, ok := s.analysisReady()
	if !ok {
		return s, nil
	}
	return s, push(newReader(s.env, s.Title(), s.mistakeList()))
}

// playOn goes to the form of a match against the computer from the board on: a casual one, of its own.
func (s review) playOn() (review, tea.Cmd) {
	say, v := s.env.say, s.view
	moves := v.Moves[:s.at:s.at]
	if s.variation != nil {
		moves = s.variation.allMoves()
	}
	side, plays := v.Side(s.env.who)
	if !plays || v.Holds(s.env.who, side.Other()) {
		side = s.scene.Position().Turn()
	}
	switch {
	case !v.Over:
		s.problem = say.T("You can play on from here when the match is over.")
	case s.scene.Position().Result().Over:
		s.problem = say.T("The game is over here. Go back some moves first.")
	default:
		choice := [...]lobby.Choice{games.First: lobby.PlayFirst, games.Second: lobby.PlaySecond}[side]
		if form, ok := newSetupFrom(s.env, v.Game, v.Options, moves, choice); ok {
			return s, push(form)
		}
		s.problem = say.Error(lobby.ErrNoSuchGame)
	}
	return s, nil
}

// click chooses on the board where moves are tried, and goes to a move on the graph.
func (s review) click(msg tea.MouseClickMsg) review {
	sp := s.layout(s.size.Width, s.size.Height)
	if ply, ok := s.graphAt(sp, msg.X, msg.Y); ok {
		return s.goTo(ply)
	}
	if !s.trying() {
		return s
	}
	s.problem = ""
	s.input = s.input.acceptTyped(s.scene)
	return s.choose(s.scene.Click(s.input.sel, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel goes one move on or back; where moves are tried, it moves the hand.
func (s review) wheel(msg tea.MouseWheelMsg) review {
	dy := sign(wheel(msg))
	switch {
	case s.view == nil:
		return s
	case !s.trying():
		return s.step(dy)
	}
	d := arrow{y: dy}
	if can, _ := s.scene.Turns(); !can && s.input.sel.From != boardview.Nowhere {
		d = arrow{x: dy}
	}
	if !s.input.isCommand() {
		s.input = s.input.acceptTyped(s.scene).step(s.scene, d, s.flipped())
	}
	return s
}

// try lets the reader make moves of his own from the board on.
func (s review) tryMoves() review {
	if !s.view.Over {
		s.problem = s.env.say.T("You can try moves here when the match is over.")
		return s
	}
	if s.scene.Position().Result().Over {
		s.problem = s.env.say.T("The game is over here. Go back some moves first.")
		return s
	}
	b := variation{timeline: s.timeline, from: s.at}
	if s.variation != nil {
		b = *s.variation
		b.moves = b.moves[:b.at:b.at]
	}
	b.kind, b.trying = ownMoves, true
	s.variation, s.input = &b, moveInput{}
	return s.show()
}

// playKey does what a key means where the reader tries moves: what it means at the board of a match.
func (s review) tryKey(msg tea.KeyPressMsg) (review, tea.Cmd) {
	name := msg.String()
	empty := s.input.typed.text == ""
	d, arrow := steps[name]
	switch {
	case name == "ctrl+f":
		return s.turn(), nil
	case name == "enter" && empty:
		return s.choose(s.scene.Choose(s.input.sel)), nil
	case name == "enter" && s.input.isCommand():
		return s.enterCommand()
	case name == "enter":
		return s.enterTyped(), nil
	case name == "tab":
		s.input = s.input.complete(s.available())
		return s, nil
	case name == "esc":
		return s.cancel(), nil
	case name == "?" && !s.input.isCommand():
		return s, showHelp
	case name == "backspace" && empty:
		return s.takeBack(), nil
	case arrow && (empty || s.input.arrowMoves(s.scene, d)):
		s.input = s.input.acceptTyped(s.scene).step(s.scene, d, s.flipped())
		return s, nil
	}
	s.input = s.input.insertKey(msg)
	return s, nil
}

// choose takes in what a choice on the board came to.
func (s review) choose(h boardview.Selection, m games.Move, err error) review {
	s.input.sel, s.problem = h, whyNot(s.env.say, err)
	if m == "" {
		return s
	}
	return s.play(m)
}

// enterTyped makes the move that is typed.
func (s review) enterTyped() review {
	m, err := s.input.typedMove(s.scene.Position())
	if err != nil {
		s.problem = s.env.say.Error(err)
		return s
	}
	return s.play(m)
}

// available are the commands that can do something now.
func (s review) available() []command {
	all := []command{cmdPlay, cmdHelp, cmdToLobby, cmdQuit}
	if can, _ := s.scene.Turns(); can {
		all = append(all, cmdFlip)
	}
	return append(all, cmdTakeBack)
}

// enterCommand carries out the command that is typed.
func (s review) enterCommand() (review, tea.Cmd) {
	var c command
	s.input, c = s.input.command(s.env.say, s.available())
	s.problem = s.input.problem
	switch c {
	case cmdTakeBack:
		return s.takeBack(), nil
	case cmdPlay:
		return s.playOn()
	case cmdFlip:
		return s.turn(), nil
	case cmdHelp:
		return s, showHelp
	case cmdToLobby:
		return s, home
	case cmdQuit:
		return s, leave
	case cmdNone:
	default:
		s.problem = s.env.say.T("That can't be done now.")
	}
	return s, nil
}

// play makes a legal move in the branch.
func (s review) play(m games.Move) review {
	next, ok := s.variation.play(m)
	if !ok {
		s.problem = s.env.say.T("That is far enough from the match.")
		return s
	}
	s.variation, s.input = next, moveInput{}
	return s.show()
}

// takeBack takes the last move of the reader back.
func (s review) takeBack() review {
	next, ok := s.variation.back()
	if !ok {
		s.problem = s.env.say.T("Nothing to take back: what comes before was played.")
		return s
	}
	s.variation, s.input = next, moveInput{}
	return s.show()
}

// letGo is esc: it empties the line, lets go of what is held, or ends the trying. What was tried stays to be looked
// at.
func (s review) cancel() review {
	if s.input.typed.text != "" || s.input.sel.From != boardview.Nowhere {
		s.input = s.input.cancel(s.scene)
		return s
	}
	if len(s.variation.moves) == 0 {
		return s.goTo(s.at)
	}
	b := *s.variation
	b.trying = false
	s.variation = &b
	return s.show()
}

// Keys lists the keys that work now.
func (s review) Keys() keyMap { return hinted(s.Hints()) }

// Hints are the keys that work now. In a narrow window two or three of them have room.
func (s review) Hints() []hint {
	say := s.env.say
	switch {
	case s.view == nil:
		return nil
	case s.trying():
		return s.playHints()
	}
	move := hint{say.T("left right"), say.T("one move")}
	mistakes, back := hint{"n p", say.T("mistakes")}, hint{"esc", say.T("back")}
	var hints []hint
	switch marked := s.analysis.mark(s.at) != analysis.Fine; {
	case s.variation != nil && s.narrow():
		hints = []hint{move, back}
	case s.variation != nil:
		hints = []hint{move, {"esc", say.T("back to the match")}}
	case marked && s.narrow():
		hints = []hint{mistakes, {"b", say.T("better line")}, back}
	case marked:
		hints = []hint{move, mistakes, {"b", say.T("better line")}}
	case s.analysis.ready() && len(s.analysis.points[s.at].Line) > 0:
		hints = []hint{move, mistakes, back, {"b", say.T("best line")}}
	case s.analysis.ready():
		hints = []hint{move, mistakes, back}
	default:
		hints = []hint{move, back}
	}
	help := hint{"?", say.T("help")}
	if s.view.Over && !s.scene.Position().Result().Over {
		hints = append(hints, hint{"a", say.T("try moves")}, help, hint{"c", say.T("play on")})
	} else {
		hints = append(hints, help)
	}
	if s.analysis.ready() {
		hints = append(hints, hint{"m", say.T("all mistakes")})
	}
	hints = append(hints, hint{"home end", say.T("first and last")})
	if can, _ := s.scene.Turns(); can {
		hints = append(hints, hint{"f", say.T("flip")})
	}
	if s.analysis.ready() {
		hints = append(hints, hint{"g", say.T("graph")})
	}
	return append(hints, hint{say.T("up down"), say.T("two")}, hint{"pgup pgdn", say.T("twenty")})
}

// playHints are the keys where moves are tried.
func (s review) playHints() []hint {
	say := s.env.say
	back := hint{"backspace", say.T("take back")}
	if s.narrow() {
		return []hint{back, {"esc", say.T("done")}, {"?", say.T("help")}}
	}
	hints := []hint{{say.T("arrows enter"), say.T("or type a move")}, back, {"/", say.T("commands")}, {"esc", say.T("done")}}
	if can, _ := s.scene.Turns(); can {
		hints = append(hints, hint{"ctrl+f", say.T("flip")})
	}
	return append(hints, hint{"?", say.T("help")})
}

// Help says what the marks on the board and in the graph mean, and what can be learned here.
func (s review) Help() string {
	say := s.env.say
	return paragraphs(
		say.T("Left and right go one move back and on. The board shows the match as it stood then, with the last move marked."),
		"# "+say.T("Where it was won and lost"),
		say.T("A finished match is looked over by the computer. Behind a move ?! is an inaccuracy, ? a mistake and ?? a blunder: it gave away a tenth, a fifth or three tenths of a point, or more. The keys n and p go from one to the next, m lists them all in words."),
		say.T("The graph is higher the better the first side stood; an arrow below it, or a stroke in it, shows where you are, and . ? × the three kinds of mistakes. A click goes there. The words in the last line say the same. What is called proven has been proven; all else is an estimate."),
		"# "+say.T("What was not played"),
		say.T("The key b plays the better line on the board, and a lets you try moves for both sides. Such moves stand in brackets and are kept nowhere; esc brings you back to the match. The key c starts a casual match against the computer from the board that you see."),
		"# "+say.T("As text"),
		say.T("The record of a match is text with all its moves: ssh ADDRESS record %s", string(s.id)),
	)
}
