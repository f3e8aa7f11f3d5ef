// Package matchpage has the screen with the board of a match that the user plays or watches.
package matchpage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
	"ludoteca/lobby/news"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/standings"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A matchScreen is the board of one match, for players and spectators: before the second seat is taken, while
// the match is played, and at its end.
//
// It reads the match by one Next after the other. The Cmd that waits also prepares the scene, so that Update has nothing to
// work out. Moves go the other way as Cmds of their own, and are shown when Next brings them.
type matchScreen struct {
	env  *screen.Env
	ref  lobby.Ref // as the player came by it
	size tea.WindowSizeMsg

	seat   *seats.Seat
	view   *lobby.View // nil until the first one has come
	scene  *boardview.Scene
	stake  *standings.Stake // as in viewMsg
	failed bool             // the last Next failed: the next key asks anew

	input   boardpage.MoveInput
	scroll  boardview.Scroll
	turned  bool              // the player has turned the board round
	sending games.Move        // on its way; "" for none
	hinting bool              // a hint is being worked out
	hint    string            // a hint for this position, or that the other side declines an offer, in words
	seen    []lobby.OpenOffer // to the player, when they began to type
	asking  string            // the command whose question waits for a second enter; "" for none
	refused refusal           // of the last command that could not be done
	busy    bool              // a command is on its way
	ticks   int               // number of the newest TickMsg
	chat    chatPane
}

// A viewMsg holds a newer view of the match, as nextView returns it.
type viewMsg struct {
	seat  *seats.Seat
	view  *lobby.View
	scene *boardview.Scene
	stake *standings.Stake // at the beginning of a rated match that the user plays; else nil
	err   error
}

// movedMsg is the answer to a move.
type movedMsg struct {
	move games.Move
	err  error
}

// commandMsg is the answer to a command; then is what comes after it, nil for nothing.
type commandMsg struct {
	then tea.Cmd
	err  error
}

// hintMsg is the answer to a request for a hint.
type hintMsg struct {
	hint lobby.Hint
	err  error
}

// HelpBeside makes App show the help beside the board.
func (s matchScreen) HelpBeside() {}

// New returns the board screen of a match, for a player or a spectator.
func New(e *screen.Env, ref lobby.Ref) screen.Screen {
	return matchScreen{env: e, ref: ref}
}

func (s matchScreen) Init() tea.Cmd {
	l, ctx, who, ref := s.env.Lobby, s.env.Ctx, s.env.Who, s.ref
	return func() tea.Msg {
		seat, err := l.At(ctx, who, ref)
		if err != nil {
			return viewMsg{err: err}
		}
		return nextView(ctx, seat, nil, nil)
	}
}

// next waits for the view after the one that is shown.
func (s matchScreen) next() tea.Cmd {
	ctx, seat, view, scene := s.env.Ctx, s.seat, s.view, s.scene
	return func() tea.Msg { return nextView(ctx, seat, view, scene) }
}

// stakePlies is the number of moves during which the panel shows the stake of a rated match. After that many moves the match counts.
const stakePlies = 4

// nextView waits for the view after old and makes its scene.
func nextView(ctx context.Context, seat *seats.Seat, old *lobby.View, scene *boardview.Scene) tea.Msg {
	after := uint64(0)
	if old != nil {
		after = old.Seq
	}
	view, err := seat.Next(ctx, after)
	if err != nil {
		return viewMsg{seat: seat, err: err}
	}
	if scene, err = boardpage.SceneOf(view, old, scene); err != nil {
		return viewMsg{seat: seat, err: err}
	}
	var stake *standings.Stake
	if view.Ply() < stakePlies {
		stake, _ = seat.Stake(ctx, view) // without it the line is missing, and nothing else
	}
	return viewMsg{seat, view, scene, stake, nil}
}

func (s matchScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case viewMsg:
		return s.setView(msg)
	case screen.TickMsg:
		if msg.Number == s.ticks {
			s = s.refusedStill()
			cmd = s.tick()
		}
	case screen.ResumedMsg:
		if s.view != nil {
			cmd = s.tick()
		}
	case movedMsg:
		s = s.moveDone(msg)
	case chatMsg:
		s, cmd = s.setChat(msg)
	case saidMsg:
		s = s.said(msg)
	case commandMsg:
		s.busy = false
		if msg.err == nil {
			cmd = msg.then
		}
		s.input.Problem = s.env.Say.Error(msg.err)
	case hintMsg:
		s = s.hintDone(msg)
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		if s.asking != "" {
			s, cmd = s.answer(msg)
		} else {
			s, cmd = s.use(msg)
		}
	}
	return s.scrolled(), cmd
}

// use handles what the player does while no question is open.
func (s matchScreen) use(msg tea.Msg) (matchScreen, tea.Cmd) {
	s = s.sawOffers()
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return s.key(msg)
	case tea.PasteMsg:
		if s.chat.open {
			return s.pasteChat(msg.Content), nil
		}
		if s.takesText(msg.Content) {
			s.input = s.input.Paste(msg.Content)
		}
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.MouseWheelMsg:
		if s.yours() {
			s.input = s.input.Wheel(s.scene, widget.WheelStep(msg), s.flipped())
		}
	}
	return s, nil
}

