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
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ludoteca/lobby"
	"ludoteca/lobby/origin"
	"ludoteca/lobby/presence"
	"ludoteca/lobby/presence/atboard"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/sshapp/wording"
	"ludoteca/storage/accounts"
)

// The smallest window in which the club can be used, in cells.
const (
	minWidth  = 40
	minHeight = 20
)

// The default idle limits of a session in the lobby and at a board.
const (
	idleLobby = 30 * time.Minute
	idleBoard = 6 * time.Hour
)

// A Start is the page on which a session begins.
type Start uint8

// The places to begin. StartJoin takes the free seat of the match with Config.Code, StartWatch only shows the match.
const (
	StartLobby Start = iota
	StartJoin
	StartWatch
)

// A Config describes the player and the terminal of a session.
type Config struct {
	Lobby *screen.Lobby
	Pages screen.Pages

	Who         lobby.User        // the zero value stands for a new key, which signs up first
	Settings    accounts.Settings // the player's, as stored
	Fingerprint string            // of the key that signed in; "" for a guest
	Suggested   string            // the name that the sign-up form starts with; may be empty
	Origin      origin.Origin     // where the client comes from
	Dropped     func() bool       // whether the line of the client died; nil: it never does

	Address text.Address // of the club, for the commands that people are told

	Term    string   // the client's TERM
	Environ []string // KEY=value
	Start   Start
	Code    string           // of StartJoin and StartWatch
	Now     func() time.Time // nil: time.Now
	Bell    tea.Cmd          // rings the terminal's bell; nil: there is none

	Sessions lobby.Sessions  // that end with a key or an account; nil: none do
	Bulletin Announcer       // nil: there are no bulletins
	Operator screen.Operator // nil: the player is none

	IdleLobby time.Duration // how long the session may go without a key in the lobby; 0: 30 minutes
	IdleBoard time.Duration // and at a board where the player sits; 0: 6 hours
}

// An App is the model of one session. Only one goroutine at a time may use it.
type App struct {
	env  *screen.Env
	cfg  Config
	size tea.WindowSizeMsg // of the whole window

	stack  []slot // never empty after Init; the last one is on top
	lastID uint64 // of the newest slot

	visit *presence.Session // nil before the player is here
	place atboard.Place     // where the session is, as the lobby was told

	announced  announcement
	challenge  challengeLine
	recovery   string // a new recovery code, until the player has hidden it
	note       string // shown until the next key
	leaveAsked bool   // the note asks whether to leave
	backAsked  bool   // the note asks whether to go back from the screen on top
	lists      screen.ListsMsg
	listening  bool // a call of Directory.Next is on its way
	waiting    waitingMatches

	saving  bool // settings are on their way to the store
	unsaved bool // they have changed since
	leaving bool // the session ends as soon as the settings are stored
}

// nextListsMsg is the answer of Directory.Next.
type nextListsMsg struct {
	who   lobby.User
	lists screen.ListsMsg
	err   error
}

// savedMsg reports whether the settings were stored.
type savedMsg struct{ err error }

// NewApp returns the model of one session. The session ends with ctx. The model gets its size from the first
// tea.WindowSizeMsg.
func NewApp(ctx context.Context, cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sessions == nil {
		cfg.Sessions = lobby.NoSessions{}
	}
	a := &App{cfg: cfg, env: &screen.Env{
		Ctx: ctx, Lobby: cfg.Lobby, Now: cfg.Now, Origin: cfg.Origin, Fingerprint: cfg.Fingerprint, Operator: cfg.Operator, Sessions: cfg.Sessions,
		Who: cfg.Who, Settings: cfg.Settings,
	}}
	a.size = tea.WindowSizeMsg{Width: 80, Height: 24}
	a.restyle(colorOf(cfg.Term, cfg.Environ))
	return a
}

// Init opens the first screen.
func (a *App) Init() tea.Cmd {
	first := a.openLobby
	if a.env.Who == (lobby.User{}) {
		first = func() tea.Cmd { return a.push(a.cfg.Pages.SignUp(a.env, a.cfg.Suggested)) }
	}
	return tea.Batch(first(), a.awaitAnnouncement())
}

