package ui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
)

// A screen is one page of the club: a small value on App's stack. App draws a header above it and a footer below it; the screen
// draws the body between them.
//
// Update never waits and does no I/O. Work goes into a Cmd, whose answer comes back to this screen alone, or to nobody once
// the screen is gone. A Cmd may also return one of the requests below. Screens use tea.Batch but not tea.Sequence,
// whose messages can't be addressed.
//
// While the screen is on top, Update gets keys, clicks, wheel events and pastes; mouse positions count from the top left of
// the body. It gets tea.WindowSizeMsg, with the size of the body, before anything else and after each change, also while the
// screen is covered. It gets resumedMsg when the screen is on top again.
type screen interface {
	Init() tea.Cmd
	Update(tea.Msg) (screen, tea.Cmd)

	// Draw draws the body on an area of a canvas. The canvas may be lower than the area, never wider. The picture depends on
	// the screen's value, the session's theme, texts and player, and the area alone, and Draw changes nothing else.
	Draw(c *canvas.Canvas, area canvas.Rect)

	// Title stands at the left of the header, Status at its right. App cleans both.
	Title() string
	Status() string

	keyMap

	// Typing reports whether letters are text now. Then q, ? and hjkl are not keys.
	Typing() bool
}

// A keyMap is the keys to which a screen reacts now. The same bindings drive the screen's Update, the footer and the help
// page, in English.
type keyMap interface {
	// ShortHelp returns the bindings of the footer, the most needed first. A narrow window shows fewer of them.
	ShortHelp() []key.Binding

	// FullHelp returns the bindings of the help page: those of the footer, then all others.
	FullHelp() [][]key.Binding
}

// press runs the action of a key on a screen.
func press[S screen](s S, keys *widget.Actions[S], msg tea.KeyPressMsg) (screen, tea.Cmd) {
	if run, ok := keys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	return s, nil
}

// What a screen may implement besides.
type (
	// A helpProvider has text for its help page: paragraphs or lines; a heading starts with "# ".
	helpProvider interface{ Help() string }

	// An escHandler reports whether esc is for the screen now, to let go of something, and does not lead back.
	escHandler interface{ HandlesEsc() bool }

	// A questioner reports whether it has asked something that waits for a second enter. Until then all input is for the screen:
	// anything but enter cancels the question.
	questioner interface{ Asking() bool }

	// A leaveConfirmer returns the question to ask before the session is left, "" for none.
	leaveConfirmer interface{ ConfirmLeave() string }

	// A cursorProvider returns the cell of the body where the terminal shows its cursor.
	cursorProvider interface{ Cursor() (x, y int, shown bool) }

	// A titleProvider returns what the window's title says before the club's name, "" for nothing.
	titleProvider interface{ WindowTitle() string }

	// A listSubscriber gets a listsMsg when it comes to the top, and whenever the lists change.
	listSubscriber interface{ WantsLists() }

	// A settingsChooser returns the settings that App uses and stores from the next message on.
	settingsChooser interface{ Settings() storage.Settings }

	// A closable is told when it leaves the stack. Close ends calls to the lobby that still wait.
	closable interface{ Close() }

	// An inMatch screen reports whether the player is in a match. Then the session may be idle for longer.
	inMatch interface{ InMatch() bool }
)

// What a screen's Cmd can ask of App instead of answering the screen.
type (
	pushMsg    struct{ to screen } // show another screen on top of this one
	replaceMsg struct{ to screen } // show another screen instead of this one
	matchMsg   struct {            // show the board of a match
		ref     lobby.Ref
		replace bool // instead of this screen
	}
	homeMsg  struct{} // back to the lobby
	helpMsg  struct{} // show the help page of this screen
	leaveMsg struct{} // end the session
	noteMsg  struct{ words string }
	bellMsg  struct{}
)

func push(s screen) tea.Cmd    { return func() tea.Msg { return pushMsg{s} } }
func replace(s screen) tea.Cmd { return func() tea.Msg { return replaceMsg{s} } }

// showMatch shows the board of a match on top of this screen, replaceByMatch instead of it.
func showMatch(ref lobby.Ref) tea.Cmd { return func() tea.Msg { return matchMsg{ref: ref} } }

func replaceByMatch(ref lobby.Ref) tea.Cmd {
	return func() tea.Msg { return matchMsg{ref: ref, replace: true} }
}

func home() tea.Msg     { return homeMsg{} }
func leave() tea.Msg    { return leaveMsg{} }
func showHelp() tea.Msg { return helpMsg{} }

// note shows words above the footer until the next key.
func note(words string) tea.Cmd { return func() tea.Msg { return noteMsg{words} } }

// bell rings the terminal's bell, unless the player has switched it off.
func bell() tea.Msg { return bellMsg{} }

// listsMsg is the lobby's newest lists.
type listsMsg struct {
	lists *lobby.Lists
	yours lobby.Yours
}

// resumedMsg tells a screen that it is on top again.
type resumedMsg struct{}

// env is what all screens of a session share. App alone changes it, between two messages. Cmds run at the same time, so they
// may use only ctx, lobby, now, origin and operator; all else is passed to them.
type env struct {
	ctx    context.Context // ends with the session
	lobby  Lobby
	now    func() time.Time
	origin origin.Origin

	fingerprint string         // of the key that signed in; "" for a guest
	sessions    lobby.Sessions // that end with a key or an account
	operator    Operator       // nil: the player is none

	who      lobby.User
	settings storage.Settings
	say      text.Say
	theme    *widget.Theme
}

// is reports whether the session's player is an occupant of a seat.
func (e *env) is(o storage.Occupant) bool { return o.Kind == e.who.Kind && o.ID == e.who.ID }
