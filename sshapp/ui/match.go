package ui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/storage"
)

// table is the board of one match, for those who play it and those who watch: before somebody has taken the second
// seat, while it is played, and at its end.
//
// It reads the match as everybody does, one Next after the other; the Cmd that waits also prepares the scene, so that
// Update has nothing to work out. Moves go the other way as Cmds of their own, and are shown when Next brings them.
type matchScreen struct {
	env  *env
	id   storage.MatchID
	size tea.WindowSizeMsg

	seat   *lobby.Seat
	view   *lobby.View // nil until the first one has come
	scene  *boardview.Scene
	failed bool // the last Next failed: the next key asks anew

	moveInput
	scroll  boardview.Scroll
	turned  bool       // the player has turned the board round
	sending games.Move // on its way; "" for none
	hinting bool       // a hint is looked for
	hint    string     // a hint for this position, in words
	asked   command    // one that waits for a second enter
	busy    bool       // a command is on its way

	kept *aside // what was drawn last, shared by all copies: App alone calls them
}

// seenMsg is what Next brought.
type viewMsg struct {
	seat  *lobby.Seat
	view  *lobby.View
	scene *boardview.Scene
	err   error
}

// movedMsg is how a move went.
type movedMsg struct {
	move games.Move
	err  error
}

// doneMsg is how a command went; to is a match to go on to.
type commandMsg struct {
	to  storage.MatchID
	err error
}

// hintMsg is what came of looking for a hint.
type hintMsg struct {
	hint lobby.Hint
	err  error
}

// newTable returns the board screen of a match, where env.who plays or watches.
func newMatch(e *env, id storage.MatchID) screen {
	return matchScreen{env: e, id: id, kept: new(aside)}
}

func (s matchScreen) Init() tea.Cmd {
	club, ctx, who, id := s.env.club, s.env.ctx, s.env.who, s.id
	return func() tea.Msg {
		seat, err := club.At(ctx, who, id)
		if err != nil {
			return viewMsg{err: err}
		}
		return nextView(ctx, seat, nil, nil)
	}
}

// next waits for the view after the one that is shown.
func (s matchScreen) next() tea.Cmd {
	ctx, seat, view, scene := s.env.ctx, s.seat, s.view, s.scene
	return func() tea.Msg { return nextView(ctx, seat, view, scene) }
}

// see waits for the view after old and makes its scene.
func nextView(ctx context.Context, seat *lobby.Seat, old *lobby.View, scene *boardview.Scene) tea.Msg {
	after := uint64(0)
	if old != nil {
		after = old.Seq
	}
	view, err := seat.Next(ctx, after)
	if err != nil {
		return viewMsg{seat: seat, err: err}
	}
	switch {
	case old != nil && view.Continues(old) && view.Ply() == old.Ply() && scene != nil:
	case old != nil && view.Continues(old) && view.Ply() == old.Ply()+1:
		scene = boardview.New(view.Position, old.Position, view.Moves[old.Ply()])
	case view.Ply() == 0:
		scene = boardview.New(view.Position, nil, "")
	default:
		before, err := games.Replay(view.Game, view.Options, view.Moves[:view.Ply()-1])
		if err != nil {
			return viewMsg{seat: seat, err: err}
		}
		scene = boardview.New(view.Position, before, view.Moves[view.Ply()-1])
	}
	return viewMsg{seat, view, scene, nil}
}

func (s matchScreen) Update(msg tea.Msg) (screen, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case viewMsg:
		return s.setView(msg)
	case movedMsg:
		s = s.moveDone(msg)
	case commandMsg:
		s.busy = false
		if msg.err == nil && msg.to != "" {
			return s, replace(newMatch(s.env, msg.to))
		}
		s.problem = s.env.say.Error(msg.err)
	case hintMsg:
		s = s.hintDone(msg)
	case tea.PasteMsg:
		s.moveInput = s.withTyped(s.typed.insert(msg.Content, typedCells))
	case tea.KeyPressMsg:
		s, cmd = s.key(msg)
	case tea.MouseClickMsg:
		s, cmd = s.click(msg)
	case tea.MouseWheelMsg:
		s = s.wheel(msg)
	}
	return s.scrolled(), cmd
}

