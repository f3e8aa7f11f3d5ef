// Package accountpage has the screens about a player's own account: sign-up, settings, name and keys.
package accountpage

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
	"ludoteca/storage/schema"
)

// An account screen shows a player's own account, with a row for each thing that can be done about it.
type account struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	at      int
	now     schema.Account
	loaded  bool
	busy    bool
	asks    string       // the row whose question takes all input; "" while there is none
	typed   widget.Entry // the answer, where one is typed
	sure    bool         // the next enter does it
	answer  string       // a code that is shown once, "" for none
	words   string       // what came of the last act
	problem bool         // words say what went wrong
}

// The rows. The row of a key is keyRow and the fingerprint.
const (
	nameRow     = "name"
	recoveryRow = "recovery"
	addRow      = "add"
	keyRow      = "key "
	exportRow   = "export"
	deleteRow   = "delete"
)

type (
	accountMsg struct { // what is kept of the player
		now schema.Account
		err error
	}
	accountActMsg struct { // what came of an act
		answer, words string
		err           error
	}
)

func newAccount(e *screen.Env) screen.Screen { return account{env: e} }

func (s account) Init() tea.Cmd { return s.load() }

func (s account) load() tea.Cmd {
	l, ctx, who := s.env.Lobby, s.env.Ctx, s.env.Who
	return func() tea.Msg {
		now, err := l.Account(ctx, who)
		return accountMsg{now, err}
	}
}

func (s account) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case accountMsg:
		if msg.err != nil {
			return s.said(s.env.Say.Error(msg.err), true), nil
		}
		s.now, s.loaded = msg.now, true
		s.at = min(s.at, len(s.fields())-1)
	case accountActMsg:
		s.busy = false
		s = s.said(msg.words, false)
		if msg.err != nil {
			return s.said(s.env.Say.Error(msg.err), true), nil
		}
		s.answer = msg.answer
		return s, s.load()
	case screen.RenamedMsg:
		s.busy = false
		return s.said(s.env.Say.T("You are %s from now on.", text.Clean(msg.Who.Name)), false), s.load()
	case tea.PasteMsg:
		if s.typing() {
			s.typed, s.sure = s.typed.Insert(msg.Content, nameCells), false
		}
	case tea.MouseClickMsg:
		at := widget.FieldAt(s.fields(), s.at, s.room(), msg.Y-widget.FirstLine)
		if at >= 0 && msg.Button == tea.MouseLeft && s.loaded && s.asks == "" {
			s.at = at
			return s.choose()
		}
	case tea.KeyPressMsg:
		if s.asks != "" {
			return s.reply(msg)
		}
		return screen.Press(s, &accountKeys, msg)
	}
	return s, nil
}

// said returns the screen with words below the rows, and nothing else there.
func (s account) said(words string, problem bool) account {
	s.words, s.problem, s.answer, s.asks, s.sure = words, problem, "", "", false
	return s
}

var accountKeys = widget.Actions[account]{Footer: []widget.Action[account]{
	// Translators: "move" is a verb: move the selection.
	widget.OnKey(text.T("up down"), text.T("move"), account.move, "up", "down", "home", "end", "pgup", "pgdown", "tab", "shift+tab"),
	widget.On("enter", text.T("choose"), account.choose, "enter").When(account.canChoose),
}}

func (s account) canChoose() bool { return s.loaded && !s.busy }

func (s account) move(msg tea.KeyPressMsg) (account, tea.Cmd) {
	if !s.loaded { // the rows are not known yet
		return s, nil
	}
	n := len(s.fields())
	switch key := msg.String(); key {
	case "tab", "shift+tab":
		s.at = widget.Cycle(s.at, n, key)
	default:
		s.at = widget.Moved(key, s.at, n, n)
	}
	return s, nil
}

// choose does what the row is for, or asks what it must know first.
func (s account) choose() (account, tea.Cmd) {
	if !s.canChoose() {
		return s, nil
	}
	row := s.fields()[s.at].Key
	s = s.said("", false)
	switch row {
	case exportRow:
		return s, nil
	case addRow:
		return s.addKey()
	}
	s.asks, s.typed = row, widget.Entry{}
	s.sure = !s.typing()
	return s, nil
}

