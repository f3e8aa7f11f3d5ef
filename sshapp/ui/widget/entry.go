package widget

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// An Entry is a line of text that is being typed. The zero value is empty. It holds only what text.Clean lets through.
//
// It replaces bubbles' textinput. That takes 7.8 KB a value, and screens are values; it limits text in runes instead of cells,
// keeps bidirectional overrides, and lets ctrl+v read a clipboard on the server.
type Entry struct {
	Text  string
	at    int  // the cursor, a byte of the text
	joins bool // a joiner was typed behind the emoji before the cursor, which the text doesn't keep
}

// Typed returns the entry after a key, and whether the entry uses the key. The text grows to limit cells at most.
func (e Entry) Typed(msg tea.KeyPressMsg, limit int) (Entry, bool) {
	_, before := utf8.DecodeLastRuneInString(e.Text[:e.at])
	_, behind := utf8.DecodeRuneInString(e.Text[e.at:])
	switch msg.String() {
	case "left":
		e.at -= before
	case "right":
		e.at += behind
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.Text)
	case "backspace", "ctrl+h":
		return joined(e.Text[:e.at-before], e.Text[e.at:]), true
	case "delete":
		return joined(e.Text[:e.at], e.Text[e.at+behind:]), true
	case "ctrl+u":
		return joined("", e.Text[e.at:]), true
	default:
		if msg.Text == "" {
			return e, false
		}
		return e.Insert(msg.Text, limit), true
	}
	e.joins = false
	return e, true
}

// Insert inserts words at the cursor, as far as they fit. A combining mark joins the letter before the cursor. The result of an emoji doesn't
// depend on the pieces in which a terminal sends it.
func (e Entry) Insert(words string, limit int) Entry {
	for _, r := range words {
		head := e.Text[:e.at]
		if e.joins {
			head += joiner
		}
		head += string(r)
		grown := joined(text.Clean(head), e.Text[e.at:])
		if text.Width(grown.Text) > limit {
			break
		}
		grown.joins = text.Joins(head)
		e = grown
	}
	return e
}

// joiner joins emoji to one picture.
const joiner = "\u200d"

// joined returns the entry of two texts with the cursor between them, or behind the letter that they compose.
func joined(head, tail string) Entry {
	e := Entry{Text: text.Clean(head + tail)}
	e.at = min(len(text.Clean(head)), len(e.Text))
	for e.at < len(e.Text) && !utf8.RuneStart(e.Text[e.at]) {
		e.at++
	}
	return e
}

// Shown returns the part of the text that fits in some cells, with the cursor in view, and the column of the cursor there. What is before the
// cursor moves out at the left.
func (e Entry) Shown(room int) (shown string, cursor int) {
	shown, cursor = e.Text, e.Column()
	for cursor >= max(room, 1) && shown != "" {
		_, size := utf8.DecodeRuneInString(shown)
		cursor -= text.Width(shown) - text.Width(shown[size:])
		shown = shown[size:]
	}
	return text.Cut(shown, room), cursor
}

// Column returns the column of the cursor, in cells from the start of the text.
func (e Entry) Column() int { return text.Width(e.Text[:e.at]) }