// OpenLobby opens the lobby, and on top of it the match that the session was started for.
func (a *App) openLobby() tea.Cmd {
	a.stack = nil
	l, ctx, who := a.env.Lobby, a.env.Ctx, a.env.Who
	from, dropped := a.env.Origin, a.cfg.Dropped
	enter := func() tea.Msg {
		context.AfterFunc(ctx, l.Connect(who, from))
		visit := l.Visit(who, true)
		context.AfterFunc(ctx, func() {
			if visit != nil {
				visit.Leave(dropped != nil && dropped())
			}
		})
		news, leave := l.Arrivals(who)
		context.AfterFunc(ctx, leave)
		return listeningMsg{news, visit}
	}
	cmds := []tea.Cmd{enter, a.push(a.cfg.Pages.Lobby(a.env)), a.awaitYours(0)}
	if a.cfg.Start != StartLobby {
		cmds = append(cmds, a.push(a.cfg.Pages.DeepLink(a.env, a.cfg.Code, a.cfg.Start == StartJoin)))
	}
	return tea.Batch(cmds...)
}

// Say returns the language that the session has now.
func (a *App) Say() wording.Words { return a.env.Say }

// IdleLimit tells the terminal driver how long this session may go without a key.
func (a *App) IdleLimit() time.Duration {
	if m, ok := a.Top().(screen.InMatch); ok && m.InMatch() {
		return cmp.Or(a.cfg.IdleBoard, idleBoard)
	}
	return cmp.Or(a.cfg.IdleLobby, idleLobby)
}

// Update takes one message: from the terminal, from the lobby's lists, or the answer of a screen's Cmd.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	model, cmd := a.take(msg)
	a.tellPresence(msg)
	return model, cmd
}

// tellPresence tells the lobby where the session is, as its screen says, and that they have pressed a key.
func (a *App) tellPresence(msg tea.Msg) {
	if entered, ok := msg.(listeningMsg); ok {
		a.visit, a.place = entered.visit, atboard.Place{}
	}
	if a.visit == nil {
		return
	}
	if isInput(msg) {
		a.visit.Pressed()
	}
	top := len(a.stack) - 1
	if top > 0 && screen.IsHelp(a.Top()) { // the help of a board lies on it, or stands beside it
		top--
	}
	var place atboard.Place
	if b, ok := a.stack[top].screen.(screen.Board); ok {
		place = b.Place()
	}
	if place == a.place {
		return
	}
	moved := place.Match != a.place.Match
	a.place = place
	if a.visit.AtPlace(place); moved {
		a.looksAt(place.Match)
	}
}

func (a *App) take(msg tea.Msg) (tea.Model, tea.Cmd) {
	if len(a.stack) == 0 {
		return a, nil // Init has not run
	}
	if a.leaveAsked && isInput(msg) {
		return a, a.answerLeave(msg)
	}
	if a.backAsked && isInput(msg) {
		return a, a.answerBack(msg)
	}
	if asking(a.Top()) && isInput(msg) && !a.small() {
		return a, a.answerScreen(msg)
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a, a.resizeTo(msg)
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
	case screen.Answer:
		return a, a.answer(msg)
	case nextListsMsg:
		return a, a.takeLists(msg)
	case screen.ListsMsg:
		return a, a.takeLists(nextListsMsg{who: a.env.Who, lists: msg})
	case savedMsg:
		return a, a.saved(msg)
	case yoursMsg:
		return a, a.takeYours(msg)
	case challengeStakeMsg:
		return a, a.takeChallengeStake(msg)
	case challengeOverMsg:
		return a, a.challengeOver(msg)
	case challengeAnsweredMsg:
		return a, a.challengeAnswered(msg)
	case announcedMsg:
		return a, a.takeAnnouncement(msg)
	case listeningMsg:
		return a, a.awaitArrivals(msg.news)
	case arrivalsMsg:
		return a, a.takeArrivals(msg)
	case announcementOverMsg:
		if msg.number == a.announced.number {
			return a, a.announce("", a.announcementLines())
		}
	}
	return a, nil
}

// setNote shows words above the footer until the next key. A question that stood there is withdrawn.
func (a *App) setNote(words string) { a.note, a.leaveAsked, a.backAsked = words, false, false }

