package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"ludoteca/sshapp/terminal/canvas"
)

// nameLimit is the longest text of the field name in tests.
const nameLimit = 60

// someFields are the fields of a form: a value, a text, a number in another group, and a button.
func someFields(name string) []Field {
	return []Field{
		{Key: "game", Label: "Game", Value: "Petteia", Help: "What is played."},
		{Key: "name", Label: "Name", Value: name, Text: true, Help: "What it is called."},
		{Key: "size", Label: "Size", Value: "7", Help: "From 5 to 9.", Gap: true},
		{Key: "open", Label: "Open", Button: true, Gap: true},
	}
}

// newTestForm returns a form of someFields in a window.
func newTestForm(at string, w, h int) Form {
	return NewForm(at, map[string]int{"name": nameLimit}).Resize(tea.WindowSizeMsg{Width: w, Height: h})
}

// contentOf returns what a form of someFields shows.
func contentOf(f Form) FormContent { return FormContent{Fields: someFields(f.Text("name"))} }

// drawnForm returns a form as it is drawn in a window.
func drawnForm(f Form, now FormContent, w, h int) string {
	c := canvas.New(w, h)
	f.Draw(c, c.Bounds(), NewTheme(ThemePlain, colorprofile.NoTTY, true), now)
	return c.Plain()
}

// typedWords is a key press that types words.
func typedWords(words string) tea.KeyPressMsg { return tea.KeyPressMsg{Text: words} }

// TestFormPress moves the cursor by keys; some keys change the value instead.
func TestFormPress(t *testing.T) {
	for _, tt := range []struct {
		name    string
		at      string
		keys    []string
		want    string
		changes bool // for the last key
	}{
		{"down", "game", []string{"down"}, "name", false},
		{"up", "name", []string{"up"}, "game", false},
		{"up from the first", "game", []string{"up"}, "game", false},
		{"down from the last", "open", []string{"down"}, "open", false},
		{"end", "game", []string{"end"}, "open", false},
		{"home", "open", []string{"home"}, "game", false},
		{"a page down, past the last", "name", []string{"pgdown"}, "open", false},
		{"a page up, past the first", "size", []string{"pgup"}, "game", false},
		{"tab", "size", []string{"tab"}, "open", false},
		{"tab goes round", "open", []string{"tab"}, "game", false},
		{"shift+tab goes round", "game", []string{"shift+tab"}, "open", false},
		{"left", "size", []string{"left"}, "size", true},
		{"right", "size", []string{"right"}, "size", true},
		{"space", "size", []string{"space"}, "size", true},
		{"another key", "size", []string{"x"}, "size", false},
		{"several", "game", []string{"down", "down", "up", "tab"}, "size", false},
		{"from a field that is gone", "gone", []string{"down"}, "name", false},
		{"on a field that is gone", "gone", []string{"right"}, "game", true},
	} {
		f, changes := newTestForm(tt.at, 80, 24), false
		for _, key := range tt.keys {
			f, changes = f.Press(key, someFields(""))
		}
		if f.At() != tt.want || changes != tt.changes {
			t.Errorf("%s: the cursor is on %q, changes %v; want %q, %v", tt.name, f.At(), changes, tt.want, tt.changes)
		}
	}
}

// TestFormPages: the keys of pages move the cursor by some fields, not to the end.
func TestFormPages(t *testing.T) {
	var fields []Field
	for i := range 20 {
		fields = append(fields, Field{Key: fmt.Sprint(i), Label: "Label"})
	}
	f, _ := NewForm("3", nil).Press("pgdown", fields)
	if f.At() != "8" {
		t.Errorf("a page below field 3 is field %s, want 8", f.At())
	}
	if f, _ = f.Press("pgup", fields); f.At() != "3" {
		t.Errorf("a page above field 8 is field %s, want 3", f.At())
	}
}