// setView shows a new view. Typed text stays while the match goes on; at its end the keys of the footer take over.
func (s matchScreen) setView(msg viewMsg) (screen.Screen, tea.Cmd) {
	if msg.err != nil {
		if msg.seat != nil {
			s.seat = msg.seat
		}
		s.failed, s.input.Problem = true, s.env.Say.Error(msg.err)
		return s, nil
	}
	old := s.view
	s.seat, s.view, s.scene, s.stake, s.failed = msg.seat, msg.view, msg.scene, msg.stake, false
	switch {
	case old == nil:
		side, _ := s.view.Side(s.env.Who)
		s.input.Sel = s.scene.Start(side)
	case s.view.Ply() != old.Ply() || !s.view.Continues(old):
		s.input.Sel = s.scene.Adjust(s.input.Sel)
		s.asking, s.input.Problem, s.hint, s.sending = "", "", "", ""
	}
	if old != nil {
		if words := s.declined(old); words != "" {
			s.hint, s.input.Problem = words, ""
		}
		if s.newOffer(old) {
			s.input.Problem = "" // the offer is to be seen
		}
	}
	if s.view.Over {
		s.sending, s.hint = "", ""
		if old != nil && !old.Over {
			s.input = boardpage.MoveInput{Sel: s.scene.Release(s.input.Sel)}
		}
	}
	if s.asking != "" && !s.can(s.asking) {
		s.asking = ""
	}
	cmds := []tea.Cmd{s.next(), s.tick(), s.readChat()}
	if old != nil && s.rings(old) {
		cmds = append(cmds, screen.Bell)
	}
	if r := s.view.Rematch; r != nil && r.Taken && old != nil && s.plays() {
		cmds = append(cmds, screen.ReplaceByMatch(r.Ref))
	}
	return s.scrolled(), tea.Batch(cmds...)
}

// rings reports whether the bell rings for what is new: the other side has moved, come, asked or ended the match.
func (s matchScreen) rings(old *lobby.View) bool {
	if !s.plays() || s.bothSeats() {
		return false
	}
	items := news.Between(old, s.view, s.env.Who)
	if len(items) > 0 && items[0].Kind == news.TakenBack {
		return false
	}
	return slices.ContainsFunc(items, func(i news.Item) bool { return i.WantsAct() || i.OfYours() && (s.view.Over || i.Kind != news.Declined) })
}

// moveDone handles the answer to a move. The move itself comes with Next. One that was refused is typed again, so that it
// can be sent once more.
func (s matchScreen) moveDone(msg movedMsg) matchScreen {
	if msg.err == nil {
		return s
	}
	s.sending = ""
	if s.input.Empty() {
		s.input = s.input.Paste(string(msg.move))
	}
	if !errors.Is(msg.err, lobby.ErrCutOff) { // every screen already shows that while it lasts
		s.input.Problem = s.env.Say.Error(msg.err)
	}
	return s
}

// hintDone shows a hint, unless the board has changed meanwhile: it selects the move and says the rest in words.
func (s matchScreen) hintDone(msg hintMsg) matchScreen {
	s.hinting = false
	switch h := msg.hint; {
	case errors.Is(msg.err, lobby.ErrLate): // the match has moved on, and the player with it
	case msg.err != nil:
		s.input.Problem = s.env.Say.Error(msg.err)
	case h.Ply == s.view.Ply() && s.yours():
		_, s.input.Sel = s.scene.Typed(string(h.Move), s.input.Sel)
		s.input.Typed, s.hint = widget.Entry{}, s.env.Say.Hint(h)
	}
	return s
}

// scrolled keeps the cursor in view on boards that don't fit.
func (s matchScreen) scrolled() matchScreen {
	if s.scene != nil {
		s.scroll = s.layout(s.size.Width, s.size.Height).Board.Scroll
	}
	return s
}

// plays reports whether the player holds a seat.
func (s matchScreen) plays() bool {
	if s.view == nil {
		return false
	}
	_, ok := s.view.Side(s.env.Who)
	return ok
}

// bothSeats reports whether two people play at this keyboard.
func (s matchScreen) bothSeats() bool {
	return s.view.Holds(s.env.Who, games.First) && s.view.Holds(s.env.Who, games.Second)
}

// waiting reports whether the second seat is free.
func (s matchScreen) waiting() bool { return s.view != nil && s.view.Started.IsZero() && !s.view.Over }

// running reports whether the match is being played.
func (s matchScreen) running() bool { return s.view != nil && !s.view.Started.IsZero() && !s.view.Over }

// inPlay reports whether the match is being played and the player holds a seat.
func (s matchScreen) inPlay() bool { return s.running() && s.plays() }

