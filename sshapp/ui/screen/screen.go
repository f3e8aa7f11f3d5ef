// Package screen defines the interface of all screens: what they show and react to, the requests that they may make of the app, and the Env
// that all screens of a session share.
package screen

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/games"
	"ludoteca/lobby"
	"ludoteca/lobby/learning"
	"ludoteca/lobby/lists"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/lobby/together"
	"ludoteca/lobby/tournaments"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
)

// A Screen is one page of the club: a small value on App's stack. App draws a header above it and a footer below it; the screen
// draws the body between them.
//
// Update never waits and does no I/O. Work goes into a Cmd. Its answer comes back to this screen alone, and is dropped once
// the screen is gone. A Cmd may also return one of the requests below. Screens use tea.Batch but not tea.Sequence,
// because the messages of a sequence can't be addressed.
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

	// Title returns the text at the left of the header, and Status the text at its right. App cleans both.
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

	// FullHelp returns the bindings of the help page: the footer's bindings, then all others.
	FullHelp() [][]key.Binding
}

// Press runs the action of a key on a screen.
func Press[S Screen](s S, keys *widget.Actions[S], msg tea.KeyPressMsg) (Screen, tea.Cmd) {
	if run, ok := keys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	return s, nil
}

// The interfaces that a screen may implement besides Screen.
type (
	// A helpProvider has text for its help page: paragraphs or lines; a heading starts with "# ".
	helpProvider interface{ Help() string }

	// An EscHandler reports whether esc cancels something on the screen now instead of leading back.
	EscHandler interface{ HandlesEsc() bool }

	// A Questioner reports whether it has asked a question that waits for a second enter. Until then all input goes to the screen:
	// anything but enter cancels the question.
	Questioner interface{ Asking() bool }

	// A LeaveConfirmer returns the question to ask before the session is left, "" for none.
	LeaveConfirmer interface{ ConfirmLeave() string }

	// A BackConfirmer returns the question to ask before esc leads back from the screen, "" for none.
	BackConfirmer interface{ ConfirmBack() string }

	// A CursorProvider returns the cell of the body where the terminal shows its cursor.
	CursorProvider interface{ Cursor() (x, y int, shown bool) }

	// A TitleProvider returns the text in front of the club's name in the window's title, "" for nothing.
	TitleProvider interface{ WindowTitle() string }

	// A ListSubscriber gets a ListsMsg when it comes to the top, and whenever the lists change.
	ListSubscriber interface{ WantsLists() }

	// A SettingsChooser returns the settings that App uses and stores from the next message on.
	SettingsChooser interface{ Settings() accounts.Settings }

	// App closes a Closable when it leaves the stack. Close ends calls to the lobby that still wait.
	Closable interface{ Close() }

	// A WaitingPage waits for an opponent, also while other screens cover it: it stays on the stack then. Call returns the line above the footer that
	// calls the player to the page, "" for none.
	WaitingPage interface {
		Waits() bool
		Call() string
	}

	// A TellsPage shows the lines between the player and another one, whose name is Peer. It gets a ToldMsg when there may be new ones.
	TellsPage interface{ Peer() string }

	// A BoardPage has a board. Its help stands beside the board if there is room.
	BoardPage interface{ HelpBeside() }

	// A MatchScreen shows the board of a match. Ended reports whether it shows that the match is over.
	MatchScreen interface {
		MatchID() storage.MatchID
		Ended() bool
	}

	// An InMatch reports whether the player is in a match. Then the session may be idle for longer.
	InMatch interface{ InMatch() bool }

	// An EventBoard says to which board of an event a board belongs; the zero value: to none. An EventPage is the page of an event.
	EventBoard interface {
		EventBoard() storage.TournamentBoard
	}
	EventPage interface{ EventID() storage.TournamentID }

	// A Board says what its session does at a board; the zero value while it shows none yet. A player who looks at a board is present there.
	Board interface{ Place() atboard.Place }
)

// The requests of a screen's Cmd to App. They don't go to the screen.
type (
	PushMsg    struct{ To Screen } // show another screen on top of this one
	ReplaceMsg struct{ To Screen } // show another screen instead of this one
	MatchMsg   struct {            // show the board of a match
		Ref     lobby.Ref
		Replace bool // instead of this screen
	}
	PlayersMsg struct{} // show who is here

	// NewMatchMsg asks for the form of a match of a game against the computer, instead of the screen that sends it.
	NewMatchMsg struct{ Game games.Game }
	BackMsg     struct{} // back from this screen, as esc leads
	HomeMsg     struct{} // back to the lobby
	HelpMsg     struct{} // show the help page of this screen
	LeaveMsg    struct{} // end the session
	NoteMsg     struct{ Words string }
	BellMsg     struct{}
	CalledMsg   struct{ Words string } // ring and notify the player, who is called to a WaitingPage

	RenamedMsg struct{ Who lobby.User } // the player has another name; the screen gets it as well
)

// LearnedMsg tells App that the player has come farther in the lesson of a game.
type LearnedMsg struct {
	Game   string
	Lesson learning.Lesson
}