// Answer passes a message to the screen on top, as the answer of one of its Cmds. It is for tests.
func (a *App) Answer(msg tea.Msg) tea.Cmd {
	return a.answer(screen.Answer{To: a.stack[len(a.stack)-1].id, Msg: msg})
}

// Env returns the Env that the screens share. It is for tests.
func (a *App) Env() *screen.Env { return a.env }

// Top returns the screen on top, or nil before Init.
func (a *App) Top() screen.Screen {
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
	if s, ok := next.(screen.SettingsChooser); ok && s.Settings() != a.env.Settings {
		a.env.Settings = s.Settings()
		a.restyle(a.env.Theme.Profile)
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
			return screen.Answer{To: id, Msg: msg}
		}
	}
}

// answer carries out a screen's request, or hands the screen the answer that it waits for.
func (a *App) answer(m screen.Answer) tea.Cmd {
	at := len(a.stack) - 1
	for at >= 0 && a.stack[at].id != m.To {
		at--
	}
	if at < 0 {
		return nil // the screen is gone
	}
	onTop := at == len(a.stack)-1
	switch msg := m.Msg.(type) {
	case screen.SignedMsg:
		a.env.Who = msg.Who
		if msg.Settings != nil {
			a.env.Settings = *msg.Settings
			a.restyle(a.env.Theme.Profile)
		}
		a.recovery = msg.Recovery
		return tea.Batch(a.openLobby(), a.resize())
	case screen.RenamedMsg:
		a.env.Who = msg.Who
		return a.send(at, msg)
	case screen.BellMsg:
		if !a.env.Settings.Mute {
			return a.cfg.Bell
		}
	case screen.TickMsg:
		if onTop {
			return a.send(at, msg)
		}
	case screen.NoteMsg:
		a.setNote(text.Clean(msg.Words))
	case screen.PushMsg, screen.ReplaceMsg, screen.MatchMsg, screen.PlayersMsg, screen.HomeMsg, screen.HelpMsg, screen.LeaveMsg:
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
	if _, ok := a.Top().(screen.ListSubscriber); !ok {
		return nil
	}
	var cmds []tea.Cmd
	after := uint64(0)
	if a.lists.Lists != nil {
		after = a.lists.Lists.Seq
		cmds = append(cmds, a.send(len(a.stack)-1, a.lists))
	}
	if !a.listening {
		a.listening = true
		l, ctx, who := a.env.Lobby, a.env.Ctx, a.env.Who
		cmds = append(cmds, func() tea.Msg {
			lists, err := l.Next(ctx, who, after)
			if err != nil {
				return nextListsMsg{who: who, err: err}
			}
			return nextListsMsg{who: who, lists: screen.ListsMsg{Lists: lists, Yours: lists.Yours}}
		})
	}
	return tea.Batch(cmds...)
}

func (a *App) takeLists(msg nextListsMsg) tea.Cmd {
	a.listening = false
	switch {
	case msg.who != a.env.Who:
	case msg.err != nil:
		if a.env.Ctx.Err() == nil {
			a.setNote(a.env.Say.Error(msg.err))
		}
		return nil // it would fail again; the next screen that wants lists asks anew
	default:
		a.lists = msg.lists
	}
	return a.sendLists()
}

// save stores a player's settings. One write follows the other, so that the last choice is the one that stays.
func (a *App) save() tea.Cmd {
	if a.env.Who.Player() == "" {
		return nil // a guest's settings hold for the visit; a newcomer's are stored by the sign-up
	}
	if a.saving {
		a.unsaved = true
		return nil
	}
	a.saving = true
	l, ctx, who, now := a.env.Lobby, a.env.Ctx, a.env.Who, a.env.Settings
	return func() tea.Msg { return savedMsg{l.SaveSettings(ctx, who, now)} }
}

func (a *App) saved(msg savedMsg) tea.Cmd {
	a.saving = false
	if msg.err != nil {
		a.setNote(a.env.Say.Error(msg.err))
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
	e.Say = wording.FromLocale(a.cfg.Environ).At(a.cfg.Address)
	if e.Settings.Language != "" {
		e.Say = e.Say.In(e.Settings.Language)
	}
	ascii := text.IsASCII(a.cfg.Environ, a.cfg.Term)
	if e.Settings.Charset != "" {
		ascii = e.Settings.Charset == widget.CharsetASCII
	}
	e.Say = e.Say.ForASCII(ascii)
	if noColor(a.cfg.Environ) {
		profile = min(profile, colorprofile.ASCII)
	}
	if e.Theme == nil || e.Theme.Name != e.Settings.Theme || e.Theme.Profile != profile || e.Theme.ASCII != ascii {
		e.Theme = widget.NewTheme(e.Settings.Theme, profile, ascii)
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

// maxStack bounds the screens that a session keeps, so that opening more and more of them takes no more memory.
const maxStack = 20

// A slot is a screen on the stack and the address of its answers.
type slot struct {
	id     uint64
	screen screen.Screen
}

// navigate shows the screen that another one asks for.
func (a *App) navigate(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.PushMsg:
		return a.push(msg.To)
	case screen.ReplaceMsg:
		a.drop(len(a.stack) - 1)
		return a.push(msg.To)
	case screen.MatchMsg:
		if msg.Replace {
			a.drop(len(a.stack) - 1)
		}
		return a.push(a.cfg.Pages.Match(a.env, msg.Ref))
	case screen.PlayersMsg:
		return a.push(a.cfg.Pages.Players(a.env))
	case screen.HomeMsg:
		if len(a.stack) > 1 {
			return a.back(1)
		}
	case screen.HelpMsg:
		return a.showHelp()
	case screen.LeaveMsg:
		return a.quit()
	}
	return nil
}

// ShowHelp shows the help page of the screen on top.
func (a *App) showHelp() tea.Cmd { return a.push(screen.NewHelp(a.env, a.Top(), a.keys())) }

// push puts a screen on top. On a full stack, the screen right above the lobby is dropped.
func (a *App) push(s screen.Screen) tea.Cmd {
	if len(a.stack) == maxStack {
		a.stack[1].close()
		a.stack = slices.Delete(a.stack, 1, 2)
	}
	var covered tea.Cmd
	if len(a.stack) > 0 {
		covered = a.send(len(a.stack)-1, screen.CoveredMsg{})
	}
	a.lastID++
	a.stack = append(a.stack, slot{a.lastID, s})
	at := len(a.stack) - 1
	size := tea.Batch(covered, a.send(at, a.sizeOf(at)))
	if a.helpBeside() {
		size = tea.Batch(size, a.send(at-1, a.sizeOf(at-1)))
	}
	return tea.Batch(size, address(a.lastID, a.stack[at].screen.Init()), a.sendLists())
}

// back drops all screens but the lowest n.
func (a *App) back(n int) tea.Cmd {
	beside := a.helpBeside()
	a.drop(n)
	a.setNote("")
	var size tea.Cmd
	if (beside || a.recovery != "") && !a.small() {
		size = a.send(n-1, a.sizeOf(n-1))
	}
	return tea.Batch(size, a.send(n-1, screen.ResumedMsg{}), a.sendLists())
}

// drop takes all screens but the lowest n from the stack.
func (a *App) drop(n int) {
	for _, slot := range a.stack[n:] {
		slot.close()
	}
	clear(a.stack[n:])
	a.stack = a.stack[:n]
}

// close tells a screen that it is gone.
func (s slot) close() {
	if c, ok := s.screen.(screen.Closable); ok {
		c.Close()
	}
}

// An appKeys holds the keys that work on every screen now, beside the keys of the screen on top.
type appKeys struct {
	letters key.Binding // hjkl stand for the arrow keys where nothing is typed
	hide    key.Binding // the announcement, or a challenge
	accept  key.Binding // a challenge
	decline key.Binding
	back    key.Binding
	help    key.Binding
	redraw  key.Binding
	next    key.Binding // the next match that waits
	leave   key.Binding

	top     screen.Screen
	onHelp  bool // the help page is on top
	leaving bool // whether to leave is asked
	backing bool // whether to go back is asked

	announced bool // hide is about an announcement
}

// arrows are the keys that the letters stand for.
var arrows = map[string]rune{"h": tea.KeyLeft, "j": tea.KeyDown, "k": tea.KeyUp, "l": tea.KeyRight}

// The keys that work on every screen.
var (
	keyLetters    = widget.Bind(text.T("arrows, hjkl"), text.T("move, where nothing is typed"), "h", "j", "k", "l")
	keyCloseQ     = widget.Bind("esc", text.T("back"), "esc", "q") // of the help
	keyBack       = widget.Bind("esc", text.T("back"), "esc")
	keyHelp       = widget.Bind("?", text.T("help"), "?")
	keyCloseHelp  = widget.Bind("?", text.T("close"), "?")
	keyRedraw     = widget.Bind("ctrl+l", text.T("draw the screen again"), "ctrl+l")
	keyLeave      = widget.Bind("ctrl+c", text.T("leave"), "ctrl+c")
	keyLeaveFree  = widget.Bind("q", text.T("leave"), "q", "ctrl+c")      // where nothing is typed
	keyLeaveAsked = widget.Bind("ctrl+c", text.T("leave"), "q", "ctrl+c") // a second time
)

// keys returns the keys that work now.
func (a *App) keys() appKeys {
	top := a.Top()
	free := !top.Typing()
	help := screen.IsHelp(top) // which q closes, as pagers do; elsewhere it leaves
	accept, decline := a.challengeKeys()
	k := appKeys{
		accept: accept, decline: decline,
		top: top, onHelp: help, leaving: a.leaveAsked, backing: a.backAsked,
		letters: widget.When(free, keyLetters),
		hide:    widget.When(a.canHide(), keyHide), announced: a.announced.words != "",
		back:   widget.When(len(a.stack) > 1, keyBack),
		help:   widget.When(free, keyHelp),
		redraw: keyRedraw,
		next:   a.nextMatchKey(),
		leave:  keyLeave,
	}
	switch {
	case free && help:
		k.back = keyCloseQ
	case free && k.leaving:
		k.leave = keyLeaveAsked
	case free:
		k.leave = keyLeaveFree
	}
	if k.onHelp {
		k.help = widget.When(free, keyCloseHelp)
	}
	return k
}

// ShortHelp returns the bindings of the footer.
func (k appKeys) ShortHelp() []key.Binding { return k.appendFooter(nil) }

// appendFooter appends the keys of the footer to all. It names the way out of the session only where there is no way back.
func (k appKeys) appendFooter(all []key.Binding) []key.Binding {
	if k.leaving {
		return append(all, k.leave, renamed(k.back, "esc", text.T("play on")))
	}
	if k.backing {
		return append(all, k.back)
	}
	out := k.back
	if !out.Enabled() {
		out = k.leave
	}
	return widget.AppendShown(all, []key.Binding{widget.When(k.announced, k.hide)}, k.top.ShortHelp(), []key.Binding{k.help, out})
}

// FullHelp returns the bindings of the help page: the keys of the footer's screen, then all others.
func (k appKeys) FullHelp() [][]key.Binding {
	groups := k.top.FullHelp()
	var own []key.Binding
	if len(groups) > 0 {
		own = widget.Shown(groups[0])
	}
	back, leave := "esc", "ctrl+c"
	if len(k.back.Keys()) > 1 {
		back = "esc, q"
	}
	if len(k.leave.Keys()) > 1 {
		leave = "q, ctrl+c"
	}
	others := [][]key.Binding{own, {k.letters}}
	others = append(others, groups[min(1, len(groups)):]...)
	others = append(others, []key.Binding{
		k.accept, k.decline,
		renamed(k.back, back, text.T("back")), renamed(k.help, "?", text.T("help for this screen")), k.next, k.redraw,
		renamed(k.leave, leave, text.T("leave the club")),
	})
	return [][]key.Binding{own, widget.Shown(others...)[len(own):]}
}

// A keyName is the name of a key press, made once: key.Matches asks for it with each binding.
type keyName string

func (n keyName) String() string { return string(n) }

// key handles the keys that work on every screen, and sends all others to the screen on top.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	top, k, name := a.Top(), a.keys(), keyName(msg.String())
	if key.Matches(name, k.leave) {
		return a.leave()
	}
	a.setNote("")
	if a.small() {
		return nil
	}
	switch {
	case key.Matches(name, k.hide):
		return a.hide()
	case key.Matches(name, k.accept), key.Matches(name, k.decline):
		return a.answerChallenge(key.Matches(name, k.accept))
	case key.Matches(name, k.redraw):
		return tea.ClearScreen
	case key.Matches(name, k.next):
		return a.showNextMatch()
	case key.Matches(name, k.help) && k.onHelp:
		return a.back(len(a.stack) - 1)
	case key.Matches(name, k.help):
		return a.showHelp()
	case key.Matches(name, k.back) && !handlesEsc(top):
		return a.askBack(top)
	case key.Matches(name, k.back):
		msg = tea.KeyPressMsg{Code: tea.KeyEscape}
	case key.Matches(name, k.letters):
		msg = tea.KeyPressMsg{Code: arrows[string(name)]}
	case msg.Code == tea.KeyKpEnter:
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	return a.send(len(a.stack)-1, msg)
}

func handlesEsc(s screen.Screen) bool {
	e, ok := s.(screen.EscHandler)
	return ok && e.HandlesEsc()
}

// leave ends the session, unless the screen has a question to ask first.
func (a *App) leave() tea.Cmd {
	question := a.leaveQuestion()
	if question == "" {
		return a.quit()
	}
	a.note, a.leaveAsked = question, true
	return nil
}

// answerLeave takes the input that follows the question: the same key leaves, anything else only withdraws the question.
func (a *App) answerLeave(msg tea.Msg) tea.Cmd {
	a.setNote("")
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, a.keys().leave) {
		return a.quit()
	}
	return nil
}

// askBack goes back from the screen on top, unless that has a question to ask first.
func (a *App) askBack(top screen.Screen) tea.Cmd {
	c, ok := top.(screen.BackConfirmer)
	if !ok || c.ConfirmBack() == "" {
		return a.back(len(a.stack) - 1)
	}
	a.note, a.backAsked = c.ConfirmBack(), true
	return nil
}

// answerBack takes the input that follows the question: esc goes back, ctrl+c leaves as ever, anything else only withdraws the question.
func (a *App) answerBack(msg tea.Msg) tea.Cmd {
	a.setNote("")
	press, ok := msg.(tea.KeyPressMsg)
	switch k := a.keys(); {
	case ok && key.Matches(press, k.back):
		return a.back(len(a.stack) - 1)
	case ok && key.Matches(press, k.leave):
		return a.leave()
	}
	return nil
}

func asking(s screen.Screen) bool {
	q, ok := s.(screen.Questioner)
	return ok && q.Asking()
}

// answerScreen sends input to the screen that has asked something. ctrl+c cancels the question and leaves as ever.
func (a *App) answerScreen(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	leaves := ok && press.String() == "ctrl+c"
	if ok && press.Code == tea.KeyKpEnter {
		msg = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	a.setNote("")
	cmd := a.send(len(a.stack)-1, msg)
	if leaves {
		return tea.Batch(cmd, a.leave())
	}
	return cmd
}

// isInput reports whether msg is something that a person did at the terminal.
func isInput(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseClickMsg, tea.MouseWheelMsg, tea.PasteMsg:
		return true
	}
	return false
}

// leaveQuestion is the question of the topmost board: its help may lie on it.
func (a *App) leaveQuestion() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if l, ok := a.stack[i].screen.(screen.LeaveConfirmer); ok {
			return l.ConfirmLeave()
		}
	}
	return ""
}

