package tree

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/spelling"
	"ludoteca/sshapp/text"
)

// A Line is a command line that has been read.
type Line[R any] struct {
	Command *Command[R]
	Words   []string // after the name, flags apart
	JSON    bool
	Help    bool // it asks for help with the command
	Follows bool // see Command.Follows
	Run     R    // with the values of the flags; the zero R if the command does nothing by itself
}

// A UsageError is why a command line is no right call of a command: a sentence for people, and the right usage.
type UsageError struct {
	Words string
	Usage string // "" if there is no such command
}

// Error implements error.
func (e *UsageError) Error() string { return e.Words }

// Parse reads a command line, given as words. Line.Command is the command that the words name, also if there is an error, or nil if there is
// none. The error is a *UsageError.
func Parse[R any](say text.Say, among []*Command[R], words []string) (Line[R], error) {
	d, adds := find(among, words[0])
	if d == nil {
		return Line[R]{}, Unknown(say, among, words[0])
	}
	return d.parse(say, slices.Concat(adds, words[1:]))
}

// Unknown returns the error for a name that no command has.
func Unknown[R any](say text.Say, among []*Command[R], name string) *UsageError {
	none := say.T("There is no command %s.", Quoted(name))
	if near := Near(among, name); len(near) > 0 {
		return &UsageError{Words: suggest(say, none, near)}
	}
	return &UsageError{Words: say.T("%s The commands are: %s. Try: help", none, strings.Join(Names(among), " "))}
}

// parse is Parse for the words after the name.
func (d *Command[R]) parse(say text.Say, words []string) (Line[R], error) {
	line := Line[R]{Command: d}
	if at := d.subAt(words); at >= 0 {
		name := words[at]
		if s := Find(d.Sub, name); s != nil {
			return s.parse(say, slices.Concat(words[:at], words[at+1:]))
		}
		if d.Run == nil || len(d.Args) == 0 {
			if near := spelling.Nearest(name, Names(d.Sub)); len(near) > 0 {
				return line, &UsageError{suggest(say, say.T("There is no verb %s.", Quoted(name)), near), d.Line()}
			}
			return line, &UsageError{say.T("There is no verb %s; the verbs are: %s.", Quoted(name), strings.Join(Names(d.Sub), " ")), d.Line()}
		}
	}
	f := newFlags(d.Name)
	f.set.BoolVar(&line.JSON, "json", false, "")
	if d.Run != nil {
		line.Run = d.Run(f)
	}
	if err := f.set.Parse(words); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			line.JSON = slices.Contains(words, "--json")
			line.Help = true
			return line, nil
		}
		return line, &UsageError{f.flagWords(say, err), d.Line()}
	}
	line.Words = f.set.Args()
	line.Follows = d.Follows || d.FollowFlag && f.Given(followFlag)
	switch most := d.most(); {
	case len(line.Words) < d.least():
		return line, &UsageError{d.asks(say, len(line.Words)), d.Line()}
	case most >= 0 && len(line.Words) > most:
		return line, &UsageError{say.T("%s is one word too many.", Quoted(line.Words[most])), d.Line()}
	}
	return line, nil
}

// subAt returns the index of the word that may name a sub-command: the first that is neither a flag nor the value of one. It returns -1 if
// there is none.
func (d *Command[R]) subAt(words []string) int {
	if len(d.Sub) == 0 {
		return -1
	}
	return d.FirstWord(words)
}

// followFlag is the flag of Command.FollowFlag.
const followFlag = "follow"

// MayFollow reports whether a command with these words after its name may go on until something happens.
func (d *Command[R]) MayFollow(words []string) bool {
	return d.Follows || d.FollowFlag && slices.Contains(words, "--"+followFlag)
}

// FirstWord returns the index of the first of some words after the name that is neither a flag nor the value of one; -1 if there is none.
func (d *Command[R]) FirstWord(words []string) int {
	all := d.AllFlags()
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i], "--")
		switch {
		case name == "" && isFlag && i+1 < len(words):
			return i + 1
		case name == "" && isFlag:
			return -1
		case !isFlag && !strings.HasPrefix(words[i], "-"):
			return i
		case slices.ContainsFunc(all, func(f Flag) bool { return f.Name == name && f.Value != "" }):
			i++ // its value
		}
	}
	return -1
}

// asks returns a question for the first missing word after the given ones.
func (d *Command[R]) asks(say text.Say, given int) string {
	if ask := d.Args[given].Asks; ask != "" {
		return say.T(ask)
	}
	return say.T("Something is missing.")
}

// Quoted makes a word that was typed safe and short enough to be repeated.
func Quoted(word string) string { return fmt.Sprintf("%q", text.Cut(text.Clean(word), 40)) }

// suggest adds to a sentence about a wrong word the words that are near it.
func suggest(say text.Say, wrong string, near []string) string {
	if len(near) == 0 {
		return wrong
	}
	return say.T("%s Did you mean %s?", wrong, strings.Join(near, ", "))
}
