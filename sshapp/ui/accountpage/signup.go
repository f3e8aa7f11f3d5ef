package accountpage

import (
	"errors"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
	"ludoteca/storage/accounts"
)

// nameCells is the longest name that can be typed: longer than the club allows, so that the form can say that the name is too long.
const nameCells = 24

// A signUp is the form for a new key: the player's name, and the language where there is a choice.
type signUp struct {
	env      *screen.Env
	size     tea.WindowSizeMsg
	name     widget.Entry
	language int
	settings accounts.Settings
	at       int
	busy     bool
	problem  string
}

type refusedMsg struct{ err error }

// NewSignUp returns the first page of a new key. suggested is the name that the form starts with; it may be empty.
func NewSignUp(e *screen.Env, suggested string) screen.Screen {
	s := signUp{env: e, settings: e.Settings}
	s.name = s.name.Insert(suggested, nameCells)
	for i, l := range text.Languages() {
		if l.Code == e.Say.Code() {
			s.language = i
		}
	}
	return s
}

func (s signUp) Init() tea.Cmd { return nil }

func (s signUp) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case refusedMsg:
		s.busy = false
		s.problem = s.env.Say.Error(msg.err)
	case tea.PasteMsg:
		s.name, s.problem = s.name.Insert(msg.Content, nameCells), ""
	case tea.MouseClickMsg:
		return s.click(msg)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return s, nil
}

// key handles a key: one of keys, or a letter of the name.
func (s signUp) key(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	if run, ok := signUpKeys.Find(s, msg.String()); ok {
		return run(s, msg)
	}
	if s.fields()[s.at].Key == "name" {
		s.name, _ = s.name.Typed(msg, nameCells)
		s.problem = ""
	}
	return s, nil
}

var signUpKeys = widget.Actions[signUp]{
	Footer: []widget.Action[signUp]{
		widget.On("enter", text.T("come in"), signUp.submit, "enter"),
		widget.Typed[signUp]("ctrl+c", text.T("leave")), // App's key, named here to stand before the next
		widget.OnKey(text.T("arrows"), text.T("move, change the language"), signUp.move, "up", "down").When(signUp.hasLanguages),
	},
	Others: []widget.Action[signUp]{
		widget.OnKey("", "", signUp.move, "up", "down", "tab", "shift+tab"),
		widget.OnKey("", "", signUp.changeLanguage, "left", "right", "space").When(signUp.onLanguage),
	},
}

func (s signUp) hasLanguages() bool { return len(text.Languages()) > 1 }
func (s signUp) onLanguage() bool   { return s.fields()[s.at].Key == "language" }

// move moves the cursor: the arrows and shift+tab stop at the ends, tab goes round.
func (s signUp) move(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	n := len(s.fields())
	switch msg.String() {
	case "up", "shift+tab":
		s.at = max(s.at-1, 0)
	case "down":
		s.at = min(s.at+1, n-1)
	case "tab":
		s.at = widget.Cycle(s.at, n, "tab")
	}
	return s, nil
}

func (s signUp) changeLanguage(msg tea.KeyPressMsg) (signUp, tea.Cmd) {
	return s.speak(widget.Cycle(s.language, len(text.Languages()), msg.String())), nil
}

// speak changes the language, also of this form.
func (s signUp) speak(language int) signUp {
	s.language, s.problem = language, ""
	s.settings.Language = text.Languages()[language].Code
	return s
}

// Settings returns the settings with the chosen language.
func (s signUp) Settings() accounts.Settings { return s.settings }

// submit creates the account.
func (s signUp) submit() (signUp, tea.Cmd) {
	if s.busy {
		return s, nil
	}
	if s.fields()[s.at].Key == "claim" {
		return s, screen.Push(newExistingAccount(s.env))
	}
	s.busy, s.problem = true, ""
	l, ctx, name, fingerprint, settings := s.env.Lobby, s.env.Ctx, s.name.Text, s.env.Fingerprint, s.settings
	return s, func() tea.Msg {
		who, err := l.SignUp(ctx, fingerprint, name)
		if err != nil {
			return refusedMsg{err}
		}
		if settings != (accounts.Settings{}) {
			err = l.SaveSettings(ctx, who, settings)
		}
		if err != nil && !errors.Is(err, lobby.ErrBusy) {
			return refusedMsg{err}
		}
		code, _ := l.NewRecovery(ctx, who) // without one they can ask for another
		return screen.SignedMsg{Who: who, Recovery: code}
	}
}

