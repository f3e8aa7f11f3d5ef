package lobbypage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/games/puzzle"
	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/puzzlepage"
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
	televisionMost   = boardpage.SmallPanel // beside lists that may need more room
	televisionHuge   = 90
	televisionGap    = 2 // between the lists and it
)

// The times for which the television shows something that doesn't change by itself.
const (
	endShown    = 8 * time.Second  // the end of a match, before the next one
	idleShown   = 2 * time.Second  // a match that is no longer in the lists: the event of its end may come later than the lists
	puzzleShown = time.Minute      // the puzzle of the day, before the last match
	stepEvery   = 5 * time.Second  // a position of the last match
	lastShown   = 15 * time.Second // its end, before the puzzle of the day, or the match again
)

// A television shows the best running match, as the command tv does. While no match runs it shows the puzzle of the day and the last finished
// match, which steps by itself, in turn. It is on while the player sees it. Otherwise it holds nothing, reads nothing and waits for nothing.
//
//	        +--a view--> the match --it ends--> its end --endShown--+
//	        |               |                                       |
//	reading-+               +--it leaves the lists-------+          |
//	   ^                                                 v          v
//	   +- a view comes -- the puzzle, the last match <-- no match runs, or the next one
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

	puzzle  *puzzle.Puzzle // of the day, shown where there is no view to show; nil: it is not shown
	last    *lists.Replay  // shown in turn with the puzzle; nil: it is not shown
	ply     int            // of it
	loading bool           // the puzzle or the last match is on its way
}

