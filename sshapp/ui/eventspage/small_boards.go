package eventspage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/seats"
	"ludoteca/lobby/tournaments/state"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/boardview"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	tournamentstore "ludoteca/storage/tournaments"
)

// The room of the small boards beside the standing, in cells, and how many there are at most.
const (
	listWidth   = 76 // what the standing and the boards in lines keep
	smallGap    = 2
	smallWidth  = 32
	smallHeight = 15 // with the empty line below
	mostSmall   = 6
)

// smallRetry is how long after a failed reading a board is read again.
const smallRetry = 5 * time.Second

// A smallBoard is the board of a match that goes on, as it is drawn beside the standing.
type smallBoard struct {
	pairing  *state.Pairing
	reading  int                // the number of the reading, which drops the answers of earlier ones
	stop     context.CancelFunc // ends the reading
	failedAt time.Time          // when the reading failed; zero: it goes on

	view  *lobby.View // nil until the first one has come
	scene *boardview.Scene
}

// smallBoards are the boards that are seen beside the standing, the top ones first. They are read while they are seen; the player doesn't count as
// present at them.
type smallBoards struct {
	env      *screen.Env
	all      []smallBoard
	at       int // the one with the cursor; -1: the cursor is in the list
	readings int // how many were begun
}

// A smallBoardMsg is a view that has been read.
type smallBoardMsg struct {
	reading int
	view    *lobby.View
	scene   *boardview.Scene
	err     error
	next    tea.Cmd // waits for the view after it
}

// show shows the boards of some matches instead of those that are shown. The readings end with ctx.
func (b smallBoards) show(ctx context.Context, wanted []*state.Pairing) (smallBoards, tea.Cmd) {
	old, held := b.all, b.at
	b.all, b.at = make([]smallBoard, 0, len(wanted)), -1
	var cmds []tea.Cmd
	for _, p := range wanted {
		if i := slices.IndexFunc(old, func(o smallBoard) bool { return o.pairing.Match == p.Match }); i >= 0 {
			if i == held {
				b.at = len(b.all)
			}
			b.all = append(b.all, old[i])
			continue
		}
		var cmd tea.Cmd
		b.all = append(b.all, smallBoard{pairing: p})
		b, cmd = b.read(ctx, len(b.all)-1)
		cmds = append(cmds, cmd)
	}
	for _, o := range old {
		if !slices.ContainsFunc(b.all, func(n smallBoard) bool { return n.reading == o.reading }) {
			o.stop()
		}
	}
	if held >= 0 && b.at < 0 { // its match is over: the next one takes its place
		b.at = min(held, len(b.all)-1)
	}
	return b, tea.Batch(cmds...)
}

// read begins to read board i anew. The caller has the only copy of b.all.
func (b smallBoards) read(ctx context.Context, i int) (smallBoards, tea.Cmd) {
	ctx, stop := context.WithCancel(ctx)
	b.readings++
	b.all[i].reading, b.all[i].stop, b.all[i].failedAt = b.readings, stop, time.Time{}
	l, who, reading, ref := b.env.Lobby, b.env.Who, b.readings, b.env.Lobby.Events.Reader.Board(b.all[i].pairing)
	return b, func() tea.Msg {
		seat, err := l.At(ctx, who, ref)
		if err != nil {
			return smallBoardMsg{reading: reading, err: err}
		}
		return nextSmall(ctx, seat, smallBoardMsg{reading: reading})
	}
}

// nextSmall waits for the view after that of a message, and makes its scene.
func nextSmall(ctx context.Context, seat *seats.Seat, old smallBoardMsg) smallBoardMsg {
	msg, after := smallBoardMsg{reading: old.reading}, uint64(0)
	if old.view != nil {
		after = old.view.Seq
	}
	if msg.view, msg.err = seat.Next(ctx, after); msg.err == nil {
		msg.scene, msg.err = boardpage.SceneOf(msg.view, old.view, old.scene)
	}
	shown := msg
	msg.next = func() tea.Msg { return nextSmall(ctx, seat, shown) }
	return msg
}

