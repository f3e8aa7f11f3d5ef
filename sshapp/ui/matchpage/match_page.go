// Package matchpage has the screen with the board of a match that the user plays or watches.
package matchpage

import (
	"context"
	"errors"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/match"
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
	situation
	boardpage.Board
	ref lobby.Ref // as the player came by it

	stake   *standings.Stake // as in viewMsg
	failed  bool             // the last Next failed: the next key asks anew
	sending games.Move       // a move on its way; "" for none
	ticks   int              // number of the newest TickMsg

	chat   chatPane
	hint   hintLine
	offers agreement
	plan   boardpage.Plan
	orders

	premove premove
}

// A viewMsg holds a newer view of the match, as nextView returns it.
type viewMsg struct {
	seat  *seats.Seat
	view  *lobby.View
	scene *boardview.Scene
	stake *standings.Stake // at the beginning of a rated match that the user plays; else nil
	err   error
}

// stakePlies is the number of moves during which the panel shows the stake of a rated match. After that many moves the match counts.
const stakePlies = 4

// movedMsg is the answer to a move.
type movedMsg struct {
	move games.Move
	err  error
}

// HelpBeside makes App show the help beside the board.
func (s matchScreen) HelpBeside() {}

// New returns the board screen of a match, for a player or a spectator.
func New(e *screen.Env, ref lobby.Ref) screen.Screen {
	return matchScreen{situation: situation{env: e}, ref: ref}
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
	ctx, seat, view, scene := s.env.Ctx, s.seat, s.view, s.Scene
	return func() tea.Msg { return nextView(ctx, seat, view, scene) }
}

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
		s.Size = msg
	case viewMsg:
		return s.setView(msg)
	case screen.TickMsg:
		if msg.Number == s.ticks {
			s, cmd = s.refusedStill().tick()
		}
	case screen.ResumedMsg:
		if s.view != nil {
			s, cmd = s.tick()
			cmd = tea.Batch(cmd, boardpage.ReadPlan(s.env, s.view)) // which the review may have changed
		}
	case movedMsg:
		s = s.moveDone(msg)
	case boardpage.PlanMsg:
		s.plan = s.plan.Take(msg)
		if msg.Err != nil {
			s.Input.Problem = s.env.Say.Error(msg.Err)
		}
	case chatMsg:
		s.chat, cmd = s.chat.take(s.situation, msg)
	case saidMsg:
		s.chat = s.chat.said(msg)
		if msg.err != nil {
			s.Input.Problem = s.env.Say.Error(msg.err)
		}
	case commandMsg:
		s.busy = false
		if msg.err == nil {
			cmd = msg.then
		}
		s.Input.Problem = s.env.Say.Error(msg.err)
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
	s.offers = s.offers.saw(s.situation, s.Input)
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return s.key(msg)
	case tea.PasteMsg:
		if s.chat.open {
			return s.typedChat(s.chat.pasted(msg.Content)), nil
		}
		if s.takesText(msg.Content) {
			s.Input = s.Input.Paste(msg.Content)
		}
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.MouseWheelMsg:
		if s.yours() {
			s.Input = s.Input.Wheel(s.Scene, widget.WheelStep(msg), s.Flipped(s.view, s.env.Who))
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
		s.failed, s.Input.Problem = true, s.env.Say.Error(msg.err)
		return s, nil
	}
	old := s.view
	s.seat, s.view, s.Scene, s.stake, s.failed = msg.seat, msg.view, msg.scene, msg.stake, false
	switch {
	case old == nil:
		side, _ := s.view.Side(s.env.Who)
		s.Input.Sel = s.Scene.Start(side)
	case s.view.Ply() != old.Ply() || !s.view.Continues(old):
		s.Input.Sel = s.Scene.Adjust(s.Input.Sel)
		s.asking, s.Input.Problem, s.hint.words, s.sending = "", "", "", ""
		s = s.withLastMove()
	}
	if old != nil {
		if words := declined(s.situation, old); words != "" {
			s.hint.words, s.Input.Problem = words, ""
		}
		if newOffer(s.situation, old) {
			s.Input.Problem = "" // the offer is to be seen
		}
	}
	if s.view.Over {
		s.sending, s.hint.words = "", ""
		if old != nil && !old.Over {
			s.Input = boardpage.MoveInput{Sel: s.Scene.Release(s.Input.Sel)}
		}
	}
	if s.asking != "" && !s.can(s.asking) {
		s.asking = ""
	}
	var tick, read tea.Cmd
	s, tick = s.tick()
	s.chat, read = s.chat.read(s.situation)
	cmds := []tea.Cmd{s.next(), tick, read}
	if old == nil || s.view.Events != old.Events {
		s.plan = boardpage.Plan{}
		cmds = append(cmds, boardpage.ReadPlan(s.env, s.view))
	}
	if old != nil && s.rings(old) {
		cmds = append(cmds, screen.Bell)
	}
	var send tea.Cmd
	s, send = playPremove(s, old)
	cmds = append(cmds, send)
	if r := s.view.Rematch; r != nil && r.Taken && old != nil && s.plays() {
		cmds = append(cmds, screen.ReplaceByMatch(r.Ref))
	}
	return s.scrolled(), tea.Batch(cmds...)
}

