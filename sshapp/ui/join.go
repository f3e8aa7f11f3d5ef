package ui

import (
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"ludoteca/lobby"
	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
	"ludoteca/storage"
)

// codeCells is how long a code is.
const codeCells = 6

// joinScreen takes the code of a match, letter by letter.
type joinScreen struct {
	env     *env
	size    tea.WindowSizeMsg
	code    entry
	busy    bool
	problem string
	watch   storage.MatchID // a match that can't be joined but watched: enter goes there
}

func newJoin(e *env) screen { return joinScreen{env: e} }

// fill is the screen after a code has been refused.
func (s joinScreen) fill(code string, err error) joinScreen {
	s.code = s.code.insert(strings.ToUpper(code), codeCells)
	return s.refused(foundMsg{err: err})
}

func (s joinScreen) Init() tea.Cmd { return nil }

func (s joinScreen) Update(msg tea.Msg) (screen, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
	case foundMsg:
		s.busy = false
		if msg.err == nil {
			return s, replace(newMatch(s.env, msg.id))
		}
		return s.refused(msg), nil
	case tea.PasteMsg:
		return s.edited(s.pasted(msg.Content)), nil
	case tea.KeyPressMsg:
		if key.Matches(msg, s.keys().join) {
			return s.enter()
		}
		if s.problem != "" && msg.Text != "" && len(s.code.text) == codeCells {
			s.code = entry{} // the one that was refused: this is the first letter of another
		}
		if code, ok := s.code.typed(upper(msg), codeCells); ok {
			return s.edited(code), nil
		}
	}
	return s, nil
}

// pasted is the code after a paste: of a whole one, maybe spaced as it stands beside the board or behind the command that
// a friend has sent, or of a few letters where the cursor is.
func (s joinScreen) pasted(words string) entry {
	code := []rune(strings.ToUpper(strings.Join(strings.Fields(text.Clean(words)), "")))
	if len(code) < codeCells {
		return s.code.insert(string(code), codeCells)
	}
	return entry{}.insert(string(code[len(code)-codeCells:]), codeCells)
}

// upper is a key in capitals; a space is none that a code has.
func upper(msg tea.KeyPressMsg) tea.KeyPressMsg {
	msg.Text = strings.TrimSpace(strings.ToUpper(msg.Text))
	return msg
}

func (s joinScreen) edited(code entry) joinScreen {
	s.code, s.problem, s.watch = code, "", ""
	return s
}

func (s joinScreen) enter() (screen, tea.Cmd) {
	switch {
	case s.busy:
		return s, nil
	case s.watch != "":
		return s, replace(newMatch(s.env, s.watch))
	case text.Width(s.code.text) < codeCells:
		s.problem = s.env.say.T("A code has six letters and digits, like K7QM2X. Your friend sees it on the board.")
		return s, nil
	}
	s.busy = true
	return s, join(s.env, s.code.text)
}

// refused says why a code leads nowhere.
func (s joinScreen) refused(msg foundMsg) joinScreen {
	say := s.env.say
	switch err := msg.err; {
	case errors.Is(err, lobby.ErrNoSuchMatch):
		s.problem = say.NoSuchCode(s.code.text)
	case msg.id != "" && errors.Is(err, lobby.ErrSeatTaken):
		s.watch, s.problem = msg.id, say.T("Both seats are taken. Press enter again to watch.")
	case msg.id != "" && errors.Is(err, lobby.ErrOver):
		s.watch, s.problem = msg.id, say.T("This match is over. Press enter again to look at it.")
	case msg.id != "" && errors.Is(err, lobby.ErrOwnOffer):
		s.watch, s.problem = msg.id, say.T("This is your own match. Press enter again to go there.")
	default:
		s.problem = say.Error(err)
	}
	return s
}

func (s joinScreen) Draw(c *canvas.Canvas, area canvas.Rect) {
	p := newPage(c, area)
	t, say := s.env.theme, s.env.say
	p.end()
	for _, words := range text.Wrap(say.T("Type the code that your friend has given you."), p.width-2*menuColumn) {
		p.line(menuColumn, t.plain, words)
	}
	p.down(s.codeLine())
	p.to(menuColumn)
	for i := range codeCells {
		if i < len(s.code.text) {
			p.put(t.accent, s.code.text[i:i+1]).to(p.at + 1)
		} else {
			p.put(t.dim, "_").to(p.at + 1)
		}
	}
	p.end()
	p.end()
	for _, words := range text.Wrap(s.problem, p.width-2*menuColumn) {
		p.line(menuColumn, t.accent, words)
	}
}

// codeLine is the line of the body with the code.
func (s joinScreen) codeLine() int { return 4 }

// Cursor stands where the next letter goes.
func (s joinScreen) Cursor() (x, y int, shown bool) {
	return menuColumn + 2*s.code.column(), s.codeLine(), s.code.column() < codeCells
}

func (s joinScreen) Title() string  { return "Ludoteca" + s.env.theme.dot + s.env.say.T("join by code") }
func (s joinScreen) Status() string { return s.env.who.Name }
func (s joinScreen) Typing() bool   { return true }

// joinKeys are the keys of the form for a code.
type joinKeys struct{ letters, join key.Binding }

func (s joinScreen) keys() joinKeys {
	say := s.env.say
	return joinKeys{label(say.T("letters"), say.T("the code")), bind("enter", say.T("join"), "enter")}
}

func (s joinScreen) Keys() keyMap {
	k := s.keys()
	return bindings{k.letters, k.join}
}
