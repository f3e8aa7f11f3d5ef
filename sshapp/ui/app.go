// Package ui is the club's full-screen interface: a Bubble Tea model that keeps a stack of screens.
//
//	key --> App --> the screen on top --> Cmd --> lobby
//	         ^                             |
//	         +------ answer, addressed ----+
//
// App knows the size, the theme, the language and the keys that work everywhere. A screen knows its own page and nothing of
// other screens.
package ui

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/lobby"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// The smallest window in which the club can be used, in cells.
const (
	minWidth  = 40
	minHeight = 20
)

// How long a session may go without a key, in the lobby and at a board, unless Config says otherwise.
const (
	idleLobby = 30 * time.Minute
	idleBoard = 6 * time.Hour
)

// A Start says where a session begins.
type Start uint8

// The places to begin. StartJoin takes the free seat of the match with Config.Code, StartWatch only shows the match.
const (
	StartLobby Start = iota
	StartJoin
	StartWatch
)

// A Config describes the player and the terminal of a session.
type Config struct {
	Club Club

	Who         lobby.Who        // the zero value stands for a new key, which signs up first
	Settings    storage.Settings // the player's, as stored
	Fingerprint string           // of the key that signed in; "" for a guest
	Suggested   string           // the name that the sign-up form starts with; may be empty
	Origin      string           // the client's address, for which wrong codes are counted; may be empty

	Term    string   // the client's TERM
	Environ []string // KEY=value
	Start   Start
	Code    string           // of StartJoin and StartWatch
	Now     func() time.Time // nil: time.Now
	Bell    tea.Cmd          // rings the terminal's bell; nil: there is none

	IdleLobby time.Duration // how long the session may go without a key in the lobby; 0: 30 minutes
	IdleBoard time.Duration // and at a board where the player sits; 0: 6 hours
}

// An App is the model of one session, for one goroutine at a time.
type App struct {
	env  *env
	cfg  Config
	size tea.WindowSizeMsg // of the whole window

	stack  []slot // never empty after Init; the last one is on top
	lastID uint64 // of the newest slot

	note       string // shown until the next key
	leaveAsked bool   // the note asks whether to leave
	lists      listsMsg
	listening  bool // a call of Directory.Next is on its way

	saving  bool // settings are on their way to the store
	unsaved bool // they have changed since
	leaving bool // the session ends as soon as the settings are stored
}

// An answer is what a screen's Cmd returned, with the address of the screen.
type answer struct {
	to  uint64
	msg tea.Msg
}

// nextListsMsg is the answer of Directory.Next.
type nextListsMsg struct {
	who   lobby.Who
	lists listsMsg
	err   error
}

// savedMsg says whether the settings were stored.
type savedMsg struct{ err error }

// NewApp returns the model of one session, which ends when ctx does. The model gets its size from the first
// tea.WindowSizeMsg.
func NewApp(ctx context.Context, cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	a := &App{cfg: cfg, env: &env{
		ctx: ctx, club: cfg.Club, now: cfg.Now, origin: cfg.Origin,
		who: cfg.Who, settings: cfg.Settings,
	}}
	a.size = tea.WindowSizeMsg{Width: 80, Height: 24}
	a.restyle(colorOf(cfg.Term, cfg.Environ))
	return a
}

// Init opens the first screen.
func (a *App) Init() tea.Cmd {
	if a.env.who == (lobby.Who{}) {
		return a.push(newSignUp(a.env, a.cfg.Fingerprint, a.cfg.Suggested))
	}
	return a.openLobby()
}

// openLobby opens the lobby, and on top of it the match that the session was started for.
func (a *App) openLobby() tea.Cmd {
	a.stack = nil
	club, ctx, who := a.env.club, a.env.ctx, a.env.who
	enter := func() tea.Msg {
		context.AfterFunc(ctx, club.Enter(who))
		return nil
	}
	cmds := []tea.Cmd{enter, a.push(newLobby(a.env))}
	if a.cfg.Start != StartLobby {
		cmds = append(cmds, a.push(newDeepLink(a.env, a.cfg.Start, a.cfg.Code)))
	}
	return tea.Batch(cmds...)
}

// IdleLimit tells the terminal driver how long this session may go without a key.
func (a *App) IdleLimit() time.Duration {
	if m, ok := a.top().(inMatch); ok && m.InMatch() {
		return cmp.Or(a.cfg.IdleBoard, idleBoard)
	}
	return cmp.Or(a.cfg.IdleLobby, idleLobby)
}

// Update takes one message: from the terminal, from the lobby's lists, or the answer of a screen's Cmd.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if len(a.stack) == 0 {
		return a, nil // Init has not run
	}
	if a.leaveAsked && isInput(msg) {
		return a, a.answerLeave(msg)
	}
	if asking(a.top()) && isInput(msg) && !a.small() {
		return a, a.answerScreen(msg)
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.size = msg
		return a, a.resize()
	case tea.ColorProfileMsg:
		a.restyle(msg.Profile)
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case tea.PasteMsg:
		if !a.small() {
			a.setNote("")
			return a, a.send(len(a.stack)-1, msg)
		}
	case answer:
		return a, a.answer(msg)
	case nextListsMsg:
		return a, a.takeLists(msg)
	case savedMsg:
		return a, a.saved(msg)
	}
	return a, nil
}

// setNote shows words above the footer until the next key. A question that stood there is withdrawn.
func (a *App) setNote(words string) { a.note, a.leaveAsked = words, false }