// moveDone handles the answer to a move. The move itself comes with Next. One that was refused is typed again, so that it
// can be sent once more.
func (s matchScreen) moveDone(msg movedMsg) matchScreen {
	if msg.err == nil {
		return s
	}
	s.sending = ""
	if s.Input.Empty() {
		s.Input = s.Input.Paste(string(msg.move))
	}
	if !errors.Is(msg.err, lobby.ErrCutOff) { // every screen already shows that while it lasts
		s.Input.Problem = s.env.Say.Error(msg.err)
	}
	return s
}

// scrolled keeps the cursor in view on boards that don't fit.
func (s matchScreen) scrolled() matchScreen {
	if s.Scene != nil {
		s.Board = s.Board.Scrolled(s.state())
	}
	return s
}

// withLastMove brings the last move into view on boards that don't fit. It stays there beside the cursor if there is room for both.
func (s matchScreen) withLastMove() matchScreen {
	st := s.state()
	st.Selection = s.Scene.AtLastMove()
	s.Board = s.Board.Scrolled(st)
	return s
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
		return s.typedChat(s.chat.typed(msg)), nil
	}
	if b, ok := s.Board.Arrow(name, s.Flipped(s.view, s.env.Who), s.yours()); ok {
		s.Board = b
		return s, nil
	}
	if s.takesText(msg.Text) {
		s.Input = s.Input.Insert(msg)
	}
	return s, nil
}

// takesText reports whether text can be typed: moves by a player while there is a match to move in, commands always.
func (s matchScreen) takesText(words string) bool {
	return !s.Input.Empty() || strings.HasPrefix(words, "/") || s.inPlay()
}

// enter carries out what is typed, or chooses what is under the cursor.
func (s matchScreen) enter() (matchScreen, tea.Cmd) {
	switch {
	case s.Input.IsCommand():
		var c string
		if s.Input, c = s.Input.Command(s.env.Say, boardpage.CommandNames(), matchCommands.Available(s)); c == "" {
			return s, nil
		}
		return s.start(onlyOffer(s.situation, c))
	case s.Input.Empty() && s.can(boardpage.CmdJoin):
		return s.start(boardpage.CmdJoin)
	case s.Input.Empty() && !s.yours():
		return s, nil
	case !s.yours() && s.sending == "" && s.mayPremove():
		return setPremove(s), nil
	case !s.yours():
		s.Input.Problem = s.env.Say.Error(s.may(match.MoveAct))
		return s, nil
	}
	in, m := s.Input.Enter(s.env.Say, s.Scene)
	return s.play(in, m)
}

// click chooses a place of the board.
func (s matchScreen) click(msg tea.MouseClickMsg) (matchScreen, tea.Cmd) {
	if !s.yours() || msg.Button != tea.MouseLeft {
		return s, nil
	}
	in, m := s.Board.Click(s.env.Say, s.state(), msg)
	return s.play(in, m)
}

// play goes on with an input, and sends the move that it has made, if any.
func (s matchScreen) play(in boardpage.MoveInput, m games.Move) (matchScreen, tea.Cmd) {
	s.Input = in
	if m == "" {
		return s, nil
	}
	s.sending = m
	ctx, seat, ply := s.env.Ctx, s.seat, s.view.Ply()
	return s, func() tea.Msg { return movedMsg{m, seat.Move(ctx, m, ply)} }
}

// retry asks anew for a view that could not be had.
func (s matchScreen) retry() (matchScreen, tea.Cmd) {
	s.failed, s.Input.Problem = false, ""
	if s.seat == nil {
		return s, s.Init()
	}
	return s, s.next()
}

// state returns what the drawing of the board depends on besides the position.
func (s matchScreen) state() boardview.State {
	sel, ahead := selectionOf(s)
	return boardview.State{
		Selection: sel, Yours: s.yours() || ahead, Over: !s.running(), Flip: s.Flipped(s.view, s.env.Who), Scroll: s.Scroll,
	}
}

