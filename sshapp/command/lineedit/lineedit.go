// Package lineedit makes lines of what is typed in the line mode: from the keys of a terminal, with editing, completion and the lines before, or
// from the bytes of a pipe.
package lineedit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"ludoteca/sshapp/text"
)

// MaxLine is the longest line that the line mode takes, in bytes.
const MaxLine = 4 << 10

// A Line is what was typed, or what was wrong with it.
type Line struct {
	Text string
	Err  error // ErrLong or ErrSkipped
}

// What may be wrong with a line.
var (
	ErrLong    = errors.New("a line is too long")
	ErrSkipped = errors.New("the rest of a refused line was skipped")
)

// An Editor makes lines of what is typed. One goroutine at a time may use it.
type Editor struct {
	Keys     bool                        // a terminal sends each key; else lines come from a pipe, or from a client that edits them itself
	Complete func(typed string) []string // the words that may end what has been typed; nil: none are known
	Prompt   func() string               // what stands before a line; nil: nothing

	raw      []byte // typed after the last line that was taken: at most a chunk
	text     []byte // of the line that is being typed, at most MaxLine
	long     bool   // that line is too long
	skipping bool   // that line has been refused, and the rest of it is thrown away
	over     bool   // nothing more comes
	begun    bool   // a line has been taken

	past    pastLines
	escape  []byte // the beginning of a key that is several bytes; nil: there is none
	offered bool   // the last key was a tab that could not choose
}

// Add takes in a chunk of the input. All lines of the chunk before must have been taken.
func (e *Editor) Add(chunk []byte) { e.raw = append(e.raw, chunk...) }

// End marks the end of the input. In a pipe, text after the last line feed is a line too.
func (e *Editor) End() {
	e.over = true
	if !e.Keys && len(e.text) > 0 {
		e.raw = append(e.raw, '\n')
	}
}

// Line returns the next line, if that is whole, and what a terminal is to show for the keys up to there. A line of a pipe that is too long
// is refused before its end: a megabyte takes a while to come.
func (e *Editor) Line() (l Line, ok bool, echo []byte) {
	var shown bytes.Buffer
	for len(e.raw) > 0 && !ok {
		b := e.raw[0]
		e.raw = e.raw[1:]
		if e.Keys {
			ok = e.key(b, &shown)
		} else {
			ok = e.piped(b)
		}
	}
	if ok {
		words := string(e.text)
		if !e.begun { // some programs write a byte order mark in front of the first line
			words, e.begun = strings.TrimPrefix(words, "\ufeff"), true
		}
		l = Line{Text: words}
		switch {
		case e.long:
			l = Line{Err: ErrLong}
		case e.skipping:
			l = Line{Err: ErrSkipped}
		case e.Keys:
			e.past.add(words)
		}
		e.skipping = e.long && !e.Keys
		e.text, e.long = e.text[:0], false
	}
	return l, ok, shown.Bytes()
}

// Shown returns the beginning of a line, as it stands on a terminal. Other clients show it themselves, and only they know how far it is.
func (e *Editor) Shown() string {
	if e.Keys {
		return string(e.text)
	}
	return ""
}

// Skipping reports whether a line has been refused of which more comes: no prompt stands before that.
func (e *Editor) Skipping() bool { return e.skipping }

// Over reports whether nothing more comes.
func (e *Editor) Over() bool { return e.over }

// piped takes a byte that is not a key, but the next of a line, and reports whether it ends that or makes it too long.
func (e *Editor) piped(b byte) (whole bool) {
	switch {
	case b == '\n':
		return true
	case e.skipping:
	case len(e.text) < MaxLine:
		e.text = append(e.text, b)
	default:
		e.long = true
	}
	return e.long
}

// The keys that are not text.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	backspace = 0x08
	tab       = 0x09
	ctrlN     = 0x0e
	ctrlP     = 0x10
	ctrlU     = 0x15
	ctrlW     = 0x17
	esc       = 0x1b
	del       = 0x7f
)

// key does for a terminal what a system's line discipline does elsewhere, and reports whether a line is whole. It shows nothing but printable
// characters, backspaces, carriage returns and line feeds.
func (e *Editor) key(b byte, echo *bytes.Buffer) (whole bool) {
	if e.escape != nil {
		e.escaped(b, echo)
		return false
	}
	offered := e.offered
	e.offered = false
	switch {
	case b == '\r' || b == '\n':
		echo.WriteString("\r\n")
		return true
	case b == backspace || b == del:
		e.erase(echo)
	case b == ctrlU:
		for len(e.text) > 0 {
			e.erase(echo)
		}
	case b == ctrlW:
		e.eraseWord(echo)
	case b == ctrlC || b == ctrlD && len(e.text) == 0:
		e.raw, e.text, e.over = nil, nil, true
		echo.WriteString("\r\n")
	case b == ctrlP:
		e.recall(e.past.back, echo)
	case b == ctrlN:
		e.recall(e.past.forward, echo)
	case b == tab:
		e.completed(offered, echo)
	case b == esc:
		e.escape = []byte{b}
	case b < ' ':
	default:
		e.insert([]byte{b}, echo)
	}
	return false
}

