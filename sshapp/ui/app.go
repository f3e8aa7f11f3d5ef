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
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/lobby/news"
	"ludoteca/lobby/origin"
	"ludoteca/sshapp/greeting"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/boardpage"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// A Start is the page on which a session begins.
type Start uint8

// The places to begin. StartJoin takes the free seat of the match with Config.Code, StartWatch only shows the match, StartReview steps through
// it, or through a study.
const (
	StartLobby Start = iota
	StartJoin
	StartWatch
	StartReview
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

	Address  text.Address      // of the club, for the commands that people are told
	Greeting greeting.Greeting // of the club

	Term    string   // the client's TERM
	Environ []string // KEY=value
	Start   Start
	Code    string           // of StartJoin, StartWatch and StartReview
	Now     func() time.Time // nil: time.Now
	Bell    tea.Cmd          // rings the terminal's bell; nil: there is none

	Notify func(title, body string) tea.Cmd // shows a notification on the player's desktop; nil: there are none

	Sessions lobby.Sessions  // that end with a key or an account; nil: none do
	Bulletin Announcer       // nil: there are no bulletins
	Operator screen.Operator // nil: the player is none

	IdleLobby time.Duration // how long the session may go without a key in the lobby; 0: 30 minutes
	IdleBoard time.Duration // and at a board where the player sits; 0: 6 hours
}

// An App is the model of one session. It puts the parts together: it sends each message to the part that it is for and draws the page. Only one
// goroutine at a time may use it.
type App struct {
	cfg Config
	env *screen.Env

	nav       navigator
	settings  sessionSettings
	visit     visit
	waiting   waitingMatches
	matchNews matchNews
	note      note
	bell      bell
	notices   noticeLines
}

// NewApp returns the model of one session. The session ends with ctx. The model gets its size from the first
// tea.WindowSizeMsg.
func NewApp(ctx context.Context, cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Sessions == nil {
		cfg.Sessions = lobby.NoSessions{}
	}
	e := &screen.Env{
		Ctx: ctx, Lobby: cfg.Lobby, Now: cfg.Now, Origin: cfg.Origin, Fingerprint: cfg.Fingerprint, Operator: cfg.Operator, Sessions: cfg.Sessions,
		Who: cfg.Who, Settings: cfg.Settings, Greeting: cfg.Greeting,
	}
	client := client{cfg.Term, cfg.Environ, cfg.Address}
	a := &App{cfg: cfg, env: e, bell: bell{e, cfg.Bell}}
	a.nav = navigator{
		env: e, pages: cfg.Pages, settings: &a.settings, note: &a.note, notices: &a.notices,
		lists:  listFeed{env: e, screens: &a.nav.screens, note: &a.note},
		window: tea.WindowSizeMsg{Width: 80, Height: 24},
	}
	a.settings = sessionSettings{env: e, client: client, note: &a.note}
	a.waiting = waitingMatches{env: e, note: &a.note}
	a.matchNews = matchNews{env: e, screens: &a.nav.screens, note: &a.note, bell: a.bell, waiting: &a.waiting, notify: cfg.Notify}
	a.notices = noticeLines{
		recovery:     recoveryCode{env: e, screens: &a.nav.screens},
		announcement: announcement{env: e, next: cfg.Bulletin},
		call:         callLine{env: e, screens: &a.nav.screens},
		challenge:    challengeLine{env: e, note: &a.note, bell: a.bell},
		invitation:   invitationLine{env: e, bell: a.bell},
		told:         tellLine{env: e, bell: a.bell},
	}
	a.settings.restyle(client.profile())
	return a
}

// Init opens the first screen.
func (a *App) Init() tea.Cmd {
	if a.env.Who == (lobby.User{}) {
		return tea.Batch(a.nav.push(a.cfg.Pages.SignUp(a.env, a.cfg.Suggested)), a.notices.announcement.await())
	}
	return tea.Batch(a.openLobby(), a.notices.announcement.await())
}