// SignedMsg tells App that the player has an account now. App goes on to the lobby.
type SignedMsg struct {
	Who      lobby.User
	Recovery string             // a new recovery code, which App shows; "" for none
	Settings *accounts.Settings // of an account that was there before; nil: the settings of the form
}

// Push returns the request to show a screen on top of this one.
func Push(s Screen) tea.Cmd { return func() tea.Msg { return PushMsg{s} } }

// Replace returns the request to show a screen instead of this one.
func Replace(s Screen) tea.Cmd { return func() tea.Msg { return ReplaceMsg{s} } }

// ShowMatch returns the request to show the board of a match on top of this screen.
func ShowMatch(ref lobby.Ref) tea.Cmd { return func() tea.Msg { return MatchMsg{Ref: ref} } }

// ReplaceByMatch returns the request to show the board of a match instead of this screen.
func ReplaceByMatch(ref lobby.Ref) tea.Cmd {
	return func() tea.Msg { return MatchMsg{Ref: ref, Replace: true} }
}

// ShowPlayers is a Cmd that shows the list of users who are here on top of this screen.
func ShowPlayers() tea.Msg { return PlayersMsg{} }

// NewMatch returns the request to show the form of a match of a game against the computer, instead of this screen.
func NewMatch(g games.Game) tea.Cmd { return func() tea.Msg { return NewMatchMsg{g} } }

// Back is a Cmd that leads back from this screen.
func Back() tea.Msg { return BackMsg{} }

// Home is a Cmd that leads back to the lobby.
func Home() tea.Msg { return HomeMsg{} }

// Leave is a Cmd that ends the session.
func Leave() tea.Msg { return LeaveMsg{} }

// ShowHelp is a Cmd that shows the help page of this screen.
func ShowHelp() tea.Msg { return HelpMsg{} }

// Note returns the request to show words above the footer until the next key.
func Note(words string) tea.Cmd { return func() tea.Msg { return NoteMsg{words} } }

// Called returns the request to ring and to notify a player who is called.
func Called(words string) tea.Cmd { return func() tea.Msg { return CalledMsg{words} } }

// Bell is a Cmd that rings the terminal's bell, unless the player has switched it off.
func Bell() tea.Msg { return BellMsg{} }

// A ListsMsg holds the lobby's newest lists.
type ListsMsg struct {
	Lists *lists.Lists
	Yours lists.Yours
}

// ResumedMsg tells a screen that it is on top again. CoveredMsg tells it that another screen is, or that the window is too small for any.
type (
	ResumedMsg struct{}
	CoveredMsg struct{}
)

// A ToldMsg tells a TellsPage that another player has written.
type ToldMsg struct{}

// A TickMsg asks a screen to redraw what time has changed. App drops it when the screen is covered. A screen numbers its ticks, and an old
// one does nothing.
type TickMsg struct{ Number int }

// After returns a Cmd that answers msg after d, unless the session ends before.
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

// Pages holds the constructors of the screens that App opens by itself. Screens open all others.
type Pages struct {
	SignUp   func(e *Env, suggested string) Screen       // the first of a new key; suggested is a name, or ""
	Lobby    func(e *Env) Screen                         // the lowest of the stack
	DeepLink func(e *Env, code string, join bool) Screen // of a session that was started for one match
	Review   func(e *Env, code string) Screen            // of a session that was started to look through a match or a study
	Match    func(e *Env, ref lobby.Ref) Screen          // the board of a match
	Players  func(e *Env) Screen                         // who is here
	NewMatch func(e *Env, g games.Game) Screen           // the form of a match against the computer

	Event    func(e *Env, ref tournaments.Ref) Screen                // the page of an event
	Together func(e *Env, seat *together.Seat, ref lobby.Ref) Screen // a review that another person leads
	Tells    func(e *Env, name string) Screen                        // the lines between the player and another one
}

// An Answer is the message that a screen's Cmd returned, with the address of the screen.
type Answer struct {
	To  uint64
	Msg tea.Msg
}

// An Env holds what all screens of a session share. App alone changes it, between two messages. Cmds run at the same time, so they
// may use only Ctx, Lobby, Now, Origin and Operator. Everything else is passed to them.
type Env struct {
	Ctx    context.Context // ends with the session
	Lobby  *Lobby
	Now    func() time.Time
	Origin origin.Origin

	Greeting greeting.Greeting // of the club

	Fingerprint string         // of the key that signed in; "" for a guest
	Sessions    lobby.Sessions // that end with a key or an account
	Operator    Operator       // nil: the player is none

	Who      lobby.User
	Settings accounts.Settings
	Say      wording.Words
	Theme    *widget.Theme

	Lessons learning.Lessons // how far the player has come in this session

	CutOff time.Time // since when the node has been cut off from the store, so that clocks stand still; zero if it is not
}

// Is reports whether the session's player is an occupant of a seat.
func (e *Env) Is(o storage.Occupant) bool { return o.Kind == e.Who.Kind && o.ID == e.Who.ID }
