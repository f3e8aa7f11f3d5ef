// Package screen says what every screen is: what it shows, reacts to and may ask of the app, and what all screens of a session share.
package screen

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// A Screen is one page of the club: a small value on App's stack. App draws a header above it and a footer below it; the screen
// draws the body between them.
//
// Update never waits and does no I/O. Work goes into a Cmd, whose answer comes back to this screen alone, or to nobody once
// the screen is gone. A Cmd may also return one of the requests below. Screens use tea.Batch but not tea.Sequence,
// whose messages can't be addressed.
//
// While the screen is on top, Update gets keys, clicks, wheel events and pastes; mouse positions count from the top left of
// the body. It gets tea.WindowSizeMsg, with the size of the body, before anything else and after each change, also while the
// screen is covered. It gets CoveredMsg when another screen is put on top of it or the window becomes too small for any, and ResumedMsg
// when the screen is on top again.
type Screen interface {
	Init() tea.Cmd
	Update(tea.Msg) (Screen, tea.Cmd)

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

// Press runs the action of a key on a screen.
func Press[S Screen](s S, keys *widget.Actions[S], msg tea.KeyPressMsg) (Screen, tea.Cmd) {
	if run, ok := keys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	return s, nil
}

// What a screen may implement besides.
type (
	// A helpProvider has text for its help page: paragraphs or lines; a heading starts with "# ".
	helpProvider interface{ Help() string }

	// An EscHandler reports whether esc is for the screen now, to let go of something, and does not lead back.
	EscHandler interface{ HandlesEsc() bool }

	// A Questioner reports whether it has asked something that waits for a second enter. Until then all input is for the screen:
	// anything but enter cancels the question.
	Questioner interface{ Asking() bool }

	// A LeaveConfirmer returns the question to ask before the session is left, "" for none.
	LeaveConfirmer interface{ ConfirmLeave() string }

	// A BackConfirmer returns the question to ask before esc leads back from the screen, "" for none.
	BackConfirmer interface{ ConfirmBack() string }

	// A CursorProvider returns the cell of the body where the terminal shows its cursor.
	CursorProvider interface{ Cursor() (x, y int, shown bool) }

	// A TitleProvider returns what the window's title says before the club's name, "" for nothing.
	TitleProvider interface{ WindowTitle() string }

	// A ListSubscriber gets a ListsMsg when it comes to the top, and whenever the lists change.
	ListSubscriber interface{ WantsLists() }

	// A SettingsChooser returns the settings that App uses and stores from the next message on.
	SettingsChooser interface{ Settings() accounts.Settings }

	// A Closable is told when it leaves the stack. Close ends calls to the lobby that still wait.
	Closable interface{ Close() }

	// A BoardPage has a board, beside which its help stands where there is room.
	BoardPage interface{ HelpBeside() }

	// A MatchScreen shows the board of a match.
	MatchScreen interface{ MatchID() storage.MatchID }

	// An InMatch screen reports whether the player is in a match. Then the session may be idle for longer.
	InMatch interface{ InMatch() bool }

	// A Board screen shows the board of a match: a player who looks at it is there. "" while it shows none yet.
	Board interface{ Board() storage.MatchID }
)

// What a screen's Cmd can ask of App instead of answering the screen.
type (
	PushMsg    struct{ To Screen } // show another screen on top of this one
	ReplaceMsg struct{ To Screen } // show another screen instead of this one
	MatchMsg   struct {            // show the board of a match
		Ref     lobby.Ref
		Replace bool // instead of this screen
	}
	PlayersMsg struct{} // show who is here
	HomeMsg    struct{} // back to the lobby
	HelpMsg    struct{} // show the help page of this screen
	LeaveMsg   struct{} // end the session
	NoteMsg    struct{ Words string }
	BellMsg    struct{}

	RenamedMsg struct{ Who lobby.User } // the player has another name; the screen gets it as well
)

// SignedMsg says that the player has an account now. App goes on to the lobby.
type SignedMsg struct {
	Who      lobby.User
	Recovery string             // a new recovery code, which App shows; "" for none
	Settings *accounts.Settings // of an account that was there before; nil: those of the form
}

// Push shows a screen on top of this one.
func Push(s Screen) tea.Cmd { return func() tea.Msg { return PushMsg{s} } }

// Replace shows a screen instead of this one.
func Replace(s Screen) tea.Cmd { return func() tea.Msg { return ReplaceMsg{s} } }

// ShowMatch shows the board of a match on top of this screen.
func ShowMatch(ref lobby.Ref) tea.Cmd { return func() tea.Msg { return MatchMsg{Ref: ref} } }

// ReplaceByMatch shows the board of a match instead of this screen.
func ReplaceByMatch(ref lobby.Ref) tea.Cmd {
	return func() tea.Msg { return MatchMsg{Ref: ref, Replace: true} }
}

// ShowPlayers shows who is here on top of this screen. It is a Cmd, as the next ones are.
func ShowPlayers() tea.Msg { return PlayersMsg{} }

// Home leads back to the lobby.
func Home() tea.Msg { return HomeMsg{} }

// Leave ends the session.
func Leave() tea.Msg { return LeaveMsg{} }

// ShowHelp shows the help page of this screen.
func ShowHelp() tea.Msg { return HelpMsg{} }

// Note shows words above the footer until the next key.
func Note(words string) tea.Cmd { return func() tea.Msg { return NoteMsg{words} } }

// Bell rings the terminal's bell, unless the player has switched it off.
func Bell() tea.Msg { return BellMsg{} }

// ListsMsg is the lobby's newest lists.
type ListsMsg struct {
	Lists *lists.Lists
	Yours lists.Yours
}

// ResumedMsg tells a screen that it is on top again, and CoveredMsg that another one is, or that the window is too small to show any.
type (
	ResumedMsg struct{}
	CoveredMsg struct{}
)

// TickMsg asks a screen that shows something that time changes to show it anew. App drops it when the screen is covered. A screen
// numbers its ticks, and an old one does nothing.
type TickMsg struct{ Number int }

// After returns a Cmd that answers msg when the time has passed, unless the session ends before.
func After(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// Pages make the screens that App opens by itself. All others are opened by a screen.
type Pages struct {
	SignUp   func(e *Env, suggested string) Screen       // the first of a new key; suggested is a name, or ""
	Lobby    func(e *Env) Screen                         // the lowest of the stack
	DeepLink func(e *Env, code string, join bool) Screen // of a session that was started for one match
	Match    func(e *Env, ref lobby.Ref) Screen          // the board of a match
	Players  func(e *Env) Screen                         // who is here
}

// An Answer is what a screen's Cmd returned, with the address of the screen.
type Answer struct {
	To  uint64
	Msg tea.Msg
}

// Env is what all screens of a session share. App alone changes it, between two messages. Cmds run at the same time, so they
// may use only ctx, lobby, now, origin and operator; all else is passed to them.
type Env struct {
	Ctx    context.Context // ends with the session
	Lobby  *Lobby
	Now    func() time.Time
	Origin origin.Origin

	Fingerprint string         // of the key that signed in; "" for a guest
	Sessions    lobby.Sessions // that end with a key or an account
	Operator    Operator       // nil: the player is none

	Who      lobby.User
	Settings accounts.Settings
	Say      text.Say
	Theme    *widget.Theme

	CutOff time.Time // since when the node has been cut off from the store, so that clocks stand still; zero if it is not
}

// Is reports whether the session's player is an occupant of a seat.
func (e *Env) Is(o storage.Occupant) bool { return o.Kind == e.Who.Kind && o.ID == e.Who.ID }