// flipped reports whether the board is shown from the second side.
func (s matchScreen) flipped() bool {
	return boardpage.FlippedFor(s.scene, s.view, s.env.Who) != s.turned
}

// key handles a key: one of keys, an arrow, or text.
func (s matchScreen) key(msg tea.KeyPressMsg) (matchScreen, tea.Cmd) {
	switch {
	case s.failed:
		return s.retry()
	case s.view == nil:
		return s, nil
	}
	name := msg.String()
	if run, ok := s.keys().Find(s, name); ok {
		return run(s, msg)
	}
	if s.chat.open {
		return s.typeChat(msg), nil
	}
	if in, ok := s.input.Arrow(s.scene, name, s.flipped(), s.yours()); ok {
		s.input = in
		return s, nil
	}
	if s.takesText(msg.Text) {
		s.input = s.input.Insert(msg)
	}
	return s, nil
}

// takesText reports whether text can be typed: moves by a player while there is a match to move in, commands always.
func (s matchScreen) takesText(words string) bool {
	return !s.input.Empty() || strings.HasPrefix(words, "/") || s.inPlay()
}

// matchKeys are the keys at the board, by how the match stands for the player. Letters and digits are always a move while the
// player has one to make; afterwards some letters are commands.
var matchKeys = newMatchKeys()

type matchKeySets struct {
	none, question, ended, invited, free, offered, watched, narrow, helped, oneKeyboard, played widget.Actions[matchScreen]
}

// keys returns the keys that there are now.
func (s matchScreen) keys() *widget.Actions[matchScreen] {
	k := &matchKeys
	switch {
	case s.view == nil:
		return &k.none
	case s.asking != "":
		return &k.question
	case s.chat.open:
		return &chatKeys
	case s.hasPlayed():
		return &k.ended
	case s.view.Challenges(s.env.Who):
		return &k.invited
	case s.can(boardpage.CmdJoin):
		return &k.free
	case s.waiting() && s.plays():
		return &k.offered
	case !s.inPlay():
		return &k.watched
	case s.narrow():
		return &k.narrow
	case s.helped():
		return &k.helped
	case s.bothSeats():
		return &k.oneKeyboard
	}
	return &k.played
}

func newMatchKeys() matchKeySets {
	enter := func(name, what string) widget.Action[matchScreen] {
		return widget.On(name, what, matchScreen.enter, "enter")
	}
	command := func(name, what, command string) widget.Action[matchScreen] {
		return widget.On(name, what, func(s matchScreen) (matchScreen, tea.Cmd) { return s.start(command) }, name)
	}
	letter := func(name, what, of string) widget.Action[matchScreen] {
		return command(name, what, of).When(func(s matchScreen) bool { return s.lettersAreKeys() && s.can(of) })
	}
	take := enter("enter", text.T("take the seat"))
	play := enter("enter", text.T("play")).Listed(matchScreen.yours)
	rematch := letter("r", text.T("rematch"), boardpage.CmdRematch)
	review := letter("v", text.T("review"), boardpage.CmdReview)
	another := letter("n", text.T("new opponent"), boardpage.CmdNew)
	abort := letter("a", text.T("withdraw offer"), boardpage.CmdAbort)
	decline := letter("a", text.T("decline"), boardpage.CmdAbort)
	slash := widget.Typed[matchScreen]("/", text.T("commands"))
	help := widget.On("?", text.T("help"), openHelp, "?").When(matchScreen.typesNoCommand)
	chat := widget.Typed[matchScreen]("tab", text.T("chat")).Listed(matchScreen.tabIsChat)
	back := widget.On("esc", text.T("lobby"), matchScreen.cancel, "esc").Doing(matchScreen.cancelWhat)
	flip := widget.On("ctrl+f", text.T("flip"), flip, "ctrl+f").Listed(possible(boardpage.CmdFlip))
	hint := command("ctrl+t", text.T("hint"), boardpage.CmdHint).Listed(possible(boardpage.CmdHint))
	undo := command("ctrl+z", text.T("undo"), boardpage.CmdTakeback).Listed(possible(boardpage.CmdTakeback))
	callOff := command("ctrl+x", text.T("call the match off"), boardpage.CmdAbort).Listed(callsOff)

	others := []widget.Action[matchScreen]{
		flip, hint, undo, callOff, enter("", ""), widget.On("", "", matchScreen.tab, "tab"), help,
		rematch, review, another, abort.Listed(matchScreen.notRunning),
	}
	set := func(footer ...widget.Action[matchScreen]) widget.Actions[matchScreen] {
		return widget.Actions[matchScreen]{Footer: footer, Others: others, Commands: matchCommands.Help}
	}
	return matchKeySets{
		question: widget.Actions[matchScreen]{Footer: []widget.Action[matchScreen]{
			widget.OnKey("enter", "", matchScreen.answerKey, "enter").Doing(matchScreen.askedWhat),
			widget.OnKey("esc", text.T("play on"), matchScreen.answerKey, "esc"),
		}},
		ended:       set(rematch, review, another, back),
		invited:     set(take, decline, back),
		free:        set(take, back),
		offered:     set(abort, back),
		watched:     set(review, slash, chat, back),
		narrow:      set(play, slash, help, back),
		helped:      set(play, slash, hint, undo, back, help, flip), // with the way out where it has room in every language
		oneKeyboard: set(play, slash, undo, flip, help, back),
		played:      set(enter(text.T("arrows enter"), text.T("or type a move")), slash, chat, help, back, flip),
	}
}