// mouse sends clicks and the wheel to the screen on top, with positions counted from the top left of its body.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	m.Y -= topLines
	body := a.body()
	if a.small() || m.X < 0 || m.Y < 0 || m.X >= body.Width || m.Y >= body.Height {
		return nil
	}
	top := len(a.stack) - 1
	switch msg.(type) {
	case tea.MouseClickMsg:
		a.setNote("")
		return a.send(top, tea.MouseClickMsg(m))
	case tea.MouseWheelMsg:
		return a.send(top, tea.MouseWheelMsg(m))
	case tea.MouseReleaseMsg:
		return a.send(top, tea.MouseReleaseMsg(m))
	case tea.MouseMotionMsg:
		return a.send(top, tea.MouseMotionMsg(m))
	}
	return nil
}

// renamed returns b with another name and description.
func renamed(b key.Binding, name, what string) key.Binding {
	b.SetHelp(name, what)
	return b
}

// The lines above and below the body.
const (
	topLines    = 1
	bottomLines = 1
)

// body returns the size of the screens' area.
func (a *App) body() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.Width, Height: max(a.size.Height-topLines-a.announcementLines()-a.challengeLines()-bottomLines, 0)}
}

// small reports whether the window is too small for any screen.
func (a *App) small() bool { return a.size.Width < minWidth || a.size.Height < minHeight }

