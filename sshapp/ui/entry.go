package ui

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ludoteca/sshapp/text"
)

// An entry is a line of text that is being typed. The zero value is empty. It holds only what text.Clean lets through.
//
// It stands in for bubbles' textinput, which is 7.8 KB a value where screens are values, limits text in runes and not in cells,
// keeps bidirectional overrides, and lets ctrl+v read a clipboard on the server.
type entry struct {
	text string
	at   int // the cursor, a byte of the text
}

// typed returns the entry after a key, and whether it uses the key. It grows to limit cells at most.
func (e entry) typed(msg tea.KeyPressMsg, limit int) (entry, bool) {
	_, before := utf8.DecodeLastRuneInString(e.text[:e.at])
	_, behind := utf8.DecodeRuneInString(e.text[e.at:])
	switch msg.String() {
	case "left":
		e.at -= before
	case "right":
		e.at += behind
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "backspace", "ctrl+h":
		e.text, e.at = e.text[:e.at-before]+e.text[e.at:], e.at-before
	case "delete":
		e.text = e.text[:e.at] + e.text[e.at+behind:]
	case "ctrl+u":
		e.text, e.at = e.text[e.at:], 0
	default:
		if msg.Text == "" {
			return e, false
		}
		return e.insert(msg.Text, limit), true
	}
	return e, true
}

// insert inserts words at the cursor, as far as they fit.
func (e entry) insert(words string, limit int) entry {
	for _, r := range text.Clean(words) {
		grown := e.text[:e.at] + string(r) + e.text[e.at:]
		if text.Width(grown) > limit {
			break
		}
		e.text, e.at = grown, e.at+utf8.RuneLen(r)
	}
	return e
}

// column returns where the cursor stands, in cells from the start of the text.
func (e entry) column() int { return text.Width(e.text[:e.at]) }