// lettersAreKeys reports whether some letters are commands now, not moves.
func (s matchScreen) lettersAreKeys() bool { return !s.inPlay() && s.typesNoCommand() && !s.chat.open }

func (s matchScreen) typesNoCommand() bool { return !s.input.IsCommand() }

func (s matchScreen) notRunning() bool { return !s.running() }

// cancelWhat says in English what esc does, askedWhat what the second enter does.
func (s matchScreen) cancelWhat() string { return s.input.CancelWhat(text.T("lobby")) }
func (s matchScreen) askedWhat() string  { return boardpage.CommandWhat(s.asking) }

// enter carries out what is typed, or chooses what is under the cursor.
func (s matchScreen) enter() (matchScreen, tea.Cmd) {
	switch {
	case s.input.IsCommand():
		var c string
		if s.input, c = s.input.Command(s.env.Say, boardpage.CommandNames(), matchCommands.Available(s)); c == "" {
			return s, nil
		}
		return s.start(s.onlyOffer(c))
	case s.input.Empty() && s.can(boardpage.CmdJoin):
		return s.start(boardpage.CmdJoin)
	case s.input.Empty() && !s.yours():
		return s, nil
	case !s.yours():
		s.input.Problem = s.env.Say.Error(s.may(match.MoveAct))
		return s, nil
	}
	in, m := s.input.Enter(s.env.Say, s.scene)
	return s.play(in, m)
}

// click chooses a place of the board.
func (s matchScreen) click(msg tea.MouseClickMsg) (matchScreen, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	l := s.layout(s.size.Width, s.size.Height)
	in, m := s.input.Click(s.env.Say, s.scene, s.scene.Spot(l.Board, s.state(), msg.X-l.X, msg.Y-l.Y))
	return s.play(in, m)
}

