package accountpage

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/describe"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage"
	"ludoteca/storage/accounts"
	noticestore "ludoteca/storage/notices"
)

// A settings screen is the form for how the club looks and sounds. Changes hold at once.
type settings struct {
	env  *screen.Env
	size tea.WindowSizeMsg
	at   int
	now  accounts.Settings

	notices *noticestore.Contact // where the player wants notices; nil: not known
}

// NewSettings returns the form of the player's settings.
func NewSettings(e *screen.Env) screen.Screen { return settings{env: e, now: e.Settings} }

func (s settings) Init() tea.Cmd {
	if !hasNotices(s.env) {
		return nil
	}
	return readNotices(s.env)
}

func (s settings) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case screen.ResumedMsg:
		s.now.Zone = s.env.Settings.Zone // which the page of the time zone may have changed
		return s, s.Init()               // the page of notices may have changed them
	case noticesMsg:
		s.notices = nil
		if msg.err == nil {
			s.notices = &msg.now
		}
	case tea.MouseClickMsg:
		at := widget.FieldAt(s.fields(), s.at, s.size.Height, msg.Y-widget.FirstLine)
		switch {
		case at < 0 || msg.Button != tea.MouseLeft:
		case at == s.at:
			return s.changeBy("right")
		default:
			s.at = at
		}
	case tea.KeyPressMsg:
		return screen.Press(s, &settingsKeys, msg)
	}
	return s, nil
}

var settingsKeys = widget.Actions[settings]{Footer: []widget.Action[settings]{
	widget.OnKey(text.T("up down"), text.T("move"), settings.move, "up", "down", "home", "end", "pgup", "pgdown"),
	widget.OnKey(text.T("left right"), text.T("change"), settings.changeKey, "left", "right", "space", "enter"),
	widget.OnKey("", "", settings.next, "tab", "shift+tab"),
}}

func (s settings) move(msg tea.KeyPressMsg) (settings, tea.Cmd) {
	n := len(s.fields())
	s.at = widget.Moved(msg.String(), s.at, n, n)
	return s, nil
}

func (s settings) next(msg tea.KeyPressMsg) (settings, tea.Cmd) {
	s.at = widget.Cycle(s.at, len(s.fields()), msg.String())
	return s, nil
}

func (s settings) changeKey(msg tea.KeyPressMsg) (settings, tea.Cmd) {
	return s.changeBy(msg.String())
}

// changeBy changes the value under the cursor, or opens the page that the row leads to.
func (s settings) changeBy(key string) (settings, tea.Cmd) {
	switch at := s.fields()[s.at].Key; {
	case at != "account" && at != "matches" && at != "vacation" && at != "notices" && at != "nickname" && at != "zone":
		return s.change(key), nil
	case key == "left":
		return s, nil
	case at == "notices":
		return s, screen.Push(newNotices(s.env))
	case at == "zone":
		return s, screen.Push(newZone(s.env))
	case at == "vacation":
		return s, screen.Push(newVacation(s.env))
	case at == "nickname":
		return s, screen.Push(newNickname(s.env))
	case at == "matches":
		return s, screen.Push(NewGuestMatches(s.env))
	}
	return s, screen.Push(newAccount(s.env))
}

// A settingValue is a value of a setting, as stored and in English.
type settingValue struct{ stored, words string }

// The values of the settings, as stored and in words. The first of each is the default.
var (
	themes = []settingValue{
		{widget.ThemeAuto, text.T("any background")}, {widget.ThemeDark, text.T("dark background")},
		{widget.ThemeLight, text.T("light background")}, {widget.ThemePlain, text.T("no colours")},
	}
	charsets = []settingValue{
		{"", text.T("automatic")}, {"utf-8", "UTF-8"}, {accounts.CharsetASCII, "ASCII"},
	}
)

// change moves the value under the cursor on or back.
func (s settings) change(key string) settings {
	switch s.fields()[s.at].Key {
	case "theme":
		s.now.Theme = themes[widget.Cycle(place(themes, s.now.Theme), len(themes), key)].stored
	case "charset":
		s.now.Charset = charsets[widget.Cycle(place(charsets, s.now.Charset), len(charsets), key)].stored
	case "bell":
		s.now.Mute = !s.now.Mute
	case "notify":
		s.now.Notify = !s.now.Notify
	case "chat":
		s.now.ChatOff = !s.now.ChatOff
	case "lounge":
		s.now.Lounge = !s.now.Lounge
	case "television":
		s.now.TelevisionOff = !s.now.TelevisionOff
	case "lines":
		s.now.LineMode = !s.now.LineMode
	case "language":
		all := text.Languages()
		at := slices.IndexFunc(all, func(l text.Language) bool { return l.Code == s.env.Say.Code() })
		s.now.Language = all[widget.Cycle(max(at, 0), len(all), key)].Code
	}
	return s
}

// Settings returns the chosen settings.
func (s settings) Settings() accounts.Settings { return s.now }

// place returns the place of a value in a list, 0 if it isn't there.
func place(all []settingValue, value string) int {
	return max(slices.IndexFunc(all, func(v settingValue) bool { return v.stored == value }), 0)
}