// take takes a view, and waits for the next one.
func (b smallBoards) take(now time.Time, msg smallBoardMsg) (smallBoards, tea.Cmd) {
	i := slices.IndexFunc(b.all, func(s smallBoard) bool { return s.reading == msg.reading })
	if i < 0 || errors.Is(msg.err, context.Canceled) {
		return b, nil
	}
	b.all = slices.Clone(b.all)
	if msg.err != nil {
		b.all[i].stop()
		b.all[i].failedAt = now
		return b, nil
	}
	if b.all[i].view, b.all[i].scene = msg.view, msg.scene; msg.view.Over {
		return b, nil
	}
	return b, msg.next
}

// retry reads the boards again whose reading has failed a while ago.
func (b smallBoards) retry(ctx context.Context, now time.Time) (smallBoards, tea.Cmd) {
	due := func(s smallBoard) bool { return !s.failedAt.IsZero() && now.Sub(s.failedAt) >= smallRetry }
	if !slices.ContainsFunc(b.all, due) {
		return b, nil
	}
	b.all = slices.Clone(b.all)
	var cmds []tea.Cmd
	for i := range b.all {
		if due(b.all[i]) {
			var cmd tea.Cmd
			b, cmd = b.read(ctx, i)
			cmds = append(cmds, cmd)
		}
	}
	return b, tea.Batch(cmds...)
}

// moved moves the cursor among the boards, which stand in columns: beyond the first column it goes back to the list.
func (b smallBoards) moved(key string, columns int) smallBoards {
	last := len(b.all) - 1
	switch {
	case key == "right":
		b.at = min(b.at+1, last)
	case key == "left" && b.at%columns == 0:
		b.at = -1
	case key == "left":
		b.at--
	case key == "up" && b.at >= columns:
		b.at -= columns
	case key == "down":
		if b.at+columns <= last {
			b.at += columns
		}
	case key == "home":
		b.at = 0
	case key == "end":
		b.at = last
	}
	return b
}

// chosen reports whether the cursor is on one of the boards.
func (b smallBoards) chosen() bool { return b.at >= 0 }

// smallArea returns where the small boards stand on the page, and how many there is room for. The area is empty where there is room for none: in
// narrow and low windows, and beside a wide cross table.
func smallArea(s eventPage) (area canvas.Rect, most int) {
	left, top := listWidth+smallGap, s.first()
	area = canvas.Area(left, top, s.size.Width-widget.Margin-left, s.size.Height-top)
	columns, rows := smallColumns(area), (area.Dy()+1)/smallHeight
	if columns < 1 || rows < 1 || s.part == crossPart && crossWidth(s) > listWidth {
		return canvas.Rect{}, 0
	}
	return area, min(columns*rows, mostSmall)
}

// smallColumns returns how many columns of small boards an area has room for.
func smallColumns(area canvas.Rect) int { return (area.Dx() + smallGap) / (smallWidth + smallGap) }

// smallGrid returns in how many columns and rows n boards stand on an area: as large as they can.
func smallGrid(area canvas.Rect, n int) (columns, rows int) {
	most := max(smallColumns(area), 1)
	rows = max((n+most-1)/most, 1)
	return max((n+rows-1)/rows, 1), rows
}

// smallPlace returns where board i of n stands on an area.
func smallPlace(area canvas.Rect, n, i int) canvas.Rect {
	columns, rows := smallGrid(area, n)
	width, height := (area.Dx()+smallGap)/columns, (area.Dy()+1)/rows
	return canvas.Area(area.Min.X+i%columns*width, area.Min.Y+i/columns*height, width-smallGap, height-1)
}

