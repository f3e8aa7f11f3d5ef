package lobbypage

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lounge"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/talkpage"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// readLoungeAgain is how long the pane waits after an error of the store.
const readLoungeAgain = 5 * time.Second

// A loungePane is the lounge in the place of the lists. While another column has the cursor, its newest line stands below the columns, once the
// player has opened it.
type loungePane struct {
	env     *screen.Env
	now     *lounge.View // nil: not known yet
	reading bool         // a Cmd waits for what is newer
	opened  bool         // the cursor has been in it since the page was on top
	pane    talkpage.Pane
}

type (
	// A loungeMsg holds a newer view of the lounge.
	loungeMsg struct {
		view *lounge.View
		err  error
	}
	loungeAgainMsg struct{}

	// A saidMsg is the answer to a line in the lounge.
	saidMsg struct {
		typed string
		err   error
	}
)

// wantsLounge reports whether the player sees anything of the lounge, and no Cmd waits for what is newer.
func wantsLounge(s *lobbyScreen) bool {
	return s.env.Lobby.Lounge != nil && !s.covered && !s.lounge.reading && (s.column == loungeColumn || s.env.Settings.Lounge)
}

// withLounge returns the page waiting for what is newer in the lounge, beside what cmd does.
func withLounge(s lobbyScreen, cmd tea.Cmd) (lobbyScreen, tea.Cmd) {
	s.lounge.reading = true
	l, ctx, who, after := s.env.Lobby, s.env.Ctx, s.env.Who, uint64(0)
	if now := s.lounge.now; now != nil {
		after = now.Seq
	}
	return s, tea.Batch(cmd, func() tea.Msg {
		view, err := l.Lounge.Next(ctx, who, after)
		return loungeMsg{view, err}
	})
}

// update takes what is new in the lounge, and the answer to a line.
func (l loungePane) update(msg tea.Msg) (loungePane, tea.Cmd) {
	switch msg := msg.(type) {
	case loungeMsg:
		switch {
		case msg.err == nil:
			l.now, l.reading = msg.view, false
		case errors.Is(msg.err, lobby.ErrBusy):
			return l, screen.After(l.env.Ctx, readLoungeAgain, loungeAgainMsg{})
		}
	case loungeAgainMsg:
		l.reading = false
	case saidMsg:
		l.pane = l.pane.Sent(msg.typed, msg.err)
		if msg.err != nil {
			return l, screen.Note(l.env.Say.Error(msg.err))
		}
	}
	return l, nil
}

var loungeKeys = widget.Actions[lobbyScreen]{
	Footer: []widget.Action[lobbyScreen]{
		widget.On("enter", text.T("send"), sendInLounge, "enter"),
		widget.OnKey("tab", text.T("other column"), lobbyScreen.switchColumn, "tab", "shift+tab").Doing(otherColumn),
		widget.On("esc", text.T("menu"), leaveLounge, "esc"),
	},
}

// keysIn returns the keys of the column with the cursor.
func keysIn(s lobbyScreen) *widget.Actions[lobbyScreen] {
	if s.column == loungeColumn {
		return &loungeKeys
	}
	return &lobbyKeys
}

// pressInLounge takes a key while the cursor is in the lounge.
func pressInLounge(s lobbyScreen, msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	if run, ok := loungeKeys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	s.lounge.pane, _ = s.lounge.pane.Typed(msg)
	return s, nil
}

func leaveLounge(s lobbyScreen) (lobbyScreen, tea.Cmd) { return s.focusColumn(menuColumn), nil }

func sendInLounge(s lobbyScreen) (lobbyScreen, tea.Cmd) {
	pane, line := s.lounge.pane.Send()
	s.lounge.pane = pane
	if line == "" {
		return s, nil
	}
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	return s, func() tea.Msg {
		_, err := l.Lounge.Say(ctx, who, line)
		return saidMsg{line, err}
	}
}

// loungeArea returns where the lounge stands on a page whose columns are room lines high.
func loungeArea(s lobbyScreen, area canvas.Rect, room int) canvas.Rect {
	left, right := widget.MenuColumn, s.size.Width-widget.Margin
	if s.size.Width >= widget.BothColumns {
		left, right = describe.ListColumn, min(s.listsEnd(), describe.ListColumn+widget.Readable)
	}
	return canvas.Area(area.Min.X+left, area.Min.Y+firstLine(s.env, s.size), max(right-left, 1), room)
}

// draw draws a heading, and the lines below it.
func (l loungePane) draw(c *canvas.Canvas, area canvas.Rect) {
	t, say := l.env.Theme, l.env.Say
	p := widget.NewPage(c, area)
	p.Line(0, t.Dim, say.T("LOUNGE"))
	var lines []talkpage.Line
	where := ""
	if now := l.now; now != nil {
		for _, line := range now.Lines {
			lines = append(lines, talkpage.Line{Words: say.Talk().Lounge(line), Own: line.Own})
		}
		where = l.where()
	}
	l.pane.Draw(c, canvas.Area(area.Min.X, area.Min.Y+1, area.Dx(), max(area.Dy()-1, 0)), t, lines, where)
}

// where says what stands in place of lines.
func (l loungePane) where() string {
	say := l.env.Say
	switch {
	case l.now.Off:
		return say.Error(lobby.ErrChatOff)
	case l.now.Closed:
		return say.Error(lobby.ErrLoungeClosed)
	case l.env.Who.Kind == storage.Guest:
		return say.T("Nobody has written anything here.") + " " + say.T("Guests read only.")
	}
	return say.T("Nobody has written anything here.")
}

// newest returns the newest line, "" if there is none or the player has not opened the lounge.
func (l loungePane) newest() string {
	if l.now == nil || len(l.now.Lines) == 0 || !l.env.Settings.Lounge {
		return ""
	}
	return l.env.Say.T("Lounge: %s", l.env.Say.Talk().Lounge(l.now.Lines[len(l.now.Lines)-1]))
}

// belowColumns returns the lines below the columns: the remark, and the newest line of the lounge while that is closed and there is room.
func belowColumns(s lobbyScreen, w int) []string {
	lines := s.remark(w)
	newest := s.lounge.newest()
	if newest == "" || s.column == loungeColumn || s.size.Height < greetingHeight || w < widget.BothColumns {
		return lines
	}
	return append(lines[:len(lines):len(lines)], text.Cut(newest, w-widget.MenuColumn-widget.Margin))
}
