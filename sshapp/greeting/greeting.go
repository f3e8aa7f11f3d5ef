// Package greeting is what a club says of itself on its first screen: its name, and a few lines that its operator wrote.
package greeting

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ludoteca/sshapp/text"
)

// The bounds of a greeting.
const (
	maxName   = 30 // cells
	maxLines  = 3
	maxCells  = 76 // of a line
	maxReadIn = 64 << 10
)

// DefaultName is the name of a club that has no name of its own.
const DefaultName = "Ludoteca"

// A Greeting is the name of a club, and the lines of its operator. The zero value is that of a club that has neither.
type Greeting struct {
	name  string
	lines []string
}

// New returns a greeting with a name and the lines of a file. Either may be "". Controls are removed. The error says what can't be shown.
func New(name, file string) (g Greeting, err error) {
	if g.name = strings.TrimSpace(text.Clean(name)); text.Width(g.name) > maxName {
		return g, fmt.Errorf("--club-name takes %d columns, and %d are shown at most", text.Width(g.name), maxName)
	}
	if name != "" && g.name == "" {
		return g, errors.New("--club-name has nothing that can be shown")
	}
	if file != "" {
		if g.lines, err = read(file); err != nil {
			return g, fmt.Errorf("--welcome: %w", err)
		}
	}
	return g, nil
}

// read returns the lines of a file as they are shown.
func read(file string) (lines []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	all, err := io.ReadAll(io.LimitReader(f, maxReadIn))
	switch {
	case err != nil:
		return nil, err
	case !utf8.Valid(all):
		return nil, fmt.Errorf("%s is not text in UTF-8", file)
	}
	for line := range strings.Lines(strings.TrimRight(string(all), " \t\r\n")) {
		line = strings.TrimRight(text.Clean(strings.TrimRight(line, "\r\n")), " ")
		if len(lines) == maxLines {
			return nil, fmt.Errorf("%s has more than %d lines, and no more are shown", file, maxLines)
		}
		if n := text.Width(line); n > maxCells {
			return nil, fmt.Errorf("line %d of %s takes %d columns, and %d are shown at most", len(lines)+1, file, n, maxCells)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Name returns the name of the club.
func (g Greeting) Name() string {
	if g.name == "" {
		return DefaultName
	}
	return g.name
}

// Lines returns the lines of the operator. Callers must not change them.
func (g Greeting) Lines() []string { return g.lines }
