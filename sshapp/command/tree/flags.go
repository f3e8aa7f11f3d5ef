package tree

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"ludoteca/sshapp/flagset"
	"ludoteca/sshapp/spelling"
	"ludoteca/sshapp/text"
)

// A Flag is what a command takes as --NAME.
type Flag struct {
	Name    string
	Value   string // what its value looks like in usage; "" for a flag that stands alone
	Default string // "" for none
	Help    string // one sentence, in English
	Needed  bool   // the command refuses to work without it
	Text    bool   // its value is text as it was typed, up to the next flag
}

func (f Flag) usage() string {
	words := "--" + f.Name
	if f.Value != "" {
		words += " " + f.Value
	}
	if f.Needed {
		return words
	}
	return "[" + words + "]"
}

// Flags are the flags of one command line. A command declares each with the method of its type, which returns where its value will be.
type Flags struct {
	set *pflag.FlagSet
	all []Flag
}

func newFlags(name string) *Flags {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return &Flags{set: set}
}

// add declares a flag. Cobra shows its value as usage does.
func (f *Flags) add(g Flag, value pflag.Value) {
	f.all = append(f.all, g)
	f.set.VarPF(named{value, g.Value}, g.Name, "", g.Help)
}

// A named is a value with a name of its own.
type named struct {
	pflag.Value
	name string
}

// Type implements pflag.Value.
func (n named) Type() string { return n.name }

// String declares a flag with a text of one word.
func (f *Flags) String(name, value, standard, help string) *string {
	var set pflag.FlagSet
	p := set.String(name, standard, "")
	f.add(Flag{Name: name, Value: value, Default: standard, Help: help}, set.Lookup(name).Value)
	return p
}

// Text declares a flag whose value is text as it was typed. needed reports whether the command refuses to work without it.
func (f *Flags) Text(name, value string, needed bool, help string) *string {
	var set pflag.FlagSet
	p := set.String(name, "", "")
	f.add(Flag{Name: name, Value: value, Help: help, Needed: needed, Text: true}, set.Lookup(name).Value)
	return p
}

// Bool declares a flag that stands alone.
func (f *Flags) Bool(name, help string) *bool {
	f.all = append(f.all, Flag{Name: name, Help: help})
	return f.set.Bool(name, false, help)
}

// Int declares a flag with a whole number.
func (f *Flags) Int(name, value string, standard int, help string) *int {
	var set pflag.FlagSet
	p := set.Int(name, standard, "")
	f.add(Flag{Name: name, Value: value, Default: strconv.Itoa(standard), Help: help}, set.Lookup(name).Value)
	return p
}

// Duration declares a flag with a time such as 90s or 2h30m.
func (f *Flags) Duration(name, value string, standard time.Duration, help string) *time.Duration {
	var set pflag.FlagSet
	p := set.Duration(name, standard, "")
	f.add(Flag{Name: name, Value: value, Default: flagset.ShortTime(standard.String()), Help: help}, set.Lookup(name).Value)
	return p
}

// Uint64 declares a flag with a number such as that of a report. It has no default.
func (f *Flags) Uint64(name, value, help string) *uint64 {
	var set pflag.FlagSet
	p := set.Uint64(name, 0, "")
	f.add(Flag{Name: name, Value: value, Help: help}, set.Lookup(name).Value)
	return p
}

// Given reports whether a flag stands on the command line.
func (f *Flags) Given(name string) bool { return f.set.Changed(name) }

// flagWords returns what is wrong with a flag.
func (f *Flags) flagWords(say text.Say, err error) string {
	var bad *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bad):
		return say.T("--%s can't be %s.", bad.GetFlag().Name, Quoted(bad.GetValue()))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return say.T("%s is neither a flag nor a word for this command.", Quoted("-"+unknown.GetSpecifiedShortnames()))
	case errors.As(err, &unknown):
		names := []string{"--json"}
		for _, g := range f.all {
			names = append(names, "--"+g.Name)
		}
		typed := "--" + unknown.GetSpecifiedName()
		return suggest(say, say.T("There is no flag %s here.", Quoted(typed)), spelling.Nearest(typed, names))
	case errors.As(err, &bare):
		return say.T("--%s needs a value.", bare.GetFlag().Name)
	}
	return say.T("One of the flags is not written as a flag.")
}