// area returns where the body of the screen at place i of the stack stands in the window.
func (a *App) area(i int) canvas.Rect {
	w, h := a.size.Width, a.body().Height
	if a.helpBeside() {
		left := boardBeside + max(w-boardBeside-helpMost, 0)
		switch i {
		case len(a.stack) - 1:
			return canvas.Area(left, topLines, w-left, h)
		case len(a.stack) - 2:
			return canvas.Area(0, topLines, left, h)
		}
	}
	return canvas.Area(0, topLines, w, h)
}

// sizeOf returns the size of the body of the screen at place i of the stack.
func (a *App) sizeOf(i int) tea.WindowSizeMsg {
	area := a.area(i)
	return tea.WindowSizeMsg{Width: area.Dx(), Height: area.Dy()}
}

// resizeTo takes the new size of the window. The screens hear nothing of one that is too small for them, but the one on top hears that
// it can't be seen.
func (a *App) resizeTo(size tea.WindowSizeMsg) tea.Cmd {
	wasSmall, top := a.small(), len(a.stack)-1
	a.size = size
	switch {
	case a.small() && !wasSmall:
		return a.send(top, screen.CoveredMsg{})
	case wasSmall && !a.small():
		return tea.Batch(a.resize(), a.send(top, screen.ResumedMsg{}))
	}
	return a.resize()
}