func (s signUp) fields() []widget.Field {
	say := s.env.Say
	fields := []widget.Field{{Key: "name", Label: say.T("Your name"), Value: s.name.Text, Text: true, Bad: s.problem != "",
		Help: say.T("2 to 20 letters and digits. Others see it; your key is your password.")}}
	if all := text.Languages(); len(all) > 1 {
		fields = append(fields, widget.Field{Key: "language", Label: say.T("Language"), Value: all[s.language].Name,
			Help: say.T("You can change it later under Settings.")})
	}
	return append(fields, widget.Field{Key: "enter", Label: say.T("Come in"), Button: true, Gap: true,
		Help: say.T("The lobby comes next.")},
		widget.Field{Key: "claim", Label: say.T("I have an account"), Button: true,
			Help: say.T("Let this key into it, with a code.")})
}

// greetingHeight is the least height of the page at which the form has room for the lines of the operator.
const greetingHeight = 20

// formLine returns the line of the body where the form starts.
func (s signUp) formLine(w int) int { return len(s.welcome(w)) + 2 }

func (s signUp) welcome(w int) []string {
	var lines []string
	if operators := s.env.Greeting.Lines(); len(operators) > 0 && s.size.Height >= greetingHeight {
		for _, line := range operators {
			lines = append(lines, text.Wrap(line, w-2*widget.MenuColumn)...)
		}
		lines = append(lines, "")
	}
	return append(lines, text.Wrap(s.env.Say.T("Welcome! This is a club for board games, and your key is new here. What shall we call you?"), widget.Measure(w)-2*widget.MenuColumn)...)
}

func (s signUp) Draw(c *canvas.Canvas, area canvas.Rect) {
	drawFirstVisit(s.env.Theme, c, area, s.welcome(area.Dx()), s.fields(), s.at, s.name, s.problem)
}

// drawFirstVisit draws a form for newcomers: a welcome, the fields, and words about the field at the cursor, into which typed is typed if it is one of text.
func drawFirstVisit(t *widget.Theme, c *canvas.Canvas, area canvas.Rect, welcome []string, fields []widget.Field, at int, typed widget.Entry, problem string) {
	p := widget.NewPage(c, area)
	p.End()
	for _, words := range welcome {
		p.Line(widget.MenuColumn, t.Plain, words)
	}
	p.End()
	y, words := t.Dim, widget.FieldHelp(fields, at, p.Width)
	if fields[at].Text {
		fields[at].Value, _ = widget.TypedIn(fields, at, p.Width, typed)
	}
	widget.DrawFields(&p, t, fields, at, len(fields)+1)
	p.End()
	if problem != "" {
		y, words = t.Accent, problem
	}
	p.Wrap(widget.MenuColumn, y, words, widget.Measure(p.Width)-2*widget.MenuColumn)
}

// Cursor returns the place of the cursor in the name while it is edited.
func (s signUp) Cursor() (x, y int, shown bool) {
	_, x = widget.TypedIn(s.fields(), 0, s.size.Width, s.name)
	return x, s.formLine(s.size.Width), s.at == 0
}

func (s signUp) click(msg tea.MouseClickMsg) (signUp, tea.Cmd) {
	fields := s.fields()
	at := widget.FieldAt(fields, s.at, len(fields)+1, msg.Y-s.formLine(s.size.Width))
	if at < 0 || msg.Button != tea.MouseLeft {
		return s, nil
	}
	s.at = at
	switch fields[at].Key {
	case "language":
		return s.speak(widget.Cycle(s.language, len(text.Languages()), "right")), nil
	case "enter", "claim":
		return s.submit()
	}
	return s, nil
}

func (s signUp) Title() string  { return s.env.Greeting.Name() }
func (s signUp) Status() string { return s.env.Say.T("first visit") }

func (s signUp) ShortHelp() []key.Binding  { return signUpKeys.ShortHelp(s) }
func (s signUp) FullHelp() [][]key.Binding { return signUpKeys.FullHelp(s) }
func (s signUp) Typing() bool              { return true }