// top returns the screen on top, nil before Init.
func (a *App) top() screen {
	if len(a.stack) == 0 {
		return nil
	}
	return a.stack[len(a.stack)-1].screen
}

// send lets the screen at place i of the stack take a message. Settings that it changes hold from then on.
func (a *App) send(i int, msg tea.Msg) tea.Cmd {
	next, cmd := a.stack[i].screen.Update(msg)
	a.stack[i].screen = next
	cmd = address(a.stack[i].id, cmd)
	if s, ok := next.(settingsChooser); ok && s.Settings() != a.env.settings {
		a.env.settings = s.Settings()
		a.restyle(a.env.theme.profile)
		cmd = tea.Batch(cmd, a.save())
	}
	return cmd
}

// address makes the answers of cmd go to the screen with the given id, wherever in the stack it is by then.
func address(id uint64, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			addressed := make(tea.BatchMsg, len(msg))
			for i, c := range msg {
				addressed[i] = address(id, c)
			}
			return addressed
		default:
			return answer{id, msg}
		}
	}
}

// answer carries out a screen's request, or hands the screen the answer that it waits for.
func (a *App) answer(m answer) tea.Cmd {
	at := len(a.stack) - 1
	for at >= 0 && a.stack[at].id != m.to {
		at--
	}
	if at < 0 {
		return nil // the screen is gone
	}
	onTop := at == len(a.stack)-1
	switch msg := m.msg.(type) {
	case signedMsg:
		a.env.who = msg.who
		return a.openLobby()
	case bellMsg:
		if !a.env.settings.Mute {
			return a.cfg.Bell
		}
	case noteMsg:
		a.setNote(text.Clean(msg.words))
	case pushMsg, replaceMsg, homeMsg, helpMsg, leaveMsg:
		if onTop { // a covered screen doesn't navigate
			return a.navigate(msg)
		}
	default:
		return a.send(at, msg)
	}
	return nil
}

// sendLists sends the lists to the screen on top if it wants them, and waits for newer ones.
func (a *App) sendLists() tea.Cmd {
	if _, ok := a.top().(listSubscriber); !ok {
		return nil
	}
	var cmds []tea.Cmd
	after := uint64(0)
	if a.lists.lists != nil {
		after = a.lists.lists.Seq
		cmds = append(cmds, a.send(len(a.stack)-1, a.lists))
	}
	if !a.listening {
		a.listening = true
		club, ctx, who := a.env.club, a.env.ctx, a.env.who
		cmds = append(cmds, func() tea.Msg {
			lists, err := club.Next(ctx, who, after)
			if err != nil {
				return nextListsMsg{who: who, err: err}
			}
			return nextListsMsg{who: who, lists: listsMsg{lists.Public(), lists.Of(who)}}
		})
	}
	return tea.Batch(cmds...)
}

func (a *App) takeLists(msg nextListsMsg) tea.Cmd {
	a.listening = false
	switch {
	case msg.who != a.env.who:
	case msg.err != nil:
		if a.env.ctx.Err() == nil {
			a.setNote(a.env.say.Error(msg.err))
		}
		return nil // it would fail again; the next screen that wants lists asks anew
	default:
		a.lists = msg.lists
	}
	return a.sendLists()
}

// save stores a player's settings. One write follows the other, so that the last choice is the one that stays.
func (a *App) save() tea.Cmd {
	if a.env.who.Player() == "" {
		return nil // a guest's settings hold for the visit; a newcomer's are stored by the sign-up
	}
	if a.saving {
		a.unsaved = true
		return nil
	}
	a.saving = true
	club, ctx, who, now := a.env.club, a.env.ctx, a.env.who, a.env.settings
	return func() tea.Msg { return savedMsg{club.SaveSettings(ctx, who, now)} }
}

func (a *App) saved(msg savedMsg) tea.Cmd {
	a.saving = false
	if msg.err != nil {
		a.setNote(a.env.say.Error(msg.err))
	}
	switch {
	case a.unsaved:
		a.unsaved = false
		return a.save()
	case a.leaving:
		return tea.Quit
	}
	return nil
}

// quit ends the session, once settings that are on their way are stored. The second quit waits for nothing.
func (a *App) quit() tea.Cmd {
	if a.saving && !a.leaving {
		a.leaving = true
		return nil
	}
	return tea.Quit
}

// colorOf works out the colours of a client's terminal.
func colorOf(term string, environ []string) colorprofile.Profile {
	all := append(append(make([]string, 0, len(environ)+1), environ...), "TERM="+term)
	return colorprofile.Env(all)
}

// restyle works out language and theme from the player's settings and the terminal.
func (a *App) restyle(profile colorprofile.Profile) {
	e := a.env
	e.say = text.FromLocale(a.cfg.Environ)
	if e.settings.Language != "" {
		e.say = text.In(e.settings.Language)
	}
	ascii := text.IsASCII(a.cfg.Environ, a.cfg.Term)
	if e.settings.Charset != "" {
		ascii = e.settings.Charset == charsetASCII
	}
	if noColor(a.cfg.Environ) {
		profile = min(profile, colorprofile.ASCII)
	}
	if e.theme == nil || e.theme.name != e.settings.Theme || e.theme.profile != profile || e.theme.ascii != ascii {
		e.theme = newTheme(e.settings.Theme, profile, ascii)
	}
}

// noColor reports whether the client asks for no colours (no-color.org): the variable counts unless it is empty.
func noColor(environ []string) bool {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "NO_COLOR="); ok && value != "" {
			return true
		}
	}
	return false
}