// resize tells all screens their size.
func (a *App) resize() tea.Cmd {
	if a.small() {
		return nil // the screens stay as they are until there is room again
	}
	cmds := make([]tea.Cmd, 0, len(a.stack))
	for i := range a.stack {
		cmds = append(cmds, a.send(i, a.sizeOf(i)))
	}
	return tea.Batch(cmds...)
}

// View renders what Draw draws, for tests and for the stock Bubble Tea program.
func (a *App) View() tea.View {
	c := canvas.New(a.size.Width, a.size.Height)
	v := a.Draw(c)
	v.Content = c.String()
	return v
}

// wideHelp is from which width of a window on the help of a board stands beside it, and boardBeside how wide the board's part
// is then at least: it keeps its own panel. helpMost is how wide the help gets.
const (
	wideHelp    = 120
	boardBeside = 80
	helpMost    = widget.Readable + 4
)

// helpBeside reports whether the help on top of the stack stands beside the board that it explains.
func (a *App) helpBeside() bool {
	n := len(a.stack)
	if n < 2 || a.size.Width < wideHelp || !screen.IsHelp(a.Top()) {
		return false
	}
	_, ok := a.stack[n-2].screen.(screen.BoardPage)
	return ok
}

// Draw draws the page: header, body of the screen on top, notes, footer.
func (a *App) Draw(c *canvas.Canvas) tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "Ludoteca"
	top := a.Top()
	switch {
	case top == nil:
		return v
	case a.small():
		a.drawTooSmall(c)
	default:
		a.drawPage(c, top)
		if title := a.waitingTitle(a.windowTitle()); title != "" {
			v.WindowTitle = title + " - Ludoteca"
		}
		if p, ok := top.(screen.CursorProvider); ok && !a.leaveAsked && !a.backAsked {
			if x, y, shown := p.Cursor(); shown && x < a.size.Width && y < a.body().Height {
				v.Cursor = tea.NewCursor(x, y+topLines)
				v.Cursor.Blink = false
			}
		}
	}
	if a.env.Theme.ASCII {
		v.WindowTitle = text.ASCII(v.WindowTitle)
		c.MapText(text.ASCII)
	}
	return v
}