// seen takes a new view in. Whatever is being typed stays.
func (s matchScreen) setView(msg viewMsg) (screen, tea.Cmd) {
	if msg.err != nil {
		if msg.seat != nil {
			s.seat = msg.seat
		}
		s.failed, s.problem = true, s.env.say.Error(msg.err)
		return s, nil
	}
	old := s.view
	s.seat, s.view, s.scene, s.failed = msg.seat, msg.view, msg.scene, false
	if old == nil {
		side, _ := s.view.Side(s.env.who)
		s.sel = s.scene.Start(side)
	} else if s.view.Ply() != old.Ply() || !s.view.Continues(old) {
		s.sel = s.scene.Adjust(s.sel)
		s.asked, s.problem, s.hint = cmdNone, "", ""
		s.sending = ""
	}
	if s.view.Over {
		s.sending, s.hint = "", ""
	}
	cmds := []tea.Cmd{s.next()}
	if old != nil && s.rings(old) {
		cmds = append(cmds, bell)
	}
	if r := s.view.Rematch; r != nil && r.Taken && old != nil && s.plays() {
		cmds = append(cmds, replace(newMatch(s.env, r.ID)))
	}
	return s.scrolled(), tea.Batch(cmds...)
}

// rings says whether what is new calls for the bell: somebody else has moved, come, asked or ended the match.
func (s matchScreen) rings(old *lobby.View) bool {
	v, who := s.view, s.env.who
	switch {
	case !s.plays() || s.bothSeats():
		return false
	case v.Over != old.Over:
		end := len(v.Events) - 1
		return !s.mine(end) && !s.mine(end-1) // the end, and what brought it
	case v.Rematch != nil && old.Rematch == nil:
		return v.Rematch.By != who.Occupant()
	case v.Started != old.Started:
		return true
	}
	return v.YourTurn(who) && !old.YourTurn(who) && v.Continues(old) // else he has taken a move back
}

// mine says whether the player has made event i happen.
func (s matchScreen) mine(i int) bool {
	if i < 0 || s.view.Events[i].Seat == storage.Nobody {
		return false
	}
	return s.view.Holds(s.env.who, s.view.Events[i].Seat.Side())
}

// moved takes in how a move went. The move itself comes with Next.
func (s matchScreen) moveDone(msg movedMsg) matchScreen {
	if msg.err == nil {
		return s
	}
	s.sending = ""
	s.problem = s.env.say.Error(msg.err)
	if s.typed.text == "" {
		s.typed = entry{}.insert(string(msg.move), typedCells) // nothing is lost: it can be sent again
	}
	return s
}

// advised takes in a hint, unless the board has changed meanwhile: the hand goes where it would go, and the words say the
// rest.
func (s matchScreen) hintDone(msg hintMsg) matchScreen {
	s.hinting = false
	switch h := msg.hint; {
	case errors.Is(msg.err, lobby.ErrLate): // the match has moved on, and the player with it
	case msg.err != nil:
		s.problem = s.env.say.Error(msg.err)
	case h.Ply == s.view.Ply() && s.yours():
		_, s.sel = s.scene.Typed(string(h.Move), s.sel)
		s.typed, s.hint = entry{}, s.env.say.Hint(h)
	}
	return s
}

// scrolled keeps the cursor in view on boards that don't fit.
func (s matchScreen) scrolled() matchScreen {
	if s.scene != nil {
		s.scroll = s.layout(s.size.Width, s.size.Height).board.Scroll
	}
	return s
}

// plays says whether the player holds a seat.
func (s matchScreen) plays() bool {
	if s.view == nil {
		return false
	}
	_, ok := s.view.Side(s.env.who)
	return ok
}

// bothSeats says that two people play at this keyboard.
func (s matchScreen) bothSeats() bool {
	return s.view.Holds(s.env.who, games.First) && s.view.Holds(s.env.who, games.Second)
}

// waiting says that the second seat is free.
func (s matchScreen) waiting() bool { return s.view != nil && s.view.Started.IsZero() && !s.view.Over }

// running says that the match is being played.
func (s matchScreen) running() bool { return s.view != nil && !s.view.Started.IsZero() && !s.view.Over }

// yours says that the player can move now.
func (s matchScreen) yours() bool {
	return s.running() && s.view.YourTurn(s.env.who) && s.sending == ""
}

// flipped says whether the board is shown from the second side.
func (s matchScreen) flipped() bool { return flippedFor(s.scene, s.view, s.env.who) != s.turned }

// flippedFor says whether a player sees the board from the second side unless he turns it: if he plays that side of a
// game in which each side has its own edge.
func flippedFor(scene *boardview.Scene, v *lobby.View, who lobby.Who) bool {
	_, sided := scene.Turns()
	return sided && v.Holds(who, games.Second) && !v.Holds(who, games.First)
}

