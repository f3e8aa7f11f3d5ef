package lobbypage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/review"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
)

// The sizes of the page and of the television, in cells. The television stands beside the lists in windows of 120x30 or more.
const (
	televisionWidth  = 120 // of the page
	televisionHeight = 28
	televisionLeast  = 32
	televisionMost   = 40 // beside lists that may need more room
	televisionHuge   = 90
	televisionGap    = 2 // between the lists and it
)

// The times for which the television shows something that doesn't change by itself.
const (
	endShown  = 8 * time.Second  // the end of a match, before the next one
	idleShown = 2 * time.Second  // a match that is no longer in the lists: the event of its end may come later than the lists
	stepEvery = 5 * time.Second  // a position of the last match
	lastShown = 15 * time.Second // its end, before it begins again
)

// A television shows the best running match, as the command tv does. While no match runs it shows the last finished match, which
// steps by itself. It is on while the player sees it. Otherwise it holds nothing, reads nothing and waits for nothing.
//
//	        +--a view--> the match --it ends--> its end --endShown--+
//	        |               |                                       |
//	reading-+               +--it leaves the lists-------+          |
//	   ^                                                 v          v
//	   +---- a view comes ---- the last match <------- no match runs, or the next one
type television struct {
	env    *screen.Env
	ctx    context.Context    // ends when it is switched off
	stop   context.CancelFunc // nil: it is off
	number int                // counts how often it was switched off: answers with an earlier number are dropped
	ticks  int                // the number of the newest TickMsg
	failed bool               // the last reading failed: new lists have it read again
	idle   bool               // the lists have no running match

	view  *lobby.View      // that was read last
	scene *boardview.Scene // of what is shown
	past  bool             // the view is not shown any more

	last    *lists.Replay // shown where there is no view to show; nil: it is not known yet, or there is none
	ply     int           // of it
	loading bool          // it is on its way
}

type (
	// televisionMsg is a view that has been read.
	televisionMsg struct {
		number int
		view   *lobby.View
		scene  *boardview.Scene
		err    error
	}

	// lastMatchMsg is the last match; nil if there is none.
	lastMatchMsg struct {
		number int
		last   *lists.Replay
		err    error
	}
)

func (t television) on() bool { return t.stop != nil }

// live reports whether a match is shown that is played, or has just ended.
func (t television) live() bool { return t.view != nil && !t.past }

// shows reports whether there is anything to see.
func (t television) shows() bool { return t.live() || t.last != nil }

// switched switches the television on or off.
func (t television) switched(on bool) (television, tea.Cmd) {
	switch {
	case on == t.on():
		return t, nil
	case !on:
		t.stop()
		return television{env: t.env, number: t.number + 1, ticks: t.ticks + 1, idle: t.idle}, nil
	}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t.fill(t.read())
}

// whileOn returns a Cmd that waits for something until the session ends or the television is switched off.
func (t television) whileOn(wait func(ctx context.Context) tea.Msg) tea.Cmd {
	session, on := t.env.Ctx, t.ctx
	return func() tea.Msg {
		ctx, stop := context.WithCancel(session)
		defer stop()
		defer context.AfterFunc(on, stop)()
		return wait(ctx)
	}
}

// read waits for the next view.
func (t television) read() tea.Cmd {
	l, who, number, old, scene := t.env.Lobby, t.env.Who, t.number, t.view, t.scene
	if t.past {
		scene = nil // it shows the last match
	}
	return t.whileOn(func(ctx context.Context) tea.Msg {
		v, err := l.TelevisionInLobby(ctx, who, old)
		if err != nil {
			return televisionMsg{number: number, err: err}
		}
		before := old
		if old != nil && old.ID != v.ID {
			before = nil
		}
		scene, err := boardpage.SceneOf(v, before, scene)
		return televisionMsg{number, v, scene, err}
	})
}

// fill loads the last match where there is nothing else to show, beside what cmd does.
func (t television) fill(cmd tea.Cmd) (television, tea.Cmd) {
	if !t.on() || !t.idle || t.live() || t.last != nil || t.loading {
		return t, cmd
	}
	t.loading = true
	return t, tea.Batch(cmd, t.load())
}

