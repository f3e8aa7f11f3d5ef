package board

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ludoteca/games"
)

// maxText is the length in bytes that the text of a position may have; the longest in use has 701.
const maxText = 4096

// Text is a position in one line, taken apart.
type Text struct {
	Fields  map[string]string // the header fields with the keys that were asked for; those not given are missing
	Options []string          // the other words of the header, which should be options in the form key=value
	Rows    []string          // the rows of the board, the top row first
}

// Split takes the one-line text of a position apart: header fields in any order, then the rows joined by "/". keys are
// the fields that are no options. It refuses a text without a board, one that is too long, and a field given twice.
func Split(text string, keys ...string) (Text, error) {
	if len(text) > maxText {
		return Text{}, games.NoPosition("the text is too long for a position")
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return Text{}, games.NoPosition("the text is empty")
	}
	last := len(words) - 1
	t := Text{Fields: map[string]string{}, Rows: strings.Split(words[last], "/")}
	for _, w := range words[:last] {
		key, value, _ := strings.Cut(w, "=")
		if !slices.Contains(keys, key) {
			t.Options = append(t.Options, w)
			continue
		}
		if _, twice := t.Fields[key]; twice {
			return Text{}, games.NoPosition("%s is given twice", key)
		}
		t.Fields[key] = value
	}
	return t, nil
}

// CheckSize says in words what is wrong if the board has not the given number of rows and columns.
func (t Text) CheckSize(cols, rows int) error {
	if len(t.Rows) != rows {
		return games.NoPosition("the board has %d rows instead of %d", len(t.Rows), rows)
	}
	for i, row := range t.Rows {
		if len(row) != cols {
			return games.NoPosition("row %d of the board is not %d cells wide", rows-i, cols)
		}
	}
	return nil
}

// maxTyped is the length in bytes of what people may type for one move, long enough for some spaces.
const maxTyped = 32

// Pair takes apart what a person types for a move from one square to another, on boards of up to 26 columns and 99 rows:
// "f1-f4" in any letter case, with spaces, an x or nothing in place of the hyphen, and spaces around everything. The
// squares come in canonical form, and may be outside the board.
func Pair(typed string) (from, to string, ok bool) {
	text := strings.TrimSpace(typed)
	if len(text) > maxTyped {
		return "", "", false
	}
	parts := typedPair.FindStringSubmatch(Lower(strings.TrimSpace(Fold(text))))
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// Fold returns what a person typed, without outer spaces, in the letters that moves are made of: full-width letters, digits and signs, as input
// methods for Chinese and Japanese write them, become ASCII, and so do the dashes that phones and editors put in place of a hyphen.
func Fold(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xff01 && r <= 0xff5e: // full-width ASCII
			return r - 0xff01 + '!'
		case r >= 0x2010 && r <= 0x2015, r == 0x2212: // hyphens, dashes, the minus sign
			return '-'
		case r == 0x3000, r == 0xa0: // an ideographic space, a space that doesn't break
			return ' '
		}
		return r
	}, strings.TrimSpace(typed))
}

// One returns what a person types for a move to one square in canonical form: "d4" for "D4", "d 4" or "d-4", with spaces around
// it. Any other text comes back as it is, without outer spaces.
func One(typed string) string {
	text := strings.TrimSpace(typed)
	if len(text) > maxTyped {
		return text
	}
	text = strings.TrimSpace(Fold(text))
	parts := typedOne.FindStringSubmatch(Lower(text))
	if parts == nil {
		return text
	}
	return parts[1] + parts[2]
}

var typedOne = regexp.MustCompile(`^([a-z]) *-? *([1-9][0-9]?)$`)

var typedPair = regexp.MustCompile(`^([a-z][1-9][0-9]?) *[-x]? *([a-z][1-9][0-9]?)$`)

// Join is the inverse of Split. It returns the words of the header in their order, and then the rows of the board.
func Join(header, rows []string) string {
	return strings.Join(append(slices.Clone(header), strings.Join(rows, "/")), " ")
}

// Number reads a whole number from 0 to most: digits only, without a sign.
func Number(s string, most int) (n int, ok bool) {
	if strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > most {
		return 0, false
	}
	return n, true
}

// Lower is strings.ToLower for ASCII alone, for what people type: strings.ToLower also turns some letters that no player can
// mean into ASCII ones.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