func (s matchScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	w, h := p.Width, p.Height
	t, say := s.env.Theme, s.env.Say
	if s.view == nil {
		p.End()
		p.Line(widget.MenuColumn, t.Dim, say.T("Going to the board ..."))
		p.Wrap(widget.MenuColumn, t.Accent, s.Input.Problem, w-2*widget.MenuColumn)
		return
	}
	names, st := s.names(), s.state()
	notes := s.Scene.Notes(say.Say, names)
	status := s.status(notes)
	below, l := status.area(w), boardpage.NewLayout(s.Scene, st, w, h)
	bottom := l.Y + l.Board.Height
	last := min(boardpage.LinesOf(below.prompt, w-2*widget.Margin, 2), h-bottom-1)
	if !s.Input.Empty() || s.chat.open {
		last = 1
	}
	room := max(h-last-below.lines(w), bottom) // the panel makes room for the status, the board doesn't
	if s.view.Over && !l.Beside {
		l.Height = room - l.Line // the end is told in whole sentences, and nothing else stands below
	}
	part := p.Part(room)
	beside := l.Draw(&part, t, s.Scene, st)
	panel{
		situation: s.situation, scene: s.Scene, chat: s.chat, plan: s.plan, stake: s.stake, names: names, notes: notes,
		beside: l.Beside, yours: s.yours(), urgent: status.showsUrgent(),
	}.fill(&beside)
	boardpage.DrawWords(&p, below.style, below.mark, below.words, h-last-room)
	switch {
	case s.asking != "": // nothing but the question
	case s.chat.open:
		words, _ := s.chat.prompt(say, w-2*widget.Margin-boardpage.TypedFrom)
		p.To(widget.Margin).Put(t.Accent, t.Pick).To(widget.Margin+boardpage.TypedFrom).Put(t.Bold, words).End()
	case s.sending != "":
		p.Line(widget.Margin, t.Dim, say.T("Sending %s ...", string(s.sending)))
	case !s.Input.Empty():
		boardpage.DrawTyped(&p, t, s.Input, below.prompt)
	default:
		boardpage.DrawWords(&p, t.Dim, "", below.prompt, last)
	}
}

// status returns what the line below the board is made of.
func (s matchScreen) status(notes []boardview.Note) status {
	var available []string
	if s.Input.IsCommand() {
		available = matchCommands.Available(s)
	}
	return status{
		situation: s.situation, scene: s.Scene, input: s.Input, notes: notes, question: s.question(s), hint: s.hint,
		sending: s.sending, premove: s.premove, chatting: s.chat.open, yours: s.yours(), narrow: s.Narrow(), commands: available,
	}
}

// Cursor returns the place of the cursor: in the typed text if there is any, else on the board.
func (s matchScreen) Cursor() (x, y int, shown bool) {
	if s.view != nil && s.asking == "" && s.chat.open {
		_, column := s.chat.prompt(s.env.Say, s.Size.Width-2*widget.Margin-boardpage.TypedFrom)
		return widget.Margin + boardpage.TypedFrom + column, s.Size.Height - 1, true
	}
	if s.view == nil || s.asking != "" || s.Input.Empty() && !s.yours() {
		return 0, 0, false
	}
	x, y = s.CursorAt(s.state())
	return x, y, true
}

// Title returns the game, its variant, the match, and whether it is rated.
func (s matchScreen) Title() string {
	if s.view == nil {
		return s.env.Greeting.Name()
	}
	if of := s.view.Tournament; of.ID != "" && !s.Narrow() {
		return describe.GameName(s.env, s.view.Game.About().ID) + s.env.Theme.Dot + s.env.Say.Events().Board(of, of.Round > 0)
	}
	return describe.Title(s.env, s.view, s.Narrow())
}

// Status returns the name of the player, if there is room, and the state of the match.
func (s matchScreen) Status() string {
	name := text.Clean(s.env.Who.Name)
	switch {
	case s.view == nil:
		return name
	case s.Narrow():
		return s.standing()
	}
	return name + s.env.Theme.Dot + s.standing()
}

// HandlesEsc reports whether esc cancels something here.
func (s matchScreen) HandlesEsc() bool {
	return s.Scene != nil && (s.chat.open || s.Input.Cancels() || s.premove != "")
}

// MatchID returns the match whose board this is.
func (s matchScreen) MatchID() storage.MatchID { return s.ref.ID }

// Ended reports whether the board shows that the match is over.
func (s matchScreen) Ended() bool { return s.view != nil && s.view.Over }

// Typing reports whether letters are moves.
func (s matchScreen) Typing() bool { return s.inPlay() || !s.Input.Empty() || s.chat.open }

func (s matchScreen) ShortHelp() []key.Binding  { return s.keys().ShortHelp(s) }
func (s matchScreen) FullHelp() [][]key.Binding { return s.keys().FullHelp(s) }

// tick has the clock of the match drawn again when it shows another time. Only the newest tick goes on.
func (s matchScreen) tick() (matchScreen, tea.Cmd) {
	s.ticks++
	wait := boardpage.UntilClockChanges(s.view, s.env.Now())
	if s.waiting() && !s.view.Until().IsZero() {
		wait = time.Second
	}
	if wait == 0 {
		return s, nil
	}
	return s, screen.After(s.env.Ctx, wait, screen.TickMsg{Number: s.ticks})
}
