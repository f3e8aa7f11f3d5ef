package games

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrIllegal is wrapped by every error about a move that can't be played.
var ErrIllegal = errors.New("illegal move")

// An IllegalError says which move is illegal and which rule it breaks. It wraps ErrIllegal.
// Format and Args are apart so that the words can be given in another language.
type IllegalError struct {
	Move   string // as it came in, possibly hostile: Error and Quoted make it safe to print
	Format string // the broken rule: "not next to %s"
	Args   []any
}

// Illegal returns an *IllegalError.
func Illegal[M ~string](m M, format string, args ...any) error {
	return &IllegalError{Move: string(m), Format: format, Args: args}
}

// Error returns one line without control characters, whatever the move was.
func (e *IllegalError) Error() string { return e.Quoted() + ": " + e.Rule() }

// Rule returns the broken rule in English.
func (e *IllegalError) Rule() string { return fmt.Sprintf(e.Format, e.Args...) }

// Quoted returns the move cut to a length that fits in a line, with everything unprintable escaped.
func (e *IllegalError) Quoted() string { return quote(e.Move) }

// Unwrap returns ErrIllegal.
func (e *IllegalError) Unwrap() error { return ErrIllegal }

// maxQuoted is how many bytes of hostile input an error message repeats.
const maxQuoted = 40

// quote makes any text safe and short: as it is if it is plain, otherwise in Go syntax.
func quote(s string) string {
	cut := ""
	if len(s) > maxQuoted {
		n := maxQuoted
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = s[:n], "..."
	}
	q := strconv.QuoteToGraphic(s)
	if s != "" && q == `"`+s+`"` && !strings.Contains(s, " ") {
		return s + cut
	}
	return q + cut
}
