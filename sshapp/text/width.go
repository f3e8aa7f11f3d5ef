package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
	"golang.org/x/text/unicode/norm"
)

// ellipsis ends a text that was cut.
const ellipsis = "…"

// Width returns how many cells a terminal needs for s. Colour sequences take none.
//
// Nearly all of what is shown is ASCII, Latin, lines and arrows of one cell each, and colours: those are counted here, since
// this runs for each line of each frame. The first other character leaves the whole to the real arithmetic.
func Width(s string) int {
	width := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= ' ' && c <= '~':
			i++
			width++
		case c == '\x1b':
			n := colourLen(s[i:])
			if n == 0 {
				return ansi.StringWidth(s)
			}
			i += n
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isNarrow(r) {
				return ansi.StringWidth(s)
			}
			i += n
			width++
		}
	}
	return width
}

// colourLen is the length of the colour sequence that s starts with, 0 if it starts with something else.
func colourLen(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// isNarrow says whether r takes one cell and never joins with what stands before it.
func isNarrow(r rune) bool {
	return r >= 0xa1 && r < 0x300 && r != 0xad && r != 0xa9 && r != 0xae || // Latin, without a hidden hyphen and emoji
		r >= 0x2500 && r <= 0x259f || // lines and blocks
		r == '…' || r == '‹' || r == '›' || r == '●' || r == '○' || r == '↑' || r == '↓'
}

// Cut returns s if it fits into the given number of cells, else as much of its start as fits with an ellipsis.
// Colour sequences are kept, also those after the cut.
func Cut(s string, cells int) string {
	switch {
	case cells <= 0:
		return ""
	case Width(s) <= cells:
		return s
	}
	return ansi.Truncate(s, cells, ellipsis)
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
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		word = Cut(word, cells)
		joined := line + " " + word
		switch {
		case line == "":
			line = word
		case Width(joined) <= cells:
			line = joined
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// folds are the characters of our own pages and of European names whose ASCII letter their decomposition doesn't give.
var folds = map[rune]byte{
	'…': '.', '·': '-', '–': '-', '—': '-', '‘': '\'', '’': '\'', '“': '"', '”': '"', '«': '"', '»': '"',
	'ß': 's', 'ø': 'o', 'Ø': 'O', 'æ': 'a', 'Æ': 'A', 'œ': 'o', 'Œ': 'O', 'ł': 'l', 'Ł': 'L', 'đ': 'd', 'Đ': 'D',
	'ð': 'd', 'þ': 't', 'ı': 'i', '×': 'x', '≤': '<', '≥': '>', '±': '+', '→': '>', '←': '<', '↑': '^', '↓': 'v',
	'●': '#', '○': 'o', '│': '|', '─': '-',
}

// ASCII returns s in the same number of cells with ASCII characters alone: letters lose their marks, what has no
// likeness becomes question marks. Colour sequences stay as they are.
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