// play goes on with an input, and sends the move that it has made, if any.
func (s matchScreen) play(in boardpage.MoveInput, m games.Move) (matchScreen, tea.Cmd) {
	s.input = in
	if m == "" {
		return s, nil
	}
	s.sending = m
	ctx, seat, ply := s.env.Ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

// cancel clears the typed text or the selection.
func (s matchScreen) cancel() (matchScreen, tea.Cmd) {
	s.input = s.input.Cancel(s.scene)
	return s, nil
}

// complete completes a typed command.
func (s matchScreen) complete() (matchScreen, tea.Cmd) {
	s.input = s.input.Complete(matchCommands.Available(s))
	return s, nil
}

// retry asks anew for a view that could not be had.
func (s matchScreen) retry() (matchScreen, tea.Cmd) {
	s.failed, s.input.Problem = false, ""
	if s.seat == nil {
		return s, s.Init()
	}
	return s, s.next()
}

// hasPlayed reports whether the player held a seat in a match that is over.
func (s matchScreen) hasPlayed() bool { return s.view.Over && s.plays() }

// another returns a quick match with the game, options, clock and rating mode of this one. After a match against the computer or at one
// keyboard, clock and rating mode come from the player's last quick match, if there was one.
func (s matchScreen) another() seats.Spec {
	spec := seats.Spec{Game: s.view.Game.About().ID, Options: s.view.Options, Rated: s.view.Agreed, Clock: s.view.Clock.Setting}
	side, _ := s.view.Side(s.env.Who)
	if s.bothSeats() || s.view.Seats[side.Other()].Kind == storage.Bot {
		if last, ok := s.env.Lobby.LastQuick(s.env.Settings); ok {
			spec.Rated, spec.Clock = last.Rated, last.Clock
		}
	}
	return spec
}

// neverStarted reports whether a seat is still free.
func (s matchScreen) neverStarted() bool {
	return s.view.Seats[0].Kind == storage.Free || s.view.Seats[1].Kind == storage.Free
}

// Help explains the game, then the keys and commands.
func (s matchScreen) Help() string {
	say := s.env.Say
	if s.view == nil {
		return ""
	}
	about := s.view.Game.About()
	return widget.Paragraphs(
		"# "+say.Spell(about.Name),
		describe.Rules(s.env, about),
		"# "+say.T("At the board"),
		say.T("There are three ways to make a move: arrows and enter, a click with the mouse, or typing it. Letters and digits always belong to the move."),
		s.scene.Legend(say.Say, s.env.Theme.ASCII),
		say.T("The mark behind the name of a person says how near they are: %s at this board, %s elsewhere or without a key for five minutes, %s gone.", s.env.Theme.Here, s.env.Theme.Away, s.env.Theme.Gone),
		say.T("Commands start with a slash, and tab completes them. Those that work now are listed with the keys."),
		say.T("Tab, or /chat, opens the chat: the players have one, those who watch another. Up and down choose a greeting, which the reader gets in their own language."),
		say.T("In a casual match against a computer player, /hint (ctrl+t) asks the strongest of them for a move, and /takeback (ctrl+z) undoes your last one. The match is marked as played with help."),
		say.T("With /draw you offer a draw, and in a casual match between people /takeback asks to take your last move back. /accept and /decline answer; a move lets an offer lapse."),
		say.T("When your opponent has left and not come back in time, the board says so: /claim takes the win, /claimdraw a draw, or you wait on."),
		say.T("A computer player resigns only when its loss is certain and you have found the way. While many people play, all computer players think for less time."),
		say.T("Leave when you like: the match is kept and waits under Your matches."),
		say.T("A clock runs on while you are away, and a side whose time is up loses. Until both sides have moved, each has some time of its own; a match without first moves is void."),
	)
}

// state returns what the drawing of the board depends on besides the position.
func (s matchScreen) state() boardview.State {
	return boardview.State{
		Selection: s.input.Selection(s.scene), Yours: s.yours(), Over: !s.running(), Flip: s.flipped(), Scroll: s.scroll,
	}
}

func (s matchScreen) layout(w, h int) boardpage.Layout {
	return boardpage.NewLayout(s.scene, s.state(), w, h)
}

func (s matchScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	w, h := p.Width, p.Height
	t, say := s.env.Theme, s.env.Say
	if s.view == nil {
		p.End()
		p.Line(widget.MenuColumn, t.Dim, say.T("Going to the board ..."))
		p.Wrap(widget.MenuColumn, t.Accent, s.input.Problem, w-2*widget.MenuColumn)
		return
	}
	names := s.names()
	notes := s.scene.Notes(say.Say, names)
	l, status := s.layout(w, h), s.statusArea(w, notes)
	bottom := l.Y + l.Board.Height
	last := min(boardpage.LinesOf(status.prompt, w-2*widget.Margin, 2), h-bottom-1)
	if !s.input.Empty() || s.chat.open {
		last = 1
	}
	room := max(h-last-status.lines(w), bottom) // the panel makes room for the status, the board doesn't
	if s.view.Over && !l.Beside {
		l.Height = room - l.Line // the end is told in whole sentences, and nothing else stands below
	}
	part := p.Part(room)
	s.fill(l.Draw(&part, t, s.scene, s.state()), l, names, notes)
	boardpage.DrawWords(&p, status.style, status.mark, status.words, h-last-room)
	switch {
	case s.asking != "": // nothing but the question
	case s.chat.open:
		words, _ := s.chatPrompt(w - 2*widget.Margin - boardpage.TypedFrom)
		p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+boardpage.TypedFrom).Put(t.Bold, words).End()
	case s.sending != "":
		p.Line(widget.Margin, t.Dim, say.T("Sending %s ...", string(s.sending)))
	case !s.input.Empty():
		boardpage.DrawTyped(&p, t, s.input, status.prompt)
	default:
		boardpage.DrawWords(&p, t.Dim, "", status.prompt, last)
	}
}

// A statusArea is what stands below the board.
type statusArea struct {
	style  canvas.Style
	mark   string
	words  string // above the typed text
	prompt string // what the typed text means, else what can be done
}

const alertLines = 3 // of a statusArea's words

// statusArea returns the most important message, and the meaning of the typed text. A meaning that doesn't fit behind the text stands
// above it, so that players can read the whole explanation of how to write a move.
func (s matchScreen) statusArea(w int, notes []boardview.Note) statusArea {
	t := s.env.Theme
	a := statusArea{style: t.Accent, mark: t.Waiting + " ", words: s.alert(notes)}
	if words := s.openOffer(); a.words == "" && words != "" {
		a = statusArea{style: t.Dim, words: words}
	}
	switch {
	case s.asking != "", s.sending != "", s.chat.open:
	case s.input.Empty() && a.words == "" && s.awaitsFriend():
		say := s.env.Say
		a = statusArea{style: t.Plain, words: say.T("Your friend chooses Join by code here, or types:"), prompt: say.SSHScreen("join " + s.view.Code)}
		if text.Width(a.prompt) > w-2*widget.Margin { // cut, it is of no use
			a.words, a.prompt = say.T("Your friend types: %s", a.prompt), ""
		}
	case s.input.Empty():
		a.prompt = s.prompt()
	case s.input.Problem == "":
		a.prompt = s.meaning()
		if !boardpage.MeaningFits(s.input, a.prompt, w) {
			a = statusArea{style: t.Dim, mark: text.Spaces(boardpage.TypedFrom), words: a.prompt}
		}
	}
	return a
}

