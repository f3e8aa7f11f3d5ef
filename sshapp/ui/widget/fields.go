package widget

import (
	"slices"
	"strings"

	"ludoteca/sshapp/text"
)

// labelCells is the width of the labels of a form.
const labelCells = 22

// A Field is one line of a form as it is drawn. The screen keeps its value.
type Field struct {
	Key    string
	Label  string
	Value  string
	Aside  string // more about the value: behind it where the line has room, else in front of the help
	Help   string // shown below the form while the field has the cursor
	Bad    bool   // the value is not allowed
	Button bool   // there is only the label
	Gap    bool   // an empty line stands above
	Text   bool   // the value is typed
}

// DrawFields draws as many fields as fit into room lines, including the field with the cursor. A button at the end stays visible.
func DrawFields(p *Page, t *Theme, fields []Field, at, room int) {
	for _, i := range shownLines(fields, at, room) {
		if i < 0 {
			p.End()
			continue
		}
		drawField(p, t, fields[i], ValueColumn(fields, i, p.Width), i == at)
	}
}

// shownLines returns the field on each line that there is room for, -1 for none.
func shownLines(fields []Field, at, room int) []int {
	lines := fieldLines(fields)
	if len(lines) <= room {
		return lines
	}
	last := len(fields) - 1
	if !fields[last].Button || room < 2 {
		top := scrollTop(lines, at, room)
		return lines[top : top+room]
	}
	lines = fieldLines(fields[:last])
	room = min(room-1, len(lines))
	top := scrollTop(lines, min(at, last-1), room)
	return append(lines[top:top+room:top+room], last)
}

// fieldLines returns the field on each line, -1 for none.
func fieldLines(fields []Field) []int {
	lines := make([]int, 0, len(fields)+3)
	for i, f := range fields {
		if f.Gap {
			lines = append(lines, -1)
		}
		lines = append(lines, i)
	}
	return lines
}

// scrollTop returns the first of room lines to show so that the field with the cursor is among them.
func scrollTop(lines []int, at, room int) int {
	for line, i := range lines {
		if i == at && line >= room-1 {
			return max(min(line+2-room, line, len(lines)-room), 0)
		}
	}
	return 0
}

// drawField draws a field, its value at a column.
func drawField(p *Page, t *Theme, f Field, column int, chosen bool) {
	mark, y := " ", t.Plain
	if chosen {
		mark, y = ">", t.Accent
	}
	value := y
	if f.Bad {
		value = t.taken
	}
	words, _ := f.shown(p.Width - column)
	p.To(MenuColumn-2).Put(y, mark).To(MenuColumn)
	switch {
	case f.Button:
		p.Put(y, "[ "+f.Label+" ]")
	case f.Text:
		p.Put(y, f.Label).To(column).Put(value, words)
	case !chosen:
		p.Put(y, f.Label).To(column+2).Put(value, words)
	default:
		p.Put(y, f.Label).To(column).Put(t.Dim, t.Left).To(p.At+1).Put(value, words).To(p.At+1).Put(t.Dim, t.Right)
	}
	p.End()
}

// marks is the width of the marks around a value that can be changed, and of the spaces between.
const marks = 4

// shown returns the value of a field for its line, at most cells wide, and whether it is the whole value.
func (f Field) shown(cells int) (words string, whole bool) {
	if !f.Text {
		cells -= marks
	}
	if all := f.full(); text.Width(all) <= cells {
		return all, true
	}
	return text.Cut(f.Value, cells), false
}

// full returns the value of a field with what is said behind it.
func (f Field) full() string {
	if f.Aside == "" {
		return f.Value
	}
	return f.Value + ", " + f.Aside
}

// FieldHelp returns the text below a form of w cells while field at has the cursor: the help of the field, behind its value if the line has
// no room for the whole value.
func FieldHelp(fields []Field, at, w int) string {
	f := fields[at]
	if _, whole := f.shown(w - ValueColumn(fields, at, w)); whole || f.Button {
		return f.Help
	}
	return strings.TrimSpace(strings.TrimSuffix(f.full(), ".") + ". " + f.Help)
}

// ValueColumn returns the column where the value of a field starts. In a narrow window long labels move it to the right, alike for all
// fields of the group between two empty lines.
func ValueColumn(fields []Field, at, w int) int {
	column := MenuColumn + labelWidth(w)
	from, to := at, at+1
	for from > 0 && !fields[from].Gap {
		from--
	}
	for to < len(fields) && !fields[to].Gap {
		to++
	}
	for _, f := range fields[from:to] {
		if !f.Button {
			column = max(column, MenuColumn+text.Width(f.Label)+1)
		}
	}
	return column
}

// labelWidth returns the width of labels, which leaves room for values in narrow windows.
func labelWidth(w int) int { return min(labelCells+2, w/2-MenuColumn) }

// TypedIn returns the part of an entry that is shown while it is typed into field at of a form of w cells, and the column of the cursor.
func TypedIn(fields []Field, at, w int, e Entry) (shown string, column int) {
	value := ValueColumn(fields, at, w)
	shown, cursor := e.Shown(w - value)
	return shown, value + cursor
}

// FieldAt returns the field on a line of the form, -1 for none.
func FieldAt(fields []Field, at, room, line int) int {
	lines := shownLines(fields, at, room)
	if line < 0 || line >= len(lines) {
		return -1
	}
	return lines[line]
}

// LineOf returns the line of the form on which a field is drawn while it has the cursor.
func LineOf(fields []Field, at, room int) int {
	return max(slices.Index(shownLines(fields, at, room), at), 0)
}

// Cycle moves a choice among n by one, back for the keys left and shift+tab, on for all others, round and round.
func Cycle(at, n int, key string) int {
	switch {
	case n == 0:
		return 0
	case key == "left" || key == "shift+tab":
		return (at + n - 1) % n
	}
	return (at + 1) % n
}

// Toggled returns ids with one added at the end, or without it if it is there.
func Toggled(ids []string, id string) []string {
	if at := slices.Index(ids, id); at >= 0 {
		return slices.Delete(slices.Clone(ids), at, at+1)
	}
	return append(slices.Clip(ids), id)
}