// key does what a key means at the board: letters and digits are a move being typed, arrows and enter choose places.
func (s matchScreen) key(msg tea.KeyPressMsg) (matchScreen, tea.Cmd) {
	name := msg.String()
	switch {
	case s.failed:
		return s.retry()
	case s.view == nil:
		return s, nil
	}
	if s.asked != cmdNone && name != "enter" {
		s.asked, s.problem = cmdNone, ""
		if name == "esc" {
			return s, nil
		}
	}
	switch name {
	case "ctrl+f":
		return s.turn(), nil
	case "ctrl+x":
		return s.startCommand(cmdAbort)
	case "ctrl+t":
		return s.startCommand(cmdHint)
	case "ctrl+z":
		return s.startCommand(cmdTakeBack)
	case "enter":
		return s.enter()
	case "esc":
		s.moveInput = s.cancel(s.scene)
		return s, nil
	case "tab":
		s.moveInput = s.complete(s.available())
		return s, nil
	case "?":
		if !s.isCommand() { // no move has one
			return s, showHelp
		}
	}
	d, arrow := steps[name]
	if s.typed.text == "" {
		switch order, ok := s.shortcut(name); {
		case arrow:
			return s.step(d), nil
		case ok:
			return s.startCommand(order)
		}
	} else if arrow && s.arrowMoves(s.scene, d) {
		s.moveInput = s.acceptTyped(s.scene)
		return s.step(d), nil
	}
	return s.typing(msg), nil
}

// retry asks anew for what could not be had.
func (s matchScreen) retry() (matchScreen, tea.Cmd) {
	s.failed, s.problem = false, ""
	if s.seat == nil {
		return s, s.Init()
	}
	return s, s.next()
}

// typing takes a key into the line.
func (s matchScreen) typing(msg tea.KeyPressMsg) matchScreen {
	if s.takesText(msg) {
		s.moveInput = s.insertKey(msg)
	}
	return s
}

// An arrow is a step of the cursor in directions of the screen.
type arrow struct{ x, y int }

// steps are the arrow keys.
var steps = map[string]arrow{"up": {0, -1}, "down": {0, 1}, "left": {-1, 0}, "right": {1, 0}}

// takesText says whether a key may go into the line: moves while there is a match to move in, commands always.
func (s matchScreen) takesText(msg tea.KeyPressMsg) bool {
	return s.typed.text != "" || msg.Text == "/" || s.running() && s.plays()
}

// turn turns the board round.
func (s matchScreen) turn() matchScreen {
	if can, _ := s.scene.Turns(); can {
		s.turned = !s.turned
	} else {
		s.problem = s.env.say.T("This board has no other side.")
	}
	return s
}

// step moves the cursor.
func (s matchScreen) step(d arrow) matchScreen {
	if s.yours() {
		s.moveInput = s.moveInput.step(s.scene, d, s.flipped())
	}
	return s
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s matchScreen) enter() (matchScreen, tea.Cmd) {
	switch {
	case s.asked != cmdNone:
		order := s.asked
		s.asked = cmdNone
		return s.runCommand(order)
	case s.typed.text != "":
		return s.enterTyped()
	case s.can(cmdJoin):
		return s.startCommand(cmdJoin)
	case !s.yours():
		return s, nil
	}
	return s.choose(s.scene.Choose(s.sel))
}

// choose takes in what a choice came to: the hand has changed, a move is made, or neither and why.
func (s matchScreen) choose(h boardview.Selection, m games.Move, err error) (matchScreen, tea.Cmd) {
	s.sel, s.problem = h, whyNot(s.env.say, err)
	if m == "" {
		return s, nil
	}
	return s.send(m)
}