// lines returns how many lines the words take in a window of the given width.
func (a statusArea) lines(w int) int {
	if a.words == "" {
		return 0
	}
	return boardpage.LinesOf(a.words, w-2*widget.Margin-text.Width(a.mark), alertLines)
}

// alert returns what matters now: an open question, what went wrong, an offer, a hint, a rematch, or what the rules demand.
func (s matchScreen) alert(notes []boardview.Note) string {
	switch {
	case s.asking != "":
		return s.question()
	case s.input.Problem != "":
		return s.input.Problem
	}
	if words := s.offered(); words != "" {
		return words
	}
	if s.hint != "" {
		return s.hint
	}
	if words := s.absent(); words != "" {
		return words
	}
	if r := s.view.Rematch; s.hasPlayed() && r != nil && !r.Taken && r.By != s.env.Who.Occupant() {
		return s.env.Say.T("%s asks for a rematch: press r.", describe.Occupant(s.env, r.By))
	}
	if s.showsUrgent() {
		for _, n := range notes {
			if n.Urgent {
				return s.noteText(n)
			}
		}
	}
	return ""
}

// showsUrgent reports whether the first urgent note stands in the status area. A player who waits isn't hurried.
func (s matchScreen) showsUrgent() bool {
	return s.asking == "" && s.input.Problem == "" && s.hint == "" && (s.yours() || s.running() && !s.plays())
}

// meaning says what the typed text would do.
func (s matchScreen) meaning() string {
	if s.input.IsCommand() {
		return s.input.CommandMeaning(s.env.Say, matchCommands.Available(s))
	}
	turn := ""
	switch {
	case !s.running():
		return "" // there is nothing to wait for yet, or no more
	case !s.yours():
		turn = s.names()[s.view.Turn]
	}
	return s.input.Meaning(s.env.Say, s.scene, turn)
}

// prompt says what can be done while nothing is typed.
func (s matchScreen) prompt() string {
	say := s.env.Say
	switch {
	case !s.inPlay():
		return ""
	case !s.yours():
		return say.T("Waiting for %s.", s.names()[s.view.Turn])
	case s.hinting:
		return say.T("Looking for a hint ...")
	}
	if words := s.input.Prompt(say, s.scene); words != "" {
		return words
	}
	if s.narrow() {
		return say.T("Your move: arrows, enter, or type it.")
	}
	return say.T("Your move: arrows and enter, a click, or type it.")
}

// Cursor returns the place of the cursor: in the typed text if there is any, else on the board.
func (s matchScreen) Cursor() (x, y int, shown bool) {
	if s.view != nil && s.asking == "" && s.chat.open {
		_, column := s.chatPrompt(s.size.Width - 2*widget.Margin - boardpage.TypedFrom)
		return widget.Margin + boardpage.TypedFrom + column, s.size.Height - 1, true
	}
	if s.view == nil || s.asking != "" || s.input.Empty() && !s.yours() {
		return 0, 0, false
	}
	x, y = s.layout(s.size.Width, s.size.Height).Cursor(s.input, s.scene, s.state(), s.size.Height)
	return x, y, true
}

// names returns the names of the players, by side.
func (s matchScreen) names() [2]string {
	names := describe.Names(s.env, s.view.Game, s.view.Seats)
	for side, o := range s.view.Seats {
		switch {
		case o.Kind != storage.Free:
		case s.view.Reserved.Kind != storage.Free:
			names[side] = describe.Occupant(s.env, s.view.Reserved)
		default:
			names[side] = s.env.Say.T("nobody yet")
		}
	}
	return names
}

// Title returns the game, its variant, the match, and whether it is rated.
func (s matchScreen) Title() string {
	if s.view == nil {
		return "Ludoteca"
	}
	return describe.Title(s.env, s.view, s.narrow())
}

// narrow reports whether there is no room for words that can be spared.
func (s matchScreen) narrow() bool { return s.size.Width < widget.BothColumns }

// Status returns the name of the player, if there is room, and the state of the match.
func (s matchScreen) Status() string {
	name := text.Clean(s.env.Who.Name)
	switch {
	case s.view == nil:
		return name
	case s.narrow():
		return s.standing()
	}
	return name + s.env.Theme.Dot + s.standing()
}

// standing says in two words how things stand.
func (s matchScreen) standing() string {
	say := s.env.Say
	switch {
	case s.view.Over:
		return say.T("over")
	case s.waiting():
		return say.T("waiting")
	case s.bothSeats():
		return say.T("%s to move", describe.SideName(s.env, s.view.Game.About(), int(s.view.Turn))) // the player's name is there already
	case s.view.YourTurn(s.env.Who):
		return say.T("your move")
	case s.plays():
		return say.T("waiting")
	}
	return say.T("watching")
}

// WindowTitle returns "your move" if the player is to move.
func (s matchScreen) WindowTitle() string {
	if s.view != nil && s.view.YourTurn(s.env.Who) && !s.bothSeats() {
		return s.env.Say.T("your move")
	}
	return ""
}

