package ui

import (
	"context"
	"errors"

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