func (t television) load() tea.Cmd {
	l, number := t.env.Lobby, t.number
	return t.whileOn(func(ctx context.Context) tea.Msg {
		last, err := l.LastMatch(ctx)
		return lastMatchMsg{number, last, err}
	})
}

// update takes an answer or a tick.
func (t television) update(msg tea.Msg) (television, tea.Cmd) {
	switch msg := msg.(type) {
	case televisionMsg:
		if msg.number == t.number {
			return t.take(msg)
		}
	case lastMatchMsg:
		if msg.number == t.number {
			return t.takeLast(msg)
		}
	case screen.TickMsg:
		if t.on() && msg.Number == t.ticks {
			return t.tick()
		}
	}
	return t, nil
}

// heard records whether the lists have no running match.
func (t television) heard(idle bool) (television, tea.Cmd) {
	old := t.idle
	t.idle = idle
	if !t.on() {
		return t, nil
	}
	var cmd tea.Cmd
	if t.failed {
		t.failed = false
		cmd = t.read()
	}
	if idle && !old && t.live() && !t.view.Over {
		return t.tickAfter(idleShown, cmd)
	}
	return t.fill(cmd)
}

// take shows a view. It shows the end of a match only if the player has seen the match.
func (t television) take(msg televisionMsg) (television, tea.Cmd) {
	if msg.err != nil {
		t.failed = true
		return t, nil
	}
	seen := t.live() && t.view.ID == msg.view.ID
	t.view = msg.view
	if t.view.Over && !seen {
		t.past = true
		return t.fill(t.read())
	}
	t.past, t.scene, t.last = false, msg.scene, nil
	if t.view.Over {
		return t.tickAfter(endShown, nil)
	}
	t.idle = false
	return t.tickAfter(t.untilClockChanges(), t.read())
}

// takeLast shows the last match from its beginning.
func (t television) takeLast(msg lastMatchMsg) (television, tea.Cmd) {
	t.loading = false
	switch {
	case t.live():
		return t, nil
	case msg.err == nil:
		t.last = msg.last
	case t.last != nil:
		return t.tickAfter(lastShown, nil) // and then once more
	}
	if t.last == nil {
		return t, nil
	}
	return t.goTo(t.last.Start)
}

// goTo shows the last match as it was after a number of moves.
func (t television) goTo(ply int) (television, tea.Cmd) {
	t.ply = ply
	var before games.Position
	var move games.Move
	if ply > 0 {
		before, move = t.last.At(ply-1), t.last.Moves[ply-1]
	}
	t.scene = boardview.New(t.last.At(ply), before, move)
	if ply == t.last.Ply() {
		return t.tickAfter(lastShown, nil)
	}
	return t.tickAfter(stepEvery, nil)
}

// tick goes on: with the next match, the next move of the last one, or a clock.
func (t television) tick() (television, tea.Cmd) {
	switch {
	case t.live() && t.view.Over:
		t.past = true
		return t.fill(t.read())
	case t.live() && t.idle:
		t.past = true
		return t.fill(nil)
	case t.live():
		return t.tickAfter(t.untilClockChanges(), nil)
	case t.last == nil:
	case t.ply < t.last.Ply():
		return t.goTo(t.ply + 1)
	case !t.loading: // there may be a newer one by now
		t.loading = true
		return t, t.load()
	}
	return t, nil
}

// tickAfter asks for a tick when the time has passed, beside what cmd does; 0 is never.
func (t television) tickAfter(d time.Duration, cmd tea.Cmd) (television, tea.Cmd) {
	t.ticks++
	if d == 0 {
		return t, cmd
	}
	tick := screen.TickMsg{Number: t.ticks}
	return t, tea.Batch(cmd, t.whileOn(func(ctx context.Context) tea.Msg { return screen.After(ctx, d, tick)() }))
}