// ConfirmLeave returns a question while a match goes on.
func (s matchScreen) ConfirmLeave() string {
	say := s.env.Say
	switch {
	case !s.inPlay():
		return ""
	case s.env.Who.Player() == "":
		return say.T("Guests who leave lose their match after a while. Leave? ctrl+c once more.")
	}
	if !s.view.Clock.Deadline().IsZero() {
		return say.T("Your clock runs on while you are away. Leave? ctrl+c once more.")
	}
	return say.T("Your match goes on, and waits for you here. Leave? ctrl+c once more.")
}

// ConfirmBack returns a question while the player's match goes on by the clock, so that one esc too many, meant to release a piece, costs no
// time.
func (s matchScreen) ConfirmBack() string {
	if !s.inPlay() || !s.view.Clock.Running() || s.view.Clock.Setting.Kind != lobby.Fischer {
		return ""
	}
	return s.env.Say.T("Your clock runs on while you are away. Leave the board? esc once more.")
}

// HandlesEsc reports whether esc cancels something here.
func (s matchScreen) HandlesEsc() bool { return s.scene != nil && (s.chat.open || s.input.Cancels()) }

// Asking reports whether a question waits for a second enter.
func (s matchScreen) Asking() bool { return s.asking != "" }

// MatchID returns the match whose board this is.
func (s matchScreen) MatchID() storage.MatchID { return s.ref.ID }

// InMatch keeps the session from ending while a match goes on.
func (s matchScreen) InMatch() bool { return s.running() }

// Place implements screen.Board.
func (s matchScreen) Place() (p atboard.Place) {
	if s.view != nil {
		p.Match = s.view.ID
	}
	return p
}

// Typing reports whether letters are moves.
func (s matchScreen) Typing() bool { return s.inPlay() || !s.input.Empty() || s.chat.open }

func (s matchScreen) ShortHelp() []key.Binding  { return s.keys().ShortHelp(s) }
func (s matchScreen) FullHelp() [][]key.Binding { return s.keys().FullHelp(s) }

// rulesPlies is for how many plies the rules stand beside a board.
const rulesPlies = 8

// boardWithPlayers is the number of lines that a panel must have for the players to stay above an open chat.
const boardWithPlayers = 8

// fill fills the panel beside or below the board.
func (s matchScreen) fill(p boardpage.Panel, l boardpage.Layout, names [2]string, notes []boardview.Note) {
	turn := -1
	if s.running() {
		turn = int(s.view.Turn)
	}
	if s.chat.open && p.Room() < boardWithPlayers {
		s.fillChat(&p, p.Room())
		return
	}
	p.AddPlayers(s.env.Theme, s.env.Say, s.scene, s.players(names), turn, l.Beside)
	if s.chat.open {
		p.Gap()
		s.fillChat(&p, p.Room())
		return
	}
	if l.Beside {
		s.addStake(&p, true)
	}
	s.addSpectators(&p, l.Beside)
	if !l.Beside && s.chat.unread { // before all that can be read elsewhere
		s.addNewest(&p)
	}
	switch {
	case s.waiting():
		s.addWaiting(&p)
	case s.view.Over:
		p.Gap()
		p.Wrap(s.env.Theme.Accent, 0, describe.Ending(s.env, s.view, names))
		if !s.neverStarted() {
			p.AddHelp(s.env.Theme, s.env.Say, s.view)
		}
	case s.view.Ply()-s.view.Start < rulesPlies && s.plays() && l.Beside:
		s.addRules(&p)
	}
	if s.running() {
		s.addFirstMove(&p)
		s.addNotes(&p, notes)
	}
	if !l.Beside { // what helps to move comes first where there is little room
		s.addStake(&p, false)
	}
	if l.Beside || p.Room() > 2 && !s.chat.unread {
		s.addNewest(&p)
	}
	p.AddMoves(s.env.Theme, boardpage.NewMoveList(s.view.Moves), l.Beside)
}

// addStake says what a rated match that begins would do to the user's rating.
func (s matchScreen) addStake(p *boardpage.Panel, beside bool) {
	if s.stake == nil {
		return
	}
	t, parts := s.env.Theme, s.env.Say.Stake(*s.stake)
	if beside && !p.Wide() { // else a figure may stand in another line than its word
		p.Line(boardpage.Run{Style: t.Dim, Text: strings.Join(parts[:2], t.Dot)})
		parts = parts[2:]
	}
	p.Line(boardpage.Run{Style: t.Dim, Text: strings.Join(parts, t.Dot)})
}

// addFirstMove says how long the first move may take, which no clock shows.
func (s matchScreen) addFirstMove(p *boardpage.Panel) {
	left, ok := boardpage.FirstMoveLeft(s.view, s.env.Now())
	if !ok {
		return
	}
	say, y := s.env.Say, s.env.Theme.Dim
	words := say.T("First move of %s: %s left.", s.names()[s.view.Turn], say.TimeLeft(left))
	if s.yours() && !s.bothSeats() {
		words, y = say.T("Your first move: %s left.", say.TimeLeft(left)), s.env.Theme.Accent
	}
	p.Gap()
	p.Wrap(y, 0, words)
}

