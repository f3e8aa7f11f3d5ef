package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// A screen is one page of the club: a small value that App keeps on a stack. App draws the line above it and the line
// of hints below it and gives it the room between them.
//
// Update never waits and does no I/O: work goes into a Cmd, whose answer comes back to this screen alone, and to nobody
// once the screen is gone. A Cmd may also answer with one of the requests in requests.go. Screens use tea.Batch but
// not tea.Sequence, whose messages can't be addressed.
//
// Update gets keys, clicks, the wheel and pastes while the screen is on top, mouse positions counted from the top left
// of the body; tea.WindowSizeMsg, with the size of the body, before anything else and whenever it changes, also
// below the top; and resumedMsg when it comes to the top again.
type screen interface {
	Init() tea.Cmd
	Update(tea.Msg) (screen, tea.Cmd)

	// Draw draws the body on an area of a canvas. The canvas may be lower than the area, never wider. Draw depends on
	// nothing but the screen's value, the theme and the area, and changes nothing else.
	Draw(c *canvas.Canvas, area canvas.Rect)

	// Title stands at the left of the top line, Status at its right. App cleans both.
	Title() string
	Status() string

	// Keys returns the keys to which the screen reacts now.
	Keys() keyMap

	// Typing reports whether letters are text now. Then q, ? and hjkl are no keys.
	Typing() bool
}

// Optional abilities of a screen.
type (
	// A helpProvider has a page of its own behind the key ?: paragraphs or lines, a heading line starts with "# ".
	helpProvider interface{ Help() string }

	// An escHandler wants the key esc for itself just now: to let go of something rather than to go back.
	escHandler interface{ HandlesEsc() bool }

	// A leaveConfirmer has something to ask before the session is left, once; "" is nothing.
	leaveConfirmer interface{ ConfirmLeave() string }

	// A cursorProvider shows the terminal's cursor at a cell of the body, where something is typed.
	cursorProvider interface{ Cursor() (x, y int, shown bool) }

	// A titleProvider has something to say in the window's title: "your move".
	titleProvider interface{ WindowTitle() string }

	// A listSubscriber wants listsMsg: at once when it comes to the top, and then whenever the lists change.
	listSubscriber interface{ WantsLists() }

	// A closable has something that waits for the club longer than its page is there: Close ends it.
	closable interface{ Close() }

	// A player may be left without a key for longer than other screens.
	inMatch interface{ InMatch() bool }
)

// listsMsg is the lobby's lists as they are now.
type listsMsg struct {
	lists *lobby.Lists
	yours lobby.Yours
}

// resumedMsg tells a screen that it is on top again.
type resumedMsg struct{}

// env is what all screens of a session share. App alone changes it, between two messages: Cmds, which run meanwhile,
// may use only ctx, club and now, and must be given whatever else they need.
type env struct {
	ctx    context.Context // ends with the session
	club   Club
	now    func() time.Time
	origin string // the client's address, for guesses of codes

	who      lobby.Who
	settings storage.Settings
	say      text.Say
	theme    *theme
}

// is says whether the session's player sits there.
func (e *env) is(o storage.Occupant) bool { return o.Kind == e.who.Kind && o.ID == e.who.ID }

// quiet says that the player wants no bell.
func (e *env) quiet() bool { return e.settings.Mute }
