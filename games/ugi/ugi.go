// Package ugi reads and prints the lines of the Universal Game Interface, by which programs that play games talk to programs that
// show them. UGI.md says what we send and accept. The program that gives commands is called the GUI, as in UCI, whatever it shows.
//
// All functions are pure, and safe with any input.
package ugi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// MaxLine is how many bytes a line may have, with its end.
const MaxLine = 64 << 10

// ErrLine is wrapped by the error about a line that is too long.
var ErrLine = errors.New("the line is too long")

// ErrSyntax is wrapped by errors about a known command or reply that is not written as one.
var ErrSyntax = errors.New("not understood")

// ErrUnknown is wrapped by errors about a line that begins with no word of the protocol. By the custom of UCI such lines are ignored.
var ErrUnknown = errors.New("unknown")

// firstBuffer is how much room a Reader begins with. Most lines are much shorter.
const firstBuffer = 1 << 10

// A Reader reads lines.
type Reader struct{ lines *bufio.Scanner }

// NewReader returns a Reader of the lines that from has.
func NewReader(from io.Reader) *Reader {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, firstBuffer), MaxLine)
	return &Reader{lines}
}

// Next returns the next line without its end. The error is io.EOF after the last, or wraps ErrLine, or comes from the underlying reader.
func (r *Reader) Next() (string, error) {
	if r.lines.Scan() {
		return r.lines.Text(), nil
	}
	err := r.lines.Err()
	switch {
	case err == nil:
		return "", io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return "", fmt.Errorf("%w: more than %d KiB", ErrLine, MaxLine>>10)
	}
	return "", err
}

// words are the words of a line that have not been read yet.
type words []string

// wordsOf returns the words of a line. Control characters in it count as spaces.
func wordsOf(line string) words { return strings.Fields(plain(line)) }

// next takes the next word; "" after the last.
func (w *words) next() string {
	if len(*w) == 0 {
		return ""
	}
	word := (*w)[0]
	*w = (*w)[1:]
	return word
}

// until takes the words before the first one that ends them, and that one too. They come back with one space between two.
func (w *words) until(ends ...string) (text, end string) {
	for i, word := range *w {
		for _, e := range ends {
			if word == e {
				text = strings.Join((*w)[:i], " ")
				*w = (*w)[i+1:]
				return text, e
			}
		}
	}
	return w.rest(), ""
}

// rest takes all words, with one space between two.
func (w *words) rest() string {
	text := strings.Join(*w, " ")
	*w = nil
	return text
}

// plain returns text for the inside of a line: without control characters, one space between two words.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}
