// Package tree describes commands: what they are called, what they take, who may give them and what they print. A command line is read by that
// description, and help and the pages of docs are written from it.
package tree

import (
	"cmp"
	"slices"
	"strings"

	"ludoteca/sshapp/spelling"
)

// A Command is a row of a table of commands. R is what runs it.
type Command[R any] struct {
	Name    string
	Aliases []Alias
	Summary string // one line, in English; text.Say translates it
	Group   string // the heading above it in help, likewise
	Args    []Arg
	Example string // a command line, without ssh HOST; "": what Args have as samples
	Answer  any    // the zero value of the objects that it prints with --json; nil: they are described elsewhere
	Usage   string // the words after the name, where Args and flags don't say it well enough; "": as they say
	Who     Audience
	Cost    Cost
	Sub     []*Command[R] // commands of their own, which are called by the name of this one and theirs

	// Run declares the flags of the command and returns what runs it, which may use their values. It is called for each command line. nil: the
	// command does nothing without a sub-command.
	Run func(*Flags) R

	// Split takes what follows the name apart where some of it is text as it was typed; nil: as a shell would.
	Split   func(d *Command[R], rest string) []string
	Raw     bool // the words after the first are one text, as it was typed
	Prompt  bool // only the line mode has it
	Follows bool // it may go on until something happens; in the line mode the next line ends it

	// FollowFlag means that Follows applies only with the flag --follow. The beginning of such a call costs Cost, and what follows nothing.
	FollowFlag bool

	parent string // the name of the command above it, and a space; see Link
}

// An Alias is another name of a command, by which people from elsewhere know it.
type Alias struct {
	Name string
	Adds []string // words that it stands for besides the name of the command
}

// An Arg is a word that a command takes after its name.
type Arg struct {
	Name     string // as usage shows it: CODE, win|draw
	Help     string // one sentence, in English
	Sample   string // what it may be, in an example; "": it is left out there
	Asks     string // the question for it when it is missing, in English; "": that something is
	Optional bool
	Words    int // how many words it may be written in, 0 for one; Many for any number
}

// Many is the number of words of an Arg that has no bound.
const Many = -1

// An Audience is the group of callers that may give a command. For others the command doesn't exist.
type Audience uint8

const (
	Anyone    Audience = iota // guests too; commands that need a seat refuse them in words of their own
	Operators                 // if there is a status to ask for
)

// A Cost says how a command passes the gate.
type Cost uint8

const (
	Light Cost = iota // runs at once
	Heavy             // runs as one step, in its turn
	Steps             // runs in several steps, each in its turn
)

// Link completes a table: sub-commands learn what they are called by. It returns the table.
func Link[R any](all []*Command[R]) []*Command[R] {
	for _, d := range all {
		for _, s := range d.Sub {
			s.parent = d.parent + d.Name + " "
		}
		Link(d.Sub)
	}
	return all
}

// Find returns the command of a name or an alias; nil if there is none.
func Find[R any](among []*Command[R], name string) *Command[R] {
	d, _ := find(among, name)
	return d
}

// find is Find, and returns the words that an alias adds.
func find[R any](among []*Command[R], name string) (d *Command[R], adds []string) {
	for _, d := range among {
		if d.Name == name {
			return d, nil
		}
		for _, a := range d.Aliases {
			if a.Name == name {
				return d, a.Adds
			}
		}
	}
	return nil, nil
}

// Near returns names and aliases that a misspelt one may have been meant for, the nearest first, and each command once. more are other words that
// may stand there.
func Near[R any](among []*Command[R], misspelt string, more ...string) (near []string) {
	known := append(Names(among), more...)
	for _, d := range among {
		for _, a := range d.Aliases {
			known = append(known, a.Name)
		}
	}
	var seen []*Command[R]
	for _, word := range spelling.Nearest(misspelt, known) {
		d := Find(among, word)
		if d != nil && slices.Contains(seen, d) {
			continue
		}
		near, seen = append(near, word), append(seen, d)
	}
	return near
}

// Names returns the names of commands.
func Names[R any](all []*Command[R]) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	return names
}

// FullName is the name of a command, with those above it.
func (d *Command[R]) FullName() string { return d.parent + d.Name }

// Flags returns the flags that the command takes, besides --json.
func (d *Command[R]) Flags() []Flag {
	f := newFlags(d.Name)
	if d.Run != nil {
		d.Run(f)
	}
	return f.all
}

// AllFlags returns the flags of the command and of its sub-commands, each name once.
func (d *Command[R]) AllFlags() []Flag {
	all := d.Flags()
	for _, s := range d.Sub {
		for _, f := range s.AllFlags() {
			if !slices.ContainsFunc(all, func(g Flag) bool { return g.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Line is how the command is called.
func (d *Command[R]) Line() string {
	return strings.Join(strings.Fields(d.FullName()+" "+d.After()+" [--json]"), " ")
}

// After are the words after the name, as usage shows them.
func (d *Command[R]) After() string {
	if d.Usage != "" {
		return d.Usage
	}
	if len(d.Args) == 0 && len(d.Sub) > 0 {
		return "VERB ..."
	}
	var words []string
	for _, a := range d.Args {
		name := a.Name
		if a.Optional {
			name = "[" + name + "]"
		}
		words = append(words, name)
	}
	for _, f := range d.Flags() {
		words = append(words, f.usage())
	}
	return strings.Join(words, " ")
}

// Label is the name, the aliases and the words after them for a table of commands. A long list of words is cut; an argument in brackets is there
// whole or not at all.
func (d *Command[R]) Label() string {
	name, after := d.Name, d.After()
	for _, a := range d.Aliases {
		name += ", " + a.Name
	}
	if len(after) > 24 {
		first, _, _ := strings.Cut(after, " ")
		if strings.Count(first, "[")+strings.Count(first, "(") > strings.Count(first, "]")+strings.Count(first, ")") {
			first = ""
		}
		after = strings.TrimSpace(first + " ...")
	}
	return strings.TrimSpace(name + " " + after)
}

// least is the number of words that the command needs after its name, flags apart.
func (d *Command[R]) least() (n int) {
	for _, a := range d.Args {
		if !a.Optional {
			n++
		}
	}
	return n
}

// most is the number of words that the command takes; Many for any number.
func (d *Command[R]) most() (n int) {
	for _, a := range d.Args {
		if a.Words == Many {
			return Many
		}
		n += cmp.Or(a.Words, 1)
	}
	return n
}
