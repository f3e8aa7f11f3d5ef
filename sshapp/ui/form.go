package ui

import "ludoteca/sshapp/text"

// labelCells is the width of the labels of a form.
const labelCells = 22

// A field is one line of a form as it is drawn. The screen keeps its value.
type field struct {
	key    string
	label  string
	value  string
	help   string // shown below the form while the field has the cursor
	bad    bool   // the value is not allowed
	button bool   // there is only the label
	gap    bool   // an empty line stands above
	text   bool   // the value is typed
}

// drawFields draws as many fields as there is room for, among them the one with the cursor.
func drawFields(p *page, t *theme, fields []field, at, room int) {
	lines := fieldLines(fields)
	top := scrollTop(lines, at, room)
	for line := top; line < min(top+room, len(lines)); line++ {
		i := lines[line]
		if i < 0 {
			p.end()
			continue
		}
		drawField(p, t, fields[i], valueColumn(fields, i, p.width), i == at)
	}
}

// fieldLines returns the field on each line, -1 for none.
func fieldLines(fields []field) []int {
	lines := make([]int, 0, len(fields)+3)
	for i, f := range fields {
		if f.gap {
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
			return max(min(line+2-room, len(lines)-room), 0)
		}
	}
	return 0
}

// drawField draws a field, its value at a column.
func drawField(p *page, t *theme, f field, column int, chosen bool) {
	mark, y := " ", t.plain
	if chosen {
		mark, y = ">", t.accent
	}
	value := y
	if f.bad {
		value = t.taken
	}
	p.to(menuColumn-2).put(y, mark).to(menuColumn)
	switch {
	case f.button:
		p.put(y, "[ "+f.label+" ]")
	case f.text:
		p.put(y, f.label).to(column).put(value, f.value)
	case !chosen:
		p.put(y, f.label).to(column+2).put(value, f.value)
	default:
		p.put(y, f.label).to(column).put(t.dim, t.left).to(p.at+1).put(value, f.value).to(p.at+1).put(t.dim, t.right)
	}
	p.end()
}

// valueColumn returns where the value of a field starts. In a narrow window long labels move it to the right, for all fields
// of the group between two empty lines alike.
func valueColumn(fields []field, at, w int) int {
	column := menuColumn + labelWidth(w)
	from, to := at, at+1
	for from > 0 && !fields[from].gap {
		from--
	}
	for to < len(fields) && !fields[to].gap {
		to++
	}
	for _, f := range fields[from:to] {
		if !f.button {
			column = max(column, menuColumn+text.Width(f.label)+1)
		}
	}
	return column
}

// labelWidth returns the width of labels, which leaves room for values in narrow windows.
func labelWidth(w int) int { return min(labelCells+2, w/2-menuColumn) }

// fieldAt returns the field on a line of the form, -1 for none.
func fieldAt(fields []field, at, room, line int) int {
	lines := fieldLines(fields)
	line += scrollTop(lines, at, room)
	if line < 0 || line >= len(lines) {
		return -1
	}
	return lines[line]
}

// cycle moves a choice among n by one, back for the keys left and shift+tab, on for all others, round and round.
func cycle(at, n int, key string) int {
	switch {
	case n == 0:
		return 0
	case key == "left" || key == "shift+tab":
		return (at + n - 1) % n
	}
	return (at + 1) % n
}