// TestFormClick clicks everywhere on a form of 80 cells, and on one that is too low for all fields.
func TestFormClick(t *testing.T) {
	const value = MenuColumn + labelCells + 2 // the column of values
	for _, tt := range []struct {
		name   string
		height int
		at     string
		x, y   int
		button tea.MouseButton
		want   string
		press  string
	}{
		{"a label", 24, "game", 5, FirstLine + 1, tea.MouseLeft, "name", ""},
		{"the value of another field", 24, "game", value + 4, FirstLine + 3, tea.MouseLeft, "size", ""},
		{"the label of the field with the cursor", 24, "size", value - 1, FirstLine + 3, tea.MouseLeft, "size", ""},
		{"the mark before its value", 24, "size", value, FirstLine + 3, tea.MouseLeft, "size", "left"},
		{"beside that mark", 24, "size", value + 1, FirstLine + 3, tea.MouseLeft, "size", "left"},
		{"its value", 24, "size", value + 2, FirstLine + 3, tea.MouseLeft, "size", "right"},
		{"far behind its value", 24, "size", 79, FirstLine + 3, tea.MouseLeft, "size", "right"},
		{"the button", 24, "game", 5, FirstLine + 5, tea.MouseLeft, "game", "enter"},
		{"an empty line", 24, "game", 5, FirstLine + 2, tea.MouseLeft, "game", ""},
		{"above the fields", 24, "name", 5, FirstLine - 1, tea.MouseLeft, "name", ""},
		{"below the fields", 24, "name", 5, FirstLine + 6, tea.MouseLeft, "name", ""},
		{"another mouse button", 24, "game", 5, FirstLine + 1, tea.MouseRight, "game", ""},
		{"a field that is gone, and the first one has its place", 24, "gone", value + 2, FirstLine, tea.MouseLeft, "game", "right"},
		{"a low window has the button in its last line", FirstLine + HelpLines + 3, "game", 5, FirstLine + 2, tea.MouseLeft, "game", "enter"},
		{"a low window is scrolled", FirstLine + HelpLines + 3, "size", value + 2, FirstLine + 1, tea.MouseLeft, "size", "right"},
	} {
		f, press := newTestForm(tt.at, 80, tt.height).Click(tea.MouseClickMsg{X: tt.x, Y: tt.y, Button: tt.button}, FormContent{Fields: someFields("")})
		if f.At() != tt.want || press != tt.press {
			t.Errorf("%s: the cursor is on %q, the key is %q; want %q, %q", tt.name, f.At(), press, tt.want, tt.press)
		}
	}
}

// TestFormNumber types numbers. What is typed stands in place of the value until the cursor leaves the field or its value is changed otherwise.
func TestFormNumber(t *testing.T) {
	const usual = 7
	for _, tt := range []struct {
		name   string
		digits []string
		want   int
		shown  string
	}{
		{"nothing", nil, usual, "< 7 >"},
		{"one digit", []string{"9"}, 9, "< 9_ >"},
		{"two", []string{"1", "2"}, 12, "< 12_ >"},
		{"no more than five", []string{"1", "2", "3", "4", "5", "6"}, 12345, "< 12345_ >"},
		{"zeros", []string{"0", "0"}, 0, "< 00_ >"},
		{"one taken away", []string{"1", "2", "backspace"}, 1, "< 1_ >"},
		{"all taken away", []string{"1", "backspace", "backspace"}, usual, "< 7 >"},
	} {
		f := newTestForm("size", 80, 24)
		for _, d := range tt.digits {
			f = f.Digit(d)
		}
		if got := f.Number(usual); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		if page := drawnForm(f, contentOf(f), 80, 24); !strings.Contains(page, tt.shown) {
			t.Errorf("%s: no %q on the page:\n%s", tt.name, tt.shown, page)
		}
	}
	typed := newTestForm("size", 80, 24).Digit("9")
	moved, _ := typed.Press("down", someFields(""))
	changed, _ := typed.Press("right", someFields(""))
	clicked, _ := typed.Click(tea.MouseClickMsg{X: 40, Y: FirstLine + 3, Button: tea.MouseLeft}, FormContent{Fields: someFields("")})
	for name, f := range map[string]Form{"the cursor moves": moved, "the value changes": changed, "the value is clicked": clicked} {
		if got := f.Number(usual); got != usual {
			t.Errorf("when %s the number is still %d", name, got)
		}
	}
	if got := typed.Number(usual); got != 9 {
		t.Errorf("the form from which others were made has %d typed, want 9", got)
	}
}

