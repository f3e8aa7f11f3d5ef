package accountpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/notices"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	noticestore "ludoteca/storage/notices"
)

// hasNotices reports whether the player may have notices outside the terminal: the club sends some, and the player has an account.
func hasNotices(e *screen.Env) bool {
	n := e.Lobby.Notices
	return n != nil && e.Who.Kind.HasAccount() && (n.Sends(noticestore.Mail) || n.Sends(noticestore.Ntfy))
}

// noticesMsg is where the player wants notices, or why that can't be shown or changed. words is what came of an act, if it was one.
type noticesMsg struct {
	now   noticestore.Contact
	words string
	err   error
}

// readNotices asks where the player wants notices.
func readNotices(e *screen.Env) tea.Cmd {
	l, ctx, who := e.Lobby.Notices, e.Ctx, e.Who
	return func() tea.Msg {
		now, err := l.Of(ctx, who)
		return noticesMsg{now: now, err: err}
	}
}

// A noticesScreen shows where a player wants notices, with a row for each thing that can be done about it.
type noticesScreen struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	at      int
	now     noticestore.Contact
	known   bool // now is set
	busy    bool // an answer of the club is on its way
	asks    string
	typed   widget.Entry // the answer to asks, where one is typed
	words   string       // what came of the last act
	problem bool         // words say what went wrong
}

// The rows. asks is the one whose question takes all input; "" while there is none.
const (
	mailRow  = "mail"
	ntfyRow  = "ntfy"
	codeRow  = "code"
	noticeNo = "off"
)

// addressCells is the longest address that can be typed: longer than the club allows, so that it can say what is wrong.
const addressCells = 260

func newNotices(e *screen.Env) screen.Screen { return noticesScreen{env: e, busy: true} }

func (s noticesScreen) Init() tea.Cmd { return readNotices(s.env) }

func (s noticesScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case noticesMsg:
		s.busy = false
		if msg.err != nil {
			return s.said(s.env.Say.Error(msg.err), true), nil
		}
		s = s.said(msg.words, false)
		s.known, s.now = true, msg.now
		s.at = min(s.at, max(len(s.fields())-1, 0))
	case tea.PasteMsg:
		if s.typing() {
			s.typed = s.typed.Insert(msg.Content, addressCells)
		}
	case tea.MouseClickMsg:
		fields := s.fields()
		at := widget.FieldAt(fields, s.at, len(fields)+1, msg.Y-s.formLine())
		if at >= 0 && msg.Button == tea.MouseLeft && s.canChoose() && s.asks == "" {
			s.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		if s.asks != "" {
			return s.reply(msg)
		}
		return screen.Press(s, &noticesKeys, msg)
	}
	return s, nil
}

// said returns the screen with words below the rows, and no question there.
func (s noticesScreen) said(words string, problem bool) noticesScreen {
	s.words, s.problem, s.asks, s.typed = words, problem, "", widget.Entry{}
	return s
}

var noticesKeys = widget.Actions[noticesScreen]{Footer: []widget.Action[noticesScreen]{
	widget.OnKey(text.T("up down"), text.T("move"), noticesScreen.move, "up", "down", "home", "end", "pgup", "pgdown", "tab", "shift+tab"),
	widget.On("enter", text.T("choose"), noticesScreen.choose, "enter").When(noticesScreen.canChoose),
}}

func (s noticesScreen) canChoose() bool { return s.known && !s.busy && len(s.fields()) > 0 }

func (s noticesScreen) move(msg tea.KeyPressMsg) (noticesScreen, tea.Cmd) {
	n := len(s.fields())
	switch key := msg.String(); {
	case n == 0:
	case key == "tab" || key == "shift+tab":
		s.at = widget.Cycle(s.at, n, key)
	default:
		s.at = widget.Moved(key, s.at, n, n)
	}
	return s, nil
}

// choose asks what the row needs.
func (s noticesScreen) choose() (noticesScreen, tea.Cmd) {
	if s.canChoose() {
		row := s.fields()[s.at].Key
		s = s.said("", false)
		s.asks = row
	}
	return s, nil
}

// typing reports whether an answer is typed: an address or a code.
func (s noticesScreen) typing() bool { return s.asks != "" && s.asks != noticeNo }

// reply takes a key while a question waits. Enter answers it, esc withdraws it, and so does any other key where nothing is typed.
func (s noticesScreen) reply(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	switch {
	case msg.Code == tea.KeyEscape:
		return s.said("", false), nil
	case msg.Code != tea.KeyEnter && s.typing():
		s.typed, _ = s.typed.Typed(msg, addressCells)
		return s, nil
	case msg.Code != tea.KeyEnter, s.typing() && s.typed.Text == "":
		return s.said("", false), nil
	}
	return s.do()
}