// windowTitle returns what the topmost screen with a title of its own adds to the window's title. A help page has none, so it leaves the
// title to the board behind it.
func (a *App) windowTitle() string {
	for i := len(a.stack) - 1; i >= 0; i-- {
		if t, ok := a.stack[i].screen.(screen.TitleProvider); ok {
			return t.WindowTitle()
		}
	}
	return ""
}

// drawPage draws the whole page. Notes cover the end of the body.
func (a *App) drawPage(c *canvas.Canvas, top screen.Screen) {
	w, body := a.size.Width, a.body()
	notes := text.Wrap(a.note, w-2*widget.Margin-2)
	notes = notes[:min(len(notes), body.Height/2)]
	room := body.Height - len(notes)
	p := widget.NewPage(c, canvas.Area(0, 0, w, a.size.Height))
	a.drawHeader(&p, top)
	last := len(a.stack) - 1
	if a.helpBeside() { // without the lines about enter, because all keys belong to the help
		a.drawBody(c, last-1, room-boardpage.StatusLines(a.area(last-1).Dx()))
	}
	a.drawBody(c, last, room)
	p.Down(topLines + room)
	mark := "! "
	for _, words := range notes {
		p.Line(widget.Margin, a.env.Theme.Accent, mark+words)
		mark = "  "
	}
	a.drawAnnouncement(&p)
	a.drawChallenge(&p)
	a.drawFooter(&p)
}