// TestFormType types and pastes texts: into the field with the cursor, as far as it takes them, and into no other.
func TestFormType(t *testing.T) {
	long := strings.Repeat("a", nameLimit+1)
	for _, tt := range []struct {
		name string
		at   string
		msgs []tea.Msg
		want string
		used bool // the last message
	}{
		{"a key", "name", []tea.Msg{typedWords("z"), typedWords("é")}, "zé", true},
		{"a paste", "name", []tea.Msg{typedWords("a"), tea.PasteMsg{Content: "b\nc"}}, "ab c", true},
		{"a paste that is too long", "name", []tea.Msg{tea.PasteMsg{Content: long}}, long[:nameLimit], true},
		{"the cursor of the text moves", "name", []tea.Msg{typedWords("ab"), tea.KeyPressMsg{Code: tea.KeyLeft}, typedWords("c")}, "acb", true},
		{"a key that moves the cursor of the form", "name", []tea.Msg{typedWords("a"), tea.KeyPressMsg{Code: tea.KeyDown}}, "a", false},
		{"another message", "name", []tea.Msg{typedWords("a"), tea.WindowSizeMsg{Width: 10, Height: 10}}, "a", false},
		{"a key on another field", "size", []tea.Msg{typedWords("9")}, "", false},
		{"a paste on another field", "size", []tea.Msg{tea.PasteMsg{Content: "9"}}, "", false},
	} {
		f, used := newTestForm(tt.at, 80, 24), false
		for _, msg := range tt.msgs {
			f, used = f.Type(msg)
		}
		if f.Text("name") != tt.want || used != tt.used {
			t.Errorf("%s: %q, used %v, want %q, %v", tt.name, f.Text("name"), used, tt.want, tt.used)
		}
		if f.Typing() != (tt.at == "name") {
			t.Errorf("%s: typing %v", tt.name, f.Typing())
		}
		for key, e := range f.texts {
			if key != "name" && e.Text != "" {
				t.Errorf("%s: field %q has %q", tt.name, key, e.Text)
			}
		}
	}
}

// TestFormIsAValue: what is typed into a form is not in the form from which it was made.
func TestFormIsAValue(t *testing.T) {
	first := newTestForm("name", 80, 24).Write("name", "ab").Write("name", "tea")
	second, _ := first.Type(typedWords("s"))
	third := second.Write("name", "coffee")
	for want, f := range map[string]Form{"tea": first, "teas": second, "coffee": third} {
		if got := f.Text("name"); got != want {
			t.Errorf("the form has %q, want %q", got, want)
		}
	}
	if got := first.Write("name", strings.Repeat("a", nameLimit+1)).Text("name"); len(got) != nameLimit {
		t.Errorf("%d letters are written, want %d", len(got), nameLimit)
	}
}

// TestFormWords: below the fields stands what is wrong, else a note, else the help of the field with the cursor.
func TestFormWords(t *testing.T) {
	const problem, note, help = "No such game.", "It is open.", "From 5 to 9."
	theme := NewTheme(ThemeAuto, colorprofile.ANSI256, false)
	for _, tt := range []struct {
		name          string
		problem, note string
		want          string
		style         canvas.Style
	}{
		{"a problem", problem, note, problem, theme.Accent},
		{"a note", "", note, note, theme.Dim},
		{"the help", "", "", help, theme.Dim},
	} {
		c := canvas.New(80, 24)
		newTestForm("size", 80, 24).Draw(c, c.Bounds(), theme, FormContent{Fields: someFields(""), Problem: tt.problem, Note: tt.note})
		const line = FirstLine + 6 + 1 // below the fields and an empty line
		if got := strings.Split(c.Plain(), "\n")[line]; strings.TrimSpace(got) != tt.want {
			t.Errorf("%s: below the fields stands %q, want %q", tt.name, got, tt.want)
		}
		if got := c.At(MenuColumn, line).Style(); got != tt.style {
			t.Errorf("%s: in style %+v, want %+v", tt.name, got, tt.style)
		}
		for _, other := range []string{problem, note, help} {
			if other != tt.want && strings.Contains(c.Plain(), other) {
				t.Errorf("%s: %q is said as well", tt.name, other)
			}
		}
	}
}

