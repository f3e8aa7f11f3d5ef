package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/norm"
)

// maxMarks bounds the combining marks on one letter after composition. More of them make a tower over other lines.
const maxMarks = 2

// Clean returns what a stranger typed as one line that can't move a cursor, ring a bell, turn the direction of the
// line or take another number of cells than it shows. Line ends and tabs become spaces; controls, formatting
// characters, fillers and towers of marks are removed. Ordinary text in any script stays as it is, composed. From emoji that are joined
// to one picture only the first stays, since terminals don't agree on the width of the whole. A flag becomes the letters of its country.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	return clean(s)
}

// clean is Clean for text of any kind.
func clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	marks, letter := 0, false // on the last letter, if there is one to stand on
	for _, r := range norm.NFC.String(strings.Map(visible, alone(s))) {
		mark := unicode.Is(unicode.Mn, r)
		switch {
		case !letter && (mark || joinsBack(r)), mark && marks == maxMarks:
		case mark:
			b.WriteRune(r)
			marks++
		default:
			b.WriteRune(r)
			marks, letter = 0, r != ' ' && r != '?'
		}
	}
	return b.String()
}

// alone returns s without the emoji that are joined to another one before them.
func alone(s string) string {
	if !strings.ContainsRune(s, joiner) {
		return s
	}
	var b strings.Builder
	last, joins := ' ', false // the last character that shows; a joiner comes after it
	for _, r := range s {
		switch {
		case r == joiner:
			joins = isEmoji(last)
		case hidden(r):
		case joins && isEmoji(r):
			joins = false
			continue
		default:
			last, joins = r, false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// joiner makes one picture of the emoji on both sides of it. It shows nothing itself.
const joiner = '\u200d'

// Joins reports whether s ends with an emoji and a joiner: an emoji behind them goes into its picture.
func Joins(s string) bool {
	s, joins := strings.CutSuffix(s, string(joiner))
	last, _ := utf8.DecodeLastRuneInString(s)
	return joins && isEmoji(last)
}

// isEmoji reports whether r may be part of a picture: it is a sign.
func isEmoji(r rune) bool { return unicode.Is(unicode.So, r) }

// isPlain reports whether s is plain characters alone, which are clean already. Nearly all text is.
func isPlain(s string) bool {
	for _, r := range s {
		if !plain(r) {
			return false
		}
	}
	return true
}

// plain reports whether r is printable ASCII, a Latin letter or one of the signs of our own pages (dashes, quotes, dots, arrows,
// boxes, circles): one cell wide, and joined with nothing.
func plain(r rune) bool {
	switch {
	case r < 0x2010:
		return ' ' <= r && r <= '~' || 0xa1 <= r && r <= 0x24f && r != softHyphen
	case r < 0x2500:
		return r <= 0x2027 || 0x2030 <= r && r <= 0x203a || 0x2190 <= r && r <= 0x2193
	default:
		return r <= 0x25a9 || 0x25c1 <= r && r <= 0x25fa
	}
}

// softHyphen shows nothing unless a line ends there.
const softHyphen = 0xad

// visible returns r as it may be shown, or -1 if it may not.
func visible(r rune) rune {
	switch {
	case r == utf8.RuneError:
		return '?'
	case unicode.IsSpace(r) || r == '\u2800':
		return ' '
	case firstHalf <= r && r <= lastHalf:
		return 'A' + r - firstHalf
	case hidden(r):
		return -1
	}
	return r
}

// A flag is two halves, each a letter of its country: no terminal shows one half as another does.
const (
	firstHalf = '\U0001f1e6'
	lastHalf  = '\U0001f1ff'
)

// hidden reports whether r shows nothing, or something whose place or width terminals don't agree on.
func hidden(r rune) bool {
	switch {
	case unicode.In(r, unicode.C, unicode.Me): // controls, formats, private use; marks that enclose
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x17B4, r == 0x17B5: // fillers
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // variation selectors
		return true
	case r >= 0x1F3FB && r <= 0x1F3FF: // colours of skin
		return true
	}
	return joinsOn(r)
}

// joinsBack reports whether r joins with whatever stands before it, be it the empty start of a field.
func joinsBack(r rune) bool {
	return r >= 0x300 && displaywidth.String(" "+string(r)) < 1+max(displaywidth.Rune(r), 1)
}

// joinsOn is the same for what comes after it. Such letters are rare.
func joinsOn(r rune) bool {
	return r >= 0x600 && displaywidth.String(string(r)+" ") < 1+displaywidth.Rune(r)
}

// Capital begins words with a capital letter.
func Capital(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// Sentence begins words with a capital letter and ends them with a full stop, unless they end with one, an exclamation mark or a question mark.
func Sentence(words string) string {
	words = Capital(words)
	if strings.HasSuffix(words, ".") || strings.HasSuffix(words, "!") || strings.HasSuffix(words, "?") {
		return words
	}
	return words + "."
}
