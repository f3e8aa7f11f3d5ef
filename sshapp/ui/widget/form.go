package widget

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/terminal/canvas"
	"ludoteca/sshapp/text"
)

// A Form fills a screen with fields, and has words about the field with the cursor below them. It knows where the cursor is, what is typed, and the
// size of the window. The screen has the values: it makes the fields of them whenever they are needed, one at least, and says what a key does to them.
type Form struct {
	at     string // the field with the cursor, by its key
	digits string // the number that is being typed into it
	size   tea.WindowSizeMsg
	cells  map[string]int   // the longest text of each field of text, in cells, by its key; never changed
	texts  map[string]Entry // what is typed into them; with makes another map
}

// A FormContent is what a form shows at one moment.
type FormContent struct {
	Fields  []Field
	Problem string // what is wrong, below the fields in place of all other words; "" for nothing
	Note    string // stands there in place of the help of the field; "" for none
}

// maxDigits bounds the digits of a number that is typed.
const maxDigits = 5

// formPage is how many fields the keys of pages move the cursor.
const formPage = 5

// NewForm returns a form with the cursor on a field. cells maps the fields that are typed as text to the longest text of each, in cells.
func NewForm(at string, cells map[string]int) Form { return Form{at: at, cells: cells} }

// DigitKeys returns the action of the digits.
func DigitKeys[S any](press func(S, tea.KeyPressMsg) (S, tea.Cmd)) Action[S] {
	return OnKey(text.T("digits"), text.T("a number"), press, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// At returns the key of the field with the cursor.
func (f Form) At() string { return f.at }

// Index returns the place of the cursor among the fields: the first one if its field is gone.
func (f Form) Index(fields []Field) int {
	return max(slices.IndexFunc(fields, func(field Field) bool { return field.Key == f.at }), 0)
}

// Focus moves the cursor to a field. The number that was typed is complete then.
func (f Form) Focus(key string) Form {
	f.at, f.digits = key, ""
	return f
}

// Resize takes the size of the window.
func (f Form) Resize(size tea.WindowSizeMsg) Form {
	f.size = size
	return f
}

// Press moves the cursor by a key. changes reports whether the key is one that changes the value of the field instead.
func (f Form) Press(press string, fields []Field) (next Form, changes bool) {
	at, n := f.Index(fields), len(fields)
	switch press {
	case "left", "right", "space":
		changes = true
	case "tab", "shift+tab":
		at = Cycle(at, n, press)
	default:
		at = Moved(press, at, n, formPage)
	}
	return f.Focus(fields[at].Key), changes
}

// Click moves the cursor to the field under a click. press is the key that the click stands for: enter on a button; left or right on the value of the
// field that has the cursor already; "" for none.
func (f Form) Click(m tea.MouseClickMsg, now FormContent) (next Form, press string) {
	was := f.Index(now.Fields)
	at := FieldAt(now.Fields, was, f.room(now, f.size.Width, f.size.Height), m.Y-FirstLine)
	switch {
	case at < 0 || m.Button != tea.MouseLeft:
		return f, ""
	case now.Fields[at].Button:
		return f, "enter"
	}
	value := ValueColumn(now.Fields, at, f.size.Width)
	switch {
	case at != was || m.X < value:
	case m.X < value+marks/2:
		press = "left"
	default:
		press = "right"
	}
	return f.Focus(now.Fields[at].Key), press
}

// Digit adds a digit to the number that is typed, or takes the last one away for a backspace.
func (f Form) Digit(press string) Form {
	switch {
	case press == "backspace":
		f.digits = f.digits[:max(len(f.digits)-1, 0)]
	case len(f.digits) < maxDigits:
		f.digits += press
	}
	return f
}

// Number returns the number that is typed, or the usual one if no digit is.
func (f Form) Number(usual int) int {
	n, err := strconv.Atoi(f.digits)
	if err != nil {
		return usual
	}
	return n
}

// Typing reports whether the cursor is on a field of text.
func (f Form) Typing() bool { return f.cells[f.at] > 0 }

// Type changes the text of the field with the cursor by a key or a paste. used is false if the cursor is on no field of text, or the message is not for
// one.
func (f Form) Type(msg tea.Msg) (next Form, used bool) {
	if !f.Typing() {
		return f, false
	}
	entry, limit := f.texts[f.at], f.cells[f.at]
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return f.with(f.at, entry.Insert(msg.Content, limit)), true
	case tea.KeyPressMsg:
		if entry, ok := entry.Typed(msg, limit); ok {
			return f.with(f.at, entry), true
		}
	}
	return f, false
}

// Write puts words into a field of text in place of what is there.
func (f Form) Write(key, words string) Form {
	return f.with(key, Entry{}.Insert(words, f.cells[key]))
}

// Text returns what is typed into a field of text.
func (f Form) Text(key string) string { return f.texts[key].Text }

// with returns the form with another text in a field.
func (f Form) with(key string, e Entry) Form {
	texts := maps.Clone(f.texts)
	if texts == nil {
		texts = make(map[string]Entry)
	}
	texts[key] = e
	f.texts = texts
	return f
}

// numbered returns the fields with the number that is being typed.
func (f Form) numbered(fields []Field) []Field {
	at := f.Index(fields)
	if f.digits == "" || fields[at].Key != f.at {
		return fields
	}
	fields = slices.Clone(fields)
	fields[at].Value = f.digits + "_"
	return fields
}

// typed returns the fields of a form of w cells with the part of the text that is being typed in which the cursor is.
func (f Form) typed(fields []Field, w int) []Field {
	at := f.Index(fields)
	if !f.Typing() || fields[at].Key != f.at {
		return fields
	}
	fields = slices.Clone(fields)
	fields[at].Value, _ = TypedIn(fields, at, w, f.texts[f.at])
	return fields
}

// below returns the lines below the fields of a form of w cells.
func (f Form) below(now FormContent, w int) []string {
	words := cmp.Or(now.Problem, now.Note)
	if words == "" {
		words = FieldHelp(f.numbered(now.Fields), f.Index(now.Fields), w)
	}
	return text.Wrap(words, max(min(w-2*MenuColumn, Readable), 1))
}

// room returns how many lines the fields have in a window of the given size: many words below them take some.
func (f Form) room(now FormContent, w, h int) int {
	return max(h-FirstLine-max(HelpLines, 1+len(f.below(now, w))), 1)
}

// Draw draws the form on an area of a canvas.
func (f Form) Draw(c *canvas.Canvas, area canvas.Rect, t *Theme, now FormContent) {
	p := NewPage(c, area)
	p.Down(FirstLine)
	DrawFields(&p, t, f.typed(f.numbered(now.Fields), p.Width), f.Index(now.Fields), f.room(now, p.Width, p.Height))
	p.End()
	y := t.Dim
	if now.Problem != "" {
		y = t.Accent
	}
	for _, line := range f.below(now, p.Width) {
		p.Line(MenuColumn, y, line)
	}
}

// Cursor returns the place of the cursor in a field of text, as screen.CursorProvider asks for it.
func (f Form) Cursor(now FormContent) (x, y int, shown bool) {
	if !f.Typing() {
		return 0, 0, false
	}
	at := f.Index(now.Fields)
	_, x = TypedIn(now.Fields, at, f.size.Width, f.texts[f.at])
	return x, FirstLine + LineOf(now.Fields, at, f.room(now, f.size.Width, f.size.Height)), true
}