// TestFormRoom: many words below the fields take lines from them, and the field with the cursor and the button stay.
func TestFormRoom(t *testing.T) {
	now := FormContent{Fields: someFields(""), Problem: strings.Repeat("many words ", 25)}
	const w, h = 40, 14
	lines := strings.Split(drawnForm(newTestForm("size", w, h), now, w, h), "\n")
	want := []string{"", "", " > Size", "   [ Open ]", "", "   many words many words many words"}
	for y, line := range want {
		if got := strings.TrimRight(lines[y], " "); !strings.HasPrefix(got, line) || line == "" && got != "" {
			t.Errorf("line %d is %q, want %q", y, got, line)
		}
	}
	if got := strings.Count(strings.Join(lines, "\n"), "many"); got != 25 {
		t.Errorf("%d of 25 words are there:\n%s", got, strings.Join(lines, "\n"))
	}
}

// TestFormLongText: of a text that is longer than its line the part with the cursor is shown while it is typed, and the start otherwise.
func TestFormLongText(t *testing.T) {
	const w, h = 40, 20
	const column = MenuColumn + 17 // of values in a window of 40 cells
	f := newTestForm("name", w, h)
	check := func(name string, f Form, sees string, x int) {
		t.Helper()
		page := drawnForm(f, contentOf(f), w, h)
		if line := strings.Split(page, "\n")[FirstLine+1]; !strings.HasSuffix(line, sees) {
			t.Errorf("%s: the line is %q, want ...%q", name, line, sees)
		}
		gotX, gotY, shown := f.Cursor(contentOf(f))
		if !shown || gotX != x || gotY != FirstLine+1 {
			t.Errorf("%s: the cursor is at %d,%d, shown %v, want %d,%d", name, gotX, gotY, shown, x, FirstLine+1)
		}
	}
	f, _ = f.Type(typedWords("abc"))
	check("a short text", f, " abc", column+3)
	f, _ = f.Type(typedWords("defghijklmnopqrstuvwxyz"))
	check("its end", f, " hijklmnopqrstuvwxyz", w-1)
	home, _ := f.Type(tea.KeyPressMsg{Code: tea.KeyHome})
	check("its start", home, " abcdefghijklmnopqrs…", column)
	away := f.Focus("game")
	if line := strings.Split(drawnForm(away, contentOf(away), w, h), "\n")[FirstLine+1]; !strings.HasSuffix(line, " abcdefghijklmnopqrs…") {
		t.Errorf("on another field: the line is %q", line)
	}
	if _, _, shown := away.Cursor(contentOf(away)); shown {
		t.Error("on another field a cursor is shown")
	}
}

