package newmatch

import (
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/sshapp/ui/screen"
	"ludoteca/sshapp/ui/widget"
)

// codeCells is the length of a code.
const codeCells = 6

// A joinScreen is the form for the code of a match.
type joinScreen struct {
	env     *screen.Env
	size    tea.WindowSizeMsg
	code    widget.Entry
	busy    bool
	problem string
	watch   lobby.Ref // a match that can only be watched: enter shows it
}

// foundMsg is the match of a code. With an error, ref may still name a match that can be watched.
type foundMsg struct {
	ref lobby.Ref
	err error
}

// join takes the free seat of the match with a code.
func join(e *screen.Env, code string) tea.Cmd {
	l, ctx, who, origin := e.Lobby, e.Ctx, e.Who, e.Origin
	return func() tea.Msg {
		ref, err := l.Join(ctx, who, origin, code)
		return foundMsg{ref, err}
	}
}

// NewJoin returns the form for the code of a match.
func NewJoin(e *screen.Env) screen.Screen { return joinScreen{env: e} }

// fill returns the form as it is after a code was refused.
func (s joinScreen) fill(code string, err error) joinScreen {
	s.code = s.code.Insert(strings.ToUpper(code), codeCells)
	return s.refused(foundMsg{err: err})
}

func (s joinScreen) Init() tea.Cmd { return nil }

func (s joinScreen) Update(msg tea.Msg) (screen.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case foundMsg:
		s.busy = false
		if msg.err == nil {
			return s, screen.ReplaceByMatch(msg.ref)
		}
		return s.refused(msg), nil
	case tea.PasteMsg:
		return s.edited(s.pasted(msg.Content)), nil
	case tea.KeyPressMsg:
		if run, ok := joinKeys.Find(s, msg.String()); ok {
			return run(s, msg)
		}
		if s.problem != "" && msg.Text != "" && text.Width(s.code.Text) == codeCells {
			s.code = widget.Entry{} // the refused code: this letter begins another one
		}
		if code, ok := s.code.Typed(upper(msg), codeCells); ok {
			return s.edited(code), nil
		}
	}
	return s, nil
}

// pasted returns the code after a paste. A whole code replaces what is typed, with or without spaces between its letters and
// words before it, as in a command line; fewer letters are inserted at the cursor.
func (s joinScreen) pasted(words string) widget.Entry {
	code := []rune(strings.ToUpper(strings.Join(strings.Fields(text.Clean(words)), "")))
	if len(code) < codeCells {
		return s.code.Insert(string(code), codeCells)
	}
	return widget.Entry{}.Insert(string(code[len(code)-codeCells:]), codeCells)
}

// upper returns a key as a capital letter, and a space without text: no code has spaces.
func upper(msg tea.KeyPressMsg) tea.KeyPressMsg {
	msg.Text = strings.TrimSpace(strings.ToUpper(msg.Text))
	return msg
}

func (s joinScreen) edited(code widget.Entry) joinScreen {
	s.code, s.problem, s.watch = code, "", lobby.Ref{}
	return s
}

var joinKeys = widget.Actions[joinScreen]{Footer: []widget.Action[joinScreen]{
	widget.Typed[joinScreen](text.T("letters"), text.T("the code")),
	widget.On("enter", text.T("join"), joinScreen.enter, "enter"),
	widget.On("?", text.T("help"), joinScreen.openHelp, "?"), // no code has one
}}

func (s joinScreen) openHelp() (joinScreen, tea.Cmd) { return s, screen.ShowHelp }

// enter joins the match of the code.
func (s joinScreen) enter() (joinScreen, tea.Cmd) {
	switch {
	case s.busy:
		return s, nil
	case s.watch.ID != "":
		return s, screen.ReplaceByMatch(s.watch)
	case text.Width(s.code.Text) < codeCells:
		s.problem = s.env.Say.T("A code has six letters and digits, like K7QM2X. Your friend sees it beside the board.")
		return s, nil
	}
	s.busy = true
	return s, join(s.env, s.code.Text)
}

// refused says why a code leads nowhere.
func (s joinScreen) refused(msg foundMsg) joinScreen {
	say := s.env.Say
	switch err := msg.err; {
	case errors.Is(err, lobby.ErrNoSuchMatch):
		s.problem = say.NoSuchCode(s.code.Text)
	case msg.ref.ID != "" && errors.Is(err, lobby.ErrSeatTaken):
		s.watch, s.problem = msg.ref, say.T("Both seats are taken. Press enter again to watch.")
	case msg.ref.ID != "" && errors.Is(err, lobby.ErrOver):
		s.watch, s.problem = msg.ref, say.T("This match is over. Press enter again to look at it.")
	case msg.ref.ID != "" && errors.Is(err, lobby.ErrOwnOffer):
		s.watch, s.problem = msg.ref, say.T("This is your own match. Press enter again to go there.")
	default:
		s.problem = say.Error(err)
	}
	return s
}

func (s joinScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := widget.NewPage(c, area)
	t, say := s.env.Theme, s.env.Say
	p.End()
	p.Wrap(widget.MenuColumn, t.Plain, say.T("Type the code that your friend has given you."), widget.Measure(p.Width)-2*widget.MenuColumn)
	p.Down(codeLine)
	p.To(widget.MenuColumn)
	for typed := displaywidth.StringGraphemes(s.code.Text); typed.Next(); {
		p.Put(t.Accent, typed.Value()).To(p.At + typed.Width())
	}
	for range codeCells - text.Width(s.code.Text) {
		p.Put(t.Dim, "_").To(p.At + 1)
	}
	p.End()
	p.End()
	p.Wrap(widget.MenuColumn, t.Accent, s.problem, widget.Measure(p.Width)-2*widget.MenuColumn)
}

// codeLine is the line of the body with the code.
const codeLine = 4

// Cursor returns the place of the next letter of the code.
func (s joinScreen) Cursor() (x, y int, shown bool) {
	return widget.MenuColumn + 2*s.code.Column(), codeLine, s.code.Column() < codeCells
}

func (s joinScreen) Title() string {
	return s.env.Greeting.Name() + s.env.Theme.Dot + s.env.Say.T("join by code")
}
func (s joinScreen) Status() string { return s.env.Who.Name }

func (s joinScreen) ShortHelp() []key.Binding  { return joinKeys.ShortHelp(s) }
func (s joinScreen) FullHelp() [][]key.Binding { return joinKeys.FullHelp(s) }
func (s joinScreen) Typing() bool              { return true }