// addRules says the rules in three lines, or as running text where there is no room for these.
func (s matchScreen) addRules(p *boardpage.Panel) {
	p.Gap()
	lines := s.view.Game.About().Brief
	words := make([]string, len(lines))
	for i, line := range lines {
		words[i] = s.env.Say.T(line)
	}
	if !p.Wide() {
		words = []string{strings.Join(words, " ")}
	}
	for _, line := range words {
		p.Wrap(s.env.Theme.Dim, 0, line)
	}
}

// addNotes says how things stand.
func (s matchScreen) addNotes(p *boardpage.Panel, notes []boardview.Note) {
	t := s.env.Theme
	p.Gap()
	urgent := s.showsUrgent()
	for _, n := range notes {
		if n.Urgent && urgent {
			urgent = false
			continue
		}
		p.Wrap(t.Dim, 0, s.noteText(n))
	}
	if words := s.thinking(); words != "" {
		p.Wrap(t.Dim, 0, words)
	}
	p.AddHelp(s.env.Theme, s.env.Say, s.view)
}

// noteText returns a note, in the words for the side to move if the player is that.
func (s matchScreen) noteText(n boardview.Note) string {
	if n.You != "" && s.plays() && !s.bothSeats() && s.view.Holds(s.env.Who, s.view.Turn) {
		return n.You
	}
	return n.Words
}

// thinking says how far a computer player is.
func (s matchScreen) thinking() string {
	say, name := s.env.Say, text.Clean(s.view.Seats[s.view.Turn].Name)
	switch s.view.Reply {
	case lobby.Thinking:
		return say.T("%s is thinking ...", name)
	case lobby.Queued:
		return s.queued(name)
	case lobby.Paused:
		return say.T("%s is waiting for somebody to watch.", name)
	}
	return ""
}

// fewAhead is up to how many in the queue are counted exactly; see lobby.View.Ahead.
const fewAhead = 5

// queued says how many come before a computer player.
func (s matchScreen) queued(name string) string {
	say, n := s.env.Say, s.view.Ahead
	switch {
	case n == 1:
		return say.T("%s is waiting to think: one ahead of it.", name)
	case n <= fewAhead:
		return say.T("%s is waiting to think: %d ahead of it.", name, n)
	}
	return say.T("%s is waiting to think: some %d ahead of it. While so many play, all think for less time.", name, n)
}

// addWaiting says what a match waits for, with the code to pass on.
func (s matchScreen) addWaiting(p *boardpage.Panel) {
	t, say := s.env.Theme, s.env.Say
	p.Gap()
	switch {
	case s.view.Challenges(s.env.Who):
		p.Wrap(t.Plain, 0, say.T("This seat is kept for you: enter takes it."))
	case s.can(boardpage.CmdJoin):
		p.Wrap(t.Plain, 0, say.T("The seat is free: enter takes it."))
	case !s.plays():
		p.Wrap(t.Plain, 0, say.T("Nobody has taken the second seat yet."))
	case s.view.OpenChallenge():
		p.Wrap(t.Plain, 0, say.ToAnswer(s.view, s.env.Now()))
	case s.view.Reserved.Kind != storage.Free:
		p.Wrap(t.Plain, 0, say.T("Waiting for %s to accept.", describe.Occupant(s.env, s.view.Reserved)))
	case s.view.Public:
		p.Wrap(t.Plain, 0, say.T("Your offer is in the lobby. The match starts when somebody takes it, or a friend joins with the code"))
		s.addCode(p)
	default:
		p.Wrap(t.Plain, 0, say.T("Tell your friend the code"))
		s.addCode(p)
	}
	if r := s.view.Range; r != [2]int{} {
		p.Wrap(t.Dim, 0, say.T("For ratings from %d to %d.", r[0], r[1]))
	}
}

// awaitsFriend reports whether the player waits for an opponent who may come with the code.
func (s matchScreen) awaitsFriend() bool {
	return s.waiting() && s.plays() && s.view.Reserved.Kind == storage.Free
}

// addCode adds the code with air around it.
func (s matchScreen) addCode(p *boardpage.Panel) {
	p.Gap()
	p.Line(boardpage.Run{Style: s.env.Theme.Accent, Text: "  " + strings.Join(strings.Split(s.view.Code, ""), " ")})
	p.Gap()
}

// tick has the clock of the match drawn again when it shows another time. Only the newest tick goes on.
func (s *matchScreen) tick() tea.Cmd {
	s.ticks++
	wait := boardpage.UntilClockChanges(s.view, s.env.Now())
	if s.waiting() && !s.view.Until().IsZero() {
		wait = time.Second
	}
	if wait == 0 {
		return nil
	}
	return screen.After(s.env.Ctx, wait, screen.TickMsg{Number: s.ticks})
}