// TestAnyForm sends keys, clicks, sizes and texts to forms whose fields come and go. The cursor stays among the fields and in sight, and nothing panics.
func TestAnyForm(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "space", "tab", "shift+tab", "home", "end", "pgup", "pgdown", "x"}
	letters := []tea.Msg{
		typedWords("a"), typedWords("王"), typedWords("\u0301"), typedWords("👩\u200d"), tea.PasteMsg{Content: "several words\nat once"},
		tea.KeyPressMsg{Code: tea.KeyLeft}, tea.KeyPressMsg{Code: tea.KeyHome}, tea.KeyPressMsg{Code: tea.KeyEnd}, tea.KeyPressMsg{Code: tea.KeyBackspace}, tea.KeyPressMsg{Code: tea.KeyDelete},
	}
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	limits := map[string]int{"b": 8, "d": 40, "f": 200}
	rapid.Check(t, func(t *rapid.T) {
		f := NewForm("a", limits)
		newContent := func() (now FormContent) {
			for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID).Draw(t, "keys") {
				label := rapid.SampledFrom([]string{"", "Label", "A label with many letters"}).Draw(t, "label")
				now.Fields = append(now.Fields, Field{Key: key, Label: label, Gap: rapid.Bool().Draw(t, "gap"), Text: limits[key] > 0,
					Value: rapid.SampledFrom([]string{"", "7", strings.Repeat("value ", 9)}).Draw(t, "value"), Help: "Help."})
			}
			now.Fields[len(now.Fields)-1].Button = rapid.Bool().Draw(t, "button")
			now.Problem = strings.Repeat("many words ", rapid.IntRange(0, 60).Draw(t, "problem"))
			return now
		}
		now, w, h := newContent(), 0, 0
		has := func() bool {
			return slices.ContainsFunc(now.Fields, func(field Field) bool { return field.Key == f.At() })
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			was, moved := has(), false
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				f, _ = f.Press(rapid.SampledFrom(keys).Draw(t, "key"), now.Fields)
				moved = true
			case 2:
				f, _ = f.Click(tea.MouseClickMsg{X: rapid.IntRange(-1, 90).Draw(t, "x"), Y: rapid.IntRange(-1, 40).Draw(t, "y"), Button: tea.MouseLeft}, now)
			case 3:
				f, _ = f.Type(rapid.SampledFrom(letters).Draw(t, "letter"))
			case 4:
				f = f.Digit(rapid.SampledFrom([]string{"0", "9", "backspace"}).Draw(t, "digit"))
			case 5:
				now, was = newContent(), false
				w, h = rapid.IntRange(0, 90).Draw(t, "width"), rapid.IntRange(0, 40).Draw(t, "height")
				f = f.Resize(tea.WindowSizeMsg{Width: w, Height: h})
			}
			if (was || moved) && !has() {
				t.Fatalf("the cursor is on %q, which is none of the fields", f.At())
			}
			page := drawnForm(f, now, w, h)
			if w >= 40 && h > FirstLine && strings.Count("\n"+page, "\n >") != 1 {
				t.Fatalf("the field with the cursor is not in sight in %dx%d:\n%s", w, h, page)
			}
			x, y, shown := f.Cursor(now)
			if shown && w >= 40 && h > FirstLine && (x < 0 || x >= w || y < FirstLine || y >= h) {
				t.Fatalf("the cursor is at %d,%d in a window of %dx%d", x, y, w, h)
			}
			if shown && w >= 40 && h > FirstLine && has() && !strings.HasPrefix(strings.Split(page, "\n")[y], " >") {
				t.Fatalf("the cursor is on line %d:\n%s", y, page)
			}
		}
	})
}

// TestToggled adds and takes away, and leaves the list that it is given alone.
func TestToggled(t *testing.T) {
	for _, tt := range []struct {
		ids  []string
		id   string
		want []string
	}{
		{nil, "a", []string{"a"}},
		{[]string{"a"}, "a", []string{}},
		{[]string{"a", "b"}, "c", []string{"a", "b", "c"}},
		{[]string{"a", "b", "c"}, "a", []string{"b", "c"}},
		{[]string{"a", "b", "c"}, "b", []string{"a", "c"}},
	} {
		before := slices.Clone(tt.ids)
		if got := Toggled(tt.ids, tt.id); !slices.Equal(got, tt.want) {
			t.Errorf("%v with %s toggled: %v, want %v", before, tt.id, got, tt.want)
		}
		if !slices.Equal(tt.ids, before) {
			t.Errorf("%v was changed to %v", before, tt.ids)
		}
	}
	shared := append(make([]string, 0, 4), "a")
	first, second := Toggled(shared, "b"), Toggled(shared, "c")
	if first[1] != "b" || second[1] != "c" {
		t.Errorf("two lists made of one share memory: %v, %v", first, second)
	}
}