// openLobby opens the lobby, and on top of it the match that the session was started for.
func (a *App) openLobby() tea.Cmd {
	a.nav.screens.cut(0)
	cmds := []tea.Cmd{enter(a.env, a.cfg.Dropped), a.nav.push(a.cfg.Pages.Lobby(a.env)), awaitYours(a.env, news.NewReader(a.env.Lobby, a.env.Who)), awaitEvents(a.env, nil)}
	switch a.cfg.Start {
	case StartReview:
		cmds = append(cmds, a.nav.push(a.cfg.Pages.Review(a.env, a.cfg.Code)))
	case StartJoin, StartWatch:
		cmds = append(cmds, a.nav.push(a.cfg.Pages.DeepLink(a.env, a.cfg.Code, a.cfg.Start == StartJoin)))
	}
	return tea.Batch(cmds...)
}

// Env returns what the screens of the session share.
func (a *App) Env() *screen.Env { return a.env }

// Top returns the screen on top, or nil before Init.
func (a *App) Top() screen.Screen { return a.nav.screens.top() }

// IdleLimit tells the terminal driver how long this session may go without a key.
func (a *App) IdleLimit() time.Duration {
	return idleLimits{a.cfg.IdleLobby, a.cfg.IdleBoard}.of(a.Top())
}

// Update takes one message: from the terminal, from the lobby, or the answer of a screen's Cmd.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if a.Top() == nil {
		return a, nil // Init has not run
	}
	cmd := a.take(msg)
	if fit := a.nav.fit(); fit != nil {
		cmd = tea.Batch(cmd, fit)
	}
	if a.visit.follow(isInput(msg), a.nav.screens.place()) {
		a.waiting.looksAt(a.visit.place.Match)
	}
	a.matchNews.look()
	return a, cmd
}

// take sends a message to the part that it is for.
func (a *App) take(msg tea.Msg) tea.Cmd {
	if isInput(msg) {
		return a.input(msg)
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a.nav.resizeTo(msg)
	case tea.ColorProfileMsg:
		a.settings.restyle(msg.Profile)
	case tea.MouseMsg: // a movement or a release
		return a.mouse(msg)
	case screen.Answer:
		return a.answer(msg)
	case nextListsMsg:
		return a.nav.lists.take(msg)
	case screen.ListsMsg:
		return a.nav.lists.take(nextListsMsg{who: a.env.Who, lists: msg})
	case savedMsg:
		return a.settings.saved(msg)
	case yoursMsg:
		return a.takeYours(msg)
	case eventsMsg:
		return a.takeEvents(msg)
	case challengeStakeMsg:
		a.notices.challenge.takeStake(msg)
	case challengeAnsweredMsg:
		return a.challengeAnswered(msg)
	case endMsg:
		return a.matchNews.tellEnd(msg)
	case announcedMsg:
		return a.notices.announcement.take(msg)
	case announcementOverMsg:
		a.notices.announcement.over(msg)
	case listeningMsg:
		a.visit = visit{session: msg.visit}
		return tea.Batch(awaitArrivals(a.env.Ctx, msg.from), awaitInvitation(a.env.Ctx, msg.invitations, 0), awaitTells(a.env.Ctx, msg.told))
	case toldMsg:
		return a.takeTold(msg)
	case tellAgainMsg:
		return awaitTells(a.env.Ctx, msg.from)
	case invitationMsg:
		return a.notices.invitation.take(msg)
	case joinedMsg:
		return a.joined(msg)
	case arrivalsMsg:
		return a.takeArrivals(msg)
	}
	return nil
}

// Answer passes a message to the screen on top, as the answer of one of its Cmds. It is for tests.
func (a *App) Answer(msg tea.Msg) tea.Cmd {
	return a.answer(screen.Answer{To: a.nav.screens.slots[a.nav.screens.last()].id, Msg: msg})
}

