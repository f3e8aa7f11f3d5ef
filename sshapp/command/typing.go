package command

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

// A line is what was typed, or what was wrong with it.
type line struct {
	text string
	err  error
}

var (
	errLongLine = errors.New("a line is too long")
	errSkipped  = errors.New("the rest of a refused line was skipped")
)

// typing makes lines of what is typed.
type typing struct {
	cooked   bool
	raw      []byte // typed after the last line that was taken: at most a chunk
	text     []byte // of the line that is being typed, at most MaxLine
	long     bool   // that line is too long
	skipping bool   // that line has been refused, and the rest of it is thrown away
	over     bool   // nothing more comes
	begun    bool   // a line has been taken

	past     pastLines
	escape   []byte                      // the beginning of a key that is several bytes; nil: there is none
	complete func(typed string) []string // the words that may end what has been typed; nil: none are known
	prompt   func() string               // what stands before a line; nil: nothing
	offered  bool                        // the last key was a tab that could not choose
}

// add takes in a chunk of the input. All lines of the chunk before must have been taken.
func (t *typing) add(chunk []byte) { t.raw = append(t.raw, chunk...) }

// end marks the end of the input. In a pipe, text after the last line feed is a line too.
func (t *typing) end() {
	t.over = true
	if !t.cooked && len(t.text) > 0 {
		t.raw = append(t.raw, '\n')
	}
}

// line returns the next line, if that is whole, and what a terminal is to show for the keys up to there. A line of a pipe that is too long
// is refused before its end: a megabyte takes a while to come.
func (t *typing) line() (l line, ok bool, echo []byte) {
	var shown bytes.Buffer
	for len(t.raw) > 0 && !ok {
		b := t.raw[0]
		t.raw = t.raw[1:]
		if t.cooked {
			ok = t.key(b, &shown)
		} else {
			ok = t.piped(b)
		}
	}
	if ok {
		words := string(t.text)
		if !t.begun { // some programs write a byte order mark in front of the first line
			words, t.begun = strings.TrimPrefix(words, "\ufeff"), true
		}
		l = line{text: words}
		switch {
		case t.long:
			l = line{err: errLongLine}
		case t.skipping:
			l = line{err: errSkipped}
		case t.cooked:
			t.past.add(words)
		}
		t.skipping = t.long && !t.cooked
		t.text, t.long = t.text[:0], false
	}
	return l, ok, shown.Bytes()
}

// shown returns the beginning of a line, as it stands on a terminal. Other clients show it themselves, and only they know how far it is.
func (t *typing) shown() string {
	if t.cooked {
		return string(t.text)
	}
	return ""
}

// piped takes a byte that is not a key, but the next of a line, and reports whether it ends that or makes it too long.
func (t *typing) piped(b byte) (whole bool) {
	switch {
	case b == '\n':
		return true
	case t.skipping:
	case len(t.text) < MaxLine:
		t.text = append(t.text, b)
	default:
		t.long = true
	}
	return t.long
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
func (t *typing) key(b byte, echo *bytes.Buffer) (whole bool) {
	if t.escape != nil {
		t.escaped(b, echo)
		return false
	}
	offered := t.offered
	t.offered = false
	switch {
	case b == '\r' || b == '\n':
		echo.WriteString("\r\n")
		return true
	case b == backspace || b == del:
		t.erase(echo)
	case b == ctrlU:
		for len(t.text) > 0 {
			t.erase(echo)
		}
	case b == ctrlW:
		t.eraseWord(echo)
	case b == ctrlC || b == ctrlD && len(t.text) == 0:
		t.raw, t.text, t.over = nil, nil, true
		echo.WriteString("\r\n")
	case b == ctrlP:
		t.recall(t.past.back, echo)
	case b == ctrlN:
		t.recall(t.past.forward, echo)
	case b == tab:
		t.completed(offered, echo)
	case b == esc:
		t.escape = []byte{b}
	case b < ' ':
	default:
		t.insert([]byte{b}, echo)
	}
	return false
}

// maxEscape is the longest key that is several bytes.
const maxEscape = 16

// escaped takes a byte of a key that is several bytes: an arrow goes back and forward among the lines that were typed, and all others are nothing.
func (t *typing) escaped(b byte, echo *bytes.Buffer) {
	t.escape = append(t.escape, b)
	switch n := len(t.escape); {
	case n == 2 && (b == '[' || b == 'O'):
		return
	case n == 2: // alt and a key
	case n < maxEscape && (b < '@' || b > '~'):
		return // the parameters of a key
	case n == 3 && b == 'A':
		t.recall(t.past.back, echo)
	case n == 3 && b == 'B':
		t.recall(t.past.forward, echo)
	}
	t.escape = nil
}

// insert adds bytes to the line.
func (t *typing) insert(p []byte, echo *bytes.Buffer) {
	for _, b := range p {
		if len(t.text) >= MaxLine {
			t.long = true // until something is erased: a terminal shows what fits
			return
		}
		t.text = append(t.text, b)
		echo.WriteByte(b)
	}
}

// erase takes the last character back.
func (t *typing) erase(echo *bytes.Buffer) {
	if len(t.text) == 0 {
		return
	}
	r, size := utf8.DecodeLastRune(t.text)
	t.text, t.long = t.text[:len(t.text)-size], false
	for range max(text.Width(string(r)), 1) {
		echo.WriteString("\b \b")
	}
}

// eraseWord takes the last word back.
func (t *typing) eraseWord(echo *bytes.Buffer) {
	for word := false; len(t.text) > 0; {
		space := t.text[len(t.text)-1] == ' '
		if space && word {
			return
		}
		word = word || !space
		t.erase(echo)
	}
}

// recall puts another line in the place of what has been typed, if there is one.
func (t *typing) recall(which func(shown string) (typed string, ok bool), echo *bytes.Buffer) {
	with, ok := which(string(t.text))
	if !ok {
		return
	}
	for len(t.text) > 0 {
		t.erase(echo)
	}
	t.insert([]byte(with), echo)
}

// mostOffered is how many words a second tab shows.
const mostOffered = 40

// completed completes the last word, as far as one can tell which it is. again means that the key before could not choose either: the words to
// choose from are shown then.
func (t *typing) completed(again bool, echo *bytes.Buffer) {
	if t.complete == nil || !utf8.Valid(t.text) {
		return
	}
	typed := string(t.text)
	begun := typed[strings.LastIndexByte(typed, ' ')+1:]
	var fit []string
	for _, word := range t.complete(typed) {
		if strings.HasPrefix(word, strings.ToLower(begun)) {
			fit = append(fit, word)
		}
	}
	slices.Sort(fit)
	switch fit = slices.Compact(fit); {
	case len(fit) == 0:
		return
	case len(fit) == 1:
		t.insert([]byte(fit[0][len(begun):]+" "), echo)
		return
	}
	first, last := fit[0], fit[len(fit)-1]
	same := len(begun)
	for same < min(len(first), len(last)) && first[same] == last[same] {
		same++
	}
	if same > len(begun) {
		t.insert([]byte(first[len(begun):same]), echo)
		return
	}
	if t.offered = true; again && len(fit) <= mostOffered {
		echo.WriteString("\r\n" + strings.Join(fit, " ") + "\r\n")
		if t.prompt != nil {
			echo.WriteString(t.prompt())
		}
		echo.Write(t.text)
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