func (s settings) fields() []widget.Field {
	say := s.env.Say
	onOff := func(off bool) string {
		if off {
			return say.T("off")
		}
		return say.T("on")
	}
	fields := []widget.Field{
		{Key: "theme", Label: say.T("Colours"), Value: say.T(themes[place(themes, s.now.Theme)].words),
			Help: say.T("The sides differ in shape too: you can play without colours.")},
		{Key: "charset", Label: say.T("Characters"), Value: say.T(charsets[place(charsets, s.now.Charset)].words),
			Help: say.T("Choose ASCII if lines and pieces look broken.")},
		{Key: "bell", Label: say.T("Bell"), Value: onOff(s.now.Mute), Help: say.T("It rings when it is your move.")},
		{Key: "notify", Label: say.T("Notifications"), Value: onOff(!s.now.Notify), Help: say.T("On your desktop, if your terminal can: your move elsewhere, a challenge, an offer.")},
		{Key: "chat", Label: say.T("Chat"), Value: onOff(s.now.ChatOff), Help: say.T("Off, you neither see nor write lines at matches.")},
		{Key: "lounge", Label: say.T("Lounge"), Value: onOff(!s.now.Lounge), Help: say.T("On, the newest line of the lounge stands below the lists of the lobby.")},
		{Key: "television", Label: say.T("Television"), Value: onOff(s.now.TelevisionOff),
			Help: say.T("In a window of 120x30 or more, the lobby shows the best match that is being played, else the last one.")},
	}
	if s.env.Who.Kind.HasAccount() {
		fields = append(fields, widget.Field{Key: "lines", Label: say.T("Line mode"), Value: onOff(!s.now.LineMode),
			Help: say.T("From your next visit on: text that only scrolls, for screen readers. There, set screen on brings this back.")})
	}
	if all := text.Languages(); len(all) > 1 {
		name := all[0].Name
		for _, l := range all {
			if l.Code == say.Code() {
				name = l.Name
			}
		}
		fields = append(fields, widget.Field{Key: "language", Label: say.T("Language"), Value: name})
	}
	fields = append(fields, widget.Field{Key: "zone", Label: say.T("Time zone"), Value: cmp.Or(s.now.Zone, "UTC"), Text: true, Help: say.T("In which you read times.")})
	if hasNotices(s.env) {
		fields = append(fields, widget.Field{Key: "notices", Label: say.T("Notices"), Value: s.noticesOn(), Text: true,
			Help: say.T("Of your move, a challenge or an event, when you are not here.")})
	}
	if s.env.Who.Kind.HasAccount() {
		fields = append(fields, widget.Field{Key: "vacation", Label: say.T("Vacation"), Button: true, Gap: true,
			Help: say.T("Days on which the clocks of your matches with days a move stand.")})
		fields = append(fields, widget.Field{Key: "account", Label: say.T("Your account"), Button: true,
			Help: say.T("Name, keys, recovery code, export, deletion.")})
	}
	if s.env.Who.Kind == storage.Guest {
		fields = append(fields, widget.Field{Key: "nickname", Label: say.T("Nickname"), Button: true, Gap: true,
			Help: say.T("A name of your choice behind guest-, for this visit.")})
		fields = append(fields, widget.Field{Key: "matches", Label: say.T("Keep your matches"), Button: true,
			Help: say.T("A code for a key, which takes them over.")})
	}
	return fields
}

// noticesOn says in a word or two where notices go; "" before that is known.
func (s settings) noticesOn() string {
	say := s.env.Say
	switch c := s.notices; {
	case c == nil:
		return ""
	case c.Confirmed == nil && c.Pending == nil:
		return say.T("off")
	case c.Confirmed == nil:
		return say.T("a code waits")
	case c.Confirmed.Kind == noticestore.Mail:
		return say.T("by mail")
	}
	return say.T("by ntfy")
}

func (s settings) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t := s.env.Theme
	p.Down(widget.FirstLine)
	fields := s.fields()
	widget.DrawFields(&p, t, fields, s.at, p.Height)
	p.End()
	words := widget.FieldHelp(fields, s.at, p.Width)
	if s.env.Who.Kind == storage.Guest {
		words += " " + s.env.Say.T("A guest's settings last for this visit only.")
	}
	p.Wrap(widget.MenuColumn, t.Dim, words, min(p.Width-2*widget.MenuColumn, widget.Readable))
	p.End()
	p.To(widget.MenuColumn).Put(t.First, describe.Marked(s.env, "X")).To(p.At+1).Put(t.First, s.env.Say.T("first side"))
	p.To(p.At+3).Put(t.Second, describe.Marked(s.env, "O")).To(p.At+1).Put(t.Second, s.env.Say.T("second side"))
	p.End()
}

func (s settings) Help() string {
	return s.env.Say.T("Changes take effect at once, and are kept for your key.")
}

func (s settings) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("settings")
}
func (s settings) Status() string { return s.env.Who.Name }

func (s settings) ShortHelp() []key.Binding  { return settingsKeys.ShortHelp(s) }
func (s settings) FullHelp() [][]key.Binding { return settingsKeys.FullHelp(s) }
func (s settings) Typing() bool              { return false }
