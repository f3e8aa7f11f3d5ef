package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/norm"
)

// Ellipsis ends a text that was cut.
const Ellipsis = "…"

// Width returns the number of cells that a terminal needs for s, a text without control characters. Plain characters take one cell each, so
// nearly all text needs no look-up in the tables of Unicode. That look-up was a tenth of the cost of a key on a board in the screens.
func Width(s string) int {
	n := 0
	for _, r := range s {
		if !plain(r) {
			return displaywidth.String(s)
		}
		n++
	}
	return n
}

// fits reports whether s takes at most the given number of cells. No character takes more cells than bytes.
func fits(s string, cells int) bool { return len(s) <= cells || Width(s) <= cells }

// Cut returns s if it fits into the given number of cells, else as much of its start as fits with an ellipsis.
func Cut(s string, cells int) string {
	switch {
	case cells <= 0:
		return ""
	case fits(s, cells):
		return s
	}
	cut := displaywidth.TruncateString(s, cells, Ellipsis)
	start := strings.TrimSuffix(cut, Ellipsis)
	if strings.HasSuffix(start, ".") { // dots of its own, cut as well
		return strings.TrimRight(start, " .") + Ellipsis
	}
	return cut
}

// Fit returns s in exactly the given number of cells: cut like Cut, or with spaces behind.
func Fit(s string, cells int) string {
	s = Cut(s, cells)
	return s + Spaces(cells-Width(s))
}

// FitLeft is Fit with the spaces in front, for numbers.
func FitLeft(s string, cells int) string {
	s = Cut(s, cells)
	return Spaces(cells-Width(s)) + s
}

// blank is long enough for every screen, so that padding makes nothing new.
var blank = strings.Repeat(" ", 256)

// Spaces returns n spaces, none for a negative n.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n > len(blank) {
		return strings.Repeat(" ", n)
	}
	return blank[:n]
}

// Wrap breaks s at white space into lines of at most the given number of cells, at least 1. A word that is longer is cut.
func Wrap(s string, cells int) []string {
	cells = max(cells, 1)
	if !singleSpaced(s) {
		s = strings.Join(strings.Fields(s), " ")
	}
	if s == "" {
		return nil
	}
	lines := make([]string, 0, len(s)/cells+2)
	for s != "" {
		end := wordEnd(s, 0)
		for end < len(s) {
			next := wordEnd(s, end+1)
			if !fits(s[:next], cells) {
				break
			}
			end = next
		}
		lines = append(lines, Cut(s[:end], cells))
		s = strings.TrimPrefix(s[end:], " ")
	}
	return lines
}

// WrapParts joins parts with between, in lines of at most the given number of cells. No part is broken into lines; a part that is too long is cut.
func WrapParts(parts []string, between string, cells int) (lines []string) {
	for _, part := range parts {
		if last := len(lines) - 1; last >= 0 && fits(lines[last]+between+part, cells) {
			lines[last] += between + part
		} else {
			lines = append(lines, Cut(part, cells))
		}
	}
	return lines
}

// singleSpaced reports whether words are separated by one space each, and nothing stands around them.
func singleSpaced(s string) bool {
	space := true // the character before was one; so is the beginning
	for _, r := range s {
		if plain(r) && r != ' ' || !unicode.IsSpace(r) {
			space = false
			continue
		}
		if space || r != ' ' {
			return false
		}
		space = true
	}
	return !space
}

// wordEnd returns where the word that begins at a place of s ends.
func wordEnd(s string, from int) int {
	if i := strings.IndexByte(s[from:], ' '); i >= 0 {
		return from + i
	}
	return len(s)
}

// spellings are the letters for which people write two where there is only ASCII.
var spellings = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'Ä': "Ae", 'Ö': "Oe", 'Ü': "Ue", 'ẞ': "SS", 'Æ': "Ae", 'Œ': "Oe",
}

// spell writes two letters for each of spellings, two capitals in a word of capitals.
func spell(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return s
	}
	var b strings.Builder
	before := ' '
	for i, r := range s {
		letters, ok := spellings[r]
		if !ok {
			b.WriteRune(r)
			before = r
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if unicode.IsUpper(r) && (unicode.IsUpper(after) || unicode.IsUpper(before) && !unicode.IsLetter(after)) {
			letters = strings.ToUpper(letters)
		}
		b.WriteString(letters)
		before = r
	}
	return b.String()
}

// folds maps characters of our own pages and of European names to ASCII where their decomposition doesn't.
var folds = map[rune]byte{
	'…': '.', '·': '-', '–': '-', '—': '-', '‘': '\'', '’': '\'', '“': '"', '”': '"', '«': '"', '»': '"',
	'ß': 's', 'ø': 'o', 'Ø': 'O', 'æ': 'a', 'Æ': 'A', 'œ': 'o', 'Œ': 'O', 'ł': 'l', 'Ł': 'L', 'đ': 'd', 'Đ': 'D',
	'ð': 'd', 'þ': 't', 'ı': 'i', '×': 'x', '≤': '<', '≥': '>', '±': '+', '→': '>', '←': '<', '↑': '^', '↓': 'v',
	'●': '#', '○': 'o', '│': '|', '─': '-',
}

// ASCII returns s in the same number of cells with only ASCII characters. Letters lose their marks, and characters without an ASCII
// likeness become question marks. The club's own words must have been spelled by Say.Spell before.
func ASCII(s string) string {
	start := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
	if start < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:start])
	for _, r := range s[start:] {
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case folds[r] != 0:
			b.WriteByte(folds[r])
		default:
			foldRune(&b, r)
		}
	}
	return b.String()
}

func foldRune(b *strings.Builder, r rune) {
	if unicode.Is(unicode.Mn, r) {
		return
	}
	if d := norm.NFD.PropertiesString(string(r)).Decomposition(); len(d) > 0 && d[0] < utf8.RuneSelf {
		b.WriteByte(d[0])
		return
	}
	for range displaywidth.Rune(r) {
		b.WriteByte('?')
	}
}