// untilClockChanges returns after how long the clocks of the match show another time; 0 for never. They show whole seconds.
func (t television) untilClockChanges() time.Duration {
	c := t.view.Clock
	left := c.LeftAt(c.Turn, t.env.Now())
	if !c.Running() || left <= 0 { // the end comes as an event
		return 0
	}
	return max(wording.UntilTimeChanges(left), left%time.Second+time.Millisecond)
}

// open goes to the board of the match that is played, or to the review of one that is over.
func (t television) open() tea.Cmd {
	switch {
	case t.live() && !t.view.Over:
		return screen.ShowMatch(lobby.Ref{ID: t.view.ID})
	case t.live():
		return screen.Push(review.New(t.env, lobby.Ref{ID: t.view.ID}))
	case t.last != nil:
		return screen.Push(review.New(t.env, lobby.Ref{ID: t.last.ID}))
	}
	return nil
}

// draw draws the television on an area of a canvas. chosen tells that the cursor is on it.
func (t television) draw(c *canvas.Canvas, area canvas.Rect, chosen bool) {
	if !t.shows() {
		return
	}
	e, v, ply := t.env, t.view, 0
	style, say := e.Theme, e.Say
	clocks, turn := [2]boardpage.Run{}, -1
	words := ""
	switch {
	case !t.live():
		v, ply = t.last.View, t.ply
		clocks = boardpage.ClocksAt(e, v, ply)
		words = say.T("move %d of %d", ply, v.Ply())
	default:
		ply = v.Ply()
		clocks = t.clocks()
		words = say.AtMove(ply)
	}
	over := v.Over && ply == v.Ply()
	if !over {
		turn = int(t.scene.Position().Turn())
	}

	const above, below = 3, 8                                          // lines above the board, and for the players and how things stand
	st := boardview.State{Selection: t.scene.AtLastMove(), Over: true} // without marks where moves can go
	board := t.scene.Fit(area.Dx()-2, max(area.Dy()-above-below, 0), st)
	cells := min(area.Dx(), max(board.Width+2, televisionMost)) // in the middle of a wide area
	p := widget.NewPage(c, canvas.Area(area.Min.X+(area.Dx()-cells)/2, area.Min.Y, cells, area.Dy()))
	mark, y := " ", style.Dim
	if chosen {
		mark, y = ">", style.Accent
	}
	heading := say.T("TELEVISION")
	if !t.live() {
		heading = say.T("LAST MATCH")
	}
	p.Put(y, mark).To(2).Put(y, heading).End()
	about := describe.ShortName(say, v.Game) + style.Dot + describe.Casual(say, v.Rated)
	if clock := say.ShortClock(v.Clock.Setting); clock != "" {
		about += style.Dot + clock
	}
	p.Line(2, style.Plain, about)
	p.End()

	at := p.Area.Min
	t.scene.Draw(&p.Canvas, canvas.Area(at.X+2+max(p.Width-2-board.Width, 0)/2, at.Y+p.Lines, board.Width, board.Height), style.Board, board, st)
	p.Down(p.Lines + board.Height + 1)

	names, ratings := describe.Names(e, v.Game, v.Seats), describe.Strengths(e, v)
	var players [2]boardpage.PlayerLine
	for side := range players {
		players[side] = boardpage.PlayerLine{Name: names[side], Rating: ratings[side], Clock: clocks[side]}
	}
	panel := boardpage.NewPanel(&p.Canvas, canvas.Area(at.X, at.Y+p.Lines, p.Width, p.Height-p.Lines))
	panel.AddPlayers(style, say, t.scene, players, turn, true)
	if over {
		panel.Wrap(style.Accent, 2, describe.Ending(e, v, names))
		return
	}
	panel.Line(boardpage.Run{Style: style.Dim, Text: "  " + words})
}

// clocks returns what the clocks of the match show, in whole seconds.
func (t television) clocks() [2]boardpage.Run {
	clocks := boardpage.ShownClocks(t.env, t.view, t.env.Now())
	for side := range clocks {
		if clocks[side].Text != "" {
			clocks[side].Text = t.env.Say.WholeTimeLeft(t.view.Clock.LeftAt(side, t.env.Now()))
		}
	}
	return clocks
}