// maxEscape is the longest key that is several bytes.
const maxEscape = 16

// escaped takes a byte of a key that is several bytes: an arrow goes back and forward among the lines that were typed, and all others are nothing.
func (e *Editor) escaped(b byte, echo *bytes.Buffer) {
	e.escape = append(e.escape, b)
	switch n := len(e.escape); {
	case n == 2 && (b == '[' || b == 'O'):
		return
	case n == 2: // alt and a key
	case n < maxEscape && (b < '@' || b > '~'):
		return // the parameters of a key
	case n == 3 && b == 'A':
		e.recall(e.past.back, echo)
	case n == 3 && b == 'B':
		e.recall(e.past.forward, echo)
	}
	e.escape = nil
}

// insert adds bytes to the line.
func (e *Editor) insert(p []byte, echo *bytes.Buffer) {
	for _, b := range p {
		if len(e.text) >= MaxLine {
			e.long = true // until something is erased: a terminal shows what fits
			return
		}
		e.text = append(e.text, b)
		echo.WriteByte(b)
	}
}

// erase takes the last character back.
func (e *Editor) erase(echo *bytes.Buffer) {
	if len(e.text) == 0 {
		return
	}
	r, size := utf8.DecodeLastRune(e.text)
	e.text, e.long = e.text[:len(e.text)-size], false
	for range max(text.Width(string(r)), 1) {
		echo.WriteString("\b \b")
	}
}

// eraseWord takes the last word back.
func (e *Editor) eraseWord(echo *bytes.Buffer) {
	for word := false; len(e.text) > 0; {
		space := e.text[len(e.text)-1] == ' '
		if space && word {
			return
		}
		word = word || !space
		e.erase(echo)
	}
}

// recall puts another line in the place of what has been typed, if there is one.
func (e *Editor) recall(which func(shown string) (typed string, ok bool), echo *bytes.Buffer) {
	with, ok := which(string(e.text))
	if !ok {
		return
	}
	for len(e.text) > 0 {
		e.erase(echo)
	}
	e.insert([]byte(with), echo)
}

// mostOffered is how many words a second tab shows.
const mostOffered = 40

// completed completes the last word, as far as one can tell which it is. again means that the key before could not choose either: the words to
// choose from are shown then.
func (e *Editor) completed(again bool, echo *bytes.Buffer) {
	if e.Complete == nil || !utf8.Valid(e.text) {
		return
	}
	typed := string(e.text)
	begun := typed[strings.LastIndexByte(typed, ' ')+1:]
	var fit []string
	for _, word := range e.Complete(typed) {
		if strings.HasPrefix(word, strings.ToLower(begun)) {
			fit = append(fit, word)
		}
	}
	slices.Sort(fit)
	switch fit = slices.Compact(fit); {
	case len(fit) == 0:
		return
	case len(fit) == 1:
		e.insert([]byte(fit[0][len(begun):]+" "), echo)
		return
	}
	first, last := fit[0], fit[len(fit)-1]
	same := len(begun)
	for same < min(len(first), len(last)) && first[same] == last[same] {
		same++
	}
	if same > len(begun) {
		e.insert([]byte(first[len(begun):same]), echo)
		return
	}
	if e.offered = true; again && len(fit) <= mostOffered {
		echo.WriteString("\r\n" + strings.Join(fit, " ") + "\r\n")
		if e.Prompt != nil {
			echo.WriteString(e.Prompt())
		}
		echo.Write(e.text)
	}
}

// maxPast is how many lines an up key can come back to, of at most maxPastBytes together.
const (
	maxPast      = 50
	maxPastBytes = 8 << 10
)

// pastLines are what was typed before, in this visit alone.
type pastLines struct {
	lines []string
	at    int    // of lines, while one of them is shown; len(lines) where none is
	kept  string // what was being typed before
}

// add puts a line behind the others.
func (h *pastLines) add(typed string) {
	if n := len(h.lines); strings.TrimSpace(typed) != "" && (n == 0 || h.lines[n-1] != typed) {
		h.lines = append(h.lines, typed)
	}
	bytes := 0
	for i := len(h.lines) - 1; i >= 0; i-- {
		if bytes += len(h.lines[i]); bytes > maxPastBytes || len(h.lines)-i > maxPast {
			h.lines = slices.Clone(h.lines[i+1:])
			break
		}
	}
	h.at, h.kept = len(h.lines), ""
}

// back returns the line before the one that is shown.
func (h *pastLines) back(shown string) (typed string, ok bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.lines) {
		h.kept = shown
	}
	h.at--
	return h.lines[h.at], true
}

// forward returns the line after the one that is shown, and at last what was being typed.
func (h *pastLines) forward(string) (typed string, ok bool) {
	if h.at >= len(h.lines) {
		return "", false
	}
	if h.at++; h.at == len(h.lines) {
		return h.kept, true
	}
	return h.lines[h.at], true
}
