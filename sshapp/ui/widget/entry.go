package widget

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// An Entry is a line of text that is being typed. The zero value is empty. It holds only what text.Clean lets through.
//
// It stands in for bubbles' textinput, which is 7.8 KB a value where screens are values, limits text in runes and not in cells,
// keeps bidirectional overrides, and lets ctrl+v read a clipboard on the server.
type Entry struct {
	Text string
	at   int // the cursor, a byte of the text
}

// Typed returns the entry after a key, and whether it uses the key. It grows to limit cells at most.
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
		e.Text, e.at = e.Text[:e.at-before]+e.Text[e.at:], e.at-before
	case "delete":
		e.Text = e.Text[:e.at] + e.Text[e.at+behind:]
	case "ctrl+u":
		e.Text, e.at = e.Text[e.at:], 0
	default:
		if msg.Text == "" {
			return e, false
		}
		return e.Insert(msg.Text, limit), true
	}
	return e, true
}

// Insert inserts words at the cursor, as far as they fit.
func (e Entry) Insert(words string, limit int) Entry {
	for _, r := range text.Clean(words) {
		grown := e.Text[:e.at] + string(r) + e.Text[e.at:]
		if text.Width(grown) > limit {
			break
		}
		e.Text, e.at = grown, e.at+utf8.RuneLen(r)
	}
	return e
}

// Column returns where the cursor stands, in cells from the start of the text.
func (e Entry) Column() int { return text.Width(e.Text[:e.at]) }