// do does what the answered question was about.
func (s noticesScreen) do() (screen.Screen, tea.Cmd) {
	l, ctx, who, from, say := s.env.Lobby.Notices, s.env.Ctx, s.env.Who, s.env.Origin, s.env.Say
	row, typed := s.asks, s.typed.Text
	var act func() (words string, err error)
	switch row {
	case mailRow, ntfyRow:
		parse := notices.ParseMail
		if row == ntfyRow {
			parse = notices.ParseTopic
		}
		to, err := parse(typed)
		if err != nil {
			return s.said(say.Error(err), true), nil
		}
		act = func() (string, error) {
			_, err := l.Ask(ctx, who, from, to)
			return say.T("A code is on its way. Type it here within a day."), err
		}
	case codeRow:
		act = func() (string, error) {
			_, err := l.Confirm(ctx, who, typed)
			return say.T("The address is confirmed."), err
		}
	default:
		act = func() (string, error) {
			return say.T("Your notices have ended, and the club has forgotten your address."), l.End(ctx, who)
		}
	}
	s = s.said("", false)
	s.busy = true
	return s, func() tea.Msg {
		words, err := act()
		if err != nil {
			return noticesMsg{err: err}
		}
		now, err := l.Of(ctx, who)
		return noticesMsg{now, words, err}
	}
}

// fields returns the rows: none before the club has answered.
func (s noticesScreen) fields() (fields []widget.Field) {
	if !s.known {
		return nil
	}
	say, l := s.env.Say, s.env.Lobby.Notices
	if s.now.Pending != nil {
		fields = append(fields, widget.Field{Key: codeRow, Label: say.T("Type the code"), Button: true,
			Help: say.T("It is in what was sent to the address, and works for a day.")})
	}
	if l.Sends(noticestore.Mail) {
		fields = append(fields, widget.Field{Key: mailRow, Label: say.T("Notices by mail"), Button: true,
			Help: say.T("A code goes to the address. Nothing else is sent there before you have typed it here.")})
	}
	if l.Sends(noticestore.Ntfy) {
		fields = append(fields, widget.Field{Key: ntfyRow, Label: say.T("Notices by ntfy"), Button: true,
			Help: say.T("To a topic of the club's ntfy server, which only you should know: 16 to 64 letters, digits, - and _.")})
	}
	if s.now.Confirmed != nil || s.now.Pending != nil {
		fields = append(fields, widget.Field{Key: noticeNo, Label: say.T("No more notices"), Button: true,
			Help: say.T("The club forgets the address.")})
	}
	return fields
}

// question returns the question of the row under the cursor.
func (s noticesScreen) question() string {
	say := s.env.Say
	switch s.asks {
	case mailRow:
		return say.T("Your email address:")
	case ntfyRow:
		return say.T("The topic:")
	case codeRow:
		return say.T("The code:")
	}
	return say.T("The club forgets your address. End your notices? Enter once more.")
}

// state says in sentences where notices go, each paragraph on its own.
func (s noticesScreen) state() (all []string) {
	say := s.env.Say
	switch to := s.now.Confirmed; {
	case to == nil:
		all = append(all, say.T("You get no notices."))
	case to.Kind == noticestore.Mail:
		all = append(all, say.T("Notices go by mail to %s.", text.Clean(to.To)))
	default:
		all = append(all, say.T("Notices go to the topic %s.", text.Clean(to.To)))
	}
	if s.now.Pending != nil {
		all = append(all, say.T("A code was sent to %s.", text.Clean(s.now.Pending.To)))
	}
	return all
}

// stateLines returns the lines of state in a window of a width.
func (s noticesScreen) stateLines(w int) (lines []string) {
	if !s.known {
		return nil
	}
	for _, words := range s.state() {
		lines = append(lines, text.Wrap(words, noticesWidth(w))...)
	}
	return append(lines, "")
}

func noticesWidth(w int) int { return min(w-2*widget.MenuColumn, widget.Readable) }

// formLine returns the line of the body on which the rows start.
func (s noticesScreen) formLine() int { return widget.FirstLine + len(s.stateLines(s.size.Width)) }

func (s noticesScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, w := s.env.Theme, noticesWidth(p.Width)
	p.Down(widget.FirstLine)
	for _, words := range s.stateLines(p.Width) {
		p.Line(widget.MenuColumn, t.Plain, words)
	}
	fields := s.fields()
	if len(fields) > 0 {
		widget.DrawFields(&p, t, fields, s.at, len(fields)+1)
		p.End()
	}
	switch {
	case s.asks != "":
		p.Wrap(widget.MenuColumn, t.Accent, s.question(), w)
		if s.typing() {
			shown, _ := s.typed.Shown(w - 2)
			p.Line(widget.MenuColumn, t.Plain, "> "+shown)
		}
	case s.problem:
		p.Wrap(widget.MenuColumn, t.Accent, s.words, w)
	case s.words != "":
		p.Wrap(widget.MenuColumn, t.Plain, s.words, w)
	case len(fields) > 0:
		p.Wrap(widget.MenuColumn, t.Dim, widget.FieldHelp(fields, s.at, p.Width), w)
	}
}

func (s noticesScreen) Help() string {
	return s.env.Say.T("Notices tell you outside the club, when you are not here, that a match waits for your move, that you are challenged, or that an event begins. They hold no words of others but names. A code at the end of each notice ends them for ever.")
}

func (s noticesScreen) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("notices")
}
func (s noticesScreen) Status() string   { return s.env.Who.Name }
func (s noticesScreen) Typing() bool     { return s.asks != "" }
func (s noticesScreen) HandlesEsc() bool { return s.asks != "" }

func (s noticesScreen) ShortHelp() []key.Binding {
	if s.asks != "" {
		return []key.Binding{widget.Label("enter", text.T("go on")), widget.Label("esc", text.T("cancel"))}
	}
	return noticesKeys.ShortHelp(s)
}
func (s noticesScreen) FullHelp() [][]key.Binding { return noticesKeys.FullHelp(s) }