type (
	// televisionMsg is a view that has been read.
	televisionMsg struct {
		number int
		view   *lobby.View
		scene  *boardview.Scene
		err    error
	}

	// puzzleMsg is the puzzle of the day; nil if there is none.
	puzzleMsg struct {
		number int
		puzzle *puzzle.Puzzle
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
func (t television) shows() bool { return t.live() || t.last != nil || t.puzzled() }

// puzzled reports whether the puzzle of the day is shown.
func (t television) puzzled() bool { return !t.live() && t.puzzle != nil }

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
		scene = nil // it shows something else
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

// fill loads the puzzle of the day, or else the last match, where there is nothing else to show, beside what cmd does.
func (t television) fill(cmd tea.Cmd) (television, tea.Cmd) {
	if !t.on() || !t.idle || t.shows() || t.loading {
		return t, cmd
	}
	t.loading = true
	return t, tea.Batch(cmd, t.loadPuzzle())
}

func (t television) loadPuzzle() tea.Cmd {
	l, number := t.env.Lobby, t.number
	return func() tea.Msg {
		p, _, err := l.Puzzles.Daily()
		if err != nil {
			p = nil // then the last match is shown
		}
		return puzzleMsg{number, p}
	}
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
	case puzzleMsg:
		if msg.number == t.number {
			return t.takePuzzle(msg)
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
	t.past, t.scene, t.last, t.puzzle = false, msg.scene, nil, nil
	if t.view.Over {
		return t.tickAfter(endShown, nil)
	}
	t.idle = false
	return t.tickAfter(t.untilClockChanges(), t.read())
}

// takePuzzle shows the puzzle of the day; without one, the last match comes.
func (t television) takePuzzle(msg puzzleMsg) (television, tea.Cmd) {
	switch {
	case t.live():
		t.loading = false
		return t, nil
	case msg.puzzle == nil:
		t.puzzle = nil
		return t, t.load()
	}
	t.loading, t.puzzle, t.last = false, msg.puzzle, nil
	t.scene = boardview.New(t.puzzle.Start, nil, "")
	return t.tickAfter(puzzleShown, nil)
}

// takeLast shows the last match from its beginning. If there is none, the puzzle of the day stays, which may be another one by now.
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
	switch {
	case t.last != nil:
		t.puzzle = nil
		return t.goTo(t.last.Start)
	case t.puzzle != nil:
		t.loading = true
		return t, t.loadPuzzle()
	}
	return t, nil
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
	case t.loading:
	case t.puzzle != nil:
		t.loading = true
		return t, t.load()
	case t.last == nil:
	case t.ply < t.last.Ply():
		return t.goTo(t.ply + 1)
	default: // the puzzle of the day, or a newer match by now
		t.loading = true
		return t, t.loadPuzzle()
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

// open goes to the board of the match that is played, to the review of one that is over, or to the puzzle of the day.
func (t television) open() tea.Cmd {
	switch {
	case t.live() && !t.view.Over:
		return screen.ShowMatch(lobby.Ref{ID: t.view.ID})
	case t.live():
		return screen.Push(review.New(t.env, lobby.Ref{ID: t.view.ID}))
	case t.puzzled():
		return screen.Push(puzzlepage.NewDaily(t.env))
	case t.last != nil:
		return screen.Push(review.New(t.env, lobby.Ref{ID: t.last.ID}))
	}
	return nil
}

// draw draws the television on an area of a canvas. chosen tells that the cursor is on it.
func (t television) draw(c *canvas.Canvas, area canvas.Rect, chosen bool) {
	say := t.env.Say
	switch {
	case !t.shows():
	case t.puzzled():
		about := t.puzzle.Game.About()
		p := t.drawBoard(c, area, chosen, say.T("PUZZLE OF THE DAY"), say.Spell(about.Name))
		// Translators: below a puzzle, with a side such as X or Bottom.
		p.Wrap(2, t.env.Theme.Plain, say.T("%s to move and win", describe.SideName(t.env, about, int(t.puzzle.Side()))), p.Width-2)
		p.Wrap(2, t.env.Theme.Dim, say.T("p opens the puzzle."), p.Width-2)
	default:
		t.drawMatch(c, area, chosen)
	}
}

// drawBoard draws a heading, what it is about, and the board. It returns the page below them.
func (t television) drawBoard(c *canvas.Canvas, area canvas.Rect, chosen bool, heading, about string) widget.Page {
	const below = 8 // lines for the players and how things stand
	p := boardpage.SmallBoard{Heading: heading, About: about, Chosen: chosen, Below: below}.Draw(t.env, c, area, t.scene)
	p.End()
	return p
}

// drawMatch draws a match that is played, or the last one.
func (t television) drawMatch(c *canvas.Canvas, area canvas.Rect, chosen bool) {
	e, v, ply := t.env, t.view, 0
	style, say := e.Theme, e.Say
	clocks, turn := [2]boardpage.Run{}, -1
	words, heading := "", say.T("TELEVISION")
	switch {
	case !t.live():
		v, ply = t.last.View, t.ply
		clocks = boardpage.ClocksAt(e, v, ply)
		words = say.T("move %d of %d", ply, v.Ply())
		heading = say.T("LAST MATCH")
	default:
		ply = v.Ply()
		clocks = boardpage.WholeClocks(e, v)
		words = say.AtMove(ply)
	}
	over := v.Over && ply == v.Ply()
	if !over {
		turn = int(t.scene.Position().Turn())
	}
	about := describe.ShortName(say, v.Game) + style.Dot + describe.Casual(say, v.Rated)
	if clock := say.ShortClock(v.Clock.Setting); clock != "" {
		about += style.Dot + clock
	}
	p := t.drawBoard(c, area, chosen, heading, about)

	at := p.Area.Min
	panel := boardpage.NewPanel(&p.Canvas, canvas.Area(at.X, at.Y+p.Lines, p.Width, p.Height-p.Lines))
	panel.SmallPlayers(e, v, t.scene, clocks, turn, true)
	if over {
		panel.Wrap(style.Accent, 2, describe.Ending(e, v, describe.Names(e, v.Game, v.Seats)))
		return
	}
	panel.Line(boardpage.Run{Style: style.Dim, Text: "  " + words})
}