// answer carries out a screen's request, or hands the screen the answer that it waits for.
func (a *App) answer(m screen.Answer) tea.Cmd {
	at, ok := a.nav.screens.find(m.To)
	if !ok {
		return nil // the screen is gone
	}
	onTop := at == a.nav.screens.last()
	switch msg := m.Msg.(type) {
	case screen.SignedMsg:
		a.env.Who = msg.Who
		if msg.Settings != nil {
			a.settings.adopt(*msg.Settings)
		}
		a.notices.recovery.code = msg.Recovery
		return a.openLobby()
	case screen.RenamedMsg:
		a.env.Who = msg.Who
		return a.nav.send(at, msg)
	case screen.BellMsg:
		if m, ok := a.nav.screens.slots[at].screen.(screen.MatchScreen); ok && !a.nav.screens.shows(m.MatchID()) {
			return nil // matchNews rings for boards that the player doesn't look at
		}
		return a.bell.ring()
	case screen.CalledMsg:
		return a.called(text.Clean(msg.Words))
	case screen.TickMsg:
		if onTop {
			return a.nav.send(at, msg)
		}
	case screen.NoteMsg:
		a.note.set(text.Clean(msg.Words))
	case screen.LearnedMsg:
		a.env.Lessons = a.env.Lessons.With(msg.Game, msg.Lesson)
	case screen.BackMsg, screen.PushMsg, screen.ReplaceMsg, screen.MatchMsg, screen.PlayersMsg, screen.NewMatchMsg, screen.HomeMsg, screen.HelpMsg, screen.LeaveMsg:
		if onTop { // a covered screen doesn't navigate
			return a.navigate(msg)
		}
	default:
		return a.nav.send(at, msg)
	}
	return nil
}

// navigate shows the screen that another one asks for.
func (a *App) navigate(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.PushMsg:
		return a.nav.push(msg.To)
	case screen.ReplaceMsg:
		return a.nav.replace(msg.To)
	case screen.MatchMsg:
		return a.nav.showMatch(msg)
	case screen.PlayersMsg:
		return a.nav.push(a.cfg.Pages.Players(a.env))
	case screen.NewMatchMsg:
		return a.nav.replace(a.cfg.Pages.NewMatch(a.env, msg.Game))
	case screen.BackMsg:
		return a.nav.back()
	case screen.HomeMsg:
		return a.nav.home()
	case screen.HelpMsg:
		return a.nav.push(screen.NewHelp(a.env, a.Top(), a.keys()))
	case screen.LeaveMsg:
		return a.settings.quit()
	}
	return nil
}

// View renders what Draw draws, for tests and for the stock Bubble Tea program.
func (a *App) View() tea.View {
	c := canvas.New(a.nav.window.Width, a.nav.window.Height)
	v := a.Draw(c)
	v.Content = c.String()
	return v
}

// Draw draws the page: header, body of the screen on top, notes, notices, footer.
func (a *App) Draw(c *canvas.Canvas) tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = a.env.Greeting.Name()
	top := a.Top()
	switch {
	case top == nil:
		return v
	case tooSmall(a.nav.window):
		drawTooSmall(c, a.env, a.nav.window)
	default:
		a.drawPage(c, top)
		if title := a.waiting.title(a.nav.screens.title()); title != "" {
			v.WindowTitle = title + " - " + a.env.Greeting.Name()
		}
		if p, ok := top.(screen.CursorProvider); ok && !a.note.asking() {
			if x, y, shown := p.Cursor(); shown && x < a.nav.window.Width && y < a.nav.layout().body().Height {
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

// drawPage draws the whole page. Notes cover the end of the body.
func (a *App) drawPage(c *canvas.Canvas, top screen.Screen) {
	l, t := a.nav.layout(), a.env.Theme
	body, last := l.body(), a.nav.screens.last()
	words := a.note.lines(body.Width, body.Height/2)
	room := body.Height - len(words)
	p := widget.NewPage(c, canvas.Area(0, 0, l.window.Width, l.window.Height))
	drawHeader(&p, t, top)
	if l.beside { // without the lines about enter, because all keys belong to the help
		a.nav.screens.draw(c, last-1, l.area(last-1), room-boardpage.StatusLines(l.area(last-1).Dx()))
	}
	a.nav.screens.draw(c, last, l.area(last), room)
	p.Down(topLines + room)
	drawNote(&p, t, words)
	a.notices.draw(&p)
	drawFooter(&p, a.env, a.keys())
}
