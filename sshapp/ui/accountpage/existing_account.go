package accountpage

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby/accounts"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// codeTyped is the longest code that can be typed: a recovery code and some blanks.
const codeTyped = 40

// An existingAccount is the form for a new key of a player who has an account. It takes a key code from that account, or the name and the
// recovery code.
type existingAccount struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	entries [2]widget.Entry // the code and the name
	at      int
	busy    bool
	problem string
}

func newExistingAccount(e *screen.Env) screen.Screen { return existingAccount{env: e} }

func (s existingAccount) Init() tea.Cmd { return nil }

func (s existingAccount) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case refusedMsg:
		s.busy, s.problem = false, s.env.Say.Error(msg.err)
	case tea.PasteMsg:
		s.entries[s.at], s.problem = s.entries[s.at].Insert(msg.Content, s.limit()), ""
	case tea.MouseClickMsg:
		if at := widget.FieldAt(s.fields(), s.at, len(s.fields())+1, msg.Y-s.formLine(s.size.Width)); at >= 0 && msg.Button == tea.MouseLeft {
			s.at = at
		}
	case tea.KeyPressMsg:
		if run, ok := existingAccountKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
		s.entries[s.at], _ = s.entries[s.at].Typed(msg, s.limit())
		s.problem = ""
	}
	return s, nil
}

func (s existingAccount) limit() int { return [2]int{codeTyped, nameCells}[s.at] }

var existingAccountKeys = widget.Actions[existingAccount]{
	Footer: []widget.Action[existingAccount]{
		widget.On("enter", text.T("come in"), existingAccount.submit, "enter"),
		widget.OnKey(text.T("up down"), text.T("move"), existingAccount.move, "up", "down", "tab", "shift+tab"),
	},
}

func (s existingAccount) move(msg tea.KeyPressMsg) (existingAccount, tea.Cmd) {
	switch msg.String() {
	case "up":
		s.at = 0
	case "down":
		s.at = 1
	default:
		s.at = 1 - s.at
	}
	return s, nil
}

// submit lets the key into the account.
func (s existingAccount) submit() (existingAccount, tea.Cmd) {
	code, name := s.entries[0].Text, s.entries[1].Text
	switch {
	case s.busy:
		return s, nil
	case !accounts.IsKeyCode(code) && name == "":
		s.at, s.problem = 1, s.env.Say.T("A recovery code goes with the name of the account.")
		return s, nil
	}
	s.busy, s.problem = true, ""
	l, ctx, fingerprint, origin, sessions := s.env.Lobby, s.env.Ctx, s.env.Fingerprint, s.env.Origin, s.env.Sessions
	return s, func() tea.Msg {
		var next string
		var err error
		if accounts.IsKeyCode(code) {
			_, err = l.ClaimKey(ctx, fingerprint, origin, code, sessions)
		} else {
			_, next, err = l.Recover(ctx, fingerprint, origin, name, code, sessions)
		}
		if err != nil {
			return refusedMsg{err}
		}
		who, settings, err := l.SignIn(ctx, fingerprint)
		if err != nil {
			return refusedMsg{err}
		}
		return screen.SignedMsg{Who: who, Recovery: next, Settings: &settings}
	}
}

func (s existingAccount) fields() []widget.Field {
	say := s.env.Say
	return []widget.Field{
		{Key: "code", Label: say.T("Code"), Value: s.entries[0].Text, Text: true, Bad: s.problem != "",
			Help: say.T("From the account's page under Settings (Add a key), or your recovery code.")},
		{Key: "name", Label: say.T("Name"), Value: s.entries[1].Text, Text: true,
			Help: say.T("Needed with a recovery code alone.")},
	}
}

func (s existingAccount) welcome(w int) []string {
	return text.Wrap(s.env.Say.T("Let this key into your account. If ssh offered the wrong one of your keys, leave and choose the right one with ssh -i KEYFILE -o IdentitiesOnly=yes."),
		widget.Measure(w)-2*widget.MenuColumn)
}

// formLine returns the line of the body where the form starts.
func (s existingAccount) formLine(w int) int { return len(s.welcome(w)) + 2 }

func (s existingAccount) Draw(c *canvas.Canvas, area canvas.Rect) {
	drawFirstVisit(s.env.Theme, c, area, s.welcome(area.Dx()), s.fields(), s.at, s.entries[s.at], s.problem)
}

// Cursor returns the place of the cursor in the field that is edited.
func (s existingAccount) Cursor() (x, y int, shown bool) {
	_, x = widget.TypedIn(s.fields(), s.at, s.size.Width, s.entries[s.at])
	return x, s.formLine(s.size.Width) + s.at, true
}

func (s existingAccount) Title() string  { return s.env.Greeting.Name() }
func (s existingAccount) Status() string { return s.env.Say.T("first visit") }

func (s existingAccount) ShortHelp() []key.Binding  { return existingAccountKeys.ShortHelp(s) }
func (s existingAccount) FullHelp() [][]key.Binding { return existingAccountKeys.FullHelp(s) }
func (s existingAccount) Typing() bool              { return true }
