package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// nameCells is how much of a name can be typed: more than the club allows, so that the form can say that the name is too long.
const nameCells = 24

// A signUp is the form for a new key: the player's name, and the language where there is a choice.
type signUp struct {
	env         *env
	size        tea.WindowSizeMsg
	fingerprint string
	name        entry
	language    int
	settings    storage.Settings
	at          int
	busy        bool
	problem     string
}

// signedMsg says that the player has an account now. App goes on to the lobby.
type signedMsg struct{ who lobby.User }

type refusedMsg struct{ err error }

func newSignUp(e *env, fingerprint, suggested string) screen {
	s := signUp{env: e, fingerprint: fingerprint, settings: e.settings}
	s.name = s.name.insert(suggested, nameCells)
	for i, l := range text.Languages() {
		if l.Code == e.say.Code() {
			s.language = i
		}
	}
	return s
}

func (s signUp) Init() tea.Cmd { return nil }

func (s signUp) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case refusedMsg:
		s.busy = false
		s.problem = s.env.say.Error(msg.err)
	case tea.PasteMsg:
		s.name, s.problem = s.name.insert(msg.Content, nameCells), ""
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return s, nil
}

// key handles a key: one of keys, or a letter of the name.
func (s signUp) key(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	if run, ok := s.keys().find(msg); ok {
		return run(s, msg)
	}
	if s.fields()[s.at].key == "name" {
		s.name, _ = s.name.typed(msg, nameCells)
		s.problem = ""
	}
	return s, nil
}

func (s signUp) keys() keyActions[signUp] {
	say := s.env.say
	onLanguage := s.fields()[s.at].key == "language"
	return keyActions[signUp]{
		footer: []keyAction[signUp]{
			on("enter", say.T("come in"), signUp.submit, "enter"),
			typed[signUp]("ctrl+c", say.T("leave")), // App's key, named here to stand before the next
			onKey(say.T("arrows"), say.T("move, change the language"), signUp.move, "up", "down").enabled(len(text.Languages()) > 1),
		},
		others: []keyAction[signUp]{
			onKey("", "", signUp.move, "up", "down", "tab", "shift+tab"),
			onKey("", "", signUp.changeLanguage, "left", "right", "space").enabled(onLanguage),
		},
	}
}

// move moves the cursor: the arrows and shift+tab stop at the ends, tab goes round.
func (s signUp) move(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	n := len(s.fields())
	switch msg.String() {
	case "up", "shift+tab":
		s.at = max(s.at-1, 0)
	case "down":
		s.at = min(s.at+1, n-1)
	case "tab":
		s.at = cycle(s.at, n, "tab")
	}
	return s, nil
}

func (s signUp) changeLanguage(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	return s.speak(cycle(s.language, len(text.Languages()), msg.String())), nil
}

// speak changes the language, also of this form.
func (s signUp) speak(language int) signUp {
	s.language, s.problem = language, ""
	s.settings.Language = text.Languages()[language].Code
	return s
}

// Settings returns the settings with the chosen language.
func (s signUp) Settings() storage.Settings { return s.settings }

// submit creates the account.
func (s signUp) submit() (signUp, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	s.busy, s.problem = true, ""
	l, ctx, name, fingerprint, settings := s.env.lobby, s.env.ctx, s.name.text, s.fingerprint, s.settings
	return s, func() tea.Msg {
		who, err := l.SignUp(ctx, fingerprint, name)
		if err != nil {
			return refusedMsg{err}
		}
		if settings != (storage.Settings{}) {
			err = l.SaveSettings(ctx, who, settings)
		}
		if err != nil && !errors.Is(err, lobby.ErrBusy) {
			return refusedMsg{err}
		}
		return signedMsg{who}
	}
}

func (s signUp) fields() []field {
	say := s.env.say
	fields := []field{{key: "name", label: say.T("Your name"), value: s.name.text, text: true, bad: s.problem != "",
		help: say.T("Letters and digits, 2 to 20 of them. Others see it; your key is your password.")}}
	if all := text.Languages(); len(all) > 1 {
		fields = append(fields, field{key: "language", label: say.T("Language"), value: all[s.language].Name,
			help: say.T("You can change it later under Settings.")})
	}
	return append(fields, field{key: "enter", label: say.T("Come in"), button: true, gap: true,
		help: say.T("The lobby comes next.")})
}

// formLine returns the line of the body where the form starts.
func (s signUp) formLine(w int) int { return len(s.welcome(w)) + 2 }

func (s signUp) welcome(w int) []string {
	return text.Wrap(s.env.say.T("Welcome! This is a club for board games, and your key is new here. What shall we call you?"), w-2*menuColumn)
}

func (s signUp) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t := s.env.theme
	p.end()
	for _, words := range s.welcome(p.width) {
		p.line(menuColumn, t.plain, words)
	}
	p.end()
	fields := s.fields()
	drawFields(p, t, fields, s.at, len(fields)+1)
	p.end()
	y, words := t.dim, fields[s.at].help
	if s.problem != "" {
		y, words = t.accent, s.problem
	}
	p.wrap(menuColumn, y, words, p.width-2*menuColumn)
}

// Cursor stands in the name while it is edited.
func (s signUp) Cursor() (x, y int, shown bool) {
	return valueColumn(s.fields(), 0, s.size.Width) + s.name.column(), s.formLine(s.size.Width), s.at == 0
}

func (s signUp) click(msg tea.MouseClickMsg) (signUp, tea.Cmd) {
	fields := s.fields()
	at := fieldAt(fields, s.at, len(fields)+1, msg.Y-s.formLine(s.size.Width))
	if at < 0 || msg.Button != tea.MouseLeft {
		return s, nil
	}
	s.at = at
	switch fields[at].key {
	case "language":
		return s.speak(cycle(s.language, len(text.Languages()), "right")), nil
	case "enter":
		return s.submit()
	}
	return s, nil
}

func (s signUp) Title() string  { return "Ludoteca" }
func (s signUp) Status() string { return s.env.say.T("first visit") }
func (s signUp) Keys() keyMap   { return s.keys() }
func (s signUp) Typing() bool   { return true }