// send makes a move.
func (s matchScreen) send(m games.Move) (matchScreen, tea.Cmd) {
	s.sending = m
	s.typed, s.problem = entry{}, ""
	ctx, seat, ply := s.env.ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

func (s matchScreen) click(msg tea.MouseClickMsg) (matchScreen, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	sp := s.layout(s.size.Width, s.size.Height)
	s.moveInput = s.acceptTyped(s.scene)
	return s.choose(s.scene.Click(s.sel, s.scene.Spot(sp.board, s.state(), msg.X-sp.x, msg.Y-sp.y)))
}

// wheel turns the wheel that is held, or moves the cursor up and down.
func (s matchScreen) wheel(msg tea.MouseWheelMsg) matchScreen {
	if s.scene == nil {
		return s
	}
	dy := sign(wheel(msg))
	if can, _ := s.scene.Turns(); !can && s.sel.From != boardview.Nowhere {
		return s.step(arrow{x: dy})
	}
	return s.step(arrow{y: dy})
}

func sign(n int) int { return min(max(n, -1), 1) }

// typedCells is how long a typed line gets.
const typedCells = 30

// A command is what can be typed after a slash.
type command uint8

// The commands.
const (
	cmdNone command = iota
	cmdJoin
	cmdResign
	cmdAbort
	cmdTakeBack
	cmdHint
	cmdFlip
	cmdRematch
	cmdNewOpponent
	cmdReview
	cmdPlay
	cmdHelp
	cmdToLobby
	cmdQuit
)

// commandNames are what the commands are called, in the order in which they are offered.
var commandNames = []struct {
	command command
	name    string
}{
	{cmdJoin, "join"}, {cmdResign, "resign"}, {cmdAbort, "abort"},
	{cmdTakeBack, "takeback"}, {cmdHint, "hint"}, {cmdFlip, "flip"}, {cmdRematch, "rematch"}, {cmdNewOpponent, "new"},
	{cmdReview, "review"}, {cmdPlay, "play"}, {cmdHelp, "help"}, {cmdToLobby, "lobby"}, {cmdQuit, "quit"},
}

// enterTyped carries out the line.
func (s matchScreen) enterTyped() (matchScreen, tea.Cmd) {
	say := s.env.say
	if s.isCommand() {
		return s.enterCommand()
	}
	if !s.yours() {
		s.problem = say.T("It is not your turn yet. What you type stays.")
		return s, nil
	}
	m, err := s.typedMove(s.view.Position)
	if err != nil {
		s.problem = say.Error(err)
		return s, nil
	}
	s.sel = s.scene.Release(s.selection(s.scene))
	return s.send(m)
}

// available are the commands that can do something now.
func (s matchScreen) available() []command {
	var all []command
	turns, _ := s.scene.Turns()
	for _, c := range commandNames {
		ok := true
		switch c.command {
		case cmdJoin:
			ok = s.waiting() && !s.plays() && (s.view.Reserved.Kind == storage.Free || s.invited())
		case cmdResign:
			ok = s.running() && s.plays()
		case cmdAbort:
			ok = s.plays() && (s.waiting() || s.running() && s.view.Ply()-s.view.Start < 2) || s.invited() || s.exhibition()
		case cmdTakeBack:
			ok = s.mayBeHelped() && s.hasMoved()
		case cmdHint:
			ok = s.mayBeHelped() && s.yours()
		case cmdFlip:
			ok = turns
		case cmdRematch:
			ok = s.view.Over && s.plays() && !s.neverStarted()
		case cmdNewOpponent:
			ok = s.view.Over && s.plays()
		case cmdReview:
			ok = s.view.Ply() > 0
		case cmdPlay:
			ok = false // where moves are tried
		}
		if ok {
			all = append(all, c.command)
		}
	}
	return all
}

// can says whether a command can do something now.
func (s matchScreen) can(c command) bool { return slices.Contains(s.available(), c) }

// helpable says that this is a match in which a player may be helped: a casual one against a computer player.
func (s matchScreen) mayBeHelped() bool {
	if !s.running() || !s.plays() || s.view.Rated {
		return false
	}
	side, _ := s.view.Side(s.env.who)
	return s.view.Seats[side.Other()].Kind == storage.Bot
}

// hasMoved says that the player has made a move since the match began.
func (s matchScreen) hasMoved() bool {
	made := s.view.Ply() - s.view.Start
	return made > 1 || made == 1 && !s.view.YourTurn(s.env.who)
}

// exhibition says that two computer players play: whoever has set them to it may call it off.
func (s matchScreen) exhibition() bool {
	return s.running() && s.view.Seats[0].Kind == storage.Bot && s.view.Seats[1].Kind == storage.Bot
}

// untaken says that somebody never came to the second seat.
func (s matchScreen) neverStarted() bool {
	return s.view.Seats[0].Kind == storage.Free || s.view.Seats[1].Kind == storage.Free
}

// invited says that the free seat is kept for the player.
func (s matchScreen) invited() bool { return s.waiting() && s.view.Reserved == s.env.who.Occupant() }

func (s matchScreen) enterCommand() (matchScreen, tea.Cmd) {
	var c command
	if s.moveInput, c = s.command(s.env.say, s.available()); c == cmdNone {
		return s, nil
	}
	return s.startCommand(c)
}

// shortcut is the command behind a single key, where letters are not a move: when the match is over.
func (s matchScreen) shortcut(key string) (command, bool) {
	if s.running() && s.plays() {
		return cmdNone, false
	}
	var c command
	switch key {
	case "r":
		c = cmdRematch
	case "v":
		c = cmdReview
	case "n":
		c = cmdNewOpponent
	case "a":
		c = cmdAbort
	}
	return c, c != cmdNone && s.can(c)
}

// order starts a command; one that can't be undone waits for a second enter.
func (s matchScreen) startCommand(c command) (matchScreen, tea.Cmd) {
	say := s.env.say
	s.problem = ""
	switch {
	case !s.can(c):
		s.problem = s.refusal(c)
		return s, nil
	case c == cmdResign:
		s.asked, s.problem = c, say.T("Resign this match? Enter once more, esc to play on.")
		return s, nil
	case c == cmdAbort && s.running():
		s.asked, s.problem = c, say.T("Call this match off? Enter once more, esc to play on.")
		return s, nil
	}
	return s.runCommand(c)
}

// refusal says why a command can't do anything now.
func (s matchScreen) refusal(c command) string {
	say := s.env.say
	switch {
	case !s.plays():
		return say.T("You are only watching this match.")
	case c == cmdTakeBack || c == cmdHint:
		return say.Error(s.whyNoHelp(c))
	case c == cmdResign && s.waiting():
		return say.T("Nobody has come yet: /abort takes the match back.")
	case c == cmdAbort && s.running():
		return say.T("Both sides have moved already: /resign instead.")
	case c == cmdRematch, c == cmdNewOpponent:
		return say.T("The match is not over yet.")
	case c == cmdReview:
		return say.T("There is nothing to look back at yet.")
	case s.view.Over:
		return say.T("This match is over.")
	}
	return say.T("That can't be done now.")
}

// unhelped says why there is no help now.
func (s matchScreen) whyNoHelp(c command) error {
	switch {
	case s.view.Over:
		return lobby.ErrOver
	case !s.mayBeHelped():
		return lobby.ErrNoHelp
	case c == cmdTakeBack:
		return lobby.ErrNothingBack
	}
	return lobby.ErrNotYourTurn
}

func (s matchScreen) runCommand(c command) (matchScreen, tea.Cmd) {
	s.problem = ""
	switch c {
	case cmdFlip:
		return s.turn(), nil
	case cmdReview:
		return s, push(newReview(s.env, s.id))
	case cmdHint:
		return s.askHint()
	case cmdHelp:
		return s, showHelp
	case cmdToLobby:
		return s, home
	case cmdQuit:
		return s, leave
	}
	if s.busy {
		return s, nil
	}
	s.busy = true
	club, ctx, seat, who, origin, code := s.env.club, s.env.ctx, s.seat, s.env.who, s.env.origin, s.view.Code
	game := s.view.Game.About().ID
	return s, func() tea.Msg {
		var to storage.MatchID
		var err error
		switch c {
		case cmdJoin:
			_, err = club.Join(ctx, who, origin, code)
		case cmdResign:
			err = seat.Resign(ctx)
		case cmdAbort:
			err = seat.Abort(ctx)
		case cmdTakeBack:
			err = seat.Takeback(ctx)
		case cmdRematch:
			ref, rematchErr := seat.Rematch(ctx)
			to, err = ref.ID, rematchErr
		case cmdNewOpponent:
			ref, quickErr := club.Quick(ctx, who, game)
			to, err = ref.ID, quickErr
		}
		return commandMsg{to, err}
	}
}

// seek looks for a hint. It may take a while, and the player need not wait for it.
func (s matchScreen) askHint() (matchScreen, tea.Cmd) {
	if s.hinting {
		return s, nil
	}
	s.hinting = true
	ctx, seat := s.env.ctx, s.seat
	return s, func() tea.Msg {
		h, err := seat.Hint(ctx)
		return hintMsg{h, err}
	}
}

// Help explains the game, then the keys of the board.
func (s matchScreen) Help() string {
	say := s.env.say
	if s.view == nil {
		return ""
	}
	about := s.view.Game.About()
	return paragraphs(
		"# "+about.Name,
		say.T(about.Sentence)+"\n\n"+say.HowTo(about),
		"# "+say.T("At the board"),
		say.T("There are three ways to make a move: arrows and enter, a click with the mouse, or typing it. Letters and digits always belong to the move."),
		s.scene.Legend(say, s.env.theme.ascii),
		say.T("Commands start with a slash: /resign, /abort before both have moved, /flip, /review, /lobby, /quit. Tab completes them."),
		say.T("In a casual match against a computer player, /hint (ctrl+t) asks the strongest of them for a move, and /takeback (ctrl+z) undoes your last one. The match is marked as played with help."),
		say.T("A computer player resigns only what it has lost for certain, when you have found the way. While many play at once, all computer players think shorter."),
		say.T("Leave when you like: the match is kept and waits under Your matches."),
	)
}