// typing reports whether an answer is typed: a name.
func (s account) typing() bool { return s.asks == nameRow || s.asks == deleteRow }

// reply takes a key while a question waits. Any key except enter and the keys that type the answer withdraws the question.
func (s account) reply(msg tea.KeyPressMsg) (screen.Screen, tea.Cmd) {
	switch {
	case msg.Code == tea.KeyEscape:
		return s.said("", false), nil
	case msg.Code != tea.KeyEnter && s.typing():
		s.typed, _ = s.typed.Typed(msg, nameCells)
		s.sure = false
		return s, nil
	case msg.Code != tea.KeyEnter:
		return s.said("", false), nil
	case s.asks == nameRow:
		return s.rename()
	case s.asks == deleteRow && s.typed.Text != s.now.Name:
		return s.said(s.env.Say.T("That is not your name. Nothing was deleted."), true), nil
	case !s.sure:
		s.sure = true
		return s, nil
	case s.asks == deleteRow:
		return s.delete()
	case s.asks == recoveryRow:
		return s.newRecovery()
	}
	return s.removeKey(strings.TrimPrefix(s.asks, keyRow))
}

func (s account) rename() (screen.Screen, tea.Cmd) {
	l, ctx, who, name := s.env.Lobby, s.env.Ctx, s.env.Who, s.typed.Text
	s = s.said("", false)
	s.busy = true
	return s, func() tea.Msg {
		renamed, err := l.ChangeName(ctx, who, name)
		if err != nil {
			return accountActMsg{err: err}
		}
		return screen.RenamedMsg{Who: renamed}
	}
}

func (s account) addKey() (account, tea.Cmd) {
	l, ctx, who, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Say
	s.busy = true
	return s, func() tea.Msg {
		code, _, err := l.OfferKey(ctx, who)
		return accountActMsg{code, say.T("Within 10 minutes, connect with the other key and give this code: under I have an account, or with %s and the code.", say.SSH("keys claim")), err}
	}
}

func (s account) newRecovery() (screen.Screen, tea.Cmd) {
	l, ctx, who, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Say
	s = s.said("", false)
	s.busy = true
	return s, func() tea.Msg {
		code, err := l.NewRecovery(ctx, who)
		return accountActMsg{code, say.T("Write it down: it lets a new key in when you lose yours, and is shown only this once."), err}
	}
}

func (s account) removeKey(fingerprint string) (screen.Screen, tea.Cmd) {
	l, ctx, who, sessions, say := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Sessions, s.env.Say
	s = s.said("", false)
	s.busy = true
	return s, func() tea.Msg {
		err := l.RemoveKey(ctx, who, fingerprint, sessions)
		return accountActMsg{"", say.T("The key is removed."), err}
	}
}

func (s account) delete() (screen.Screen, tea.Cmd) {
	l, ctx, who, sessions := s.env.Lobby, s.env.Ctx, s.env.Who, s.env.Sessions
	s = s.said("", false)
	s.busy = true
	return s, func() tea.Msg {
		if err := l.DeleteAccount(ctx, who, sessions); err != nil {
			return accountActMsg{err: err}
		}
		return screen.LeaveMsg{}
	}
}

func (s account) fields() []widget.Field {
	say := s.env.Say
	// Translators: no recovery code, or no computer player.
	made := say.T("none")
	if !s.now.Recovery.IsZero() {
		made = say.Date(s.now.Recovery)
	}
	fields := []widget.Field{
		{Key: nameRow, Label: say.T("Name"), Value: text.Clean(s.now.Name), Text: true,
			Help: say.T("Enter changes it, once in 30 days. The old name leads to you for 90 days; records keep it.")},
		{Key: recoveryRow, Label: say.T("Recovery code"), Value: made, Text: true,
			Help: say.T("It lets a new key in when you lose yours. Enter makes another one.")},
	}
	for i, k := range s.now.Keys {
		fields = append(fields, widget.Field{Key: keyRow + k.Fingerprint, Label: say.T("Key %d", i+1), Value: text.Clean(k.Fingerprint), Text: true, Gap: i == 0,
			Help: s.aboutKey(k)})
	}
	return append(fields,
		widget.Field{Key: addRow, Label: say.T("Add a key"), Button: true, Gap: true,
			Help: say.T("For another computer: enter shows a code, which the other key gives once.")},
		widget.Field{Key: exportRow, Label: say.T("Export"), Button: true,
			Help: say.T("All that the club keeps of you, as JSON lines: %s", say.SSH("export > me.jsonl"))},
		widget.Field{Key: deleteRow, Label: say.T("Delete the account"), Button: true,
			Help: say.T("Your name, keys and settings go, and matches in progress end. Finished ones stay under the name: former player.")})
}

