// Package lab is what the engine commands do: count leaves, replay games, let computer players meet and rate them. Each
// writes to a writer, for people or as one JSON object a line, and stops when its context is done.
package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"ludoteca/atomicfile"
)

// ErrUsage is wrapped by errors about arguments that make no sense, as opposed to work that failed.
var ErrUsage = errors.New("wrong usage")

// newEncoder returns an encoder for one object a line, with moves as they are: plain JSON needs no escapes for "<".
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// A progressLine shows on one line of a terminal how far something is. It writes nothing if it has no terminal.
type progressLine struct {
	w     io.Writer // the terminal, or nil
	last  time.Time // when it was written
	width int       // of what stands on the line
}

// progressInterval is the least time between two updates.
const progressInterval = 250 * time.Millisecond

// show writes the line anew if the old one is old enough.
func (l *progressLine) show(text func() string) {
	now := time.Now()
	if l.w == nil || now.Sub(l.last) < progressInterval {
		return
	}
	l.last = now
	l.write(text())
}

// clear empties the line.
func (l *progressLine) clear() {
	if l.width > 0 {
		l.write("")
		l.write("")
	}
}

// write puts text in place of what stands on the line. Errors of the terminal are ignored.
func (l *progressLine) write(text string) {
	_, _ = fmt.Fprintf(l.w, "\r%s%s", text, strings.Repeat(" ", max(0, l.width-len(text))))
	l.width = len(text)
}

// ReplaceFile writes a file in one step, so that a reader finds the old or the new one, never a part.
func ReplaceFile(name string, content []byte) error {
	err := atomicfile.Write(atomicfile.System{}, name, 0o644, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