// drawBody draws the given number of lines of the screen at place i of the stack.
func (a *App) drawBody(c *canvas.Canvas, i, lines int) {
	area := a.area(i)
	shown := canvas.Area(area.Min.X, area.Min.Y, area.Dx(), lines)
	a.stack[i].screen.Draw(c.Sub(shown), area)
}

// drawHeader draws the screen's title and status.
func (a *App) drawHeader(p *widget.Page, top screen.Screen) {
	t := a.env.Theme
	title := text.Cut(text.Clean(top.Title()), p.Width-2*widget.Margin)
	status := fitted(text.Clean(top.Status()), t.Dot, p.Width-2*widget.Margin-text.Width(title)-statusGap)
	p.To(widget.Margin).Put(t.Bold, title).To(p.Width-widget.Margin-text.Width(status)).Put(t.Dim, status).End()
}

// statusGap is the least room between title and status, in cells.
const statusGap = 2

// fitted returns the parts of a status that fit. The last part, which changes most, stays the longest, then the first.
func fitted(status, dot string, room int) string {
	for text.Width(status) > room && status != "" {
		parts := strings.Split(status, dot)
		at := max(len(parts)-2, 0)
		status = strings.Join(slices.Delete(parts, at, at+1), dot)
	}
	return status
}

// drawFooter draws as many of the keys that work now as there is room for, whole ones.
func (a *App) drawFooter(p *widget.Page) {
	t := a.env.Theme
	p.To(widget.Margin)
	var room [12]key.Binding // for more than any window shows
	for i, k := range a.keys().appendFooter(room[:0]) {
		name, what := a.env.Say.T(k.Help().Key), a.env.Say.T(k.Help().Desc)
		need := text.Width(name) + 1 + text.Width(what)
		if i > 0 {
			need += text.Width(t.Dot)
		}
		if p.At+need > p.Width-widget.Margin {
			break
		}
		if i > 0 {
			p.Put(t.Dim, t.Dot)
		}
		p.Put(t.Bold, name).To(p.At+1).Put(t.Dim, what)
	}
	p.End()
}

// drawTooSmall asks for a larger window.
func (a *App) drawTooSmall(c *canvas.Canvas) {
	p := widget.NewPage(c, canvas.Area(0, 0, a.size.Width, a.size.Height))
	lines := text.Wrap(a.env.Say.T("A bit more room, please: %dx%d.", minWidth, minHeight), p.Width)
	lines = lines[:min(len(lines), p.Height)]
	p.Down((p.Height - len(lines)) / 2)
	for _, line := range lines {
		line = text.Cut(line, p.Width)
		p.Line((p.Width-text.Width(line))/2, a.env.Theme.Plain, line)
	}
}