func (s account) aboutKey(k accounts.Key) string {
	say := s.env.Say
	var words []string
	if k.Fingerprint == s.env.Fingerprint {
		words = append(words, say.T("You are here with this key."))
	}
	if !k.Added.IsZero() {
		words = append(words, say.T("Added %s.", say.Date(k.Added)))
	}
	if !k.Used.IsZero() {
		words = append(words, say.T("Last used %s.", say.Date(k.Used)))
	}
	if len(s.now.Keys) > 1 {
		words = append(words, say.T("Enter removes it."))
	}
	return strings.Join(words, " ")
}

// question returns the question of the row under the cursor.
func (s account) question() string {
	say := s.env.Say
	switch {
	case s.asks == nameRow:
		return say.T("What shall we call you?")
	case s.asks == recoveryRow:
		return say.T("The old recovery code will not work any more. Make a new one? Enter once more.")
	case s.asks == deleteRow && s.sure:
		return say.T("This can't be undone. Delete the account %s? Enter once more, esc keeps it.", text.Clean(s.now.Name))
	case s.asks == deleteRow:
		return say.T("To delete your account, type your name and press enter. Esc keeps it.")
	case strings.TrimPrefix(s.asks, keyRow) == s.env.Fingerprint:
		return say.T("You are here with this key: removing it ends this visit. Remove it? Enter once more.")
	}
	return say.T("Remove this key? Its sessions end at once. Enter once more.")
}

// below is the number of lines that are left for words below the rows.
const below = 7

// room returns how many lines the rows have.
func (s account) room() int { return max(s.size.Height-widget.FirstLine-below, 3) }

func (s account) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.Theme
	p.Down(widget.FirstLine)
	if !s.loaded {
		p.Wrap(widget.MenuColumn, t.Accent, s.words, widget.Measure(p.Width)-2*widget.MenuColumn)
		return
	}
	fields := s.fields()
	widget.DrawFields(&p, t, fields, s.at, s.room())
	p.End()
	w := min(p.Width-2*widget.MenuColumn, widget.Readable)
	switch {
	case s.asks != "":
		p.Wrap(widget.MenuColumn, t.Accent, s.question(), w)
		if s.typing() {
			p.Line(widget.MenuColumn, t.Plain, "> "+s.typed.Text)
		}
	case s.answer != "":
		p.Line(widget.MenuColumn, t.Bold, s.answer)
		p.Wrap(widget.MenuColumn, t.Plain, s.words, w)
	case s.problem:
		p.Wrap(widget.MenuColumn, t.Accent, s.words, w)
	case s.words != "":
		p.Wrap(widget.MenuColumn, t.Plain, s.words, w)
	default:
		p.Wrap(widget.MenuColumn, t.Dim, widget.FieldHelp(fields, s.at, p.Width), w)
	}
}

func (s account) Help() string {
	return s.env.Say.T("Your key is your password. Add one for each computer, and keep the recovery code on paper: with it a new key gets in when the others are lost. Commands do the same: %s", s.env.Say.SSH("help keys"))
}

func (s account) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("account")
}
func (s account) Status() string   { return s.env.Who.Name }
func (s account) Typing() bool     { return s.asks != "" }
func (s account) HandlesEsc() bool { return s.asks != "" }

func (s account) ShortHelp() []key.Binding {
	if s.asks != "" {
		return []key.Binding{widget.Label("enter", text.T("go on")), widget.Label("esc", text.T("cancel"))}
	}
	return accountKeys.ShortHelp(s)
}
func (s account) FullHelp() [][]key.Binding { return accountKeys.FullHelp(s) }