// goingOn returns the matches that go on, the top boards first. In an arena these are the boards of the players with the best places.
func goingOn(s eventPage) (all []*state.Pairing) {
	for _, p := range s.boards {
		if !p.Decided() {
			all = append(all, p)
		}
	}
	if s.view.Settings.Plan() == tournamentstore.Arena {
		place := make(map[int]int, len(s.standing))
		for i, p := range s.standing {
			place[p.Entrant.Number] = i
		}
		best := func(p *state.Pairing) int { return min(place[p.First], place[p.Second]) }
		slices.SortStableFunc(all, func(a, b *state.Pairing) int { return cmp.Compare(best(a), best(b)) })
	}
	return all
}

// tuned returns the page with the small boards that the player sees, beside what cmd does.
func tuned(s eventPage, cmd tea.Cmd) (eventPage, tea.Cmd) {
	var wanted []*state.Pairing
	if !s.covered && s.view != nil && s.view.Stage == tournamentstore.Running {
		if area, most := smallArea(s); !area.Empty() {
			wanted = goingOn(s)
			wanted = wanted[:min(len(wanted), most)]
		}
	}
	var reads tea.Cmd
	s.small, reads = s.small.show(s.ctx(), wanted)
	return s, tea.Batch(cmd, reads)
}

// across moves the cursor to the small boards, among them, and back to the list.
func across(s eventPage, msg tea.KeyPressMsg) (eventPage, tea.Cmd) {
	if len(s.small.all) == 0 || !s.small.chosen() && msg.String() == "left" {
		return s, nil
	}
	s.small = s.small.moved(msg.String(), columnsShown(s))
	return s, nil
}

// columnsShown returns in how many columns the small boards stand.
func columnsShown(s eventPage) int {
	area, _ := smallArea(s)
	columns, _ := smallGrid(area, len(s.small.all))
	return columns
}

// hasSmall reports whether there are small boards.
func hasSmall(s eventPage) bool { return len(s.small.all) > 0 }

// smallAt returns the small board at a cell of the page; -1 if there is none.
func smallAt(s eventPage, x, y int) int {
	if !hasSmall(s) {
		return -1
	}
	area, _ := smallArea(s)
	for i := range s.small.all {
		if at := smallPlace(area, len(s.small.all), i); x >= at.Min.X && x < at.Max.X && y >= at.Min.Y && y < at.Max.Y {
			return i
		}
	}
	return -1
}

// drawSmall draws the small boards.
func drawSmall(s eventPage, c *canvas.Canvas, page canvas.Rect) {
	area, _ := smallArea(s)
	for i, b := range s.small.all {
		at := smallPlace(area, len(s.small.all), i).Add(page.Min)
		b.draw(s.env, c, at.Intersect(page), i == s.small.at)
	}
}

// draw draws the board, its players, and how far the match is.
func (b smallBoard) draw(e *screen.Env, c *canvas.Canvas, area canvas.Rect, chosen bool) {
	const players = 2 // lines below the board
	v := b.view
	// Translators: the heading of a board of an event.
	heading := e.Say.T("BOARD %d", b.pairing.Board)
	if v == nil {
		boardpage.SmallBoard{Heading: heading, Chosen: chosen}.Draw(e, c, area, nil)
		return
	}
	turn := int(v.Turn)
	if v.Over {
		turn = -1
		heading += e.Theme.Dot + describe.Ending(e, v, describe.Names(e, v.Game, v.Seats))
	} else {
		heading += e.Theme.Dot + e.Say.AtMove(v.Ply())
	}
	p := boardpage.SmallBoard{Heading: heading, Chosen: chosen, Below: players}.Draw(e, c, area, b.scene)
	at := p.Area.Min
	panel := boardpage.NewPanel(&p.Canvas, canvas.Area(at.X, at.Y+p.Lines, p.Width, p.Height-p.Lines))
	panel.SmallPlayers(e, v, b.scene, boardpage.WholeClocks(e, v), turn, false)
}
